//! The worlds test on numbers and clusters: marks are what running the program backwards measures.
//!
//! Numbers are quasi-identifiers that the adversary knows of everybody; what is tried is every assignment of sensitive values. Sources with
//! other numbers that have the same centroids are not tried: no promise speaks of them.

use std::collections::BTreeMap;

use denym_data::{SplitMix64, Standing, Verdict};
use denym_microdata::cluster::{
    CategoryTree, Records, best_clusters, diversify, k_member, one_pass, runs, systematic,
};
use denym_microdata::{
    CATALOGUE, Centroid, Matrix, Options, Partition, Scaling, centroid_of, constrain, solve, sse,
    verdict,
};
use denym_testkit::worlds::{Release, Tally, backwards, counts, every_assignment};

const PEOPLE: usize = 7;
const VALUES: u32 = 3;
const K: usize = 2;
const SEEDS: [u64; 2] = [3, 4];

/// Whether shares of three values keep a promise; the second argument counts the whole table.
type Kept = fn(&[u64; 3], &[u64; 3]) -> bool;

/// The promises: what must hold of a group, and of a belief.
const KINDS: [(&str, Kept); 4] = [
    ("l-diversity", |group, _| {
        group.iter().filter(|&&count| count > 0).count() >= 2
    }),
    ("confidence", |group, _| {
        let total: u64 = group.iter().sum();
        group.iter().all(|&count| count * 2 <= total)
    }),
    ("confidence in one value", |group, _| {
        group[0] * 2 <= group.iter().sum()
    }),
    ("t-closeness", |group, all| {
        let (size, total): (u64, u64) = (group.iter().sum(), all.iter().sum());
        let apart = |v: usize| (group[v] * total).abs_diff(all[v] * size);
        // Half the sum of differences at most a third.
        (0..3).map(apart).sum::<u64>() * 3 <= 2 * size * total
    }),
];

fn histogram(rows: impl Iterator<Item = u32>) -> [u64; 3] {
    let mut counts = [0; 3];
    for value in rows {
        counts[value as usize] += 1;
    }
    counts
}

/// Makes groups, with the promise or without, and says what each is published as.
struct Program {
    /// The groups before any look at values.
    blind: Partition,
    /// Merges or swaps until every group is admitted.
    mend: Box<dyn Fn(&Partition, &dyn Fn(&[u32]) -> bool) -> Option<Partition>>,
    /// What a group is published as.
    label: Box<dyn Fn(&[u32]) -> String>,
}

impl Program {
    fn run(&self, values: &[u32], kind: Option<Kept>) -> Option<Partition> {
        let Some(kept) = kind else {
            return Some(self.blind.clone());
        };
        let all = histogram(values.iter().copied());
        let admits = |group: &[u32]| {
            let counts = histogram(group.iter().map(|&row| values[row as usize]));
            group.len() >= K && kept(&counts, &all)
        };
        (self.mend)(&self.blind, &admits)
    }
}

/// Runs programs backwards; of several the one with the least loss publishes.
fn measure(programs: &[Program], loss: &dyn Fn(&Partition) -> f64, kind: Option<Kept>) -> Tally {
    let worlds = every_assignment(PEOPLE, VALUES);
    let found = backwards(&worlds, |values: &Vec<u32>, _| {
        let answers = programs.iter().filter_map(|program| {
            let partition = program.run(values, kind)?;
            Some((loss(&partition), program, partition))
        });
        let (_, program, partition) = answers.min_by(|a, b| a.0.total_cmp(&b.0))?;
        let mut shown = vec![None; values.len()];
        for group in partition.groups() {
            let label = (program.label)(group);
            for &row in group {
                shown[row as usize] = Some((label.clone(), values[row as usize]));
            }
        }
        Some(Release {
            shown,
            beside: histogram(values.iter().copied()),
        })
    });
    let mut tally = Tally::default();
    let people: Vec<u32> = (0..PEOPLE as u32).collect();
    let beliefs = found.everybody(&people, |values, person| values[person]);
    tally.add(&beliefs, |belief| {
        let mut believed = [0; 3];
        for (value, count) in counts(&belief.values) {
            believed[value as usize] = count;
        }
        let all = histogram(belief.witness.iter().copied());
        let linked = belief.link > 1.0 / K as f64 + 1e-6;
        !linked && kind.is_none_or(|kept| kept(&believed, &all))
    });
    tally
}

