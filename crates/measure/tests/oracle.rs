//! Every promise against slow code written from its definition, on thousands of small random tables.
//!
//! Tables have missing values, single classes, single records, values that never occur, and sometimes a subject column.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::{BTreeMap, BTreeSet};

use denym_data::{
    Column, Decimal, Fraction, Hierarchy, HierarchyRow, Recoding, SplitMix64, Summary, Table, Unit,
};
use denym_measure::metrics::{Publication, random_queries, workload_error};
use denym_measure::population::match_population;
use denym_measure::promises::{
    Absent, AlphaK, Base, BetaLikeness, Confidence, DeltaDisclosure, DeltaPresence,
    DisclosureRecursive, DistinctDiversity, EntropyDiversity, EpsilonM, KAnonymity, KMap,
    KeAnonymity, Likeness, PersonalizedPrivacy, RecursiveDiversity, TCloseness, XyAnonymity,
    XyPrivacy, exact_numbers,
};
use denym_measure::{Classes, Promise, Roles, Sense, SurveyOptions, audit_classes, survey};
use proptest::prelude::*;

/// One record: two quasi-identifiers, a sensitive number or none, a person.
type Record = (u8, u8, Option<u8>, u8);

/// The numbers that the sensitive attribute may take; not evenly spaced.
const NUMBERS: [i64; 5] = [1, 2, 4, 7, 20];

fn build(records: &[Record]) -> Table {
    let number = |value: u8| NUMBERS[value as usize].to_string();
    let texts = |name: &str, cells: Vec<Option<String>>| {
        Column::from_texts(name, cells.iter().map(Option::as_deref))
    };
    Table::new(vec![
        texts("p", records.iter().map(|r| Some(r.0.to_string())).collect()),
        texts(
            "q",
            records
                .iter()
                .map(|r| (r.1 > 0).then(|| r.1.to_string()))
                .collect(),
        ),
        texts("s", records.iter().map(|r| r.2.map(number)).collect()),
        texts(
            "who",
            records.iter().map(|r| Some(format!("w{}", r.3))).collect(),
        ),
    ])
    .unwrap()
}

/// The values of one group: with people, each (person, value) once.
struct Slow {
    records: usize,
    subjects: usize,
    /// The code of each value, as the table codes it.
    values: Vec<usize>,
}

fn counts(values: &[usize], domain: usize) -> Vec<f64> {
    let mut counts = vec![0.0; domain];
    for &value in values {
        counts[value] += 1.0;
    }
    counts
}

fn descending(values: &[usize], domain: usize) -> Vec<(usize, f64)> {
    let mut sorted: Vec<(usize, f64)> = counts(values, domain)
        .into_iter()
        .enumerate()
        .filter(|&(_, count)| count > 0.0)
        .collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    sorted
}

fn slow_groups(table: &Table, people: bool) -> (Vec<Slow>, Vec<usize>) {
    let column = |at: usize| &table.columns()[at].codes;
    let mut groups: BTreeMap<(u32, u32), Vec<usize>> = BTreeMap::new();
    for row in 0..table.records() {
        groups
            .entry((column(0)[row], column(1)[row]))
            .or_default()
            .push(row);
    }
    let values_of = |rows: &[usize]| -> Vec<usize> {
        if people {
            let pairs: BTreeSet<(u32, u32)> = rows
                .iter()
                .map(|&row| (column(3)[row], column(2)[row]))
                .collect();
            pairs.into_iter().map(|(_, value)| value as usize).collect()
        } else {
            rows.iter().map(|&row| column(2)[row] as usize).collect()
        }
    };
    let all: Vec<usize> = (0..table.records()).collect();
    let slow = groups
        .values()
        .map(|rows| Slow {
            records: rows.len(),
            subjects: if people {
                rows.iter()
                    .map(|&row| column(3)[row])
                    .collect::<BTreeSet<_>>()
                    .len()
            } else {
                rows.len()
            },
            values: values_of(rows),
        })
        .collect();
    (slow, values_of(&all))
}

