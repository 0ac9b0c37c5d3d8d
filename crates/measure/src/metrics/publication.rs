//! A release as solvers see it: original tuples, the class each went into, and what the class publishes.

use std::sync::OnceLock;

use denym_data::{Code, Hierarchy, Recoding, Summary, Unit};
use rayon::prelude::*;

use super::cells::{class_sizes, uneven};
use crate::Error;

/// Pairs remembered at a time: two megabytes of them.
const RECENT: usize = 1 << (64 - RECENT_SHIFT);
const RECENT_SHIFT: u32 = 64 - 18;

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
    /// What [`Publication::under`] found, per quasi-identifier.
    under: Vec<OnceLock<Vec<(u32, Code)>>>,
    /// What [`Publication::level`] found, per quasi-identifier.
    levels: Vec<OnceLock<Option<usize>>>,
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
            under: vec![OnceLock::new(); summary.quasi.len()],
            levels: vec![OnceLock::new(); summary.quasi.len()],
        })
    }

    /// The level whose nodes the labels of attribute `position` are; `None` when labels are no nodes of one level, as the numbers
    /// that classes publish in the place of their label.
    pub(crate) fn level(&self, position: usize) -> Option<usize> {
        *self.levels[position].get_or_init(|| {
            let level = *self.recoding.levels.as_ref()?.get(position)?;
            let nodes = &self.hierarchies[position].levels().get(level)?.labels;
            let labels = &self.recoding.labels[position];
            (labels.texts == *nodes && labels.shares.len() == nodes.len()).then_some(level)
        })
    }

    /// Whether the labels of attribute `position` are the nodes of one level.
    pub(crate) fn by_nodes(&self, position: usize) -> bool {
        self.level(position).is_some()
    }

    /// Leaves under what `class` publishes for attribute `position`.
    pub fn leaves(&self, position: usize, class: u32) -> f64 {
        let label = self.recoding.published[position][class as usize];
        self.recoding.labels[position].shares[label as usize]
            * self.hierarchies[position].leaves() as f64
    }

    /// The (label, code) pairs of attribute `position`: which original values were published under which label, ascending.
    pub(crate) fn under(&self, position: usize) -> &[(u32, Code)] {
        self.under[position].get_or_init(|| self.pairs(position))
    }

    fn pairs(&self, position: usize) -> Vec<(u32, Code)> {
        let label_of = &self.recoding.published[position];
        let mut pairs: Vec<u64> = Vec::new();
        // Most tuples repeat a pair that was just seen; those need no sorting.
        let mut seen = vec![u64::MAX; RECENT];
        for (&code, class) in self.summary.quasi[position]
            .iter()
            .zip(&self.recoding.class_of)
        {
            if let Some(class) = class {
                let pair = u64::from(label_of[*class as usize]) << 32 | u64::from(code);
                let slot = pair.wrapping_mul(0x9E37_79B9_7F4A_7C15) as usize >> RECENT_SHIFT;
                if seen[slot] != pair {
                    seen[slot] = pair;
                    pairs.push(pair);
                }
            }
        }
        pairs.par_sort_unstable();
        pairs.dedup();
        let split = |pair: u64| ((pair >> 32) as u32, pair as Code);
        pairs.into_iter().map(split).collect()
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
