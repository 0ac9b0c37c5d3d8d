//! Insertion: new records into published clusters, without laying them bare.
//!
//! # Idea
//!
//! Each new record goes to the published cluster whose loss it raises least, or, by the posterior rule, to the cluster with
//! the least share of size times loss. Whoever compares two releases sees which records a cluster gained; so a
//! cluster gains none, or at least k new records with at least l sensitive values. The other new records wait.
//!
//! # Guarantee
//!
//! In each release, and in the difference of two consecutive ones, every group has k records and l distinct sensitive values.
//!
//! # Reference
//!
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: section 4.5 and equation (4.7); the attack: Fung, Wang, Chen and Yu, Privacy-preserving data publishing, ACM Computing
//! Surveys 42(4), 2010, doi:10.1145/1749603.1749605, Example 6.3.
//!
//! # Departures
//!
//! Kabir 2010 inserts single records, which the difference of two releases isolates. The posterior (4.7) does not
//! depend on the new record, so under that rule all new records go to one cluster; kept for comparison.
//!
//! # Cost
//!
//! O(new records * clusters) loss evaluations.

use denym_data::InsertionRule;

use super::records::{Extent, Records};
use super::systematic::least;
use crate::{Error, Partition};

/// What became of the new records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Insertion {
    /// All published clusters after the insertion, in the order given, over the record numbers of `records`.
    pub clusters: Vec<Vec<u32>>,
    /// The new records that wait for a later release, ascending.
    pub waiting: Vec<u32>,
}

/// Inserts `new` records into published clusters. `sensitive` has one code per record, old and new.
pub fn insert(
    records: &Records,
    published: &[Vec<u32>],
    new: &[u32],
    sensitive: &[u32],
    k: usize,
    l: usize,
    rule: InsertionRule,
) -> Result<Insertion, Error> {
    if k == 0 {
        return Err(Error::ZeroK);
    }
    if sensitive.len() != records.len() {
        return Err(Error::Mismatch {
            what: "the sensitive attribute",
            found: sensitive.len(),
            expected: records.len(),
        });
    }
    let mut times = vec![0_usize; records.len()];
    for &row in published.iter().flatten().chain(new) {
        match times.get_mut(row as usize) {
            Some(count) => *count += 1,
            None => {
                return Err(Error::NotAPartition {
                    row: row as usize,
                    times: 0,
                });
            }
        }
    }
    if let Some(row) = times.iter().position(|&count| count > 1) {
        return Err(Error::NotAPartition {
            row,
            times: times[row],
        });
    }
    let extents: Vec<Extent> = published
        .iter()
        .filter_map(|cluster| records.extent(cluster))
        .collect();
    if extents.len() != published.len() || extents.is_empty() {
        return Err(Error::Empty { what: "clusters" });
    }
    let by_posterior = extents
        .iter()
        .map(|extent| extent.size as f64 * records.loss(extent))
        .enumerate()
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .map_or(0, |(number, _)| number);
    let mut arrivals: Vec<Vec<u32>> = vec![Vec::new(); published.len()];
    for &row in new {
        let cluster = match rule {
            InsertionRule::LeastLoss => least(records, row, &extents, |_| true).unwrap_or(0),
            InsertionRule::Posterior => by_posterior,
        };
        arrivals[cluster].push(row);
    }
    let mut clusters = published.to_vec();
    let mut waiting = Vec::new();
    for (cluster, arrived) in clusters.iter_mut().zip(arrivals) {
        if arrived.len() >= k && distinct(&arrived, sensitive) >= l {
            cluster.extend(arrived);
        } else {
            waiting.extend(arrived);
        }
    }
    waiting.sort_unstable();
    Ok(Insertion { clusters, waiting })
}

/// The posteriors (4.7) of published clusters; they sum to 1, or are all 0 when nothing is lost.
pub fn posteriors(records: &Records, published: &Partition) -> Vec<f64> {
    let weights: Vec<f64> = published
        .groups()
        .filter_map(|cluster| records.extent(cluster))
        .map(|extent| extent.size as f64 * records.loss(&extent))
        .collect();
    let total: f64 = weights.iter().sum();
    weights
        .iter()
        .map(|weight| if total > 0.0 { weight / total } else { 0.0 })
        .collect()
}

/// The number of distinct sensitive values of some records.
pub fn distinct(rows: &[u32], sensitive: &[u32]) -> usize {
    let mut values: Vec<u32> = rows.iter().map(|&row| sensitive[row as usize]).collect();
    values.sort_unstable();
    values.dedup();
    values.len()
}
