//! The figures that M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010 prints, computed again on equal footing.

use std::time::{Duration, Instant};

use denym_microdata::cluster::{
    CategoryTree, Records, best_clusters, k_member, loss_of_concerned, one_pass, systematic,
};
use denym_microdata::{
    Matrix, Options, Scaling, best_effort, information_loss_percent, solve, sse,
};
use denym_testkit::shared;

use crate::microdata::synthetic;

/// Tables 6.1 to 6.3 as printed: P-S and MDAV-1, k = 3, 4, 5, 10.
const PRINTED: [(&str, &str, [[f64; 4]; 2]); 3] = [
    (
        "6.1",
        "tarragona",
        [
            [5.4940, 8.3292, 10.8749, 17.0119],
            [16.9326, 19.5458, 22.4613, 33.1924],
        ],
    ),
    (
        "6.2",
        "census",
        [
            [1.7829, 2.5458, 2.6989, 4.9676],
            [5.6922, 7.4947, 9.0884, 14.1559],
        ],
    ),
    (
        "6.3",
        "eia",
        [
            [0.2132, 0.3235, 0.4356, 1.0443],
            [0.4829, 0.6713, 1.6667, 3.8397],
        ],
    ),
];
const KS: [usize; 4] = [3, 4, 5, 10];
/// Rounds of best effort: some seconds a cell.
const EFFORT: u64 = 100;

pub(crate) fn run() {
    for (table, dataset, printed) in PRINTED {
        information_loss(table, dataset, printed);
    }
    clusters();
    attributes();
    cardinality();
}

