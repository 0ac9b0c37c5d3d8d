//! Correlation attack: a suppressed doublet is deduced from its neighbors in the path.
//!
//! # Idea
//!
//! Most drivers from area a by highway h to mall m cross bridge r. The adversary has paths of other people (or road sense)
//! and looks at each gap between two consecutive doublets of a published record: if, among the other people's paths that
//! have both ends, at least the stated share has one and the same doublet in between, the record's owner was there as well.
//!
//! # Reference
//!
//! ITSA, section 4.5.1.
//!
//! # Cost
//!
//! One pass over the auxiliary paths per distinct gap of the published ones, through an index of doublets.

use super::Doublet;
use crate::catalogue::known;
use crate::{Coverage, Error, Evidence};
use std::collections::BTreeMap;

/// A doublet the adversary puts back into a record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Deduced {
    /// The record.
    pub record: u32,
    /// The doublet put back.
    pub doublet: Doublet,
    /// Share of the other people's paths that support it.
    pub confidence: f64,
    /// Whether the victim's raw path has it.
    pub right: bool,
}

/// Every doublet deduced with at least `confidence` from at least `support` auxiliary paths, and how many are right.
///
/// # Errors
///
/// When raw and published paths are not equally many, or `confidence` is not a probability.
pub fn correlation<P: AsRef<[Doublet]>>(
    auxiliary: &[P],
    raw: &[P],
    published: &[P],
    confidence: f64,
    support: u64,
) -> Result<(Vec<Deduced>, Evidence), Error> {
    if raw.len() != published.len() {
        return Err(Error::LengthsDiffer {
            what: "published paths",
            expected: raw.len(),
            found: published.len(),
        });
    }
    if !(0.0..=1.0).contains(&confidence) {
        return Err(Error::OutOfRange {
            what: "confidence",
            range: "between 0 and 1",
        });
    }
    let mut having: BTreeMap<Doublet, Vec<u32>> = BTreeMap::new();
    for (row, path) in auxiliary.iter().enumerate() {
        for &doublet in path.as_ref() {
            having.entry(doublet).or_default().push(row as u32);
        }
    }
    let mut between: BTreeMap<(Doublet, Doublet), Vec<(Doublet, f64)>> = BTreeMap::new();
    let mut found = Vec::new();
    for (record, path) in published.iter().enumerate() {
        for ends in path.as_ref().windows(2) {
            let (from, to) = (ends[0], ends[1]);
            let likely = between.entry((from, to)).or_insert_with(|| {
                let mut counts: BTreeMap<Doublet, u64> = BTreeMap::new();
                let mut paths = 0_u64;
                for &row in having.get(&from).map_or(&[][..], Vec::as_slice) {
                    let path = auxiliary[row as usize].as_ref();
                    if path.contains(&to) {
                        paths += 1;
                        for &doublet in path
                            .iter()
                            .filter(|doublet| from.1 < doublet.1 && doublet.1 < to.1)
                        {
                            *counts.entry(doublet).or_insert(0) += 1;
                        }
                    }
                }
                let share = |count: u64| count as f64 / paths as f64;
                let enough = counts
                    .into_iter()
                    .filter(|&(_, count)| count >= support && share(count) >= confidence);
                enough
                    .map(|(doublet, count)| (doublet, share(count)))
                    .collect()
            });
            found.extend(likely.iter().map(|&(doublet, confidence)| Deduced {
                record: record as u32,
                doublet,
                confidence,
                right: raw[record].as_ref().contains(&doublet),
            }));
        }
    }
    let right = found.iter().filter(|deduced| deduced.right).count() as u64;
    let evidence = Evidence::new(
        known("path-correlation"),
        right,
        found.len() as u64,
        Coverage::Exhaustive,
    );
    Ok((found, evidence))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bridge_is_deduced() {
        const A: Doublet = (0, 1);
        const H: Doublet = (1, 2);
        const R: Doublet = (2, 3);
        const X: Doublet = (9, 3);
        const M: Doublet = (3, 4);
        let drivers = vec![
            vec![A, H, R, M],
            vec![H, R, M],
            vec![A, H, R, M],
            vec![A, H, X, M],
            vec![A, H, R],
        ];
        let raw = vec![vec![A, H, R, M], vec![A, H, X, M], vec![A, R]];
        let published = vec![vec![A, H, M], vec![A, H, M], vec![A]];
        let (found, evidence) = correlation(&drivers, &raw, &published, 0.7, 2).unwrap();
        // Three of the four drivers with h2 and m4 cross r3: right for the first, wrong for the second.
        assert_eq!(
            found[0],
            Deduced {
                record: 0,
                doublet: R,
                confidence: 0.75,
                right: true
            }
        );
        assert_eq!((evidence.successes, evidence.attempts), (1, 2));
        assert!(
            correlation(&drivers, &raw, &published, 0.8, 2)
                .unwrap()
                .0
                .is_empty()
        );
    }
}
