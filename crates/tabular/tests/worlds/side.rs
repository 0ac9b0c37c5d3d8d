//! The worlds test on algorithms of the sensitive side, and what anatomy and permutation told before they drew.

use std::collections::BTreeMap;

use denym_data::{Column, Decimal, Fraction, Hierarchy, Ragged, Standing};
use denym_measure::promises::KAnonymity;
use denym_measure::{Group, Histogram, Promise};
use denym_tabular::{
    Anatomy, Context, GreedyPersonalized, KePermutation, MinimalityDefence, MuArgus, Reading,
    SPECIAL_ALGORITHMS,
};
use denym_testkit::summarize::summarize;
use denym_testkit::worlds::{Draws, Release, Tally, backwards, every_assignment};

use crate::setting::{K, KINDS, Kind, People, VALUES, admits, histogram, keeps, promised, request};
use crate::{standing, worst};

/// How a program draws: as it is meant to, or as somebody can foretell.
type Draw = fn(&mut Draws, u64) -> u64;

const SECRETLY: Draw = |draws, n| draws.draw(n);
/// Records in the order of the table: what was published before anything was drawn.
const FORETOLD: Draw = |_, n| n - 1;

/// A table in groups: who is in which group, and the values of each group.
type InGroups = Release<(u32, u32), Vec<Vec<u32>>>;

/// The release of records that were placed in groups; `None` where a group does not keep the promise.
fn in_groups(
    people: &People,
    values: &[u32],
    placed: &Ragged<(u32, u32)>,
    kind: &Kind,
) -> Option<InGroups> {
    let mut distinct = people.tuples.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let mut left: Vec<Vec<(u32, u32)>> = (0..placed.len())
        .map(|tuple| placed.row(tuple).to_vec())
        .collect();
    let mut groups: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut shown = Vec::new();
    for (&tuple, &value) in people.tuples.iter().zip(values) {
        let at = distinct.binary_search(&tuple).ok()?;
        let next = left[at].iter().position(|place| place.0 == value)?;
        let (_, group) = left[at].remove(next);
        groups.entry(group).or_default().push(value);
        shown.push(Some((tuple, group)));
    }
    let promise = (kind.make)(&histogram(values));
    let beside: Vec<Vec<u32>> = groups
        .into_values()
        .map(|mut values| {
            values.sort_unstable();
            values
        })
        .collect();
    let kept = beside.iter().all(|values| {
        let mut shares = BTreeMap::new();
        for &value in values {
            *shares.entry(value).or_insert(0.0) += 1.0;
        }
        admits(promise.as_ref(), &shares)
    });
    kept.then_some(Release { shown, beside })
}

/// Beliefs about values alone: these releases show whose record is whose.
fn on_values(
    people: &People,
    worlds: &[(Vec<u32>, f64)],
    kind: &Kind,
    program: impl FnMut(&Vec<u32>, &mut Draws) -> Option<InGroups>,
) -> Tally {
    let found = backwards(worlds, program);
    let mut tally = Tally::default();
    let mut beliefs = found.everybody(&people.tuples, |values, person| values[person]);
    for belief in &mut beliefs {
        belief.link = 0.0;
    }
    tally.add(&beliefs, |belief| keeps(Some(kind), belief));
    tally
}

fn anatomy(people: &People, worlds: &[(Vec<u32>, f64)], kind: &Kind, draw: Draw) -> Tally {
    let solver = Anatomy { l: 2, attribute: 0 };
    on_values(people, worlds, kind, |values, draws| {
        let summary = people.summary(values);
        let found = solver.solve(&summary, &mut |n| draw(draws, n)).ok()?;
        in_groups(people, values, &found.placed, kind)
    })
}

