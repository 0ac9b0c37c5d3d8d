//! A release as solvers see it: original tuples, the class each went into, and what the class publishes.

use denym_data::{Hierarchy, Recoding, Summary, Unit};

use super::cells::{class_sizes, uneven};
use crate::Error;

/// A recoding of a summary, checked to fit, with the sizes that metrics need.
#[derive(Debug, Clone)]
pub struct Publication<'a> {
    /// The original tuples.
    pub summary: &'a Summary,
    /// What became of them.
    pub recoding: &'a Recoding,
    /// One hierarchy per quasi-identifier.
    pub hierarchies: &'a [Hierarchy],
    /// Records of each class.
    pub sizes: Vec<u64>,
    /// Records in no class.
    pub suppressed: u64,
    /// Records of the source.
    pub total: u64,
}

impl<'a> Publication<'a> {
    /// Checks that the parts fit; recodings of single records are refused, since their tuples are not known here.
    pub fn new(
        summary: &'a Summary,
        recoding: &'a Recoding,
        hierarchies: &'a [Hierarchy],
    ) -> Result<Publication<'a>, Error> {
        uneven("hierarchies", summary.quasi.len(), hierarchies.len())?;
        uneven(
            "published attributes",
            summary.quasi.len(),
            recoding.published.len(),
        )?;
        if recoding.unit == Unit::Record {
            return Err(Error::Uneven {
                what: "tuples of a recoding by record",
                expected: summary.tuples(),
                found: recoding.class_of.len(),
            });
        }
        let (sizes, suppressed) = class_sizes(summary, recoding)?;
        Ok(Publication {
            summary,
            recoding,
            hierarchies,
            sizes,
            suppressed,
            total: summary.total(),
        })
    }

    /// Leaves under what `class` publishes for attribute `position`.
    pub fn leaves(&self, position: usize, class: u32) -> f64 {
        let label = self.recoding.published[position][class as usize];
        self.recoding.labels[position].shares[label as usize]
            * self.hierarchies[position].leaves() as f64
    }

    /// Tuples of the domain that `class` stands for.
    pub fn volume(&self, class: u32) -> f64 {
        (0..self.hierarchies.len())
            .map(|position| self.leaves(position, class))
            .product()
    }

    /// Tuples of the whole domain.
    pub fn domain(&self) -> f64 {
        self.hierarchies
            .iter()
            .map(|hierarchy| hierarchy.leaves() as f64)
            .product()
    }
}
