//! Panics of the libraries below: caught where they read bytes that anybody may have written.
//!
//! A damaged file is bad input, not our bug. So a panic around the code that decodes it is an answer ("this cannot be read"), and
//! whoever watches panics (a hook of the program) can ask whether one will be caught and stay silent about it.

use std::cell::Cell;
use std::panic::AssertUnwindSafe;

thread_local! {
    /// Whether a panic on this thread is caught by us and answered.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Whether a panic on this thread is caught and becomes an error, so that there is nothing to say about it.
pub fn panic_is_caught_here() -> bool {
    CAUGHT.get()
}

/// Runs `work`; `None` when it panicked. What it said is thrown away, since it may quote cells.
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = CAUGHT.replace(true);
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_answer_only_inside() {
        assert!(!panic_is_caught_here());
        assert_eq!(caught(panic_is_caught_here), Some(true));
        let silent = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let none: Option<()> = caught(|| panic!("a cell"));
        std::panic::set_hook(silent);
        assert_eq!(none, None);
        assert!(!panic_is_caught_here());
    }
}
