//! A slide as the caller sees it: the window, its certificate line, and what was done, step by step.

use denym_release::windows::{Certificate, Delta, Window};

/// What a slide did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Doublets that could be decided.
    pub new_doublets: u64,
    /// Critical violations that hold one.
    pub violations: u64,
    /// Doublets suppressed.
    pub suppressed_doublets: u64,
    /// Events of suppressed doublets.
    pub suppressed_events: u64,
    /// Of these, events that only the matching `consistent` cost.
    pub contradiction_events: u64,
    /// Distinct paths carried.
    pub rows: u64,
    /// Subjects remembered.
    pub subjects: u64,
}

/// Steps of a slide, told to whoever times them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The new events are in.
    Updated,
    /// What to suppress is known.
    Solved,
    /// The candidate is built.
    Built,
    /// The judge has spoken.
    Verified,
    /// The window and its certificate are ready to leave.
    Decided,
    /// What is outdated in the next window is gone.
    Prepared,
}

/// A window that was cut: published, or withheld.
#[derive(Clone, Debug)]
pub struct Slide {
    /// The line of the chain.
    pub certificate: Certificate,
    /// The window, unless it was withheld.
    pub window: Option<Window>,
    /// What changed since the window before, when deltas are wanted and there is one.
    pub delta: Option<Delta>,
    /// Doublets suppressed with this window as (location, time), in order of choice.
    pub suppressed: Vec<(String, i64)>,
    /// What was done.
    pub work: Work,
    /// The line to publish.
    pub(crate) line: Option<String>,
}

impl Slide {
    /// The line to publish: the delta, else the window; `None` if it was withheld.
    pub fn line(&self) -> Option<String> {
        self.line.clone()
    }
}
