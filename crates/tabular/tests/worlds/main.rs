//! The worlds test on every solver: marks in the catalogue are what running the program backwards measures.
#![allow(
    clippy::print_stdout,
    reason = "rates for whoever asks with --nocapture"
)]

mod setting;
mod side;

use denym_data::{Fraction, Standing, Verdict};
use denym_tabular::{CATALOGUE, Context, Honours, TableSolver};
use denym_testkit::worlds::{Tally, backwards, every_assignment};
use setting::{KINDS, Kind, People, VALUES, histogram, keeps, promised, request};

/// People of the tables whose every assignment is tried.
const PEOPLE: usize = 6;
/// Seeds of the tables.
const TABLES: [u64; 2] = [1, 2];

/// Runs a solver backwards for somebody who knows everybody's quasi-identifiers.
fn everybody(one: &TableSolver, people: &People, kind: Option<&Kind>, suppress: Fraction) -> Tally {
    let solver = (one.make)();
    let worlds = every_assignment(people.tuples.len(), VALUES);
    let found = backwards(&worlds, |values: &Vec<u32>, _| {
        let summary = people.summary(values);
        let promises = promised(kind, values);
        let request = request(people, &summary, &promises, suppress);
        let solution = Context::quiet(0, |context| solver.solve(&request, context)).ok()?;
        let beside = if kind.is_some_and(|kind| kind.reference) {
            histogram(values)
        } else {
            Vec::new()
        };
        Some(people.release(&solution, values, beside))
    });
    let mut tally = Tally::default();
    let beliefs = found.everybody(&people.tuples, |values, person| values[person]);
    tally.add(&beliefs, |belief| keeps(kind, belief));
    tally
}

/// The same for somebody who knows one victim's quasi-identifiers and that the victim is in the data: whole records vary.
fn victim(one: &TableSolver, kind: Option<&Kind>) -> Tally {
    const RECORDS: usize = 4;
    const SECRETS: u32 = 2;
    let solver = (one.make)();
    // A kind of record is an age and a value; all are of one sex. The order of the source counts for some solvers, and nobody knows it.
    let worlds = every_assignment(RECORDS, 4 * SECRETS);
    let found = backwards(&worlds, |records: &Vec<u32>, _| {
        let tuples: Vec<(u32, u32)> = records.iter().map(|&r| (r / SECRETS, 0)).collect();
        let people = People::new(&tuples);
        let values: Vec<u32> = records.iter().map(|&r| r % SECRETS).collect();
        let summary = people.summary(&values);
        let promises = promised(kind, &values);
        let request = request(&people, &summary, &promises, Fraction::ZERO);
        let solution = Context::quiet(0, |context| solver.solve(&request, context)).ok()?;
        Some(people.release(&solution, &values, Vec::new()))
    });
    let mut tally = Tally::default();
    for age in 0..4 {
        let beliefs = found.victim(
            |records, record| records[record] / SECRETS == age,
            |records, record| records[record] % SECRETS,
        );
        tally.add(&beliefs, |belief| keeps(kind, belief));
    }
    tally
}

/// A source whose people publish one record each: those that stay, and their values.
struct Drawn {
    kept: Vec<usize>,
    values: Vec<u32>,
}

impl AsRef<[u32]> for Drawn {
    fn as_ref(&self) -> &[u32] {
        &self.values
    }
}

/// People with up to two records, of whom each publishes one, drawn: whose further records are left out does not tell whose values are whose.
#[test]
fn one_record_of_each_person_tells_no_more_than_records_do() {
    // The subject of each record, and its (age, sex).
    let subjects = [0, 0, 1, 2, 2, 3];
    let tuples = [(0, 0), (3, 0), (1, 0), (2, 1), (2, 0), (3, 1)];
    let one = denym_tabular::solver_named("blind-generalization").expect("a solver");
    let solver = (one.make)();
    // Every value of every record, and every draw: the first or the second record of those who have two.
    let worlds: Vec<(Drawn, f64)> = every_assignment(subjects.len(), VALUES)
        .into_iter()
        .flat_map(|(values, weight)| {
            (0..4_u64).map(move |drawn| {
                let mut bits = [drawn & 1, drawn >> 1].into_iter();
                let gone = denym_tabular::surplus(&subjects, &mut |_| bits.next().unwrap_or(0));
                let kept: Vec<usize> = (0..subjects.len())
                    .filter(|row| !gone.contains(row))
                    .collect();
                assert_eq!(kept.len(), 4, "one record of each");
                let values = kept.iter().map(|&row| values[row]).collect();
                (Drawn { kept, values }, weight)
            })
        })
        .collect();
    for kind in std::iter::once(None).chain(KINDS.iter().map(Some)) {
        let found = backwards(&worlds, |world: &Drawn, _| {
            let shown: Vec<(u32, u32)> = world.kept.iter().map(|&row| tuples[row]).collect();
            let (people, values) = (People::new(&shown), &world.values);
            let summary = people.summary(values);
            let promises = promised(kind, values);
            let request = request(&people, &summary, &promises, Fraction::ZERO);
            let solution = Context::quiet(0, |context| solver.solve(&request, context)).ok()?;
            let beside = if kind.is_some_and(|kind| kind.reference) {
                histogram(values)
            } else {
                Vec::new()
            };
            Some(people.release(&solution, values, beside))
        });
        assert!(found.releases() > 0, "something is published");
        let mut tally = Tally::default();
        for person in 0..4 {
            let beliefs = found.victim(
                |_, record| record == person,
                |world, record| world.values[record],
            );
            tally.add(&beliefs, |belief| keeps(kind, belief));
        }
        let name = kind.map_or("sizes", |kind| kind.name);
        assert_eq!(tally.per_mille(), 0, "{name}");
    }
}

