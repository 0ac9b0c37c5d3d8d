//! What a release is made for: a class attribute whose values should stay predictable from the quasi-identifiers.

use denym_data::{Code, Ragged, Summary};
use denym_measure::metrics::information_gain;
use denym_measure::{Histogram, added};

use crate::cut::Tree;
use crate::{Error, Request};

/// Counts of the class attribute for every value of every quasi-identifier.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    /// `by_code[d][code]` is (class, count), ascending.
    by_code: Vec<Vec<Vec<(Code, u64)>>>,
}

impl Target {
    /// The sensitive attribute at `position` as class attribute.
    pub(crate) fn attribute(request: &Request<'_>, position: usize) -> Result<Target, Error> {
        let summary = request.summary;
        let rows = summary
            .sensitive
            .get(position)
            .ok_or(Error::SensitiveMissing {
                attribute: position,
                found: summary.sensitive.len(),
            })?;
        Ok(Target::new(request, rows))
    }

    /// A class histogram per tuple.
    pub(crate) fn new(request: &Request<'_>, rows: &Ragged<(Code, u64)>) -> Target {
        let by_code = request
            .summary
            .quasi
            .iter()
            .zip(request.hierarchies)
            .map(|(codes, hierarchy)| {
                let mut all = vec![Vec::new(); hierarchy.levels()[0].nodes.len()];
                for (tuple, &code) in codes.iter().enumerate() {
                    all[code as usize].extend_from_slice(rows.row(tuple));
                }
                all.into_iter().map(added).collect()
            })
            .collect();
        Target { by_code }
    }

    /// The histogram of some codes of quasi-identifier `d`.
    pub(crate) fn of(&self, d: usize, codes: &[u32]) -> Vec<(Code, u64)> {
        let pairs = codes
            .iter()
            .flat_map(|&code| self.by_code[d][code as usize].iter().copied());
        added(pairs.collect())
    }

    /// The decrease of class entropy when a node splits into its children, in bits.
    pub(crate) fn gain(&self, d: usize, tree: &Tree, node: u32) -> f64 {
        let branch = &tree.branches[node as usize];
        let parts: Vec<Vec<(Code, u64)>> = branch
            .children
            .iter()
            .map(|&child| self.of(d, &tree.branches[child as usize].codes))
            .collect();
        gain(&self.of(d, &branch.codes), &parts)
    }
}

/// The decrease of entropy when a histogram falls apart, in bits.
pub(crate) fn gain(whole: &[(Code, u64)], parts: &[Vec<(Code, u64)>]) -> f64 {
    let parts: Vec<Histogram<'_>> = parts.iter().map(|part| Histogram::new(part)).collect();
    information_gain(&Histogram::new(whole), &parts).max(0.0)
}

/// Records of each code of each quasi-identifier.
pub(crate) fn records_by_code(summary: &Summary, d: usize, codes: usize) -> Vec<u64> {
    let mut records = vec![0; codes];
    for (&code, &count) in summary.quasi[d].iter().zip(&summary.records) {
        records[code as usize] += count;
    }
    records
}
