//! Solvers for tables beside anjana's k-anonymity and anonypy's Mondrian, at equal audited k; Mondrian on ten million rows;
//! twenty quasi-identifiers with a proven gap.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use denym_testkit::shared;
use serde_json::Value;

use denym_testkit::python::python;

use crate::process::{denym, megabytes, once, output, own, seconds};

use denym_testkit::adult::COLUMNS as QUASI;

/// What everybody must reach.
const K: u64 = 5;

/// A peer that takes longer than so many seconds is not waited for.
const PATIENCE: u64 = 300;

/// How much faster than a peer we want to be.
const WANTED: f64 = 100.0;

/// What the peers are, pinned.
const PEERS: [&str; 4] = ["anjana==1.1.0", "anonypy==0.2.1", "pandas<3", "numpy<2.1"];

pub(crate) fn run() {
    let work = tempfile::tempdir().expect("a directory");
    if let Some(adult) = shared::path("data/adult/adult.csv") {
        let peers = python(&PEERS);
        println!(
            "k, suppressed records and loss of every row are measured by denym on the file that the tool wrote, by one measure. What"
        );
        println!(
            "a peer's class spans is published as the lowest node of each hierarchy that covers it. A peer's time is that of its"
        );
        println!(
            "search alone, in processor time. Of ours there are two: counting tuples and searching (wall), and the processor time of"
        );
        println!(
            "the whole process with reading, writing, audit, attacks and report. Ratios are the peer's time over ours.\n"
        );
        println!(
            "| data | tool | k by audit | suppressed | loss | search | ratio | whole process | ratio |"
        );
        println!("|---|---|---|---|---|---|---|---|---|");
        beside(work.path(), &adult, "Adult", peers.as_deref());
        let text = std::fs::read_to_string(&adult).expect("readable");
        let (header, body) = text.split_once('\n').expect("a header");
        let large = work.path().join("adult33.csv");
        std::fs::write(&large, format!("{header}\n{}", body.repeat(33))).expect("written");
        beside(work.path(), &large, "Adult x33", peers.as_deref());
        portfolio(work.path(), &adult);
        frontier(work.path(), &adult);
    }
    large();
}

