//! Republication: a release of an updated table, safe together with the earlier release.
//!
//! # Idea
//!
//! Whoever keeps both releases may join them. We take the strongest such adversary: one who can
//! tell which record of the one belongs to which record of the other. Then a subject in both shows
//! the union of its two published paths, and subjects in only one of them form groups of their
//! own: the arrivals and the leavers. The joint table must keep the promise, within subjects in
//! both, within arrivals and within leavers. What was published cannot be taken back, so the new
//! release gives way: doublets that would complete a violation are left out of it, and arrivals
//! too few or too alike for a group wait for a later release.
//!
//! # Guarantee
//!
//! The new release alone keeps the promise, and so does the join of both. Leavers who stand out
//! are beyond repair (their departure is the leak), and the request is refused. Under `consistent`
//! whoever knows the updated source path of somebody in the new release finds K records that do not
//! contradict it, in the new release and in the join; of leavers only what was published is known
//! to us, so they are judged by that alone.
//!
//! # Reference
//!
//! Al-Hussaeni 2009, section 6.2 (future work). That arrivals come in groups of K or wait is the
//! remedy for the difference attack of Fung et al., survey, Example 6.3.

use denym_data::paths::{Attribute, Paths};

use self::contradiction::{Contradiction, carriers};
use self::join::{ARRIVED, BOTH, Words, join};
use crate::error::Error;
use crate::local_contradiction::CAREFUL_ROUNDS;
use crate::miner;
use crate::recoding::{PathRecoding, Rows, Vocabulary};
use crate::request::{Algorithm, Context, Limits, Matching, Request, Secret};
use crate::solve::Problem;
use crate::summary::{Summary, quasi_classes};

mod contradiction;
mod join;

pub use contradiction::check_contradiction;

/// An earlier release, and which of its records each record of the updated table continues.
#[derive(Clone, Debug)]
pub struct Earlier<'a> {
    /// The table as it was released.
    pub released: &'a Paths,
    /// For each record of the updated table its record in the earlier release, if the subject was in it.
    pub record_of: &'a [Option<u32>],
}

/// Refuses when a new release and the earlier one together break the promise.
///
/// `kept[i]` is the record of the updated table that record i of `released` is.
pub fn check_republication(
    earlier: &Earlier,
    released: &Paths,
    kept: &[usize],
    request: &Request,
    context: &Context,
) -> Result<(), Error> {
    let joint = join(earlier, released, kept)?;
    let limits = request.limits(&joint)?;
    let summary = Summary::new(&joint, &limits);
    let mined = miner::mine_with_rows(&summary, &limits, context)?;
    let mut exposed = vec![false; summary.rows()];
    for &(_, row) in &mined.incidences {
        exposed[row as usize] = true;
    }
    let classes: Vec<_> = summary.classes().collect();
    for class in summary.hopeless_classes(&limits) {
        exposed[classes[class].clone()].fill(true);
    }
    let weights = exposed.iter().enumerate().filter(|(_, exposed)| **exposed);
    let exposed: u64 = weights
        .map(|(row, _)| u64::from(summary.weight(row)[0]))
        .sum();
    if exposed > 0 {
        return Err(Error::Republication { exposed });
    }
    Ok(())
}

