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
    let mut most = 0.0;
    let per_attribute: Vec<f64> = summary
        .quasi
        .iter()
        .enumerate()
        .map(|(position, codes)| {
            let mut frequency = vec![0_u64; summary.cardinalities[position]];
            for (&code, &records) in codes.iter().zip(&summary.records) {
                frequency[code as usize] += records;
            }
            // Records of the source with any value that goes into a label. With one label per value (global recoding) that is
            // the label's own count, suppressed records included.
            let labels = publication.recoding.labels[position].shares.len();
            let mut under = vec![0_u64; labels];
            for (label, code) in publication.under(position) {
                under[label as usize] += frequency[code as usize];
            }
            let mut bits = 0.0;
            for ((&code, &records), class) in codes
                .iter()
                .zip(&summary.records)
                .zip(&publication.recoding.class_of)
            {
                let whole = class.map_or(publication.total, |class| {
                    under[publication.recoding.published[position][class as usize] as usize]
                });
                let open = |whole: u64| {
                    records as f64 * (whole as f64 / frequency[code as usize] as f64).log2()
                };
                bits += open(whole);
                most += open(publication.total);
            }
            bits
        })
        .collect();
    let bits: f64 = per_attribute.iter().sum();
    NonUniformEntropy {
        bits,
        per_attribute,
        normalized: if most > 0.0 { bits / most } else { 0.0 },
    }
}
