//! Runs whole processes and reports wall time, processor time and peak memory.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4;

/// What one run took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run {
    /// Wall time.
    pub(crate) wall: Duration,
    /// Time on all processors.
    pub(crate) cpu: Duration,
    /// Largest resident size in bytes.
    pub(crate) memory: u64,
}

/// How often each command is run; the fastest run counts, since noise only slows down.
const REPEATS: usize = 5;

/// The fastest of several runs of `command`, each of which must succeed.
pub(crate) fn fastest(command: &dyn Fn() -> Command) -> Run {
    let runs = (0..REPEATS)
        .map(|_| once(&mut command()))
        .min_by_key(|run| run.wall);
    runs.expect("at least one run")
}

/// One run.
pub(crate) fn once(command: &mut Command) -> Run {
    let start = Instant::now();
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let used = child.wait4().expect("the command ends");
    assert!(used.status.success(), "{command:?} failed");
    Run {
        wall: start.elapsed(),
        cpu: used.rusage.utime + used.rusage.stime,
        memory: used.rusage.maxrss,
    }
}

/// One run and what it printed.
pub(crate) fn once_with_output(command: &mut Command) -> (String, Run) {
    let start = Instant::now();
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let mut text = String::new();
    let mut pipe = child.stdout.take().expect("a pipe");
    std::io::Read::read_to_string(&mut pipe, &mut text).expect("UTF-8");
    let used = child.wait4().expect("the command ends");
    assert!(used.status.success(), "{command:?} failed: {text}");
    let run = Run {
        wall: start.elapsed(),
        cpu: used.rusage.utime + used.rusage.stime,
        memory: used.rusage.maxrss,
    };
    (text, run)
}

/// The release binary, built by `make bench`.
pub(crate) fn denym() -> PathBuf {
    let me = std::env::current_exe().expect("a path");
    let path = me.parent().expect("a directory").join("denym");
    assert!(path.is_file(), "build the release binary first: make build");
    path
}

/// What `command` printed.
pub(crate) fn output(command: &mut Command) -> String {
    let output = command.output().expect("the command runs");
    assert!(
        output.status.success(),
        "{command:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// A file below the bench's directory.
pub(crate) fn own(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// Seconds with three decimals.
pub(crate) fn seconds(time: Duration) -> String {
    format!("{:.3} s", time.as_secs_f64())
}

/// Bytes as whole megabytes.
pub(crate) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}
