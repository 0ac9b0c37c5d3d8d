//! Streams through real brokers: the windows of a file, whatever happens to the broker or to us on the way.

use crate::kafka;
use crate::support;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use denym_testkit::brokers::Broker;
use denym_testkit::nats::{Client, Stored};
use kafka::Kafka;
use serde_json::Value;
use support::riders::{json_events, policy};
use support::{json, run, write};

/// One broker and what a test does with it.
enum Bench {
    Nats(Broker),
    Kafka(Kafka),
}

impl Bench {
    fn all() -> Vec<Self> {
        let nats = Broker::nats().map(Self::Nats);
        let kafka = Kafka::start().map(Self::Kafka);
        nats.into_iter().chain(kafka).collect()
    }

    fn address(&self, name: &str) -> String {
        match self {
            Self::Nats(broker) => format!("nats://127.0.0.1:{}/{name}", broker.port()),
            Self::Kafka(kafka) => format!("kafka://127.0.0.1:{}/{name}", kafka.port()),
        }
    }

    /// Makes a stream or topic.
    fn make(&mut self, name: &str) {
        match self {
            Self::Nats(broker) => Client::connect(broker.port()).make_stream(name, &[name]),
            Self::Kafka(kafka) => kafka.make(name),
        }
    }

    /// Sends lines, `together` of them in a message.
    fn send(&mut self, name: &str, text: &str, together: usize) {
        let lines: Vec<&str> = text.lines().collect();
        let messages = lines.chunks(together).map(|lines| lines.join("\n"));
        match self {
            Self::Nats(broker) => {
                let mut client = Client::connect(broker.port());
                for message in messages {
                    client.publish(name, message.as_bytes());
                }
                client.flush();
            }
            Self::Kafka(kafka) => kafka.send(name, &messages.collect::<Vec<String>>()),
        }
    }

    /// The lines of a channel, put together from their pieces; each number once and in order.
    fn lines(&mut self, name: &str, channel: &str) -> Vec<String> {
        let messages: Vec<(String, Vec<u8>)> = match self {
            Self::Nats(broker) => {
                let mut client = Client::connect(broker.port());
                let stored = client.messages(name, &format!("{name}.{channel}"));
                let header = |message: &Stored| {
                    let mut headers = message.headers.lines();
                    let found = headers.find_map(|line| line.strip_prefix("Denym-Window: "));
                    found.expect("a number").to_owned()
                };
                stored
                    .into_iter()
                    .map(|message| (header(&message), message.payload))
                    .collect()
            }
            Self::Kafka(kafka) => kafka.read(&format!("{name}-{channel}")),
        };
        let mut lines: Vec<String> = Vec::new();
        let mut last = (0u64, 0u64, 0u64);
        for (header, payload) in messages {
            let parts: Vec<u64> = header
                .split('/')
                .map(|n| n.parse().expect("a number"))
                .collect();
            let (number, piece, of) = (parts[0], parts[1], parts[2]);
            let text = String::from_utf8(payload).expect("text");
            if piece == 1 {
                assert!(
                    number > last.0 && last.1 == last.2,
                    "{header} after {last:?}"
                );
                lines.push(text);
            } else {
                assert_eq!((number, piece), (last.0, last.1 + 1), "{header}");
                lines.last_mut().expect("a beginning").push_str(&text);
            }
            last = (number, piece, of);
        }
        assert_eq!(last.1, last.2, "the last line is whole");
        lines
    }

    fn restart(&mut self) {
        match self {
            Self::Nats(broker) => {
                broker.stop();
                std::thread::sleep(Duration::from_millis(300));
                broker.start();
            }
            // It keeps nothing when it ends: it is cut off and stands still instead.
            Self::Kafka(kafka) => kafka.disturb(),
        }
    }
}

/// The windows and certificates of a run over a file.
fn from_a_file(directory: &Path, text: &str) -> (Vec<String>, Vec<String>) {
    write(directory, "events.ndjson", text);
    write(directory, "file.toml", policy("path = \"events.ndjson\""));
    let (code, found) = json(directory, &["stream", "file.toml", "-o", "file"]);
    assert_eq!(code, 0, "{found}");
    let lines = |name: &str| {
        let text = std::fs::read_to_string(directory.join("file").join(name));
        text.expect("lines").lines().map(str::to_owned).collect()
    };
    (lines("windows.ndjson"), lines("certificates.ndjson"))
}

