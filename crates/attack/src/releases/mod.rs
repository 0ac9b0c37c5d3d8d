//! Attacks on several releases about the same people: what each hides, they may show together.

pub mod correspondence;
pub mod intersection;
pub mod join;
mod scene;

pub use correspondence::{NewcomerGroup, StayerGroups, inserted, stayed};
pub use intersection::{ReleaseView, RemainingValues, VarianceFailure, intersection, m_invariance};
pub use join::{JoinedGroup, JoinedView, join};
pub use scene::ReleasesScene;