/// A release of `paths` by local suppression that is safe alone and together with the earlier release.
///
/// Arrivals who cannot form a group are dropped from this release. Refused when what was already
/// published, or who left, breaks the promise whatever is published now.
pub fn republish(
    earlier: &Earlier,
    paths: &Paths,
    request: &Request,
    context: &Context,
) -> Result<PathRecoding, Error> {
    let consistent = request.matching == Matching::Consistent;
    let places = request.bounds.iter();
    if consistent
        && places
            .clone()
            .any(|b| matches!(b.secret, Secret::Place { .. }))
    {
        return Err(Error::BadOption {
            what: "sensitive places beside an earlier release are judged under the matching `covers`",
        });
    }
    if !request.promises.is_empty() {
        return Err(Error::BadOption {
            what: "beside an earlier release only `k-anonymity` and `confidence` can be promised",
        });
    }
    if earlier.record_of.len() != paths.len() {
        return Err(Error::BadOption {
            what: "every record of the updated table needs its earlier record, or none",
        });
    }
    let problem = Problem::new(paths, request, context)?;
    let limits = &problem.limits;
    let mut waiting = waiting(earlier, paths, limits)?;
    waiting.extend(
        problem
            .dropped_records
            .iter()
            .map(|&record| record as usize),
    );
    waiting.sort_unstable();
    waiting.dedup();
    let everyone: Vec<usize> = (0..paths.len()).collect();
    let words = Words::new(paths, earlier.released);
    // What each record shows in the new release; single records, since their pasts differ.
    let mut shown: Vec<Vec<u32>> = paths.records().map(<[u32]>::to_vec).collect();
    for &record in &waiting {
        shown[record].clear();
    }
    for path in &mut shown {
        path.retain(|item| !problem.removed.contains(item));
    }
    let kept: Vec<usize> = everyone
        .into_iter()
        .filter(|r| !waiting.contains(r))
        .collect();
    let carriers = carriers(paths, limits, &kept);
    let raw: Vec<Vec<u32>> = kept.iter().map(|&r| paths.record(r).to_vec()).collect();
    let (mut rounds, mut careful) = (0, 0);
    loop {
        context.check()?;
        rounds += 1;
        let alone = paths.of_records(&kept, |record| &shown[record])?;
        let mut cuts: Vec<(usize, u32)> = Vec::new();
        let summary = Summary::new(&alone, limits);
        let mined = miner::mine_with_rows(&summary, limits, context)?;
        collect(&summary, &mined, |row, violation, support| {
            cut(row, violation, support, |_, _| true).map(|item| cuts.push((kept[row], item)))
        })?;
        if cuts.is_empty() {
            let joint = join(earlier, &alone, &kept)?;
            let joined = problem.limits_on(&joint)?;
            let summary = Summary::new(&joint, &joined);
            let mined = miner::mine_with_rows(&summary, &joined, context)?;
            let mut stuck = 0u64;
            collect(&summary, &mined, |row, violation, support| {
                if row >= kept.len() {
                    stuck += 1;
                    return Some(());
                }
                let record = kept[row];
                let past: &[u32] = earlier.record_of[record]
                    .map_or(&[], |before| earlier.released.record(before as usize));
                // Only what the earlier release does not show of the record can still be held back.
                let free =
                    |_: usize, item: u32| !past.iter().any(|&i| words.old[i as usize] == item);
                match cut(row, violation, support, free) {
                    Some(item) => {
                        let back = words.new.iter().position(|&word| word == item);
                        if let Some(item) = back {
                            cuts.push((record, item as u32));
                        }
                    }
                    None => stuck += 1,
                }
                Some(())
            })?;
            if stuck > 0 {
                return Err(Error::Republication { exposed: stuck });
            }
            if cuts.is_empty() && consistent {
                let of_kept: Vec<Vec<u32>> = kept.iter().map(|&r| shown[r].clone()).collect();
                let found = Contradiction {
                    raw: &raw,
                    shown: &of_kept,
                    classes: &quasi_classes(&alone),
                    carriers: &carriers,
                    doublets: paths.doublets(),
                }
                .cuts(limits, careful)?;
                cuts.extend(found.iter().map(|&(row, item)| (kept[row], item)));
                let mut contradicted = !cuts.is_empty();
                if !contradicted {
                    let united: Vec<Vec<u32>> = raw
                        .iter()
                        .map(|path| path.iter().map(|&i| words.new[i as usize]).collect())
                        .collect();
                    let of_joint: Vec<Vec<u32>> = (0..kept.len())
                        .map(|row| joint.record(row).to_vec())
                        .collect();
                    let found = Contradiction {
                        raw: &united,
                        shown: &of_joint,
                        classes: &quasi_classes(&joint)[..kept.len()],
                        carriers: &carriers,
                        doublets: &words.doublets,
                    }
                    .cuts(limits, careful)?;
                    contradicted = !found.is_empty();
                    // What the earlier release shows stays; the rest can still be held back.
                    for (row, item) in found {
                        let back = words.new.iter().position(|&word| word == item);
                        let own = back.filter(|&i| shown[kept[row]].contains(&(i as u32)));
                        let past = earlier.record_of[kept[row]]
                            .map_or(&[][..], |before| earlier.released.record(before as usize));
                        let fixed = past.iter().any(|&i| words.old[i as usize] == item);
                        cuts.extend(own.filter(|_| !fixed).map(|i| (kept[row], i as u32)));
                    }
                    if contradicted && cuts.is_empty() && careful > CAREFUL_ROUNDS {
                        return Err(Error::Republication { exposed: 1 });
                    }
                }
                if contradicted {
                    careful += 1;
                    for (record, item) in cuts {
                        shown[record].retain(|&known| known != item);
                    }
                    continue;
                }
            }
            if cuts.is_empty() {
                check_republication(earlier, &alone, &kept, request, context)?;
                if consistent {
                    check_contradiction(earlier, paths, &alone, &kept, request)?;
                }
                break;
            }
        }
        for (record, item) in cuts {
            shown[record].retain(|&known| known != item);
        }
    }
    Ok(finish(&problem, &shown, waiting, rounds))
}