fn options(k: usize) -> Options {
    Options {
        k,
        ..Options::default()
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    (work(), start.elapsed())
}

/// A numeric table of the shared data.
fn numbers(dataset: &str) -> Option<Matrix> {
    let path = shared::path(&format!("data/microdata/{dataset}.csv"))?;
    let text = std::fs::read_to_string(path).expect("readable");
    let row = |line: &str| -> Vec<f64> {
        let cells = line.split(',').map(|cell| cell.parse().expect("a number"));
        cells.collect()
    };
    let rows: Vec<Vec<f64>> = text.lines().skip(1).map(row).collect();
    Some(Matrix::from_rows(&rows).expect("a matrix"))
}

fn information_loss(table: &str, dataset: &str, printed: [[f64; 4]; 2]) {
    let Some(raw) = numbers(dataset) else { return };
    let vectors = denym_testkit::vectors("microaggregation");
    let z = raw.scaled(Scaling::Standardize);
    let bound = KS.map(|k| {
        let bounds = &vectors["lower_bound_z_percent"][dataset];
        bounds[k.to_string()].as_f64().expect("a bound")
    });
    println!("\n### Table {table}: {dataset}, 100 SSE / SST\n");
    println!("| method | columns | k = 3 | k = 4 | k = 5 | k = 10 |\n|---|---|---|---|---|---|");
    let line = |name: &str, columns: &str, figures: [f64; 4]| {
        let cells = figures.map(|figure| format!("{figure:.4}"));
        println!("| {name} | {columns} | {} |", cells.join(" | "));
    };
    line("P-S as printed", "unsaid", printed[0]);
    line("MDAV-1 as printed", "standardized", printed[1]);
    for name in [
        "mdav-1",
        "mdav",
        "mhm-mdav",
        "mhm-md",
        "mhm-cbfs",
        "mhm-npn",
        "tfrp",
        "systematic",
        "p-s",
        "p-s-literal",
    ] {
        let figures = KS.map(|k| {
            let partition = solve(name, &z, &options(k)).expect("solved");
            assert!(partition.smallest() >= k, "{name}");
            information_loss_percent(&z, &partition)
        });
        if name == "mdav-1" {
            for (found, printed) in figures.iter().zip(printed[1]) {
                assert!((found - printed).abs() < 6e-5, "{found} {printed}");
            }
        }
        assert!(
            figures
                .iter()
                .zip(bound)
                .all(|(figure, bound)| *figure >= bound)
        );
        line(&format!("`{name}`"), "standardized", figures);
    }
    let best = KS.map(|k| {
        // As `denym anonymize --effort 100` does.
        let options = Options {
            effort: EFFORT,
            ..options(k)
        };
        let found = best_effort(&z, &options, &|| true).expect("solved");
        let percent = information_loss_percent(&z, &found.partition);
        let known = &vectors["best_known_to_us_z_percent"][dataset][k.to_string()];
        assert!(
            percent < known.as_f64().expect("a figure"),
            "{dataset} k = {k}"
        );
        percent
    });
    line(
        &format!("`best-effort`, effort {EFFORT}"),
        "standardized",
        best,
    );
    let known = KS.map(|k| {
        let known = &vectors["best_known_to_us_z_percent"][dataset][k.to_string()];
        known.as_f64().expect("a figure")
    });
    line("best known before", "standardized", known);
    line("proven lower bound", "standardized", bound);
    let raw_figures = KS
        .map(|k| information_loss_percent(&raw, &solve("p-s", &raw, &options(k)).expect("solved")));
    line("`p-s`", "raw", raw_figures);
    let mdav = KS.map(|k| {
        information_loss_percent(&raw, &solve("mdav", &raw, &options(k)).expect("solved"))
    });
    line("`mdav`", "raw", mdav);
}

/// Adult by age, sex and education.
pub(crate) fn adult() -> Option<Records> {
    let data = std::fs::read_to_string(shared::path("data/adult/adult.csv")?).expect("readable");
    let tree =
        std::fs::read_to_string(shared::path("vectors/education-tree.csv")?).expect("readable");
    let (mut inner, mut leaves, mut paths): (Vec<&str>, Vec<&str>, Vec<Vec<u32>>) =
        Default::default();
    for line in tree.lines() {
        let mut cells = line.trim().split(',');
        leaves.push(cells.next().expect("a leaf"));
        let mut path = Vec::new();
        for name in cells {
            if !inner.contains(&name) {
                inner.push(name);
            }
            path.push(
                inner
                    .iter()
                    .position(|known| *known == name)
                    .expect("known") as u32,
            );
        }
        paths.push(path);
    }
    let mut lines = data
        .lines()
        .map(|line| line.trim().split(';').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let column = |name: &str| {
        header
            .iter()
            .position(|cell| *cell == name)
            .expect("a column")
    };
    let (age, sex, school) = (column("age"), column("sex"), column("education"));
    let (mut ages, mut sexes, mut schools) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        ages.push(line[age].parse::<f64>().expect("a number"));
        sexes.push(u32::from(line[sex] == "Male"));
        schools.push(
            leaves
                .iter()
                .position(|leaf| *leaf == line[school])
                .expect("in the tree") as u32,
        );
    }
    let education = CategoryTree::from_paths(&paths).expect("a tree");
    let both = CategoryTree::flat(2).expect("a tree");
    Some(Records::new(vec![ages], vec![(sexes, both), (schools, education)]).expect("records"))
}

/// Figures 4.4 and 4.5.
fn clusters() {
    let Some(records) = adult() else { return };
    let n = records.len() as u32;
    println!("\n### Figures 4.4 and 4.5: Adult, {n} records, loss (4.1) and seconds\n");
    println!("| k | systematic | q = 1 % | q = 5 % | q = 10 % | k-member | OKA | ours |");
    println!("|---|---|---|---|---|---|---|---|");
    for k in [10, 20, 40, 60, 80, 100] {
        let mut cells = Vec::new();
        for share in [0, 1, 5, 10] {
            let out: Vec<u32> = (0..n)
                .filter(|row| row * share / 100 != (row + 1) * share / 100)
                .collect();
            let (found, time) = timed(|| systematic(&records, k, &out, &[]).expect("solved"));
            let loss = loss_of_concerned(&records, &found, &out);
            cells.push(format!("{loss:.0} ({:.2} s)", time.as_secs_f64()));
        }
        let (member, time) = timed(|| k_member(&records, k).expect("solved"));
        let member_loss = records.total_loss(member.groups());
        cells.push(format!("{member_loss:.0} ({:.2} s)", time.as_secs_f64()));
        let (oka, time) = timed(|| one_pass(&records, k).expect("solved"));
        cells.push(format!(
            "{:.0} ({:.2} s)",
            records.total_loss(oka.groups()),
            time.as_secs_f64()
        ));
        let effort = Options {
            effort: 8,
            ..options(k)
        };
        let (ours, time) = timed(|| best_clusters(&records, &effort, &|| true).expect("solved"));
        assert!(ours.partition.smallest() >= k && ours.loss < member_loss);
        cells.push(format!("{:.0} ({:.2} s)", ours.loss, time.as_secs_f64()));
        println!("| {k} | {} |", cells.join(" | "));
    }
}

/// Figures 5.2 and 5.3.
fn attributes() {
    let whole = synthetic(10_000, 6);
    println!(
        "\n### Figures 5.2 and 5.3: 10,000 synthetic records, SSE on standardized columns and seconds\n"
    );
    println!("| p | k | MDAV | systematic | SSE of systematic over MDAV |\n|---|---|---|---|---|");
    for p in 2..=6 {
        let columns: Vec<usize> = (0..p).collect();
        let part = whole
            .select_columns(&columns)
            .expect("columns")
            .scaled(Scaling::Standardize);
        for k in [5, 15, 25, 35] {
            let found = ["mdav", "systematic"]
                .map(|name| timed(|| solve(name, &part, &options(k)).expect("solved")));
            let losses = [sse(&part, &found[0].0), sse(&part, &found[1].0)];
            println!(
                "| {p} | {k} | {:.1} ({:.2} s) | {:.1} ({:.2} s) | {:.2} |",
                losses[0],
                found[0].1.as_secs_f64(),
                losses[1],
                found[1].1.as_secs_f64(),
                losses[1] / losses[0]
            );
        }
    }
}

/// Figure 5.4.
fn cardinality() {
    println!("\n### Figure 5.4: records and seconds of systematic, p = 6, k = 10\n");
    println!("| records | systematic | MDAV |\n|---|---|---|");
    for n in [2_500, 5_000, 10_000, 20_000, 40_000] {
        let matrix = synthetic(n, 6).scaled(Scaling::Standardize);
        let times = ["systematic", "mdav"]
            .map(|name| timed(|| solve(name, &matrix, &options(10)).expect("solved")).1);
        println!(
            "| {n} | {:.2} s | {:.2} s |",
            times[0].as_secs_f64(),
            times[1].as_secs_f64()
        );
    }
}
