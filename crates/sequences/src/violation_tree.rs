//! The critical violation tree with its score table and links: which doublet to suppress next.
//!
//! # Idea
//!
//! Violations are paths from the root; a node counts the violations that share its prefix. All
//! nodes of one doublet are linked, and the sum of their counts is the doublet's privacy gain.
//! Suppressing a doublet cuts its nodes with all below them and lowers the counts above.
//!
//! # Reference
//!
//! Al-Hussaeni 2009, Definition 4.2.1, Figures 4 and 5, Algorithm 2 lines 3 to 9.
//!
//! # Departures
//!
//! Nodes lie in depth-first order in flat arrays, so a subtree is a range. Al-Hussaeni 2009 leaves ties
//! open; ours: higher score as an exact fraction, then smaller time, then smaller location.
//!
//! # Cost
//!
//! Each node is cut once; each cut climbs at most L nodes. The winner comes from a heap in which
//! stale entries are corrected when they surface: scores only fall.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::violations::Violations;

const ROOT: u32 = 0;

/// The tree, with links and gains.
#[derive(Clone, Debug)]
pub struct ViolationTree {
    item: Vec<u32>,
    parent: Vec<u32>,
    /// One past the last node of the subtree.
    end: Vec<u32>,
    count: Vec<u32>,
    link_starts: Vec<u32>,
    links: Vec<u32>,
    gain: Vec<u64>,
    loss: Vec<u64>,
}

/// One line of the score table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Score {
    /// The doublet.
    pub item: u32,
    /// Critical violations that hold it.
    pub gain: u64,
    /// What suppressing it costs.
    pub loss: u64,
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        let left = u128::from(self.gain) * u128::from(other.loss);
        let right = u128::from(other.gain) * u128::from(self.loss);
        left.cmp(&right).then_with(|| other.item.cmp(&self.item))
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl ViolationTree {
    /// Builds the tree; `loss` is the cost of each item.
    pub fn new(violations: &Violations, loss: &[u64]) -> Self {
        let mut order: Vec<u32> = (0..violations.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| violations.get(a as usize).cmp(violations.get(b as usize)));
        let mut tree = Self {
            item: vec![u32::MAX],
            parent: vec![ROOT],
            end: vec![0],
            count: vec![violations.len() as u32],
            link_starts: Vec::new(),
            links: Vec::new(),
            gain: vec![0; loss.len()],
            loss: loss.to_vec(),
        };
        let mut open: Vec<u32> = vec![ROOT];
        let mut previous: &[u32] = &[];
        for &at in &order {
            let sequence = violations.get(at as usize);
            let shared = previous
                .iter()
                .zip(sequence)
                .take_while(|(a, b)| a == b)
                .count();
            tree.close(&mut open, shared + 1);
            for &item in &sequence[shared..] {
                let parent = open.last().copied().unwrap_or(ROOT);
                open.push(tree.item.len() as u32);
                tree.item.push(item);
                tree.parent.push(parent);
                tree.end.push(0);
                tree.count.push(0);
            }
            for &node in &open[1..] {
                tree.count[node as usize] += 1;
            }
            previous = sequence;
        }
        tree.close(&mut open, 0);
        tree.link();
        tree
    }

    fn close(&mut self, open: &mut Vec<u32>, depth: usize) {
        while open.len() > depth {
            if let Some(node) = open.pop() {
                self.end[node as usize] = self.item.len() as u32;
            }
        }
    }

    fn link(&mut self) {
        let items = self.loss.len();
        let mut starts = vec![0u32; items + 1];
        for &item in &self.item[1..] {
            starts[item as usize + 1] += 1;
        }
        for item in 0..items {
            starts[item + 1] += starts[item];
        }
        let mut fill = starts.clone();
        self.links = vec![0; self.item.len() - 1];
        for node in 1..self.item.len() {
            let item = self.item[node] as usize;
            self.links[fill[item] as usize] = node as u32;
            fill[item] += 1;
            self.gain[item] += u64::from(self.count[node]);
        }
        self.link_starts = starts;
    }

    /// Violations still in the tree.
    pub fn len(&self) -> u64 {
        u64::from(self.count[ROOT as usize])
    }

    /// Whether every violation is gone.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The live nodes as (depth, item, count), depth first.
    pub fn nodes(&self) -> Vec<(usize, u32, u32)> {
        let mut nodes = Vec::new();
        for node in 1..self.item.len() {
            if self.count[node] > 0 {
                let mut depth = 1;
                let mut up = self.parent[node];
                while up != ROOT {
                    depth += 1;
                    up = self.parent[up as usize];
                }
                nodes.push((depth, self.item[node], self.count[node]));
            }
        }
        nodes
    }

    /// The score table: every item with a gain, by item.
    pub fn score_table(&self) -> Vec<Score> {
        (0..self.gain.len())
            .map(|item| self.score(item as u32))
            .filter(|score| score.gain > 0)
            .collect()
    }

    /// Sequences in the tree that hold an item.
    pub fn gain(&self, item: u32) -> u64 {
        self.gain[item as usize]
    }

    fn score(&self, item: u32) -> Score {
        Score {
            item,
            gain: self.gain[item as usize],
            loss: self.loss[item as usize],
        }
    }

    /// Cuts all violations that hold an item.
    pub fn suppress(&mut self, item: u32) {
        let links = self.link_starts[item as usize]..self.link_starts[item as usize + 1];
        for at in links {
            let node = self.links[at as usize] as usize;
            let cut = self.count[node];
            if cut == 0 {
                continue;
            }
            let mut up = self.parent[node];
            while up != ROOT {
                self.count[up as usize] -= cut;
                self.gain[self.item[up as usize] as usize] -= u64::from(cut);
                up = self.parent[up as usize];
            }
            self.count[ROOT as usize] -= cut;
            for below in node..self.end[node] as usize {
                let count = std::mem::take(&mut self.count[below]);
                self.gain[self.item[below] as usize] -= u64::from(count);
            }
        }
    }

    /// Suppresses winner after winner until no violation is left; returns them in order.
    pub fn suppress_all(mut self) -> Vec<u32> {
        let mut heap: BinaryHeap<Score> = self.score_table().into();
        let mut suppressed = Vec::new();
        while !self.is_empty() {
            let Some(top) = heap.pop() else { break };
            let now = self.score(top.item);
            if now.gain == 0 {
                continue;
            }
            if now.gain < top.gain {
                heap.push(now);
                continue;
            }
            self.suppress(top.item);
            suppressed.push(top.item);
        }
        suppressed
    }
}
