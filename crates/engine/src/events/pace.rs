//! Replays events as fast as they happened, or so many times faster.

use std::time::{Duration, Instant};

/// Says how long to wait before an event.
#[derive(Debug, Clone)]
pub struct Pace {
    /// How long a timestamp lasts in the replay.
    tick: Duration,
    /// The first event: its time, and when it was replayed.
    start: Option<(i64, Instant)>,
}

impl Pace {
    /// A timestamp that lasts `unit` goes by `speed` times as fast.
    pub fn new(unit: Duration, speed: f64) -> Self {
        Self {
            tick: unit.div_f64(speed.max(1e-9)),
            start: None,
        }
    }

    /// How long to wait before an event at `time`; nothing if it is due.
    pub fn wait(&mut self, time: i64) -> Option<Duration> {
        let now = Instant::now();
        let (first, began) = *self.start.get_or_insert((time, now));
        let ticks = u32::try_from(time.saturating_sub(first).max(0)).unwrap_or(u32::MAX);
        let due = self.tick.saturating_mul(ticks);
        let left = due.saturating_sub(now - began);
        (!left.is_zero()).then_some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_in_a_second() {
        let mut pace = Pace::new(Duration::from_hours(1), 3600.0);
        assert_eq!(pace.wait(10), None);
        assert_eq!(pace.wait(9), None);
        let left = pace.wait(12).expect("two hours ahead");
        assert!(left <= Duration::from_secs(2) && left > Duration::from_millis(1500));
    }
}