/// What a mark must be for this measurement.
pub(crate) fn standing(worst: Option<u16>) -> Standing {
    match worst {
        None => Standing::NotPromised,
        Some(0) => Standing::Holds,
        Some(per_mille) => Standing::Exceeded { per_mille },
    }
}

/// The worst rate of some measurements, when anything was published in any.
pub(crate) fn worst(tallies: impl Iterator<Item = Tally>) -> Option<u16> {
    tallies
        .filter(|tally| tally.judged > 0.0)
        .map(|tally| tally.per_mille())
        .max()
}

/// Tables and the promises that are tried on each: all on the first, the commonest on the second.
///
/// The portfolio runs many solvers on each world, so it gets fewer.
fn tried(one: &TableSolver) -> Vec<(u64, &'static [Kind])> {
    if one.entry.name == "auto" {
        vec![(TABLES[0], &KINDS[..6])]
    } else {
        vec![(TABLES[0], &KINDS[..]), (TABLES[1], &KINDS[..4])]
    }
}

/// The worst that somebody believes beyond promises on sizes alone.
fn on_sizes(one: &TableSolver) -> Standing {
    let third = Fraction::new(1, 3).expect("a fraction");
    let all = tried(one)
        .into_iter()
        .map(|(seed, _)| everybody(one, &People::drawn(PEOPLE, seed), None, Fraction::ZERO));
    let some = [TABLES[0]]
        .into_iter()
        .map(|seed| everybody(one, &People::drawn(PEOPLE, seed), None, third));
    let one = std::iter::once_with(|| victim(one, None));
    standing(worst(all.chain(some).chain(one)))
}

/// The worst that somebody believes beyond promises on values.
fn on_values(one: &TableSolver) -> Standing {
    if one.honours == Honours::Size {
        return Standing::NotPromised;
    }
    let third = Fraction::new(1, 3).expect("a fraction");
    let mut tallies = Vec::new();
    for (seed, kinds) in tried(one) {
        let people = People::drawn(PEOPLE, seed);
        for kind in kinds {
            let tally = everybody(one, &people, Some(kind), Fraction::ZERO);
            println!("{}, {}: {:.4}", one.entry.name, kind.name, tally.rate());
            tallies.push(tally);
        }
    }
    let people = People::drawn(PEOPLE, TABLES[0]);
    tallies.push(everybody(one, &people, Some(&KINDS[0]), third));
    tallies.push(victim(one, Some(&KINDS[0])));
    standing(worst(tallies.into_iter()))
}

fn check(name: &str) {
    let one = denym_tabular::solver_named(name).expect("a solver");
    let measured = Verdict {
        sizes: on_sizes(one),
        values: on_values(one),
    };
    assert_eq!(
        one.entry.verdict, measured,
        "the mark of `{name}` and what was measured"
    );
}

/// One test for each solver, so that each can be asked alone, and one that none is forgotten.
macro_rules! every_solver_is_marked_as_measured {
    ($($test:ident: $name:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            check($name);
        })*

        #[test]
        fn no_solver_is_left_out() {
            let tested = [$($name),*];
            for one in CATALOGUE {
                assert!(tested.contains(&one.entry.name), "`{}` is not tested", one.entry.name);
            }
        }
    };
}

every_solver_is_marked_as_measured! {
    auto: "auto",
    full_domain: "full-domain",
    best_effort: "best-effort",
    samarati: "samarati",
    incognito: "incognito",
    mingen: "mingen",
    datafly: "datafly",
    mondrian: "mondrian",
    mondrian_relaxed: "mondrian-relaxed",
    local_recoding: "local-recoding",
    top_down_specialization: "top-down-specialization",
    top_down_clusters: "top-down-clusters",
    bottom_up_generalization: "bottom-up-generalization",
    k_optimize: "k-optimize",
    sibling_generalization: "sibling-generalization",
    top_down_disclosure: "top-down-disclosure",
    infogain_mondrian: "infogain-mondrian",
    greedy_bottom_up: "greedy-bottom-up",
    greedy_top_down: "greedy-top-down",
    progressive_local_recoding: "progressive-local-recoding",
    local_suppression: "local-suppression",
    blind_generalization: "blind-generalization",
    spalm: "spalm",
    mpalm: "mpalm",
}
