//! A city's metro as a live stream: events per second from a file and through NATS, and memory over an hour of stream time.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use denym_testkit::brokers::Broker;
use denym_testkit::nats::Client;
use serde_json::Value;

use crate::process::{denym, output};

/// Riders from the file, and through the broker.
const RIDERS: (u64, u64) = (1_000_000, 200_000);
/// How often memory is looked at until so many windows are published, a little fewer than there are.
const LOOKS: usize = 6;
const WINDOWS: usize = 44;

/// The paper's setting for its largest runs; `SOURCE` is a line of `[data]`.
const POLICY: &str = "\
[data]
kind = \"stream\"
SOURCE
[attributes]
status = \"sensitive\"
[window]
size = 7
[adversary]
knows = { doublets = 4 }
[promise]
k-anonymity = 120
confidence = { attribute = \"status\", values = [\"0\"], at-most = 0.6 }
";

pub(crate) fn run() {
    let smaller = std::env::var("DENYM_BENCH_RIDERS");
    let riders = smaller
        .ok()
        .and_then(|n| n.parse().ok())
        .map_or(RIDERS, |n| (n, n));
    let work = tempfile::tempdir().expect("a directory");
    let at = work.path();
    println!(
        "| source | riders | events | wall | events/s | windows | kept | memory on the way | largest |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let events = Events::generate(at, riders.0);
    events.write_csv(&at.join("events.csv"));
    let source = "path = \"events.csv\"";
    stream(at, "file", source, riders.0, events.count());
    let events = Events::generate(at, riders.1);
    events.write_json(&at.join("events.ndjson"));
    stream(
        at,
        "json",
        "path = \"events.ndjson\"",
        riders.1,
        events.count(),
    );
    let Some(broker) = Broker::nats() else { return };
    for (name, together) in [("ONE", 1), ("MANY", 50)] {
        let mut client = Client::connect(broker.port());
        client.make_stream(name, &[name]);
        let text = std::fs::read_to_string(at.join("events.ndjson")).expect("events");
        let lines: Vec<&str> = text.lines().collect();
        for message in lines.chunks(together) {
            client.publish(name, message.join("\n").as_bytes());
        }
        client.flush();
        let source = format!("source = \"nats://127.0.0.1:{}/{name}\"", broker.port());
        let out = format!("NATS, {together} per message");
        stream(at, &out, &source, riders.1, events.count());
        for file in ["windows.ndjson", "certificates.ndjson"] {
            let read = |name: &str| std::fs::read(at.join(name).join(file)).expect("lines");
            assert!(
                read("json") == read(&out),
                "{file} is the same through NATS"
            );
        }
    }
}

/// Runs one stream, checks its answer and prints its row.
fn stream(at: &Path, name: &str, source: &str, riders: u64, events: u64) {
    std::fs::write(at.join("policy.toml"), POLICY.replace("SOURCE", source)).expect("written");
    let start = Instant::now();
    let mut child = Command::new(denym())
        .current_dir(at)
        .args(["stream", "policy.toml", "-o", name, "--until-end", "--json"])
        .args(["--checkpoint-every", "4"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("denym starts");
    // Resident memory each time another share of the hour is published.
    let chain = at.join(name).join("certificates.ndjson");
    let (mut looks, mut largest) = (Vec::new(), 0);
    while child.try_wait().expect("a status").is_none() {
        let memory = resident(child.id());
        largest = largest.max(memory);
        let written = std::fs::read_to_string(&chain).unwrap_or_default();
        let windows = written.lines().count();
        if memory > 0 && windows >= (looks.len() + 1) * WINDOWS / LOOKS && looks.len() < LOOKS {
            looks.push(memory);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let wall = start.elapsed();
    let text = child.wait_with_output().expect("ended").stdout;
    let found: Value = serde_json::from_slice(&text).expect("JSON");
    assert_eq!(found["status"], "finished", "{found}");
    assert_eq!(found["events"], events, "{found}");
    assert_eq!(
        (&found["violations"], &found["withheld"]),
        (&0.into(), &0.into())
    );
    let fates = ["published", "suppressed", "late", "duplicates", "rejected"];
    let sum: u64 = fates.iter().filter_map(|key| found[*key].as_u64()).sum();
    assert_eq!(sum, events, "{found}");
    let checked = Command::new(denym())
        .current_dir(at)
        .args(["verify", name, "--json"])
        .output();
    let checked: Value =
        serde_json::from_slice(&checked.expect("denym runs").stdout).expect("JSON");
    assert_eq!(checked["holds"], true, "{checked}");
    let looks: Vec<String> = looks
        .iter()
        .map(|bytes| (bytes >> 20).to_string())
        .collect();
    println!(
        "| {name} | {riders} | {events} | {:.1} s | {:.0} | {} | {:.1} % | {} MiB | {} MiB |",
        wall.as_secs_f64(),
        events as f64 / wall.as_secs_f64(),
        found["windows"],
        100.0 * found["published"].as_f64().unwrap_or(0.0) / events as f64,
        looks.join(" "),
        largest >> 20
    );
}

/// Resident bytes of a process.
fn resident(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

/// Sightings by minute: rider, station, status.
struct Events {
    minutes: Vec<Vec<(u32, u16, u8)>>,
}

impl Events {
    fn generate(at: &Path, riders: u64) -> Self {
        let text = output(Command::new(denym()).current_dir(at).args([
            "generate",
            "metro",
            "--seed",
            "1",
            "--rows",
            &riders.to_string(),
        ]));
        let mut minutes: Vec<Vec<(u32, u16, u8)>> = Vec::new();
        for (rider, line) in (0..).zip(text.lines().skip(1)) {
            let (path, status) = line.split_once(',').expect("two cells");
            for doublet in path.split('>').filter(|doublet| !doublet.is_empty()) {
                let (station, minute) = doublet.split_once('@').expect("a doublet");
                let minute: usize = minute.parse().expect("a minute");
                if minutes.len() <= minute {
                    minutes.resize(minute + 1, Vec::new());
                }
                let station = station.parse().expect("a station");
                minutes[minute].push((rider, station, status.parse().expect("a status")));
            }
        }
        Self { minutes }
    }

    fn count(&self) -> u64 {
        self.minutes.iter().map(|minute| minute.len() as u64).sum()
    }

    fn write_csv(&self, path: &Path) {
        self.write(
            path,
            "subject,location,time,status\n",
            |text, rider, station, minute, status| {
                let _ = writeln!(text, "{rider},{station},{minute},{status}");
            },
        );
    }

    fn write_json(&self, path: &Path) {
        self.write(path, "", |text, rider, station, minute, status| {
            let _ = writeln!(
                text,
                "{{\"subject\":{rider},\"location\":{station},\"time\":{minute},\"status\":{status}}}"
            );
        });
    }

    fn write(&self, path: &Path, head: &str, line: impl Fn(&mut String, u32, u16, usize, u8)) {
        let file = std::fs::File::create(path).expect("a file");
        let mut out = std::io::BufWriter::with_capacity(1 << 20, file);
        out.write_all(head.as_bytes()).expect("written");
        let mut text = String::new();
        for (minute, events) in self.minutes.iter().enumerate() {
            for &(rider, station, status) in events {
                text.clear();
                line(&mut text, rider, station, minute, status);
                out.write_all(text.as_bytes()).expect("written");
            }
        }
        out.flush().expect("written");
    }
}
