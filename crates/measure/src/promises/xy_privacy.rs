//! (X,Y)-privacy: each group on X has at least k subjects, and no chosen value of Y can be inferred with confidence above h.
//!
//! # Reference
//!
//! K. Wang and B. Fung, "Anonymizing sequential releases", KDD 2006. Survey section 2.2.
//!
//! # Departures
//!
//! Each value of Y may have its own bound. The measured value is the confidence; sizes show in k-anonymity.

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
