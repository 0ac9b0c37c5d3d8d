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

use denym_data::paths::{Attribute, Doublet, Paths};
use denym_measure::paths as judge;
use hashbrown::HashMap;

use crate::error::Error;
use crate::local_contradiction::{self, CAREFUL_ROUNDS};
use crate::miner;
use crate::recoding::{PathRecoding, Rows, Vocabulary};
use crate::request::{Algorithm, Context, Limits, Matching, Request, Secret};
use crate::solve::Problem;
use crate::summary::{NO_BOUND, Summary, quasi_classes};

/// An earlier release, and which of its records each record of the updated table continues.
#[derive(Clone, Debug)]
pub struct Earlier<'a> {
    /// The table as it was released.
    pub released: &'a Paths,
    /// For each record of the updated table its record in the earlier release, if the subject was in it.
    pub record_of: &'a [Option<u32>],
}

/// Presence of a subject: the class the adversary sees it in.
const BOTH: &str = "both";
const ARRIVED: &str = "arrived";
const LEFT: &str = "left";

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
    let limits = request.limits();
    let summary = Summary::new(&joint, request)?;
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

/// The table an adversary has who joins both releases: united paths, and presence as a quasi-identifier.
fn join(earlier: &Earlier, released: &Paths, kept: &[usize]) -> Result<Paths, Error> {
    let old = earlier.released;
    if earlier
        .record_of
        .iter()
        .flatten()
        .any(|&r| r as usize >= old.len())
        || kept.len() != released.len()
        || kept.iter().any(|&record| record >= earlier.record_of.len())
    {
        return Err(Error::BadOption {
            what: "the records of the two releases do not fit each other",
        });
    }
    let words = Words::new(released, old);
    let mut lists: Vec<Vec<u32>> = Vec::new();
    let mut presence: Vec<&str> = Vec::new();
    let mut from: Vec<(bool, usize)> = Vec::new();
    let mut continued = vec![false; old.len()];
    for (row, &record) in kept.iter().enumerate() {
        let mut list: Vec<u32> = released
            .record(row)
            .iter()
            .map(|&i| words.new[i as usize])
            .collect();
        match earlier.record_of[record] {
            Some(before) => {
                continued[before as usize] = true;
                list.extend(
                    old.record(before as usize)
                        .iter()
                        .map(|&i| words.old[i as usize]),
                );
                presence.push(BOTH);
            }
            None => presence.push(ARRIVED),
        }
        list.sort_unstable();
        list.dedup();
        lists.push(list);
        from.push((true, row));
    }
    for row in (0..old.len()).filter(|&row| !continued[row]) {
        lists.push(
            old.record(row)
                .iter()
                .map(|&i| words.old[i as usize])
                .collect(),
        );
        presence.push(LEFT);
        from.push((false, row));
    }
    let rows = Rows::from_lists(lists.iter().map(Vec::as_slice));
    let mut joint = Paths::from_codes(
        words.locations,
        words.times,
        words.doublets,
        rows.starts,
        rows.items,
    )?;
    joint = joint.with_quasi(Attribute::from_labels("presence", presence.iter().copied()))?;
    let columns = |paths: &Paths, quasi: bool| -> Vec<Attribute> {
        if quasi {
            paths.quasi().to_vec()
        } else {
            paths.sensitive().to_vec()
        }
    };
    for quasi in [false, true] {
        let (new, old) = (columns(released, quasi), columns(old, quasi));
        for column in &new {
            let before = old.iter().find(|o| o.name == column.name);
            let labels = from.iter().map(|&(is_new, row)| match (is_new, before) {
                (true, _) => column.values[column.codes[row] as usize].as_str(),
                (false, Some(before)) => before.values[before.codes[row] as usize].as_str(),
                (false, None) => "",
            });
            let joined = Attribute::from_labels(&column.name, labels);
            joint = if quasi {
                joint.with_quasi(joined)?
            } else {
                joint.with_sensitive(joined)?
            };
        }
    }
    Ok(joint)
}

/// One dictionary of the doublets of two tables, by label.
struct Words {
    locations: Vec<String>,
    times: Vec<String>,
    doublets: Vec<Doublet>,
    new: Vec<u32>,
    old: Vec<u32>,
}

