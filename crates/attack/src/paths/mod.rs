//! Attacks on published paths: what a few known doublets, places or habits of a victim reveal.
//!
//! A path is a list of (location, time) doublets in time order. Raw and published paths are aligned: row i of both is one
//! subject, which the attacks use only to tell whether they succeeded.

pub mod correlation;
pub mod doublets;
pub mod habits;
pub mod minimality;

pub use correlation::{Deduced, correlation};
pub use doublets::{DoubletAttack, Exposure, Matching, Secret};
pub use habits::{HomeWork, TopLocations};
pub use minimality::{PathBeliefs, path_minimality};

/// A (location, time) pair.
pub type Doublet = (u32, u32);
