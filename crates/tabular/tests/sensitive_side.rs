//! Solvers that hide presence or touch sensitive values: against brute force, and the survey's examples.

mod common;

use std::collections::BTreeMap;

use common::survey::{joined, minimality, patients};
use denym_data::{Column, Decimal, Fraction, Hierarchy, HierarchyRow, SplitMix64};
use denym_measure::promises::{
    Confidence, DeltaPresence, DistinctDiversity, KAnonymity, PersonalizedPrivacy,
};
use denym_measure::{Group, Promise};
use denym_tabular::{
    BottomUpGeneralization, CATALOGUE, Context, Error, GreedyPersonalized, KOptimize,
    KePermutation, MinimalityDefence, Mpalm, Objective, PublicTable, Request, Solution, Solver,
    Spalm,
};
use denym_testkit::summarize::summarize;

fn solve(solver: &dyn Solver, request: &Request<'_>) -> Result<Solution, Error> {
    Context::quiet(0, |context| solver.solve(request, context))
}

/// The least sum of ranges over all partitions of some numbers into groups of k different ones over at least e.
fn every_partition(numbers: &[i64], k: usize, e: i64) -> Option<i64> {
    fn extend(numbers: &[i64], groups: &mut Vec<Vec<i64>>, k: usize, e: i64) -> Option<i64> {
        let Some((&first, rest)) = numbers.split_first() else {
            let mut sum = 0;
            for group in groups.iter() {
                let mut different = group.clone();
                different.sort_unstable();
                different.dedup();
                let range = different[different.len() - 1] - different[0];
                if different.len() < k || range < e {
                    return None;
                }
                sum += range;
            }
            return Some(sum);
        };
        let mut best: Option<i64> = None;
        for index in 0..=groups.len() {
            if index == groups.len() {
                groups.push(vec![first]);
            } else {
                groups[index].push(first);
            }
            if let Some(sum) = extend(rest, groups, k, e) {
                best = Some(best.map_or(sum, |best| best.min(sum)));
            }
            groups[index].pop();
            if groups[index].is_empty() {
                groups.pop();
            }
        }
        best
    }
    extend(numbers, &mut Vec::new(), k, e)
}

#[test]
fn permutation_has_the_least_error_of_all_partitions() {
    let mut random = SplitMix64::new(21);
    let mut solved = 0;
    for round in 0..400 {
        let n = 1 + random.below(7) as usize;
        let numbers: Vec<i64> = (0..n).map(|_| random.below(9).cast_signed()).collect();
        let (k, e) = (1 + random.below(3), random.below(5).cast_signed());
        let texts: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let secret = Column::from_texts("s", texts.iter().map(|t| Some(t.as_str())));
        let ids: Vec<String> = (0..n).map(|i| format!("v{}", i % 3)).collect();
        let quasi = Column::from_texts("q", ids.iter().map(|t| Some(t.as_str())));
        let summary = summarize(&[&quasi], &[&secret], None);
        let solver = KePermutation {
            attribute: 0,
            k,
            e: Decimal::whole(e),
            numbers: denym_measure::promises::exact_numbers(&secret.dictionary),
        };
        match (
            solver.solve(&summary, &mut |_| 0),
            every_partition(&numbers, k as usize, e),
        ) {
            (Ok(permuted), Some(least)) => {
                assert!(
                    (permuted.error - least as f64).abs() < 1e-9,
                    "round {round}"
                );
                let records: usize = permuted.tuples.iter().map(Vec::len).sum();
                assert_eq!(records, n, "round {round}");
                for (tuples, values) in permuted.tuples.iter().zip(&permuted.values) {
                    assert_eq!(tuples.len(), values.len(), "round {round}");
                    let number = |code: u32| -> i64 {
                        let text = secret.dictionary.text(code).expect("present");
                        text.parse().expect("a number")
                    };
                    let mut group: Vec<i64> = values.iter().map(|&v| number(v)).collect();
                    group.sort_unstable();
                    assert!(group[group.len() - 1] - group[0] >= e, "round {round}");
                    group.dedup();
                    assert!(group.len() as u64 >= k, "round {round}");
                }
                solved += 1;
            }
            (Err(Error::Infeasible { .. }), None) => {}
            (answer, least) => panic!("round {round}: {answer:?} is not {least:?}"),
        }
    }
    assert!(solved > 150, "{solved}");
}

