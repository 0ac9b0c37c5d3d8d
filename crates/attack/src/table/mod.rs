//! Attacks on one published table: who is in it, which record is whose, and what is learned of them.
//!
//! The boundary is plain: columns of codes, and for each quasi-identifier a [`Covers`] relation that says which external
//! values a published value (an interval, a taxonomy node, a suppressed cell) may stand for.

pub mod distance;
pub mod linkage;
pub mod minimality;
pub mod presence;
pub mod sensitive;

pub use distance::DistanceLinkage;
pub use linkage::{Covers, Linkage};
pub use minimality::{Beliefs, minimality};
pub use presence::presence;
pub use sensitive::{Inferred, background_knowledge, homogeneity, proximity, skewness};
