//! What a release is to lose least of, by the words of policies.

use denym_measure::Objective;

/// A measure of what is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// What a search on tables minimizes; sequences know the loss as well.
    Of(Objective),
    /// Doublets or items that are gone or coarser.
    Distortion,
    /// Frequent itemsets that are frequent no more.
    LostItemsets,
    /// Events that windows of a stream do not show.
    SuppressedEvents,
}

impl Default for Metric {
    fn default() -> Self {
        Metric::Of(Objective::Loss)
    }
}

impl Metric {
    /// Those of tables.
    pub(crate) const OF_TABLES: [Metric; 7] = {
        let mut all = [Metric::Distortion; 7];
        let mut at = 0;
        while at < all.len() {
            all[at] = Metric::Of(Objective::ALL[at].1);
            at += 1;
        }
        all
    };

    /// The word a policy uses for it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Of(objective) => objective.name(),
            Metric::Distortion => "distortion",
            Metric::LostItemsets => "lost-itemsets",
            Metric::SuppressedEvents => "suppressed-events",
        }
    }

    /// What a search on tables minimizes by it; only sequences have others.
    pub fn objective(self) -> Objective {
        match self {
            Metric::Of(objective) => objective,
            Metric::Distortion | Metric::LostItemsets | Metric::SuppressedEvents => Objective::Loss,
        }
    }
}
