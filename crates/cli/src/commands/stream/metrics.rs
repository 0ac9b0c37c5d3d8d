//! Counts for Prometheus on a port of this machine: a small HTTP server that knows one page.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use denym::{StreamLag, StreamProgress};

/// The last that was heard, told to whoever asks.
pub(super) struct Metrics {
    last: Arc<Mutex<StreamProgress>>,
}

/// How long a client may take to ask and to listen.
const PATIENCE: Duration = Duration::from_secs(2);
/// Longest request that is looked at.
const LONGEST: u64 = 8192;

impl Metrics {
    /// Listens on a port of the loopback interface; ends with the process.
    pub(super) fn listen(port: u16) -> io::Result<(Self, SocketAddr)> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let last = Arc::new(Mutex::new(StreamProgress::default()));
        let shared = Arc::clone(&last);
        let name = std::thread::Builder::new().name("denym-metrics".to_owned());
        name.spawn(move || {
            // One client after the other; one that fails is of no concern to the stream.
            for client in listener.incoming().flatten() {
                let progress = *shared.lock().unwrap_or_else(PoisonError::into_inner);
                let _ = answer(client, &progress);
            }
        })?;
        Ok((Self { last }, address))
    }

    /// Takes note of how the stream gets on.
    pub(super) fn note(&self, progress: &StreamProgress) {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = *progress;
    }
}

fn answer(mut client: TcpStream, progress: &StreamProgress) -> io::Result<()> {
    client.set_read_timeout(Some(PATIENCE))?;
    client.set_write_timeout(Some(PATIENCE))?;
    let mut request = BufReader::new(client.try_clone()?.take(LONGEST));
    let mut first = String::new();
    request.read_line(&mut first)?;
    let mut line = String::new();
    while request.read_line(&mut line)? > 2 {
        line.clear();
    }
    let mut words = first.split_whitespace();
    let (status, body) = match (words.next(), words.next()) {
        (Some("GET"), Some("/metrics")) => ("200 OK", page(progress)),
        (Some("GET"), _) => ("404 Not Found", "ask for /metrics\n".to_owned()),
        _ => ("405 Method Not Allowed", "only GET\n".to_owned()),
    };
    write!(
        client,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    )?;
    client.flush()
}

/// All metrics in Prometheus' text format.
fn page(progress: &StreamProgress) -> String {
    let counts = &progress.counts;
    let mut page = String::new();
    let mut entry = |name: &str, kind: &str, help: &str, value: &dyn std::fmt::Display| {
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "# HELP denym_stream_{name} {help}\n# TYPE denym_stream_{name} {kind}\ndenym_stream_{name} {value}\n"
        );
    };
    for (name, help, value) in [
        ("events_total", "Events that came in.", counts.events),
        (
            "published_total",
            "Events published in some window.",
            counts.published,
        ),
        (
            "suppressed_total",
            "Events never published.",
            counts.suppressed,
        ),
        ("late_total", "Events that came too late.", counts.late),
        (
            "duplicates_total",
            "Further events of a subject at one time.",
            counts.duplicates,
        ),
        (
            "rejected_total",
            "Events that could not be taken.",
            counts.rejected,
        ),
        ("windows_total", "Windows published.", counts.windows),
        ("withheld_total", "Windows withheld.", counts.withheld),
        (
            "violations_total",
            "Violations in published windows.",
            counts.violations,
        ),
        (
            "checkpoints_total",
            "Checkpoints written by this run.",
            progress.checkpoints,
        ),
    ] {
        entry(name, "counter", help, &value);
    }
    entry(
        "open_events",
        "gauge",
        "Events whose fate is open.",
        &counts.open,
    );
    entry(
        "subjects",
        "gauge",
        "Subjects remembered.",
        &progress.subjects,
    );
    if let Some(window) = progress.window {
        entry("window", "gauge", "Number of the last window.", &window);
    }
    if let Some(latest) = progress.latest {
        entry("latest_timestamp", "gauge", "Latest event time.", &latest);
    }
    match progress.lag {
        Some(StreamLag::Messages(count)) => {
            entry(
                "lag_messages",
                "gauge",
                "Messages still to be read.",
                &count,
            );
        }
        Some(StreamLag::Bytes(bytes)) => {
            entry("lag_bytes", "gauge", "Bytes still to be read.", &bytes);
        }
        None => {}
    }
    page
}
