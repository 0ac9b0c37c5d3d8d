//! Attacks on published paths: what a few known doublets, places or habits of a victim reveal.
//!
//! A path is a list of (location, time) doublets in time order. [`Setting`] has raw and published paths side by side; which
//! record is whose is used only to tell whether an attack is right.

mod alike;
pub mod correlation;
pub mod doublets;
pub mod habits;
pub mod minimality;
mod setting;

pub use alike::Alike;
pub use correlation::{Correlated, Deduced, Sureness, correlation};
pub use doublets::{DoubletAttack, Effort, Fate, Fates, Matching, Secret, Tried};
pub use habits::{Habit, HomeWork, Places, TopLocations};
pub use minimality::{PathBeliefs, path_minimality};
pub use setting::{Rows, Setting};

/// A (location, time) pair.
pub type Doublet = (u32, u32);
