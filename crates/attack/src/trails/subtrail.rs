//! The subtrail relation: which complete trails cover each incomplete trail, found without comparing all pairs.
//!
//! # Idea
//!
//! For each institution keep the groups of complete trails that have it. A trail's candidates lie in the shortest of its
//! institutions' lists; each candidate there is tested with a 64-bit signature first and exactly second. When even the
//! shortest list is long, the institutions' bitmaps are intersected 64 candidates at a time instead.
//!
//! # Cost
//!
//! Per incomplete group the smaller of (shortest list) and (groups / 64 x trail length) steps, all cores. Memory: four
//! bytes per edge between groups, plus a bitmap for each institution that more than 1 in 64 complete groups visit.

use super::grouping::{TrailGroups, TrailSide};
use super::{Incomplete, TrailOptions};
use crate::Error;
use denym_data::Trails;
use rayon::prelude::*;

/// Who can own what: incomplete trails, and for each the complete trails that cover it, between groups of equals.
#[derive(Debug, Clone)]
pub struct SubtrailGraph {
    pub(crate) incomplete: TrailGroups,
    pub(crate) complete: TrailGroups,
    pub(crate) offsets: Vec<usize>,
    pub(crate) targets: Vec<u32>,
}

impl SubtrailGraph {
    /// The relation between an incomplete and a complete side; `relates(incomplete label, complete label)` filters it.
    ///
    /// # Errors
    ///
    /// When the sides number institutions differently, or there are more than `max_edges` edges between groups.
    pub fn build(
        incomplete: TrailSide<'_>,
        complete: TrailSide<'_>,
        relates: &(dyn Fn(u32, u32) -> bool + Sync),
        max_edges: usize,
    ) -> Result<Self, Error> {
        Self::of(incomplete, complete, relates, false, max_edges)
    }

    /// The relation between two sides, whichever of them may lack entries; `relates(anonymous label, identified label)` filters it.
    ///
    /// # Errors
    ///
    /// As [`SubtrailGraph::build`].
    pub fn between(
        anonymous: TrailSide<'_>,
        identified: TrailSide<'_>,
        relates: &(dyn Fn(u32, u32) -> bool + Sync),
        options: &TrailOptions,
    ) -> Result<Self, Error> {
        let swapped = |identified: u32, anonymous: u32| relates(anonymous, identified);
        let most = options.max_edges;
        match options.incomplete {
            Incomplete::Anonymous => Self::of(anonymous, identified, relates, false, most),
            Incomplete::Identified => Self::of(identified, anonymous, &swapped, false, most),
            Incomplete::Neither => Self::of(anonymous, identified, relates, true, most),
        }
    }

    /// With `equal`, a trail is covered by none but its equals.
    fn of(
        incomplete: TrailSide<'_>,
        complete: TrailSide<'_>,
        relates: &(dyn Fn(u32, u32) -> bool + Sync),
        equal: bool,
        max_edges: usize,
    ) -> Result<Self, Error> {
        if incomplete.trails.institutions() != complete.trails.institutions() {
            return Err(Error::InstitutionsDiffer {
                anonymous: incomplete.trails.institutions(),
                identified: complete.trails.institutions(),
            });
        }
        let (n, p) = rayon::join(|| TrailGroups::of(incomplete), || TrailGroups::of(complete));
        let index = TrailIndex::of(complete, &p);
        let labeled = !incomplete.labels.is_empty() || !complete.labels.is_empty();
        // Chunks keep their order, so the result does not depend on the number of threads.
        let chunk = n.len().div_ceil(256).max(64);
        let mut parts: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
        let mut edges = 0_usize;
        let chunks: Vec<std::ops::Range<usize>> = (0..n.len())
            .step_by(chunk)
            .map(|start| start..(start + chunk).min(n.len()))
            .collect();
        // A few chunks at a time, so that a hopeless instance stops at the limit and not out of memory.
        for batch in chunks.chunks(16) {
            let found: Vec<(Vec<u32>, Vec<u32>)> = batch
                .par_iter()
                .map(|range| {
                    let (mut counts, mut targets) = (Vec::with_capacity(range.len()), Vec::new());
                    let mut words = Vec::new();
                    for group in range.clone() {
                        let before = targets.len();
                        let row = n.first[group] as usize;
                        let trail = incomplete.trails.get(row);
                        index.covering(trail, &mut words, &mut targets);
                        if labeled || equal {
                            let label = incomplete.label(row);
                            let mut kept = before;
                            for at in before..targets.len() {
                                let other = p.first[targets[at] as usize] as usize;
                                // Who covers a trail and is no longer is equal to it.
                                let fits =
                                    !equal || complete.trails.get(other).len() == trail.len();
                                if fits && relates(label, complete.label(other)) {
                                    targets[kept] = targets[at];
                                    kept += 1;
                                }
                            }
                            targets.truncate(kept);
                        }
                        counts.push((targets.len() - before) as u32);
                        if targets.len() > max_edges {
                            break;
                        }
                    }
                    (counts, targets)
                })
                .collect();
            edges += found
                .iter()
                .map(|(_, targets)| targets.len())
                .sum::<usize>();
            if edges > max_edges {
                return Err(Error::TooManyEdges { limit: max_edges });
            }
            parts.extend(found);
        }
        drop(index);
        let mut offsets = Vec::with_capacity(n.len() + 1);
        offsets.push(0);
        let mut targets = Vec::with_capacity(edges);
        for (counts, part) in parts {
            for count in counts {
                offsets.push(offsets[offsets.len() - 1] + count as usize);
            }
            targets.extend_from_slice(&part);
        }
        Ok(Self {
            incomplete: n,
            complete: p,
            offsets,
            targets,
        })
    }