fn permutation(people: &People, worlds: &[(Vec<u32>, f64)], kind: &Kind, draw: Draw) -> Tally {
    let solver = KePermutation {
        attribute: 0,
        k: 2,
        e: Decimal::whole(1),
        numbers: (0..VALUES)
            .map(|value| Some(Decimal::whole(i64::from(value))))
            .collect(),
    };
    on_values(people, worlds, kind, |values, draws| {
        let summary = people.summary(values);
        let found = solver.solve(&summary, &mut |n| draw(draws, n)).ok()?;
        in_groups(people, values, &found.placed, kind)
    })
}

/// `n` people no two of whom are alike.
fn all_different(n: u32) -> People {
    People::new(&(0..n).map(|p| (p / 2, p % 2)).collect::<Vec<_>>())
}

/// The verdict as the catalogue has it.
fn marked(name: &str) -> (Standing, Standing) {
    let mut special = SPECIAL_ALGORITHMS.iter();
    let found = special.find(|one| one.entry.name == name);
    let verdict = found.expect("a listed algorithm").entry.verdict;
    (verdict.sizes, verdict.values)
}

#[test]
fn anatomy_tells_nobody_more_than_its_groups_do() {
    let worlds = every_assignment(6, VALUES);
    let tables = [all_different(6), People::drawn(6, 1), People::drawn(6, 2)];
    let tallies = tables.iter().flat_map(|people| {
        let each = KINDS.iter();
        each.map(|kind| anatomy(people, &worlds, kind, SECRETLY))
    });
    let measured = standing(worst(tallies));
    assert_eq!(
        (Standing::NotPromised, measured),
        marked("anatomy"),
        "the catalogue's mark"
    );
    assert_eq!(measured, Standing::Holds);
}

/// Eight people, all different, three values, l = 2: what anybody can run at home.
#[test]
fn eight_people_dealt_in_a_known_order_are_found_out_and_dealt_secretly_are_not() {
    let people = all_different(8);
    let (kind, worlds) = (&KINDS[0], every_assignment(8, VALUES));
    let before = anatomy(&people, &worlds, kind, FORETOLD);
    let certain = before.certain / before.judged;
    println!(
        "anatomy in a known order: {certain:.3} certain, {:.3} beyond l = 2",
        before.rate()
    );
    assert!(certain > 0.3, "{certain}");
    assert!((before.surest - 1.0).abs() < 1e-9);
    // Three values on 3, 3 and 2 of them: the most orders of dealing that are still tried one by one.
    let even: Vec<(Vec<u32>, f64)> = worlds
        .into_iter()
        .filter(|(values, _)| histogram(values) == [3, 3, 2])
        .collect();
    let after = anatomy(&people, &even, kind, SECRETLY);
    println!("anatomy drawn secretly: surest {:.3}", after.surest);
    assert!(after.judged > 0.0 && after.certain < 1e-9 && after.beyond < 1e-9);
    assert!(after.surest <= 0.5 + 1e-9, "{}", after.surest);
}

#[test]
fn permutation_tells_nobody_more_than_its_groups_do() {
    let worlds = every_assignment(6, VALUES);
    let tables = [all_different(6), People::drawn(6, 1), People::drawn(6, 2)];
    let tallies = tables.iter().flat_map(|people| {
        let each = KINDS.iter();
        each.map(|kind| permutation(people, &worlds, kind, SECRETLY))
    });
    let measured = standing(worst(tallies));
    assert_eq!(
        (Standing::NotPromised, measured),
        marked("k-e-permutation"),
        "the catalogue's mark"
    );
    assert_eq!(measured, Standing::Holds);
}

