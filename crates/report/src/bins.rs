//! From class sizes to the bands of the risk and class-size charts.

use std::collections::BTreeMap;

use crate::{Bar, ClassSize, Language, number};

/// Smallest class size of each band. A class of `n` means a chance of one in `n`; 5 and 20 are thresholds that guidelines for
/// health data use, so they start bands.
const BANDS: [u64; 9] = [1, 2, 3, 5, 10, 20, 50, 100, 1000];

/// Classes by size, smallest first, from the subjects and the records of each class.
pub fn class_sizes(classes: impl IntoIterator<Item = (u64, u64)>) -> Vec<ClassSize> {
    let mut sizes: BTreeMap<u64, ClassSize> = BTreeMap::new();
    for (size, records) in classes {
        let entry = sizes.entry(size).or_default();
        entry.size = size;
        entry.classes += 1;
        entry.records = entry.records.saturating_add(records);
    }
    sizes.into_values().collect()
}

/// Share of the source's records in each band of risk, worst first: what a record's chance of being found was and is.
///
/// A record in a class of `n` subjects is found with a chance of one in `n`. Records that are missing after are `not released`.
/// Records are counted, not subjects: a subject may be in several classes of the source and in one of the release.
pub fn risk_bars(before: &[ClassSize], after: &[ClassSize], language: Language) -> Vec<Bar> {
    let members = |size: &ClassSize| size.records;
    let (was, is) = (bands(before, members), bands(after, members));
    let total: u64 = was.iter().sum();
    let released: u64 = is.iter().sum();
    let share = |n: u64| {
        if total == 0 {
            0.0
        } else {
            n as f64 / total as f64
        }
    };
    let last = used(&was, &is);
    let mut bars: Vec<Bar> = (0..last)
        .map(|band| Bar {
            label: match (BANDS[band], BANDS.get(band + 1)) {
                (1, _) => language.say("risk.band.certain", &[]),
                (low, Some(&high)) if high == low + 1 => {
                    language.say("risk.band.one", &[("low", &low.to_string())])
                }
                (low, Some(&high)) => {
                    let ends = (low.to_string(), number::count(high - 1));
                    language.say("risk.band", &[("low", &ends.0), ("high", &ends.1)])
                }
                (low, None) => language.say("risk.band.more", &[("low", &number::count(low))]),
            },
            values: vec![share(was[band]), share(is[band])],
        })
        .collect();
    if released < total {
        bars.push(Bar {
            label: language.say("risk.band.not-released", &[]),
            values: vec![0.0, share(total - released)],
        });
    }
    bars
}

/// Number of classes in each band of sizes.
pub fn class_size_bars(classes: &[ClassSize], language: Language) -> Vec<Bar> {
    let counts = bands(classes, |size| size.classes);
    let first = counts.iter().position(|&n| n > 0).unwrap_or(0);
    let last = used(&counts, &counts);
    (first..last)
        .map(|band| Bar {
            label: match (BANDS[band], BANDS.get(band + 1)) {
                (low, Some(&high)) if high == low + 1 => low.to_string(),
                (low, Some(&high)) => {
                    let ends = (low.to_string(), number::count(high - 1));
                    language.say("risk.size.band", &[("low", &ends.0), ("high", &ends.1)])
                }
                (low, None) => language.say("risk.size.more", &[("low", &number::count(low))]),
            },
            values: vec![counts[band] as f64],
        })
        .collect()
}

fn bands(classes: &[ClassSize], weight: impl Fn(&ClassSize) -> u64) -> [u64; BANDS.len()] {
    let mut out = [0_u64; BANDS.len()];
    for size in classes.iter().filter(|size| size.size > 0) {
        let band = BANDS.partition_point(|&low| low <= size.size) - 1;
        out[band] = out[band].saturating_add(weight(size));
    }
    out
}

/// Bands up to the last one in use.
fn used(a: &[u64], b: &[u64]) -> usize {
    (0..BANDS.len())
        .rev()
        .find(|&band| a[band] > 0 || b[band] > 0)
        .map_or(0, |band| band + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (size, classes), one record per subject.
    fn sizes(sizes: &[(u64, u64)]) -> Vec<ClassSize> {
        let classes = sizes
            .iter()
            .flat_map(|&(size, classes)| (0..classes).map(move |_| (size, size)));
        class_sizes(classes)
    }

    #[test]
    fn subjects_with_several_records_are_not_lost() {
        // One person with two stays and one with one: apart before, together after. Nothing was suppressed.
        let before = class_sizes([(1, 1), (2, 2)]);
        let after = class_sizes([(2, 3)]);
        let bars = risk_bars(&before, &after, Language::English);
        assert!(bars.iter().all(|bar| bar.label != "not released"));
        assert!((bars[1].values[1] - 1.0).abs() < 1e-9);
        assert_eq!(
            after[0],
            ClassSize {
                size: 2,
                classes: 1,
                records: 3
            }
        );
    }

    #[test]
    fn every_record_is_in_one_band() {
        let bars = risk_bars(
            &sizes(&[(1, 6), (2, 1), (3, 4)]),
            &sizes(&[(5, 1), (12, 1)]),
            Language::English,
        );
        let labels: Vec<&str> = bars.iter().map(|bar| bar.label.as_str()).collect();
        assert_eq!(
            labels,
            [
                "certain (1 in 1)",
                "1 in 2",
                "1 in 3 to 4",
                "1 in 5 to 9",
                "1 in 10 to 19",
                "not released"
            ]
        );
        let before: Vec<f64> = bars.iter().map(|bar| bar.values[0] * 20.0).collect();
        let after: Vec<f64> = bars.iter().map(|bar| bar.values[1] * 20.0).collect();
        assert!(
            before
                .iter()
                .zip([6.0, 2.0, 12.0, 0.0, 0.0, 0.0])
                .all(|(a, b)| (a - b).abs() < 1e-9)
        );
        assert!(
            after
                .iter()
                .zip([0.0, 0.0, 0.0, 5.0, 12.0, 3.0])
                .all(|(a, b)| (a - b).abs() < 1e-9)
        );
    }

    #[test]
    fn class_sizes_start_where_classes_do() {
        let bars = class_size_bars(&sizes(&[(5, 3), (7, 2), (5000, 1)]), Language::English);
        assert_eq!(bars.len(), 6);
        assert_eq!(bars[0].label, "5 to 9");
        assert!((bars[0].values[0] - 5.0).abs() < 1e-9);
        assert_eq!(bars[5].label, "1,000 or more");
        assert!(class_size_bars(&[], Language::English).is_empty());
        assert!(class_size_bars(&sizes(&[(0, 9)]), Language::English).is_empty());
    }
}
