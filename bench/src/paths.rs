//! The thesis' scalability tables as whole processes: growth, memory, and the ratio to reading and writing the file alone.

use std::process::Command;

use serde_json::Value;

use crate::process::{denym, fastest, output, seconds};

/// The thesis' setting for its Figure 8, and its runtime for five million records in seconds.
const POLICY: &str = "\
[data]
path = \"paths.csv\"
kind = \"paths\"
[adversary]
knows = { doublets = 3 }
matching = \"MATCHING\"
[promise]
k-anonymity = 30
confidence = { attribute = \"status\", values = [\"0\"], at-most = 0.6 }
[release]
algorithm = \"global-suppression\"
";
const THESIS_SECONDS: f64 = 258.0;

pub(crate) fn run() {
    let work = tempfile::tempdir().expect("a directory");
    let at = work.path();
    let copy = denym().parent().expect("a directory").join("examples/copy");
    println!(
        "| records | matching | wall | processors | memory | times reading and writing | thesis |"
    );
    println!("|---|---|---|---|---|---|---|");
    for millions in [1_u64, 5, 10] {
        let rows = (millions * 1_000_000).to_string();
        let made = std::fs::File::create(at.join("paths.csv")).expect("a file");
        let status = Command::new(denym())
            .args(["generate", "scalability", "--seed", "7", "--rows", &rows])
            .stdout(made)
            .status()
            .expect("denym runs");
        assert!(status.success());
        let alone = copy.is_file().then(|| {
            fastest(&|| {
                let mut command = Command::new(&copy);
                command.arg(at.join("paths.csv")).arg(at.join("copy.csv"));
                command
            })
        });
        for matching in ["covers", "consistent"] {
            std::fs::write(at.join("policy.toml"), POLICY.replace("MATCHING", matching))
                .expect("written");
            let anonymize = || {
                let mut command = Command::new(denym());
                command.current_dir(at).args([
                    "anonymize",
                    "policy.toml",
                    "-o",
                    "out",
                    "--force",
                    "--json",
                ]);
                command
            };
            let found: Value = serde_json::from_str(&output(&mut anonymize())).expect("JSON");
            assert_eq!(found["status"], "released");
            assert_eq!(found["records"], millions * 1_000_000);
            let checked = output(
                Command::new(denym())
                    .current_dir(at)
                    .args(["verify", "out", "--json"]),
            );
            let checked: Value = serde_json::from_str(&checked).expect("JSON");
            assert_eq!(checked["holds"], true);
            let run = fastest(&anonymize);
            let ratio = alone.map_or_else(
                || "-".to_owned(),
                |alone| format!("{:.1}x", run.wall.as_secs_f64() / alone.wall.as_secs_f64()),
            );
            let thesis = if millions == 5 {
                format!("{:.0}x faster", THESIS_SECONDS / run.wall.as_secs_f64())
            } else {
                "-".to_owned()
            };
            println!(
                "| {millions},000,000 | {matching} | {} | {} | {} MB | {ratio} | {thesis} |",
                seconds(run.wall),
                seconds(run.cpu),
                run.memory / 1_000_000,
            );
        }
    }
}
