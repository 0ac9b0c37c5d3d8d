//! Solvers for tables: they read a [`Summary`](denym_data::Summary) and find the recoding that keeps every promise and
//! loses least.
//!
//! All solvers work on the same few mechanisms: frequency sets of packed keys that roll up from finer to coarser levels,
//! a lattice of levels, partitions of records. A [`Request`] says what is wanted, a [`Context`] how long and with which
//! seed, and a [`Solver`] answers with a [`Solution`] or with an [`Error`] that names the nearest feasible point.

mod class;
mod context;
mod cover;
mod error;
mod figures;
mod frequency;
mod full_domain;
mod keys;
mod lattice;
mod local_recoding;
mod mondrian;
mod nearest;
mod objective;
mod partition;
mod recode;
mod request;
mod solution;
mod tally;

pub use context::{Context, Progress};
pub use error::Error;
pub use full_domain::FullDomain;
pub use local_recoding::LocalRecoding;
pub use mondrian::{Cuts, Mondrian};
pub use nearest::{Nearest, Reach};
pub use objective::Objective;
pub use partition::Axis;
pub use request::{Request, Solver};
pub use solution::{Solution, Statistics};
