//! The matching `consistent`: candidates are the released records that do not contradict the source path.
//!
//! # Idea
//!
//! For each source doublet, one bit per distinct released row says whether the row fits it. The
//! candidates of a known sequence are the rows whose bit is set for all its doublets.
//!
//! A row fits a doublet that is shown by every record that has it, or by none (global suppression),
//! if it shows it, or, where it is published nowhere, if it shows nothing at that time. As soon as
//! some record lost a doublet that another one kept (local suppression), a row fits if it shows
//! the doublet or nothing at that time. The adversary is taken to know which of the two was done;
//! a release that claims the first and is the second is judged by the second.

use denym_data::Fraction;
use denym_data::paths::Paths;
use hashbrown::HashMap;

use super::{Judge, Knowledge, PathAudit, covers_marked, marks, named, rows};

/// How doublets were removed: what the adversary may conclude from a missing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removal {
    /// From every record or from none: global suppression.
    Everywhere,
    /// From some records: local suppression, coarsening.
    SomeRecords,
}

/// The release does not have one record per source record, in the same order.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the release has {released} records and the source {source_records}")]
pub struct NotAligned {
    /// Records released.
    pub released: usize,
    /// Records of the source.
    pub source_records: usize,
}

/// Judges a release whose doublets carry the labels of the source.
///
/// Record `i` of the release must be record `i` of the source.
pub fn consistent(
    source: &Paths,
    released: &Paths,
    removal: Removal,
    knowledge: &Knowledge,
) -> Result<PathAudit, NotAligned> {
    let mut by_label: HashMap<(&str, &str), u32> = HashMap::new();
    for (id, doublet) in released.doublets().iter().enumerate() {
        let location = released.locations()[doublet.location as usize].as_str();
        let time = released.times()[doublet.time as usize].as_str();
        by_label.insert((location, time), id as u32);
    }
    let stands_for: Vec<Vec<u32>> = source
        .doublets()
        .iter()
        .map(|doublet| {
            let location = source.locations()[doublet.location as usize].as_str();
            let time = source.times()[doublet.time as usize].as_str();
            by_label
                .get(&(location, time))
                .copied()
                .into_iter()
                .collect()
        })
        .collect();
    consistent_with(source, released, &stands_for, removal, knowledge)
}

/// As [`consistent`], where several released doublets may stand for one of the source.
///
/// `violations` counts the distinct source sequences whose candidates break the promise and adds
/// the violations of the release under `covers`, which must hold as well.
pub fn consistent_with(
    source: &Paths,
    released: &Paths,
    stands_for: &[Vec<u32>],
    removal: Removal,
    knowledge: &Knowledge,
) -> Result<PathAudit, NotAligned> {
    if source.len() != released.len() {
        return Err(NotAligned {
            released: released.len(),
            source_records: source.len(),
        });
    }
    let carriers = marks(source, &knowledge.secrets);
    let shown = covers_marked(released, knowledge, &carriers);
    let source_rows = rows(source, &carriers);
    let released_rows = rows(released, &carriers);
    let mut judge = Judge::new(knowledge, source.len() as u64, released.instances() as u64);
    judge.empty_knowledge(&source_rows);
    let names = named(source, &knowledge.secrets);
    let mut exposed = vec![false; source_rows.keys.len()];
    let all_or_none = removal == Removal::Everywhere && all_or_none(source, released, stands_for);
    // A doublet published nowhere still has a time, at which a record may contradict it.
    let times = released.times();
    let own_time: Vec<Option<u32>> = source
        .doublets()
        .iter()
        .map(|doublet| {
            let label = &source.times()[doublet.time as usize];
            times
                .iter()
                .position(|time| time == label)
                .map(|code| code as u32)
        })
        .collect();

    let source_class = source_rows.class_numbers();
    let released_class = released_rows.class_numbers();
    let classes = source_class.last().map_or(0, |&last| last + 1);
    for class in 0..classes {
        // Heavy rows first, so that a large group is known to be large after a few words.
        let mut here: Vec<usize> = (0..released_rows.keys.len())
            .filter(|&row| released_class[row] == class)
            .collect();
        here.sort_by_key(|&row| (std::cmp::Reverse(released_rows.weights[row][0]), row));
        let paths: Vec<&[u32]> = here
            .iter()
            .map(|&r| released_rows.keys[r].1.as_slice())
            .collect();
        let fits = fits(released, &paths, stands_for, &own_time, all_or_none);
        let weights: Vec<&[u64]> = here
            .iter()
            .map(|&r| released_rows.weights[r].as_slice())
            .collect();
        let mut next: Vec<(u32, u32, u32)> = Vec::new();
        for (row, (_, path)) in source_rows.keys.iter().enumerate() {
            if source_class[row] == class {
                next.extend(
                    path.iter()
                        .zip(1..)
                        .map(|(&item, at)| (item, row as u32, at)),
                );
            }
        }
        let words = paths.len().div_ceil(64);
        let mut walk = Walk {
            judge: &mut judge,
            source: &source_rows,
            fits: &fits,
            weights: &weights,
            names: &names,
            exposed: &mut exposed,
            words,
        };
        walk.extend(&mut Vec::new(), &vec![u64::MAX; words], &mut next);
    }
    let mut audit = judge.finish(&source_rows, &exposed);
    audit.violations += shown.violations;
    audit.holds &= shown.holds;
    audit.smallest_group = audit.smallest_group.min(shown.smallest_group);
    audit.largest_confidence = Fraction::max(audit.largest_confidence, shown.largest_confidence);
    Ok(audit)
}

