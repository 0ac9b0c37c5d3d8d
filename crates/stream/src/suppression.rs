//! Which doublets to suppress: the most violations ended per instance lost, one score table for old and new.
//!
//! # Idea
//!
//! A violation is gone as soon as one of its doublets is. The winner has the highest score, the
//! violations it ends over the subjects that lose it; then the table is updated and the next wins.
//!
//! # Reference
//!
//! Al-Hussaeni, Fung, Cheung 2014, section 4.3, procedure 3.
//!
//! # Departures
//!
//! The paper leaves ties open; ours: higher score as an exact fraction, then smaller time, then
//! smaller location. Under the default rule only new doublets may win: what was published is not
//! taken back, and every violation holds a new doublet, so every violation can be ended.

use std::collections::BinaryHeap;

use denym_sequences::Score;

/// Chooses among the items that `may` go; of items that tie, the one with the smaller `tie` wins.
pub(crate) fn choose<Tie: Ord>(
    violations: &[Vec<u32>],
    loss: &[u64],
    may: impl Fn(u32) -> bool,
    tie: impl Fn(&u32) -> Tie,
) -> Vec<u32> {
    let mut gain = vec![0u64; loss.len()];
    for &item in violations.iter().flatten().filter(|&&item| may(item)) {
        gain[item as usize] += 1;
    }
    let items = 0..loss.len() as u32;
    let mut involved: Vec<u32> = items.filter(|&item| gain[item as usize] > 0).collect();
    involved.sort_unstable_by_key(tie);
    // Violations of each item, item by item.
    let mut begins = vec![0u32; loss.len()];
    let mut order = vec![0u32; loss.len()];
    let mut next = 0;
    for (place, &item) in involved.iter().enumerate() {
        order[item as usize] = place as u32;
        begins[item as usize] = next;
        next += gain[item as usize] as u32;
    }
    let mut held = vec![0u32; next as usize];
    let mut ends = begins.clone();
    for (at, violation) in violations.iter().enumerate() {
        for &item in violation.iter().filter(|&&item| may(item)) {
            held[ends[item as usize] as usize] = at as u32;
            ends[item as usize] += 1;
        }
    }
    let score = |item: u32, gain: &[u64]| Score {
        item: order[item as usize],
        gain: gain[item as usize],
        loss: loss[item as usize],
    };
    let mut heap: BinaryHeap<Score> = involved.iter().map(|&item| score(item, &gain)).collect();
    let mut ended = vec![false; violations.len()];
    let mut chosen = Vec::new();
    // Scores only fall: a stale entry is corrected when it surfaces.
    while let Some(top) = heap.pop() {
        let item = involved[top.item as usize];
        let now = score(item, &gain);
        if now.gain == 0 {
            continue;
        }
        if now.gain < top.gain {
            heap.push(now);
            continue;
        }
        let span = begins[item as usize] as usize..ends[item as usize] as usize;
        for &at in &held[span] {
            if !std::mem::replace(&mut ended[at as usize], true) {
                for &other in violations[at as usize].iter().filter(|&&other| may(other)) {
                    gain[other as usize] -= 1;
                }
            }
        }
        chosen.push(item);
    }
    chosen
}
