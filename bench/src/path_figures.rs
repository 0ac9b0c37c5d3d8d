//! The figures of the papers on paths, one command each: what Al-Hussaeni 2009 plots, computed again.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::paths::{generate, msnbc, scalability};
use crate::process::{denym, megabytes, once, output, own, seconds};

/// What every panel varies.
const K: &str = "10,20,30,40,50";

/// Figure 6: distortion on Subway over K, for L = 1 to 4 and k-anonymity of whole paths, at three bounds C.
pub(crate) fn figure_6() {
    let work = tempfile::tempdir().expect("a directory");
    generate(&work.path().join("paths.csv"), "subway", &["--seed", "42"]);
    panels(work.path(), "1,2,3,4", "0");
    whole_paths(work.path());
}

/// Figure 7: the same on MSNBC, for L = 1 to 3; the status is drawn at random, as in Al-Hussaeni 2009.
pub(crate) fn figure_7() {
    let work = tempfile::tempdir().expect("a directory");
    if msnbc(&work.path().join("paths.csv")) {
        panels(work.path(), "1,2,3", "2");
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
    policy(work.path(), "0", "global-suppression");
    println!("| | K = 10 | 20 | 30 | 40 | 50 |\n|---|---|---|---|---|---|");
    row(
        work.path(),
        "L = 2, C = 60 %",
        &["--doublets", "2", "--confidence", "0.6"],
    );
    whole_paths(work.path());
}

/// A week of London's rail journeys, L = 2, K = 5: every algorithm under both matchings.
pub(crate) fn oyster() {
    let Some(data) = denym_testkit::shared::path("data/paths/oyster") else {
        return;
    };
    let work = tempfile::tempdir().expect("a directory");
    let at = work.path();
    let mut prepare = Command::new("python3");
    prepare
        .current_dir(at)
        .arg(own("peers/oyster_paths.py"))
        .arg(data)
        .args(["oyster.csv", "squares.csv"]);
    assert_eq!(output(&mut prepare).trim(), "765313", "journeys");
    println!(
        "| matching | algorithm | critical violations | suppressed everywhere | removed | unchanged | loss | exposed | wall | memory |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for matching in ["covers", "consistent"] {
        for algorithm in ["global-suppression", "local-suppression", "coarsening"] {
            let policy = format!(
                "[data]\npath = \"oyster.csv\"\nkind = \"paths\"\nseveral-places = true\ncollapse-repeats = false\n\
                 [adversary]\nknows = {{ doublets = 2 }}\nmatching = \"{matching}\"\n[promise]\nk-anonymity = 5\n\
                 [release]\nalgorithm = \"{algorithm}\"\nplaces = \"squares.csv\"\nslots = [2]\n"
            );
            std::fs::write(at.join("policy.toml"), policy).expect("written");
            let mut anonymize = Command::new(denym());
            anonymize.current_dir(at).args([
                "anonymize",
                "policy.toml",
                "-o",
                "out",
                "--force",
                "--json",
            ]);
            let found: Value = serde_json::from_str(&output(&mut anonymize)).expect("JSON");
            assert_eq!(found["status"], "released", "{algorithm} {matching}");
            if (matching, algorithm) == ("covers", "global-suppression") {
                // The reference figures.
                assert_eq!(found["critical_violations"], 262_357);
                assert_eq!(found["suppressed_doublets"], 7_927);
                assert_eq!(found["lost_doublets"], 1_411_142);
            }
            let run = once(&mut anonymize);
            let percent = |key: &str| {
                let value = found[key].as_f64().expect("a number");
                format!("{:.1} %", value * 100.0)
            };
            let unchanged = found["unchanged_doublets"].as_f64().expect("a number")
                / found["doublets"].as_f64().expect("a number");
            println!(
                "| {matching} | `{algorithm}` | {} | {} | {} | {:.1} % | {} | {} | {} | {} |",
                found["critical_violations"],
                found["suppressed_doublets"],
                percent("distortion"),
                unchanged * 100.0,
                percent("loss"),
                found["exposed_records"],
                seconds(run.wall),
                megabytes(run.memory),
            );
        }
    }
}

/// One table per bound C, a row per L.
fn panels(at: &Path, lengths: &str, value: &str) {
    policy(at, value, "global-suppression");
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
    policy(at, "0", "whole-paths");
    println!("\nk-anonymity of whole paths, distortion:\n");
    println!("| | K = 10 | 20 | 30 | 40 | 50 |\n|---|---|---|---|---|---|");
    row(at, "whole paths", &["--confidence", "1"]);
}

/// One of the five values of `status` is protected, as in Al-Hussaeni 2009; at C = 20 % it must be one that fewer people have.
fn policy(at: &Path, value: &str, algorithm: &str) {
    let text = format!(
        "[data]\npath = \"paths.csv\"\nkind = \"paths\"\n[adversary]\nknows = {{ doublets = 2 }}\nmatching = \"covers\"\n\
         [promise]\nk-anonymity = 10\nconfidence = {{ attribute = \"status\", values = [\"{value}\"], at-most = 1 }}\n\
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
