//! Event time: the watermark, the grid of windows, what is late, and which window is due.
//!
//! A timestamp is complete once an event more than `lateness` timestamps later was seen, or once the
//! caller says so. A window is due when its last timestamp is complete. Nothing here depends on when
//! the caller asks for windows: an event is late if its timestamp belongs to a window that is due.

use serde::{Deserialize, Serialize};

use crate::error::Error;
use denym_release::windows::Options;

/// Times beyond this cannot be told apart by programs that read numbers as floats.
pub(crate) const LARGEST_TIME: i64 = 1 << 53;

/// Where the stream is in time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Clock {
    /// Latest event time seen.
    latest: Option<i64>,
    /// Last time given to `advance`.
    told: Option<i64>,
    /// All timestamps up to here are complete.
    complete: Option<i64>,
    /// Earliest event time, until the first window is due.
    earliest: Option<i64>,
    /// First timestamp of the first window.
    first: Option<i64>,
    /// Last timestamp of the last window that is due.
    due_to: Option<i64>,
    /// Last timestamp of the last window that was cut.
    cut_to: Option<i64>,
}

/// A window's place on the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) number: u64,
    pub(crate) from: i64,
    pub(crate) to: i64,
}

impl Clock {
    pub(crate) fn is_late(&self, time: i64) -> bool {
        self.due_to.is_some_and(|due_to| time <= due_to)
    }

    pub(crate) fn is_too_far_ahead(&self, time: i64, ahead: Option<u32>) -> bool {
        match (self.latest, ahead) {
            (Some(latest), Some(ahead)) => time > latest + i64::from(ahead),
            _ => false,
        }
    }

    pub(crate) fn latest(&self) -> Option<i64> {
        self.latest
    }

    pub(crate) fn cut_to(&self) -> Option<i64> {
        self.cut_to
    }

    /// Takes note of an event that is not late.
    pub(crate) fn see(&mut self, time: i64, options: &Options) {
        if self.first.is_none() {
            self.earliest = Some(self.earliest.map_or(time, |earliest| earliest.min(time)));
        }
        if self.latest.is_none_or(|latest| latest < time) {
            self.latest = Some(time);
            self.completed(time - i64::from(options.lateness) - 1, options);
        }
    }

    /// Everything up to `time` is complete, the caller says.
    pub(crate) fn advance(&mut self, time: i64, options: &Options) -> Result<(), Error> {
        if let Some(from) = self.told.filter(|&told| time < told) {
            return Err(Error::ClockWentBack { from, to: time });
        }
        self.told = Some(time);
        self.completed(time, options);
        Ok(())
    }

    /// Makes every window due that holds an event seen so far.
    pub(crate) fn finish(&mut self, options: &Options) {
        let Some(latest) = self.latest else { return };
        let first = self.first_window(options);
        let end = first + i64::from(options.window) - 1;
        let beyond = (latest - end).max(0);
        let step = i64::from(options.step);
        self.completed(end + (beyond + step - 1) / step * step, options);
    }

    fn first_window(&self, options: &Options) -> i64 {
        let earliest = self.first.or(self.earliest).unwrap_or(0);
        match options.origin {
            Some(origin) => earliest - (earliest - origin).rem_euclid(i64::from(options.step)),
            None => earliest,
        }
    }

    fn completed(&mut self, time: i64, options: &Options) {
        if self.complete.is_some_and(|complete| complete >= time) {
            return;
        }
        self.complete = Some(time);
        if self.first.is_none() && self.earliest.is_none() {
            return;
        }
        let first = self.first_window(options);
        let end = first + i64::from(options.window) - 1;
        if time >= end {
            let step = i64::from(options.step);
            self.first = Some(first);
            self.due_to = Some(end + (time - end) / step * step);
        }
    }

    /// The next window that is due and holds an event; windows of a gap are passed over.
    pub(crate) fn next_due(
        &self,
        last_event: Option<i64>,
        next_event: Option<i64>,
        options: &Options,
    ) -> Option<Place> {
        let (first, due_to) = (self.first?, self.due_to?);
        let (window, step) = (i64::from(options.window), i64::from(options.step));
        let mut to = self.cut_to.map_or(first + window - 1, |cut| cut + step);
        let has_old = last_event.is_some_and(|last| last > to - window);
        if !has_old {
            let next = next_event?;
            to += ((next - to).max(0) + step - 1) / step * step;
        }
        (to <= due_to).then(|| Place {
            number: ((to - window + 1 - first) / step).unsigned_abs() + 1,
            from: to - window + 1,
            to,
        })
    }

    pub(crate) fn cut(&mut self, to: i64) {
        self.cut_to = Some(to);
    }
}
