//! Knowledge about sequences against brute force: every group from the definition, and every promise on all of them.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

#[path = "support/every_promise.rs"]
mod every_promise;

use std::collections::BTreeSet;

use denym_data::sequences::{Attribute, PathsBuilder};
use denym_data::{Matching, Sequences, SplitMix64, Table, Trails};
use denym_measure::sequences::{BesideSource, Doublets, Items, Removal};
use denym_measure::{
    AllQuasi, AnyOf, Group, Histogram, Institutions, Knowledge, Measured, Promise, Roles, Sense,
    audit,
};
use denym_testkit::paths::parts;
use every_promise::KINDS;

const TABLES: u64 = 1500;
const STATUS: usize = 0;

fn below(draw: &mut SplitMix64, bound: u64) -> u64 {
    draw.next_u64() % bound
}

/// A small table of paths with two sensitive attributes and, sometimes, a quasi-identifier.
fn paths(draw: &mut SplitMix64) -> Sequences {
    let n = 3 + below(draw, 10);
    let (places, times, fill) = (2 + below(draw, 3), 2 + below(draw, 3), 1 + below(draw, 3));
    let mut builder = PathsBuilder::new();
    for _ in 0..n {
        let mut path = Vec::new();
        for hour in ["1", "2", "3", "4"].iter().take(times as usize) {
            if below(draw, 4) < fill {
                path.push((["a", "b", "c", "d"][below(draw, places) as usize], *hour));
            }
        }
        builder.push(path).unwrap();
    }
    attributed(draw, builder.finish().unwrap())
}

/// A small table of transactions with the same attributes.
fn sets(draw: &mut SplitMix64) -> Sequences {
    let n = 3 + below(draw, 10);
    let items = ["milk", "bread", "wine", "test", "pills"];
    let rows: Vec<Vec<&str>> = (0..n)
        .map(|_| {
            let mut row = items.to_vec();
            row.retain(|_| below(draw, 2) == 0);
            row
        })
        .collect();
    attributed(draw, Sequences::of_sets(rows).unwrap())
}

fn attributed(draw: &mut SplitMix64, table: Sequences) -> Sequences {
    let column = |draw: &mut SplitMix64, name: &str, values: u64| {
        let labels: Vec<String> = (0..values).map(|value| format!("s{value}")).collect();
        Attribute {
            name: name.to_owned(),
            codes: (0..table.len())
                .map(|_| below(draw, values) as u32)
                .collect(),
            values: labels,
        }
    };
    let (status, job) = (column(draw, "status", 4), column(draw, "job", 3));
    let sexes = 1 + below(draw, 2);
    let sex = column(draw, "sex", sexes);
    let table = table.with_sensitive(status).unwrap().with_sensitive(job);
    table.unwrap().with_quasi(sex).unwrap()
}

/// A group in full: size, then (value, count) of each attribute.
type Plain = (u64, Vec<Vec<(u32, u64)>>);

fn plain(group: &Group<'_>) -> Plain {
    assert_eq!(group.records, group.subjects);
    let histograms = group.sensitive.iter().map(|h| h.counts.to_vec());
    (group.subjects, histograms.collect())
}

/// The group of some records, from the codes of each attribute; a silent attribute shows nothing.
fn group_of(columns: &[Vec<u32>], records: &[usize], silent: &[usize]) -> Plain {
    let histogram = |(at, column): (usize, &Vec<u32>)| {
        let mut values: Vec<u32> = records.iter().map(|&r| column[r]).collect();
        values.sort_unstable();
        if silent.contains(&at) {
            values.clear();
        }
        let runs = values.chunk_by(|a, b| a == b);
        runs.map(|run| (run[0], run.len() as u64)).collect()
    };
    let size = records.len() as u64;
    (size, columns.iter().enumerate().map(histogram).collect())
}

/// What each record has: its own attributes, then who visited the places.
fn columns(table: &Sequences, places: &[String]) -> Vec<Vec<u32>> {
    let mut columns: Vec<Vec<u32>> = table.sensitive().iter().map(|a| a.codes.clone()).collect();
    for place in places {
        let visited = |path: &[u32]| path.iter().any(|&id| place_of(table, id) == *place);
        columns.push(
            table
                .records()
                .map(|path| u32::from(visited(path)))
                .collect(),
        );
    }
    columns
}

