//! The red team: what an adversary can do with published data.
//!
//! Nothing here knows how the data was made safe. An attack takes what an adversary sees and knows, and says whom it finds.
//! [`CATALOGUE`] lists the attacks, [`Evidence`] is what each of them shows, [`control`] tells a leak from statistics.

pub mod catalogue;
pub mod control;
mod error;
pub mod evidence;
pub mod interval;
pub mod paths;
pub mod queries;
pub mod releases;
mod seeded;
pub mod table;
pub mod trails;

pub use catalogue::{CATALOGUE, Entry, Shape, Threat};
pub use control::Controlled;
pub use error::Error;
pub use evidence::{Attack, Coverage, Draw, Evidence};
pub use seeded::SplitMix64;
