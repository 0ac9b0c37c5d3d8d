//! The red team: what an adversary can do with published data.
//!
//! Nothing here knows how the data was made safe. An attack takes what an adversary sees and knows, and says whom it finds; one that has
//! to run a search again gets it as a closure. Each attack is one file of `src/attacks`, from which [`CATALOGUE`] is made;
//! [`red_team`] runs all that apply to a [`Scene`], [`Evidence`] is what each of them shows, [`control`] tells a leak from statistics.

pub mod catalogue;
pub mod control;
mod error;
pub mod evidence;
pub mod finding;
pub mod interval;
pub mod minimality;
pub mod queries;
pub mod releases;
mod seeded;
pub mod sequences;
pub mod table;
pub mod trails;
pub mod windows;

/// The attacks, one module each.
pub mod attacks {
    pub use crate::catalogue::{distance_linkage, inference, linkability, presence, singling_out};
}

pub use catalogue::{AttackEntry, CATALOGUE, Gate, Run, Shape, Threat, gated_on};
pub use control::Controlled;
pub use error::Error;
pub use evidence::{AttackTrial, Coverage, Draw, Evidence};
pub use finding::{Declined, Finding, NotRun, Ran, RedTeam, Scene, one_attack, red_team};
pub use seeded::Draws;
