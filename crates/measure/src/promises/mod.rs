//! One file per promise.

mod confidence;
mod distinct_diversity;
mod entropy_diversity;
mod k_anonymity;
mod recursive_diversity;
mod t_closeness;

pub use confidence::Confidence;
pub use distinct_diversity::DistinctDiversity;
pub use entropy_diversity::EntropyDiversity;
pub use k_anonymity::KAnonymity;
pub use recursive_diversity::RecursiveDiversity;
pub use t_closeness::{Ground, TCloseness};