/// The taxonomy of the numbers: small (1, 2, 4) and large (7, 20), even and odd below.
fn taxonomy(column: &Column) -> Hierarchy {
    let rows: Vec<HierarchyRow> = [
        "1,odd,small,*",
        "2,even,small,*",
        "4,even,small,*",
        "7,7,large,*",
        "20,20,large,*",
    ]
    .iter()
    .enumerate()
    .map(|(line, row)| HierarchyRow {
        line: line + 1,
        labels: row.split(',').map(str::to_owned).collect(),
    })
    .collect();
    Hierarchy::from_rows(column, &rows).unwrap()
}

/// The published recursion over the tree: each inner node pays level / height times the smaller of surplus and deficit.
fn slow_hierarchical(p: &[f64], q: &[f64], hierarchy: &Hierarchy) -> f64 {
    let height = hierarchy.height() - 1;
    let mut extra: Vec<f64> = p.iter().zip(q).map(|(p, q)| p - q).collect();
    let mut cost = 0.0;
    for level in 1..=height {
        let nodes = hierarchy.levels()[level].labels.len();
        let (mut surplus, mut deficit) = (vec![0.0; nodes], vec![0.0; nodes]);
        for (child, &parent) in hierarchy.parents(level - 1).iter().enumerate() {
            if extra[child] > 0.0 {
                surplus[parent as usize] += extra[child];
            } else {
                deficit[parent as usize] -= extra[child];
            }
        }
        for node in 0..nodes {
            cost += level as f64 / height as f64 * f64::min(surplus[node], deficit[node]);
        }
        extra = surplus
            .iter()
            .zip(&deficit)
            .map(|(surplus, deficit)| surplus - deficit)
            .collect();
    }
    cost
}

/// A slow judgement: the measured value and the verdict.
type Judge = Box<dyn Fn(&Slow) -> (f64, bool)>;