/// Equal numbers at the border of two groups, split by the order of tuples: the first ones are known to be on the low side.
#[test]
fn equal_numbers_split_in_a_known_order_are_found_out_and_split_secretly_are_not() {
    let ke = KINDS.iter().find(|kind| kind.name == "l-diversity");
    let (people, kind) = (all_different(8), ke.expect("a kind"));
    let worlds = every_assignment(8, VALUES);
    let before = permutation(&people, &worlds, kind, FORETOLD);
    let certain = before.certain / before.judged;
    println!(
        "permutation in a known order: {certain:.3} certain, surest {:.3}",
        before.surest
    );
    assert!(before.certain > 0.0, "{certain}");
    let (fewer, worlds) = (all_different(7), every_assignment(7, VALUES));
    let after = permutation(&fewer, &worlds, kind, SECRETLY);
    println!("permutation drawn secretly: surest {:.3}", after.surest);
    assert!(after.judged > 0.0 && after.certain < 1e-9 && after.beyond < 1e-9);
}

/// Values of failing classes are replaced, so a published record is nobody's: only beliefs about values are judged.
#[test]
fn minimality_defence_is_marked_as_measured() {
    let worlds = every_assignment(6, VALUES);
    let mut tallies = Vec::new();
    for people in [People::drawn(6, 1), People::drawn(6, 2)] {
        for kind in &KINDS {
            let found = backwards(&worlds, |values: &Vec<u32>, draws| {
                let summary = people.summary(values);
                let promises = promised(Some(kind), values);
                let request = request(&people, &summary, &promises, Fraction::ZERO);
                let size: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: K })];
                let defence = MinimalityDefence::default();
                let found = Context::quiet(0, |context| {
                    defence.run(&request, &size, context, &mut |n| draws.draw(n))
                });
                let found = found.ok()?;
                let nobody = vec![0; values.len()];
                let release = people.release(&found.solution, &nobody, Vec::new());
                let reference = kind.reference.then(|| histogram(values));
                Some(Release {
                    shown: release.shown,
                    beside: (found.sensitive, reference),
                })
            });
            let mut tally = Tally::default();
            let beliefs = found.everybody(&people.tuples, |values, person| values[person]);
            tally.add(&beliefs, |belief| keeps(Some(kind), belief));
            println!("minimality-defence, {}: {:.4}", kind.name, tally.rate());
            tallies.push(tally);
        }
    }
    let measured = standing(worst(tallies.into_iter()));
    assert_eq!(
        (Standing::NotPromised, measured),
        marked("minimality-defence")
    );
}

/// Everybody guards a node: the value itself, or the branch it is in.
#[test]
fn greedy_personalized_is_marked_as_measured() {
    let texts = ["0", "1", "2"];
    let rows: Vec<Vec<Option<String>>> = [["0", "a", "*"], ["1", "a", "*"], ["2", "b", "*"]]
        .iter()
        .map(|row| row.iter().map(|text| Some((*text).to_owned())).collect())
        .collect();
    let taxonomy = Hierarchy::from_labels(&rows);
    let half = Fraction::new(1, 2).expect("a fraction");
    // The first guards say 0, the others the branch of 0 and 1.
    let guards: [u32; 6] = [0, 1, 0, 1, 0, 1];
    let mut tallies = Vec::new();
    for seed in [1, 2] {
        let people = People::drawn(6, seed);
        let worlds = every_assignment(6, VALUES);
        let found = backwards(&worlds, |values: &Vec<u32>, _| {
            let secret = Column {
                codes: values.clone(),
                ..Column::from_texts("secret", texts.map(Some))
            };
            let nodes = Column {
                codes: guards.to_vec(),
                ..Column::from_texts("guard", ["0", "a"].map(Some))
            };
            let quasi: Vec<&Column> = people.columns.iter().collect();
            let summary = summarize(&quasi, &[&secret, &nodes], None);
            let size: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: K })];
            let request = request(&people, &summary, &size, Fraction::ZERO);
            let solver = GreedyPersonalized {
                attribute: 0,
                guards: 1,
                guarded: vec![
                    Some((0, taxonomy.node(0, 0))),
                    Some((1, taxonomy.node(1, 0))),
                ],
                taxonomy: taxonomy.clone(),
                bound: half,
            };
            let found = Context::quiet(0, |context| solver.run(&request, context)).ok()?;
            let nobody = vec![0; values.len()];
            let plain = people.release(&found.solution, &nobody, Vec::new());
            let mut distinct = people.tuples.clone();
            distinct.sort_unstable();
            distinct.dedup();
            let shown = plain.shown.into_iter().zip(&people.tuples).zip(values);
            let shown = shown.map(|((row, tuple), value)| {
                let at = distinct.binary_search(tuple).ok()?;
                let class = found.solution.recoding.class_of[at]? as usize;
                let level = found.levels[class]
                    .iter()
                    .find(|level| level.0 == *value)?
                    .1;
                let node = taxonomy.node(level, *value);
                Some((row?.0, level, node))
            });
            Some(Release {
                shown: shown.collect(),
                beside: (),
            })
        });
        let beliefs = found.everybody(&people.tuples, |values, person| values[person]);
        let mut tally = Tally::default();
        for (index, belief) in beliefs.iter().enumerate() {
            let guard = guards[index % guards.len()];
            let under = |value: u32| if guard == 0 { value == 0 } else { value < 2 };
            let all: f64 = belief.values.values().sum();
            let share = belief.values.iter().filter(|(value, _)| under(**value));
            let share = share.map(|(_, weight)| weight).sum::<f64>() / all;
            tally.add(std::slice::from_ref(belief), |belief| {
                share <= 0.5 + 1e-6 && belief.link <= 1.0 / K as f64 + 1e-6
            });
        }
        tallies.push(tally);
    }
    let measured = standing(worst(tallies.into_iter()));
    assert_eq!(
        (Standing::NotPromised, measured),
        marked("greedy-personalized")
    );
}

