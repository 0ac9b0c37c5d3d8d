//! Attacks on several releases about the same people: what each hides, they may show together.

pub mod correspondence;
pub mod intersection;
pub mod join;

pub use correspondence::{Inserted, inserted};
pub use intersection::{Remaining, VarianceFailure, View, intersection, m_invariance};
pub use join::{JoinedGroup, join};
