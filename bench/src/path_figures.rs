//! The figures of the papers on paths, one command each: what the thesis plots, computed again.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::paths::{generate, msnbc, scalability};
use crate::process::{denym, output};

/// What every panel varies.
const K: &str = "10,20,30,40,50";

/// Figure 6: distortion on Subway over K, for L = 1 to 4 and k-anonymity of whole paths, at three bounds C.
pub(crate) fn figure_6() {
    let work = tempfile::tempdir().expect("a directory");
    generate(&work.path().join("paths.csv"), "subway", &["--seed", "42"]);
    panels(work.path(), "1,2,3,4");
    whole_paths(work.path());
}

/// Figure 7: the same on MSNBC, for L = 1 to 3; the status is drawn at random, as in the thesis.
pub(crate) fn figure_7() {
    let work = tempfile::tempdir().expect("a directory");
    if msnbc(&work.path().join("paths.csv")) {
        panels(work.path(), "1,2,3");
    }
}

/// Figure 8: whole runs over one to ten million records.
pub(crate) fn figure_8() {
    let work = tempfile::tempdir().expect("a directory");
    scalability(work.path());
}

/// Figure 9 of the paper on streams, on Subway: LKC-privacy at L = 2, C = 60 % against k-anonymity of whole paths.
pub(crate) fn figure_9() {
    let work = tempfile::tempdir().expect("a directory");
    generate(&work.path().join("paths.csv"), "subway", &["--seed", "42"]);
    policy(work.path(), "global-suppression");
    println!("| | K = 10 | 20 | 30 | 40 | 50 |\n|---|---|---|---|---|---|");
    row(
        work.path(),
        "L = 2, C = 60 %",
        &["--doublets", "2", "--confidence", "0.6"],
    );
    whole_paths(work.path());
}

/// One table per bound C, a row per L.
fn panels(at: &Path, lengths: &str) {
    policy(at, "global-suppression");
    for confidence in ["0.2", "0.6", "1"] {
        println!("\nC = {confidence}, distortion:\n");
        println!("| | K = 10 | 20 | 30 | 40 | 50 |\n|---|---|---|---|---|---|");
        for l in lengths.split(',') {
            let args = ["--doublets", l, "--confidence", confidence];
            row(at, &format!("L = {l}"), &args);
        }
    }
}

/// The baseline of the papers: k-anonymity of whole paths.
fn whole_paths(at: &Path) {
    policy(at, "whole-paths");
    println!("\nk-anonymity of whole paths, distortion:\n");
    println!("| | K = 10 | 20 | 30 | 40 | 50 |\n|---|---|---|---|---|---|");
    row(at, "whole paths", &["--confidence", "1"]);
}

/// One of the five values of `status` is protected, as in the thesis.
fn policy(at: &Path, algorithm: &str) {
    let text = format!(
        "[data]\npath = \"paths.csv\"\nkind = \"paths\"\n[adversary]\nknows = {{ doublets = 2 }}\nmatching = \"covers\"\n\
         [promise]\nk-anonymity = 10\nconfidence = {{ attribute = \"status\", values = [\"0\"], at-most = 1 }}\n\
         [release]\nalgorithm = \"{algorithm}\"\nmetric = \"distortion\"\n"
    );
    std::fs::write(at.join("policy.toml"), text).expect("written");
}

fn row(at: &Path, title: &str, args: &[&str]) {
    let mut command = Command::new(denym());
    command
        .current_dir(at)
        .args(["explore", "policy.toml", "--json", "--k", K])
        .args(args);
    let found: Value = serde_json::from_str(&output(&mut command)).expect("JSON");
    let cells: Vec<String> = found["trials"]
        .as_array()
        .expect("trials")
        .iter()
        .map(|trial| match trial["value"].as_f64() {
            Some(value) => format!("{:.1} %", value * 100.0),
            None => "refused".to_owned(),
        })
        .collect();
    assert_eq!(cells.len(), 5, "{title}");
    println!("| {title} | {} |", cells.join(" | "));
}
