//! The guides work word for word: every command of a guide that has an example is run beside the examples, and ends well.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support;

use support::{BINARY, empty, write};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines of a guide that a reader types, in their order.
fn typed(guide: &str) -> Vec<String> {
    let text =
        std::fs::read_to_string(root().join("docs/src/guides").join(guide)).expect("a guide");
    let mut lines = Vec::new();
    let mut open = None;
    for line in text.lines() {
        match line.trim_start().strip_prefix("```") {
            Some(_) if open.is_some() => open = None,
            Some(language) => open = Some(language.to_owned()),
            None if open.as_deref() == Some("console") && line.starts_with("denym ") => {
                lines.push(line.to_owned());
            }
            None => {}
        }
    }
    lines
}

/// Runs every command of a guide where the examples are.
#[cfg(unix)]
fn runs(guide: &str, least: usize) {
    let directory = empty();
    for (file, bytes) in support::files(&root().join("examples")) {
        let name = Path::new("examples").join(file);
        write(directory.path(), name.to_str().expect("a name"), bytes);
    }
    let programs = Path::new(BINARY).parent().expect("a directory");
    let commands = typed(guide);
    assert!(commands.len() >= least, "{guide}: {commands:?}");
    for command in commands {
        let output = Command::new("sh")
            .args(["-c", &command])
            .current_dir(directory.path())
            .env("PATH", format!("{}:/usr/bin:/bin", programs.display()))
            .env("NO_COLOR", "1")
            .output()
            .expect("a shell");
        assert_eq!(
            output.status.code(),
            Some(0),
            "{guide}: {command}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[cfg(unix)]
#[test]
fn publish_a_table() {
    runs("publish-a-table.md", 2);
}

#[cfg(unix)]
#[test]
fn publish_again_and_again() {
    runs("ledger.md", 9);
}

#[cfg(unix)]
#[test]
fn publish_paths() {
    runs("publish-paths.md", 4);
}

#[cfg(unix)]
#[test]
fn publish_transactions() {
    runs("publish-transactions.md", 4);
}

#[cfg(unix)]
#[test]
fn publish_numbers() {
    runs("publish-numbers.md", 3);
}

#[cfg(unix)]
#[test]
fn publish_trails() {
    runs("publish-trails.md", 2);
}

#[cfg(unix)]
#[test]
fn streams() {
    runs("streams.md", 2);
}

/// The policy that a guide prints is the one that its example has.
#[test]
fn the_policies_of_the_guides_are_those_of_the_examples() {
    for (guide, example) in [
        ("publish-paths.md", "paths"),
        ("publish-numbers.md", "numbers"),
    ] {
        let text = std::fs::read_to_string(root().join("docs/src/guides").join(guide));
        let text = text.expect("a guide");
        let policy = root().join("examples").join(example).join("policy.toml");
        let policy = std::fs::read_to_string(policy).expect("a policy");
        // The first line of an example says what its data is.
        let (_, policy) = policy.split_once("\n\n").expect("a heading");
        assert!(text.contains(policy.trim_end()), "{guide}");
    }
}