/// Random people, some of whom are in the table.
fn presence_case(random: &mut SplitMix64) -> (Vec<Column>, Vec<bool>, Vec<Hierarchy>) {
    let people = 6 + random.below(20) as usize;
    let mut columns = Vec::new();
    let mut hierarchies = Vec::new();
    for d in 0..2 {
        let words = d == 0;
        let text = |v: u64| {
            if words {
                format!("v{v}")
            } else {
                v.to_string()
            }
        };
        let cells: Vec<String> = (0..people).map(|_| text(random.below(6))).collect();
        let column = Column::from_texts(&format!("q{d}"), cells.iter().map(|c| Some(c.as_str())));
        let rows: Vec<HierarchyRow> = (0..6)
            .map(|v| HierarchyRow {
                line: v as usize + 1,
                labels: vec![text(v), format!("{d}/{}", v / 2), "*".into()],
            })
            .collect();
        hierarchies.push(Hierarchy::from_rows(&column, &rows).expect("nests"));
        columns.push(column);
    }
    let present = (0..people).map(|_| random.below(2) == 0).collect();
    (columns, present, hierarchies)
}

#[test]
fn presence_solvers_hide_who_is_in_the_table() {
    let mut random = SplitMix64::new(77);
    let (mut by_levels, mut by_regions) = (0, 0);
    for round in 0..300 {
        let (columns, present, hierarchies) = presence_case(&mut random);
        let people = present.len();
        if !present.contains(&true) {
            continue;
        }
        // The table over the population's codes.
        let inside: Vec<Column> = columns
            .iter()
            .map(|column| Column {
                codes: (0..people)
                    .filter(|&p| present[p])
                    .map(|p| column.codes[p])
                    .collect(),
                ..column.clone()
            })
            .collect();
        let summary = summarize(&[&inside[0], &inside[1]], &[], None);
        let population = PublicTable {
            quasi: columns.iter().map(|column| column.codes.clone()).collect(),
            people: vec![1; people],
        };
        let least = Fraction::new(random.below(3), 10).expect("a fraction");
        let most = Fraction::new(5 + random.below(5), 10).expect("a fraction");
        let promise = DeltaPresence { least, most };
        let promises: Vec<Box<dyn Promise>> = vec![Box::new(promise)];
        let request = Request {
            summary: &summary,
            hierarchies: &hierarchies,
            promises: &promises,
            objective: Objective::Loss,
            suppress_at_most: Fraction::ZERO,
            limits: None,
            setting: None,
            weights: None,
        };
        let admits = |inside: u64, all: u64| {
            promise.admits(&Group::new(inside, inside, &[]).with_population(all))
        };
        // SPALM against every node, person by person.
        let mut valid: Vec<[usize; 2]> = Vec::new();
        for levels in (0..3).flat_map(|a| (0..3).map(move |b| [a, b])) {
            let mut looks: BTreeMap<[u32; 2], (u64, u64)> = BTreeMap::new();
            for (person, &inside) in present.iter().enumerate() {
                let key = [0, 1].map(|d| hierarchies[d].node(levels[d], columns[d].codes[person]));
                let entry = looks.entry(key).or_default();
                entry.0 += u64::from(inside);
                entry.1 += 1;
            }
            if looks.values().all(|&(inside, all)| admits(inside, all)) {
                valid.push(levels);
            }
        }
        let spalm = Spalm {
            population: population.clone(),
        };
        match solve(&spalm, &request) {
            Ok(solution) => {
                let levels = solution.recoding.levels.clone().expect("full-domain");
                assert!(valid.iter().any(|v| v[..] == levels[..]), "round {round}");
                assert_eq!(solution.bound, Some(solution.score));
                // Every valid node, published by force of limits, loses at least as much.
                for other in &valid {
                    let limits = [(other[0], other[0]), (other[1], other[1])];
                    let fixed = Request {
                        limits: Some(&limits),
                        ..request
                    };
                    let other = solve(&spalm, &fixed).expect("valid");
                    assert!(other.score >= solution.score - 1e-12, "round {round}");
                }
                by_levels += 1;
            }
            Err(Error::Infeasible { .. }) => assert!(valid.is_empty(), "round {round}"),
            Err(error) => panic!("round {round}: {error}"),
        }
        // MPALM: everybody of the population is judged by the published values that fit them.
        match solve(&Mpalm { population }, &request) {
            Ok(solution) => {
                audit_regions(
                    &summary,
                    &columns,
                    &present,
                    &hierarchies,
                    &solution,
                    &admits,
                    round,
                );
                by_regions += 1;
            }
            Err(Error::Infeasible { .. }) => {
                let inside = present.iter().filter(|p| **p).count() as u64;
                assert!(!admits(inside, people as u64), "round {round}");
            }
            Err(error) => panic!("round {round}: {error}"),
        }
    }
    assert!(
        by_levels > 80 && by_regions >= by_levels,
        "{by_levels} {by_regions}"
    );
}

