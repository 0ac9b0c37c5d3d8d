//! The matching `consistent` in a stream: further suppression until no published window contradicts too many records away.
//!
//! # Idea
//!
//! Whoever knows that the victim was at b at time 2, and finds b2 nowhere, drops every record that
//! shows another place at time 2. For every known part of a source path we take the records that fit
//! it; where they are too few, or too sure, more doublets go: one of the part itself, or others
//! of a time that is already partly hidden, so that more records show nothing there.
//!
//! # Guarantee
//!
//! On success, the condition of [`denym_measure::sequences::Doublets::judge_beside`] on this window. Under the rule that keeps what was
//! published, old doublets cannot go; then success is not certain, and the judge withholds the window.
//!
//! # Cost
//!
//! Rounds of one walk over all sequences of the window's distinct source paths, with a bit per row.

use denym_sequences::Limits;

/// A doublet of the window's source.
pub(crate) struct Item {
    pub(crate) time: i64,
    pub(crate) published: bool,
    /// Whether it may still be suppressed.
    pub(crate) may_go: bool,
    pub(crate) support: u64,
}

/// A distinct source path.
pub(crate) struct Row {
    pub(crate) path: Vec<u32>,
    pub(crate) weight: Vec<u32>,
}

/// Rounds of careful choices before a broken part costs its whole time slots.
const CAREFUL_ROUNDS: u32 = 40;

/// Suppresses more; returns what it chose.
pub(crate) fn close(rows: &[Row], items: &mut [Item], limits: &Limits) -> Vec<u32> {
    let mut chosen = Vec::new();
    for round in 0.. {
        let broken = find(rows, items, limits);
        let mut progress = false;
        for part in &broken {
            // What an earlier choice of this round touches may be mended by now.
            let candidates = candidates(part, items);
            let touched = part.iter().any(|&item| {
                let time = items[item as usize].time;
                chosen_at(&chosen, items, time, round)
            });
            if touched && progress {
                continue;
            }
            let picked: Vec<u32> = if round < CAREFUL_ROUNDS {
                let cheapest = candidates
                    .iter()
                    .min_by_key(|&&item| (items[item as usize].support, item));
                cheapest.copied().into_iter().collect()
            } else {
                candidates
            };
            for item in picked {
                items[item as usize].published = false;
                items[item as usize].may_go = false;
                chosen.push((item, round));
                progress = true;
            }
        }
        if !progress {
            break;
        }
    }
    chosen.into_iter().map(|(item, _)| item).collect()
}

fn chosen_at(chosen: &[(u32, u32)], items: &[Item], time: i64, round: u32) -> bool {
    let recent = chosen.iter().rev().take_while(|(_, at)| *at == round);
    recent
        .into_iter()
        .any(|&(item, _)| items[item as usize].time == time)
}

/// Doublets whose suppression may help a part: its own, or others at a time that it finds hidden.
fn candidates(part: &[u32], items: &[Item]) -> Vec<u32> {
    let hidden = |time: i64| {
        let here = part.iter().map(|&item| &items[item as usize]);
        here.into_iter()
            .any(|own| own.time == time && !own.published)
    };
    (0..items.len() as u32)
        .filter(|item| {
            let other = &items[*item as usize];
            other.may_go && other.published && (part.contains(item) || hidden(other.time))
        })
        .collect()
}

/// The shortest parts of source paths whose candidates break the promise, in a fixed order.
fn find(rows: &[Row], items: &[Item], limits: &Limits) -> Vec<Vec<u32>> {
    let words = rows.len().div_ceil(64);
    let mut shows = vec![vec![0u64; words]; items.len()];
    let mut busy: Vec<(i64, Vec<u64>)> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        for &item in row.path.iter().filter(|&&i| items[i as usize].published) {
            shows[item as usize][at / 64] |= 1 << (at % 64);
            let time = items[item as usize].time;
            let slot = match busy.binary_search_by_key(&time, |(time, _)| *time) {
                Ok(slot) => slot,
                Err(slot) => {
                    busy.insert(slot, (time, vec![0; words]));
                    slot
                }
            };
            busy[slot].1[at / 64] |= 1 << (at % 64);
        }
    }
    let fits: Vec<Vec<u64>> = items
        .iter()
        .zip(shows)
        .map(|(item, shows)| {
            if item.published {
                return shows;
            }
            let slot = busy.binary_search_by_key(&item.time, |(time, _)| *time);
            let shown = slot.ok().map(|slot| &busy[slot].1);
            (0..words)
                .map(|word| {
                    let rest = rows.len() - word * 64;
                    let all = if rest >= 64 {
                        u64::MAX
                    } else {
                        (1 << rest) - 1
                    };
                    all & !shown.map_or(0, |shown| shown[word])
                })
                .collect()
        })
        .collect();
    let mut walk = Walk {
        rows,
        fits: &fits,
        limits,
        broken: Vec::new(),
    };
    let next: Vec<(u32, u32, u32)> = rows
        .iter()
        .zip(0..)
        .flat_map(|(row, at)| {
            row.path
                .iter()
                .zip(1..)
                .map(move |(&item, from)| (item, at, from))
        })
        .collect();
    walk.extend(&mut Vec::new(), &vec![u64::MAX; words], next);
    walk.broken
}

struct Walk<'a> {
    rows: &'a [Row],
    fits: &'a [Vec<u64>],
    limits: &'a Limits,
    broken: Vec<Vec<u32>>,
}

impl Walk<'_> {
    fn extend(&mut self, prefix: &mut Vec<u32>, so_far: &[u64], mut next: Vec<(u32, u32, u32)>) {
        next.sort_unstable();
        for group in next.chunk_by(|a, b| a.0 == b.0) {
            let item = group[0].0;
            let both: Vec<u64> = so_far
                .iter()
                .zip(&self.fits[item as usize])
                .map(|(a, b)| a & b)
                .collect();
            prefix.push(item);
            if self.limits.broken_by(&self.count(&both)) {
                self.broken.push(prefix.clone());
            } else if prefix.len() < self.limits.l {
                let mut deeper = Vec::new();
                for &(_, row, from) in group {
                    let path = &self.rows[row as usize].path;
                    let rest = path.iter().zip(1..).skip(from as usize);
                    deeper.extend(rest.map(|(&item, from)| (item, row, from)));
                }
                self.extend(prefix, &both, deeper);
            }
            prefix.pop();
        }
    }

    fn count(&self, set: &[u64]) -> Vec<u32> {
        let mut sum = vec![0; self.limits.judge.stride()];
        for (word, &bits) in set.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let row = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                for (sum, weight) in sum.iter_mut().zip(&self.rows[row].weight) {
                    *sum += weight;
                }
            }
        }
        sum
    }
}