impl Words {
    fn new(new: &Paths, old: &Paths) -> Self {
        let united = |a: &[String], b: &[String]| -> (Vec<String>, Vec<u32>) {
            let mut labels = a.to_vec();
            let mut code: HashMap<String, u32> = labels.iter().cloned().zip(0..).collect();
            let of_b = b
                .iter()
                .map(|label| {
                    *code.entry_ref(label.as_str()).or_insert_with(|| {
                        labels.push(label.clone());
                        labels.len() as u32 - 1
                    })
                })
                .collect();
            (labels, of_b)
        };
        let (locations, old_location) = united(new.locations(), old.locations());
        let (times, old_time) = united(new.times(), old.times());
        let moved: Vec<Doublet> = old
            .doublets()
            .iter()
            .map(|d| Doublet {
                time: old_time[d.time as usize],
                location: old_location[d.location as usize],
            })
            .collect();
        let mut doublets: Vec<Doublet> = new.doublets().iter().chain(&moved).copied().collect();
        doublets.sort_unstable();
        doublets.dedup();
        let place = |d: &Doublet| doublets.partition_point(|known| known < d) as u32;
        Self {
            new: new.doublets().iter().map(place).collect(),
            old: moved.iter().map(place).collect(),
            locations,
            times,
            doublets,
        }
    }
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
    if earlier.record_of.len() != paths.len() {
        return Err(Error::BadOption {
            what: "every record of the updated table needs its earlier record, or none",
        });
    }
    let problem = Problem::new(paths, request, context)?;
    let limits = &problem.limits;
    let mut waiting = waiting(earlier, paths, request, limits)?;
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
    let carriers = carriers(paths, request, &kept);
    let raw: Vec<Vec<u32>> = kept.iter().map(|&r| paths.record(r).to_vec()).collect();
    let (mut rounds, mut careful) = (0, 0);
    loop {
        context.check()?;
        rounds += 1;
        let alone = candidate(paths, &shown, &kept)?;
        let mut cuts: Vec<(usize, u32)> = Vec::new();
        let summary = Summary::new(&alone, request)?;
        let mined = miner::mine_with_rows(&summary, limits, context)?;
        collect(&summary, &mined, |row, violation, support| {
            cut(row, violation, support, |_, _| true).map(|item| cuts.push((kept[row], item)))
        })?;
        if cuts.is_empty() {
            let joint = join(earlier, &alone, &kept)?;
            let summary = Summary::new(&joint, request)?;
            let mined = miner::mine_with_rows(&summary, limits, context)?;
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

/// Who carries each secret, record by record.
fn carriers(paths: &Paths, request: &Request, kept: &[usize]) -> Vec<Vec<bool>> {
    let carries = |secret: &Secret| -> Vec<bool> {
        let Secret::Value { attribute, value } = secret else {
            return vec![false; kept.len()];
        };
        let column = paths.sensitive().iter().find(|a| a.name == *attribute);
        let code = column.and_then(|column| Some((column, column.code(value)?)));
        kept.iter()
            .map(|&record| code.is_some_and(|(column, code)| column.codes[record] == code))
            .collect()
    };
    let bounds = request.bounds.iter();
    bounds.map(|bound| carries(&bound.secret)).collect()
}

/// What records show beside what is known of them, one row per record, since their pasts differ.
struct Contradiction<'a> {
    raw: &'a [Vec<u32>],
    shown: &'a [Vec<u32>],
    classes: &'a [u32],
    carriers: &'a [Vec<bool>],
    doublets: &'a [Doublet],
}

impl Contradiction<'_> {
    /// Removals (record, item) that give contradicted sequences more candidates.
    fn cuts(&self, limits: &Limits, round: u32) -> Result<Vec<(usize, u32)>, Error> {
        let mut order: Vec<usize> = (0..self.raw.len()).collect();
        order.sort_by_key(|&record| (self.classes[record], record));
        let mut class_starts: Vec<u32> = (0..order.len())
            .filter(|&at| at == 0 || self.classes[order[at]] != self.classes[order[at - 1]])
            .map(|at| at as u32)
            .collect();
        class_starts.push(order.len() as u32);
        let stride = 1 + self.carriers.len();
        let mut weights = Vec::with_capacity(order.len() * stride);
        for &record in &order {
            weights.push(1);
            weights.extend(self.carriers.iter().map(|marks| u32::from(marks[record])));
        }
        let summary = |lists: &[Vec<u32>]| {
            let rows = Rows::from_lists(order.iter().map(|&record| lists[record].as_slice()));
            Summary {
                item_count: self.doublets.len(),
                starts: rows.starts,
                items: rows.items,
                weights: weights.clone(),
                stride,
                class_starts: class_starts.clone(),
                named_bound: vec![NO_BOUND; self.doublets.len()],
                row_of_record: Vec::new(),
            }
        };
        let time_of: Vec<u32> = self.doublets.iter().map(|d| d.time).collect();
        let (source, current) = (summary(self.raw), summary(self.shown));
        let found = local_contradiction::cuts(&source, &current, &time_of, limits, round)?;
        let found = found.into_iter();
        Ok(found
            .map(|(row, item)| (order[row as usize], item))
            .collect())
    }
}

/// Refuses when whoever knows the updated source paths and holds both releases finds too few, by the judge's count.
pub fn check_contradiction(
    earlier: &Earlier,
    source: &Paths,
    released: &Paths,
    kept: &[usize],
    request: &Request,
) -> Result<(), Error> {
    let whole = join(earlier, released, kept)?;
    let present: Vec<usize> = (0..kept.len()).collect();
    let shown: Vec<Vec<u32>> = present.iter().map(|&r| whole.record(r).to_vec()).collect();
    let joint = candidate(&whole, &shown, &present)?;
    let raw: Vec<Vec<u32>> = source.records().map(<[u32]>::to_vec).collect();
    let known = candidate(source, &raw, kept)?;
    // Presence is known too; classes are compared by code, so the source gets the columns of the join.
    let known = with_quasi_of(&known, &joint)?;
    let secrets = request.bounds.iter().map(|bound| match &bound.secret {
        Secret::Value { attribute, value } => judge::Secret::value(attribute, value, bound.at_most),
        Secret::Place { location } => judge::Secret::place(location, bound.at_most),
    });
    let knowledge = judge::Knowledge::new(request.l, request.k, secrets.collect());
    let removal = judge::Removal::SomeRecords;
    let audit = judge::consistent(&known, &joint, removal, &knowledge);
    match audit {
        Ok(audit) if audit.holds => Ok(()),
        Ok(audit) => Err(Error::Republication {
            exposed: audit.exposed_records.max(1),
        }),
        Err(_) => Err(Error::Internal {
            what: "the join must have a record for each record of the new release",
        }),
    }
}

/// The same paths and sensitive values with the quasi-identifiers of another table of the same records.
fn with_quasi_of(paths: &Paths, other: &Paths) -> Result<Paths, Error> {
    let rows = Rows::from_lists(paths.records());
    let mut table = Paths::from_codes(
        paths.locations().to_vec(),
        paths.times().to_vec(),
        paths.doublets().to_vec(),
        rows.starts,
        rows.items,
    )?;
    for column in paths.sensitive() {
        table = table.with_sensitive(column.clone())?;
    }
    for column in other.quasi() {
        table = table.with_quasi(column.clone())?;
    }
    Ok(table)
}

/// Arrivals in classes of quasi-identifiers that cannot form a group yet.
fn waiting(
    earlier: &Earlier,
    paths: &Paths,
    request: &Request,
    limits: &Limits,
) -> Result<Vec<usize>, Error> {
    let presence = earlier
        .record_of
        .iter()
        .map(|r| if r.is_some() { BOTH } else { ARRIVED });
    let marked = paths
        .clone()
        .with_quasi(Attribute::from_labels("presence", presence))?;
    let summary = Summary::new(&marked, request)?;
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

/// The new release as it stands.
fn candidate(paths: &Paths, shown: &[Vec<u32>], kept: &[usize]) -> Result<Paths, Error> {
    let rows = Rows::from_lists(kept.iter().map(|&record| shown[record].as_slice()));
    let mut table = Paths::from_codes(
        paths.locations().to_vec(),
        paths.times().to_vec(),
        paths.doublets().to_vec(),
        rows.starts,
        rows.items,
    )?;
    let pick = |column: &Attribute| Attribute {
        name: column.name.clone(),
        values: column.values.clone(),
        codes: kept.iter().map(|&record| column.codes[record]).collect(),
    };
    for column in paths.sensitive() {
        table = table.with_sensitive(pick(column))?;
    }
    for column in paths.quasi() {
        table = table.with_quasi(pick(column))?;
    }
    Ok(table)
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
