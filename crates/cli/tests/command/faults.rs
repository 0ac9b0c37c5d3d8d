//! Faults: killed in the middle, no room, no permission, a target in the way. Nothing half-written is ever seen.

use crate::support;

use std::time::Duration;

use support::{json, patients, run, write};

#[test]
fn a_target_in_the_way_is_an_error() {
    let directory = patients();
    assert_eq!(json(directory.path(), &["anonymize", "policy.toml"]).0, 0);
    assert!(
        directory
            .path()
            .join("patients-release/release/patients.csv")
            .is_file()
    );
    let (code, document) = json(directory.path(), &["anonymize", "policy.toml"]);
    assert_eq!(
        (code, &document["error"]["code"]),
        (2, &"output-exists".into())
    );
    assert_eq!(
        json(directory.path(), &["anonymize", "policy.toml", "--force"]).0,
        0
    );
}

#[test]
fn force_spares_what_is_no_bundle() {
    let directory = patients();
    write(directory.path(), "precious/thesis.txt", "x");
    let (code, _) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "precious", "--force"],
    );
    assert_eq!(code, 2);
    assert!(directory.path().join("precious/thesis.txt").is_file());
}

#[test]
fn killed_at_any_moment_leaves_no_bundle_or_a_whole_one() {
    let directory = tempfile::tempdir().expect("a directory");
    let csv = run(
        directory.path(),
        &["generate", "hospital", "--seed", "2", "--rows", "20000"],
    )
    .stdout;
    write(directory.path(), "patients.csv", csv);
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/hospital");
    let policy =
        std::fs::read_to_string(format!("{example}/policy.toml")).expect("the example's policy");
    write(
        directory.path(),
        "policy.toml",
        policy.replace("hierarchies/", &format!("{example}/hierarchies/")),
    );
    for delay in [5, 20, 40, 80, 120, 200, 400] {
        let mut child = std::process::Command::new(support::BINARY)
            .current_dir(directory.path())
            .args([
                "anonymize",
                "policy.toml",
                "-o",
                "bundle",
                "--quiet",
                "--force",
            ])
            .spawn()
            .expect("denym starts");
        std::thread::sleep(Duration::from_millis(delay));
        child.kill().expect("killed");
        child.wait().expect("ended");
        if directory.path().join("bundle").exists() {
            assert_eq!(
                run(directory.path(), &["verify", "bundle"]).status.code(),
                Some(0),
                "after {delay} ms"
            );
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_so() {
    // A file-size limit stands in for a full disk: the write fails in the middle. The shell ignores the signal.
    let directory = patients();
    let command = format!(
        "trap '' XFSZ; ulimit -f 0; exec {} anonymize policy.toml -o bundle --json",
        support::BINARY
    );
    let output = std::process::Command::new("bash")
        .current_dir(directory.path())
        .args(["-c", &command])
        .output()
        .expect("bash runs");
    assert_eq!(
        output.status.code(),
        Some(2),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let left: Vec<_> = std::fs::read_dir(directory.path())
        .expect("a directory")
        .map(|entry| entry.expect("one").file_name())
        .collect();
    assert_eq!(left.len(), 2, "only the data and the policy: {left:?}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_behind() {
    let directory = tempfile::tempdir().expect("a directory");
    let csv = run(
        directory.path(),
        &["generate", "hospital", "--seed", "3", "--rows", "60000"],
    )
    .stdout;
    write(directory.path(), "patients.csv", csv);
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/hospital");
    let policy =
        std::fs::read_to_string(format!("{example}/policy.toml")).expect("the example's policy");
    write(
        directory.path(),
        "policy.toml",
        policy.replace("hierarchies/", &format!("{example}/hierarchies/")),
    );
    let unfinished = || {
        std::fs::read_dir(directory.path())
            .expect("a directory")
            .filter(|entry| {
                entry
                    .as_ref()
                    .is_ok_and(|entry| entry.file_name().to_string_lossy().starts_with(".denym"))
            })
            .count()
    };
    for delay in [0, 30, 90, 150] {
        let mut child = std::process::Command::new(support::BINARY)
            .current_dir(directory.path())
            .args([
                "anonymize",
                "policy.toml",
                "-o",
                "bundle",
                "--quiet",
                "--force",
            ])
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("denym starts");
        // From the moment on which it has begun a bundle.
        while unfinished() == 0 && child.try_wait().expect("asked").is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_millis(delay));
        let kill = std::process::Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .expect("kill runs");
        assert!(kill.success());
        let status = child.wait().expect("ended");
        assert!(matches!(status.code(), Some(0 | 2)), "{status:?}");
        assert_eq!(unfinished(), 0, "after {delay} ms");
    }
}
