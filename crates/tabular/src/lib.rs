//! Solvers for tables: they read a [`Summary`](denym_data::Summary) and find the recoding that keeps every promise and
//! loses least.
//!
//! All solvers work on the same few mechanisms: frequency sets of packed keys that roll up from finer to coarser levels,
//! a lattice of levels, partitions of records. A [`Request`] says what is wanted, a [`Context`] how long and with which
//! seed, and a [`Solver`] answers with a [`Solution`] or with an [`Error`] that names the nearest feasible point.

mod anatomy;
mod auto;
mod best_effort;
mod bottom_up_generalization;
mod catalogue;
mod cells;
mod class;
mod clusters;
mod context;
mod cover;
mod cut;
mod datafly;
mod error;
mod figures;
mod frequency;
mod full_domain;
mod incognito;
mod k_optimize;
mod keys;
mod lattice;
mod local_recoding;
mod mingen;
mod mondrian;
mod mu_argus;
mod nearest;
mod node;
mod objective;
mod partition;
mod recode;
mod request;
mod samarati;
mod setting;
mod sibling_generalization;
mod solution;
mod tally;
mod target;
mod top_down_disclosure;
mod top_down_specialization;

pub use anatomy::{Anatomized, Anatomy};
pub use auto::{Attempt, Auto};
pub use best_effort::BestEffort;
pub use bottom_up_generalization::BottomUpGeneralization;
pub use catalogue::{CATALOGUE, Entry, Honours, Maturity, RecodingKind, entry, solver};
pub use context::{Context, Progress};
pub use datafly::Datafly;
pub use error::Error;
pub use full_domain::FullDomain;
pub use incognito::Incognito;
pub use k_optimize::KOptimize;
pub use local_recoding::LocalRecoding;
pub use mingen::MinGen;
pub use mondrian::{Cuts, Mondrian};
pub use mu_argus::{MuArgus, MuArgusRelease};
pub use nearest::{Nearest, Reach};
pub use objective::Objective;
pub use partition::Axis;
pub use request::{Request, Solver};
pub use samarati::Samarati;
pub use setting::{Population, Setting};
pub use sibling_generalization::SiblingGeneralization;
pub use solution::{Solution, Statistics};
pub use top_down_disclosure::TopDownDisclosure;
pub use top_down_specialization::{Purpose, TopDownSpecialization, TradeOff};
