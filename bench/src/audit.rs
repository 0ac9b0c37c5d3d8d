//! Every promise measured on Adult x33 (about a million rows), beside pycanon's full report in the same run.

use std::process::Command;

use denym_testkit::shared;
use serde_json::Value;

use crate::process::{denym, fastest, output, own, python, seconds};

const QUASI: &str = "sex,age,race";
const SENSITIVE: &str = "occupation";

pub(crate) fn run() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let Some(python) = python(&["pycanon==1.3.6", "pandas<3", "numpy<2.1"]) else {
        return;
    };
    let work = tempfile::tempdir().expect("a directory");
    let large = work.path().join("adult33.csv");
    let text = std::fs::read_to_string(&adult).expect("readable");
    let (header, body) = text.split_once('\n').expect("a header");
    std::fs::write(&large, format!("{header}\n{}", body.repeat(33))).expect("written");

    let audit = || {
        let mut command = Command::new(denym());
        command.arg("audit").arg(&large).args([
            "--quasi",
            QUASI,
            "--sensitive",
            SENSITIVE,
            "--json",
        ]);
        command
    };
    let ours: Value = serde_json::from_str(&output(&mut audit())).expect("JSON");
    let script = own("peers/pycanon_report.py");
    let theirs: Value = serde_json::from_str(&output(
        Command::new(python)
            .arg(script)
            .arg(&large)
            .args([";", QUASI, SENSITIVE]),
    ))
    .expect("JSON");
    let found = &ours["sensitive"][SENSITIVE];
    for key in [
        "k",
        "alpha",
        "distinct_l",
        "t_equal_distance",
        "basic_beta",
        "delta_ln_present_values_only",
    ] {
        let (a, b) = (
            found[key].as_f64().expect("ours"),
            theirs["answers"][key].as_f64().expect("theirs"),
        );
        assert!(
            (a - b).abs() <= 1e-9 * b.abs().max(1.0),
            "{key}: {a} and {b}"
        );
    }
    let time = fastest(&audit);
    let peer =
        theirs["seconds"].as_f64().expect("a time") + theirs["read"].as_f64().expect("a time");
    println!("| tool | k | t | time | ratio |");
    println!("|---|---|---|---|---|");
    println!(
        "| denym audit (whole process) | {} | {} | {} | 1.00x |",
        found["k"],
        found["t_equal_distance"],
        seconds(time.wall)
    );
    println!(
        "| pycanon 1.3.6, every measure (reading included, imports not) | {} | {} | {peer:.3} s | {:.0}x |",
        theirs["answers"]["k"],
        theirs["answers"]["t_equal_distance"],
        peer / time.wall.as_secs_f64()
    );
}
