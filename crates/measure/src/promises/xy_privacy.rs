//! (X,Y)-privacy: each group on X has at least k subjects, and no chosen value of Y can be inferred with confidence above h.
//!
//! # Reference
//!
//! K. Wang and B. Fung, "Anonymizing sequential releases", KDD 2006. Survey section 2.2.
//!
//! # Departures
//!
//! Each value of Y may have its own bound. The measured value is the confidence; sizes show in k-anonymity.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::XyPrivacy};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! use denym_measure::promises::Confidence;
//! let confidence = Confidence::of_values(0, [(1, Fraction::parse("0.75").unwrap())]);
//! assert!(XyPrivacy { k: 4, confidence: confidence.clone() }.admits(&artists));
//! assert!(!XyPrivacy { k: 5, confidence }.admits(&artists));
//! ```

use super::Confidence;
use crate::{Group, Promise, Terms};

/// At least `k` subjects and bounded confidence in every group.
#[derive(Debug, Clone)]
pub struct XyPrivacy {
    /// The smallest allowed number of subjects.
    pub k: u64,
    /// The bounds on the values of Y.
    pub confidence: Confidence,
}

impl Promise for XyPrivacy {
    fn terms(&self) -> Terms {
        Terms {
            name: "xy-privacy",
            ..self.confidence.terms()
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.subjects >= self.k && self.confidence.admits(group)
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        self.confidence.value(group)
    }
}
