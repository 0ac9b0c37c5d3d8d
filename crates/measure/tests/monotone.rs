//! What each promise declares about merging groups, tried on random groups: a wrong declaration makes solvers unsound.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use denym_data::{Column, Fraction, Hierarchy, HierarchyRow};
use denym_measure::promises::{
    Confidence, DistinctDiversity, EntropyDiversity, KAnonymity, RecursiveDiversity, TCloseness,
};
use denym_measure::{Group, Histogram, Promise};
use proptest::prelude::*;

const VALUES: usize = 5;

/// A group as its counts by value and the number of people in the population that look like it.
#[derive(Debug, Clone)]
struct Plain {
    counts: Vec<u64>,
    population: u64,
}

impl Plain {
    fn merged(&self, other: &Plain) -> Plain {
        Plain {
            counts: self
                .counts
                .iter()
                .zip(&other.counts)
                .map(|(a, b)| a + b)
                .collect(),
            population: self.population + other.population,
        }
    }

    fn judge<R>(&self, judge: impl Fn(&Group<'_>) -> R) -> R {
        let counts: Vec<(u32, u64)> = (0_u32..)
            .zip(self.counts.iter().copied())
            .filter(|&(_, count)| count > 0)
            .collect();
        let histogram = Histogram::new(&counts);
        let sensitive = [histogram];
        judge(
            &Group::new(histogram.total, histogram.total, &sensitive)
                .with_population(self.population),
        )
    }
}

fn fraction(numerator: u64, denominator: u64) -> Fraction {
    Fraction::new(numerator, denominator).unwrap()
}

fn taxonomy() -> Hierarchy {
    let column = Column::from_texts("s", ["a", "b", "c", "d", "e"].map(Some));
    let rows: Vec<HierarchyRow> = ["a,x,y,*", "b,x,y,*", "c,w,y,*", "d,w,y,*", "e,v,z,*"]
        .iter()
        .enumerate()
        .map(|(line, row)| HierarchyRow {
            line: line + 1,
            labels: row.split(',').map(str::to_owned).collect(),
        })
        .collect();
    Hierarchy::from_rows(&column, &rows).unwrap()
}

/// Every promise with parameters that make about half of small random groups pass.
fn promises(reference: &[u64], a: u64, b: u64) -> Vec<Box<dyn Promise>> {
    let share = fraction(a, 10);
    vec![
        Box::new(KAnonymity { k: b }),
        Box::new(DistinctDiversity {
            attribute: 0,
            l: b % 5,
        }),
        Box::new(EntropyDiversity {
            attribute: 0,
            l: fraction(10 + 2 * a, 10),
        }),
        Box::new(RecursiveDiversity {
            attribute: 0,
            c: fraction(a, 3),
            l: 1 + b % 4,
        }),
        Box::new(TCloseness::equal(0, share, reference)),
        Box::new(TCloseness::ordered(0, share, reference)),
        Box::new(TCloseness::hierarchical(0, share, reference, &taxonomy())),
        Box::new(Confidence::of_all(0, share)),
        Box::new(Confidence::of_values(0, [(1, share), (3, fraction(1, 2))])),
    ]
}

fn group() -> impl Strategy<Value = Plain> {
    (prop::collection::vec(0_u64..12, VALUES), 0_u64..30)
        .prop_filter("a group has records", |(counts, _)| {
            counts.iter().sum::<u64>() > 0
        })
        .prop_map(|(counts, extra)| Plain {
            population: counts.iter().sum::<u64>() + extra,
            counts,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn merging_admitted_groups_is_admitted(
        one in group(),
        two in group(),
        rest in prop::collection::vec(0_u64..30, VALUES),
        a in 1_u64..10,
        b in 1_u64..20,
    ) {
        // The reference is the whole table: both groups and what else there is.
        let reference: Vec<u64> =
            (0..VALUES).map(|v| one.counts[v] + two.counts[v] + rest[v]).collect();
        for promise in promises(&reference, a, b) {
            let admits = |plain: &Plain| plain.judge(|group| promise.admits(group));
            let terms = promise.terms();
            let merged = admits(&one.merged(&two));
            if terms.monotone && admits(&one) && admits(&two) {
                prop_assert!(merged, "{terms:?}");
            }
            if terms.monotone_with_suppression && (admits(&one) || admits(&two)) {
                prop_assert!(merged, "with suppression: {terms:?}");
            }
            if terms.monotone_with_suppression {
                prop_assert!(terms.monotone);
            }
        }
    }

    /// The verdict and the measured value tell the same story, up to rounding at the bound itself.
    #[test]
    fn verdicts_follow_the_measured_value(one in group(), rest in prop::collection::vec(0_u64..30, VALUES), a in 1_u64..10, b in 1_u64..20) {
        let reference: Vec<u64> = (0..VALUES).map(|v| one.counts[v] + rest[v]).collect();
        for promise in promises(&reference, a, b) {
            let terms = promise.terms();
            if terms.name == "confidence" {
                // Bounds differ by value there.
                continue;
            }
            let value = one.judge(|group| promise.value(group));
            let admitted = one.judge(|group| promise.admits(group));
            let margin = match terms.sense {
                denym_measure::Sense::AtLeast => value - terms.bound,
                denym_measure::Sense::AtMost => terms.bound - value,
            };
            if margin.abs() > 1e-6 {
                prop_assert_eq!(admitted, margin > 0.0, "{:?} {}", terms, value);
            }
        }
    }
}

/// Promises that are not monotone when records may be suppressed fail on these, so the declarations cannot be loosened.
#[test]
fn suppression_breaks_what_it_is_said_to_break() {
    let plain = |x, y| Plain {
        counts: vec![x, y, 0, 0, 0],
        population: x + y,
    };
    let (kept, dropped) = (plain(50, 50), plain(40, 0));
    let half = fraction(1, 2);
    let reference = [90, 90, 0, 0, 0];
    let cases: Vec<Box<dyn Promise>> = vec![
        Box::new(EntropyDiversity {
            attribute: 0,
            l: fraction(2, 1),
        }),
        Box::new(RecursiveDiversity {
            attribute: 0,
            c: fraction(11, 10),
            l: 2,
        }),
        Box::new(Confidence::of_all(0, half)),
        Box::new(TCloseness::equal(0, fraction(1, 10), &reference)),
        Box::new(TCloseness::ordered(0, fraction(1, 10), &reference)),
        Box::new(TCloseness::hierarchical(
            0,
            fraction(1, 50),
            &reference,
            &taxonomy(),
        )),
    ];
    for promise in cases {
        let admits = |plain: &Plain| plain.judge(|group| promise.admits(group));
        assert!(!promise.terms().monotone_with_suppression);
        assert!(admits(&kept), "{:?}", promise.terms());
        assert!(!admits(&kept.merged(&dropped)), "{:?}", promise.terms());
    }
}
