//! Data about people as dictionary codes: tables, roles, hierarchies, recodings.
//!
//! Nothing here reads a file or knows a policy. A [`Table`] is a set of [`Column`]s, each a [`Dictionary`] of distinct
//! values and one code per record. A [`Summary`] is what a solver sees of a table: its distinct quasi-identifier tuples
//! with their counts. A [`Recoding`] is what a solver found.

mod algorithm;
mod coarse_numbers;
mod date;
mod decimal;
mod dictionary;
mod error;
pub mod events;
mod format;
mod fraction;
mod grouping;
mod hierarchy;
mod letters;
mod mapping;
mod matching;
mod near;
pub mod notation;
mod number_range;
pub mod numbers;
pub mod offending;
mod random;
mod recoding;
mod role;
pub mod sequences;
mod summary;
mod table;
pub mod trails;
mod verdict;

pub use algorithm::{AlgorithmEntry, AlgorithmUse};
pub use coarse_numbers::{centered, clamped};
pub use date::{Date, DatePart};
pub use decimal::Decimal;
pub use dictionary::{Code, Dictionary, Kind, Strings};
pub use error::{Error, HierarchyMistake};
pub use format::{Encoding, Format};
pub use fraction::{Fraction, gcd};
pub use grouping::{Centroid, InsertionRule, Perturbation, Scaling};
pub use hierarchy::{End, Hierarchy, HierarchyRow, Level, ReadyMade};
pub use letters::fold;
pub use mapping::mapping;
pub use matching::Matching;
pub use near::{edits, nearest};
pub use number_range::NumberRange;
pub use random::SplitMix64;
pub use recoding::{ClassId, Labels, Recoding, Unit};
pub use role::Role;
pub use sequences::Sequences;
pub use summary::{Ragged, Summary};
pub use table::{Column, Table, over_one_dictionary};
pub use trails::{NamedTrails, Trails, TrailsError};
pub use verdict::{Standing, Verdict};

/// Paths by the name that says it: sequences whose doublets have times.
pub mod paths {
    pub use crate::sequences::*;
    /// Sequences whose doublets have times.
    pub type Paths = Sequences;
}
