//! What a promise is: a condition on every group, with a measured value that shows how far it holds.

use crate::Group;

/// Which direction of a measured value is safer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sense {
    /// Larger is safer: the worst group has the smallest value (k, l).
    AtLeast,
    /// Smaller is safer: the worst group has the largest value (t, confidence).
    AtMost,
}

/// What was asked, in words and numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// The name in policies and certificates, such as `k-anonymity`.
    pub name: &'static str,
    /// The sensitive attribute it speaks of, by position in [`Group::sensitive`].
    pub attribute: Option<usize>,
    /// The bound, as asked.
    pub bound: f64,
    /// Which side of the bound is safe.
    pub sense: Sense,
    /// Whether merging two groups that are admitted always gives a group that is admitted.
    ///
    /// Then generalizing a safe table keeps it safe.
    pub monotone: bool,
    /// Whether merging an admitted group with *any* other group gives a group that is admitted.
    ///
    /// Then generalizing never increases the number of suppressed records; only then may a search that suppresses
    /// failing groups discard everything below a node that suppresses too much.
    pub monotone_with_suppression: bool,
}

/// A condition that every group of indistinguishable subjects must meet.
pub trait Promise: Send + Sync {
    /// What was asked.
    fn terms(&self) -> Terms;

    /// Whether the group meets the condition, decided exactly where the definition allows it.
    fn admits(&self, group: &Group<'_>) -> bool;

    /// How far the group meets it; the worst group decides, by [`Terms::sense`].
    fn value(&self, group: &Group<'_>) -> f64;

    /// Whether both kinds of monotonicity in [`Terms`] also hold when merged groups share subjects.
    ///
    /// With a subject column one person may stand in both groups and then counts once in the merged one, so histograms
    /// do not add up: two groups of two, each with one person in two ill and the *healthy one the same person in both*,
    /// merge to two in three. Only promises that count distinct things survive that; a search over a table with a
    /// subject column may use tagging for those only.
    fn monotone_over_shared_subjects(&self) -> bool {
        false
    }
}
