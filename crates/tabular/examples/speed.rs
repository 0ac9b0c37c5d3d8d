//! How long the optimal search takes: `speed ADULT_CSV [MIX1M_CSV [CASE]]`, answers asserted before times are shown.
#![allow(clippy::print_stdout, reason = "a program that reports")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::path::Path;
use std::time::Instant;

use common::{Close, Distinct, Loaded, adult};
use denym_data::Fraction;
use denym_measure::Promise;
use denym_measure::promises::KAnonymity;
use denym_tabular::{Context, FullDomain, Objective, Request, Solver};

/// Runs of each case; the fastest and the median are shown.
const RUNS: usize = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let adult_csv = Path::new(arguments.first().expect("the path of adult.csv"));
    let directory = adult_csv.parent().expect("a directory");
    let table = adult(adult_csv, directory);
    let near = || -> Box<dyn Promise> {
        Box::new(Close {
            t: 0.2,
            whole: table.histogram("occupation"),
        })
    };
    let (loss, dm) = (Objective::Loss, Objective::Discernibility);
    run(
        "a loss",
        &table,
        None,
        5,
        None,
        "0",
        loss,
        Some(0.573_150_965_559_004_4),
    );
    run("a dm", &table, None, 5, None, "0", dm, Some(33_627_534.0));
    run(
        "b loss",
        &table,
        None,
        5,
        None,
        "0.05",
        loss,
        Some(0.241_932_365_066_290_8),
    );
    run("b dm", &table, None, 5, None, "0.05", dm, Some(7_220_555.0));
    let l = || -> Option<Box<dyn Promise>> { Some(Box::new(Distinct(3))) };
    run(
        "c loss",
        &table,
        Some("occupation"),
        5,
        l(),
        "0.05",
        loss,
        Some(0.171_702_181_217_506_36),
    );
    run(
        "c dm",
        &table,
        Some("occupation"),
        5,
        l(),
        "0.05",
        dm,
        Some(9_268_952.0),
    );
    run(
        "d loss",
        &table,
        Some("occupation"),
        5,
        Some(near()),
        "0.05",
        loss,
        Some(0.815_003_186_212_389_7),
    );
    run(
        "d dm",
        &table,
        Some("occupation"),
        5,
        Some(near()),
        "0.05",
        dm,
        Some(336_773_094.0),
    );
    run("e loss", &table, None, 10, None, "1", loss, None);
    run("e dm", &table, None, 10, None, "1", dm, None);
    if let Some(mix) = arguments.get(1) {
        let table = adult(Path::new(mix), directory);
        run("mix1m loss", &table, None, 5, None, "0.05", loss, None);
        run("mix1m dm", &table, None, 5, None, "0.05", dm, None);
    }
}

#[expect(clippy::too_many_arguments, reason = "one row of a table")]
fn run(
    name: &str,
    table: &Loaded,
    sensitive: Option<&str>,
    k: u64,
    promise: Option<Box<dyn Promise>>,
    limit: &str,
    objective: Objective,
    score: Option<f64>,
) {
    let only = std::env::args().nth(3).unwrap_or_default();
    if !name.starts_with(&only) {
        return;
    }
    let (summary, hierarchies) = table.summary(sensitive);
    let mut promises: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k })];
    promises.extend(promise);
    let request = Request {
        summary: &summary,
        hierarchies: &hierarchies,
        promises: &promises,
        objective,
        suppress_at_most: Fraction::parse(limit).expect("a fraction"),
        limits: None,
        setting: None,
        weights: None,
    };
    let mut times = Vec::new();
    let busy = cpu();
    let mut last = None;
    for _ in 0..RUNS {
        let start = Instant::now();
        let solution = Context::quiet(0, |context| FullDomain::default().solve(&request, context))
            .expect("feasible");
        times.push(start.elapsed().as_secs_f64() * 1e3);
        if let Some(score) = score {
            assert!((solution.score - score).abs() <= 1e-12 * score.max(1.0));
        }
        last = Some(solution);
    }
    let busy = (cpu() - busy) / RUNS as f64;
    times.sort_by(f64::total_cmp);
    let solution = last.expect("at least one run");
    println!(
        "{name:11} {:7.1} ms (median {:7.1}, {busy:7.1} busy)  {:8} tuples  {:5} evaluated  score {}  levels {:?}  suppressed {}",
        times[0],
        times[RUNS / 2],
        summary.tuples(),
        solution.statistics.evaluated,
        solution.score,
        solution.recoding.levels.expect("levels"),
        solution.statistics.suppressed,
    );
}

/// Milliseconds this process was on a processor so far, all threads together: on a busy machine the honest figure.
fn cpu() -> f64 {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return 0.0;
    };
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("schedstat")).ok())
        .filter_map(|text| text.split(' ').next()?.parse::<f64>().ok())
        .sum::<f64>()
        / 1e6
}
