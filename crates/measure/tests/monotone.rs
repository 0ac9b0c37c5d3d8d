//! What each promise declares about merging groups, tried on random groups: a wrong declaration makes solvers unsound.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};

use denym_data::{Column, Decimal, Fraction, Hierarchy, HierarchyRow};
use denym_measure::catalogue::{PROMISES, promise_entry};
use denym_measure::promises::{
    Absent, AlphaK, Base, BetaLikeness, Confidence, DeltaDisclosure, DeltaPresence,
    DisclosureRecursive, DistinctDiversity, EntropyDiversity, EpsilonM, KAnonymity, KMap,
    KeAnonymity, Likeness, PersonalizedPrivacy, RecursiveDiversity, TCloseness, XyAnonymity,
    XyPrivacy,
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

/// The numbers of the five values, ascending with their codes.
fn numbers() -> Vec<Option<Decimal>> {
    [-1, 0, 1, 5, 9]
        .map(|number| Some(Decimal::whole(number)))
        .to_vec()
}

/// Guards of the values a, b and d by name; the first guard column's value is missing.
fn guarded(bound: Fraction) -> PersonalizedPrivacy {
    let sensitive = Column::from_texts("s", ["a", "b", "c", "d", "e"].map(Some));
    // One guard per sensitive value: the histogram of the guards is then that of the values.
    let guards = Column::from_texts("g", ["a", "b", "w", "x", "z"].map(Some));
    PersonalizedPrivacy::new(0, 0, bound, &sensitive, &taxonomy(), &guards).unwrap()
}

/// Every promise with parameters that make about half of small random groups pass.
fn promises(reference: &[u64], a: u64, b: u64) -> Vec<Box<dyn Promise>> {
    let share = fraction(a, 10);
    let c = fraction(a, 3);
    let l = 1 + (b % 4) as usize;
    vec![
        Box::new(KAnonymity { k: b }),
        Box::new(XyAnonymity { y: 0, k: b % 5 }),
        Box::new(KMap { k: 2 * b }),
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
            c,
            l: l as u64,
        }),
        Box::new(DisclosureRecursive::positive(0, c, l, [2])),
        Box::new(DisclosureRecursive::negative(
            0,
            c,
            l,
            [2, 4],
            fraction(1, 10),
            [0],
        )),
        Box::new(Confidence::of_all(0, share)),
        Box::new(Confidence::of_values(0, [(1, share), (3, fraction(1, 2))])),
        Box::new(XyPrivacy {
            k: b,
            confidence: Confidence::of_values(0, [(1, share)]),
        }),
        Box::new(AlphaK {
            attribute: 0,
            alpha: share,
            k: b,
        }),
        Box::new(KeAnonymity::new(
            0,
            b % 5,
            Decimal::whole(a.cast_signed()),
            &numbers(),
        )),
        Box::new(EpsilonM::new(0, Decimal::whole(1), 1 + a / 3, &numbers())),
        Box::new(TCloseness::equal(0, share, reference)),
        Box::new(TCloseness::ordered(0, share, reference)),
        Box::new(TCloseness::hierarchical(0, share, reference, &taxonomy())),
        Box::new(BetaLikeness::new(
            0,
            fraction(a, 5),
            Likeness::Basic,
            reference,
        )),
        Box::new(BetaLikeness::new(
            0,
            fraction(a, 2),
            Likeness::Enhanced,
            reference,
        )),
        Box::new(DeltaDisclosure::new(
            0,
            c,
            Base::E,
            Absent::Breaks,
            reference,
        )),
        Box::new(DeltaDisclosure::new(
            0,
            c,
            Base::Two,
            Absent::Skipped,
            reference,
        )),
        Box::new(guarded(share)),
        Box::new(DeltaPresence {
            least: fraction(a, 20),
            most: fraction(10 + a, 20),
        }),
    ]
}

#[test]
fn the_catalogue_says_what_the_promises_say() {
    let mut names: Vec<&str> = Vec::new();
    for promise in promises(&[1; VALUES], 3, 3) {
        let terms = promise.terms();
        let entry = promise_entry(terms.name).unwrap_or_else(|| panic!("{}", terms.name));
        assert_eq!(
            entry.monotone.with_admitted, terms.monotone,
            "{}",
            terms.name
        );
        assert_eq!(
            entry.monotone.with_any, terms.monotone_with_suppression,
            "{}",
            terms.name
        );
        assert_eq!(
            entry.monotone.over_shared_subjects,
            promise.monotone_over_shared_subjects(),
            "{}",
            terms.name
        );
        assert_eq!(entry.sense, terms.sense, "{}", terms.name);
        names.push(terms.name);
    }
    for entry in PROMISES.iter() {
        assert!(
            names.contains(&entry.name),
            "{} is in the catalogue and nowhere tried",
            entry.name
        );
        for text in [
            entry.description,
            entry.formula,
            entry.limits,
            entry.reference,
        ] {
            assert!(!text.is_empty(), "{}", entry.name);
        }
        let sentence = entry.say("at least 7", "people", "illness");
        assert!(sentence.contains("at least 7"), "{sentence}");
        assert!(
            sentence.ends_with('.') && !sentence.contains(['{', '}']),
            "{sentence}"
        );
    }
}

