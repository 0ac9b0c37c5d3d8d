//! `make bench`: denym beside its peers, whole processes, equal answers first, then times as ratios.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench prints, and stops at the first wrong answer"
)]

mod audit;
mod auto;
mod gateway;
mod microdata;
mod path_figures;
mod paths;
mod process;
mod solvers;
mod stream;
mod table;
mod thesis;
mod trails;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let benches = [
        ("table", table::run as fn()),
        ("audit", audit::run),
        ("trails", trails::run),
        ("paths", paths::run),
        ("microdata", microdata::run),
        ("best-effort-60s", microdata::best_effort_60s),
        ("thesis", thesis::run),
        ("solvers", solvers::run),
        ("gateway", gateway::run),
        ("stream", stream::run),
    ];
    // The papers' figures on paths, London's journeys and `auto` beside everybody take minutes, ten seconds instead of sixty and small data are for a quick look: only by name.
    let by_name = [
        ("best-effort-10s", microdata::best_effort_10s as fn()),
        ("auto", auto::run),
        ("microdata-small", microdata::small),
        ("solvers-large", solvers::large),
        ("figure-6", path_figures::figure_6),
        ("figure-7", path_figures::figure_7),
        ("figure-8", path_figures::figure_8),
        ("figure-9", path_figures::figure_9),
        ("oyster", path_figures::oyster),
    ];
    let all = wanted.is_empty();
    let named = |name: &str| wanted.iter().any(|word| word == name);
    let chosen = benches
        .into_iter()
        .filter(|(name, _)| all || named(name))
        .chain(by_name.into_iter().filter(|(name, _)| named(name)));
    for (name, run) in chosen {
        println!("\n## {name}\n");
        run();
    }
}
