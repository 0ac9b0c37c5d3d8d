//! Trail re-identification by enumeration: slow, obvious, and literal to the paper's pseudocode.
//!
//! Trails are rows of 0 and 1 per institution, as in the paper.

use std::collections::{BTreeMap, BTreeSet};

/// One trail: whether each institution has data of the subject.
pub type Bits = Vec<bool>;

/// A trail written as `0110`.
pub fn bits(text: &str) -> Bits {
    text.chars().map(|c| c == '1').collect()
}

/// The institution numbers of a trail.
pub fn institutions(bits: &[bool]) -> Vec<u32> {
    bits.iter()
        .enumerate()
        .filter(|(_, has)| **has)
        .map(|(at, _)| at as u32)
        .collect()
}

/// Whether every 1 of `inner` is a 1 of `outer`.
pub fn is_subtrail(inner: &[bool], outer: &[bool]) -> bool {
    inner.iter().zip(outer).all(|(i, o)| !i || *o)
}

/// REIDIT-C, Figure 2, with the match set reset per n and not per p.
pub fn reidit_c(n: &[Bits], p: &[Bits]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for (i, trail) in n.iter().enumerate() {
        let matches: Vec<usize> = (0..p.len()).filter(|&j| p[j] == *trail).collect();
        if let [only] = matches[..] {
            found.insert(i, only);
        }
    }
    found
}

/// REIDIT-M, Figure 4.
pub fn reidit_m(n: &[Bits], p: &[Bits]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for (i, trail) in n.iter().enumerate() {
        let matches: Vec<usize> = (0..p.len())
            .filter(|&j| is_subtrail(trail, &p[j]))
            .collect();
        if let [only] = matches[..] {
            found.insert(i, only);
        }
    }
    found
}

/// REIDIT-I, Figure 3: after each pair, start again on what is left.
pub fn reidit_i(n: &[Bits], p: &[Bits]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    let mut left: BTreeSet<usize> = (0..n.len()).collect();
    let mut free: BTreeSet<usize> = (0..p.len()).collect();
    'again: loop {
        for &i in &left {
            let matches: Vec<usize> = free
                .iter()
                .copied()
                .filter(|&j| is_subtrail(&n[i], &p[j]))
                .collect();
            if let [only] = matches[..] {
                found.insert(i, only);
                left.remove(&i);
                free.remove(&only);
                continue 'again;
            }
        }
        return found;
    }
}

/// For each n, the set of owners over all assignments that give every n a distinct covering p; `None` when there is none.
pub fn allowed_by_enumeration(n: &[Bits], p: &[Bits]) -> Option<Vec<BTreeSet<usize>>> {
    fn extend(
        n: &[Bits],
        p: &[Bits],
        chosen: &mut Vec<usize>,
        seen: &mut Vec<BTreeSet<usize>>,
        any: &mut bool,
    ) {
        let i = chosen.len();
        if i == n.len() {
            *any = true;
            for (set, &owner) in seen.iter_mut().zip(chosen.iter()) {
                set.insert(owner);
            }
            return;
        }
        for j in 0..p.len() {
            if !chosen.contains(&j) && is_subtrail(&n[i], &p[j]) {
                chosen.push(j);
                extend(n, p, chosen, seen, any);
                chosen.pop();
            }
        }
    }
    let mut seen = vec![BTreeSet::new(); n.len()];
    let mut any = false;
    extend(n, p, &mut Vec::new(), &mut seen, &mut any);
    any.then_some(seen)
}
