//! How long a search goes on: until somebody stops it, until time is up, or for a number of steps that repeats a run.
//!
//! # Idea
//!
//! Searches ask now and then whether to go on. The meter counts those questions. When time is up it answers no, and the
//! number of questions answered with yes is the run's effort. A later run that is given this effort hears no at the same
//! question, and therefore finds the same release, on any machine.
//!
//! Until something is at hand the meter neither counts nor ends a portfolio, so that a short budget still gives a release.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Answers a search that asks whether to go on.
pub struct EffortMeter<'a> {
    /// Whether nobody has stopped the run.
    keep_going: &'a (dyn Fn() -> bool + Sync),
    /// Whether time is left.
    in_time: &'a (dyn Fn() -> bool + Sync),
    /// Most questions answered with yes.
    most: Option<u64>,
    /// Whether the clock counts.
    timed: bool,
    counting: AtomicBool,
    asked: AtomicU64,
    over: AtomicBool,
}

impl<'a> EffortMeter<'a> {
    /// A meter that ends after `most` questions, or when time is up if `timed`. It counts from the start unless told to `wait`.
    pub fn new(
        keep_going: &'a (dyn Fn() -> bool + Sync),
        in_time: &'a (dyn Fn() -> bool + Sync),
        most: Option<u64>,
        timed: bool,
        wait: bool,
    ) -> EffortMeter<'a> {
        EffortMeter {
            keep_going,
            in_time,
            most,
            timed,
            counting: AtomicBool::new(!wait),
            asked: AtomicU64::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// Something is at hand: from now on effort counts.
    pub fn begin(&self) {
        self.counting.store(true, Ordering::SeqCst);
    }

    /// The answer to a search.
    pub fn go_on(&self) -> bool {
        if !(self.keep_going)() {
            return false;
        }
        if !self.limited() || !self.counting.load(Ordering::SeqCst) {
            return true;
        }
        if self.over.load(Ordering::SeqCst) {
            return false;
        }
        let asked = self.asked.load(Ordering::SeqCst);
        if self.most.is_some_and(|most| asked >= most) || self.timed && !(self.in_time)() {
            self.over.store(true, Ordering::SeqCst);
            return false;
        }
        self.asked.store(asked + 1, Ordering::SeqCst);
        true
    }

    /// Whether an answer is still of use. It counts nothing, so that several threads may ask.
    pub fn wanted(&self) -> bool {
        let late = || self.timed && self.counting.load(Ordering::SeqCst) && !(self.in_time)();
        (self.keep_going)() && !late()
    }

    /// Whether anything but the user can end the search.
    pub fn limited(&self) -> bool {
        self.most.is_some() || self.timed
    }

    /// Whether effort or time ended the search.
    pub fn over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    /// The effort that repeats this run; `None` when it was not limited.
    pub fn effort(&self) -> Option<u64> {
        self.limited().then(|| self.asked.load(Ordering::SeqCst))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn always() -> bool {
        true
    }

    #[test]
    fn effort_repeats_a_timed_run() {
        // Time is up after so many looks at the clock.
        let left = AtomicU64::new(7);
        let in_time = || {
            left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1))
                .is_ok()
        };
        let timed = EffortMeter::new(&always, &in_time, None, true, false);
        let steps = (0..20).filter(|_| timed.go_on()).count() as u64;
        assert_eq!((steps, timed.effort(), timed.over()), (7, Some(7), true));
        let counted = EffortMeter::new(&always, &always, timed.effort(), false, false);
        assert_eq!((0..20).filter(|_| counted.go_on()).count() as u64, steps);
        assert_eq!(counted.effort(), timed.effort());
    }

    #[test]
    fn nothing_is_counted_until_something_is_at_hand() {
        let meter = EffortMeter::new(&always, &always, Some(2), false, true);
        assert!((0..5).all(|_| meter.go_on()));
        meter.begin();
        assert_eq!((0..5).filter(|_| meter.go_on()).count(), 2);
        assert_eq!(meter.effort(), Some(2));
        let unlimited = EffortMeter::new(&always, &always, None, false, false);
        assert!(unlimited.effort().is_none());
    }
}
