//! Measures of published numbers: what changed, what tests can see, and how many records can be linked.

mod change;
mod linkage;
mod measures;
mod tests_of_columns;

pub use change::{Change, MomentChange, change, moment_change};
pub use linkage::{ProbabilisticLinkage, probabilistic_linkage};
pub use measures::{ColumnTests, LINKAGE_RECORDS, Measures};
pub use tests_of_columns::{Signs, kolmogorov_smirnov, sign_test};

use crate::{Error, Matrix};

/// Refuses to compare data of different shapes.
fn same_shape(original: &Matrix, published: &Matrix) -> Result<(), Error> {
    if original.rows() != published.rows() {
        return Err(Error::Mismatch {
            what: "the published data",
            found: published.rows(),
            expected: original.rows(),
        });
    }
    if original.columns() != published.columns() {
        return Err(Error::Mismatch {
            what: "a published record",
            found: published.columns(),
            expected: original.columns(),
        });
    }
    Ok(())
}
