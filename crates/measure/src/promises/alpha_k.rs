//! (alpha,k)-anonymity: at least k subjects in every group, and no sensitive value in more than a share alpha of them.
//!
//! # Guarantee
//!
//! Bounds both linking to a record and inferring any one value. Skewed attributes make it costly: a value that holds for
//! more than alpha of the whole table can never be published.
//!
//! # Reference
//!
//! R. Wong, J. Li, A. Fu, K. Wang, "(alpha,k)-anonymity: an enhanced k-anonymity model for privacy preserving data publishing",
//! KDD 2006. Survey section 2.2.
//!
//! # Departures
//!
//! The measured value is the largest share; sizes show in k-anonymity.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::AlphaK};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! let alpha = Fraction::parse("0.75").unwrap();
//! assert!(AlphaK { attribute: 0, alpha, k: 4 }.admits(&artists));
//! assert!(!AlphaK { attribute: 0, alpha, k: 5 }.admits(&artists));
//! ```

use denym_data::Fraction;

use super::Confidence;
use crate::{Group, Promise, Terms};

/// At least `k` subjects and every value at or below `alpha` in every group.
#[derive(Debug, Clone, Copy)]
pub struct AlphaK {
    /// Position of the attribute in [`Group::sensitive`].
    pub attribute: usize,
    /// The largest allowed share of one value.
    pub alpha: Fraction,
    /// The smallest allowed number of subjects.
    pub k: u64,
}

impl AlphaK {
    fn confidence(&self) -> Confidence {
        Confidence::of_all(self.attribute, self.alpha)
    }
}

impl Promise for AlphaK {
    fn terms(&self) -> Terms {
        Terms {
            name: "alpha-k-anonymity",
            ..self.confidence().terms()
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.subjects >= self.k && self.confidence().admits(group)
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        self.confidence().value(group)
    }
}