fn lines(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn start(directory: &Path, policy: &str, args: &[&str]) -> Child {
    Command::new(support::BINARY)
        .current_dir(directory)
        .args(["stream", policy])
        .args(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("denym starts")
}

/// Waits until something holds.
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_mins(1), "{what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

fn end(child: Child) -> Value {
    let kill = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    let output = child.wait_with_output().expect("ended");
    let found = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{found}");
    serde_json::from_str(&found).expect("JSON")
}

#[test]
fn through_a_broker_the_windows_are_those_of_the_file() {
    for mut bench in Bench::all() {
        let directory = tempfile::tempdir().expect("a directory");
        let text = json_events(200, 12);
        let (windows, certificates) = from_a_file(directory.path(), &text);
        // One event per message, and many.
        for (name, together) in [("ONE", 1), ("MANY", 70)] {
            bench.make(name);
            bench.send(name, &text, together);
            let source = format!("source = \"{}\"", bench.address(name));
            write(directory.path(), "in.toml", policy(&source));
            let out = format!("from-{name}");
            let args = ["stream", "in.toml", "-o", &out, "--until-end"];
            let (code, found) = json(directory.path(), &args);
            assert_eq!(code, 0, "{found}");
            assert_eq!(found["events"], 2400, "{found}");
            let out = directory.path().join(&out);
            assert_eq!(lines(&out.join("windows.ndjson")), windows);
            assert_eq!(lines(&out.join("certificates.ndjson")), certificates);
        }
        // From a broker to a broker, late events to a stream of their own.
        bench.send(
            "ONE",
            "{\"subject\":\"r1\",\"location\":\"s1\",\"time\":1}",
            1,
        );
        let source = format!("source = \"{}\"", bench.address("ONE"));
        let sinks = format!(
            "[release]\nsink = \"{}\"\nlate = \"{}\"\n",
            bench.address("OUT"),
            bench.address("RAW")
        );
        write(directory.path(), "through.toml", policy(&source) + &sinks);
        let args = ["stream", "through.toml", "-o", "through", "--until-end"];
        let (code, found) = json(directory.path(), &args);
        assert_eq!((code, &found["late"]), (0, &1.into()), "{found}");
        assert_eq!(bench.lines("OUT", "windows"), windows);
        let chain = bench.lines("OUT", "certificates");
        assert_eq!(
            chain,
            lines(&directory.path().join("through/certificates.ndjson"))
        );
        let late = bench.lines("RAW", "late");
        assert_eq!(late.len(), 1);
        assert!(late[0].contains("\\\"r1\\\""), "{late:?}");
        // Run again, nothing is added; begun anew, what stands there is not written over.
        assert_eq!(json(directory.path(), &args).0, 0);
        assert_eq!(bench.lines("OUT", "windows"), windows);
        let (code, found) = json(
            directory.path(),
            &["stream", "through.toml", "-o", "anew", "--until-end"],
        );
        assert_eq!(
            (code, &found["error"]["code"]),
            (2, &"broker-foreign-messages".into()),
            "{found}"
        );
    }
}

#[test]
fn killed_between_two_brokers_nothing_is_lost_or_doubled() {
    for mut bench in Bench::all() {
        let directory = tempfile::tempdir().expect("a directory");
        let text = json_events(1500, 40);
        let (windows, certificates) = from_a_file(directory.path(), &text);
        bench.make("EVENTS");
        bench.send("EVENTS", &text, 25);
        let source = format!("source = \"{}\"", bench.address("EVENTS"));
        let sink = format!("[release]\nsink = \"{}\"\n", bench.address("OUT"));
        write(directory.path(), "through.toml", policy(&source) + &sink);
        let args = ["-o", "out", "--until-end", "--json"];
        let mut seed = 3u64;
        let mut killed = 0;
        for _ in 0..20 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let mut child = start(directory.path(), "through.toml", &args);
            std::thread::sleep(Duration::from_millis(20 + (seed >> 33) % 80));
            killed += u32::from(child.try_wait().expect("a status").is_none());
            // A child that has ended already cannot be killed.
            let _ = child.kill();
            child.wait().expect("ended");
        }
        assert!(killed >= 5, "{killed}");
        let last = start(directory.path(), "through.toml", &args);
        let output = last.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(bench.lines("OUT", "windows"), windows);
        assert_eq!(bench.lines("OUT", "certificates"), certificates);
    }
}

#[test]
fn a_broker_that_goes_away_comes_back_to_the_same_windows() {
    for mut bench in Bench::all() {
        let directory = tempfile::tempdir().expect("a directory");
        let text = json_events(300, 24);
        let (windows, certificates) = from_a_file(directory.path(), &text);
        let events: Vec<&str> = text.lines().collect();
        let (first, second) = events.split_at(events.len() / 2 + 77);
        bench.make("EVENTS");
        bench.send("EVENTS", &first.join("\n"), 1);
        let source = format!("source = \"{}\"", bench.address("EVENTS"));
        let sink = format!("[release]\nsink = \"{}\"\n", bench.address("OUT"));
        write(directory.path(), "through.toml", policy(&source) + &sink);
        let child = start(directory.path(), "through.toml", &["-o", "out", "--json"]);
        let chain = directory.path().join("out/certificates.ndjson");
        wait("the first half is published", || lines(&chain).len() >= 8);
        bench.restart();
        bench.send("EVENTS", &second.join("\n"), 1);
        wait("the second half is published", || {
            lines(&chain).len() + 1 >= certificates.len()
        });
        let found = end(child);
        assert_eq!(found["status"], "stopped", "{found}");
        let args = ["stream", "through.toml", "-o", "out", "--until-end"];
        let (code, found) = json(directory.path(), &args);
        assert_eq!((code, &found["events"]), (0, &7200.into()), "{found}");
        assert_eq!(bench.lines("OUT", "windows"), windows);
        assert_eq!(bench.lines("OUT", "certificates"), certificates);
        // One that stays away is waited for, and then said so; the run after goes on.
        let gone = bench.address("EVENTS").replace("127.0.0.1", "127.0.0.2");
        write(
            directory.path(),
            "gone.toml",
            policy(&format!("source = \"{gone}\"")),
        );
        let args = ["stream", "gone.toml", "-o", "gone", "--patience", "300ms"];
        let (code, found) = json(directory.path(), &args);
        assert_eq!(
            (code, &found["error"]["code"]),
            (2, &"broker-no-answer".into()),
            "{found}"
        );
    }
}

#[test]
fn what_a_broker_no_longer_has_is_said() {
    let Some(broker) = Broker::nats() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let mut client = Client::connect(broker.port());
    client.make_stream("EVENTS", &["EVENTS.*"]);
    let source = format!(
        "source = \"nats://127.0.0.1:{}/EVENTS?subject=EVENTS.gate\"",
        broker.port()
    );
    write(directory.path(), "policy.toml", policy(&source));
    // Only the subject that is asked for is read.
    for line in json_events(60, 6).lines() {
        client.publish("EVENTS.other", b"x");
        client.publish("EVENTS.gate", line.as_bytes());
    }
    client.flush();
    let args = ["stream", "policy.toml", "-o", "out", "--until-end"];
    let (code, found) = json(directory.path(), &args);
    assert_eq!((code, &found["events"]), (0, &360.into()), "{found}");
    assert_eq!(found["rejected"], 0, "{found}");
    for line in json_events(60, 8).lines() {
        client.publish("EVENTS.gate", line.as_bytes());
    }
    client.flush();
    let purge = serde_json::json!({ "keep": 10 });
    client.ask("STREAM.PURGE.EVENTS", &purge);
    let (code, found) = json(directory.path(), &args);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &"broker-messages-gone".into()),
        "{found}"
    );
    client.ask("STREAM.DELETE.EVENTS", &serde_json::json!({}));
    let (code, found) = json(directory.path(), &args);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &"broker-unknown-name".into()),
        "{found}"
    );
    client.make_stream("EVENTS", &["EVENTS.*"]);
    let (code, found) = json(directory.path(), &args);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &"broker-made-anew".into()),
        "{found}"
    );
}

