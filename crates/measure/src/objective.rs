//! What a search minimizes, by the words of policies.

/// A measure of what a release loses; smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Objective {
    /// Geometric mean over the quasi-identifiers of the share of the domain that a published value covers, 0 to 1, each share
    /// multiplied by the weight of its quasi-identifier.
    Loss,
    /// The same, as an arithmetic mean.
    LossArithmetic,
    /// The sum of squared class sizes; a suppressed record costs as many as there are records.
    Discernibility,
    /// Records, suppressed ones included, per published class.
    AverageClassSize,
    /// Mean level over height of all cells, 0 to 1; a suppressed cell counts 1 (one minus Sweeney's precision).
    Precision,
    /// Generalization steps over all cells; a suppressed cell counts all steps of its hierarchy, at least one.
    MinimalDistortion,
    /// Sum of the levels; suppression is free.
    Height,
}

impl Objective {
    /// Every objective with the word a policy uses for it.
    pub const ALL: [(&'static str, Objective); 7] = [
        ("loss", Objective::Loss),
        ("loss-arithmetic", Objective::LossArithmetic),
        ("discernibility", Objective::Discernibility),
        ("average-class-size", Objective::AverageClassSize),
        ("precision", Objective::Precision),
        ("minimal-distortion", Objective::MinimalDistortion),
        ("height", Objective::Height),
    ];

    /// The word a policy uses for this objective.
    pub fn name(self) -> &'static str {
        Objective::ALL
            .iter()
            .find(|(_, objective)| *objective == self)
            .map_or("", |(name, _)| name)
    }

    /// The objective a policy means by `name`.
    pub fn parse(name: &str) -> Option<Objective> {
        Objective::ALL
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, objective)| *objective)
    }

    /// Whether the score depends on which values were suppressed, not only on how many.
    pub fn needs_leaves(self) -> bool {
        matches!(self, Objective::Loss | Objective::LossArithmetic)
    }

    /// Whether finer nodes that were evaluated bound the score of coarser ones.
    pub fn grows_with_classes(self) -> bool {
        matches!(
            self,
            Objective::Discernibility | Objective::AverageClassSize
        )
    }
}
