//! `make bench`: denym beside its peers, whole processes, equal answers first, then times as ratios.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench prints, and stops at the first wrong answer"
)]

mod audit;
mod process;
mod solvers;
mod table;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let all = wanted.is_empty();
    for (name, run) in [
        ("table", table::run as fn()),
        ("audit", audit::run),
        ("solvers", solvers::run),
    ] {
        if all || wanted.iter().any(|word| word == name) {
            println!("\n## {name}\n");
            run();
        }
    }
}
