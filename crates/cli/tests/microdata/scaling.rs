//! The scale that numbers are grouped on, and one column beside ten.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::Value;

use super::support::{json, write};
use super::{ANONYMIZE, policy, released};

/// Six records whose best two groups of three are others on each scale: one column has large numbers, one an outlier.
const RECORDS: [[f64; 3]; 6] = [
    [8.0, 90.0, 0.0],
    [40.0, 180.0, 1.0],
    [9.0, 120.0, 8.0],
    [2.0, 270.0, 3.0],
    [0.0, 150.0, 10.0],
    [9.0, 180.0, 16.0],
];

/// The records of the best group with the first record, and 100 SSE / SST, by trying all ten divisions.
fn optimum(scale: &str) -> (Vec<usize>, f64) {
    let mut scaled = RECORDS;
    for column in 0..3 {
        let cells = RECORDS.map(|record| record[column]);
        let mean = cells.iter().sum::<f64>() / 6.0;
        let unit = match scale {
            "z" => (cells.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 6.0).sqrt(),
            "min-max" => {
                cells.iter().copied().fold(f64::MIN, f64::max)
                    - cells.iter().copied().fold(f64::MAX, f64::min)
            }
            _ => 1.0,
        };
        for record in &mut scaled {
            record[column] /= unit;
        }
    }
    let sse = |group: &[usize]| -> f64 {
        let mean = |column: usize| {
            group.iter().map(|&at| scaled[at][column]).sum::<f64>() / group.len() as f64
        };
        let square = |at: usize, column: usize| (scaled[at][column] - mean(column)).powi(2);
        let columns = (0..3).flat_map(|column| group.iter().map(move |&at| (at, column)));
        columns.map(|(at, column)| square(at, column)).sum()
    };
    let mut best = (Vec::new(), f64::INFINITY);
    for one in 1..6 {
        for two in one + 1..6 {
            let group = vec![0, one, two];
            let others: Vec<usize> = (1..6).filter(|at| !group.contains(at)).collect();
            let lost = sse(&group) + sse(&others);
            if lost < best.1 {
                best = (group, lost);
            }
        }
    }
    (best.0, 100.0 * best.1 / sse(&[0, 1, 2, 3, 4, 5]))
}

#[test]
fn each_scale_has_its_own_best_groups() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut csv = String::from("a,b,c\n");
    for [a, b, c] in RECORDS {
        let _ = writeln!(csv, "{a},{b},{c}");
    }
    let data = write(directory.path(), "six.csv", csv);
    let columns = ["a", "b", "c"].map(str::to_owned);
    let mut groups = Vec::new();
    for scale in ["z", "raw", "min-max"] {
        let release = format!("algorithm = \"best-effort\"\nstandardize = \"{scale}\"");
        let text = policy(&data, &columns, 3, &release);
        write(directory.path(), "policy.toml", text);
        let document = released(directory.path(), &ANONYMIZE);
        let (group, percent) = optimum(scale);
        let found = document["information_loss_percent"].as_f64();
        assert!(
            found.is_some_and(|found| (found - percent).abs() < 1e-6),
            "{scale}: {found:?} instead of {percent}"
        );
        // What is published are means of the numbers as they were, whatever the scale.
        let text = std::fs::read_to_string(directory.path().join("bundle/release/six.csv"))
            .expect("the release");
        let mean = |column: usize| group.iter().map(|&at| RECORDS[at][column]).sum::<f64>() / 3.0;
        let published = text.lines().skip(1).filter(|line| {
            let cells: Vec<f64> = line
                .split(',')
                .filter_map(|cell| cell.parse().ok())
                .collect();
            (0..3).all(|column| (cells[column] - mean(column)).abs() < 1e-5)
        });
        assert_eq!(published.count(), 3, "{scale}: {text}");
        groups.push(group);
    }
    groups.sort();
    groups.dedup();
    assert_eq!(groups.len(), 3, "the scales differ");
}

/// Every algorithm for numbers takes ten columns and one with the same policy, and tells the same about both.
#[test]
fn ten_columns_and_one_work_alike() {
    const K: u64 = 4;
    let directory = tempfile::tempdir().expect("a directory");
    let names: Vec<String> = (0..10).map(|column| format!("c{column}")).collect();
    let mut csv = names.join(",") + "\n";
    for row in 0_u64..90 {
        let cells: Vec<String> = (0_u64..10)
            .map(|column| (row * (2 * column + 31) * 97 % 1009 % (50 * (column + 1))).to_string())
            .collect();
        let _ = writeln!(csv, "{}", cells.join(","));
    }
    let data = write(directory.path(), "wide.csv", csv);
    for algorithm in [
        "auto",
        "best-effort",
        "mdav",
        "mdav-1",
        "mdav-2k",
        "mdav-blocks",
        "mdav-generic",
        "md",
        "cbfs",
        "v-mdav",
        "tfrp",
        "tfrp-2",
        "systematic",
        "p-s",
        "p-s-literal",
        "mhm",
        "mhm-mdav",
        "mhm-md",
        "mhm-cbfs",
        "mhm-npn",
        "k-member",
        "oka",
        "sorted-runs",
        "systematic-clustering",
        "best-effort-clustering",
    ] {
        let mut keys: Vec<Vec<String>> = Vec::new();
        for columns in [&names[..], &names[..1]] {
            let release = format!("algorithm = {algorithm:?}");
            let text = policy(&data, columns, K, &release);
            write(directory.path(), "policy.toml", text);
            let document = released(
                directory.path(),
                &[&ANONYMIZE[..], &["--effort", "5"]].concat(),
            );
            let text = std::fs::read_to_string(directory.path().join("bundle/release/wide.csv"))
                .expect("the release");
            let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
            for line in text.lines().skip(1) {
                *classes.entry(line).or_default() += 1;
            }
            assert_eq!(classes.values().sum::<u64>(), 90, "{algorithm}");
            assert!(classes.values().all(|&size| size >= K), "{algorithm}");
            assert_eq!(document["classes"], classes.len(), "{algorithm}");
            let lost = document["information_loss_percent"].as_f64();
            assert!(
                lost.is_some_and(|lost| lost > 0.0 && lost < 100.0),
                "{algorithm} {}: {lost:?}",
                columns.len()
            );
            let (code, verified) = json(directory.path(), &["verify", "bundle/release"]);
            assert_eq!((code, &verified["holds"]), (0, &Value::Bool(true)));
            let object = document.as_object().expect("an object");
            let told = object.keys().filter(|key| *key != "effort").cloned();
            keys.push(told.collect());
        }
        assert_eq!(keys[0], keys[1], "{algorithm}");
    }
}
