//! The worlds test: what somebody learns who runs the program backwards.
//!
//! # Idea
//!
//! The adversary knows the policy, the program and some facts about people; the release is all they see of the rest. Every
//! source that agrees with these facts is a *world*. The same program is run on each, and the worlds are sorted by what they publish:
//!
//! ```text
//! world 1 ──program──> release A ─┐
//! world 2 ──program──> release B  ├─ who sees A is left with worlds 1 and 3
//! world 3 ──program──> release A ─┘
//! ```
//!
//! What the worlds behind one release say of a person is what its reader believes of that person: how likely each
//! sensitive value is, and how likely it is that a certain published record is theirs. Promises are then judged on beliefs instead
//! of groups. An algorithm is safe when no release of any world makes anybody believe more than was promised.
//!
//! # Prior
//!
//! Every world is given with its weight before anything is published; the tests take all sources that agree with the facts as
//! equally likely. Two adversaries are asked: one who knows the quasi-identifiers of *everybody* ([`Backwards::everybody`]; worlds differ in
//! sensitive values), and one who knows something about *one victim* in the data ([`Backwards::victim`]; worlds differ in whole records, so
//! every leaf under a published label, and everything that may have been suppressed, is tried).
//!
//! # Randomness
//!
//! A program that draws gives each release with some probability. [`every_run`] follows every sequence of draws, so likelihoods are
//! exact; [`sampled`] draws instead, for when there are too many, and says how far it may be off.
//!
//! # Guarantee
//!
//! Exact posteriors over the worlds that were given, whatever the program does: it comes in as a closure.

mod draws;
mod enumerate;
mod run;
mod sampled;
mod tally;

pub use draws::{Draws, every_run};
pub use enumerate::{every_assignment, every_multiset};
pub use run::{Backwards, Belief, Release, backwards};
pub use sampled::{Sampled, sampled};
pub use tally::{Tally, counts};
