//! The frontier of a table through the binary: verified optima, bounds that cost more the stricter they are, the knee.

use crate::support;

use denym_testkit::shared;
use serde_json::Value;
use support::{json, patients, run, write};

/// The trials of an exploration.
fn trials(document: &Value) -> &Vec<Value> {
    document["trials"].as_array().expect("trials")
}

#[test]
fn stricter_costs_more_and_every_point_has_its_size() {
    let directory = patients();
    let (code, found) = json(
        directory.path(),
        &[
            "explore",
            "policy.toml",
            "--k",
            "1..9",
            "--suppress",
            "0,0.25",
        ],
    );
    assert_eq!(code, 0, "{found}");
    let trials = trials(&found);
    assert_eq!(trials.len(), 18);
    for trial in trials {
        let (k, value) = (trial["k"].as_u64().expect("k"), trial["value"].as_f64());
        // Nine records are more than there are.
        assert_eq!(value.is_none(), k == 9, "{trial}");
        if value.is_some() {
            assert!(trial["smallest_class"].as_u64() >= Some(k), "{trial}");
            let share = trial["suppress"].as_f64().expect("a share") * 8.0;
            assert!(trial["suppressed_records"].as_f64().expect("a count") <= share);
            let size = trial["smallest_class"].as_f64().expect("a size");
            let risk = trial["highest_risk"].as_f64().expect("a risk");
            assert!((risk * size - 1.0).abs() < 1e-12, "{trial}");
        } else {
            assert_eq!(trial["status"], "refused");
            assert!(trial["refusal"].is_string());
        }
        // Stricter along either axis never costs less.
        for other in trials {
            let looser = other["k"].as_u64() <= Some(k)
                && other["suppress"].as_f64() >= trial["suppress"].as_f64();
            if let (true, Some(value), Some(less)) = (looser, value, other["value"].as_f64()) {
                assert!(less <= value, "{other} {trial}");
            }
        }
        // The same bound costs what `anonymize` finds: the search is exact.
        if let (Some(value), Some(0)) = (value, trial["suppress"].as_u64()) {
            let text = support::POLICY.replace("k-anonymity = 2", &format!("k-anonymity = {k}"));
            write(directory.path(), "one.toml", text);
            let args = ["anonymize", "one.toml", "-o", "one", "--force"];
            let (code, released) = json(directory.path(), &args);
            assert_eq!(code, 0);
            assert_eq!(released["metric"]["value"].as_f64(), Some(value), "k = {k}");
        }
    }
}

#[test]
fn bounds_of_sensitive_values_vary_too() {
    let directory = patients();
    let text = support::POLICY.replace("l-diversity = 2", "l-diversity = 2\nt-closeness = 0.5");
    write(directory.path(), "policy.toml", text);
    let (code, found) = json(
        directory.path(),
        &["explore", "policy.toml", "--l", "1..4", "--t", "0.1,0.3,1"],
    );
    assert_eq!(code, 0, "{found}");
    assert_eq!(trials(&found).len(), 12);
    // Four diseases do not exist; three do, with everything in one class.
    for trial in trials(&found) {
        assert_eq!(trial["value"].is_null(), trial["l"] == 4, "{trial}");
    }
    let (code, refused) = json(
        directory.path(),
        &["explore", "policy.toml", "--confidence", "0.5"],
    );
    assert_eq!(
        (code, refused["error"]["code"].as_str()),
        (2, Some("argument"))
    );
    for wrong in ["0", "5..2", "x", "1..999999999"] {
        let (code, refused) = json(directory.path(), &["explore", "policy.toml", "--k", wrong]);
        assert_eq!(
            (code, refused["error"]["code"].as_str()),
            (2, Some("argument")),
            "{wrong}"
        );
    }
}

#[test]
fn the_plot_and_the_table_mark_the_knee() {
    let directory = patients();
    let args = [
        "explore",
        "policy.toml",
        "--k",
        "1..8",
        "--svg",
        "frontier.svg",
    ];
    let (code, found) = json(directory.path(), &args);
    assert_eq!(code, 0);
    let knees = found["knees"].as_array().expect("knees");
    assert_eq!(knees.len(), 1, "{found}");
    let marked: Vec<&Value> = trials(&found)
        .iter()
        .filter(|t| t["knee"] == true)
        .collect();
    assert_eq!((marked.len(), &marked[0]["k"]), (1, &knees[0]["k"]));
    let drawn = std::fs::read_to_string(directory.path().join("frontier.svg")).expect("a plot");
    assert!(drawn.starts_with("<svg") && drawn.contains(&format!("knee: k = {}", knees[0]["k"])));
    let printed = run(directory.path(), &args);
    let text = String::from_utf8(printed.stdout).expect("UTF-8");
    assert_eq!(
        text.lines()
            .filter(|line| line.ends_with("<- knee"))
            .count(),
        1
    );
    // No record of the table is in any of it.
    assert!(!text.contains("10115") && !drawn.contains("10115"));
}