/// Whoever knows up to two values of a victim finds no fewer than k records.
#[test]
fn mu_argus_is_marked_as_measured() {
    let worlds = every_assignment(4, 8);
    let found = backwards(&worlds, |records: &Vec<u32>, _| {
        let tuples: Vec<(u32, u32)> = records.iter().map(|&r| (r / 2, r % 2)).collect();
        let people = People::new(&tuples);
        let nobody = vec![0; records.len()];
        let summary = people.summary(&nobody);
        let request = request(&people, &summary, &[], Fraction::ONE);
        let solver = MuArgus {
            k: K,
            values: 2,
            suppressed: Reading::Value,
            ..MuArgus::default()
        };
        let found = Context::quiet(0, |context| solver.run(&request, context)).ok()?;
        Some(people.release(&found.solution, &nobody, Vec::new()))
    });
    let mut tally = Tally::default();
    let knowledge = (0..8)
        .map(|record| (Some(record / 2), Some(record % 2)))
        .chain((0..4).map(|age| (Some(age), None)))
        .chain((0..2).map(|sex| (None, Some(sex))));
    for (age, sex) in knowledge {
        let fits = |records: &Vec<u32>, record: usize| {
            age.is_none_or(|age| records[record] / 2 == age)
                && sex.is_none_or(|sex| records[record] % 2 == sex)
        };
        let beliefs = found.victim(fits, |_, _| 0);
        tally.add(&beliefs, |belief| keeps(None, belief));
    }
    let measured = standing(worst(std::iter::once(tally)));
    assert_eq!((measured, Standing::NotPromised), marked("mu-argus"));
}

/// A group of belief and a group of records are judged by the same code.
#[test]
fn beliefs_are_judged_as_groups_are() {
    let counts = [(0, 1), (1, 1)];
    let histogram = [Histogram::new(&counts)];
    let group = Group::new(2, 2, &histogram);
    let shares: BTreeMap<u32, f64> = [(0, 0.5), (1, 0.5)].into();
    for kind in KINDS.iter().filter(|kind| !kind.reference) {
        let promise = (kind.make)(&[1, 1, 0]);
        assert_eq!(
            promise.admits(&group),
            admits(promise.as_ref(), &shares),
            "{}",
            kind.name
        );
    }
}
