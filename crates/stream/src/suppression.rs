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

use denym_paths::Score;

/// Chooses among the items that `may` go; `order` gives each item's place among ties.
pub(crate) fn choose(
    violations: &[Vec<u32>],
    loss: &[u64],
    may: impl Fn(u32) -> bool,
    order: &[u32],
) -> Vec<u32> {
    let mut held_by: Vec<Vec<u32>> = vec![Vec::new(); loss.len()];
    for (at, violation) in violations.iter().enumerate() {
        for &item in violation.iter().filter(|&&item| may(item)) {
            held_by[item as usize].push(at as u32);
        }
    }
    let mut item_of = vec![0; order.len()];
    for (item, &place) in order.iter().enumerate() {
        item_of[place as usize] = item as u32;
    }
    let mut gain: Vec<u64> = held_by.iter().map(|held| held.len() as u64).collect();
    let score = |item: u32, gain: &[u64]| Score {
        item: order[item as usize],
        gain: gain[item as usize],
        loss: loss[item as usize],
    };
    let items = (0..loss.len() as u32).filter(|&item| gain[item as usize] > 0);
    let mut heap: BinaryHeap<Score> = items.map(|item| score(item, &gain)).collect();
    let mut ended = vec![false; violations.len()];
    let mut chosen = Vec::new();
    // Scores only fall: a stale entry is corrected when it surfaces.
    while let Some(top) = heap.pop() {
        let item = item_of[top.item as usize];
        let now = score(item, &gain);
        if now.gain == 0 {
            continue;
        }
        if now.gain < top.gain {
            heap.push(now);
            continue;
        }
        for &at in &held_by[item as usize] {
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
