//! Systematic clustering: all clusters grow at once from seeds at every k-th place of the sorted records.
//!
//! # Idea
//!
//! Sort the records by their quasi-identifiers. One record of every stretch of k seeds a cluster; then the next record of
//! every stretch joins the cluster below k members whose loss it raises least, and so on. Records of people who
//! do not mind being recognized are kept out and added to their closest clusters at the end.
//!
//! # Guarantee
//!
//! Clusters have k to 2k - 1 of the concerned records (theorem 4.3.3; tested). Those kept out join clusters without being
//! generalized, and the clusters' own records stay k-anonymous without them.
//!
//! # Reference
//!
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: section 4.3, Table 4.3; section 4.6, Table 4.7 for the l-diverse step.
//!
//! # Departures
//!
//! The random order of places is given by the caller (1, 2, ..., k unless set). Line 13 adds record `r_j + k(i-1)`, not
//! `r_j + p(i-1)`. "Beats k-member" is false (Adult, k = 10: several times its loss); "cheaper" is true.
//!
//! # Cost
//!
//! O(n^2 / k) loss evaluations.

use super::records::{Extent, Records};
use crate::{Error, Partition};

/// Clusters of k to 2k - 1 concerned records; `kept_out` lists the records of people who do not mind, `places` the order in
/// which the records of each stretch are taken (empty: 0, 1, ..., k - 1).
pub fn systematic(
    records: &Records,
    k: usize,
    kept_out: &[u32],
    places: &[usize],
) -> Result<Partition, Error> {
    super::check(records, k, kept_out.len())?;
    let mut sorted_places = places.to_vec();
    sorted_places.sort_unstable();
    if !places.is_empty() && sorted_places != (0..k).collect::<Vec<_>>() {
        return Err(Error::Option {
            option: "places",
            expected: "0 to k - 1 in some order",
        });
    }
    let places: Vec<usize> = if places.is_empty() {
        (0..k).collect()
    } else {
        places.to_vec()
    };
    let mut out = vec![false; records.len()];
    for &row in kept_out {
        out[row as usize] = true;
    }
    // Step 1.
    let mut order: Vec<u32> = (0..records.len() as u32)
        .filter(|&row| !out[row as usize])
        .collect();
    order.sort_by(|&a, &b| records.compare(a, b));
    // Steps 2 to 7.
    let count = order.len() / k;
    let mut members: Vec<Vec<u32>> = (0..count)
        .map(|cluster| vec![order[cluster * k + places[0]]])
        .collect();
    let mut extents: Vec<Extent> = members
        .iter()
        .map(|cluster| records.extent_of(cluster[0]))
        .collect();
    // Steps 8 to 15.
    for &place in &places[1..] {
        for stretch in 0..count {
            join(
                records,
                order[stretch * k + place],
                &mut members,
                &mut extents,
                k,
            );
        }
    }
    // Steps 16 to 24.
    for &row in &order[count * k..] {
        join(records, row, &mut members, &mut extents, usize::MAX);
    }
    // Those who do not mind go where they fit best and change no extent.
    for (row, _) in out.iter().enumerate().filter(|(_, out)| **out) {
        let best = least(records, row as u32, &extents, |_| true).unwrap_or(0);
        members[best].push(row as u32);
    }
    Partition::new(members, records.len())
}

/// Dissolves the clusters that `admits` refuses into the others, each record where it costs least (Table 4.7).
pub fn diversify(
    records: &Records,
    clusters: &Partition,
    admits: &dyn Fn(&[u32]) -> bool,
) -> Result<Partition, Error> {
    let (mut good, bad): (Vec<Vec<u32>>, Vec<Vec<u32>>) = clusters
        .groups()
        .map(<[u32]>::to_vec)
        .partition(|cluster| admits(cluster));
    if good.is_empty() {
        let all: Vec<u32> = (0..records.len() as u32).collect();
        return if admits(&all) {
            Partition::new(vec![all], records.len())
        } else {
            Err(Error::Infeasible)
        };
    }
    let mut extents: Vec<Extent> = good
        .iter()
        .filter_map(|cluster| records.extent(cluster))
        .collect();
    for row in bad.into_iter().flatten() {
        join(records, row, &mut good, &mut extents, usize::MAX);
    }
    // A promise on distributions may break when records join; merging the refused into their cheapest partner ends it.
    while let Some(at) = good.iter().position(|cluster| !admits(cluster)) {
        if good.len() == 1 {
            return Err(Error::Infeasible);
        }
        let refused = good.swap_remove(at);
        extents.swap_remove(at);
        let best = (0..good.len())
            .min_by(|&a, &b| {
                let cost = |cluster: usize| {
                    let mut merged = extents[cluster].clone();
                    for &row in &refused {
                        records.grow(&mut merged, row);
                    }
                    records.loss(&merged) - records.loss(&extents[cluster])
                };
                cost(a).total_cmp(&cost(b))
            })
            .unwrap_or(0);
        for &row in &refused {
            records.grow(&mut extents[best], row);
        }
        good[best].extend(refused);
    }
    Partition::new(good, records.len())
}

/// The information loss of the concerned records alone.
pub fn loss_of_concerned(records: &Records, clusters: &Partition, kept_out: &[u32]) -> f64 {
    let mut out = vec![false; records.len()];
    for &row in kept_out {
        out[row as usize] = true;
    }
    let concerned: Vec<Vec<u32>> = clusters
        .groups()
        .map(|cluster| {
            cluster
                .iter()
                .copied()
                .filter(|&row| !out[row as usize])
                .collect()
        })
        .collect();
    records.total_loss(concerned.iter().map(Vec::as_slice))
}

fn join(
    records: &Records,
    row: u32,
    members: &mut [Vec<u32>],
    extents: &mut [Extent],
    most: usize,
) {
    if let Some(best) = least(records, row, extents, |extent| extent.size < most) {
        members[best].push(row);
        records.grow(&mut extents[best], row);
    }
}

/// The extent that a record's joining raises least, among those allowed.
pub(crate) fn least(
    records: &Records,
    row: u32,
    extents: &[Extent],
    may: impl Fn(&Extent) -> bool,
) -> Option<usize> {
    let mut best: Option<(f64, usize)> = None;
    for (number, extent) in extents.iter().enumerate().filter(|(_, extent)| may(extent)) {
        let increase = records.increase(extent, row);
        if best.is_none_or(|(least, _)| increase < least) {
            best = Some((increase, number));
        }
    }
    best.map(|(_, number)| number)
}