/// Each promise with the slow judgement of a group, value and verdict.
fn cases(table: &Table, all: &[usize], a: u64, b: u64) -> Vec<(Box<dyn Promise>, Judge)> {
    let column = &table.columns()[2];
    let domain = column.dictionary.len();
    let share = Fraction::new(a, 10).unwrap();
    let bound = a as f64 / 10.0;
    let c = Fraction::new(a, 3).unwrap();
    let l = 1 + (b % 4) as usize;
    let reference: Vec<f64> = counts(all, domain);
    let codes: Vec<u64> = (0..domain)
        .map(|code| all.iter().filter(|&&value| value == code).count() as u64)
        .collect();
    let total = all.len() as f64;
    let shares: Vec<f64> = reference.iter().map(|count| count / total).collect();
    let group_shares = move |slow: &Slow| -> Vec<f64> {
        counts(&slow.values, domain)
            .into_iter()
            .map(|count| count / slow.values.len() as f64)
            .collect()
    };
    let largest = move |slow: &Slow| descending(&slow.values, domain)[0].1 / slow.subjects as f64;
    let numbers = exact_numbers(&column.dictionary);
    let plain: Vec<Option<i64>> = (0..domain as u32)
        .map(|code| {
            column
                .dictionary
                .text(code)
                .map(|text| text.parse().unwrap())
        })
        .collect();
    let hierarchy = taxonomy(column);
    let boxed = |promise: Box<dyn Promise>, judge: Judge| (promise, judge);
    let gains = {
        let shares = shares.clone();
        move |slow: &Slow| -> Vec<(f64, f64)> {
            group_shares(slow)
                .into_iter()
                .zip(&shares)
                .filter(|(own, _)| *own > 0.0)
                .map(|(own, all)| ((own - all) / all, *all))
                .collect()
        }
    };
    let (gains_too, plain_too) = (gains.clone(), plain.clone());
    let (shares_1, shares_2, shares_3, shares_4) = (
        shares.clone(),
        shares.clone(),
        shares.clone(),
        shares.clone(),
    );
    let occurring: Vec<usize> = (0..domain).filter(|&code| reference[code] > 0.0).collect();
    let tolerance = 1e-12;
    vec![
        boxed(
            Box::new(KAnonymity { k: b }),
            Box::new(move |slow| (slow.subjects as f64, slow.subjects as u64 >= b)),
        ),
        boxed(
            Box::new(DistinctDiversity {
                attribute: 0,
                l: b % 5,
            }),
            Box::new(move |slow| {
                let distinct = descending(&slow.values, domain).len();
                (distinct as f64, distinct as u64 >= b % 5)
            }),
        ),
        boxed(
            Box::new(XyAnonymity { y: 0, k: b % 5 }),
            Box::new(move |slow| {
                let distinct = slow.values.iter().collect::<BTreeSet<_>>().len();
                (distinct as f64, distinct as u64 >= b % 5)
            }),
        ),
        boxed(
            Box::new(EntropyDiversity {
                attribute: 0,
                l: Fraction::new(10 + 2 * a, 10).unwrap(),
            }),
            Box::new(move |slow| {
                let entropy: f64 = group_shares(slow)
                    .iter()
                    .filter(|p| **p > 0.0)
                    .map(|p| -p * p.log2())
                    .sum();
                (
                    entropy.exp2(),
                    entropy.exp2() >= 1.0 + a as f64 / 5.0 - 1e-9,
                )
            }),
        ),
        boxed(
            Box::new(RecursiveDiversity {
                attribute: 0,
                c,
                l: l as u64,
            }),
            Box::new(move |slow| {
                let sorted = descending(&slow.values, domain);
                // An empty sum of floating-point numbers is minus zero.
                let tail = 0.0
                    + sorted
                        .iter()
                        .skip(l - 1)
                        .map(|(_, count)| count)
                        .sum::<f64>();
                (sorted[0].1 / tail, 3.0 * sorted[0].1 < a as f64 * tail)
            }),
        ),
        boxed(
            Box::new(DisclosureRecursive::positive(0, c, l.max(2), [0])),
            Box::new(move |slow| {
                let l = l.max(2);
                let sorted = descending(&slow.values, domain);
                let Some(y) = sorted
                    .iter()
                    .position(|&(value, _)| value != 0)
                    .map(|at| at + 1)
                else {
                    return (0.0, true);
                };
                let sum = |from: usize, to: usize| -> f64 {
                    0.0 + (from..=to.min(sorted.len()))
                        .map(|i| sorted[i - 1].1)
                        .sum::<f64>()
                };
                let tail = if y < l {
                    sum(l, sorted.len())
                } else {
                    sum(l - 1, y - 1) + sum(y + 1, sorted.len())
                };
                let head = sorted[y - 1].1;
                (head / tail, 3.0 * head < a as f64 * tail)
            }),
        ),
        boxed(
            Box::new(Confidence::of_all(0, share)),
            Box::new(move |slow| (largest(slow), largest(slow) <= bound + tolerance)),
        ),
        boxed(
            Box::new(XyPrivacy {
                k: b,
                confidence: Confidence::of_values(0, [(1, share)]),
            }),
            Box::new(move |slow| {
                let of = counts(&slow.values, domain.max(2))[1] / slow.subjects as f64;
                (of, of <= bound + tolerance && slow.subjects as u64 >= b)
            }),
        ),
        boxed(
            Box::new(AlphaK {
                attribute: 0,
                alpha: share,
                k: b,
            }),
            Box::new(move |slow| {
                (
                    largest(slow),
                    largest(slow) <= bound + tolerance && slow.subjects as u64 >= b,
                )
            }),
        ),
        boxed(
            Box::new(KeAnonymity::new(
                0,
                b % 4,
                Decimal::whole(a.cast_signed()),
                &numbers,
            )),
            Box::new(move |slow| {
                let present: BTreeSet<i64> = slow
                    .values
                    .iter()
                    .filter_map(|&value| plain_too[value])
                    .collect();
                let range = present.last().unwrap_or(&0) - present.first().unwrap_or(&0);
                (
                    range as f64,
                    range >= a.cast_signed() && present.len() as u64 >= b % 4,
                )
            }),
        ),
        boxed(
            Box::new(EpsilonM::new(
                0,
                Decimal::whole((b % 6).cast_signed()),
                1 + a / 3,
                &numbers,
            )),
            Box::new(move |slow| {
                let present: Vec<i64> = slow
                    .values
                    .iter()
                    .filter_map(|&value| plain[value])
                    .collect();
                let densest = present
                    .iter()
                    .map(|s| {
                        present
                            .iter()
                            .filter(|t| (*t - s).abs() <= (b % 6).cast_signed())
                            .count()
                    })
                    .max()
                    .unwrap_or(0);
                let of = densest as f64 / slow.values.len() as f64;
                (of, of <= 1.0 / (1 + a / 3) as f64 + tolerance)
            }),
        ),
        boxed(
            Box::new(TCloseness::equal(0, share, &codes)),
            Box::new(move |slow| {
                let work: f64 = group_shares(slow)
                    .iter()
                    .zip(&shares_1)
                    .map(|(p, q)| (p - q).abs())
                    .sum::<f64>()
                    / 2.0;
                (work, work <= bound + tolerance)
            }),
        ),
        boxed(
            Box::new(TCloseness::ordered(0, share, &codes)),
            Box::new(move |slow| {
                let own = group_shares(slow);
                let (mut carried, mut work) = (0.0_f64, 0.0);
                for &code in &occurring {
                    carried += own[code] - shares_2[code];
                    work += carried.abs();
                }
                let work = work / (occurring.len().max(2) - 1) as f64;
                (work, work <= bound + tolerance)
            }),
        ),
        boxed(
            Box::new(TCloseness::hierarchical(0, share, &codes, &hierarchy)),
            Box::new(move |slow| {
                let work = slow_hierarchical(&group_shares(slow), &shares_3, &hierarchy);
                (work, work <= bound + tolerance)
            }),
        ),
        boxed(
            Box::new(BetaLikeness::new(0, share, Likeness::Basic, &codes)),
            Box::new(move |slow| {
                let most = gains(slow)
                    .into_iter()
                    .map(|(gain, _)| gain)
                    .fold(0.0, f64::max);
                (most, most <= bound + tolerance)
            }),
        ),
        boxed(
            Box::new(BetaLikeness::new(0, c, Likeness::Enhanced, &codes)),
            Box::new(move |slow| {
                let gains = gains_too(slow);
                let most = gains.iter().map(|&(gain, _)| gain).fold(0.0, f64::max);
                let fits =
                    |&(gain, p): &(f64, f64)| gain <= f64::min(a as f64 / 3.0, -p.ln()) + 1e-9;
                (most, gains.iter().all(fits))
            }),
        ),
        boxed(
            Box::new(DeltaDisclosure::new(
                0,
                c,
                Base::Two,
                Absent::Breaks,
                &codes,
            )),
            Box::new(move |slow| {
                let most = group_shares(slow)
                    .iter()
                    .zip(&shares_4)
                    .filter(|(_, q)| **q > 0.0)
                    .map(|(p, q)| (p / q).log2().abs())
                    .fold(0.0, f64::max);
                (most, most < a as f64 / 3.0)
            }),
        ),
    ]
}