#[test]
fn windows_larger_than_a_message_go_in_pieces() {
    let Some(broker) = Broker::nats_with("max_payload: 2048") else {
        return;
    };
    let mut bench = Bench::Nats(broker);
    let directory = tempfile::tempdir().expect("a directory");
    // Trains of ten riders each, every one with a way of its own.
    let mut text = String::new();
    for (hour, rider) in (0..16).flat_map(|hour| (0..400).map(move |rider| (hour, rider))) {
        let place = format!("line-{}-stop-{hour}", rider / 10);
        text += &format!("{{\"subject\":{rider},\"location\":\"{place}\",\"time\":{hour}}}\n");
    }
    let (windows, certificates) = from_a_file(directory.path(), &text);
    assert!(windows.iter().any(|line| line.len() > 2048));
    let sink = format!("[release]\nsink = \"{}\"\n", bench.address("OUT"));
    write(
        directory.path(),
        "out.toml",
        policy("path = \"events.ndjson\"") + &sink,
    );
    for delay in [40, 60, 80, 5000] {
        let mut child = start(directory.path(), "out.toml", &["-o", "out", "--quiet"]);
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(delay)
            && child.try_wait().expect("a status").is_none()
        {
            std::thread::sleep(Duration::from_millis(5));
        }
        // A child that has ended already cannot be killed.
        let _ = child.kill();
        child.wait().expect("ended");
    }
    let last = run(
        directory.path(),
        &["stream", "out.toml", "-o", "out", "--quiet"],
    );
    assert_eq!(last.status.code(), Some(0));
    assert_eq!(bench.lines("OUT", "windows"), windows);
    assert_eq!(bench.lines("OUT", "certificates"), certificates);
}

#[test]
fn a_topic_that_was_made_anew_is_not_read_on() {
    let Some(mut kafka) = Kafka::start() else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let send = |kafka: &Kafka, minutes: usize| {
        let text = json_events(60, minutes);
        let messages: Vec<String> = text.lines().map(str::to_owned).collect();
        kafka.make("EVENTS");
        kafka.send("EVENTS", &messages);
    };
    send(&kafka, 6);
    let source = format!("source = \"kafka://127.0.0.1:{}/EVENTS\"", kafka.port());
    write(directory.path(), "policy.toml", policy(&source));
    let args = ["stream", "policy.toml", "-o", "out", "--until-end"];
    // Read to the end, and asked again: there is nothing more, and nothing is missed.
    for _ in 0..2 {
        let (code, found) = json(directory.path(), &args);
        assert_eq!((code, &found["events"]), (0, &360.into()), "{found}");
    }
    if !kafka.forget() {
        return;
    }
    send(&kafka, 2);
    let (code, found) = json(directory.path(), &args);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &"broker-made-anew".into()),
        "{found}"
    );
}
