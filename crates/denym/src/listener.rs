//! Who is told how a run gets on, and who may stop it.

/// A part of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The source is read.
    Reading,
    /// Distinct tuples are counted.
    Summarizing,
    /// The best recoding is searched.
    Searching,
    /// The recoding is applied and written.
    Writing,
    /// The written data is read back and measured.
    Auditing,
    /// The release is attacked.
    Attacking,
    /// The report is drawn.
    Reporting,
}

impl Phase {
    /// The phase in a word.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Reading => "reading",
            Phase::Summarizing => "summarizing",
            Phase::Searching => "searching",
            Phase::Writing => "writing",
            Phase::Auditing => "auditing",
            Phase::Attacking => "attacking",
            Phase::Reporting => "reporting",
        }
    }
}

/// Told how a run gets on; asked whether it should go on.
pub trait Listener: Sync {
    /// A new phase begins.
    fn phase(&self, phase: Phase);
    /// `done` of `total` steps of this phase are done.
    fn progress(&self, done: u64, total: u64);
    /// The least loss found so far, and what one level per column cannot be below, as far as known.
    fn best(&self, _best: f64, _bound: Option<f64>) {}
    /// Whether the run should go on.
    fn keep_going(&self) -> bool;
    /// Whether a search that gets better with time has some left; libraries know no clock.
    fn in_time(&self) -> bool {
        true
    }
}

/// A listener that listens to nothing and never stops a run.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Listener for Silent {
    fn phase(&self, _: Phase) {}
    fn progress(&self, _: u64, _: u64) {}
    fn keep_going(&self) -> bool {
        true
    }
}
