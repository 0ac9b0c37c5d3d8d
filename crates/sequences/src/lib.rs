//! LKC-privacy and kin for paths and transactions: the violation miner and the solvers on it.
//!
//! A [`Request`] says what the adversary knows (any L doublets, with the quasi-identifiers), what
//! must hold of every group (K subjects, bounds on sensitive values and places) and which solver
//! to use. [`solve`] returns a [`PathRecoding`]: what each record publishes, with its figures.

pub mod blind_suppression;
pub mod catalogue;
pub mod coarsening;
pub mod consistent;
mod error;
pub mod frequent;
pub mod generate;
pub mod global_suppression;
mod local_contradiction;
pub mod local_suppression;
pub mod miner;
pub mod optimum;
mod recoding;
pub mod republication;
mod request;
mod solve;
mod summary;
pub mod trail_defence;
pub mod transactions;
mod violation_tree;
mod violations;
pub mod whole_paths;

pub use catalogue::{CATALOGUE, KEEP_PUBLISHED, RETRACT, SequenceSolver, Serves, solver_entry};
pub use coarsening::{Ladder, Rung};
pub use error::Error;
pub use miner::mine;
pub use recoding::{PathRecoding, Rows, Stats, Vocabulary};
pub use republication::{Earlier, check_contradiction, check_republication, republish};
pub use request::{
    Algorithm, Bound, Context, Cost, Elements, Hopeless, Limits, Matching, Request, Secret,
};
pub use solve::{critical_violations, exposed_records, solve};
pub use summary::Summary;
pub use transactions::{
    TransactionRecoding, TransactionRequest, critical_itemsets, solve_transactions,
};
pub use violation_tree::{Score, ViolationTree};
pub use violations::Violations;