/// Whether a code is one of those that a published text stands for.
fn fits(hierarchy: &Hierarchy, text: &str, code: u32) -> bool {
    let own = hierarchy.levels()[0].labels[code as usize]
        .as_deref()
        .unwrap_or("");
    if let (Some((low, high)), Ok(own)) = (text.split_once('-'), own.parse::<u32>()) {
        let bounds = (low.parse::<u32>(), high.parse::<u32>());
        return matches!(bounds, (Ok(low), Ok(high)) if (low..=high).contains(&own));
    }
    text == "*"
        || (0..hierarchy.height()).any(|level| {
            let node = hierarchy.node(level, code) as usize;
            hierarchy.levels()[level].labels[node].as_deref() == Some(text)
        })
}

fn audit_regions(
    summary: &denym_data::Summary,
    columns: &[Column],
    present: &[bool],
    hierarchies: &[Hierarchy],
    solution: &Solution,
    admits: &dyn Fn(u64, u64) -> bool,
    round: usize,
) {
    let recoding = &solution.recoding;
    let mut records = vec![0; recoding.classes()];
    for (tuple, class) in recoding.class_of.iter().enumerate() {
        records[class.expect("nothing is suppressed") as usize] += summary.records[tuple];
    }
    let text = |d: usize, class: usize| {
        let label = recoding.published[d][class] as usize;
        recoding.labels[d].texts[label].as_deref().unwrap_or("")
    };
    let mut fitting = vec![0_u64; records.len()];
    let mut outside = 0;
    for person in 0..present.len() {
        let classes: Vec<usize> = (0..records.len())
            .filter(|&class| {
                (0..2).all(|d| fits(&hierarchies[d], text(d, class), columns[d].codes[person]))
            })
            .collect();
        // Regions do not overlap, so everybody fits one of them at most.
        assert!(classes.len() <= 1, "round {round}");
        match classes.first() {
            Some(&class) => fitting[class] += 1,
            None => outside += 1,
        }
    }
    for (inside, all) in records.into_iter().zip(fitting) {
        assert!(admits(inside, all), "round {round}: {inside} of {all}");
    }
    assert!(outside == 0 || admits(0, outside), "round {round}");
}

#[test]
fn example_2_8_presence_of_the_external_table() {
    // Table II(d): four professionals and five artists, of whom three and four are patients.
    let table = patients();
    let summary = table.summary();
    let code = |d: usize, text: &str| table.quasi[d].dictionary.code_of(text);
    let external = [
        ["Writer", "Female", "30"],
        ["Engineer", "Male", "35"],
        ["Writer", "Female", "30"],
        ["Lawyer", "Male", "38"],
        ["Dancer", "Female", "30"],
        ["Engineer", "Male", "38"],
        ["Dancer", "Female", "30"],
        // Henry is 39 and Irene 32, ages that no patient has: the next ones stand for them.
        ["Lawyer", "Male", "38"],
        ["Dancer", "Female", "30"],
    ];
    let population = PublicTable {
        quasi: (0..3)
            .map(|d| {
                external
                    .iter()
                    .map(|row| code(d, row[d]).expect("known"))
                    .collect()
            })
            .collect(),
        people: vec![1; 9],
    };
    let most = Fraction::parse("0.8").expect("a fraction");
    let promises: Vec<Box<dyn Promise>> = vec![
        Box::new(KAnonymity { k: 3 }),
        Box::new(DeltaPresence {
            least: Fraction::ZERO,
            most,
        }),
    ];
    let request = table.request(&summary, &promises);
    for solver in [
        &Spalm {
            population: population.clone(),
        } as &dyn Solver,
        &Mpalm {
            population: population.clone(),
        },
    ] {
        let solution = solve(solver, &request).expect("feasible");
        let found = table.published(&solution.recoding);
        let sizes: Vec<usize> = found
            .iter()
            .map(|row| found.iter().filter(|other| *other == row).count())
            .collect();
        assert_eq!(sizes, [3, 3, 3, 4, 4, 4, 4], "{found:?}");
    }
}