fn place_of(table: &Sequences, id: u32) -> &str {
    &table.locations()[table.doublets()[id as usize].location as usize]
}

fn quasi(table: &Sequences, record: usize) -> Vec<u32> {
    table.quasi().iter().map(|q| q.codes[record]).collect()
}

/// Every group of parts of up to `l` of what `asked` lists, and of knowing nothing, by the definition.
fn by_definition(
    table: &Sequences,
    asked: &[Vec<u32>],
    l: usize,
    columns: &[Vec<u32>],
    silent: impl Fn(&[u32]) -> Vec<usize>,
    fits: impl Fn(usize, u32) -> bool,
    nothing: bool,
) -> Vec<Plain> {
    let mut seen = BTreeSet::new();
    let mut groups = Vec::new();
    for (record, path) in asked.iter().enumerate() {
        let mut known = parts(path, l);
        if nothing {
            known.push(Vec::new());
        }
        for part in known {
            if !seen.insert((quasi(table, record), part.clone())) {
                continue;
            }
            let here: Vec<usize> = (0..table.len())
                .filter(|&r| quasi(table, r) == quasi(table, record))
                .filter(|&r| part.iter().all(|&item| fits(r, item)))
                .collect();
            groups.push(group_of(columns, &here, &silent(&part)));
        }
    }
    groups.sort();
    groups
}

fn gathered<D>(knowledge: &impl Knowledge<D>, data: &D) -> Vec<Plain> {
    let mut groups = Vec::new();
    knowledge.groups(data, &mut |group| groups.push(plain(group)));
    groups.sort();
    groups
}

/// Judges plain groups one by one, promise by promise.
fn slowly(groups: &[Plain], promise: &dyn Promise) -> (Option<f64>, u64) {
    let (mut worst, mut rejected): (Option<f64>, u64) = (None, 0);
    for (size, values) in groups {
        let histograms: Vec<Histogram<'_>> = values.iter().map(|v| Histogram::new(v)).collect();
        let group = Group::new(*size, *size, &histograms);
        // Nobody is judged by an attribute that the knowledge names itself.
        let about = promise.terms().attribute;
        if *size > 0 && about.is_some_and(|about| values[about].is_empty()) {
            continue;
        }
        let value = promise.value(&group);
        worst = Some(match (promise.terms().sense, worst) {
            (_, None) => value,
            (Sense::AtLeast, Some(worst)) => worst.min(value),
            (Sense::AtMost, Some(worst)) => worst.max(value),
        });
        rejected += u64::from(!promise.admits(&group));
    }
    (worst, rejected)
}

fn agree(found: &[Measured], groups: &[Plain], promises: &[Box<dyn Promise>], at: &str) -> u64 {
    let mut rejected = 0;
    for (found, promise) in found.iter().zip(promises) {
        let (worst, violating) = slowly(groups, promise.as_ref());
        let name = found.terms.name;
        assert_eq!(found.measured, worst, "{at} {name}");
        assert_eq!(found.violating_groups, violating, "{at} {name}");
        assert_eq!(found.holds, violating == 0, "{at} {name}");
        rejected += violating;
    }
    rejected
}

/// Every promise about the status, and a bound on each place.
fn promises(draw: &mut SplitMix64, columns: &[Vec<u32>]) -> Vec<Box<dyn Promise>> {
    let mut reference = vec![0; 4];
    for &code in &columns[STATUS] {
        reference[code as usize] += 1;
    }
    let strict = |draw: &mut SplitMix64| below(draw, 4);
    let mut all: Vec<Box<dyn Promise>> = (0..KINDS)
        .map(|kind| every_promise::promise(kind, STATUS, &reference, strict(draw)))
        .collect();
    for (place, column) in columns.iter().enumerate().skip(2) {
        let of = column.iter().sum::<u32>();
        let counts = [column.len() as u64 - u64::from(of), u64::from(of)];
        let kind = below(draw, KINDS as u64) as usize;
        all.push(every_promise::promise(kind, place, &counts, strict(draw)));
        all.push(every_promise::promise(2, place, &counts, strict(draw)));
    }
    all
}

