//! How an algorithm stands against somebody who knows the program: what the worlds test measured.

/// Whether a kind of promise still holds when the program is run backwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// No release of any world made anybody believe more than was promised.
    Holds,
    /// Some did.
    Exceeded {
        /// Of a thousand people in the small tables of the test, those of whom more was believed than promised; rounded up.
        per_mille: u16,
    },
    /// The algorithm makes no promise of this kind.
    NotPromised,
}

/// An algorithm's standing by kind of promise. Tests compare every mark with what `testkit::worlds` measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Promises on sizes alone (k-anonymity): nobody is linked to a record with more than one in k.
    pub sizes: Standing,
    /// Promises on sensitive values, and on sizes beside them.
    pub values: Standing,
}

impl Verdict {
    /// Both kinds hold.
    pub const SAFE: Verdict = Verdict {
        sizes: Standing::Holds,
        values: Standing::Holds,
    };

    /// Sizes hold; promises on values are exceeded for so many in a thousand.
    pub const fn values_exceeded(per_mille: u16) -> Verdict {
        Verdict {
            sizes: Standing::Holds,
            values: Standing::Exceeded { per_mille },
        }
    }

    /// The standing that counts for a policy: with promises on sensitive values, or on sizes alone.
    pub fn standing(self, on_values: bool) -> Standing {
        if on_values { self.values } else { self.sizes }
    }
}

impl Standing {
    /// Whether the promise holds against somebody who knows the program.
    pub fn holds(self) -> bool {
        self == Standing::Holds
    }
}