#[test]
fn table_5_and_the_defence() {
    // Example 5.1: <Job, Sex -> HIV, 60 %>. A minimal algorithm publishes table V(b) and tells who is ill by it.
    let table = minimality();
    let summary = table.summary();
    let bound = Fraction::parse("0.6").expect("a fraction");
    let template =
        || -> Box<dyn Promise> { Box::new(Confidence::of_values(0, [(table.code("HIV"), bound)])) };
    let promises = vec![template()];
    let request = table.request(&summary, &promises);
    for solver in [
        &BottomUpGeneralization::default() as &dyn Solver,
        &KOptimize::default(),
    ] {
        let solution = solve(solver, &request).expect("feasible");
        for row in table.published(&solution.recoding) {
            assert_eq!(row.expect("published"), ["Professional", "Male"]);
        }
    }
    // The defence: two engineers, five lawyers, whoever is ill.
    let size: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 2 })];
    let both: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 2 }), template()];
    let mut release = None;
    for worlds in 0..128_u32 {
        if worlds.count_ones() != 2 {
            continue;
        }
        // Every way in which two of the seven are ill.
        let ill: Vec<&str> = (0..7)
            .map(|row| if worlds >> row & 1 == 1 { "HIV" } else { "Flu" })
            .collect();
        let other = common::survey::TableOf {
            quasi: table.quasi.clone(),
            secret: Column::from_texts("Disease", ill.into_iter().map(Some)),
            hierarchies: table.hierarchies.clone(),
        };
        let summary = other.summary();
        let request = other.request(&summary, &both);
        let run = |draw: &mut dyn FnMut(u64) -> u64| {
            Context::quiet(0, |context| {
                MinimalityDefence::default().run(&request, &size, context, draw)
            })
        };
        let distorted = run(&mut |_| 0).expect("feasible");
        let shown = other.published(&distorted.solution.recoding);
        // What is shown of the quasi-identifiers is the same in every world.
        assert_eq!(*release.get_or_insert_with(|| shown.clone()), shown);
        assert_eq!(
            shown[0].as_deref(),
            Some(&["Engineer".into(), "Male".into()][..])
        );
        let hiv = other.code("HIV");
        for values in &distorted.sensitive {
            let all: u64 = values.iter().map(|v| v.1).sum();
            let ill: u64 = values.iter().filter(|v| v.0 == hiv).map(|v| v.1).sum();
            assert!(10 * ill <= 6 * all, "{values:?}");
        }
        let engineers_ill = (worlds & 3).count_ones();
        assert_eq!(distorted.changed > 0, engineers_ill == 2, "{worlds:b}");
    }
    // Promises on sensitive values are no business of the first step.
    let refused = Context::quiet(0, |context| {
        let request = table.request(&summary, &both);
        MinimalityDefence::default().run(&request, &promises, context, &mut |_| 0)
    });
    assert_eq!(
        refused,
        Err(Error::PromiseNotHonoured { name: "confidence" })
    );
}

#[test]
fn table_6_the_join_is_made_safe_by_every_solver() {
    // Example 6.1: in the join {40, France} is one person, and {30, US} has cancer for sure.
    let table = joined();
    let summary = table.summary();
    let promises: Vec<Box<dyn Promise>> = vec![
        Box::new(KAnonymity { k: 2 }),
        Box::new(DistinctDiversity { attribute: 0, l: 2 }),
    ];
    let request = table.request(&summary, &promises);
    let mut solved = 0;
    for one in CATALOGUE {
        let solution = match solve((one.make)().as_ref(), &request) {
            Ok(solution) => solution,
            Err(Error::PromiseNotHonoured { .. }) => continue,
            Err(error) => panic!("{}: {error}", one.entry.name),
        };
        let found = table.published(&solution.recoding);
        for row in 0..8 {
            let alike: Vec<usize> = (0..8).filter(|&other| found[other] == found[row]).collect();
            assert!(alike.len() >= 2, "{}: {found:?}", one.entry.name);
            let first = table.secret.codes[alike[0]];
            assert!(
                alike
                    .iter()
                    .any(|&other| table.secret.codes[other] != first),
                "{}: {found:?}",
                one.entry.name
            );
        }
        solved += 1;
    }
    assert!(solved >= 18, "{solved}");
}