#[test]
fn every_promise_is_judged_on_every_group_of_doublets() {
    let mut rejected = 0;
    for seed in 0..TABLES {
        let draw = &mut SplitMix64::new(seed);
        let table = paths(draw);
        let places = if seed % 2 == 0 {
            vec!["a".to_owned(), "b".to_owned()]
        } else {
            Vec::new()
        };
        let knowledge = Doublets {
            l: 1 + below(draw, 4) as usize,
            matching: Matching::Covers,
            places,
        };
        let columns = columns(&table, &knowledge.places);
        let silent = |part: &[u32]| -> Vec<usize> {
            let named = part.iter().filter_map(|&id| {
                let place = place_of(&table, id);
                knowledge.places.iter().position(|p| p == place)
            });
            named.map(|place| 2 + place).collect()
        };
        let rows: Vec<Vec<u32>> = table.records().map(<[u32]>::to_vec).collect();
        let shows = |r: usize, item: u32| rows[r].contains(&item);
        let groups = by_definition(&table, &rows, knowledge.l, &columns, silent, shows, true);
        assert_eq!(gathered(&knowledge, &table), groups, "seed {seed}");
        let promises = promises(draw, &columns);
        let found = audit(&table, &knowledge, &promises);
        rejected += agree(&found, &groups, &promises, &format!("seed {seed}"));
        let whole = knowledge.judge(&table, &promises);
        assert_eq!(whole.holds, found.iter().all(|m| m.holds));
    }
    assert!(rejected > 10_000, "{rejected}");
}

#[test]
fn every_promise_is_judged_on_every_group_of_items() {
    let mut rejected = 0;
    for seed in 0..TABLES {
        let draw = &mut SplitMix64::new(seed);
        let table = sets(draw);
        let knowledge = Items {
            m: 1 + below(draw, 3) as usize,
            sensitive: vec!["test".to_owned(), "nowhere".to_owned()],
        };
        let columns = columns(&table, &knowledge.sensitive);
        let public: Vec<Vec<u32>> = table
            .records()
            .map(|set| {
                let mut set = set.to_vec();
                set.retain(|&item| place_of(&table, item) != "test");
                set
            })
            .collect();
        let shows = |r: usize, item: u32| public[r].contains(&item);
        let nobody = |_: &[u32]| Vec::new();
        let groups = by_definition(&table, &public, knowledge.m, &columns, nobody, shows, true);
        assert_eq!(gathered(&knowledge, &table), groups, "seed {seed}");
        let promises = promises(draw, &columns);
        let found = audit(&table, &knowledge, &promises);
        rejected += agree(&found, &groups, &promises, &format!("seed {seed}"));
    }
    assert!(rejected > 10_000, "{rejected}");
}

/// Whoever knows the source drops the records that contradict it; whatever is shown is judged as well.
#[test]
fn every_promise_is_judged_beside_the_source() {
    let mut rejected = [0, 0];
    for seed in 0..TABLES {
        let draw = &mut SplitMix64::new(seed);
        let source = paths(draw);
        let everywhere = seed % 2 == 0;
        let doublets = source.doublets().len();
        let gone: Vec<bool> = (0..doublets).map(|_| below(draw, 3) == 0).collect();
        let shown: Vec<Vec<u32>> = source
            .records()
            .map(|path| {
                let mut path = path.to_vec();
                path.retain(|&id| !gone[id as usize] && (everywhere || below(draw, 4) > 0));
                path
            })
            .collect();
        let all: Vec<usize> = (0..source.len()).collect();
        let released = source.of_records(&all, |r| &shown[r]).unwrap();
        let removal = if everywhere {
            Removal::Everywhere
        } else {
            Removal::SomeRecords
        };
        let knowledge = Doublets {
            l: 1 + below(draw, 3) as usize,
            matching: Matching::Consistent,
            places: vec!["a".to_owned()],
        };
        let columns = columns(&source, &knowledge.places);
        let silent = |part: &[u32]| -> Vec<usize> {
            let named = |&&id: &&u32| place_of(&source, id) == "a";
            part.iter().filter(named).map(|_| 2).collect()
        };
        let time = |id: u32| source.doublets()[id as usize].time;
        let kept: BTreeSet<u32> = shown.iter().flatten().copied().collect();
        let fits = |r: usize, item: u32| {
            let shows = shown[r].contains(&item);
            if everywhere && kept.contains(&item) {
                return shows;
            }
            shows || shown[r].iter().all(|&other| time(other) != time(item))
        };
        let rows: Vec<Vec<u32>> = source.records().map(<[u32]>::to_vec).collect();
        let l = knowledge.l;
        let mut groups = by_definition(&source, &rows, l, &columns, silent, fits, false);
        let shows = |r: usize, item: u32| shown[r].contains(&item);
        groups.extend(by_definition(
            &source, &shown, l, &columns, silent, shows, true,
        ));
        groups.sort();
        let beside = BesideSource::labelled_alike(&source, &released, removal).unwrap();
        assert_eq!(gathered(&knowledge, &beside), groups, "seed {seed}");
        let promises = promises(draw, &columns);
        let found = audit(&beside, &knowledge, &promises);
        for (found, promise) in found.iter().zip(&promises) {
            let (worst, violating) = slowly(&groups, promise.as_ref());
            assert_eq!(found.measured, worst, "seed {seed} {}", found.terms.name);
            assert_eq!(
                found.holds,
                violating == 0,
                "seed {seed} {}",
                found.terms.name
            );
        }
        rejected[usize::from(everywhere)] += found.iter().filter(|m| !m.holds).count();
    }
    assert!(rejected.iter().all(|&n| n > 2000), "{rejected:?}");
}

