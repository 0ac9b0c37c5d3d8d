//! People who do not mind: kept out while clusters are made, and added back to the clusters that they cost least.
//!
//! # Idea
//!
//! Some people do not ask for privacy. Their records need no company, so the clusters are made of the others alone, each
//! of which finds k companions who also mind. Then every record that was kept out joins the cluster whose loss it raises
//! least, and is published with it.
//!
//! # Guarantee
//!
//! Every cluster keeps k records of people who mind, and every promise on those alone: even when all who do not mind tell who they
//! are, the others stay among k. The clusters as published, with everybody in them, are admitted as well.
//!
//! # Reference
//!
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: section 4.3.2 (the share q) and Table 4.3.
//!
//! # Departures
//!
//! Kabir 2010 says that these records incur no loss and leaves open how they are published. Published as they are, they would stand
//! alone and break the release's own promise; here they are widened with their cluster like everybody else, and any clustering
//! algorithm may make the clusters. `systematic` itself still counts them as free, for Figure 4.4.
//!
//! # Cost
//!
//! That of the algorithm on those who mind, then O(kept out * clusters) loss evaluations.

use super::records::{Extent, Records};
use crate::{Error, Partition};

/// Clusters of everybody, and those who fit nowhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedBack {
    /// Clusters over the record numbers of all records; each begins with those who mind.
    pub clusters: Vec<Vec<u32>>,
    /// How many in each cluster mind.
    pub concerned: Vec<usize>,
    /// Records that no cluster may take without breaking a promise, ascending.
    pub left_out: Vec<u32>,
}

/// Clusters the records that are not in `kept_out` with `solve`, which sees them renumbered, with their own numbers beside them; then adds
/// the others where `admits` allows it.
pub fn keep_out(
    records: &Records,
    kept_out: &[u32],
    solve: &mut dyn FnMut(&Records, &[u32]) -> Result<Partition, Error>,
    admits: &dyn Fn(&[u32]) -> bool,
) -> Result<AddedBack, Error> {
    let mut out = vec![false; records.len()];
    for &row in kept_out {
        match out.get_mut(row as usize) {
            Some(out) => *out = true,
            None => {
                return Err(Error::NotAPartition {
                    row: row as usize,
                    times: 0,
                });
            }
        }
    }
    let (kept, others): (Vec<u32>, Vec<u32>) =
        (0..records.len() as u32).partition(|&row| !out[row as usize]);
    if kept.is_empty() {
        return Err(Error::Empty {
            what: "records of people who mind",
        });
    }
    let found = solve(&records.select(&kept), &kept)?;
    let mut clusters: Vec<Vec<u32>> = found
        .groups()
        .map(|group| group.iter().map(|&row| kept[row as usize]).collect())
        .collect();
    let concerned: Vec<usize> = clusters.iter().map(Vec::len).collect();
    let mut extents: Vec<Extent> = clusters
        .iter()
        .filter_map(|cluster| records.extent(cluster))
        .collect();
    let mut left_out = Vec::new();
    for row in others {
        let mut order: Vec<(f64, usize)> = extents
            .iter()
            .enumerate()
            .map(|(number, extent)| (records.increase(extent, row), number))
            .collect();
        order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let place = order.iter().map(|&(_, number)| number).find(|&number| {
            clusters[number].push(row);
            let admitted = admits(&clusters[number]);
            if !admitted {
                clusters[number].pop();
            }
            admitted
        });
        match place {
            Some(number) => records.grow(&mut extents[number], row),
            None => left_out.push(row),
        }
    }
    Ok(AddedBack {
        clusters,
        concerned,
        left_out,
    })
}
