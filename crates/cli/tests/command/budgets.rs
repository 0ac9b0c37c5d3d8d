//! Searches under a budget: what is at hand is released, its effort repeats it byte for byte, Ctrl-C is something else.

use crate::support;

use denym_testkit::shared;
use support::{denym, files, json, patients, run, write};

/// Adult with nine quasi-identifiers, k = 5, nothing suppressed.
fn adult(algorithm: &str) -> Option<tempfile::TempDir> {
    let data = shared::path("data/adult/adult.csv")?;
    let attributes = denym_testkit::adult::quasi_identifiers(&data, denym_testkit::adult::COLUMNS);
    let directory = tempfile::tempdir().expect("a directory");
    write(
        directory.path(),
        "policy.toml",
        format!(
            "[data]\npath = {:?}\n[attributes]\n{attributes}[promise]\nk-anonymity = 5\n[release]\nalgorithm = \"{algorithm}\"\nseed = 3\n",
            data.display().to_string()
        ),
    );
    Some(directory)
}

#[test]
fn a_budget_releases_the_best_so_far_and_its_effort_repeats_it() {
    for algorithm in ["auto", "best-effort", "local-recoding"] {
        let Some(directory) = adult(algorithm) else {
            return;
        };
        let path = directory.path();
        let release = |out: &str, more: &[&str]| {
            let (code, found) = json(
                path,
                &[&["anonymize", "policy.toml", "-o", out], more].concat(),
            );
            assert_eq!(code, 0, "{algorithm}: {found}");
            found
        };
        let timed = release("timed", &["--time-budget", "300ms"]);
        assert!(timed["claims"][0]["measured"].as_f64() >= Some(5.0));
        let effort = timed["effort"].as_u64().expect("an effort").to_string();
        let again = release("again", &["--effort", &effort, "--threads", "1"]);
        assert_eq!(again["effort"], timed["effort"], "{algorithm}");
        assert_eq!(again["metric"], timed["metric"], "{algorithm}");
        for (left, right) in files(&path.join("timed"))
            .iter()
            .zip(&files(&path.join("again")))
        {
            assert!(left == right, "{algorithm}: {} differs", left.0.display());
        }
        let plan = std::fs::read_to_string(path.join("timed/steward/plan.json")).expect("a plan");
        assert!(plan.contains(&format!("\"effort\": {effort}")), "{plan}");
        let public = files(&path.join("timed/release"));
        assert!(
            public
                .iter()
                .all(|(_, bytes)| !String::from_utf8_lossy(bytes).contains("effort")),
            "the public half says nothing about the search"
        );
        let (code, verified) = json(path, &["verify", "timed/release"]);
        assert_eq!((code, &verified["holds"]), (0, &true.into()), "{algorithm}");
    }
}

#[test]
fn more_effort_never_loses_more() {
    let Some(directory) = adult("local-recoding") else {
        return;
    };
    let mut last = f64::INFINITY;
    // The coarsest node comes last: with little effort most records are published there.
    for effort in ["0", "20", "2000"] {
        let args = [
            "anonymize",
            "policy.toml",
            "-o",
            "out",
            "--force",
            "--effort",
            effort,
        ];
        let (code, found) = json(directory.path(), &args);
        assert_eq!(code, 0, "{found}");
        let loss = found["metric"]["value"].as_f64().expect("a loss");
        assert!(loss <= last, "{effort}: {loss} {last}");
        last = loss;
    }
}

