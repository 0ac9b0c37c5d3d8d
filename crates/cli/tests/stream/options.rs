//! Every option of a stream through the binary: attributes, matching, rules, forms, time, replay, pipes, metrics.

use crate::support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::riders::{events, json_events, policy};
use support::{json, run, write};

/// Runs a stream over `events` with lines added to the policy.
fn stream(events: &str, extra: &str) -> (tempfile::TempDir, Value) {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "events.csv", events);
    write(
        directory.path(),
        "policy.toml",
        policy("path = \"events.csv\"") + extra,
    );
    let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    let (code, verified) = json(directory.path(), &["verify", "out"]);
    assert_eq!(code, 0, "{verified}");
    (directory, found)
}

fn count(found: &Value, key: &str) -> u64 {
    found[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} in {found}"))
}

fn windows(directory: &Path) -> String {
    std::fs::read_to_string(directory.join("out/windows.ndjson")).expect("windows")
}

fn balanced(found: &Value) {
    let fates = ["published", "suppressed", "late", "duplicates", "rejected"];
    let sum: u64 = fates.iter().map(|key| count(found, key)).sum();
    assert_eq!(sum, count(found, "events"), "{found}");
    assert_eq!(count(found, "violations"), 0, "{found}");
}

#[test]
fn several_sensitive_attributes() {
    let mut text = String::from("subject,location,time,status,age\n");
    for line in events(240, 8).lines().skip(1) {
        let rider: usize = line[1..line.find(',').expect("a comma")]
            .parse()
            .expect("a number");
        // Most are ill wherever they are; those of one train are all old.
        let status = if rider % 5 < 3 { "ill" } else { "well" };
        let age = if rider.is_multiple_of(6) || rider.is_multiple_of(7) {
            "old"
        } else {
            "young"
        };
        text += &format!("{line},{status},{age}\n");
    }
    let attributes = "[attributes]\nstatus = \"sensitive\"\nage = \"sensitive\"\n";
    let (directory, plain) = stream(&text, attributes);
    assert!(windows(directory.path()).contains("\"attributes\":[\"status\",\"age\"]"));
    assert!(windows(directory.path()).contains("\"sensitive\":[\"ill\",\"old\"]"));
    balanced(&plain);
    let kept = |bounds: &str| {
        let extra = format!("confidence = {bounds}\n{attributes}");
        let (_, found) = stream(&text, &extra);
        balanced(&found);
        count(&found, "published")
    };
    let loose = kept("{ attribute = \"status\", values = [\"ill\"], at-most = 0.95 }");
    let both = kept(
        "[{ attribute = \"status\", values = [\"ill\"], at-most = 0.95 }, { attribute = \"age\", values = [\"old\"], at-most = 0.6 }]",
    );
    assert_eq!(loose, count(&plain, "published"));
    assert!(both < loose, "{both} {loose}");
}

#[test]
fn consistent_matching_says_what_it_costs() {
    let (_, covers) = stream(&events(200, 10), "");
    assert_eq!(covers["consistent_cost"], Value::Null);
    let (_, found) = {
        let directory = tempfile::tempdir().expect("a directory");
        write(directory.path(), "events.csv", events(200, 10));
        let text = policy("path = \"events.csv\"")
            .replace("[promise]", "matching = \"consistent\"\n[promise]");
        write(directory.path(), "policy.toml", text);
        let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "out"]);
        assert_eq!(code, 0, "{found}");
        let (code, verified) = json(directory.path(), &["verify", "out"]);
        assert_eq!(
            (code, &verified["matching"]),
            (0, &"attested".into()),
            "{verified}"
        );
        (directory, found)
    };
    balanced(&found);
    let cost = count(&found, "consistent_cost");
    assert!(cost > 0, "{found}");
    assert!(
        count(&found, "suppressed") >= count(&covers, "suppressed"),
        "{found}"
    );
    assert!(cost <= count(&found, "suppressed"), "{found}");
}

