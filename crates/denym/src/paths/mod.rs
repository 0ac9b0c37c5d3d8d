//! Paths on their way through denym: files to codes, codes to a released table, a released table to claims.

mod claims;
mod columns;
mod earlier;
mod events;
mod points;
mod publish;
mod request;
mod source;
mod times;
mod wide;

pub(crate) use claims::{claims, over_bound};
pub(crate) use earlier::{EarlierRelease, SUBJECTS, subjects_table};
pub(crate) use events::by_subject;
pub(crate) use publish::{Published, distinct, publish, source_of};
pub(crate) use request::{knowledge_of, request};
pub(crate) use source::{PathTable, Wanted, read, read_columns, read_released, wanted};
pub(crate) use times::seconds;
pub(crate) use wide::one_record_each;

use denym_data::paths::Paths;
use serde::{Deserialize, Serialize};

use crate::policy::paths::Matching;

/// How a path file is laid out, by the names of its columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PathForm {
    /// A record per event.
    Long {
        /// Who.
        subject: String,
        /// Where.
        location: String,
        /// When.
        time: String,
    },
    /// A record per subject, its path in one cell such as `a1>d2>b3`.
    Wide {
        /// The column of the paths.
        path: String,
    },
}

/// What a certificate says about released paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathClaims {
    /// The layout.
    pub form: PathForm,
    /// Which records the adversary cannot rule out.
    pub matching: Matching,
}

/// The records of `paths` in another order, and perhaps not all; attributes go along.
pub(crate) fn reordered(paths: &Paths, order: &[u32]) -> Result<Paths, crate::Error> {
    Ok(paths.of_records(order, |record| paths.record(record))?)
}
