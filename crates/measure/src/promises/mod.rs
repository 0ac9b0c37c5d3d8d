//! One file per promise: its type, how it is judged, and its [`PromiseEntry`], from which every list is made.
//!
//! `build.rs` finds the files, so a new promise is one new file.

use crate::catalogue::PromiseEntry;

include!(concat!(env!("OUT_DIR"), "/promises.rs"));

pub use crate::exact_numbers::exact_numbers;
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
pub use personalized::{PersonalizedPrivacy, exposure_at_levels};
pub use recursive_diversity::RecursiveDiversity;
pub use t_closeness::{Ground, Order, TCloseness, Taxonomy};
pub use xy_anonymity::XyAnonymity;
pub use xy_privacy::XyPrivacy;
