//! Trail re-identification: who left which anonymous trail over many institutions.
//!
//! | function | assumes | finds |
//! |---|---|---|
//! | [`reidit_complete`] | both sides complete | trails equal to exactly one identified trail |
//! | [`reidit_incomplete`] | one side incomplete, owners distinct and present | trails with one remaining owner, repeatedly |
//! | [`reidit_multiple`] | one side incomplete, owners present, maybe shared | trails with exactly one owner |
//! | [`ForcedMatching`] | as `reidit_incomplete` | everything that follows from the assumption |
//!
//! [`attack`] runs them all and says when the assumption fails. [`linking`] builds trails from the releases of many
//! institutions, [`posterior`] ranks owners when entries may be wrong, [`theory`] says what to expect, [`erosion`] what
//! protecting the source changes.

pub mod complete;
pub mod equally_likely;
pub mod erosion;
pub mod forced;
pub mod grouping;
pub mod incomplete;
pub mod linking;
mod matching;
pub mod multiple;
mod named;
pub mod posterior;
mod scene;
pub mod subtrail;
pub mod theory;

pub use complete::reidit_complete;
pub use equally_likely::largest_posteriors;
pub use forced::ForcedMatching;
pub use grouping::TrailSide;
pub use incomplete::reidit_incomplete;
pub use multiple::{MultipleIdentity, find_multiple, reidit_multiple};
pub use named::{NamedPosterior, Theory, TrailQuestions, TrailsFound};
pub use scene::{TrailScene, Truth};
pub use subtrail::SubtrailGraph;

use crate::Error;

/// Two rows that belong to one person; which side comes first is said where it is returned.
pub type Pair = (u32, u32);

/// Which side may lack entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Incomplete {
    /// An anonymous record may be missing where the identified one exists (DNA taken at some hospitals only).
    #[default]
    Anonymous,
    /// An identified record may be missing where the anonymous one exists (visits logged, few purchases).
    Identified,
    /// No record is missing: trails of one person are equal.
    Neither,
}

/// How to run [`attack`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailOptions {
    /// Which side may lack entries.
    pub incomplete: Incomplete,
    /// The most edges between groups of equal trails to hold; four bytes each.
    pub max_edges: usize,
}

impl Default for TrailOptions {
    fn default() -> Self {
        Self {
            incomplete: Incomplete::Anonymous,
            max_edges: 200_000_000,
        }
    }
}

/// What every trail attack found. Pairs are (anonymous row, identified row), ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrailOutcome {
    /// REIDIT-C.
    pub complete: Vec<Pair>,
    /// REIDIT-I.
    pub incomplete: Vec<Pair>,
    /// REIDIT-M.
    pub multiple: Vec<Pair>,
    /// Forced matching; `None` when no saturating assignment exists.
    pub forced: Option<Vec<Pair>>,
    /// Possible owners of each trail of the incomplete side; `None` when no saturating assignment exists.
    pub allowed_set_sizes: Option<Vec<u32>>,
    /// Pairs (incomplete trail, covering complete trail) in all.
    pub edges: u64,
    /// What the reader must know before believing the pairs.
    pub warnings: Vec<Warning>,
}

impl TrailOutcome {
    /// Whether every incomplete trail can have an owner of its own.
    pub fn saturable(&self) -> bool {
        self.forced.is_some()
    }
}

/// Signs that an assumption behind the pairs does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// No assignment gives every incomplete trail an owner of its own: some owner is missing or shared, or entries are wrong.
    NotSaturable {
        /// Trails left without an owner in the best assignment.
        unmatched: u64,
    },
    /// Some incomplete trails are covered by nobody.
    Uncovered {
        /// How many.
        trails: u64,
    },
    /// REIDIT-C gives one person several anonymous trails; at most one of each can be right if owners are distinct.
    SharedOwner {
        /// How many anonymous trails are affected.
        trails: u64,
    },
}

impl std::fmt::Display for Warning {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotSaturable { unmatched } => write!(
                f,
                "no assignment gives every incomplete trail an owner of its own ({unmatched} left over): the collecting model does not hold, and every pair is conditional on it"
            ),
            Self::Uncovered { trails } => write!(
                f,
                "{trails} incomplete trails are covered by no complete trail"
            ),
            Self::SharedOwner { trails } => {
                write!(
                    f,
                    "{trails} anonymous trails share their only equal identified trail; at most one of each can be right"
                )
            }
        }
    }
}

/// Runs every trail attack on trails alone.
///
/// # Errors
///
/// When the sides number institutions differently or the subtrail relation is larger than allowed.
pub fn attack(
    anonymous: TrailSide<'_>,
    identified: TrailSide<'_>,
    options: &TrailOptions,
) -> Result<TrailOutcome, Error> {
    attack_linked(anonymous, identified, &|_, _| true, options)
}

/// Runs every trail attack, keeping only pairs whose labels relate: `relates(anonymous label, identified label)`.
///
/// # Errors
///
/// As [`attack`].
pub fn attack_linked(
    anonymous: TrailSide<'_>,
    identified: TrailSide<'_>,
    relates: &(dyn Fn(u32, u32) -> bool + Sync),
    options: &TrailOptions,
) -> Result<TrailOutcome, Error> {
    let graph = SubtrailGraph::between(anonymous, identified, relates, options)?;
    let named = |pairs: Vec<Pair>| match options.incomplete {
        Incomplete::Anonymous | Incomplete::Neither => pairs,
        Incomplete::Identified => {
            let mut pairs: Vec<Pair> = pairs.into_iter().map(|(n, p)| (p, n)).collect();
            pairs.sort_unstable();
            pairs
        }
    };
    let complete = reidit_complete(anonymous, identified, relates);
    let forced = ForcedMatching::of(&graph);
    let mut warnings = Vec::new();
    if !forced.saturable() {
        warnings.push(Warning::NotSaturable {
            unmatched: forced.unmatched(),
        });
    }
    let uncovered = graph
        .candidate_counts()
        .iter()
        .filter(|&&count| count == 0)
        .count() as u64;
    if uncovered > 0 {
        warnings.push(Warning::Uncovered { trails: uncovered });
    }
    let shared = shared_owners(&complete);
    if shared > 0 {
        warnings.push(Warning::SharedOwner { trails: shared });
    }
    Ok(TrailOutcome {
        complete,
        incomplete: named(reidit_incomplete(&graph)),
        multiple: named(reidit_multiple(&graph)),
        forced: forced.pairs().map(|pairs| named(pairs.to_vec())),
        allowed_set_sizes: forced.allowed_set_sizes().map(<[u32]>::to_vec),
        edges: graph.edges(),
        warnings,
    })
}

fn shared_owners(pairs: &[Pair]) -> u64 {
    let mut owners: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
    owners.sort_unstable();
    owners
        .chunk_by(|a, b| a == b)
        .map(<[u32]>::len)
        .filter(|&len| len > 1)
        .map(|len| len as u64)
        .sum()
}

#[cfg(test)]
mod tests;
