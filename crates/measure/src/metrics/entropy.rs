//! Non-uniform entropy: the bits needed to recover the original values from the published ones.
//!
//! # Idea
//!
//! A published label leaves open which of its values was there. Knowing how often each occurs in the table, finding the
//! right one takes -log2 of (records with the value / records with any value under the label) bits. The table's figure is the
//! sum over all cells. Unlike the loss it charges little for a label under which one value dominates.
//!
//! # Reference
//!
//! A. Gionis and T. Tassa, "k-anonymization with minimal loss of information", IEEE TKDE 2009; A. De Waal and L.
//! Willenborg, "Information loss through global recoding and local suppression", 1999.
//!
//! # Departures
//!
//! Frequencies are those of the source. A suppressed record is as open as one published with the root.

use rayon::prelude::*;

use super::Publication;

/// Bits lost, per attribute and in all.
#[derive(Debug, Clone, PartialEq)]
pub struct NonUniformEntropy {
    /// Over all attributes.
    pub bits: f64,
    /// Per attribute.
    pub per_attribute: Vec<f64>,
    /// `bits` over those of publishing nothing, 0 to 1; 0 when nothing could be lost.
    pub normalized: f64,
}

/// The bits lost by a publication.
pub fn non_uniform_entropy(publication: &Publication<'_>) -> NonUniformEntropy {
    let summary = publication.summary;
    let of_attributes: Vec<(f64, f64)> = (0..summary.quasi.len())
        .into_par_iter()
        .map(|position| of_attribute(publication, position))
        .collect();
    let (per_attribute, most): (Vec<f64>, Vec<f64>) = of_attributes.into_iter().unzip();
    let most: f64 = most.iter().sum();
    let bits: f64 = per_attribute.iter().sum();
    NonUniformEntropy {
        bits,
        per_attribute,
        normalized: if most > 0.0 { bits / most } else { 0.0 },
    }
}

/// The bits that one attribute loses, and those it would lose if nothing of it were published.
fn of_attribute(publication: &Publication<'_>, position: usize) -> (f64, f64) {
    let (summary, recoding) = (publication.summary, publication.recoding);
    let codes = &summary.quasi[position];
    let mut frequency = vec![0_u64; summary.cardinalities[position]];
    for (&code, &records) in codes.iter().zip(&summary.records) {
        frequency[code as usize] += records;
    }
    // Records of the source with any value that goes into a label. With one label per value (global recoding) that is
    // the label's own count, suppressed records included.
    let mut under = vec![0_u64; recoding.labels[position].shares.len()];
    for &(label, code) in publication.under(position) {
        under[label as usize] += frequency[code as usize];
    }
    // Logarithms of the few counts there are, not of every tuple's.
    let log = |counts: &[u64]| -> Vec<f64> {
        counts.iter().map(|&count| (count as f64).log2()).collect()
    };
    let (of_code, of_label) = (log(&frequency), log(&under));
    let whole = (publication.total as f64).log2();
    let published = &recoding.published[position];
    let mut bits = 0.0;
    for ((&code, &records), class) in codes.iter().zip(&summary.records).zip(&recoding.class_of) {
        let open = class.map_or(whole, |class| of_label[published[class as usize] as usize]);
        bits += records as f64 * (open - of_code[code as usize]);
    }
    let seen = frequency
        .iter()
        .zip(&of_code)
        .filter(|(count, _)| **count > 0);
    let most = seen
        .map(|(&count, of_code)| count as f64 * (whole - of_code))
        .sum();
    (bits, most)
}