#[test]
fn adult_from_2_to_100() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    write(
        directory.path(),
        "policy.toml",
        adult_policy(&adult, "auto"),
    );
    let args = ["explore", "policy.toml", "--time-budget", "10ms"];
    let (code, found) = json(directory.path(), &args);
    assert_eq!(code, 0, "{found}");
    let trials = trials(&found);
    let usual = [2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 75, 100];
    assert_eq!(trials.len(), usual.len());
    let mut last = 0.0;
    for (trial, k) in trials.iter().zip(usual) {
        let value = trial["value"].as_f64().expect("a loss");
        // Nobody searches all of it in so little time, and that is said.
        assert_eq!(trial["in_haste"], true, "{trial}");
        assert_eq!(trial["k"], k);
        assert!(trial["smallest_class"].as_u64() >= Some(k), "{trial}");
        assert!(value >= last, "{trial}");
        last = value;
    }
    assert_eq!(found["knees"].as_array().expect("knees").len(), 1);
    // The exact search gives the verified optimum, at one thread as at two.
    let exact = [
        "explore",
        "policy.toml",
        "--k",
        "2..20",
        "--algorithm",
        "full-domain",
    ];
    let (_, one) = json(
        directory.path(),
        &[&exact[..], &["--threads", "1"]].concat(),
    );
    let (_, two) = json(
        directory.path(),
        &[&exact[..], &["--threads", "2"]].concat(),
    );
    assert_eq!(one, two);
    let vectors = denym_testkit::vectors("adult-full-domain");
    for (_, config) in vectors["configs"].as_object().expect("configs") {
        let plain = config["suppression_limit"].as_f64() == Some(0.0)
            && config["sensitive"].is_null()
            && config["quasi_identifiers"]
                .as_array()
                .is_some_and(|q| q.len() == 9);
        if plain {
            let trial = one["trials"]
                .as_array()
                .expect("trials")
                .iter()
                .find(|t| t["k"] == config["k"]);
            let (value, wanted) = (
                trial.expect("that k")["value"].as_f64().expect("a loss"),
                config["results"]["loss"]["score"].as_f64().expect("a loss"),
            );
            assert!((value - wanted).abs() <= 1e-12, "{value} {wanted}");
        }
    }
}

/// Nine quasi-identifiers, k = 5, nothing suppressed.
fn adult_policy(adult: &std::path::Path, algorithm: &str) -> String {
    let attributes = denym_testkit::adult::quasi_identifiers(adult, denym_testkit::adult::COLUMNS);
    format!(
        "[data]\npath = {:?}\n[attributes]\n{attributes}[promise]\nk-anonymity = 5\n[release]\nalgorithm = \"{algorithm}\"\n",
        adult.display().to_string()
    )
}

/// People with hierarchies of every kind, 400 of them.
fn people(directory: &std::path::Path) {
    let mut rows = String::from("age,zip,job,height\n");
    for at in 0_u64..400 {
        let mixed = at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
        let row = [
            20 + mixed % 60,
            10_000 + mixed / 64 % 90,
            mixed / 8192 % 6,
            150 + mixed / 65_536 % 45,
        ];
        rows += &format!("{},{},j{},{}\n", row[0], row[1], row[2], row[3]);
    }
    write(directory, "people.csv", rows);
}

const PEOPLE: &str = "[data]\npath = \"people.csv\"\n[attributes]\nage = { role = \"quasi\", hierarchy = { interval = [5, 10, 20] } }\n\
    zip = { role = \"quasi\", type = \"text\", hierarchy = { redact = \"right\" } }\njob = \"quasi\"\n\
    height = { role = \"quasi\", hierarchy = { interval = [5, 10] } }\n[promise]\nk-anonymity = 5\n[release]\nalgorithm = \"auto\"\n";

#[test]
fn auto_explores_what_it_releases() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    people(at);
    for grain in ["", "grain = \"one-per-column\"\n"] {
        write(at, "policy.toml", format!("{PEOPLE}{grain}"));
        let args = [
            "explore",
            "policy.toml",
            "--k",
            "3,10",
            "--suppress",
            "0,0.05",
            "--time-budget",
            "10m",
        ];
        let (code, found) = json(at, &args);
        assert_eq!(code, 0, "{found}");
        for trial in trials(&found) {
            let text = format!("{PEOPLE}suppress-at-most = {}\n{grain}", trial["suppress"])
                .replace("k-anonymity = 5", &format!("k-anonymity = {}", trial["k"]));
            write(at, "one.toml", text);
            let args = ["anonymize", "one.toml", "-o", "one", "--force"];
            let (code, released) = json(at, &args);
            assert_eq!(code, 0, "{released}");
            assert_eq!(trial["value"], released["metric"]["value"], "{trial}");
            assert_eq!(trial["algorithm"], released["algorithm"], "{trial}");
            assert!(trial["in_haste"].is_null() && released["effort"].is_null());
            // One level for a whole column, or a label of its own for each class.
            assert_eq!(
                released["levels"].is_object(),
                !grain.is_empty(),
                "{released}"
            );
        }
    }
}

#[test]
fn only_bounds_that_cost_something_are_printed() {
    let directory = patients();
    let policy = support::POLICY.replace("l-diversity = 2\n", "");
    write(directory.path(), "policy.toml", policy);
    let args = [
        "explore",
        "policy.toml",
        "--k",
        "1..8",
        "--suppress",
        "0,0.1",
    ];
    let printed = |more: &[&str]| {
        let output = run(directory.path(), &[&args[..], more].concat());
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    let (few, all) = (printed(&[]), printed(&["--all"]));
    assert_eq!(all.lines().count(), 17, "{all}");
    assert!(few.lines().count() < 12, "{few}");
    assert!(few.contains("bounds are left out") && !all.contains("left out"));
    // No record may go where a tenth of eight may: one block says both.
    let rows = few.lines().skip(1).filter(|line| line.contains('%'));
    assert!(
        rows.clone()
            .all(|row| row.split_whitespace().next() == Some("0")),
        "{few}"
    );
}
