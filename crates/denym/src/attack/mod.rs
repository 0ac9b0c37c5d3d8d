//! The red team as a user calls it: reads what an adversary has, runs the attacks that apply, says what they found.
//!
//! [`trails()`] re-identifies trails, [`table()`] attacks one release (with an external table, or with what the release itself tells),
//! [`paths()`] released paths, [`transactions()`] released sets of items, [`releases()`] several releases, [`numbers()`] microdata, [`queries()`] a system that answers counts and sums.

mod bundle;
mod covering;
mod minimal;
mod numbers;
mod path_minimal;
mod paths;
mod queries;
mod releases;
mod table;
mod trail_files;
mod trails;
mod transactions;
mod windows;

pub use bundle::{shape_of, source_of, trail_bundle};
pub use denym_attack::RedTeam;
pub use denym_attack::catalogue::CATALOGUE;
pub use denym_attack::table::MinimalityFound;
pub use denym_attack::trails::erosion::{Eroded, Fared, Treatment};
pub use denym_attack::trails::posterior::{Model, Rates};
pub use denym_attack::{Controlled, Coverage, Entry, Evidence, Finding, NotRun, Shape, Threat};
pub use minimal::minimality;
pub use numbers::{NumbersFound, numbers};
pub use queries::{QueriesFound, QueriesRequest, queries};
pub use releases::{ReleasesFound, ReleasesRequest, releases};
pub use table::{Conclusion, TableFound, TableRequest, Victim, table};
pub use trail_files::{LinkSpec, TrailSource};
pub use trails::{
    Collecting, MultipleFound, Posteriors, Theory, TrailsFound, TrailsRequest, trails,
};

pub use path_minimal::path_minimality;
pub use paths::{PathsRequest, Searched, paths};
pub use transactions::{TransactionsRequest, transactions};
pub use windows::{WindowsFound, windows};

pub(crate) use minimal::originals;
pub(crate) use numbers::numbers_of;
pub(crate) use path_minimal::path_originals;
pub(crate) use paths::{effort as path_effort, guarded};
pub(crate) use table::{changed_columns, is_bundle};
pub(crate) use trail_files::{NamedSides, sides};
pub(crate) use transactions::stands_for as items_standing_for;
pub(crate) use windows::attacked as attacked_window;

use crate::Error;
use crate::policy::Knowledge;

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