#[test]
fn a_solver_that_ends_by_itself_takes_no_budget() {
    let directory = patients();
    let text = support::POLICY.replace("full-domain", "mondrian");
    write(directory.path(), "policy.toml", text);
    let (code, found) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "out", "--effort", "5"],
    );
    assert_eq!(
        (code, found["error"]["code"].as_str()),
        (2, Some("argument"))
    );
    assert!(!directory.path().join("out").exists());
    let output = run(
        directory.path(),
        &[
            "anonymize",
            "policy.toml",
            "-o",
            "out",
            "--time-budget",
            "soon",
        ],
    );
    assert_eq!(output.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn control_c_leaves_nothing_behind() {
    let Some(directory) = adult("best-effort") else {
        return;
    };
    let mut child = denym()
        .current_dir(directory.path())
        .args([
            "anonymize",
            "policy.toml",
            "-o",
            "out",
            "--time-budget",
            "10m",
        ])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("denym runs");
    // As soon as the draft of the bundle is there the run is under way.
    let entries = || {
        std::fs::read_dir(directory.path())
            .expect("a directory")
            .count()
    };
    while entries() < 2 && child.try_wait().expect("a status").is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let stopped = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .expect("kill runs");
    assert!(stopped.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(2));
    let left: Vec<_> = std::fs::read_dir(directory.path())
        .expect("a directory")
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    assert_eq!(left, ["policy.toml"]);
}

#[test]
fn auto_says_what_it_tried_and_what_not() {
    let directory = patients();
    let policy = support::POLICY.replace("\"full-domain\"", "\"auto\"");
    write(directory.path(), "policy.toml", policy);
    let (code, found) = json(
        directory.path(),
        &[
            "anonymize",
            "policy.toml",
            "-o",
            "out",
            "--time-budget",
            "5s",
        ],
    );
    assert_eq!(code, 0, "{found}");
    let attempts = found["attempts"].as_array().expect("attempts");
    let of = |name: &str| {
        let mut named = attempts.iter().filter(|a| a["algorithm"] == name);
        named.next().unwrap_or_else(|| panic!("{name}: {found}"))
    };
    let chosen: Vec<_> = attempts.iter().filter(|a| a["chosen"] == true).collect();
    assert_eq!(chosen.len(), 1, "{found}");
    assert_eq!(chosen[0]["algorithm"], found["algorithm"]);
    let best = chosen[0]["score"].as_f64().expect("a score");
    for attempt in attempts {
        assert!(
            attempt["score"].as_f64().is_none_or(|score| score >= best),
            "{attempt}"
        );
        assert!(
            attempt["outcome"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
    }
    for name in [
        "mondrian",
        "full-domain",
        "local-recoding",
        "k-optimize",
        "greedy-bottom-up",
    ] {
        assert!(of(name)["score"].is_number(), "{name} was tried: {found}");
    }
    // What splits equal tuples cannot promise diversity, and dominated searches are left out.
    assert!(
        of("mondrian-relaxed")["outcome"]
            .as_str()
            .is_some_and(|t| t.contains("cannot honour"))
    );
    assert!(
        of("mingen")["outcome"]
            .as_str()
            .is_some_and(|t| t.starts_with("not tried"))
    );
    let report = std::fs::read_to_string(directory.path().join("out/steward/report.html"));
    let report = report.expect("a report");
    assert!(report.contains("greedy-bottom-up") && report.contains("not tried"));
}

#[test]
fn exploring_with_time_never_costs_more() {
    let directory = patients();
    let policy = support::POLICY
        .replace("\"full-domain\"", "\"auto\"")
        .replace("l-diversity = 2\n", "");
    write(directory.path(), "policy.toml", policy);
    let values = |more: &[&str]| -> Vec<f64> {
        let args = ["explore", "policy.toml", "--k", "1..4"];
        let (code, found) = json(directory.path(), &[&args, more].concat());
        assert_eq!(code, 0, "{found}");
        let trials = found["trials"].as_array().expect("trials");
        trials
            .iter()
            .map(|t| t["value"].as_f64().expect("a value"))
            .collect()
    };
    let (quick, slow) = (values(&[]), values(&["--time-budget", "5s"]));
    assert!(slow.is_sorted(), "{slow:?}");
    assert!(
        quick.iter().zip(&slow).all(|(quick, slow)| slow <= quick),
        "{quick:?} {slow:?}"
    );
}
