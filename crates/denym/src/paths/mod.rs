//! Paths on their way through denym: files to codes, codes to a released table, a released table to claims.

mod columns;
mod earlier;
mod events;
mod points;
mod publish;
mod request;
mod source;
mod times;
mod wide;

pub use denym_release::certificate::{PathClaims, PathForm};
pub(crate) use denym_release::sequences::{Asked, claims, over_bound, sensitive_attributes};
pub(crate) use earlier::{EarlierRelease, SUBJECTS, subjects_table};
pub(crate) use events::by_subject;
pub(crate) use publish::{Published, distinct, publish, sorted, source_of, used};
pub(crate) use request::{knowledge_of, ladder, request};
pub(crate) use source::{
    PathTable, Wanted, attribute, described, per_record, read, read_columns, read_released, wanted,
};
pub(crate) use times::seconds;
pub(crate) use wide::one_record_each;

use denym_data::paths::Paths;
/// The records of `paths` in another order, and perhaps not all; attributes go along.
pub(crate) fn reordered(paths: &Paths, order: &[u32]) -> Result<Paths, crate::Error> {
    Ok(paths.of_records(order, |record| paths.record(record))?)
}
