//! Paths as whole processes: Al-Hussaeni's scalability tables, real web sessions, and the peer's search for violations.

use std::path::Path;
use std::process::Command;

use denym_testkit::python::python;
use serde_json::Value;

use crate::process::{Run, denym, fastest, megabytes, once, output, own, seconds};

/// Al-Hussaeni's setting for its Figure 8.
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
/// Its runtime for five million records in seconds.
const THESIS_SECONDS: f64 = 258.0;
/// Millions of records; `DENYM_BENCH_MILLIONS=1,2` tries it on fewer.
const MILLIONS: [u64; 4] = [1, 2, 5, 10];
/// L and records for the peer: at L = 3 its time grows with the square of the candidates, and it would not end on more.
const PEER: [(u64, usize); 2] = [(2, 20_000), (3, 1_000)];

pub(crate) fn run() {
    let work = tempfile::tempdir().expect("a directory");
    scalability(work.path());
    sessions(work.path());
    peer(work.path());
}

/// `denym generate` into a file.
pub(crate) fn generate(at: &Path, name: &str, args: &[&str]) {
    let made = std::fs::File::create(at).expect("a file");
    let status = Command::new(denym())
        .args(["generate", name])
        .args(args)
        .stdout(made)
        .status()
        .expect("denym runs");
    assert!(status.success(), "generate {name}");
}

fn anonymize(at: &Path) -> Command {
    let mut command = Command::new(denym());
    command
        .current_dir(at)
        .args(["anonymize", "policy.toml", "-o", "out", "--force", "--json"]);
    command
}

/// Figure 8: growth, memory, and the ratio to reading and writing the file alone.
pub(crate) fn scalability(at: &Path) {
    let copy = denym().parent().expect("a directory").join("examples/copy");
    let given = std::env::var("DENYM_BENCH_MILLIONS").ok();
    let millions: Vec<u64> = given.map_or_else(
        || MILLIONS.to_vec(),
        |text| text.split(',').filter_map(|n| n.parse().ok()).collect(),
    );
    println!(
        "| records | matching | wall | a million | processors | memory | reading and writing alone | ratio by wall | by processors | thesis |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for millions in millions {
        let rows = (millions * 1_000_000).to_string();
        generate(
            &at.join("paths.csv"),
            "scalability",
            &["--seed", "7", "--rows", &rows],
        );
        let alone: Option<Run> = copy.is_file().then(|| {
            fastest(&|| {
                let mut command = Command::new(&copy);
                command.arg(at.join("paths.csv")).arg(at.join("copy.csv"));
                command
            })
        });
        for matching in ["covers", "consistent"] {
            std::fs::write(at.join("policy.toml"), POLICY.replace("MATCHING", matching))
                .expect("written");
            let found: Value = serde_json::from_str(&output(&mut anonymize(at))).expect("JSON");
            assert_eq!(found["status"], "released");
            assert_eq!(found["records"], millions * 1_000_000);
            let checked = output(
                Command::new(denym())
                    .current_dir(at)
                    .args(["verify", "out", "--json"]),
            );
            let checked: Value = serde_json::from_str(&checked).expect("JSON");
            assert_eq!(checked["holds"], true);
            let run = fastest(&|| anonymize(at));
            let ratio = |of: fn(&Run) -> std::time::Duration| {
                alone.as_ref().map_or_else(
                    || "-".to_owned(),
                    |alone| format!("{:.1}x", of(&run).as_secs_f64() / of(alone).as_secs_f64()),
                )
            };
            let thesis = if millions == 5 {
                format!("{:.0}x faster", THESIS_SECONDS / run.wall.as_secs_f64())
            } else {
                "-".to_owned()
            };
            println!(
                "| {millions},000,000 | {matching} | {} | {} | {} | {} | {} | {} | {} | {thesis} |",
                seconds(run.wall),
                seconds(run.wall / u32::try_from(millions).expect("few")),
                seconds(run.cpu),
                megabytes(run.memory),
                alone.map_or_else(|| "-".to_owned(), |alone| seconds(alone.wall)),
                ratio(|run| run.wall),
                ratio(|run| run.cpu),
            );
        }
    }
}

