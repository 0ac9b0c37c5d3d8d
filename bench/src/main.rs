//! `make bench`: denym beside its peers, whole processes, equal answers first, then times as ratios.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench prints, and stops at the first wrong answer"
)]

mod audit;
mod microdata;
mod path_figures;
mod paths;
mod process;
mod solvers;
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
        ("thesis", thesis::run),
        ("solvers", solvers::run),
    ];
    // The papers' figures on paths, and London's journeys, take minutes; they run only by name.
    let figures = [
        ("figure-6", path_figures::figure_6 as fn()),
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
        .chain(figures.into_iter().filter(|(name, _)| named(name)));
    for (name, run) in chosen {
        println!("\n## {name}\n");
        run();
    }
}
