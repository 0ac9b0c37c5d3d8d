//! What anybody may hand to the command: data in place of a policy, damaged files, cells made to hurt. Never a cell in a message,
//! never a panic, never more memory than the input is worth.

#[path = "../support/mod.rs"]
mod support;

mod appearances;
mod clinic;
mod damaged;
mod formulas;
mod memory;
mod modes;
mod streams;
mod terminal;
mod words;

use std::path::Path;
use std::process::Output;

/// Both outputs of a run as one text.
fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs the command and returns its exit code and everything it said.
fn run(directory: &Path, args: &[&str]) -> (i32, String) {
    let output = support::run(directory, args);
    (output.status.code().unwrap_or(-1), said(&output))
}