#[test]
fn the_rules_of_publication() {
    // A ring that mixes: what is safe in one window becomes unsafe with the next.
    let mut text = String::from("subject,location,time\n");
    let mut seed = 7u64;
    for hour in 0..24 {
        for rider in 0..160 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            text += &format!("r{rider},s{},{hour}\n", (seed >> 33) % 4);
        }
    }
    let rules = [
        "horizon = \"window\"",
        "horizon = 8",
        "horizon = \"all\"",
        "retract = true",
    ];
    let mut suppressed = Vec::new();
    for rule in rules {
        let (_, found) = stream(&text, &format!("[release]\n{rule}\n"));
        balanced(&found);
        assert_eq!(count(&found, "withheld"), 0, "{found}");
        let warned = found["warnings"].to_string().contains("retract");
        assert_eq!(warned, rule.contains("retract"), "{found}");
        assert_eq!(count(&found, "retracted") > 0, warned, "{found}");
        suppressed.push(count(&found, "suppressed"));
    }
    // A longer memory can only cost more.
    assert!(suppressed[0] <= suppressed[1], "{suppressed:?}");
    assert!(suppressed[1] <= suppressed[2], "{suppressed:?}");
    assert!(suppressed[0] < suppressed[2], "{suppressed:?}");
}

#[test]
fn event_time_has_its_rules() {
    // Hour 3 of one rider comes after everybody's hour 4, hour 0 of another at the end of all.
    let mut lines: Vec<String> = events(60, 8).lines().skip(1).map(str::to_owned).collect();
    let at = lines
        .iter()
        .position(|line| line.starts_with("r5,") && line.ends_with(",3"));
    let moved = lines.remove(at.expect("there"));
    let behind = lines
        .iter()
        .rposition(|line| line.ends_with(",4"))
        .expect("there");
    lines.insert(behind + 1, moved.clone());
    lines.push("r7,s1,0".to_owned());
    lines.push("r8,s1,90".to_owned());
    let text = format!("subject,location,time\n{}\n", lines.join("\n"));
    let extra = |more: &str| {
        policy("path = \"events.csv\"").replace("size = 4\n", &format!("size = 4\n{more}"))
    };
    let run = |more: &str| {
        let directory = tempfile::tempdir().expect("a directory");
        write(directory.path(), "events.csv", &text);
        write(directory.path(), "policy.toml", extra(more));
        let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "out"]);
        assert_eq!(code, 0, "{found}");
        balanced(&found);
        let late = std::fs::read_to_string(directory.path().join("out/steward/late.ndjson"));
        (found, late.expect("late events"))
    };
    let (found, late) = run("ahead = 5\n");
    assert_eq!(
        (count(&found, "late"), count(&found, "rejected")),
        (2, 1),
        "{found}"
    );
    let late: Vec<Value> = late
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let texts: Vec<&str> = late
        .iter()
        .filter_map(|line| line["event"].as_str())
        .collect();
    assert_eq!(texts, [moved.as_str(), "r7,s1,0"]);
    let (found, _) = run("lateness = 1\nahead = 5\n");
    assert_eq!(
        (count(&found, "late"), count(&found, "rejected")),
        (1, 1),
        "{found}"
    );
    // Without a limit the last event is taken; the gap before it has no windows of its own.
    let (found, _) = run("lateness = 1\n");
    assert_eq!(count(&found, "rejected"), 0, "{found}");
    assert!(count(&found, "windows") < 20, "{found}");
    // Every second window on a grid that begins at 1; what lies before it is still covered.
    let (found, _) = run("step = 2\norigin = 1\n");
    assert!(count(&found, "windows") < 10, "{found}");
}

#[test]
fn files_of_a_directory_are_one_stream() {
    let whole = events(150, 12);
    let (single, _) = stream(&whole, "");
    let directory = tempfile::tempdir().expect("a directory");
    let lines: Vec<&str> = whole.lines().skip(1).collect();
    for (at, part) in lines.chunks(701).enumerate() {
        let text = format!("subject,location,time\n{}\n", part.join("\n"));
        write(directory.path(), &format!("days/{at}.csv"), text);
    }
    let source = "path = \"days\"\nformat = \"csv\"";
    write(directory.path(), "policy.toml", policy(source));
    assert_eq!(
        json(directory.path(), &["stream", "policy.toml", "-o", "out"]).0,
        0
    );
    assert_eq!(windows(single.path()), windows(directory.path()));
}

