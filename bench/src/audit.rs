//! Every promise measured on Adult x33 (about a million rows), beside each measure of pycanon in the same run; and a million rows
//! with nine quasi-identifiers.

use std::process::Command;

use denym_testkit::python::{PYCANON, python};
use denym_testkit::shared;
use serde_json::Value;

use crate::process::{denym, fastest, output, own, seconds};

const QUASI: &str = "sex,age,race";
const SENSITIVE: &str = "occupation";

pub(crate) fn run() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let Some(python) = python(&PYCANON) else {
        return;
    };
    let work = tempfile::tempdir().expect("a directory");
    let large = work.path().join("adult33.csv");
    let text = std::fs::read_to_string(&adult).expect("readable");
    let (header, body) = text.split_once('\n').expect("a header");
    std::fs::write(&large, format!("{header}\n{}", body.repeat(33))).expect("written");

    // The peer does not ask what further columns would tell.
    let asking = || {
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
    let audit = || {
        let mut command = asking();
        command.arg("--no-what-if");
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
    for (key, theirs_key) in [
        ("k", "k"),
        ("alpha", "alpha"),
        ("distinct_l", "distinct_l"),
        ("t_equal_distance", "t_closeness"),
        ("basic_beta", "basic_beta"),
        (
            "delta_ln_present_values_only",
            "delta_ln_present_values_only",
        ),
    ] {
        let (a, b) = (
            found[key].as_f64().expect("ours"),
            theirs["answers"][theirs_key].as_f64().expect("theirs"),
        );
        assert!(
            (a - b).abs() <= 1e-9 * b.abs().max(1.0),
            "{key}: {a} and {b}"
        );
    }
    let time = fastest(&audit);
    let wall = time.wall.as_secs_f64();
    let read = theirs["read"].as_f64().expect("a time");
    println!("| tool | measure | time | ratio |");
    println!("|---|---|---|---|");
    println!(
        "| denym audit | every one, whole process | {} | 1.00x |",
        seconds(time.wall)
    );
    let asked = fastest(&asking).wall;
    println!(
        "| denym audit | every one, and again with each further column and pair known | {} | {:.2}x |",
        seconds(asked),
        asked.as_secs_f64() / wall
    );
    for (name, taken) in theirs["taken"].as_object().expect("times") {
        let taken = taken.as_f64().expect("a time");
        println!(
            "| pycanon 1.3.6 | {name} (reading included, imports not) | {:.3} s | {:.1}x |",
            taken + read,
            (taken + read) / wall
        );
    }
    let peer = theirs["seconds"].as_f64().expect("a time") + read;
    println!(
        "| pycanon 1.3.6 | every one (reading included, imports not) | {peer:.3} s | {:.0}x |",
        peer / wall
    );
    wide(work.path(), header, body);
}

/// A million rows with nine quasi-identifiers: no peer finishes, so the row has our time alone.
fn wide(work: &std::path::Path, header: &str, body: &str) {
    let file = work.join("wide.csv");
    let mut text = format!("{};week\n", header.trim_end());
    for (row, line) in std::iter::repeat_n(body, 34)
        .flat_map(str::lines)
        .enumerate()
    {
        if row == 1_000_000 {
            break;
        }
        text.push_str(line);
        // A tenth column to infer, spread over classes and copies alike.
        text.push_str([";1", ";2", ";3", ";4", ";5", ";6", ";7"][(row * 31 + row / 30_162) % 7]);
        text.push('\n');
    }
    std::fs::write(&file, text).expect("written");
    let audit = || {
        let mut command = Command::new(denym());
        command.arg("audit").arg(&file).args([
            "--quasi",
            "sex,age,race,marital-status,education,native-country,workclass,occupation,salary-class",
            "--sensitive",
            "week",
            "--json",
        ]);
        command
    };
    let found: Value = serde_json::from_str(&output(&mut audit())).expect("JSON");
    assert_eq!(found["records"], 1_000_000);
    let time = fastest(&audit);
    println!(
        "| denym audit | every one, 1,000,000 rows and 9 quasi-identifiers ({} classes) | {} | |",
        found["classes"],
        seconds(time.wall)
    );
}
