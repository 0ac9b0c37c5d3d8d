//! Chances of re-identification: who could be found, by which adversary, and how surely.

mod class;
mod presence;
mod separation;
mod special_uniques;
mod uniqueness;
mod wildcard;

pub use class::{ClassRisk, at_risk, class_risk};
pub use presence::{Presence, Wildcards, presence, wildcards};
pub use separation::{
    Contribution, RankedSeparations, Separation, contributions, ranked_separations, separations,
    unique_records,
};
pub use special_uniques::{SpecialUnique, special_uniques};
pub use uniqueness::{PopulationUniqueness, population_uniqueness};
pub use wildcard::wildcard_sizes;
