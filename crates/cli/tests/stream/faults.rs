//! Streams that are killed, stopped, out of room or fed with rubbish: the same bytes in the end, or a clear stop and a resume.

use crate::support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::riders::{events, policy};
use support::{files, json, run, write};

/// What a run published, by file.
fn published(directory: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let mut found = files(directory);
    found.retain(|(path, _)| {
        let name = path.to_string_lossy();
        !name.contains("checkpoint") && !name.contains("lock")
    });
    found
}

fn same(whole: &Path, parts: &Path) {
    let (whole, parts) = (published(whole), published(parts));
    assert_eq!(whole.len(), parts.len());
    for (left, right) in whole.iter().zip(&parts) {
        assert!(left == right, "{} differs", left.0.display());
    }
}

fn start(directory: &Path, args: &[&str]) -> Child {
    Command::new(support::BINARY)
        .current_dir(directory)
        .args(["stream", "policy.toml"])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("denym starts")
}

/// A stream and its undisturbed output in `whole`.
fn undisturbed(riders: usize, hours: usize) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "events.csv", events(riders, hours));
    let source = "path = \"events.csv\"\nunit = \"1s\"";
    write(directory.path(), "policy.toml", policy(source));
    let whole = run(
        directory.path(),
        &["stream", "policy.toml", "-o", "whole", "--quiet"],
    );
    assert_eq!(whole.status.code(), Some(0));
    directory
}

/// How many windows a run has certified so far; none before it has made its directory.
fn windows(directory: &Path) -> usize {
    let chain = std::fs::read(directory.join("certificates.ndjson"));
    let lines = chain.unwrap_or_default().into_iter();
    lines.filter(|byte| *byte == b'\n').count()
}

#[test]
fn killed_at_twenty_random_points() {
    let directory = undisturbed(3000, 60);
    let all = windows(&directory.path().join("whole"));
    let parts = directory.path().join("parts");
    let mut seed = 20u64;
    let mut killed = 0;
    for _ in 0..20 {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // A second of events in fifty milliseconds: no machine is so fast, and no test so late, that a run ends before it is killed.
        let args = ["-o", "parts", "--quiet", "--replay-speed", "20x"];
        let before = windows(&parts);
        let mut child = start(directory.path(), &args);
        // As soon as it has gone on by none, one or two windows, and then anywhere in the work on the next.
        let further = (seed >> 60) as usize % 3;
        let patience = Instant::now() + Duration::from_secs(20);
        while windows(&parts) < before + further && Instant::now() < patience {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(Duration::from_micros((seed >> 40) % 50_000));
        killed += u32::from(child.try_wait().expect("a status").is_none());
        // A child that has ended already cannot be killed.
        let _ = child.kill();
        child.wait().expect("ended");
    }
    let (reached, asked) = (windows(&parts), "most runs are killed on their way");
    assert!(
        killed >= 15,
        "{asked}: {killed}, {reached} of {all} windows"
    );
    assert!(reached > 5, "{asked}, not before it: {reached} of {all}");
    let last = run(
        directory.path(),
        &["stream", "policy.toml", "-o", "parts", "--quiet"],
    );
    assert_eq!(last.status.code(), Some(0));
    same(&directory.path().join("whole"), &parts);
}

#[cfg(unix)]
#[test]
fn asked_to_end_it_drains_and_goes_on_to_the_same_bytes() {
    let directory = undisturbed(300, 20);
    let mut stopped = 0;
    for delay in [150, 400, 700] {
        // Twenty seconds of events at ten times the speed.
        let args = ["-o", "parts", "--json", "--replay-speed", "10x"];
        let child = start(directory.path(), &args);
        std::thread::sleep(Duration::from_millis(delay));
        let kill = Command::new("kill")
            .args(["-TERM", &child.id().to_string()])
            .status();
        assert!(kill.expect("kill runs").success());
        let output = child.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(0));
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        stopped += u32::from(found["status"] == "stopped");
        let fates = [
            "published",
            "suppressed",
            "late",
            "duplicates",
            "rejected",
            "open",
        ];
        let sum: u64 = fates.iter().filter_map(|key| found[*key].as_u64()).sum();
        assert_eq!(found["events"].as_u64(), Some(sum), "{found}");
    }
    assert_eq!(stopped, 3);
    let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "parts"]);
    assert_eq!((code, &found["status"]), (0, &"finished".into()), "{found}");
    same(
        &directory.path().join("whole"),
        &directory.path().join("parts"),
    );
}

#[cfg(target_os = "linux")]
#[test]
fn no_room_for_a_checkpoint_stops_and_resumes() {
    // A file-size limit stands in for a full disk. The checkpoint holds the state and is the first file to grow too large.
    let directory = undisturbed(2000, 30);
    let limited = |blocks: u32| {
        let command = format!(
            "trap '' XFSZ; ulimit -f {blocks}; exec {} stream policy.toml -o parts --json",
            support::BINARY
        );
        Command::new("bash")
            .current_dir(directory.path())
            .args(["-c", &command])
            .output()
            .expect("bash runs")
    };
    let mut refused = 0;
    for blocks in [4, 16, 64, 96] {
        let output = limited(blocks);
        if output.status.code() == Some(0) {
            continue;
        }
        refused += 1;
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!(output.status.code(), Some(2), "{found}");
        let error = &found["error"];
        let message = error["message"].as_str().expect("words");
        assert!(
            message.contains("larger than it may be") || message.contains("cannot be written"),
            "{found}"
        );
        assert!(
            !directory
                .path()
                .join("parts/steward/checkpoint.draft")
                .exists()
        );
    }
    assert!(refused > 0, "at least one run had no room");
    let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "parts"]);
    assert_eq!(code, 0, "{found}");
    same(
        &directory.path().join("whole"),
        &directory.path().join("parts"),
    );
}