/// What is declared not to be monotone at all has a counterexample, so the declarations cannot be loosened either.
#[test]
fn counterexamples_to_monotonicity() {
    let plain = |counts: [u64; VALUES]| Plain {
        population: counts.iter().sum(),
        counts: counts.to_vec(),
    };
    let reference = [20, 20, 20, 20, 20];
    let cases: Vec<(Box<dyn Promise>, Plain, Plain)> = vec![
        (
            Box::new(EpsilonM::new(0, Decimal::whole(1), 2, &numbers())),
            plain([5, 0, 5, 0, 0]),
            plain([0, 1, 0, 0, 1]),
        ),
        (
            Box::new(DeltaDisclosure::new(
                0,
                fraction(7, 4),
                Base::E,
                Absent::Skipped,
                &reference,
            )),
            plain([4, 8, 4, 4, 0]),
            plain([0, 0, 0, 9, 1]),
        ),
        // Value d guards x (a and b); nobody with a or b guards more than their own value.
        (
            Box::new(guarded(fraction(1, 2))),
            plain([5, 5, 0, 0, 0]),
            plain([0, 0, 0, 1, 1]),
        ),
    ];
    for (promise, one, two) in cases {
        let admits = |plain: &Plain| plain.judge(|group| promise.admits(group));
        assert!(!promise.terms().monotone);
        assert!(admits(&one) && admits(&two), "{:?}", promise.terms());
        assert!(!admits(&one.merged(&two)), "{:?}", promise.terms());
    }
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
            let several_conditions = [
                "confidence", "xy-privacy", "alpha-k-anonymity", "k-e-anonymity", "delta-presence",
                "enhanced-beta-likeness", "negative-disclosure-recursive-l-diversity",
            ];
            if several_conditions.contains(&terms.name) {
                // One number cannot tell all of their conditions.
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

/// A group as its (person, value) pairs: people may stand in two groups and then count once in the merged one.
fn judge_people<R>(pairs: &BTreeSet<(u8, u32)>, judge: impl Fn(&Group<'_>) -> R) -> R {
    let people: BTreeSet<u8> = pairs.iter().map(|&(person, _)| person).collect();
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for &(_, value) in pairs {
        *counts.entry(value).or_insert(0) += 1;
    }
    let counts: Vec<(u32, u64)> = counts.into_iter().collect();
    let sensitive = [Histogram::new(&counts)];
    let group = Group::new(pairs.len() as u64, people.len() as u64, &sensitive);
    judge(&group.with_population(2 * people.len() as u64))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn shared_people_break_only_what_may_break(
        one in prop::collection::btree_set((0_u8..6, 0_u32..5), 1..9),
        two in prop::collection::btree_set((0_u8..6, 0_u32..5), 1..9),
        a in 1_u64..10,
        b in 1_u64..9,
    ) {
        let both: BTreeSet<(u8, u32)> = one.union(&two).copied().collect();
        for promise in promises(&[9; VALUES], a, b) {
            if promise.monotone_over_shared_subjects() {
                let admits = |pairs: &BTreeSet<(u8, u32)>| judge_people(pairs, |group| promise.admits(group));
                let terms = promise.terms();
                if terms.monotone && admits(&one) && admits(&two) {
                    prop_assert!(admits(&both), "{terms:?}");
                }
                if terms.monotone_with_suppression && (admits(&one) || admits(&two)) {
                    prop_assert!(admits(&both), "{terms:?}");
                }
            }
        }
    }
}

/// The healthy one is the same person in both groups: half and half merge to two in three.
#[test]
fn confidence_is_not_monotone_over_shared_people() {
    let (one, two) = (
        BTreeSet::from([(1, 0), (2, 1)]),
        BTreeSet::from([(3, 0), (2, 1)]),
    );
    let both = one.union(&two).copied().collect();
    let half = Confidence::of_all(0, fraction(1, 2));
    let entropy = EntropyDiversity {
        attribute: 0,
        l: fraction(2, 1),
    };
    let cases: [Box<dyn Promise>; 2] = [Box::new(half), Box::new(entropy)];
    for promise in cases {
        let admits =
            |pairs: &BTreeSet<(u8, u32)>| judge_people(pairs, |group| promise.admits(group));
        assert!(promise.terms().monotone && !promise.monotone_over_shared_subjects());
        assert!(admits(&one) && admits(&two) && !admits(&both));
    }
}
