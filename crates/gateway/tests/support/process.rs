//! What this process takes: the gateway under test runs in it.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Memory now, in MiB; 0 where the system does not tell.
pub(crate) fn memory() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kib.unwrap_or(0) / 1024
}

/// What a process of these tests may hold, in bytes.
const CAP: u64 = 4 << 30;

/// Runs a test, by its whole name, in a process that may hold four gigabytes: it ends when it asks for more.
pub(crate) fn capped(test: &str, work: impl FnOnce()) {
    const INSIDE: &str = "DENYM_TEST_IS_CAPPED";
    if std::env::var_os(INSIDE).is_some() {
        return work();
    }
    if denym_testkit::lacks(&["prlimit"]) {
        return;
    }
    let program = std::env::current_exe().expect("this program");
    let output = Command::new("prlimit")
        .arg(format!("--data={CAP}"))
        .arg(program)
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE, "1")
        .output()
        .expect("prlimit runs");
    let told =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(
        output.status.success() && told[0].contains("1 passed"),
        "{test} under {CAP} bytes: {:?}\n{}\n{}",
        output.status,
        told[0],
        told[1]
    );
}

/// Ticks of the processor that this process has used.
pub(crate) fn ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after = stat.rsplit_once(") ").map_or("", |(_, after)| after);
    let field = |place: usize| {
        after
            .split(' ')
            .nth(place)
            .and_then(|text| text.parse().ok())
    };
    field(11).unwrap_or(0) + field(12).unwrap_or(0)
}

/// Watches memory while it lives.
pub(crate) struct Peak {
    most: Arc<AtomicUsize>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Peak {
    pub(crate) fn watch() -> Self {
        let (most, stop) = (
            Arc::new(AtomicUsize::new(0)),
            Arc::new(AtomicBool::new(false)),
        );
        let (seen, ends) = (most.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            while !ends.load(Ordering::Relaxed) {
                seen.fetch_max(memory(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        Self {
            most,
            stop,
            thread: Some(thread),
        }
    }

    /// The most so far, in MiB.
    pub(crate) fn most(&self) -> usize {
        self.most.load(Ordering::Relaxed)
    }
}

impl Drop for Peak {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
