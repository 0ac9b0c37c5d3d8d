//! The red team: what an adversary can do with published data.
//!
//! Nothing here knows how the data was made safe. An attack takes what an adversary sees and knows, and says whom it finds.

mod error;
mod seeded;
pub mod trails;

pub use error::Error;
pub use seeded::SplitMix64;
