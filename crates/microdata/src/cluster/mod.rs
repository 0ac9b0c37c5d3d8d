//! Clusters of k or more records with numeric and categorical quasi-identifiers, generalized to ranges and common ancestors.

mod chain;
mod incremental;
mod k_member;
mod one_pass;
mod points;
mod records;
mod refine;
mod runs;
mod systematic;
mod tree;
mod unconcerned;

pub use denym_data::InsertionRule;
pub use incremental::{Insertion, distinct, insert, posteriors};
pub use k_member::k_member;
pub use one_pass::one_pass;
pub use records::{Extent, Records};
pub use refine::{Refined, best_clusters, refine};
pub use runs::runs;
pub use systematic::{diversify, loss_of_concerned, systematic};
pub use tree::CategoryTree;
pub use unconcerned::{AddedBack, keep_out};

use crate::Error;

/// Refuses a k that the records cannot give.
fn check(records: &Records, k: usize, kept_out: usize) -> Result<(), Error> {
    if k == 0 {
        return Err(Error::ZeroK);
    }
    let concerned = records.len().saturating_sub(kept_out);
    if concerned < k {
        return Err(Error::TooFewRecords {
            k,
            records: concerned,
        });
    }
    Ok(())
}
