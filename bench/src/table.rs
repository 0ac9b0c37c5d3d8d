//! The main job on Adult and on a million badly compressing rows, whole process, beside the recorded figures of ARX.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use denym_testkit::adult::COLUMNS as QUASI;
use denym_testkit::shared;

use crate::process::{Run, denym, fastest, megabytes, once, output, seconds};

/// One configuration of Adult and what is known of it.
struct Config {
    /// Its name in the verified optima.
    name: &'static str,
    /// Fewest records of a class.
    k: u64,
    /// Largest share of suppressed records.
    limit: &'static str,
    /// The loss and the suppressed records that are known to be optimal.
    known: Option<(f64, u64)>,
    /// Seconds of the best-known tool (recorded on the same kind of machine, quiet).
    peer: f64,
}

const CONFIGS: [Config; 2] = [
    Config {
        name: "b",
        k: 5,
        limit: "0.05",
        known: Some((0.241_932_365_066_290_8, 1346)),
        peer: 3.6,
    },
    Config {
        name: "e",
        k: 10,
        limit: "1",
        known: None,
        peer: 7.6,
    },
];
/// A million rows that compress badly.
const MIXED: Config = Config {
    name: "k=5, 5 %",
    k: 5,
    limit: "0.05",
    known: None,
    peer: 47.0,
};

pub(crate) fn run() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let work = tempfile::tempdir().expect("a directory");
    println!(
        "| data | config | peer (ARX, recorded) | denym | memory | ratio | read and write alone | total over that |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for config in &CONFIGS {
        row(work.path(), &adult, "Adult", config);
    }
    let mixed = work.path().join("mix1m.csv");
    let Some(script) = shared::path("reference/mix_adult.py") else {
        return;
    };
    output(Command::new("python3").arg(script).arg(&adult).arg(&mixed));
    row(work.path(), &mixed, "mix1m", &MIXED);
}

fn row(work: &Path, data: &Path, title: &str, config: &Config) {
    let &Config {
        name,
        k,
        limit,
        known,
        peer,
    } = config;
    let hierarchies = shared::path("data/adult").expect("there");
    let mut policy = format!(
        "[data]\npath = {:?}\n[attributes]\n",
        data.display().to_string()
    );
    for attribute in QUASI {
        let file = hierarchies.join(format!("adult_hierarchy_{attribute}.csv"));
        let _ = writeln!(
            policy,
            "{attribute} = {{ role = \"quasi\", hierarchy = {:?} }}",
            file.display().to_string()
        );
    }
    let _ = write!(
        policy,
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