fn standing(tallies: &[Tally]) -> Standing {
    let judged = tallies.iter().filter(|tally| tally.judged > 0.0);
    match judged.map(Tally::per_mille).max() {
        None => Standing::NotPromised,
        Some(0) => Standing::Holds,
        Some(per_mille) => Standing::Exceeded { per_mille },
    }
}

/// Numbers of seven people, in one column or two, no two people alike.
fn numbers(seed: u64, columns: usize) -> Matrix {
    let mut random = SplitMix64::new(seed);
    let cells = (0..PEOPLE * columns).map(|at| (at * 20) as f64 + random.below(90) as f64);
    Matrix::new(cells.collect(), columns).expect("finite")
}

fn numeric(name: &'static str, seed: u64) -> Program {
    let columns = if name == "univariate" { 1 } else { 2 };
    let matrix = numbers(seed, columns);
    let scaled = matrix.scaled(Scaling::default());
    let options = Options {
        k: K,
        effort: 5,
        ..Options::default()
    };
    Program {
        blind: solve(name, &scaled, &options).expect("seven records"),
        mend: Box::new(move |found, admits| constrain(&scaled, found, admits).ok()),
        label: Box::new(move |group| format!("{:?}", centroid_of(&matrix, group, Centroid::Mean))),
    }
}

fn records(seed: u64) -> Records {
    let matrix = numbers(seed, 1);
    let tree = CategoryTree::flat(2).expect("two categories");
    let codes = (0..PEOPLE as u32).map(|row| row % 2).collect();
    Records::new(vec![matrix.column(0)], vec![(codes, tree)]).expect("as many codes as numbers")
}

fn clusters(name: &str, seed: u64) -> Program {
    let records = records(seed);
    let blind = match name {
        "systematic-clustering" => systematic(&records, K, &[], &[]),
        "k-member" => k_member(&records, K),
        "oka" => one_pass(&records, K),
        "sorted-runs" => runs(&records, K),
        _ => {
            let options = Options {
                k: K,
                effort: 8,
                ..Options::default()
            };
            best_clusters(&records, &options, &|| true).map(|found| found.partition)
        }
    };
    let again = records.clone();
    Program {
        blind: blind.expect("seven records"),
        mend: Box::new(move |found, admits| diversify(&records, found, admits).ok()),
        label: Box::new(move |group| format!("{:?}", again.extent(group))),
    }
}

fn check(
    name: &str,
    programs: &dyn Fn(u64) -> Vec<Program>,
    loss: &dyn Fn(u64, &Partition) -> f64,
) {
    let on = |kind: Option<Kept>| {
        let each = SEEDS.iter();
        each.map(|&seed| measure(&programs(seed), &|found| loss(seed, found), kind))
            .collect::<Vec<Tally>>()
    };
    let values: Vec<Tally> = KINDS.iter().flat_map(|&(_, kept)| on(Some(kept))).collect();
    let measured = Verdict {
        sizes: standing(&on(None)),
        values: standing(&values),
    };
    let marked = verdict(name).expect("every algorithm has a verdict");
    assert_eq!(
        marked, measured,
        "the mark of `{name}` and what was measured"
    );
}

#[test]
fn every_algorithm_for_numbers_is_marked_as_measured() {
    let mut wrong = BTreeMap::new();
    for entry in CATALOGUE.iter().map(|one| one.entry) {
        let run = std::panic::catch_unwind(|| {
            check(
                entry.name,
                &|seed| vec![numeric(entry.name, seed)],
                &|_, _| 0.0,
            );
        });
        if let Err(why) = run {
            let text = why.downcast_ref::<String>().cloned().unwrap_or_default();
            wrong.insert(entry.name, text);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The groups with the least error after promises were met, as the portfolio takes them.
#[test]
fn the_portfolio_for_numbers_is_marked_as_measured() {
    let members = ["mdav", "mdav-1", "v-mdav", "p-s", "mhm-mdav", "best-effort"];
    check(
        "auto",
        &|seed| members.iter().map(|name| numeric(name, seed)).collect(),
        &|seed, found| sse(&numbers(seed, 2), found),
    );
}

#[test]
fn every_clustering_is_marked_as_measured() {
    let names = [
        "best-effort-clustering",
        "systematic-clustering",
        "k-member",
        "oka",
        "sorted-runs",
    ];
    let mut wrong = BTreeMap::new();
    for name in names {
        let run = std::panic::catch_unwind(|| {
            check(name, &|seed| vec![clusters(name, seed)], &|_, _| 0.0);
        });
        if let Err(why) = run {
            let text = why.downcast_ref::<String>().cloned().unwrap_or_default();
            wrong.insert(name, text);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
