//! Data about people as dictionary codes: tables, roles, hierarchies, recodings.
//!
//! Nothing here reads a file or knows a policy. A [`Table`] is a set of [`Column`]s, each a [`Dictionary`] of distinct
//! values and one code per record. A [`Summary`] is what a solver sees of a table: its distinct quasi-identifier tuples
//! with their counts. A [`Recoding`] is what a solver found.

mod date;
mod decimal;
mod dictionary;
mod error;
mod fraction;
mod hierarchy;
mod packing;
pub mod paths;
mod random;
mod recoding;
mod role;
mod summary;
mod table;
pub mod trails;
pub mod transactions;

pub use date::{Date, DatePart};
pub use decimal::Decimal;
pub use dictionary::{Code, Dictionary, Kind, Strings};
pub use error::{Error, HierarchyMistake};
pub use fraction::Fraction;
pub use hierarchy::{End, Hierarchy, HierarchyRow, Level};
pub use packing::Packing;
pub use random::SplitMix64;
pub use recoding::{ClassId, Labels, Recoding, Unit};
pub use role::Role;
pub use summary::{Ragged, Summary};
pub use table::{Column, Table};
pub use trails::{NamedTrails, Trails, TrailsError};