/// The MSNBC sessions as whole paths, with a status of five equally likely values; `false` when the data is not there.
pub(crate) fn msnbc(at: &Path) -> bool {
    let Some(archive) = denym_testkit::shared::path("data/paths/msnbc990928.zip") else {
        return false;
    };
    let script = own("peers/msnbc_paths.py");
    let status = Command::new("python3")
        .arg(script)
        .arg(archive)
        .arg(at)
        .status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "msnbc_paths.py"
    );
    true
}

/// MSNBC, first 24 positions, L = 3, K = 10: every algorithm under both matchings.
fn sessions(at: &Path) {
    if !msnbc(&at.join("msnbc.csv")) {
        return;
    }
    println!("\nMSNBC, 24 positions, L = 3, K = 10:\n");
    println!(
        "| algorithm | matching | critical violations | removed | wall | memory | against `covers` |"
    );
    println!("|---|---|---|---|---|---|---|");
    for algorithm in ["global-suppression", "local-suppression"] {
        let mut first = None;
        for matching in ["covers", "consistent"] {
            let policy = format!(
                "[data]\npath = \"msnbc.csv\"\nkind = \"paths\"\n[adversary]\nknows = {{ doublets = 3 }}\nmatching = \"{matching}\"\n\
                 [promise]\nk-anonymity = 10\n[release]\nalgorithm = \"{algorithm}\"\n"
            );
            std::fs::write(at.join("policy.toml"), policy).expect("written");
            let found: Value = serde_json::from_str(&output(&mut anonymize(at))).expect("JSON");
            assert_eq!(found["status"], "released", "{algorithm} {matching}");
            let run = once(&mut anonymize(at));
            let wall = run.wall.as_secs_f64();
            let against = *first.get_or_insert(wall);
            println!(
                "| `{algorithm}` | {matching} | {} | {:.2} % | {} | {} | {:.1}x |",
                found["critical_violations"],
                found["distortion"].as_f64().expect("a share") * 100.0,
                seconds(run.wall),
                megabytes(run.memory),
                wall / against,
            );
        }
    }
}

/// The search for violations of `p_tlkc_privacy`, its core alone, against our whole process.
fn peer(at: &Path) {
    let Some(python) = python(&["p_tlkc_privacy==0.0.14", "--no-deps"]) else {
        return;
    };
    generate(&at.join("subway.csv"), "subway", &["--seed", "42"]);
    let text = std::fs::read_to_string(at.join("subway.csv")).expect("a file");
    println!("\nSubway, K = 5, violations by length:\n");
    println!(
        "| L | records | p_tlkc_privacy 0.0.14, its core | denym, whole process | ratio | its answer | ours |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (l, records) in PEER {
        let lines: Vec<&str> = text.lines().take(records + 1).collect();
        std::fs::write(at.join("few.csv"), lines.join("\n") + "\n").expect("written");
        let policy = format!(
            "[data]\npath = \"few.csv\"\nkind = \"paths\"\n[adversary]\nknows = {{ doublets = {l} }}\nmatching = \"covers\"\n\
             [promise]\nk-anonymity = 5\n[release]\nalgorithm = \"global-suppression\"\n"
        );
        std::fs::write(at.join("policy.toml"), policy).expect("written");
        let found: Value = serde_json::from_str(&output(&mut anonymize(at))).expect("JSON");
        let ours = &found["critical_violations_by_length"];
        let run = fastest(&|| anonymize(at));
        let script = own("peers/p_tlkc_violations.py");
        let theirs = output(Command::new(&python).current_dir(at).arg(script).args([
            "few.csv",
            &l.to_string(),
            "5",
        ]));
        let theirs: Value = serde_json::from_str(&theirs).expect("JSON");
        let core = theirs["seconds"].as_f64().expect("seconds");
        let (equal, answer) = (theirs["by_length"] == *ours, &theirs["by_length"]);
        let note = if equal { "equal" } else { "misses some" };
        // Where it answers right the ratio counts; where it does not, it is shown and says so.
        assert!(equal || l > 2, "{answer} {ours}");
        println!(
            "| {l} | {records} | {core:.3} s | {} | {:.0}x | {answer} ({note}) | {ours} |",
            seconds(run.wall),
            core / run.wall.as_secs_f64(),
        );
    }
}