/// Mondrian on ten million rows, and twenty quasi-identifiers within ten seconds.
pub(crate) fn large() {
    let work = tempfile::tempdir().expect("a directory");
    println!(
        "\n| data | solver | k by audit | loss | no release below | whole process | searching | memory | asked |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    ten_million(work.path());
    twenty(work.path());
}

/// The policy of Adult's nine quasi-identifiers.
fn adult_policy(data: &Path, algorithm: &str, limit: &str, k: u64) -> String {
    let hierarchies = shared::path("data/adult").expect("there");
    let mut policy = format!(
        "[data]\npath = {:?}\n[attributes]\n",
        data.display().to_string()
    );
    for name in QUASI {
        let file = hierarchies.join(format!("adult_hierarchy_{name}.csv"));
        let _ = writeln!(
            policy,
            "{name} = {{ role = \"quasi\", hierarchy = {:?} }}",
            file.display().to_string()
        );
    }
    policy
        + &format!(
            "[promise]\nk-anonymity = {k}\n[release]\nalgorithm = \"{algorithm}\"\nsuppress-at-most = {limit}\n"
        )
}

/// One solver of ours against its peer: local classes against anonypy, whole columns against anjana.
fn beside(work: &Path, data: &Path, title: &str, python: Option<&Path>) {
    for (algorithm, limit, script) in [
        ("mondrian", "0", "anonypy_mondrian.py"),
        ("full-domain", "0.05", "anjana_k_anonymity.py"),
    ] {
        let file = work.join("policy.toml");
        std::fs::write(&file, adult_policy(data, algorithm, limit, K)).expect("written");
        let theirs = match python {
            Some(python) => peer(work, data, script, python),
            None => Err("not installed".to_owned()),
        };
        // At equal k: where the peer reaches more than was asked, so must we.
        let k = theirs.as_ref().map_or(K, |theirs| theirs.k);
        let ours = release(work, &adult_policy(data, algorithm, limit, k), &[]);
        let (search, whole) = (ours.searching(), ours.run.cpu.as_secs_f64());
        println!(
            "| {title} | denym {algorithm} | {} | {} | {:.4} | {search:.3} s | 1x | {whole:.3} s | 1x |",
            ours.k, ours.document["suppressed_records"], ours.loss,
        );
        match theirs {
            Ok(theirs) => {
                let ratios = (theirs.seconds / search, theirs.seconds / whole);
                println!(
                    "| {title} | {script} | {} | {} | {:.4} | {:.3} s | {:.0}x | - | {:.0}x |",
                    theirs.k, theirs.suppressed, theirs.loss, theirs.seconds, ratios.0, ratios.1,
                );
                let verdict = |reached: bool| if reached { "reached" } else { "NOT REACHED" };
                println!(
                    "| {title} | | | less loss: {} | | {WANTED:.0}x: {} | | {WANTED:.0}x: {} | |",
                    verdict(ours.loss < theirs.loss),
                    verdict(ratios.0 >= WANTED),
                    verdict(ratios.1 >= WANTED),
                );
            }
            Err(why) => {
                // Where it was stopped, that is the least it would have taken.
                let least = |ours: f64| {
                    if why.starts_with("not finished") {
                        format!("over {:.0}x", PATIENCE as f64 / ours)
                    } else {
                        "-".to_owned()
                    }
                };
                println!(
                    "| {title} | {script} | - | - | - | {why} | {} | - | {} |",
                    least(search),
                    least(whole),
                );
            }
        }
    }
}

/// What a peer made.
struct Theirs {
    k: u64,
    suppressed: u64,
    loss: f64,
    /// Processor time of its search.
    seconds: f64,
}

/// Runs a peer, for as long as our patience lasts.
fn peer(work: &Path, data: &Path, script: &str, python: &Path) -> Result<Theirs, String> {
    let released = work.join("peer.csv");
    let mut command = Command::new("timeout");
    command
        .arg(PATIENCE.to_string())
        .arg(python)
        .arg(own(&format!("peers/{script}")))
        .arg(data)
        .arg(shared::path("data/adult").expect("there"))
        .arg(QUASI.join(","))
        .arg(K.to_string())
        .arg(&released)
        .arg("5");
    let answer = command.output().expect("the peer starts");
    match answer.status.code() {
        Some(0) => {}
        Some(124) => return Err(format!("not finished after {PATIENCE} s")),
        _ => {
            let said = String::from_utf8_lossy(&answer.stderr).into_owned();
            let last = said.lines().last().unwrap_or_default().to_owned();
            return Err(format!("failed: {last}"));
        }
    }
    let said: Value = serde_json::from_slice(&answer.stdout).expect("JSON");
    let (k, suppressed, loss) = measured(work, data, &released);
    assert!(k >= K, "{script} must reach the same k, not {k}");
    Ok(Theirs {
        k,
        suppressed,
        loss,
        seconds: said["seconds"].as_f64().expect("a time"),
    })
}

/// What somebody else's file is worth by our own measure: k, suppressed records, loss.
fn measured(work: &Path, before: &Path, after: &Path) -> (u64, u64, f64) {
    let mut audit = Command::new(denym());
    audit.arg("audit").arg(after).arg("--json");
    audit.arg("--quasi").arg(QUASI.join(","));
    let audited: Value = serde_json::from_str(&output(&mut audit)).expect("JSON");
    let mut compare = Command::new(denym());
    compare.arg("compare").arg(before).arg(after).arg("--json");
    compare.arg("--policy").arg(work.join("policy.toml"));
    let compared: Value = serde_json::from_str(&output(&mut compare)).expect("JSON");
    let records = |key: &str| compared[key].as_u64().expect("a count");
    (
        audited["k"].as_u64().expect("k"),
        records("records_before") - records("records_after"),
        compared["metrics"]["loss"].as_f64().expect("a loss"),
    )
}

/// The portfolio within ten seconds, nothing suppressed.
fn portfolio(work: &Path, adult: &Path) {
    let policy = adult_policy(adult, "auto", "0", K);
    let made = release(work, &policy, &["--time-budget", "10s"]);
    assert!(made.loss < 0.0577, "the bar is 0.0577, not {}", made.loss);
    println!(
        "| Adult | denym auto, 10 s ({}) | {} | 0 | {:.4} (asked: below 0.0577) | {:.3} s | - | {} (wall {}) | - |",
        made.document["algorithm"].as_str().unwrap_or_default(),
        made.k,
        made.loss,
        made.searching(),
        seconds(made.run.cpu),
        seconds(made.run.wall),
    );
}

/// The frontier of ninety-nine bounds.
fn frontier(work: &Path, adult: &Path) {
    let file = work.join("frontier.toml");
    std::fs::write(&file, adult_policy(adult, "auto", "0", K)).expect("written");
    let command = |json: bool| {
        let mut command = Command::new(denym());
        command.arg("explore").arg(&file).args(["--k", "2..100"]);
        if json {
            command.arg("--json");
        }
        command
    };
    let found: Value = serde_json::from_str(&output(&mut command(true))).expect("JSON");
    let trials = found["trials"].as_array().expect("trials");
    let values: Vec<f64> = trials.iter().filter_map(|t| t["value"].as_f64()).collect();
    assert_eq!(values.len(), 99, "every k has a release");
    assert!(values.is_sorted(), "more privacy never costs less");
    let run = once(&mut command(false));
    println!(
        "| Adult | denym explore, k = 2..100 | 2 to 100 | 0 | {:.4} to {:.4} | - | - | {} (wall {}) | - |",
        values[0],
        values[98],
        seconds(run.cpu),
        seconds(run.wall),
    );
}

/// A release that was made, verified and made again for its time.
struct Made {
    document: Value,
    k: u64,
    loss: f64,
    run: crate::process::Run,
}

impl Made {
    /// Seconds for counting tuples and searching.
    fn searching(&self) -> f64 {
        let phase = |name: &str| self.document["phases"][name].as_f64().expect("a time");
        phase("summarizing") + phase("searching")
    }
}

fn release(work: &Path, policy: &str, more: &[&str]) -> Made {
    let file = work.join("policy.toml");
    std::fs::write(&file, policy).expect("written");
    let bundle = work.join("bundle");
    let command = |json: bool| {
        let mut command = Command::new(denym());
        command.arg("anonymize").arg(&file).arg("-o").arg(&bundle);
        command.arg("--force").args(more);
        if json {
            command.arg("--json");
        }
        command
    };
    let document: Value = serde_json::from_str(&output(&mut command(true))).expect("JSON");
    assert_eq!(document["status"], "released");
    output(Command::new(denym()).arg("verify").arg(&bundle));
    let k = document["claims"][0]["measured"].as_f64().expect("k");
    assert!(k >= K as f64);
    Made {
        k: format!("{k:.0}").parse().expect("a whole number"),
        loss: document["metric"]["value"].as_f64().expect("a loss"),
        run: once(&mut command(false)),
        document,
    }
}

/// Mondrian on ten million generated rows, reading and writing included.
fn ten_million(work: &Path) {
    const SIZES: [u64; 5] = [100, 1000, 5000, 365, 50];
    let file = work.join("ten-million.csv");
    let names: Vec<String> = (0..SIZES.len()).map(|d| format!("n{d}")).collect();
    generate(&file, &names, 10_000_000, |random, cells| {
        let common = random.below(1 << 16);
        for size in SIZES {
            let own = (random.below(1 << 16) * random.below(1 << 16)) >> 16;
            cells.push((u64::midpoint(common, own) * size) >> 16);
        }
    });
    let widths = ["10, 50", "50, 250", "100, 1000", "30, 90", "5, 25"];
    let policy = policy(&file, &names, &widths, "mondrian");
    let made = release(work, &policy, &[]);
    let reached = made.run.wall.as_secs_f64() < 10.0 && made.run.memory < 2_000_000_000;
    let asked = "under 10 s and 2 GB";
    row(
        "10 million rows, 5 columns",
        "mondrian",
        &made,
        asked,
        reached,
    );
}

/// Twenty quasi-identifiers within ten seconds, and how far from the best the release can be.
fn twenty(work: &Path) {
    let file = work.join("twenty.csv");
    let names: Vec<String> = (0..20).map(|d| format!("n{d:02}")).collect();
    generate(&file, &names, 100_000, |random, cells| {
        let kind = random.below(8);
        for d in 0..20_u64 {
            let own = (random.below(64) * random.below(64)) >> 6;
            cells.push(if random.below(4) == 0 {
                own
            } else {
                (kind * 7 + d) % 64
            });
        }
    });
    let policy = policy(&file, &names, &["8, 32"; 20], "best-effort")
        .replace("[release]\n", "[release]\nsuppress-at-most = 0.05\n");
    let made = release(work, &policy, &["--time-budget", "10s"]);
    let bound = made.document["bound"].as_f64().expect("a bound");
    assert!(
        bound > 0.0 && bound <= made.loss,
        "a gap that says something"
    );
    // Looking at the clock takes a moment, and the last step is finished.
    let reached = made.searching() < 11.0;
    let asked = "a search of 10 s, a gap";
    row(
        "100,000 rows, 20 columns",
        "best-effort, 10 s",
        &made,
        asked,
        reached,
    );
}

fn row(data: &str, solver: &str, made: &Made, asked: &str, reached: bool) {
    let verdict = if reached { "reached" } else { "NOT REACHED" };
    println!(
        "| {data} | {solver} | {} | {:.4} | {} | {} (cpu {}) | {:.3} s | {} | {asked}: {verdict} |",
        made.k,
        made.loss,
        made.document["bound"]
            .as_f64()
            .map_or_else(|| "-".to_owned(), |bound| format!("{bound:.4}")),
        seconds(made.run.wall),
        seconds(made.run.cpu),
        made.searching(),
        megabytes(made.run.memory),
    );
}

fn policy(file: &Path, names: &[String], widths: &[&str], algorithm: &str) -> String {
    let mut policy = format!(
        "[data]\npath = {:?}\n[attributes]\n",
        file.display().to_string()
    );
    for (name, widths) in names.iter().zip(widths) {
        let _ = writeln!(
            policy,
            "{name} = {{ role = \"quasi\", hierarchy = {{ interval = [{widths}] }} }}"
        );
    }
    policy + &format!("[promise]\nk-anonymity = {K}\n[release]\nalgorithm = \"{algorithm}\"\n")
}

/// Reproducible draws, the same on every machine.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: u64) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((u128::from(z ^ (z >> 31)) * u128::from(bound)) >> 64) as u64
    }
}

/// Writes a table of whole numbers.
fn generate(
    file: &Path,
    names: &[String],
    rows: usize,
    mut draw: impl FnMut(&mut Draws, &mut Vec<u64>),
) {
    let mut out = std::io::BufWriter::new(std::fs::File::create(file).expect("a file"));
    writeln!(out, "{}", names.join(",")).expect("written");
    let (mut random, mut cells, mut line) = (Draws(7), Vec::new(), String::new());
    for _ in 0..rows {
        cells.clear();
        line.clear();
        draw(&mut random, &mut cells);
        for (place, cell) in cells.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            let _ = write!(line, "{comma}{cell}");
        }
        writeln!(out, "{line}").expect("written");
    }
}
