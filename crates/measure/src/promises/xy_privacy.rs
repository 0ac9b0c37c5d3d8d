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

use denym_data::Code;

use super::Confidence;
use crate::Sense;
use crate::catalogue::{ATTRIBUTE, Linkage, PromiseEntry, SHARES, Takes, takes};
use crate::{Group, Promise, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[PromiseEntry {
    name: "xy-privacy",
    place: 100,
    in_policy: Some(("xy-privacy", "{ ... }")),
    linkage: Linkage::Attribute,
    parameters: &[
        ATTRIBUTE,
        takes("values", Takes::Values, "the guarded values of Y").like("[\"HIV\"]"),
        takes("at-most", Takes::Share, "largest share of each").like("0.6"),
        takes("k", Takes::Whole, "fewest subjects in a group").like("5"),
    ],
    sense: Sense::AtMost,
    monotone: SHARES,
    description: "each group on X has k subjects and bounded confidence in the values of Y",
    sentence: "Those who look the same are enough people, and nobody can conclude a protected value of {secret} with a certainty above the bound ({asked}).",
    formula: "|g| >= k and count(y in g) / |g| <= at-most",
    limits: "as confidence, on the groups of X",
    reference: "Wang and Fung, Anonymizing sequential releases, 2006",
    bound: "at-most",
    beside: "and groups of at least {k}",
    build: |asked| {
        Ok(Box::new(XyPrivacy {
            k: asked.whole("k"),
            confidence: asked.confidence()?,
        }))
    },
    ..PromiseEntry::BASE
}];

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

    fn reads(&self) -> Vec<(usize, Option<Vec<Code>>)> {
        self.confidence.reads()
    }

    fn share(&self, group: &Group<'_>) -> Option<(u64, u64)> {
        self.confidence.share(group)
    }
}
