//! A Python of our own, for comparisons with peers that are Python packages.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A Python with `packages` installed, kept in the user's cache; `None`, after counting the test as skipped, when it cannot be had.
///
/// # Panics
///
/// When no package is named.
pub fn python(packages: &[&str]) -> Option<PathBuf> {
    let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    // An environment for each peer: some pin what others need in another version.
    let name = packages[0]
        .split(['=', '<', '>'])
        .next()
        .unwrap_or_default();
    let directory = home.join(format!(".cache/denym/venv-{name}"));
    let python = directory.join("bin/python");
    let quiet = |command: &mut Command| {
        command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    if !python.is_file() && !quiet(Command::new("python3").args(["-m", "venv"]).arg(&directory)) {
        crate::skip("no Python");
        return None;
    }
    let installed = quiet(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet"])
            .args(packages),
    );
    if !installed {
        crate::skip(&format!("no Python package {name}"));
    }
    installed.then_some(python)
}

/// pycanon and what it needs, pinned: its answers are compared with ours digit by digit.
pub const PYCANON: [&str; 3] = ["pycanon==1.3.6", "pandas<3", "numpy<2.1"];
