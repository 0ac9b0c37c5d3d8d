//! One published table under attack: who is in it, which record is whose, and what is learned of them.
//!
//! The boundary is plain: columns of codes, and for each quasi-identifier a [`Covers`] relation that says which external
//! values a published value (an interval, a taxonomy node, a suppressed cell) may stand for. The attacks are in `src/attacks`.

pub mod distance;
mod lineup;
pub mod linkage;
mod lookup;
mod numbers;
mod scene;
mod stands;

pub use distance::DistanceLinkage;
pub use lineup::{Aim, Attacked, Candidates, Conclusion, Lineup, Overall, Wish};
pub use linkage::{Covers, Linkage};
pub use lookup::{Lookup, People, PeopleFound};
pub use numbers::{SourceNumbers, whole_numbers};
pub use scene::{LinkedPeople, TableScene, compared, controlled, known_sets, numbered_apart};

pub(crate) use lookup::one_row_each;
pub(crate) use stands::compatible;
