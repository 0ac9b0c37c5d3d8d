//! One published table under attack: who is in it, which record is whose, and what is learned of them.
//!
//! The boundary is plain: columns of codes, and for each quasi-identifier a [`Covers`] relation that says which external
//! values a published value (an interval, a taxonomy node, a suppressed cell) may stand for. The attacks are in `src/attacks`.

pub mod distance;
mod lineup;
pub mod linkage;
pub mod minimality;
mod scene;

pub use distance::DistanceLinkage;
pub use lineup::{Aim, Attacked, Candidates, Lineup, Overall, Told, Wish};
pub use linkage::{Covers, Linkage};
pub use minimality::{Beliefs, MinimalityFound, Originals, PublishedGroup, minimality};
pub use scene::{
    LinkedPeople, Numbers, TableScene, compared, controlled, known_sets, numbered_apart,
};
