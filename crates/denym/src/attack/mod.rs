//! The red team as a user calls it: reads what an adversary has, runs the attacks that apply, says what they found.
//!
//! [`trails()`] re-identifies trails, [`table()`] attacks one release (with an external table, or with what the release itself tells),
//! [`releases()`] several of them, [`numbers()`] microdata, [`queries()`] a system that answers counts and sums.

mod classes;
mod covering;
mod minimal;
mod numbers;
mod queries;
mod releases;
mod table;
mod trail_files;
mod trails;

pub use denym_attack::catalogue::CATALOGUE;
pub use denym_attack::trails::erosion::{Eroded, Fared, Treatment};
pub use denym_attack::trails::posterior::{Model, Rates};
pub use denym_attack::{Controlled, Coverage, Entry, Evidence, Shape, Threat};
pub use minimal::{MinimalityFound, minimality};
pub use numbers::{NumbersFound, numbers};
pub use queries::{QueriesFound, QueriesRequest, queries};
pub use releases::{ReleasesFound, ReleasesRequest, releases};
pub use table::{Conclusion, TableFound, TableRequest, Victim, table};
pub use trail_files::{LinkSpec, TrailSource};
pub use trails::{
    Collecting, MultipleFound, Posteriors, Theory, TrailsFound, TrailsRequest, trails,
};

pub(crate) use classes::{ClassAttack, WorstClass, on_classes};
pub(crate) use trail_files::{NamedSides, sides};

use crate::Error;

/// A mistake of an attack as an error of ours.
fn attack_error(error: &denym_attack::Error) -> Error {
    Error::Attack {
        what: error.to_string(),
        code: error.code(),
        help: error.help(),
    }
}
