//! What a release is, for whoever makes one and for whoever checks one: certificates, proofs on what was written, verification.
//!
//! The checker's wall: nothing here knows how data is anonymized, and every figure comes from written data, by `measure`.
//! No file is opened here either: callers bring tables, texts and readers.

pub mod absent_values;
pub mod certificate;
pub mod codebook;
mod error;
pub mod evidence;
pub mod groups;
pub mod ledger;
pub mod proof;
pub mod sensitive;
pub mod sequences;
pub mod sets;
pub mod signature;
pub mod stages;
mod verdict;
pub mod verify;
pub mod windows;

pub use error::Error;
pub use verdict::Verdict;
