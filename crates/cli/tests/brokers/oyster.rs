//! A real week of a city's travel cards, 3.3 million events in time order, from a file, through NATS and through Kafka.

use crate::kafka;
use crate::support;

use std::io::{BufRead, BufReader, Read, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use denym_testkit::brokers::Broker;
use denym_testkit::nats::Client;
use kafka::Kafka;
use serde_json::Value;
use support::{json, write};

/// Every row as a JSON object on a line of its own.
fn week() -> Option<String> {
    const DAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    let mut bytes: Box<dyn Read> = Box::new(std::io::empty());
    for part in 'a'..='i' {
        let name = format!("data/paths/oyster/subwaytestfullweek.csv.a{part}.gz");
        let file = std::fs::File::open(denym_testkit::shared::path(&name)?).expect("readable");
        bytes = Box::new(bytes.chain(file));
    }
    let mut text = String::with_capacity(300 << 20);
    for line in BufReader::new(flate2::read::MultiGzDecoder::new(bytes)).lines() {
        let line = line.expect("text");
        let cells: Vec<&str> = line.split(',').collect();
        let day = DAYS.iter().position(|day| *day == cells[0]).expect("a day");
        let hour: usize = cells[1][..2].parse().expect("an hour");
        let bus = cells[2] == "BUSTRIP";
        let place = if bus { cells[9] } else { cells[5] };
        text += "{\"trip\":";
        text += cells[3];
        text += ",\"place\":\"";
        text += place;
        text += "\",\"hour\":";
        text += &(day * 24 + hour).to_string();
        if let Some(product) = cells.get(10) {
            text += ",\"product\":\"";
            text += product;
            text += "\"";
        }
        text += "}\n";
    }
    Some(text)
}

/// The policy; `source` is a line of `[data]`.
fn policy(source: &str) -> String {
    format!(
        r#"[data]
kind = "stream"
{source}
subject = "trip"
location = "place"
time = "hour"
[attributes]
product = "sensitive"
[window]
size = 3
lateness = 1
[adversary]
knows = {{ doublets = 2 }}
[promise]
k-anonymity = 5
confidence = {{ attribute = "product", values = ["Freedom Pass (Disabled)"], at-most = 0.5 }}
"#
    )
}

/// Streams the week and checks every count.
fn stream(directory: &Path, name: &str, source: &str) {
    write(directory, &format!("{name}.toml"), policy(source));
    let file = format!("{name}.toml");
    let args = [
        "stream",
        &file,
        "-o",
        name,
        "--until-end",
        "--checkpoint-every",
        "8",
    ];
    let (code, found) = json(directory, &args);
    assert_eq!(code, 0, "{found}");
    let count = |key: &str| {
        found[key]
            .as_u64()
            .unwrap_or_else(|| panic!("{key}: {found}"))
    };
    assert_eq!(count("events"), 3_298_730);
    assert_eq!(
        (count("violations"), count("withheld"), count("open")),
        (0, 0, 0),
        "{found}"
    );
    let fates = ["published", "suppressed", "late", "duplicates", "rejected"].map(count);
    assert_eq!(fates.iter().sum::<u64>(), 3_298_730, "{found}");
    // A journey that begins and ends within one hour is one sighting: its end is the duplicate.
    assert_eq!(fates, [1_924_960, 939_720, 0, 434_050, 0], "{found}");
    assert_eq!(count("windows"), 167, "{found}");
}

fn same(directory: &Path, name: &str) {
    for file in ["windows.ndjson", "certificates.ndjson"] {
        let read = |name: &str| std::fs::read(directory.join(name).join(file)).expect("lines");
        assert!(read("file") == read(name), "{file} of {name} differs");
    }
}

#[test]
fn a_real_week_from_a_file_through_nats_and_through_kafka() {
    let Some(text) = week() else { return };
    let directory = tempfile::tempdir().expect("a directory");
    let directory = directory.path();
    write(directory, "week.ndjson", &text);
    stream(directory, "file", "path = \"week.ndjson\"");
    let (code, found) = json(directory, &["verify", "file"]);
    assert_eq!(
        (code, &found["measured_windows"]),
        (0, &Value::from(167)),
        "{found}"
    );
    if let Some(broker) = Broker::nats() {
        let mut client = Client::connect(broker.port());
        client.make_stream("WEEK", &["WEEK"]);
        for line in text.lines() {
            client.publish("WEEK", line.as_bytes());
        }
        client.flush();
        assert_eq!(client.count("WEEK"), 3_298_730);
        let address = format!("source = \"nats://127.0.0.1:{}/WEEK\"", broker.port());
        stream(directory, "nats", &address);
        same(directory, "nats");
    }
    if let Some(kafka) = Kafka::start() {
        kafka.make("week");
        let address = format!("source = \"kafka://127.0.0.1:{}/week\"", kafka.port());
        let together = 40;
        let lines: Vec<&str> = text.lines().collect();
        let messages = lines.chunks(together).map(|some| some.join("\n"));
        if kafka.keeps_everything() {
            kafka.send("week", &messages.collect::<Vec<String>>());
        } else {
            // It forgets what is old: it is fed as fast as it is read.
            follow(directory, &address, |read| {
                let messages: Vec<String> = messages.collect();
                for some in messages.chunks(700) {
                    kafka.send("week", some);
                    let sent = some
                        .iter()
                        .map(|message| message.lines().count() as u64)
                        .sum();
                    read(sent);
                }
            });
        }
        stream(directory, "kafka", &address);
        same(directory, "kafka");
    }
}

/// Runs the stream while `feed` feeds it; `feed` is given something that waits until so many more events were read.
fn follow(directory: &Path, source: &str, feed: impl FnOnce(&mut dyn FnMut(u64))) {
    write(directory, "kafka.toml", policy(source));
    let mut child = Command::new(support::BINARY)
        .current_dir(directory)
        .args(["stream", "kafka.toml", "-o", "kafka", "--metrics", "0"])
        .args(["--checkpoint-every", "8"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("denym starts");
    let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    let address = line
        .trim()
        .strip_prefix("metrics on http://")
        .expect("an address");
    let address = address.trim_end_matches("/metrics");
    let events = || {
        let mut client = TcpStream::connect(address).expect("it listens");
        write!(client, "GET /metrics HTTP/1.1\r\n\r\n").expect("sent");
        let mut page = String::new();
        client.read_to_string(&mut page).expect("a page");
        let mut lines = page.lines();
        let count = lines.find_map(|line| line.strip_prefix("denym_stream_events_total "));
        count
            .and_then(|count| count.parse::<u64>().ok())
            .expect("a count")
    };
    let mut wanted = 0;
    feed(&mut |sent| {
        wanted += sent;
        let start = Instant::now();
        while events() < wanted {
            assert!(
                start.elapsed() < Duration::from_mins(1),
                "{wanted} events are read"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    });
    let kill = Command::new("kill")
        .args(["-TERM", &child.id().to_string()])
        .status();
    assert!(kill.expect("kill runs").success());
    assert_eq!(child.wait().expect("ended").code(), Some(0));
}
