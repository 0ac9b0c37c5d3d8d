//! One file per promise.

mod alpha_k;
mod beta_likeness;
mod confidence;
mod delta_disclosure;
mod delta_presence;
mod disclosure_recursive;
mod distinct_diversity;
mod entropy_diversity;
mod epsilon_m;
mod k_anonymity;
mod k_e_anonymity;
mod k_map;
mod numbers;
mod personalized;
mod recursive_diversity;
mod t_closeness;
mod xy_anonymity;
mod xy_privacy;

pub use alpha_k::AlphaK;
pub use beta_likeness::{BetaLikeness, Likeness};
pub use confidence::Confidence;
pub use delta_disclosure::{Absent, Base, DeltaDisclosure};
pub use delta_presence::DeltaPresence;
pub use disclosure_recursive::DisclosureRecursive;
pub use distinct_diversity::DistinctDiversity;
pub use entropy_diversity::EntropyDiversity;
pub use epsilon_m::EpsilonM;
pub use k_anonymity::KAnonymity;
pub use k_e_anonymity::KeAnonymity;
pub use k_map::KMap;
pub use numbers::exact_numbers;
pub use personalized::PersonalizedPrivacy;
pub use recursive_diversity::RecursiveDiversity;
pub use t_closeness::{Ground, Order, TCloseness, Taxonomy};
pub use xy_anonymity::XyAnonymity;
pub use xy_privacy::XyPrivacy;
