//! Published paths and transactions under attack: what a few known doublets, places, habits or items of a victim reveal.
//!
//! A path is a list of (location, time) doublets in time order; an item is a doublet of its own time, so that nothing contradicts.
//! [`Exposure`] has raw and published paths side by side; which record is whose is used only to tell whether an attack is right.

mod alike;
pub mod correlation;
mod crowd;
pub mod doublets;
pub mod habits;
pub(crate) mod places;
mod scene;
mod secrets;
mod setting;

pub use alike::Alike;
pub use correlation::{Correlated, Deduced, Sureness, correlation};
pub use crowd::Crowd;
pub use doublets::{DoubletAttack, Effort, FitRule, Inferable, TriedSets, VictimFate, VictimFates};
pub use habits::{Habit, HomeWork, TopLocations, VisitedPlaces};
pub use scene::{Guarded, ReleasedSequences, SequenceScene};
pub use secrets::PRESENT;
pub use setting::{DoubletRows, Exposure};

pub(crate) use scene::{FitAttack, WORST};

/// A (location, time) pair.
pub type Doublet = (u32, u32);
