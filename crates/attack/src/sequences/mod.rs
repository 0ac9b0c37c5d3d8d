//! Published paths and transactions under attack: what a few known doublets, places, habits or items of a victim reveal.
//!
//! A path is a list of (location, time) doublets in time order; an item is a doublet of its own time, so that nothing contradicts.
//! [`Setting`] has raw and published paths side by side; which record is whose is used only to tell whether an attack is right.

mod alike;
pub mod correlation;
mod crowd;
pub mod doublets;
pub mod habits;
pub mod minimality;
pub(crate) mod places;
mod scene;
mod secrets;
mod setting;

pub use alike::Alike;
pub use correlation::{Correlated, Deduced, Sureness, correlation};
pub use crowd::Crowd;
pub use doublets::{DoubletAttack, Effort, Fate, Fates, Matching, Secret, Tried};
pub use habits::{Habit, HomeWork, Places, TopLocations};
pub use minimality::{PathBeliefs, PathOriginals, PublishedPaths, path_minimality};
pub use scene::{Guarded, Seen, SequenceScene};
pub use secrets::PRESENT;
pub use setting::{Rows, Setting};

pub(crate) use scene::{WORST, Way};

/// A (location, time) pair.
pub type Doublet = (u32, u32);