#[test]
fn replayed_at_a_speed_gives_the_same_windows() {
    let whole = events(50, 7);
    let (fast, _) = stream(&whole, "");
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "events.csv", &whole);
    let source = "path = \"events.csv\"\nunit = \"1m\"";
    write(directory.path(), "policy.toml", policy(source));
    let args = ["stream", "policy.toml", "-o", "out", "--replay-speed"];
    let start = Instant::now();
    let (code, found) = json(directory.path(), &[&args[..], &["400x"]].concat());
    assert_eq!(code, 0, "{found}");
    // Six minutes from the first event to the last, at 400 times the speed.
    assert!(
        start.elapsed() >= Duration::from_millis(900),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(windows(fast.path()), windows(directory.path()));
    // Without a unit nobody knows how long to wait.
    write(
        directory.path(),
        "policy.toml",
        policy("path = \"events.csv\""),
    );
    let (code, found) = json(
        directory.path(),
        &[&args[..3], &["b", "--replay-speed", "2x"]].concat(),
    );
    assert_eq!((code, &found["error"]["code"]), (2, &"argument".into()));
    let (code, _) = json(
        directory.path(),
        &[&args[..3], &["b", "--replay-speed", "max"]].concat(),
    );
    assert_eq!(code, 0);
    assert_eq!(
        run(directory.path(), &[&args[..], &["fast"]].concat())
            .status
            .code(),
        Some(2)
    );
}

/// A run that reads from a pipe.
fn piped(directory: &Path, args: &[&str]) -> Child {
    Command::new(support::BINARY)
        .current_dir(directory)
        .args(["stream", "policy.toml"])
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("denym starts")
}

#[test]
fn from_a_pipe_to_a_pipe() {
    let (files, _) = stream(&events(80, 9), "");
    let directory = tempfile::tempdir().expect("a directory");
    write(
        directory.path(),
        "policy.toml",
        policy("path = \"-\"") + "[release]\nsink = \"-\"\n",
    );
    let mut child = piped(directory.path(), &["-o", "out"]);
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(json_events(80, 9).as_bytes())
        .expect("sent");
    drop(input);
    let output = child.wait_with_output().expect("ended");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        windows(files.path())
    );
    assert!(said.contains("events     720 ="), "{said}");
    assert!(said.contains("may come twice"), "{said}");
    // The chain alone can still be walked, but nothing was measured, so there is no verdict.
    let (code, found) = json(directory.path(), &["verify", "out"]);
    assert_eq!(
        (code, &found["measured_windows"]),
        (2, &Value::Null),
        "{found}"
    );
    let refused = run(
        directory.path(),
        &["stream", "policy.toml", "-o", "b", "--json"],
    );
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn idle_cuts_by_the_clock_and_says_so() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = policy("path = \"-\"").replace("size = 4\n", "size = 4\nidle = \"300ms\"\n");
    write(directory.path(), "policy.toml", text);
    let mut child = piped(directory.path(), &["-o", "out", "--json"]);
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(json_events(60, 6).as_bytes())
        .expect("sent");
    input.flush().expect("sent");
    // Six hours make three windows; the last is not due before hour 6 begins, unless the clock says so.
    let written = || {
        let path = directory.path().join("out/windows.ndjson");
        std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
    };
    let start = Instant::now();
    while written() < 3 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(written(), 3);
    // What comes now for the last hour is late.
    input
        .write_all(b"{\"subject\":\"r99\",\"location\":\"s1\",\"time\":5}\n")
        .expect("sent");
    drop(input);
    let output = child.wait_with_output().expect("ended");
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(
        (count(&found, "clock_cuts"), count(&found, "late")),
        (1, 1),
        "{found}"
    );
    assert!(found["warnings"].to_string().contains("clock"), "{found}");
    balanced(&found);
}