fn record() -> impl Strategy<Value = Record> {
    (
        0_u8..2,
        0_u8..3,
        prop::option::weighted(0.9, 0_u8..5),
        0_u8..6,
    )
}

fn check(records: &[Record], people: bool, a: u64, b: u64) -> Result<(), TestCaseError> {
    let table = build(records);
    let roles = Roles::by_name(&table, &["p", "q"], &["s"], people.then_some("who")).unwrap();
    let classes = Classes::of(&table, &roles);
    let (slow, all) = slow_groups(&table, people);
    prop_assert_eq!(classes.len(), slow.len());
    let (promises, judges): (Vec<Box<dyn Promise>>, Vec<Judge>) =
        cases(&table, &all, a, b).into_iter().unzip();
    for ((measured, judge), promise) in audit_classes(&classes, &promises)
        .into_iter()
        .zip(&judges)
        .zip(&promises)
    {
        let judged: Vec<(f64, bool)> = slow.iter().map(judge).collect();
        let failing = judged.iter().filter(|(_, holds)| !holds).count();
        let records: usize = slow
            .iter()
            .zip(&judged)
            .filter(|(_, (_, holds))| !holds)
            .map(|(slow, _)| slow.records)
            .sum();
        let worst = match promise.terms().sense {
            Sense::AtLeast => judged
                .iter()
                .map(|(value, _)| *value)
                .fold(f64::INFINITY, f64::min),
            Sense::AtMost => judged
                .iter()
                .map(|(value, _)| *value)
                .fold(f64::NEG_INFINITY, f64::max),
        };
        let name = measured.terms.name;
        let value = measured.measured.unwrap();
        prop_assert!(
            (value - worst).abs() < 1e-9 || value.is_infinite() && worst.is_infinite(),
            "{} measured {} for {}",
            name,
            value,
            worst
        );
        prop_assert_eq!(measured.violating_groups, failing as u64, "{}", name);
        prop_assert_eq!(measured.violating_records, records as u64, "{}", name);
        prop_assert_eq!(measured.holds, failing == 0, "{}", name);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn promises_agree_with_their_definitions(
        records in prop::collection::vec(record(), 1..24), a in 1_u64..10, b in 0_u64..9,
    ) {
        check(&records, false, a, b)?;
    }

    #[test]
    fn people_are_counted_once(
        records in prop::collection::vec(record(), 1..24), a in 1_u64..10, b in 0_u64..9,
    ) {
        check(&records, true, a, b)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Guarding nodes and populations, person by person.
    #[test]
    fn guards_and_populations_agree_with_their_definitions(
        rows in prop::collection::vec((0_u8..2, 0_u8..3, prop::option::of(0_u8..5)), 1..16),
        others in prop::collection::vec(0_u8..4, 0..16),
        a in 1_u64..10,
    ) {
        let diseases = ["flu", "sars", "hiv"];
        let nodes = ["flu", "sars", "hiv", "lung", "ill"];
        let under = |node: usize, disease: usize| match node {
            3 => disease < 2,
            4 => true,
            _ => node == disease,
        };
        let classes_of: Vec<String> = rows.iter().map(|row| row.0.to_string()).collect();
        let table = Table::new(vec![
            Column::from_texts("q", classes_of.iter().map(|text| Some(text.as_str()))),
            Column::from_texts("s", rows.iter().map(|row| Some(diseases[row.1 as usize]))),
            Column::from_texts("g", rows.iter().map(|row| row.2.map(|node| nodes[node as usize]))),
        ]).unwrap();
        let lines = ["flu,lung,ill", "sars,lung,ill", "hiv,hiv,ill"];
        let hierarchy: Vec<HierarchyRow> = lines.iter().enumerate().map(|(line, row)| HierarchyRow {
            line: line + 1,
            labels: row.split(',').map(str::to_owned).collect(),
        }).collect();
        let sensitive = &table.columns()[1];
        let taxonomy = Hierarchy::from_rows(sensitive, &hierarchy).unwrap();
        let share = Fraction::new(a, 10).unwrap();
        let personal = PersonalizedPrivacy::new(0, 1, share, sensitive, &taxonomy, &table.columns()[2]);
        // A name of the taxonomy above the diseases at hand may be missing from it; then the promise says so.
        let known = |node: &Option<u8>| node.is_none_or(|node| {
            rows.iter().any(|row| under(node as usize, row.1 as usize))
        });
        if !rows.iter().all(|row| known(&row.2)) {
            prop_assert!(personal.is_err());
            return Ok(());
        }
        // The population: everybody in the table, and others; class 3 is nobody's.
        let people: Vec<String> =
            classes_of.iter().cloned().chain(others.iter().map(ToString::to_string)).collect();
        let population =
            Table::new(vec![Column::from_texts("q", people.iter().map(|text| Some(text.as_str())))]).unwrap();
        let roles = Roles::by_name(&table, &["q"], &["s", "g"], None).unwrap();
        let classes = Classes::of(&table, &roles);
        let matched = match_population(&table, &roles, &classes, &population).unwrap();
        let present = |class: &str| classes_of.iter().any(|of| of == class);
        prop_assert_eq!(matched.outside as usize, people.iter().filter(|person| !present(person)).count());
        let classes = classes.with_population(matched.people);
        let presence = DeltaPresence { least: Fraction::new(a, 40).unwrap(), most: share };
        let promises: Vec<Box<dyn Promise>> =
            vec![Box::new(personal.unwrap()), Box::new(presence), Box::new(KMap { k: a })];
        let found = audit_classes(&classes, &promises);
        let mut failing = [0_u64; 3];
        for class in 0..2_u8 {
            let members: Vec<_> = rows.iter().filter(|row| row.0 == class).collect();
            if members.is_empty() {
                continue;
            }
            let size = members.len() as u64;
            let breached = members.iter().any(|member| member.2.is_some_and(|node| {
                let inside = members.iter().filter(|other| under(node as usize, other.1 as usize)).count() as u64;
                inside * 10 > a * size
            }));
            let looks = people.iter().filter(|person| **person == class.to_string()).count() as u64;
            failing[0] += u64::from(breached);
            failing[1] += u64::from(size * 10 > a * looks || size * 40 < a * looks);
            failing[2] += u64::from(looks < a);
        }
        for (found, failing) in found.iter().zip(failing) {
            prop_assert_eq!(found.violating_groups, failing, "{}", found.terms.name);
        }
    }
}

#[test]
fn empty_tables_and_single_records_are_measured() {
    for records in [
        vec![],
        vec![(0, 0, None, 0)],
        vec![(0, 1, Some(2), 0)],
        vec![(1, 1, Some(2), 0); 3],
    ] {
        let table = build(&records);
        for people in [false, true] {
            let roles =
                Roles::by_name(&table, &["p", "q"], &["s"], people.then_some("who")).unwrap();
            let classes = Classes::of(&table, &roles);
            let found = survey(
                &classes,
                &SurveyOptions {
                    population: Some(0),
                    ..SurveyOptions::default()
                },
            );
            assert_eq!(found.records, records.len() as u64);
            assert_eq!(found.classes, u64::from(!records.is_empty()));
            let sensitive = &found.sensitive[0];
            assert_eq!(sensitive.distinct_l, u64::from(!records.is_empty()));
            assert!(sensitive.t_equal_distance.abs() < 1e-12);
            assert!(sensitive.basic_beta.abs() < 1e-12);
            let (smaller, dropped) = classes.without_small(&table, &roles, 100);
            assert!(smaller.is_empty());
            assert_eq!(dropped, records.len() as u64);
            let none = audit_classes(&smaller, &[Box::new(KAnonymity { k: 5 })]);
            assert!(none[0].holds && none[0].measured.is_none());
        }
    }
}

/// Random queries are answered from marginals where they fit and from every tuple where they do not: both count what is there.
#[test]
fn queries_of_a_workload_count_what_is_there() {
    let mut random = SplitMix64::new(7);
    // Three columns of 50 values have more combinations than a marginal holds, two have fewer.
    for (tuples, values) in [(1, 1), (40, 3), (5000, 50)] {
        let texts: Vec<String> = (0..values).map(|value| value.to_string()).collect();
        let column = Column::from_texts("v", texts.iter().map(|text| Some(text.as_str())));
        let hierarchies = vec![Hierarchy::flat(&column.dictionary); 4];
        let mut code = || random.below(values as u64) as u32;
        let quasi: Vec<Vec<u32>> = (0..4)
            .map(|_| (0..tuples).map(|_| code()).collect())
            .collect();
        let sensitive: Vec<Vec<(u32, u64)>> = (0..tuples)
            .map(|tuple| vec![(code(), 1 + tuple as u64 % 3)])
            .collect();
        let summary = Summary {
            quasi: quasi.clone(),
            cardinalities: vec![values; 4],
            records: (0..tuples).map(|tuple| 1 + tuple as u64 % 3).collect(),
            sensitive: vec![sensitive.iter().cloned().collect()],
            subjects: None,
            shown: Vec::new(),
        };
        let recoding = Recoding {
            unit: Unit::Tuple,
            class_of: (0..tuples).map(|tuple| Some(tuple as u32)).collect(),
            labels: hierarchies
                .iter()
                .map(|hierarchy| hierarchy.labels(0))
                .collect(),
            published: quasi.clone(),
            levels: Some(vec![0; 4]),
        };
        let publication = Publication::new(&summary, &recoding, &hierarchies).unwrap();
        let queries = random_queries(&publication, 200, 11);
        let found = workload_error(&publication, &queries, 1.0);
        assert_eq!(found.answers.len(), 200);
        for (query, &(truth, _)) in queries.iter().zip(&found.answers) {
            let slow: u64 = (0..tuples)
                .filter(|&tuple| {
                    let mut asked = query.quasi.iter();
                    asked.all(|(position, codes)| codes.contains(&quasi[*position][tuple]))
                })
                .map(|tuple| match &query.sensitive {
                    None => summary.records[tuple],
                    Some((_, values)) if values.contains(&sensitive[tuple][0].0) => {
                        sensitive[tuple][0].1
                    }
                    Some(_) => 0,
                })
                .sum();
            assert_eq!(truth, slow, "{query:?}");
        }
        // Every tuple is published as it is.
        assert!(found.largest < 1e-9, "{}", found.largest);
    }
}