/// Whether each source doublet is shown in the same way by all records that have it, or by none.
fn all_or_none(source: &Paths, released: &Paths, stands_for: &[Vec<u32>]) -> bool {
    // Not seen, nowhere, or always as this doublet.
    let mut way: Vec<Option<Option<u32>>> = vec![None; source.doublets().len()];
    source
        .records()
        .zip(released.records())
        .all(|(path, shown)| {
            path.iter().all(|&item| {
                let standing = stands_for[item as usize]
                    .iter()
                    .copied()
                    .find(|id| shown.binary_search(id).is_ok());
                *way[item as usize].get_or_insert(standing) == standing
            })
        })
}

/// For each source doublet the released rows that fit it, one bit per row.
fn fits(
    released: &Paths,
    rows: &[&[u32]],
    stands_for: &[Vec<u32>],
    own_time: &[Option<u32>],
    all_or_none: bool,
) -> Vec<Vec<u64>> {
    let words = rows.len().div_ceil(64);
    let mut shows: Vec<Vec<u64>> = vec![Vec::new(); released.doublets().len()];
    let mut at_time: Vec<Vec<u64>> = vec![vec![0; words]; released.times().len()];
    for (row, path) in rows.iter().enumerate() {
        for &item in *path {
            let set = &mut shows[item as usize];
            set.resize(words, 0);
            set[row / 64] |= 1 << (row % 64);
            let time = released.doublets()[item as usize].time;
            at_time[time as usize][row / 64] |= 1 << (row % 64);
        }
    }
    let published: Vec<bool> = {
        let mut published = vec![false; released.doublets().len()];
        released
            .records()
            .flatten()
            .for_each(|&item| published[item as usize] = true);
        published
    };
    stands_for
        .iter()
        .zip(own_time)
        .map(|(standing, own_time)| {
            let mut set = vec![0u64; words];
            for &id in standing {
                for (word, more) in set.iter_mut().zip(&shows[id as usize]) {
                    *word |= more;
                }
            }
            let somewhere = standing.iter().any(|&id| published[id as usize]);
            if !(all_or_none && somewhere) {
                let mut busy = vec![0u64; words];
                let times = standing
                    .iter()
                    .map(|&id| released.doublets()[id as usize].time);
                for time in times.chain(*own_time) {
                    for (word, more) in busy.iter_mut().zip(&at_time[time as usize]) {
                        *word |= more;
                    }
                }
                for (word, busy) in set.iter_mut().zip(&busy) {
                    *word |= !busy;
                }
            }
            let rest = rows.len() % 64;
            if let (Some(last), true) = (set.last_mut(), rest > 0) {
                *last &= (1 << rest) - 1;
            }
            set
        })
        .collect()
}

/// Goes through the distinct sequences of the source, the rows that fit in hand.
struct Walk<'a, 'b> {
    judge: &'a mut Judge<'b>,
    source: &'a super::Rows,
    fits: &'a [Vec<u64>],
    weights: &'a [&'a [u64]],
    names: &'a [Option<usize>],
    exposed: &'a mut [bool],
    words: usize,
}

impl Walk<'_, '_> {
    fn extend(&mut self, prefix: &mut Vec<u32>, so_far: &[u64], next: &mut [(u32, u32, u32)]) {
        next.sort_unstable();
        for group in next.chunk_by(|a, b| a.0 == b.0) {
            let item = group[0].0;
            prefix.push(item);
            let fits = &self.fits[item as usize];
            let counts = self.count(so_far, fits);
            let exempt: Vec<usize> = prefix
                .iter()
                .filter_map(|&i| self.names[i as usize])
                .collect();
            if self.judge.judge(&counts, &exempt) {
                self.judge.audit.violations += 1;
                self.judge.audit.violations_by_length[prefix.len() - 1] += 1;
                for &(_, row, _) in group {
                    self.exposed[row as usize] = true;
                }
            }
            if prefix.len() < self.judge.knowledge.l {
                let both: Vec<u64> = so_far.iter().zip(fits).map(|(a, b)| a & b).collect();
                let mut deeper = Vec::new();
                for &(_, row, begin) in group {
                    let path = &self.source.keys[row as usize].1;
                    let rest = path.iter().zip(1..).skip(begin as usize);
                    deeper.extend(rest.map(|(&item, next)| (item, row, next)));
                }
                self.extend(prefix, &both, &mut deeper);
            }
            prefix.pop();
        }
    }

    /// Size and secrets of the rows in both sets; the size may stop short once it is large enough.
    fn count(&self, a: &[u64], b: &[u64]) -> Vec<u64> {
        let stride = 1 + self.judge.knowledge.secrets.len();
        let mut sum = vec![0u64; stride];
        let enough = self.judge.audit.smallest_group.max(self.judge.knowledge.k);
        for word in 0..self.words {
            let mut bits = a[word] & b[word];
            while bits != 0 {
                let row = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                for (sum, weight) in sum.iter_mut().zip(self.weights[row]) {
                    *sum += weight;
                }
            }
            if stride == 1 && sum[0] >= enough {
                break;
            }
        }
        sum
    }
}
