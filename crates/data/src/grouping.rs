//! How numbers are grouped or perturbed and what is published for them: words that a policy and a solver share.

/// How columns are scaled before grouping. Groups are found on the scaled copy; centroids are taken on the raw data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scaling {
    /// Mean 0, population standard deviation 1 (divisor n): the convention of the literature. A constant column becomes 0.
    #[default]
    Standardize,
    /// As they are: the column with the largest numbers decides.
    Raw,
    /// Minimum 0, maximum 1. A constant column becomes 0.
    MinMax,
}

impl Scaling {
    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Standardize => "standardize",
            Self::Raw => "raw",
            Self::MinMax => "min-max",
        }
    }
}

/// What replaces the records of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Centroid {
    /// The mean of each column; keeps the column means.
    #[default]
    Mean,
    /// The median of each column (the middle of the two middle values when the size is even).
    Median,
}

impl Centroid {
    /// The name in policies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Median => "median",
        }
    }
}

/// How a new record chooses its cluster of an earlier release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InsertionRule {
    /// The cluster whose loss it raises least.
    #[default]
    LeastLoss,
    /// The cluster with the least posterior.
    Posterior,
}

/// How numbers are perturbed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Perturbation {
    /// Independent normal noise.
    AdditiveNoise {
        /// Its standard deviation as a share of the column's.
        share: f64,
    },
    /// Normal noise with the correlations of the data.
    CorrelatedNoise {
        /// Its standard deviation as a share of each column's.
        share: f64,
    },
    /// Values exchanged between records of nearby ranks.
    RankSwap {
        /// The largest difference of ranks as a share of the records.
        share: f64,
    },
    /// Rounded to the nearest multiple.
    Round {
        /// Of this.
        base: f64,
    },
    /// Rounded up or down at random, right on average.
    RandomRound {
        /// To multiples of this.
        base: f64,
    },
}

impl Perturbation {
    /// The name in policies and certificates.
    pub fn name(self) -> &'static str {
        match self {
            Perturbation::AdditiveNoise { .. } => "additive-noise",
            Perturbation::CorrelatedNoise { .. } => "correlated-noise",
            Perturbation::RankSwap { .. } => "rank-swap",
            Perturbation::Round { .. } => "round",
            Perturbation::RandomRound { .. } => "random-round",
        }
    }

    /// Whether it draws random numbers.
    pub fn is_random(self) -> bool {
        !matches!(self, Perturbation::Round { .. })
    }
}
