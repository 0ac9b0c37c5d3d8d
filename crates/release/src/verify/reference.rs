//! Whether the distribution that t-closeness and its kin are judged against covers what was published.

use std::collections::BTreeMap;

use denym_data::Table;

use crate::certificate::{Certificate, Sensitive};

/// Why the reference of `sensitive` cannot be that of a source which this data came from.
///
/// Without subjects it counts records: no value less often than it was published, and all together the published and the
/// removed ones. With subjects it counts the people who show a value, which records bound from above. Values that were changed
/// on purpose are only asked to be known. What is left is the publisher's word.
pub(super) fn problem(
    certificate: &Certificate,
    sensitive: &Sensitive,
    table: &Table,
) -> Option<&'static str> {
    let reference = sensitive.reference.as_ref()?;
    let column = table.column(&sensitive.name)?;
    let mut published: BTreeMap<Option<&str>, u64> = BTreeMap::new();
    for row in 0..table.records() {
        *published.entry(column.text(row)).or_default() += 1;
    }
    let listed: BTreeMap<Option<&str>, u64> = reference
        .iter()
        .map(|(value, count)| (value.as_deref(), *count))
        .collect();
    if published.keys().any(|value| !listed.contains_key(value)) {
        return Some("the reference lacks a value that was published");
    }
    let removed = certificate.suppressed_records;
    if certificate.subject.is_some() {
        let fits = |(value, count): (Option<&str>, u64)| {
            let shown = published.get(&value).copied().unwrap_or(0);
            count <= shown.saturating_add(removed) && (shown == 0 || count > 0)
        };
        return (!listed.iter().all(|(&value, &count)| fits((value, count))))
            .then_some("the reference does not fit what was published");
    }
    let name = Some(sensitive.name.clone());
    let is_covered = published
        .iter()
        .all(|(value, &count)| listed[value] >= count);
    if !certificate.is_altered(Some(&name)) && !is_covered {
        return Some("the reference has fewer of a value than was published");
    }
    let total = reference
        .iter()
        .try_fold(0_u64, |sum, (_, count)| sum.checked_add(*count));
    let wanted = (table.records() as u64).checked_add(removed);
    (total.is_none() || total != wanted)
        .then_some("the reference is not as large as the published and the removed records")
}
