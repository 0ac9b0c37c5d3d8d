//! What is raw data only its owner reads, whatever the umask.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use super::support::riders::{events, policy};
use super::support::{BINARY, patients, write};

/// Runs the command under a umask.
fn under(umask: &str, directory: &Path, args: &[&str]) {
    let output = Command::new("sh")
        .args([
            "-c",
            &format!("umask {umask} && exec \"$0\" \"$@\""),
            BINARY,
        ])
        .args(args)
        .current_dir(directory)
        .output()
        .expect("a shell");
    assert!(output.status.success(), "{}", super::said(&output));
}

/// Every path below `directory` with its mode.
fn modes(directory: &Path) -> Vec<(String, u32)> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("a directory") {
            let path = entry.expect("an entry").path();
            let mode = path.metadata().expect("metadata").permissions().mode() & 0o777;
            let name = path
                .strip_prefix(directory)
                .expect("below")
                .to_string_lossy()
                .into_owned();
            if path.is_dir() {
                open.push(path);
            }
            found.push((name, mode));
        }
    }
    found.sort();
    found
}

#[test]
fn a_stream_closes_the_stewards_half() {
    for umask in ["000", "022", "077"] {
        let directory = tempfile::tempdir().expect("a directory");
        let at = directory.path();
        // One event comes too late.
        write(at, "events.csv", events(60, 8) + "r1,s1,0\n");
        write(at, "policy.toml", policy("path = \"events.csv\""));
        under(umask, at, &["stream", "policy.toml", "-o", "out"]);
        // Closed again when somebody opened it, or an earlier version made it.
        for (name, mode) in [("steward", 0o755), ("steward/late.ndjson", 0o644)] {
            let open = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(at.join("out").join(name), open).expect("a mode");
        }
        under(umask, at, &["stream", "policy.toml", "-o", "out"]);
        for (name, mode) in modes(&at.join("out")) {
            if name == "steward" {
                assert_eq!(mode, 0o700, "{umask} {name}");
            } else if name.starts_with("steward/") {
                assert_eq!(mode, 0o600, "{umask} {name}");
            }
        }
    }
}

#[test]
fn a_bundle_is_open_and_closed_by_halves() {
    for umask in ["000", "022", "077"] {
        let directory = patients();
        let at = directory.path();
        under(
            umask,
            at,
            &["anonymize", "policy.toml", "-o", "out", "--mapping"],
        );
        for (name, mode) in modes(&at.join("out")) {
            let wanted = match name.as_str() {
                "release" => 0o755,
                "steward" => 0o700,
                name if name.starts_with("release/") => 0o644,
                _ if at.join("out").join(&name).is_dir() => 0o700,
                _ => 0o600,
            };
            assert_eq!(mode, wanted, "{umask} {name}");
        }
    }
}