/// A path that is released as it is contradicts nobody: both matchings make the same groups.
#[test]
fn without_suppression_consistent_and_covers_are_one() {
    for seed in 0..200 {
        let draw = &mut SplitMix64::new(seed);
        let source = paths(draw);
        let promises = promises(draw, &columns(&source, &[]));
        let knowledge = Doublets {
            l: 3,
            ..Doublets::default()
        };
        let beside = BesideSource::labelled_alike(&source, &source, Removal::Everywhere).unwrap();
        let values = |found: Vec<Measured>| -> Vec<(Option<f64>, bool)> {
            found.iter().map(|m| (m.measured, m.holds)).collect()
        };
        assert_eq!(
            values(audit(&beside, &knowledge, &promises)),
            values(audit(&source, &knowledge, &promises)),
        );
    }
}

#[test]
fn a_release_that_lost_a_record_is_not_judged_beside_its_source() {
    let draw = &mut SplitMix64::new(1);
    let source = paths(draw);
    let fewer = source
        .of_records(&[0_usize, 1], |r| source.record(r))
        .unwrap();
    let beside = BesideSource::labelled_alike(&source, &fewer, Removal::Everywhere);
    assert_eq!(beside.unwrap_err().released, 2);
}

/// Tables and trails by the same door.
#[test]
fn tables_and_trails_make_groups_too() {
    let text = |name: &str, cells: [&str; 5]| {
        denym_data::Column::from_texts(name, cells.iter().map(|cell| Some(*cell)))
    };
    let table = Table::new(vec![
        text("zip", ["1", "1", "2", "2", "2"]),
        text("sex", ["f", "m", "f", "f", "m"]),
        text("ill", ["flu", "flu", "flu", "HIV", "HIV"]),
    ])
    .unwrap();
    let roles = Roles {
        quasi: vec![0, 1],
        sensitive: vec![2],
        subject: None,
    };
    let sizes = |groups: Vec<Plain>| -> Vec<u64> { groups.iter().map(|g| g.0).collect() };
    let all = AllQuasi { roles: &roles };
    assert_eq!(sizes(gathered(&all, &table)), [1, 1, 1, 2]);
    let any = AnyOf {
        roles: &roles,
        m: 1,
    };
    assert_eq!(sizes(gathered(&any, &table)), [2, 2, 3, 3, 5]);
    let promises: Vec<Box<dyn Promise>> = (0..KINDS)
        .map(|kind| every_promise::promise(kind, 0, &[3, 2], 1))
        .collect();
    agree(
        &audit(&table, &all, &promises),
        &gathered(&all, &table),
        &promises,
        "all",
    );
    for (fast, slow) in audit(&table, &any, &promises).iter().zip(&promises) {
        let (_, rejected) = slowly(&gathered(&any, &table), slow.as_ref());
        assert_eq!(fast.holds, rejected == 0, "{}", fast.terms.name);
    }
    let trails = Trails::from_rows(3, [vec![0, 2], vec![1], vec![2, 0], vec![1, 2]]).unwrap();
    assert_eq!(sizes(gathered(&Institutions, &trails)), [1, 1, 2]);
    let k = audit(
        &trails,
        &Institutions,
        &[every_promise::promise(0, 0, &[], 1)],
    );
    assert_eq!((k[0].measured, k[0].violating_records), (Some(1.0), 2));
}
