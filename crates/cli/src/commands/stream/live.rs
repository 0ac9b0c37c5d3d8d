//! The live line on standard error: how fast, how far behind, and what became of the events.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

use denym::{StreamLag, StreamProgress};

/// How often the line is written anew.
const EVERY: Duration = Duration::from_millis(200);

/// A line that is written over and over, on a terminal only.
pub(super) struct Live {
    visible: bool,
    /// When the rate was measured last, and at how many events.
    since: Cell<(Instant, u64)>,
    first: Cell<bool>,
}

impl Live {
    pub(super) fn new(wanted: bool) -> Self {
        Self {
            visible: wanted && std::io::stderr().is_terminal(),
            since: Cell::new((Instant::now(), 0)),
            first: Cell::new(true),
        }
    }

    pub(super) fn show(&self, progress: &StreamProgress) {
        let (then, events) = self.since.get();
        let now = Instant::now();
        if self.first.replace(false) {
            // Events of earlier runs are not of this one's speed.
            self.since.set((now, progress.counts.events));
            return;
        }
        let seconds = (now - then).as_secs_f64();
        if !self.visible || seconds < EVERY.as_secs_f64() {
            return;
        }
        self.since.set((now, progress.counts.events));
        let rate = (progress.counts.events - events) as f64 / seconds;
        let mut err = std::io::stderr().lock();
        // A terminal that has gone away is no reason to stop publishing.
        let _ = write!(err, "\r\x1b[K{}", line(progress, rate));
    }

    /// Leaves the last line where it is.
    pub(super) fn end(&self) {
        if self.visible {
            let _ = writeln!(std::io::stderr().lock());
        }
    }
}

/// Rate, lag, window, share that was kept, windows withheld, late events.
fn line(progress: &StreamProgress, rate: f64) -> String {
    let counts = &progress.counts;
    let decided = (counts.published + counts.suppressed).max(1);
    let lag = match progress.lag {
        None => "-".to_owned(),
        Some(StreamLag::Messages(count)) => format!("{count} messages"),
        Some(StreamLag::Bytes(bytes)) => format!("{:.1} MB", bytes as f64 / 1e6),
    };
    let window = progress.window;
    let window = window.map_or_else(|| "-".to_owned(), |number| number.to_string());
    format!(
        "{rate:.0} events/s  lag {lag}  window {window}  kept {:.1} %  withheld {}  late {}",
        100.0 * counts.published as f64 / decided as f64,
        counts.withheld,
        counts.late
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_asked_of_it() {
        let mut progress = StreamProgress {
            window: Some(12),
            lag: Some(StreamLag::Messages(40)),
            ..StreamProgress::default()
        };
        progress.counts.published = 3;
        progress.counts.suppressed = 1;
        progress.counts.withheld = 2;
        progress.counts.late = 5;
        assert_eq!(
            line(&progress, 1234.4),
            "1234 events/s  lag 40 messages  window 12  kept 75.0 %  withheld 2  late 5"
        );
    }
}