#[test]
fn personalized_guards_hold_in_every_class() {
    let mut random = SplitMix64::new(9);
    let (mut raised, mut refused) = (0, 0);
    for round in 0..60 {
        let n = 8 + random.below(20) as usize;
        let pick = |random: &mut SplitMix64, from: &[&'static str]| -> Vec<&'static str> {
            (0..n)
                .map(|_| from[random.below(from.len() as u64) as usize])
                .collect()
        };
        let quasi = pick(&mut random, &["a", "b", "c", "d"]);
        let ill = pick(&mut random, &["flu", "cold", "hiv", "hep"]);
        let guards: Vec<Option<&str>> = (0..n)
            .map(|_| [None, Some("viral"), Some("hiv"), Some("mild")][random.below(4) as usize])
            .collect();
        let quasi = Column::from_texts("q", quasi.into_iter().map(Some));
        let ill = Column::from_texts("s", ill.into_iter().map(Some));
        let guards = Column::from_texts("g", guards);
        let rows: Vec<HierarchyRow> = [
            ["flu", "mild", "ANY"],
            ["cold", "mild", "ANY"],
            ["hiv", "viral", "ANY"],
            ["hep", "viral", "ANY"],
        ]
        .iter()
        .enumerate()
        .map(|(line, labels)| HierarchyRow {
            line: line + 1,
            labels: labels.iter().map(ToString::to_string).collect(),
        })
        .collect();
        let taxonomy = Hierarchy::from_rows(&ill, &rows).expect("nests");
        let hierarchies = [Hierarchy::flat(&quasi.dictionary)];
        let summary = summarize(&[&quasi], &[&ill, &guards], None);
        let bound = Fraction::parse("0.5").expect("a fraction");
        let node = |label: &str| {
            taxonomy.levels().iter().enumerate().find_map(|(level, l)| {
                let at = l
                    .labels
                    .iter()
                    .position(|text| text.as_deref() == Some(label))?;
                Some((level, at as u32))
            })
        };
        let guarded: Vec<Option<(usize, u32)>> = (0..guards.dictionary.len() as u32)
            .map(|code| guards.dictionary.text(code).and_then(node))
            .collect();
        let promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: 2 })];
        let request = Request {
            summary: &summary,
            hierarchies: &hierarchies,
            promises: &promises,
            objective: Objective::Loss,
            suppress_at_most: Fraction::ZERO,
            limits: None,
            setting: None,
            weights: None,
        };
        let solver = GreedyPersonalized {
            attribute: 0,
            guards: 1,
            guarded: guarded.clone(),
            taxonomy: taxonomy.clone(),
            bound,
        };
        // Judged person by person: a published node stands evenly for the values of the data under it.
        let under = |code: u32, (level, at): (usize, u32)| taxonomy.node(level, code) == at;
        let codes = ill.dictionary.len() as u32;
        let release = match Context::quiet(0, |context| solver.run(&request, context)) {
            Ok(release) => release,
            Err(error) => {
                // Only when a guarded node is most of what occurs is the root itself too telling.
                assert!(matches!(error, Error::Infeasible { .. }), "round {round}");
                let telling = guarded.iter().flatten().any(|&guard| {
                    2 * (0..codes).filter(|&code| under(code, guard)).count() > codes as usize
                });
                assert!(telling, "round {round}: everything at the top is safe");
                refused += 1;
                continue;
            }
        };
        assert!(release.solution.statistics.smallest >= 2, "round {round}");
        let tuples = quasi.codes.clone();
        for class in 0..release.solution.recoding.classes() {
            let rows: Vec<usize> = (0..n)
                .filter(|&row| {
                    let tuple = summary.quasi[0].iter().position(|&c| c == tuples[row]);
                    release.solution.recoding.class_of[tuple.expect("there")] == Some(class as u32)
                })
                .collect();
            for guard in rows
                .iter()
                .filter_map(|&row| guarded[guards.codes[row] as usize])
            {
                let chance: f64 = rows
                    .iter()
                    .map(|&row| {
                        let value = ill.codes[row];
                        let levels = &release.levels[class];
                        let level = levels.iter().find(|l| l.0 == value).expect("published").1;
                        let alike: Vec<u32> = (0..ill.dictionary.len() as u32)
                            .filter(|&c| taxonomy.node(level, c) == taxonomy.node(level, value))
                            .collect();
                        let hit = alike.iter().filter(|&&c| under(c, guard)).count();
                        hit as f64 / alike.len() as f64
                    })
                    .sum();
                assert!(chance / rows.len() as f64 <= 0.5 + 1e-9, "round {round}");
            }
            raised += release.levels[class].iter().filter(|l| l.1 > 0).count();
        }
        // Without generalizing sensitive values, the promise alone often cannot be kept so finely.
        let promise = PersonalizedPrivacy::new(0, 1, bound, &ill, &taxonomy, &guards);
        if let Ok(promise) = promise {
            let strict: Vec<Box<dyn Promise>> = vec![Box::new(promise)];
            let request = Request {
                promises: &strict,
                ..request
            };
            let answer = solve(&denym_tabular::TopDownSpecialization::default(), &request);
            assert!(
                matches!(answer, Ok(_) | Err(Error::Infeasible { .. })),
                "round {round}"
            );
        }
    }
    assert!(raised > 0 && refused < 10, "{raised} {refused}");
}
