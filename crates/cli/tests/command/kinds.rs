//! Verbs on every kind of data: what `explore` shows is what a run would come to, and what has no meaning is refused with the reason.

use std::path::Path;

use serde_json::{Value, json as value};

use crate::support::{json, riders, write};

fn numbers(at: &Path) {
    let mut text = "income,age\n".to_owned();
    for row in 0..60_u64 {
        text += &format!("{},{}\n", 1000 + row * 7919 % 5000, 20 + row * 31 % 60);
    }
    write(at, "people.csv", text);
}

fn example(at: &Path, name: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .join(name);
    for file in std::fs::read_dir(from).expect("the example") {
        let file = file.expect("a file");
        let bytes = std::fs::read(file.path()).expect("readable");
        write(at, &file.file_name().to_string_lossy(), bytes);
    }
}

/// Explores at these k, and compares each trial with a release at that k; the values.
fn frontier(at: &Path, policy: &dyn Fn(u64) -> String, ks: &[u64]) -> Vec<f64> {
    write(at, "policy.toml", policy(2));
    let listed: Vec<String> = ks.iter().map(u64::to_string).collect();
    let (code, found) = json(at, &["explore", "policy.toml", "--k", &listed.join(",")]);
    assert_eq!(code, 0, "{found}");
    let trials = found["trials"].as_array().expect("trials");
    assert_eq!(trials.len(), ks.len());
    ks.iter()
        .zip(trials)
        .map(|(&k, trial)| {
            write(at, "policy.toml", policy(k));
            let (code, released) = json(at, &["anonymize", "policy.toml", "-o", "out", "--force"]);
            assert_eq!(code, 0, "{released}");
            assert_eq!(trial["k"], value!(k));
            assert_eq!(found["metric"], released["metric"]["name"]);
            assert_eq!(
                trial["value"], released["metric"]["value"],
                "{trial} {released}"
            );
            assert_eq!(trial["algorithm"], released["algorithm"]);
            assert_eq!(trial["suppressed_records"], released["suppressed_records"]);
            trial["value"].as_f64().expect("a number")
        })
        .collect()
}

#[test]
fn what_is_explored_of_numbers_and_clusters_is_what_would_be_released() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    numbers(at);
    for algorithm in ["auto", "mdav", "systematic-clustering"] {
        let policy = |k: u64| {
            format!(
                "[data]\npath = \"people.csv\"\n[attributes]\nincome = \"quasi\"\nage = \"quasi\"\n[promise]\nk-anonymity = {k}\n[release]\nalgorithm = \"{algorithm}\"\n"
            )
        };
        let lost = frontier(at, &policy, &[2, 5, 12]);
        assert!(
            lost[0] < lost[1] && lost[1] < lost[2],
            "{algorithm}: {lost:?}"
        );
    }
    // Losses in different units make no frontier.
    let args = ["explore", "policy.toml", "--algorithm", "mdav,mondrian"];
    assert_eq!(json(at, &args).0, 2);
    let (code, refused) = json(at, &["explore", "policy.toml", "--k", "500"]);
    assert_eq!(
        (code, &refused["trials"][0]["status"]),
        (0, &value!("refused"))
    );
}

#[test]
fn what_is_explored_of_trails_is_what_would_be_released() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    example(at, "trails");
    let given = std::fs::read_to_string(at.join("policy.toml")).expect("the policy");
    let policy = |k: u64| given.replace("k-anonymity = 3", &format!("k-anonymity = {k}"));
    let withheld = frontier(at, &policy, &[2, 3, 4]);
    assert!(
        withheld[0] <= withheld[1] && withheld[1] <= withheld[2],
        "{withheld:?}"
    );
    assert!(withheld[1] > 0.0);
    let (code, refused) = json(at, &["explore", "policy.toml", "--k", "2", "--l", "2"]);
    assert_eq!(code, 2, "trails have no l: {refused}");
}

