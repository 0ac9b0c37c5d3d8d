//! Frequent sequences: what an analyst would mine, as an alternative measure of loss.
//!
//! # Reference
//!
//! Xu, Fung, Wang, Fu, Pei, *Publishing sensitive transactions for itemset utility*, ICDM 2008 (nuggets);
//! Mohammed, Fung, Debbabi, *Walking in the crowd*, CIKM 2009 (frequent sequences of paths).

use crate::error::Error;
use crate::request::Context;
use crate::summary::Summary;
use crate::violations::Violations;

/// All sequences of up to `length` items that at least `support` records hold.
///
/// Depth first over projections, as in [`crate::miner`]; classes of quasi-identifiers play no part.
pub fn sequences(
    summary: &Summary,
    support: u64,
    length: usize,
    context: &Context,
) -> Result<Violations, Error> {
    context.check()?;
    let mut found = Violations::new();
    let spans: Vec<(u32, u32)> = (0..summary.rows() as u32)
        .map(|row| (row, summary.starts[row as usize]))
        .collect();
    let mut counts = vec![0u64; summary.item_count];
    grow(
        summary,
        support.max(1),
        length,
        &mut Vec::new(),
        &spans,
        &mut counts,
        &mut found,
    );
    Ok(found)
}

fn grow(
    summary: &Summary,
    support: u64,
    length: usize,
    prefix: &mut Vec<u32>,
    spans: &[(u32, u32)],
    counts: &mut [u64],
    found: &mut Violations,
) {
    let tail = |(row, begin): (u32, u32)| {
        &summary.items[begin as usize..summary.starts[row as usize + 1] as usize]
    };
    let mut touched = Vec::new();
    for &span in spans {
        let weight = u64::from(summary.weight(span.0 as usize)[0]);
        for &item in tail(span) {
            if counts[item as usize] == 0 {
                touched.push(item);
            }
            counts[item as usize] += weight;
        }
    }
    touched.sort_unstable();
    let frequent: Vec<u32> = touched
        .iter()
        .copied()
        .filter(|&item| counts[item as usize] >= support)
        .collect();
    for item in touched {
        counts[item as usize] = 0;
    }
    for item in frequent {
        found.push(0, prefix, item);
        if prefix.len() + 1 < length {
            let deeper: Vec<(u32, u32)> = spans
                .iter()
                .filter_map(|&span| {
                    let at = tail(span).binary_search(&item).ok()?;
                    Some((span.0, span.1 + at as u32 + 1))
                })
                .collect();
            prefix.push(item);
            grow(summary, support, length, prefix, &deeper, counts, found);
            prefix.pop();
        }
    }
}
