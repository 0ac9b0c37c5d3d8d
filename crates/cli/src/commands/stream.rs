//! `denym stream`: events in, anonymous windows out.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;

use denym::{Error, Listener, StreamCounts, StreamListener, StreamPolicy, StreamRun};
use serde_json::json;

use crate::console::Console;

/// Arguments of `stream`.
#[derive(Args)]
pub(crate) struct StreamArgs {
    /// The policy, a TOML file
    pub(crate) policy: PathBuf,
    /// Where windows, certificates and the checkpoint go; a run there is gone on with
    #[arg(long, short, value_name = "DIR", default_value = "windows")]
    pub(crate) output: PathBuf,
    /// Windows between two checkpoints
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) checkpoint_every: u64,
}

/// The live line on standard error.
struct Live<'a> {
    console: &'a Console,
    visible: bool,
    start: Instant,
    shown: Cell<Instant>,
}

impl StreamListener for Live<'_> {
    fn progress(&self, counts: &StreamCounts, window: Option<u64>) {
        let now = Instant::now();
        if !self.visible || now - self.shown.get() < Duration::from_millis(200) {
            return;
        }
        self.shown.set(now);
        let seconds = (now - self.start).as_secs_f64().max(1e-9);
        let decided = (counts.published + counts.suppressed).max(1);
        let mut err = std::io::stderr().lock();
        // A terminal that has gone away is no reason to stop publishing.
        let _ = write!(
            err,
            "\r\x1b[K{:.0} events/s  lag {}  window {}  kept {:.1} %  withheld {}  late {}",
            counts.events as f64 / seconds,
            counts.open,
            window.map_or_else(|| "-".to_owned(), |number| number.to_string()),
            100.0 * counts.published as f64 / decided as f64,
            counts.withheld,
            counts.late
        );
    }

    fn keep_going(&self) -> bool {
        self.console.keep_going()
    }
}

/// Runs the stream until its source ends or a signal asks to stop.
pub(crate) fn run(args: &StreamArgs, console: &Console) -> Result<ExitCode, Error> {
    let policy = StreamPolicy::read(&args.policy)?;
    let start = Instant::now();
    let live = Live {
        console,
        visible: !console.json && !console.quiet && std::io::stderr().is_terminal(),
        start,
        shown: Cell::new(start),
    };
    if let Some(warning) = policy.options.warning() {
        console.warn(warning);
    }
    let options = StreamRun {
        checkpoint_every: args.checkpoint_every,
    };
    let outcome = denym::stream(&policy, &args.output, &options, &live);
    if live.visible {
        eprintln!();
    }
    let summary = outcome?;
    let counts = summary.counts;
    console.document(&json!({
        "status": if summary.finished { "finished" } else { "stopped" },
        "events": counts.events,
        "published": counts.published,
        "suppressed": counts.suppressed,
        "late": counts.late,
        "duplicates": counts.duplicates,
        "rejected": counts.rejected,
        "open": counts.open,
        "withheld": counts.withheld,
        "windows": counts.windows,
        "violations": counts.violations,
        "directory": summary.directory,
        "warning": summary.warning,
        "seconds": start.elapsed().as_secs_f64(),
    }));
    console.say(format!(
        "events     {} = {} published + {} suppressed + {} late + {} duplicates + {} rejected + {} open",
        counts.events,
        counts.published,
        counts.suppressed,
        counts.late,
        counts.duplicates,
        counts.rejected,
        counts.open
    ));
    console.say(format!(
        "windows    {} published, {} withheld, {} violations",
        counts.windows, counts.withheld, counts.violations
    ));
    console.say(format!("directory  {}", summary.directory.display()));
    Ok(ExitCode::SUCCESS)
}