#[test]
fn metrics_answer_on_the_loopback_port() {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "policy.toml", policy("path = \"-\""));
    let mut child = piped(directory.path(), &["-o", "out", "--metrics", "0"]);
    let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    let address = line
        .trim()
        .strip_prefix("metrics on http://")
        .expect("an address");
    let address = address.strip_suffix("/metrics").expect("a page").to_owned();
    assert!(address.starts_with("127.0.0.1:"), "{address}");
    let mut input = child.stdin.take().expect("a pipe");
    input
        .write_all(json_events(50, 6).as_bytes())
        .expect("sent");
    let ask = |path: &str| {
        let mut client = TcpStream::connect(&address).expect("it listens");
        write!(client, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").expect("sent");
        let mut answer = String::new();
        client.read_to_string(&mut answer).expect("an answer");
        answer
    };
    let start = Instant::now();
    let mut page = ask("/metrics");
    while !page.contains("denym_stream_events_total 300\n") {
        assert!(start.elapsed() < Duration::from_secs(20), "{page}");
        std::thread::sleep(Duration::from_millis(20));
        page = ask("/metrics");
    }
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(
        page.contains("# TYPE denym_stream_windows_total counter\ndenym_stream_windows_total 2\n"),
        "{page}"
    );
    assert!(page.contains("denym_stream_open_events 50\n"), "{page}");
    assert!(ask("/").starts_with("HTTP/1.1 404"));
    drop(input);
    assert_eq!(child.wait().expect("ended").code(), Some(0));
}

#[test]
fn two_runs_do_not_share_a_directory() {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "policy.toml", policy("path = \"-\""));
    let mut child = piped(directory.path(), &["-o", "out", "--metrics", "0"]);
    let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("it has started");
    let start = Instant::now();
    while !directory.path().join("out/certificates.ndjson").exists() {
        assert!(start.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(10));
    }
    let (code, found) = json(directory.path(), &["stream", "policy.toml", "-o", "out"]);
    assert_eq!(code, 2);
    let message = found["error"]["message"].as_str().expect("words");
    assert!(message.contains("another run"), "{message}");
    drop(child.stdin.take());
    assert_eq!(child.wait().expect("ended").code(), Some(0));
}

#[test]
fn every_mistake_of_a_policy_is_said() {
    let directory = tempfile::tempdir().expect("a directory");
    let text = r#"[data]
kind = "stream"
path = "events.csv"
source = "amqp://localhost/x"
unit = "fast"
[window]
size = 4
idle = 5
[adversary]
knows = { doublets = 2 }
matching = "equals"
[promise]
k-anonymity = 0
[release]
retract = true
horizon = "all"
form = "half"
sink = "nats://me:secret@localhost/x"
late = "kafka://localhost"
"#;
    write(directory.path(), "policy.toml", text);
    let output = run(directory.path(), &["stream", "policy.toml"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    for words in [
        "not from both",
        "`data.unit` is not a time",
        "`window.idle` must be a string",
        "`adversary.matching` cannot be `equals`",
        "`promise.k-anonymity` must be",
        "means nothing where `retract = true`",
        "`release.form` cannot be `half`",
        "must not hold a password",
        "names no stream or topic",
    ] {
        assert!(said.contains(words), "no \"{words}\" in\n{said}");
    }
    for (old, new, words) in [
        (
            "path = \"e.csv\"",
            "source = \"amqp://localhost/x\"",
            "begins with `nats://`",
        ),
        (
            "path = \"e.csv\"",
            "path = \"nats://localhost/x\"",
            "this is an address",
        ),
        (
            "path = \"e.csv\"",
            "source = \"kafka://localhost/x\"\nformat = \"csv\"",
            "cannot be CSV",
        ),
        ("size = 4", "size = 4\nstep = 5", "leaves gaps"),
        (
            "k-anonymity = 5",
            "k-anonymity = 5\n[release]\nhorizon = 2",
            "shorter than the window",
        ),
        (
            "k-anonymity = 5",
            "k-anonymity = 5\n[release]\nsink = \"nats://a/W\"\nlate = \"nats://a/W?subject=late\"",
            "may not stand beside",
        ),
        (
            "k-anonymity = 5",
            "k-anonymity = 5\n[release]\nsink = \"nats://a/W?subject=w.>\"",
            "pattern of subjects",
        ),
    ] {
        let text = policy("path = \"e.csv\"").replace(old, new);
        write(directory.path(), "policy.toml", text);
        let output = run(directory.path(), &["stream", "policy.toml"]);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(words), "no \"{words}\" in\n{said}");
    }
}
