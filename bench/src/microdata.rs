//! Microaggregation of 100,000 and a million records beside sdcMicro's recorded times, and clustering of Adult beside k-member.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use denym_microdata::{Matrix, RandomSource, SplitMix64};
use denym_testkit::shared;
use serde_json::Value;

use denym_testkit::python::python;

use crate::process::{Run, denym, megabytes, once_with_output, output, seconds};

/// Seconds of sdcMicro's `mdav` on the same 100,000 x 6 (recorded on the same kind of machine, quiet).
const RECORDED: [(u64, f64); 2] = [(3, 78.0), (10, 23.6)];

/// Large data beside the recorded peer, then clusters beside k-member.
pub(crate) fn run() {
    large(1_000_000);
    let work = tempfile::tempdir().expect("a directory");
    clusters(work.path(), &[10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
}

/// The same on a twentieth of the records, to see that it runs.
pub(crate) fn small() {
    large(50_000);
    let work = tempfile::tempdir().expect("a directory");
    clusters(work.path(), &[50]);
}

/// Exact MDAV and MDAV in blocks on a tenth of `records`, with the recorded peer when that is 100,000, and on all.
fn large(records: usize) {
    let work = tempfile::tempdir().expect("a directory");
    println!(
        "| data | k | algorithm | loss in % | groups | whole process | memory | peer | ratio |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let sample = work.path().join("sample.csv");
    let recorded = records == 1_000_000;
    let script = shared::path("reference/synth100k.py").filter(|_| recorded);
    let python = script.as_ref().and_then(|_| python(&["numpy<2.1"]));
    if let Some((python, script)) = python.zip(script) {
        output(Command::new(python).arg(script).arg(&sample));
    } else {
        // Without the shared generator: the same recipe with other draws. The recorded times are for the shared one.
        write(&sample, &synthetic(records / 10, 6));
    }
    for (k, peer) in RECORDED {
        let title = format!("{} x 6", records / 10);
        let peer = recorded.then_some(peer);
        let known = row(work.path(), &sample, &title, k, "mdav", peer);
        let blocks = row(work.path(), &sample, &title, k, "mdav-blocks", peer);
        let more = 100.0 * (blocks / known - 1.0);
        println!("| | | `mdav-blocks` over `mdav` | {more:+.1} % | | | | | |");
        assert!(more <= 2.0, "the solver of a million loses too much");
    }
    let all = work.path().join("all.csv");
    write(&all, &synthetic(records, 6));
    let title = format!("{records} x 6");
    row(work.path(), &all, &title, 10, "mdav", None);
    row(work.path(), &all, &title, 10, "mdav-blocks", None);
}

/// Best effort with a time budget, through the binary: twelve cells of a minute each.
pub(crate) fn best_effort_60s() {
    best_effort(60);
}

/// The same with ten seconds each.
pub(crate) fn best_effort_10s() {
    best_effort(10);
}

fn best_effort(budget: u64) {
    let vectors = denym_testkit::vectors("microaggregation");
    let work = tempfile::tempdir().expect("a directory");
    println!(
        "| data | k | loss in % | best known before | under it by | rounds | whole process | memory | below |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let (mut below, mut cells) = (0, 0);
    for dataset in ["tarragona", "census", "eia"] {
        let Some(data) = shared::path(&format!("data/microdata/{dataset}.csv")) else {
            continue;
        };
        let text = std::fs::read_to_string(&data).expect("readable");
        let names = text.lines().next().expect("a header").split(',');
        let attributes: String = names
            .map(|name| format!("{name:?} = \"quasi\"\n"))
            .collect();
        for k in [3, 4, 5, 10] {
            let file = work.path().join("policy.toml");
            let policy = format!(
                "[data]\npath = \"{}\"\n[attributes]\n{attributes}[promise]\nk-anonymity = {k}\n[release]\nalgorithm = \"best-effort\"\n",
                data.display()
            );
            std::fs::write(&file, policy).expect("written");
            let bundle = work.path().join("bundle");
            let mut command = Command::new(denym());
            command.arg("anonymize").arg(&file).arg("-o").arg(&bundle);
            command.args(["--force", "--json", "--time-budget"]);
            command.arg(format!("{budget}s"));
            let (text, took) = once_with_output(&mut command);
            let document: Value = serde_json::from_str(&text).expect("JSON");
            assert!(document["claims"][0]["measured"].as_f64() >= Some(f64::from(k)));
            output(Command::new(denym()).arg("verify").arg(&bundle));
            let figure = |key: &str| {
                vectors[key][dataset][k.to_string()]
                    .as_f64()
                    .expect("a figure")
            };
            let (known, bound) = (
                figure("best_known_to_us_z_percent"),
                figure("lower_bound_z_percent"),
            );
            let loss = document["information_loss_percent"]
                .as_f64()
                .expect("a loss");
            assert!(loss >= bound, "a proven bound");
            cells += 1;
            below += usize::from(loss < known);
            println!(
                "| {dataset} | {k} | {loss:.4} | {known:.4} | {:.2} % | {} | {} | {} |",
                100.0 * (1.0 - loss / known),
                document["effort"],
                shown(&took),
                if loss < known { "yes" } else { "no" }
            );
        }
    }
    println!(
        "\n`--time-budget {budget}s`: {below} of {cells} cells are strictly below the best known before."
    );
}

/// Eight correlated clouds, two columns skewed: the recipe of the shared generator with our own random numbers.
pub(crate) fn synthetic(records: usize, columns: usize) -> Matrix {
    const CLOUDS: usize = 8;
    let mut random = SplitMix64::new(20_240_101);
    let centers: Vec<f64> = (0..CLOUDS * columns)
        .map(|_| 3.0 * random.normal())
        .collect();
    let mixing: Vec<f64> = (0..CLOUDS * columns * columns)
        .map(|at| {
            0.5 * random.normal() + f64::from(u8::from(at % columns == at / columns % columns))
        })
        .collect();
    let mut cells = Vec::with_capacity(records * columns);
    for _ in 0..records {
        let cloud = random.below(CLOUDS);
        let noise: Vec<f64> = (0..columns).map(|_| random.normal()).collect();
        for column in 0..columns {
            let weights = &mixing[(cloud * columns + column) * columns..][..columns];
            let x = centers[cloud * columns + column]
                + weights.iter().zip(&noise).map(|(w, z)| w * z).sum::<f64>();
            let x = match columns - column {
                2 => (x / 3.0).exp() * 1000.0,
                1 => (x / 4.0).exp() * 50.0,
                _ => x,
            };
            cells.push((x * 1e4).round() / 1e4);
        }
    }
    Matrix::new(cells, columns).expect("a matrix")
}

fn write(path: &Path, matrix: &Matrix) {
    let names: Vec<String> = (1..=matrix.columns())
        .map(|column| format!("V{column}"))
        .collect();
    let mut text = names.join(",") + "\n";
    for row in 0..matrix.rows() {
        let cells: Vec<String> = matrix
            .row(row)
            .iter()
            .map(|cell| format!("{cell:.4}"))
            .collect();
        let _ = writeln!(text, "{}", cells.join(","));
    }
    std::fs::write(path, text).expect("written");
}

/// One run through the binary; its answer is checked before its time is shown. Returns the loss.
fn row(work: &Path, data: &Path, title: &str, k: u64, algorithm: &str, peer: Option<f64>) -> f64 {
    let mut policy = format!("[data]\npath = \"{}\"\n[attributes]\n", data.display());
    for column in 1..=6 {
        let _ = writeln!(policy, "V{column} = \"quasi\"");
    }
    let _ = write!(
        policy,
        "[promise]\nk-anonymity = {k}\n[release]\nalgorithm = \"{algorithm}\"\n"
    );
    let (document, took) = released(work, &policy, k);
    let loss = document["information_loss_percent"]
        .as_f64()
        .expect("a loss");
    let wall = took.wall.as_secs_f64();
    let peer = peer.map_or_else(
        || " | ".to_owned(),
        |peer| format!("sdcMicro {peer:.1} s (recorded) | {:.0}x", peer / wall),
    );
    println!(
        "| {title} | {k} | `{algorithm}` | {loss:.4} | {} | {} | {peer} |",
        document["groups"],
        shown(&took)
    );
    loss
}

/// Makes a release and verifies it; the JSON and what the run took.
fn released(work: &Path, policy: &str, k: u64) -> (Value, Run) {
    let file = work.join("policy.toml");
    std::fs::write(&file, policy).expect("written");
    let bundle = work.join("bundle");
    let mut command = Command::new(denym());
    command.arg("anonymize").arg(&file).arg("-o").arg(&bundle);
    command.args(["--force", "--json"]);
    let (text, took) = once_with_output(&mut command);
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["status"], "released");
    let measured = document["claims"][0]["measured"].as_f64().expect("a size");
    assert!(measured >= k as f64, "{measured}");
    output(Command::new(denym()).arg("verify").arg(&bundle));
    (document, took)
}

/// How a run's cost reads in a table.
fn shown(took: &Run) -> String {
    format!(
        "{} (cpu {}) | {}",
        seconds(took.wall),
        seconds(took.cpu),
        megabytes(took.memory)
    )
}

/// Adult by age, sex and education: k-member beside ours, both through the binary.
fn clusters(work: &Path, ks: &[u64]) {
    let (Some(adult), Some(tree)) = (
        shared::path("data/adult/adult.csv"),
        shared::path("vectors/education-tree.csv"),
    ) else {
        return;
    };
    println!(
        "\n| Adult, clusters | k | loss (4.1) | whole process | memory | processor time over the best |"
    );
    println!("|---|---|---|---|---|---|");
    for &k in ks {
        let runs = ["k-member", "best-effort-clustering"].map(|algorithm| {
            let policy = format!(
                "[data]\npath = \"{}\"\n[attributes]\nage = \"quasi\"\nsex = \"quasi\"\neducation = {{ role = \"quasi\", hierarchy = \"{}\" }}\n\
                 [promise]\nk-anonymity = {k}\n[release]\nalgorithm = \"{algorithm}\"\n",
                adult.display(),
                tree.display(),
            );
            let (document, took) = released(work, &policy, k);
            (algorithm, document["information_loss"].as_f64().expect("a loss"), took)
        });
        assert!(runs[1].1 < runs[0].1, "ours loses less");
        assert!(runs[1].2.cpu < runs[0].2.cpu, "and is faster");
        let best = runs.iter().map(|run| run.2.cpu).min().unwrap_or_default();
        for (algorithm, loss, took) in &runs {
            println!(
                "| `{algorithm}` | {k} | {loss:.1} | {} | {:.2}x |",
                shown(took),
                took.cpu.as_secs_f64() / best.as_secs_f64()
            );
        }
    }
}
