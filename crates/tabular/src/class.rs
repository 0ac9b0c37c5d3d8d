//! Judging one class of records: the only place where a [`Group`] is built for a promise.

use denym_data::Code;
use denym_measure::{Group, Histogram, Promise};

/// Classes with at most this many sensitive attributes are judged without touching the heap.
const INLINE: usize = 4;

/// Builds the group of one class and hands it to `judge`.
///
/// `subjects` is `None` when every record is a subject of its own.
pub(crate) fn with_group<'a, T>(
    records: u64,
    subjects: Option<u64>,
    histograms: impl ExactSizeIterator<Item = &'a [(Code, u64)]>,
    judge: impl FnOnce(&Group<'_>) -> T,
) -> T {
    let judge = |sensitive: &[Histogram<'_>]| {
        judge(&Group::new(records, subjects.unwrap_or(records), sensitive))
    };
    let attributes = histograms.len();
    if attributes == 0 {
        judge(&[])
    } else if attributes <= INLINE {
        let mut sensitive = [Histogram::new(&[]); INLINE];
        for (slot, counts) in sensitive.iter_mut().zip(histograms) {
            *slot = Histogram::new(counts);
        }
        judge(&sensitive[..attributes])
    } else {
        judge(&histograms.map(Histogram::new).collect::<Vec<_>>())
    }
}

/// Whether every promise admits the group.
pub(crate) fn admitted(promises: &[Box<dyn Promise>], group: &Group<'_>) -> bool {
    promises.iter().all(|promise| promise.admits(group))
}
