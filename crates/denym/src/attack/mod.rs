//! The red team as a user calls it: reads what an adversary has, makes a scene of it, runs the attacks that apply.
//!
//! [`trails()`] re-identifies trails, [`table()`] attacks one release (with an external table, or with what the release itself tells),
//! [`paths()`] released paths, [`transactions()`] released sets of items, [`releases()`] several releases, [`numbers()`] microdata,
//! [`queries()`] a system that answers counts and sums, [`windows()`] a stream. What is made of a scene is in `crates/attack`.

mod certified;
mod minimality;
mod numbers;
mod queries;
mod releases;
mod sequences;
mod table;
mod trails;
mod windows;

pub use certified::{shape_of, source_of};
pub use denym_attack::catalogue::CATALOGUE;
pub use denym_attack::minimality::MinimalityFound;
pub use denym_attack::table::PeopleFound;
pub use denym_attack::trails::erosion::{Eroded, Fared, Treatment};
pub use denym_attack::trails::posterior::{Model, Rates};
pub use denym_attack::trails::{Incomplete, TrailQuestions, TrailsFound};
pub use denym_attack::{
    AttackEntry, Controlled, Coverage, Evidence, Finding, NotRun, RedTeam, Shape, Threat,
};
pub use minimality::minimality;
pub use numbers::{NumbersFound, numbers};
pub use queries::{QueriesRequest, queries};
pub use releases::{ReleasesFound, ReleasesRequest, releases};
pub use sequences::{SequencesFound, SequencesRequest, paths, transactions};
pub use table::{TableFound, TableRequest, table};
pub use trails::{LinkSpec, TrailSource, TrailsRequest, trail_bundle, trails};
pub use windows::{WindowsFound, windows};

pub(crate) use certified::is_bundle;
pub(crate) use minimality::{originals_of_paths, originals_of_table};
pub(crate) use sequences::{
    ON_PATHS, as_known, attacked as attacked_sequences, effort as path_effort, guarded,
};
pub(crate) use table::changed_columns;
pub(crate) use trails::sides;
pub(crate) use windows::attacked as attacked_window;

use denym_attack::Scene;

use crate::Error;
use crate::policy::Knowledge;

/// Seed of the attacks that draw before a release; it protects nothing, and the same draws make reports comparable.
pub(crate) const SEED: u64 = 1;

/// Runs every attack that applies to the scene.
pub(crate) fn red_team(scene: &Scene<'_>) -> Result<RedTeam, Error> {
    denym_attack::red_team(scene).map_err(|error| attack_error(&error))
}

/// A mistake of an attack as an error of ours.
pub(crate) fn attack_error(error: &denym_attack::Error) -> Error {
    Error::Attack {
        what: error.to_string(),
        code: error.code(),
        help: error.help(),
    }
}

/// Why attacks on sensitive values are not run.
pub(crate) const NO_SENSITIVE: &str = "no sensitive attribute is published";

/// The most quasi-identifiers that the adversary knows, where that is not all of them.
pub(crate) fn at_most(knows: Knowledge) -> Option<usize> {
    match knows {
        Knowledge::AtMost(most) => Some(most),
        _ => None,
    }
}
