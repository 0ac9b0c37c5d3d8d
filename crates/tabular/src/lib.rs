//! Solvers for tables: they read a [`Summary`](denym_data::Summary) and find the recoding that keeps every promise and
//! loses least.
//!
//! All solvers work on the same few mechanisms: frequency sets of packed keys that roll up from finer to coarser levels,
//! a lattice of levels, partitions of records. A [`Request`] says what is wanted, a [`Context`] how long and with which
//! seed, and a [`Solver`] answers with a [`Solution`] or with an [`Error`] that names the nearest feasible point.

mod anatomy;
mod auto;
mod best_effort;
mod blind_generalization;
mod bottom_up_generalization;
mod bounding;
mod catalogue;
mod cells;
mod class;
mod clusters;
mod context;
mod cover;
mod cut;
mod datafly;
mod effort;
mod error;
mod figures;
mod frequency;
mod full_domain;
mod greedy_cells;
mod greedy_personalized;
mod grouped;
mod hosts;
mod incognito;
mod infogain_mondrian;
mod k_optimize;
mod ke_permutation;
mod keys;
mod lattice;
mod local_recoding;
mod local_suppression;
mod mingen;
mod minimality_defence;
mod mondrian;
mod mu_argus;
mod nearest;
mod node;
mod objective;
mod one_each;
mod partition;
mod presence;
mod progressive_local_recoding;
mod recode;
mod relaxation;
mod request;
mod samarati;
mod search;
mod setting;
mod sibling_generalization;
mod solution;
mod special;
mod tally;
mod target;
mod top_down_disclosure;
mod top_down_specialization;
mod widened;

pub use anatomy::{Anatomized, Anatomy, seated};
pub use auto::{Attempt, Auto, Outcome};
pub use best_effort::BestEffort;
pub use blind_generalization::BlindGeneralization;
pub use bottom_up_generalization::BottomUpGeneralization;
pub use catalogue::{
    CATALOGUE, Fewer, Honours, Maturity, RecodingKind, TableSolver, solver, solver_named,
};
pub use context::{Context, Progress};
pub use datafly::Datafly;
pub use effort::EffortMeter;
pub use error::Error;
pub use full_domain::FullDomain;
pub use greedy_cells::{Direction, GreedyCells};
pub use greedy_personalized::{GreedyPersonalized, Personalized};
pub use incognito::Incognito;
pub use infogain_mondrian::{InfoGainMondrian, Task};
pub use k_optimize::KOptimize;
pub use ke_permutation::{KePermutation, Permuted};
pub use local_recoding::LocalRecoding;
pub use local_suppression::{LocalSuppression, LocallySuppressed};
pub use mingen::MinGen;
pub use minimality_defence::{Distorted, MinimalityDefence};
pub use mondrian::{Cuts, Mondrian};
pub use mu_argus::{MuArgus, MuArgusRelease, Reading};
pub use nearest::{Nearest, Reach};
pub use objective::Objective;
pub use one_each::surplus;
pub use partition::Axis;
pub use presence::{Mpalm, PublicTable, Spalm};
pub use progressive_local_recoding::ProgressiveLocalRecoding;
pub use request::{Request, Solver};
pub use samarati::Samarati;
pub use search::{NamedSearch, SearchAnswer, least_suppression};
pub use setting::{Population, Setting};
pub use sibling_generalization::SiblingGeneralization;
pub use solution::{Solution, Statistics};
pub use special::{
    SPECIAL_ALGORITHMS, SpecialAlgorithm, SpecialEntry, SpecialOutput, SpecialRelease, SpecialTask,
};
pub use top_down_disclosure::TopDownDisclosure;
pub use top_down_specialization::{Purpose, TopDownSpecialization, TradeOff};
pub use widened::widened;
