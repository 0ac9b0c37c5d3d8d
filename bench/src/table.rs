//! The main job on Adult and on a million badly compressing rows, whole process, beside the recorded figures of ARX.

use std::path::Path;
use std::process::Command;

use denym_testkit::shared;

use crate::process::{Run, denym, fastest, megabytes, once, output, seconds};

/// One configuration: name, k, suppression limit, the loss and the suppressed records that are known to be optimal, and what the
/// best-known tool (ARX 3.9, recorded on the same kind of machine, quiet) takes.
const CONFIGS: [(&str, u64, &str, Option<(f64, u64)>, f64); 2] = [
    ("b", 5, "0.05", Some((0.241_932_365_066_290_8, 1346)), 3.6),
    ("e", 10, "1", None, 7.6),
];
const QUASI: [&str; 9] = [
    "sex",
    "age",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
];

pub(crate) fn run() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let work = tempfile::tempdir().expect("a directory");
    println!(
        "| data | config | peer (ARX, recorded) | denym | memory | ratio | read and write alone | total over that |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for (name, k, limit, known, peer) in CONFIGS {
        row(work.path(), &adult, "Adult", name, k, limit, known, peer);
    }
    let mixed = work.path().join("mix1m.csv");
    let Some(script) = shared::path("reference/mix_adult.py") else {
        return;
    };
    output(Command::new("python3").arg(script).arg(&adult).arg(&mixed));
    row(
        work.path(),
        &mixed,
        "mix1m",
        "k=5, 5 %",
        5,
        "0.05",
        None,
        47.0,
    );
}

#[expect(clippy::too_many_arguments, reason = "one row of a table")]
fn row(
    work: &Path,
    data: &Path,
    title: &str,
    name: &str,
    k: u64,
    limit: &str,
    known: Option<(f64, u64)>,
    peer: f64,
) {
    let hierarchies = shared::path("data/adult").expect("there");
    let mut policy = format!(
        "[data]\npath = {:?}\n[attributes]\n",
        data.display().to_string()
    );
    for attribute in QUASI {
        let file = hierarchies.join(format!("adult_hierarchy_{attribute}.csv"));
        policy += &format!(
            "{attribute} = {{ role = \"quasi\", hierarchy = {:?} }}\n",
            file.display().to_string()
        );
    }
    policy += &format!(
        "[promise]\nk-anonymity = {k}\n[release]\nalgorithm = \"full-domain\"\nsuppress-at-most = {limit}\n"
    );
    let file = work.join("policy.toml");
    std::fs::write(&file, policy).expect("written");
    let bundle = work.join("bundle");
    let anonymize = |json: bool| {
        let mut command = Command::new(denym());
        command
            .arg("anonymize")
            .arg(&file)
            .arg("-o")
            .arg(&bundle)
            .arg("--force");
        if json {
            command.arg("--json");
        }
        command
    };
    let document: serde_json::Value =
        serde_json::from_str(&output(&mut anonymize(true))).expect("JSON");
    assert_eq!(document["status"], "released");
    assert!(
        document["claims"][0]["measured"]
            .as_f64()
            .is_some_and(|measured| measured >= k as f64)
    );
    if let Some((loss, suppressed)) = known {
        assert!((document["metric"]["value"].as_f64().expect("a number") - loss).abs() < 1e-12);
        assert_eq!(document["suppressed_records"], suppressed);
    }
    output(Command::new(denym()).arg("verify").arg(&bundle));
    let ours = fastest(&|| anonymize(false));
    let copy = copy(data, work);
    println!(
        "| {title} | {name} | {peer:.1} s | {} (cpu {}) | {} | {:.0}x | {} | {:.1} |",
        seconds(ours.wall),
        seconds(ours.cpu),
        megabytes(ours.memory),
        peer / ours.wall.as_secs_f64(),
        seconds(copy.wall),
        ours.wall.as_secs_f64() / copy.wall.as_secs_f64(),
    );
}

/// Merely reading the file into columns and writing it again, by the same engine.
fn copy(data: &Path, work: &Path) -> Run {
    let target = work.join("copy.csv");
    let example = denym().parent().expect("a directory").join("examples/copy");
    assert!(
        example.is_file(),
        "build the engine's example `copy` first: make bench does"
    );
    let command = || {
        let mut command = Command::new(&example);
        command.arg(data).arg(&target);
        command
    };
    once(&mut command());
    fastest(&command)
}