/// Arrivals in classes of quasi-identifiers that cannot form a group yet.
fn waiting(earlier: &Earlier, paths: &Paths, limits: &Limits) -> Result<Vec<usize>, Error> {
    let presence = earlier
        .record_of
        .iter()
        .map(|r| if r.is_some() { BOTH } else { ARRIVED });
    let marked = paths
        .clone()
        .with_quasi(Attribute::from_labels("presence", presence))?;
    let summary = Summary::new(&marked, limits);
    let classes: Vec<_> = summary.classes().collect();
    let mut hopeless = vec![false; summary.rows()];
    for class in summary.hopeless_classes(limits) {
        hopeless[classes[class].clone()].fill(true);
    }
    let mut waiting = Vec::new();
    let mut stuck = 0;
    for (record, &row) in summary.row_of_record().iter().enumerate() {
        if hopeless[row as usize] {
            if earlier.record_of[record].is_some() {
                stuck += 1;
            } else {
                waiting.push(record);
            }
        }
    }
    if stuck > 0 {
        return Err(Error::Republication { exposed: stuck });
    }
    Ok(waiting)
}

/// Calls `each` for every record and violation it holds, in order.
fn collect(
    summary: &Summary,
    mined: &miner::Mined,
    mut each: impl FnMut(usize, &[u32], &[u64]) -> Option<()>,
) -> Result<(), Error> {
    let support = summary.instances();
    let mut by_row: Vec<(u32, u32)> = mined.incidences.iter().map(|&(v, row)| (row, v)).collect();
    by_row.sort_unstable();
    for (record, &row) in summary.row_of_record().iter().enumerate() {
        let from = by_row.partition_point(|&(r, _)| r < row);
        let to = by_row.partition_point(|&(r, _)| r <= row);
        for &(_, violation) in &by_row[from..to] {
            if each(record, mined.violations.get(violation as usize), &support).is_none() {
                return Err(Error::Internal {
                    what: "a violation must have a doublet to remove",
                });
            }
        }
    }
    Ok(())
}

/// The most frequent doublet of a violation that may go.
fn cut(
    row: usize,
    violation: &[u32],
    support: &[u64],
    free: impl Fn(usize, u32) -> bool,
) -> Option<u32> {
    let candidates = violation.iter().copied().filter(|&item| free(row, item));
    candidates.max_by_key(|&item| (support[item as usize], std::cmp::Reverse(item)))
}

fn finish(problem: &Problem, shown: &[Vec<u32>], waiting: Vec<usize>, rounds: u32) -> PathRecoding {
    // Records with equal paths may show different parts: one row of the summary per record.
    let source: Vec<(u32, &[u32])> = problem
        .paths
        .records()
        .enumerate()
        .map(|(r, path)| (r as u32, path))
        .collect();
    let summary = Summary::of_lists(&source, problem.summary.item_count(), 0);
    let mut lists: Vec<&[u32]> = vec![&[]; shown.len()];
    for (record, &row) in summary.row_of_record().iter().enumerate() {
        lists[row as usize] = &shown[record];
    }
    let rows = Rows::from_lists(lists.iter().copied());
    let mut seen = vec![false; summary.item_count()];
    rows.items
        .iter()
        .for_each(|&item| seen[item as usize] = true);
    let instances = summary.instances();
    let gone = |item: &u32| !seen[*item as usize] && instances[*item as usize] > 0;
    let suppressed = (0..summary.item_count() as u32).filter(gone).collect();
    let mut recoding = PathRecoding::new(
        Algorithm::LocalSuppression,
        &summary,
        &problem.violations,
        Vocabulary::of_source(problem.paths),
        rows,
        suppressed,
        rounds,
    );
    recoding.dropped_records = waiting.into_iter().map(|record| record as u32).collect();
    recoding
}
