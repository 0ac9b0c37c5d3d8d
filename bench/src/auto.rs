//! `auto` beside every single algorithm on thirty invented tables: what each loses, how long it takes, and that `auto` is near the best.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use denym_data::SplitMix64;
use wait4::Wait4;

use crate::process::denym;

/// Who is tried alone: everything that generalizes a table and that a policy may name without more.
const ALONE: [&str; 13] = [
    "mondrian",
    "mondrian-relaxed",
    "full-domain",
    "best-effort",
    "local-recoding",
    "greedy-top-down",
    "greedy-bottom-up",
    "progressive-local-recoding",
    "top-down-specialization",
    "bottom-up-generalization",
    "sibling-generalization",
    "k-optimize",
    "local-suppression",
];

/// Those that go on for as long as they may.
const PATIENT: [&str; 2] = ["best-effort", "local-recoding"];

/// How far `auto` may be from the best of all.
const NEAR: f64 = 1.02;

/// The budget of `auto`; whoever runs alone has ten times the time that it took, and at least this.
const BUDGET: Duration = Duration::from_secs(20);

/// What a table is like.
struct Sort {
    name: &'static str,
    records: &'static [u64],
    /// Columns of numbers, of words and of codes.
    columns: (u64, u64, u64),
}

const SORTS: [Sort; 5] = [
    Sort {
        name: "small",
        records: &[60, 120, 250, 400, 600, 900],
        columns: (2, 2, 1),
    },
    Sort {
        name: "wide",
        records: &[300, 600, 1000, 1500, 2000, 3000],
        columns: (14, 10, 2),
    },
    Sort {
        name: "tall",
        records: &[10_000, 20_000, 40_000, 60_000, 80_000, 120_000],
        columns: (2, 2, 1),
    },
    Sort {
        name: "numeric",
        records: &[200, 500, 1000, 2000, 4000, 8000],
        columns: (5, 0, 0),
    },
    Sort {
        name: "mixed",
        records: &[300, 700, 1500, 3000, 6000, 12_000],
        columns: (3, 3, 2),
    },
];

/// What one run came to.
struct Tried {
    loss: Option<f64>,
    cpu: Duration,
    wall: Duration,
    algorithm: String,
}

pub(crate) fn run() {
    let work = tempfile::tempdir().expect("a directory");
    println!(
        "| table | records | auto | cpu | chosen | best alone | loss | cpu | auto over best |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut worst = 1.0_f64;
    for (seed, sort) in SORTS.iter().enumerate() {
        for (at, &records) in sort.records.iter().enumerate() {
            let random = &mut SplitMix64::new((seed * 100 + at) as u64);
            let attributes = table(work.path(), sort, records, random);
            let auto = tried(work.path(), &attributes, "auto", &[], 10 * BUDGET);
            let loss = auto.loss.expect("auto finds a release");
            let longer = (10 * auto.wall).max(BUDGET);
            let alone = ALONE.iter().map(|name| {
                let time = format!("{}ms", longer.as_millis());
                let more = ["--time-budget", &time];
                let more = if PATIENT.contains(name) {
                    &more[..]
                } else {
                    &[]
                };
                let most = longer + BUDGET / 4;
                tried(work.path(), &attributes, name, more, most)
            });
            let best = alone
                .filter(|tried| tried.loss.is_some())
                .min_by(|a, b| a.loss.partial_cmp(&b.loss).expect("numbers"))
                .expect("somebody finds a release");
            let least = best.loss.expect("a loss");
            let over = if least > 0.0 { loss / least } else { 1.0 };
            worst = worst.max(over);
            println!(
                "| {} {at} | {records} | {loss:.4} | {:.1} s | {} | {} | {least:.4} | {:.1} s | {over:.3} |",
                sort.name,
                auto.cpu.as_secs_f64(),
                auto.algorithm,
                best.algorithm,
                best.cpu.as_secs_f64(),
            );
            assert!(
                auto.wall < BUDGET + BUDGET / 2,
                "auto kept its budget: {:?}",
                auto.wall
            );
        }
    }
    println!("\nfarthest from the best: {worst:.3}");
    assert!(worst <= NEAR, "auto is within 2 % of the best");
}

/// Writes an invented table and says how a policy names its columns.
fn table(work: &Path, sort: &Sort, records: u64, random: &mut SplitMix64) -> String {
    let (numbers, words, codes) = sort.columns;
    let mut names = Vec::new();
    let mut attributes = String::new();
    for at in 0..numbers {
        names.push(format!("n{at}"));
        let widths = ["[5, 10, 20]", "[2, 10, 50]", "[10, 50]"][at as usize % 3];
        let _ = writeln!(
            attributes,
            "n{at} = {{ role = \"quasi\", hierarchy = {{ interval = {widths} }} }}"
        );
    }
    for at in 0..words {
        names.push(format!("w{at}"));
        let _ = writeln!(attributes, "w{at} = \"quasi\"");
    }
    for at in 0..codes {
        names.push(format!("c{at}"));
        let _ = writeln!(
            attributes,
            "c{at} = {{ role = \"quasi\", type = \"text\", hierarchy = {{ redact = \"right\" }} }}"
        );
    }
    let mut text = names.join(",");
    text.push('\n');
    for _ in 0..records {
        // Columns of a person hang together, as those of people do.
        let person = random.below(100);
        let mut row = Vec::new();
        for at in 0..numbers {
            let spread = 10 + 10 * (at % 5);
            row.push((person / 2 + random.below(spread) + random.below(spread)).to_string());
        }
        for at in 0..words {
            let many = 2 + 3 * (at % 5);
            let skewed = random.below(many).min(random.below(many));
            row.push(format!("v{}", (skewed + person / 60) % many));
        }
        for _ in 0..codes {
            row.push(format!("{}", 10_000 + person * 37 + random.below(90)));
        }
        text.push_str(&row.join(","));
        text.push('\n');
    }
    std::fs::write(work.join("data.csv"), text).expect("written");
    attributes
}

/// Runs one algorithm, for at most so long.
fn tried(work: &Path, attributes: &str, algorithm: &str, more: &[&str], most: Duration) -> Tried {
    let policy = format!(
        "[data]\npath = \"data.csv\"\n[attributes]\n{attributes}[promise]\nk-anonymity = 5\n[release]\nalgorithm = \"{algorithm}\"\nsuppress-at-most = 0.02\n"
    );
    std::fs::write(work.join("policy.toml"), policy).expect("written");
    let answer = work.join("answer.json");
    let start = Instant::now();
    let mut child = Command::new(denym())
        .current_dir(work)
        .args(["anonymize", "policy.toml", "-o", "out", "--force", "--json"])
        .args(more)
        .stdout(std::fs::File::create(&answer).expect("a file"))
        .stderr(Stdio::null())
        .spawn()
        .expect("denym starts");
    let (ended, waits) = std::sync::mpsc::channel::<()>();
    let id = child.id().to_string();
    let watch = std::thread::spawn(move || {
        if waits.recv_timeout(most).is_err() {
            // One that has ended already is not there to be ended.
            let _ = Command::new("kill").arg(id).status();
        }
    });
    let used = child.wait4().expect("the command ends");
    let wall = start.elapsed();
    let _ = ended.send(());
    watch.join().expect("the watch ends");
    let cpu = used.rusage.utime + used.rusage.stime;
    let text = std::fs::read_to_string(&answer).unwrap_or_default();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
    Tried {
        loss: document["metric"]["value"].as_f64(),
        cpu,
        wall,
        algorithm: document["algorithm"]
            .as_str()
            .unwrap_or(algorithm)
            .to_owned(),
    }
}
