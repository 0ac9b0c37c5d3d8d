//! Streams through the binary: every event has one fate, and a run killed at any moment goes on to the same bytes.

use crate::support;

use std::time::Duration;

use support::riders::{events, policy};
use support::{files, json, run, write};

#[test]
fn every_event_has_one_fate() {
    let directory = tempfile::tempdir().expect("a directory");
    // A repeated event and one that comes far too late.
    write(
        directory.path(),
        "events.csv",
        events(200, 12) + "r0,s0,11\nr1,s1,0\n",
    );
    write(
        directory.path(),
        "policy.toml",
        policy("path = \"events.csv\""),
    );
    let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    let count = |key: &str| found[key].as_u64().expect("a count");
    assert_eq!(count("events"), 200 * 12 + 2);
    let fates = ["published", "suppressed", "late", "duplicates", "rejected"].map(count);
    assert_eq!(fates.iter().sum::<u64>(), count("events"), "{found}");
    assert_eq!((count("late"), count("duplicates")), (1, 1), "{found}");
    assert_eq!((count("withheld"), count("violations")), (0, 0), "{found}");
    assert!(
        count("windows") >= 9 && count("published") > 1500 && count("suppressed") > 0,
        "{found}"
    );
}

#[test]
fn the_steward_reads_how_it_went() {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "events.csv", events(200, 12));
    write(
        directory.path(),
        "policy.toml",
        policy("path = \"events.csv\""),
    );
    let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    let path = directory.path().join("out/steward/report.html");
    let page = std::fs::read_to_string(path).expect("a report");
    let windows = format!("{} windows were published and 0 withheld", found["windows"]);
    for told in [
        windows.as_str(),
        "window-doublets",
        "window-difference",
        "k-anonymity",
        "at least 5",
    ] {
        assert!(page.contains(told), "{told}");
    }
    // Nobody's name and no place stands in it.
    assert!(!page.contains("r17") && !page.contains("s7,"));
}

#[test]
fn malformed_events_are_counted_and_not_quoted() {
    let directory = tempfile::tempdir().expect("a directory");
    let bad = "Sekretna,s1,NaN\n\"Sekretna\n";
    write(directory.path(), "events.csv", events(60, 6) + bad);
    write(
        directory.path(),
        "policy.toml",
        policy("path = \"events.csv\""),
    );
    let output = run(
        directory.path(),
        &["stream", "policy.toml", "-o", "out", "--json"],
    );
    let text = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(
        !text.contains("Sekretna") && !text.contains("panicked"),
        "{text}"
    );
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(output.status.code(), Some(0), "{found}");
    assert_eq!(
        (&found["rejected"], &found["events"]),
        (&2.into(), &362.into()),
        "{found}"
    );
}

#[test]
fn killed_and_resumed_gives_the_same_bytes() {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "events.csv", events(4000, 60));
    write(
        directory.path(),
        "policy.toml",
        policy("path = \"events.csv\""),
    );
    assert_eq!(
        run(
            directory.path(),
            &["stream", "policy.toml", "-o", "whole", "--quiet"]
        )
        .status
        .code(),
        Some(0)
    );
    let mut cut = 0;
    for delay in [20, 45, 70, 95, 120, 150, 180, 220, 260, 320] {
        let mut child = std::process::Command::new(support::BINARY)
            .current_dir(directory.path())
            .args(["stream", "policy.toml", "-o", "parts", "--quiet"])
            .spawn()
            .expect("denym starts");
        std::thread::sleep(Duration::from_millis(delay));
        if child.try_wait().expect("a status").is_none() {
            cut += 1;
        }
        // A child that has ended already cannot be killed.
        let _ = child.kill();
        child.wait().expect("ended");
    }
    assert_eq!(
        run(
            directory.path(),
            &["stream", "policy.toml", "-o", "parts", "--quiet"]
        )
        .status
        .code(),
        Some(0)
    );
    assert!(cut > 0, "at least one run was killed on its way");
    let published = |name: &str| {
        let mut found = files(&directory.path().join(name));
        found.retain(|(path, _)| !path.to_string_lossy().contains("checkpoint"));
        found
    };
    let (whole, parts) = (published("whole"), published("parts"));
    assert_eq!(whole.len(), parts.len());
    for (left, right) in whole.iter().zip(&parts) {
        assert!(left == right, "{} differs", left.0.display());
    }
}
