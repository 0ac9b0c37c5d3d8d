//! The red team as a user calls it: reads what an adversary has, runs the attacks that apply, says what they found.
//!
//! [`trails()`] re-identifies trails, [`table()`] attacks one release (with an external table, or with what the release itself tells),
//! [`paths()`] released paths, [`transactions()`] released sets of items, [`releases()`] several releases, [`numbers()`] microdata, [`queries()`] a system that answers counts and sums.

mod classes;
mod covering;
mod finding;
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

pub use finding::{Finding, NotRun};
pub use path_minimal::path_minimality;
pub use paths::{PathsRequest, Searched, paths};
pub use transactions::{TransactionsRequest, transactions};

pub(crate) use classes::{Attacked, on_classes};
pub(crate) use finding::{counted, not_run};
pub(crate) use minimal::on_table as minimality_on_table;
pub(crate) use path_minimal::on_paths as minimality_on_paths;
pub(crate) use paths::{Seen, effort as path_effort, on_paths, on_transactions};
pub(crate) use trail_files::{NamedSides, sides};
pub(crate) use transactions::stands_for as items_standing_for;

use crate::Error;

/// A mistake of an attack as an error of ours.
fn attack_error(error: &denym_attack::Error) -> Error {
    Error::Attack {
        what: error.to_string(),
        code: error.code(),
        help: error.help(),
    }
}
