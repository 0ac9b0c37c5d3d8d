//! Audits a recoding before anything is written: the summary is grouped again by what would be published.
//!
//! Solvers number their classes; here classes are told apart by the published texts alone, as a recipient would, and
//! judged by the same promises. The audit of the written data stays the last word.

use std::collections::HashMap;

use crate::{Group, Histogram, Promise, added, by_subjects};
use denym_data::{Code, Recoding, Summary, Unit};

/// What the groups of a recoded summary come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecodingAudit {
    /// Whether every group meets every promise and something is published at all.
    pub holds: bool,
    /// Groups of records that look alike.
    pub classes: u64,
    /// Subjects of the smallest of them.
    pub smallest: u64,
    /// Published records.
    pub records: u64,
}

/// Groups `summary` by what `recoding` publishes and judges every group.
pub fn audit_recoding(
    summary: &Summary,
    recoding: &Recoding,
    promises: &[Box<dyn Promise>],
) -> RecodingAudit {
    let (group_of, groups) = regroup(recoding);
    let mut records = vec![0_u64; groups];
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); groups];
    for (unit, class) in recoding.class_of.iter().enumerate() {
        let Some(class) = class else { continue };
        let group = group_of[*class as usize];
        records[group] += match recoding.unit {
            Unit::Tuple => summary.records[unit],
            Unit::Record => 1,
        };
        if recoding.unit == Unit::Tuple {
            members[group].push(unit);
        }
    }
    let mut found = RecodingAudit {
        holds: true,
        classes: 0,
        smallest: u64::MAX,
        records: 0,
    };
    for (records, tuples) in records.into_iter().zip(&members) {
        if records == 0 {
            continue;
        }
        let subjects = subjects(summary, tuples).unwrap_or(records);
        let counts: Vec<Vec<(Code, u64)>> = (0..summary.sensitive.len())
            .map(|attribute| histogram(summary, attribute, tuples))
            .collect();
        let histograms: Vec<Histogram<'_>> = counts.iter().map(|h| Histogram::new(h)).collect();
        let group = Group::new(records, subjects, &histograms);
        found.holds &= promises.iter().all(|promise| promise.admits(&group));
        found.classes += 1;
        found.smallest = found.smallest.min(subjects);
        found.records += records;
    }
    found.holds &= found.classes > 0;
    found
}

/// The group of each class: classes that publish the same texts are one group, whatever their labels are numbered.
fn regroup(recoding: &Recoding) -> (Vec<usize>, usize) {
    let same: Vec<Vec<u32>> = recoding
        .labels
        .iter()
        .map(|labels| {
            let mut known: HashMap<Option<&str>, u32> = HashMap::new();
            labels
                .texts
                .iter()
                .map(|text| {
                    let next = known.len() as u32;
                    *known.entry(text.as_deref()).or_insert(next)
                })
                .collect()
        })
        .collect();
    let mut known: HashMap<Vec<u32>, usize> = HashMap::new();
    let group_of = (0..recoding.classes())
        .map(|class| {
            let shown: Vec<u32> = recoding
                .published
                .iter()
                .zip(&same)
                .map(|(labels, same)| same[labels[class] as usize])
                .collect();
            let next = known.len();
            *known.entry(shown).or_insert(next)
        })
        .collect();
    (group_of, known.len())
}

/// Distinct subjects of these tuples, when the table has a subject column.
fn subjects(summary: &Summary, tuples: &[usize]) -> Option<u64> {
    let rows = summary.subjects.as_ref()?;
    let mut all: Vec<u32> = tuples
        .iter()
        .flat_map(|&tuple| rows.row(tuple))
        .copied()
        .collect();
    all.sort_unstable();
    all.dedup();
    Some(all.len() as u64)
}

/// How often each value of a sensitive attribute occurs in these tuples; once per subject when there are subjects.
fn histogram(summary: &Summary, attribute: usize, tuples: &[usize]) -> Vec<(Code, u64)> {
    match summary.shown.get(attribute) {
        Some(shown) => by_subjects(tuples.iter().flat_map(|&t| shown.row(t)).copied().collect()),
        None => {
            let counts = &summary.sensitive[attribute];
            added(
                tuples
                    .iter()
                    .flat_map(|&t| counts.row(t))
                    .copied()
                    .collect(),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::promises::{DistinctDiversity, KAnonymity};
    use denym_data::{Labels, Ragged};

    use super::*;

    /// Three tuples; the first two are published alike under labels of different numbers.
    fn case() -> (Summary, Recoding) {
        let summary = Summary {
            quasi: vec![vec![0, 1, 2]],
            cardinalities: vec![3],
            records: vec![1, 1, 3],
            sensitive: vec![Ragged::from_iter(vec![
                vec![(0, 1)],
                vec![(0, 1)],
                vec![(0, 1), (1, 2)],
            ])],
            ..Summary::default()
        };
        let recoding = Recoding {
            unit: Unit::Tuple,
            class_of: vec![Some(0), Some(1), Some(2)],
            labels: vec![Labels {
                texts: vec![Some("a".into()), Some("a".into()), Some("b".into())],
                shares: vec![0.0; 3],
            }],
            published: vec![vec![0, 1, 2]],
            levels: None,
        };
        (summary, recoding)
    }

    #[test]
    fn classes_are_what_a_recipient_sees() {
        let (summary, recoding) = case();
        let k: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 2 })];
        let found = audit_recoding(&summary, &recoding, &k);
        assert_eq!(
            (found.classes, found.smallest, found.records, found.holds),
            (2, 2, 5, true)
        );
        let l: Vec<Box<dyn Promise>> = vec![Box::new(DistinctDiversity { attribute: 0, l: 2 })];
        assert!(!audit_recoding(&summary, &recoding, &l).holds);
    }

    #[test]
    fn suppressed_tuples_are_not_counted_and_nothing_is_no_release() {
        let (summary, mut recoding) = case();
        let k: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 3 })];
        assert!(!audit_recoding(&summary, &recoding, &k).holds);
        recoding.class_of[0] = None;
        recoding.class_of[1] = None;
        assert!(audit_recoding(&summary, &recoding, &k).holds);
        recoding.class_of[2] = None;
        assert!(!audit_recoding(&summary, &recoding, &k).holds);
    }
}
