//! The red team: what an adversary can do with published data.
//!
//! Nothing here knows how the data was made safe. An attack takes what an adversary sees and knows, and says whom it finds.

pub mod catalogue;
mod error;
pub mod evidence;
pub mod interval;
pub mod paths;
mod seeded;
pub mod table;
pub mod trails;

pub use catalogue::{CATALOGUE, Entry, Shape, Threat};
pub use error::Error;
pub use evidence::{Attack, Coverage, Draw, Evidence};
pub use seeded::SplitMix64;
