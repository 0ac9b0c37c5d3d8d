//! What an adversary could learn: groups, promises, risk and utility, measured by code that never imports a solver.
//!
//! A [`Group`] is a set of subjects that some knowledge cannot tell apart. A [`Promise`] is judged on one group at a time;
//! it does not know how the group came about, so every promise works on every kind of knowledge.

mod exact;
mod group;
mod promise;
pub mod promises;

pub use group::{Group, Histogram};
pub use promise::{Promise, Sense, Terms};