#[test]
fn rubbish_is_rejected_counted_and_not_quoted() {
    let directory = tempfile::tempdir().expect("a directory");
    let good = support::riders::json_events(90, 8);
    let huge = "Sekretna".repeat(1000);
    let longest = "Sekretna".repeat(400_000);
    let bad = [
        "{\"subject\":\"Sekretna\",\"location\":".to_owned(),
        "{\"subject\":\"Sekretna\",\"location\":\"s1\",\"time\":NaN}".to_owned(),
        "{\"subject\":\"Sekretna\",\"location\":\"s1\",\"time\":1e999}".to_owned(),
        "{\"subject\":\"Sekretna\",\"location\":\"s1\",\"time\":9223372036854775807}".to_owned(),
        "{\"subject\":\"Sekretna\",\"location\":[\"s1\"],\"time\":1}".to_owned(),
        "{\"subject\":\"\",\"location\":\"Sekretna\",\"time\":1}".to_owned(),
        format!("{{\"subject\":\"{huge}\",\"location\":\"s1\",\"time\":1}}"),
        format!("{{\"subject\":\"r1\",\"location\":\"{huge}\",\"time\":1}}"),
        longest,
        "\u{0}\u{1}Sekretna".to_owned(),
        "[[[[[[[[".repeat(2000),
    ];
    // Rubbish between the good lines, and fields that nobody asked for in them.
    let mut text = String::new();
    let mut left = bad.iter();
    for (at, line) in good.lines().enumerate() {
        if at % 37 == 0
            && let Some(bad) = left.next()
        {
            text += bad;
            text.push('\n');
        }
        text += &line.replacen('{', "{\"color\":{\"of\":[1,null]},", 1);
        text.push('\n');
    }
    assert_eq!(left.next(), None);
    for (name, content) in [("good", &good), ("bad", &text)] {
        write(directory.path(), &format!("{name}.ndjson"), content);
        let source = format!("path = \"{name}.ndjson\"");
        write(directory.path(), &format!("{name}.toml"), policy(&source));
    }
    let (code, clean) = json(directory.path(), &["stream", "good.toml", "-o", "good"]);
    assert_eq!(code, 0, "{clean}");
    let output = run(
        directory.path(),
        &["stream", "bad.toml", "-o", "bad", "--json"],
    );
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(
        !said.contains("Sekretna") && !said.contains("panicked"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(0), "{said}");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        found["rejected"].as_u64(),
        Some(bad.len() as u64),
        "{found}"
    );
    assert_eq!(found["published"], clean["published"]);
    let windows = |name: &str| std::fs::read(directory.path().join(name).join("windows.ndjson"));
    assert_eq!(
        windows("good").expect("windows"),
        windows("bad").expect("windows")
    );
}

#[test]
fn a_broken_checkpoint_or_another_policy_is_refused() {
    let directory = undisturbed(60, 8);
    let text = policy("path = \"events.csv\"").replace("k-anonymity = 5", "k-anonymity = 6");
    write(directory.path(), "other.toml", text);
    let (code, found) = json(directory.path(), &["stream", "other.toml", "-o", "whole"]);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &"stream-other-options".into())
    );
    write(directory.path(), "more.csv", events(60, 8));
    write(
        directory.path(),
        "source.toml",
        policy("path = \"more.csv\""),
    );
    let (code, found) = json(directory.path(), &["stream", "source.toml", "-o", "whole"]);
    assert_eq!((code, &found["error"]["code"]), (2, &"argument".into()));
    // Windows that were handed out may not disappear unnoticed.
    let windows = directory.path().join("whole/windows.ndjson");
    let bytes = std::fs::read(&windows).expect("windows");
    std::fs::write(&windows, &bytes[..bytes.len() / 2]).expect("cut");
    let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "whole"]);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &"output-shortened".into()),
        "{found}"
    );
    std::fs::write(&windows, &bytes).expect("back");
    let checkpoint = directory.path().join("whole/steward/checkpoint");
    let bytes = std::fs::read(&checkpoint).expect("a checkpoint");
    for cut in [0, 10, 30, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&checkpoint, &bytes[..cut]).expect("cut");
        let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "whole"]);
        assert_eq!(code, 2, "{cut}: {found}");
    }
    // A stream that forgot what it showed does not begin anew over it.
    std::fs::remove_file(&checkpoint).expect("gone");
    let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "whole"]);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &"argument".into()),
        "{found}"
    );
    let kept = std::fs::read(&windows).expect("windows");
    assert!(!kept.is_empty());
}
