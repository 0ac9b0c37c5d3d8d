//! Numbers in groups, clusters and perturbed columns, end to end through the binary.

#[path = "../support/mod.rs"]
mod support;

mod clusters;
mod growth;
mod mistakes;
mod numbers;
mod perturbation;
mod promises;
mod scaling;

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;
use support::{json, write};

fn header(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let first = text.lines().next().expect("a header");
    first.split(',').map(str::to_owned).collect()
}

/// A policy that groups `columns` of the table in `path`.
fn policy(path: &Path, columns: &[String], k: u64, release: &str) -> String {
    let mut text = format!("[data]\npath = \"{}\"\n\n[attributes]\n", path.display());
    for name in columns {
        let _ = writeln!(text, "{name:?} = \"quasi\"");
    }
    let _ = write!(
        text,
        "\n[promise]\nk-anonymity = {k}\n\n[release]\n{release}\n"
    );
    text
}

fn released(directory: &Path, args: &[&str]) -> Value {
    let (code, document) = json(directory, args);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["status"], "released");
    document
}

const ANONYMIZE: [&str; 5] = ["anonymize", "policy.toml", "-o", "bundle", "--force"];

/// Fifty people: two numbers, a town, an ordered grade, a disease.
fn people() -> String {
    let mut csv = String::from("height,weight,town,grade,disease,income\n");
    for i in 0_u32..50 {
        let town = ["Aa", "Ab", "Ba", "Bb"][(i % 4) as usize];
        let grade = ["low", "middle", "high"][(i * 7 % 3) as usize];
        let disease = ["flu", "cold", "asthma", "none"][(i * i % 11 % 4) as usize];
        let (height, weight) = (150 + i * 37 % 50, 50.5 + f64::from(i * 13 % 45));
        let _ = writeln!(
            csv,
            "{height},{weight},{town},{grade},{disease},{}",
            1000 + i * 397 % 5000
        );
    }
    csv
}

const PEOPLE: &str = r#"[data]
path = "people.csv"

[attributes]
height = "quasi"
weight = "quasi"
disease = "sensitive"
income = "insensitive"

[promise]
k-anonymity = 3
PROMISE
[release]
algorithm = "mdav"
"#;

fn people_policy(promise: &str, release: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "people.csv", people());
    let text = PEOPLE.replace("PROMISE", promise) + release;
    write(directory.path(), "policy.toml", &text);
    (directory, text)
}

/// The cells of a line without escaped quotes.
fn split(line: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                cells.push(line[start..at].trim_matches('"'));
                start = at + 1;
            }
            _ => {}
        }
    }
    cells.push(line[start..].trim_matches('"'));
    cells
}
