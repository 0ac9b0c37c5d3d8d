//! Purpose-based access control: what each cell may be used for, and who may state which purpose when.
//!
//! Pure and default deny: nothing here reads a file, a clock or a socket, and what no rule allows is denied.

mod bits;
mod error;
mod intended;
mod nearest;
mod tree;

pub use bits::PurposeSet;
pub use error::{Error, Mistake};
pub use intended::{AccessPurpose, Compliance, IntendedPurpose, check_closed};
pub use tree::{Codes, Purpose, PurposeId, PurposeTree};