    /// How many incomplete trails there are.
    pub fn incomplete_len(&self) -> usize {
        self.incomplete.of_row.len()
    }

    /// How many complete trails there are.
    pub fn complete_len(&self) -> usize {
        self.complete.of_row.len()
    }

    /// How many pairs (incomplete trail, covering complete trail) there are, counting every member of every group.
    pub fn edges(&self) -> u64 {
        (0..self.incomplete.len())
            .map(|group| self.degree(group) * u64::from(self.incomplete.size[group]))
            .sum()
    }

    /// How many edges there are between groups of equal trails.
    pub fn group_edges(&self) -> usize {
        self.targets.len()
    }

    /// The complete rows that cover incomplete row `row`, ascending.
    pub fn candidates(&self, row: usize) -> Vec<u32> {
        let adjacent = self.adjacent(self.incomplete.of_row[row] as usize);
        let (offsets, rows) = self.complete.members();
        let mut list: Vec<u32> = adjacent
            .iter()
            .flat_map(|&group| {
                rows[offsets[group as usize]..offsets[group as usize + 1]]
                    .iter()
                    .copied()
            })
            .collect();
        list.sort_unstable();
        list
    }

    /// How many complete rows cover each incomplete row.
    pub fn candidate_counts(&self) -> Vec<u64> {
        let degrees: Vec<u64> = (0..self.incomplete.len())
            .map(|group| self.degree(group))
            .collect();
        self.incomplete
            .of_row
            .iter()
            .map(|&group| degrees[group as usize])
            .collect()
    }

    pub(crate) fn adjacent(&self, group: usize) -> &[u32] {
        &self.targets[self.offsets[group]..self.offsets[group + 1]]
    }

    pub(crate) fn degree(&self, group: usize) -> u64 {
        self.adjacent(group)
            .iter()
            .map(|&h| u64::from(self.complete.size[h as usize]))
            .sum()
    }
}

/// Inverted index of the complete groups.
struct TrailIndex<'a> {
    side: TrailSide<'a>,
    groups: &'a TrailGroups,
    offsets: Vec<usize>,
    postings: Vec<u32>,
    /// Bitmap over groups, for institutions that many groups visit.
    bitmaps: Vec<Option<Vec<u64>>>,
    signatures: Vec<u64>,
}

impl<'a> TrailIndex<'a> {
    fn of(side: TrailSide<'a>, groups: &'a TrailGroups) -> Self {
        let institutions = side.trails.institutions();
        let mut offsets = vec![0_usize; institutions + 1];
        for &row in &groups.first {
            for &institution in side.trails.get(row as usize) {
                offsets[institution as usize + 1] += 1;
            }
        }
        for at in 0..institutions {
            offsets[at + 1] += offsets[at];
        }
        let mut next = offsets.clone();
        let mut postings = vec![0_u32; offsets[institutions]];
        let mut signatures = Vec::with_capacity(groups.len());
        for (group, &row) in groups.first.iter().enumerate() {
            let trail = side.trails.get(row as usize);
            for &institution in trail {
                postings[next[institution as usize]] = group as u32;
                next[institution as usize] += 1;
            }
            signatures.push(signature(trail));
        }
        // A bitmap costs groups / 8 bytes, so give one only where the list is longer than that in words.
        let words = groups.len().div_ceil(64);
        let bitmaps = (0..institutions)
            .into_par_iter()
            .map(|at| {
                let list = &postings[offsets[at]..offsets[at + 1]];
                (list.len() > words).then(|| {
                    let mut bits = vec![0_u64; words];
                    for &group in list {
                        bits[group as usize / 64] |= 1 << (group % 64);
                    }
                    bits
                })
            })
            .collect();
        Self {
            side,
            groups,
            offsets,
            postings,
            bitmaps,
            signatures,
        }
    }

    fn list(&self, institution: u32) -> &[u32] {
        &self.postings[self.offsets[institution as usize]..self.offsets[institution as usize + 1]]
    }

    /// Appends the groups whose trail covers `trail`, ascending.
    fn covering(&self, trail: &[u32], words: &mut Vec<u64>, out: &mut Vec<u32>) {
        let Some(&rarest) = trail
            .iter()
            .min_by_key(|&&institution| (self.list(institution).len(), institution))
        else {
            out.extend(0..self.groups.len() as u32);
            return;
        };
        if let Some(bits) = &self.bitmaps[rarest as usize] {
            // Every institution of the trail is at least as common, so every one has a bitmap.
            words.clear();
            words.extend_from_slice(bits);
            for &institution in trail {
                if institution != rarest
                    && let Some(other) = &self.bitmaps[institution as usize]
                {
                    for (word, other) in words.iter_mut().zip(other) {
                        *word &= other;
                    }
                }
            }
            for (at, &word) in words.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    out.push(at as u32 * 64 + rest.trailing_zeros());
                    rest &= rest - 1;
                }
            }
            return;
        }
        let wanted = signature(trail);
        for &group in self.list(rarest) {
            if wanted & !self.signatures[group as usize] == 0
                && Trails::is_subtrail(
                    trail,
                    self.side
                        .trails
                        .get(self.groups.first[group as usize] as usize),
                )
            {
                out.push(group);
            }
        }
    }
}

/// One bit per institution modulo 64: a trail can only be covered by one whose bits include its own.
fn signature(trail: &[u32]) -> u64 {
    trail
        .iter()
        .fold(0, |bits, institution| bits | 1 << (institution % 64))
}