#[test]
fn trails_are_judged_as_they_stand() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    example(at, "trails");
    let (code, found) = json(at, &["audit", "--policy", "policy.toml"]);
    assert_eq!((code, &found["status"]), (1, &value!("fails")), "{found}");
    let claim = &found["claims"][0];
    assert_eq!(
        (&claim["asked"], &claim["measured"]),
        (&value!(3.0), &value!(2.0)),
        "{claim}"
    );
    let given = std::fs::read_to_string(at.join("policy.toml")).expect("the policy");
    write(
        at,
        "policy.toml",
        given.replace("k-anonymity = 3", "k-anonymity = 2"),
    );
    assert_eq!(json(at, &["audit", "--policy", "policy.toml"]).0, 0);
    assert_eq!(
        json(at, &["audit", "samples.csv", "--policy", "policy.toml"]).0,
        2
    );
}

#[test]
fn what_is_explored_of_a_stream_is_what_would_be_published() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "events.csv", riders::events(300, 12));
    let policy = |k: u64| {
        let source = "path = \"events.csv\"";
        riders::policy(source).replace("k-anonymity = 5", &format!("k-anonymity = {k}"))
    };
    write(at, "policy.toml", policy(5));
    let args = ["explore", "policy.toml", "--k", "5,60", "--doublets", "1,2"];
    let (code, found) = json(at, &args);
    assert_eq!(code, 0, "{found}");
    let trials = found["trials"].as_array().expect("trials");
    assert_eq!(trials.len(), 4);
    for k in [5_u64, 60] {
        write(at, "policy.toml", policy(k));
        let out = format!("out-{k}");
        let (code, done) = json(at, &["stream", "policy.toml", "-o", &out]);
        assert_eq!(code, 0, "{done}");
        let of = |trial: &&Value| trial["k"] == value!(k) && trial["doublets"] == value!(2);
        let trial = trials.iter().find(of).expect("a trial");
        for key in ["published", "suppressed", "windows", "withheld"] {
            assert_eq!(trial[key], done[key], "{key}: {trial} {done}");
        }
    }
    let lost = |at: usize| trials[at]["value"].as_f64().expect("a number");
    assert!(lost(0) < lost(3), "{trials:?}");
    let args = ["explore", "policy.toml", "--suppress", "0.1"];
    assert_eq!(json(at, &args).0, 2, "a stream suppresses no records");
    write(at, "policy.toml", policy(5).replace("events.csv", "-"));
    assert_eq!(
        json(at, &["explore", "policy.toml"]).0,
        2,
        "a pipe is read once"
    );
}

#[test]
fn bundles_and_windows_are_compared_and_profiled() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    numbers(at);
    write(
        at,
        "policy.toml",
        "[data]\npath = \"people.csv\"\n[attributes]\nincome = \"quasi\"\nage = \"quasi\"\n[promise]\nk-anonymity = 5\n[release]\nalgorithm = \"mdav\"\n",
    );
    assert_eq!(json(at, &["anonymize", "policy.toml", "-o", "out"]).0, 0);
    let (code, bundle) = json(at, &["compare", "people.csv", "out"]);
    let (_, file) = json(at, &["compare", "people.csv", "out/release/people.csv"]);
    assert_eq!((code, &bundle), (0, &file), "a bundle is its data");
    let (code, profile) = json(at, &["profile", "out"]);
    assert_eq!(
        (code, &profile["records"], &profile["looks_like"]),
        (0, &value!(60), &value!("table"))
    );
    write(at, "events.csv", riders::events(60, 6));
    let (_, profile) = json(at, &["profile", "events.csv"]);
    assert_eq!(profile["looks_like"], "paths", "{profile}");
    let (code, refused) = json(at, &["compare", "people.csv", "events.csv"]);
    assert_eq!(code, 2, "no common column: {refused}");
    write(at, "stream.toml", riders::policy("path = \"events.csv\""));
    assert_eq!(json(at, &["stream", "stream.toml", "-o", "windows"]).0, 0);
    // Everybody is somewhere in each of six hours; 24 times that is not published.
    let (code, profile) = json(at, &["profile", "windows"]);
    assert_eq!((code, &profile["records"]), (0, &value!(336)), "{profile}");
    let (code, refused) = json(at, &["compare", "windows", "people.csv"]);
    assert_eq!(code, 2, "no common column: {refused}");
}
