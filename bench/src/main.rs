//! `make bench`: denym beside its peers, whole processes, equal answers first, then times as ratios.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench prints, and stops at the first wrong answer"
)]

mod audit;
mod gateway;
mod microdata;
mod paths;
mod process;
mod solvers;
mod stream;
mod table;
mod thesis;
mod trails;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let all = wanted.is_empty();
    // Ten seconds instead of sixty is for a quick look; only who asks gets it.
    let only_asked = ["best-effort-10s"];
    for (name, run) in [
        ("table", table::run as fn()),
        ("audit", audit::run),
        ("trails", trails::run),
        ("paths", paths::run),
        ("microdata", microdata::run),
        ("best-effort-60s", microdata::best_effort_60s),
        ("best-effort-10s", microdata::best_effort_10s),
        ("thesis", thesis::run),
        ("solvers", solvers::run),
        ("gateway", gateway::run),
        ("stream", stream::run),
    ] {
        if (all && !only_asked.contains(&name)) || wanted.iter().any(|word| word == name) {
            println!("\n## {name}\n");
            run();
        }
    }
}
