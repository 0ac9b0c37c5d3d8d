//! An algorithm as policies name it and as every list shows it.

use crate::Verdict;

/// One algorithm: all that is said of it, written beside what it does.
#[derive(Debug, Clone, Copy)]
pub struct AlgorithmEntry {
    /// The name in policies; of the rules of streams and of trails, which a policy does not name, the name in lists.
    pub name: &'static str,
    /// What it works on.
    pub data: &'static str,
    /// What it does, in a phrase.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// How it stands against somebody who knows the program.
    pub verdict: Verdict,
    /// What it cannot promise, as the end of a sentence that begins with its name; nothing when it serves whatever can be judged.
    pub cannot: Option<&'static str>,
    /// What of a policy it has a use for that others have not.
    pub uses: &'static [AlgorithmUse],
}

/// Something in a policy, or in how a run is made, that some algorithms have a use for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlgorithmUse {
    /// The task of predicting a sensitive attribute.
    Classify,
    /// The task of estimating a number.
    Estimate,
    /// The task of answering count queries.
    Answer,
    /// The task of keeping clusters apart.
    Clusters,
    /// Intervals of numbers that grow on the way.
    GrowIntervals,
    /// Weights of single columns, whatever the metric.
    Weights,
    /// A bound on effort or time, at which the best so far is returned.
    Budget,
    /// Coarser names of what a record holds, without which it can do nothing.
    Coarser,
}

impl AlgorithmEntry {
    /// An algorithm that serves whatever can be judged on its data and has no use for anything in particular.
    pub const fn new(
        name: &'static str,
        data: &'static str,
        verdict: Verdict,
        summary: &'static str,
        reference: &'static str,
    ) -> AlgorithmEntry {
        AlgorithmEntry {
            name,
            data,
            summary,
            reference,
            verdict,
            cannot: None,
            uses: &[],
        }
    }

    /// With what it cannot promise.
    #[must_use]
    pub const fn cannot(mut self, what: &'static str) -> AlgorithmEntry {
        self.cannot = Some(what);
        self
    }

    /// With what it has a use for.
    #[must_use]
    pub const fn uses(mut self, uses: &'static [AlgorithmUse]) -> AlgorithmEntry {
        self.uses = uses;
        self
    }

    /// Whether it has a use for this.
    pub fn has(&self, one: AlgorithmUse) -> bool {
        self.uses.contains(&one)
    }

    /// Whether it is the portfolio, which chooses among others by what it finds.
    pub fn is_auto(&self) -> bool {
        self.name == "auto"
    }

    /// What it cannot promise, as a sentence; nothing when it serves whatever can be judged.
    pub fn limits(&self) -> Option<String> {
        let what = self.cannot?;
        Some(format!("`{}` {what}", self.name))
    }
}

/// Two are one when they have one name on one kind of data.
impl PartialEq for AlgorithmEntry {
    fn eq(&self, other: &AlgorithmEntry) -> bool {
        (self.name, self.data) == (other.name, other.data)
    }
}

impl Eq for AlgorithmEntry {}
