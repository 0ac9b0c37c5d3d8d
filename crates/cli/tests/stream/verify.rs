//! `denym verify` on the output of a stream: what was published stands, and whatever is done to it is seen.

use crate::support;

use std::io::Write as _;
use std::path::Path;

use serde_json::Value;
use support::riders::{events, policy};
use support::{json, write};

fn published(form: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "events.csv", events(300, 14));
    let extra = format!("[release]\nform = \"{form}\"\n");
    write(
        directory.path(),
        "policy.toml",
        policy("path = \"events.csv\"") + &extra,
    );
    let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    directory
}

fn verify(directory: &Path) -> (i32, Value) {
    json(directory, &["verify", "out"])
}

#[test]
fn what_was_published_stands() {
    for form in ["full", "delta"] {
        let directory = published(form);
        let (code, found) = verify(directory.path());
        assert_eq!(code, 0, "{found}");
        assert_eq!(found["holds"], true);
        assert_eq!(found["windows"], found["measured_windows"], "{found}");
        assert!(found["windows"].as_u64() >= Some(11), "{found}");
        let claim = &found["claims"][0];
        assert_eq!(
            (&claim["promise"], &claim["asked"]),
            (&"k-anonymity".into(), &5.into())
        );
        assert!(claim["measured"].as_u64() >= Some(5), "{found}");
        let text = std::fs::read_to_string(directory.path().join("out/windows.ndjson"));
        let deltas = text.expect("windows").matches("\"changes\"").count();
        assert_eq!(deltas > 0, form == "delta");
    }
}

/// Changes a file of the output and says what `verify` finds: code, file, line, words.
fn after(form: &str, file: &str, change: impl Fn(&mut Vec<String>)) -> (i32, String, u64, String) {
    let directory = published(form);
    let path = directory.path().join("out").join(file);
    let text = std::fs::read_to_string(&path).expect("lines");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    change(&mut lines);
    std::fs::write(&path, lines.join("\n") + "\n").expect("changed");
    let (code, found) = verify(directory.path());
    let broken = &found["broken"];
    let name = broken["file"].as_str().unwrap_or_default();
    let name = Path::new(name).file_name().unwrap_or_default();
    (
        code,
        name.to_string_lossy().into_owned(),
        broken["line"].as_u64().unwrap_or(0),
        broken["what"].as_str().unwrap_or_default().to_owned(),
    )
}

#[test]
fn every_change_is_seen() {
    let windows = "windows.ndjson";
    let certificates = "certificates.ndjson";
    for form in ["full", "delta"] {
        let (code, file, line, what) = after(form, windows, |lines| {
            lines.remove(4);
        });
        assert_eq!((code, file.as_str(), line), (1, windows, 5), "{what}");
        let (code, file, line, what) = after(form, windows, |lines| lines.swap(4, 5));
        assert_eq!((code, file.as_str(), line), (1, windows, 5), "{what}");
        let (code, file, _, what) = after(form, windows, |lines| {
            lines.pop();
        });
        assert_eq!((code, file.as_str()), (1, windows));
        assert!(what.contains("missing"), "{what}");
        let (code, file, line, what) = after(form, certificates, |lines| {
            lines.remove(6);
        });
        assert_eq!((code, file.as_str(), line), (1, certificates, 7), "{what}");
        let (code, file, line, what) = after(form, certificates, |lines| lines.swap(2, 3));
        assert_eq!((code, file.as_str(), line), (1, certificates, 3), "{what}");
        // A last certificate that is gone leaves a window that nobody speaks of.
        let (code, _, _, what) = after(form, certificates, |lines| {
            lines.pop();
        });
        assert_eq!(code, 1);
        assert!(what.contains("no certificate"), "{what}");
    }
    // One subject more in a group; one claim less.
    let (code, file, line, what) = after("full", windows, |lines| {
        lines[3] = lines[3].replacen("\"count\":", "\"count\":1", 1);
    });
    assert_eq!((code, file.as_str(), line), (1, windows, 4), "{what}");
    let (code, file, line, what) = after("full", certificates, |lines| {
        lines[3] = lines[3].replacen("\"k\":5", "\"k\":4", 1);
    });
    assert_eq!((code, file.as_str(), line), (1, certificates, 4), "{what}");
    let (code, _, line, what) = after("delta", windows, |lines| {
        lines[3] = lines[3].replacen("\"gained\":", "\"gained\":1", 1);
    });
    assert_eq!((code, line), (1, 4), "{what}");
}

#[test]
fn a_forged_chain_does_not_pass_the_measure() {
    // Whoever rewrites the whole chain can make hashes fit, but not a window that breaks the promise.
    let directory = published("full");
    let path = directory.path().join("out/windows.ndjson");
    let text = std::fs::read_to_string(&path).expect("windows");
    let first = text.lines().next().expect("a window");
    // Somebody stands alone.
    let (before, after) = first.split_once("\"count\":").expect("a count");
    let after = after.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let forged = format!("{before}\"count\":1{after}");
    std::fs::write(&path, format!("{forged}\n")).expect("written");
    let chain = directory.path().join("out/certificates.ndjson");
    let text = std::fs::read_to_string(&chain).expect("certificates");
    let certificate = text.lines().next().expect("a certificate");
    let certificate = certificate.replace(&sha256(first), &sha256(&forged));
    std::fs::write(&chain, format!("{certificate}\n")).expect("written");
    let (code, found) = verify(directory.path());
    assert_eq!(code, 1, "{found}");
    let what = found["broken"]["what"].as_str().expect("words");
    assert!(what.contains("does not keep"), "{what}");
}

fn sha256(text: &str) -> String {
    let mut child = std::process::Command::new("sha256sum")
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("sha256sum runs");
    let input = child.stdin.take();
    input
        .expect("a pipe")
        .write_all(text.as_bytes())
        .expect("sent");
    let output = child.wait_with_output().expect("ended");
    String::from_utf8_lossy(&output.stdout)[..64].to_owned()
}
