//! What a promise is: a condition on every group, with a measured value that shows how far it holds.

use denym_data::Code;

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

    /// What it looks at in a group beyond its size: attributes by position, with the values that matter, or all when `None`.
    ///
    /// Who counts groups counts no more than this.
    fn reads(&self) -> Vec<(usize, Option<Vec<Code>>)> {
        let attribute = self.terms().attribute;
        attribute
            .map(|attribute| (attribute, None))
            .into_iter()
            .collect()
    }

    /// The least number of subjects, when exactly the groups with so many are admitted; `None` when more than size matters.
    fn size_alone(&self) -> Option<u64> {
        None
    }

    /// The value as (part, whole), where it is a share of the group.
    fn share(&self, _group: &Group<'_>) -> Option<(u64, u64)> {
        None
    }

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

/// A promise that is shared is the same promise.
impl Promise for std::sync::Arc<dyn Promise> {
    fn terms(&self) -> Terms {
        self.as_ref().terms()
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        self.as_ref().admits(group)
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        self.as_ref().value(group)
    }

    fn reads(&self) -> Vec<(usize, Option<Vec<Code>>)> {
        self.as_ref().reads()
    }

    fn size_alone(&self) -> Option<u64> {
        self.as_ref().size_alone()
    }

    fn share(&self, group: &Group<'_>) -> Option<(u64, u64)> {
        self.as_ref().share(group)
    }

    fn monotone_over_shared_subjects(&self) -> bool {
        self.as_ref().monotone_over_shared_subjects()
    }
}
