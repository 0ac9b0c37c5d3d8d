//! Solvers for tables: they read a [`Summary`](denym_data::Summary) and find the recoding that keeps every promise and
//! loses least.
//!
//! All solvers work on the same few mechanisms: frequency sets of packed keys that roll up from finer to coarser levels,
//! a lattice of levels, partitions of records. A [`Request`] says what is wanted, a [`Context`] how long and with which
//! seed, and a [`Solver`] answers with a [`Solution`] or with an [`Error`] that names the nearest feasible point.

mod auto;
mod best_effort;
mod catalogue;
mod class;
mod context;
mod cover;
mod datafly;
mod error;
mod figures;
mod frequency;
mod full_domain;
mod incognito;
mod keys;
mod lattice;
mod local_recoding;
mod mingen;
mod mondrian;
mod nearest;
mod node;
mod objective;
mod partition;
mod recode;
mod request;
mod samarati;
mod setting;
mod solution;
mod tally;

pub use auto::{Attempt, Auto};
pub use best_effort::BestEffort;
pub use catalogue::{CATALOGUE, Entry, Honours, Maturity, RecodingKind, entry};
pub use context::{Context, Progress};
pub use datafly::Datafly;
pub use error::Error;
pub use full_domain::FullDomain;
pub use incognito::Incognito;
pub use local_recoding::LocalRecoding;
pub use mingen::MinGen;
pub use mondrian::{Cuts, Mondrian};
pub use nearest::{Nearest, Reach};
pub use objective::Objective;
pub use partition::Axis;
pub use request::{Request, Solver};
pub use samarati::Samarati;
pub use setting::{Population, Setting};
pub use solution::{Solution, Statistics};
