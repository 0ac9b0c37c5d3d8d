//! Where words go: one JSON document or lines on standard output, progress on standard error.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use denym::{Listener, Phase};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::args::Common;
use crate::plain::{one_line, plain};

/// Set when the user asked to stop.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// How this run talks.
pub(crate) struct Console {
    /// One JSON document instead of lines.
    pub(crate) json: bool,
    /// No progress, no summary.
    pub(crate) quiet: bool,
    /// Threads asked for.
    pub(crate) threads: Option<usize>,
    bar: ProgressBar,
    /// How long a search that gets better with time may take.
    budget: OnceLock<Duration>,
    /// When it began.
    searching: OnceLock<Instant>,
    /// When each phase began.
    phases: Mutex<Vec<(Phase, Instant)>>,
}

impl Console {
    /// The console that the flags ask for; a first Ctrl-C asks the run to stop, a second ends it.
    pub(crate) fn new(common: &Common) -> Console {
        let bar = ProgressBar::new_spinner();
        let visible = !common.quiet && !common.json && std::io::stderr().is_terminal();
        bar.set_draw_target(if visible {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        });
        listen_for_signals();
        Console {
            json: common.json,
            quiet: common.quiet,
            threads: common.threads.map(usize::from),
            bar,
            budget: OnceLock::new(),
            searching: OnceLock::new(),
            phases: Mutex::new(Vec::new()),
        }
    }

    /// Seconds that each phase took, the last one until now.
    pub(crate) fn phases(&self) -> serde_json::Value {
        let mut seconds = serde_json::Map::new();
        if let Ok(phases) = self.phases.lock() {
            let ends = phases.iter().skip(1).map(|phase| phase.1);
            for ((phase, start), end) in phases.iter().zip(ends.chain([Instant::now()])) {
                let before = seconds
                    .get(phase.name())
                    .and_then(serde_json::Value::as_f64);
                let took = before.unwrap_or(0.0) + (end - *start).as_secs_f64();
                seconds.insert(phase.name().to_owned(), took.into());
            }
        }
        seconds.into()
    }

    /// Gives a search that gets better with time this long, from its beginning.
    pub(crate) fn allow(&self, budget: Option<Duration>) {
        if let Some(budget) = budget {
            self.budget.get_or_init(|| budget);
        }
    }

    /// Prints a line for people; nothing with `--json` or `--quiet`.
    pub(crate) fn say(&self, line: impl AsRef<str>) {
        if !self.json && !self.quiet {
            let line = line.as_ref();
            // An empty line before it is ours; any other line end is not.
            let text = line.trim_start_matches('\n');
            let before = &line[..line.len() - text.len()];
            self.print(&format!("{before}{}", one_line(text)));
        }
    }

    /// Prints the one JSON document of this run.
    pub(crate) fn document(&self, value: &serde_json::Value) {
        if self.json {
            self.print(&crate::plain::json(value));
        }
    }

    /// Prints a line whatever the flags; a reader that has gone away is no error.
    pub(crate) fn print(&self, line: &str) {
        self.bar.suspend(|| {
            let mut out = std::io::stdout().lock();
            if writeln!(out, "{}", plain(line))
                .and_then(|()| out.flush())
                .is_err()
            {
                // A broken pipe ends the run quietly.
                std::process::exit(0);
            }
        });
    }

    /// Prints a warning on standard error.
    pub(crate) fn warn(&self, line: &str) {
        if !self.quiet {
            self.bar
                .suspend(|| eprintln!("warning: {}", one_line(line)));
        }
    }

    /// Prints a line for people on standard error.
    pub(crate) fn note(&self, line: &str) {
        if !self.quiet {
            self.bar.suspend(|| eprintln!("{}", one_line(line)));
        }
    }

    /// Takes the progress line away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// What a refusal exits with.
    pub(crate) fn refused() -> ExitCode {
        ExitCode::from(1)
    }
}

/// Sets [`STOPPED`] at the first Ctrl-C or request to end, and ends the process at the second.
#[cfg(unix)]
fn listen_for_signals() {
    use signal_hook::consts::{SIGINT, SIGTERM};
    // Without a handler the run ends at the first Ctrl-C, as any program does.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) else {
        return;
    };
    std::thread::spawn(move || {
        for _ in &mut signals {
            if STOPPED.swap(true, Ordering::SeqCst) {
                denym::remove_unfinished();
                #[expect(clippy::exit, reason = "the user insists")]
                std::process::exit(2);
            }
        }
    });
}

#[cfg(not(unix))]
fn listen_for_signals() {}

impl Listener for Console {
    fn phase(&self, phase: Phase) {
        if let Ok(mut phases) = self.phases.lock() {
            phases.push((phase, Instant::now()));
        }
        if phase == Phase::Searching {
            self.searching.get_or_init(Instant::now);
        }
        let style = ProgressStyle::with_template("{spinner} {msg} {elapsed}");
        self.bar
            .set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        self.bar.set_message(phase.name());
        self.bar.enable_steady_tick(Duration::from_millis(100));
    }

    fn progress(&self, done: u64, total: u64) {
        let style = ProgressStyle::with_template(
            "{spinner} {msg} {bar:30} {human_pos}/{human_len} {elapsed}",
        );
        self.bar
            .set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.bar.set_length(total);
        self.bar.set_position(done);
    }

    fn best(&self, best: f64, bound: Option<f64>) {
        let bound = bound.map_or_else(String::new, |bound| {
            format!(", one level per column at least {bound:.4}")
        });
        let budget = self.budget.get().map_or_else(String::new, |budget| {
            format!(" of at most {} s", budget.as_secs_f64().ceil())
        });
        self.bar.set_message(format!(
            "{}{budget}: best so far {best:.4}{bound},",
            Phase::Searching.name()
        ));
    }

    fn keep_going(&self) -> bool {
        !STOPPED.load(Ordering::Relaxed)
    }

    fn in_time(&self) -> bool {
        match (self.budget.get(), self.searching.get()) {
            (Some(budget), Some(since)) => since.elapsed() < *budget,
            _ => true,
        }
    }
}
