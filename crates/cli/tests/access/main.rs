//! `denym access` as a steward runs it: every answer beside what Kabir 2010 or a second way of computing it says.

#[path = "../support/mod.rs"]
mod support;

mod check;
mod consent;
mod ddl;
mod explain;
#[cfg(feature = "gateway")]
mod live;
#[cfg(feature = "gateway")]
mod log;
mod thesis;
mod users;

use std::path::{Path, PathBuf};
use std::process::Output;

use support::run;

/// A copy of the bundled example, to change.
fn example() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/access");
    for (name, bytes) in support::files(&source) {
        support::write(
            directory.path(),
            name.to_str().expect("a plain name"),
            bytes,
        );
    }
    directory
}

/// The words of a command line.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Runs a command that must succeed; what it printed.
fn done(directory: &Path, args: &[&str]) -> String {
    let output = run(directory, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", both(&output));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn both(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    text(&output.stdout) + &text(&output.stderr)
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(path).expect("a file")
}
