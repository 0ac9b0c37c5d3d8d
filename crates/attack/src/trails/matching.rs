//! A largest assignment of incomplete trails to distinct complete trails that cover them.
//!
//! # Idea
//!
//! Hopcroft and Karp: augment along many shortest alternating paths at once until none is left. Groups of equal trails
//! are one node with a supply or a capacity, so one path may move several people. A greedy start (fewest candidates
//! first, least wanted owner first) leaves the search little to do.
//!
//! # Reference
//!
//! J. E. Hopcroft, R. M. Karp, "An n^5/2 algorithm for maximum matchings in bipartite graphs", SIAM J. Comput. 2(4), 1973.
//!
//! # Cost
//!
//! O(edges x sqrt(groups)) at worst, a handful of passes over the edges in practice.

use super::subtrail::SubtrailGraph;

/// An assignment between groups: how many of each incomplete group each complete group took.
pub(crate) struct Assignment {
    /// Members of each incomplete group that are not assigned.
    pub(crate) left: Vec<u32>,
    /// Members of each complete group that are free.
    pub(crate) room: Vec<u32>,
    /// For each complete group, who took it: (incomplete group, how many), each group once.
    pub(crate) taken: Vec<Vec<(u32, u32)>>,
}

const UNSEEN: u32 = u32::MAX;

impl Assignment {
    /// A largest assignment.
    pub(crate) fn largest(graph: &SubtrailGraph) -> Self {
        let mut assignment = Self {
            left: graph.incomplete.size.clone(),
            room: graph.complete.size.clone(),
            taken: vec![Vec::new(); graph.complete.len()],
        };
        assignment.greedy(graph);
        while assignment.phase(graph) {}
        assignment
    }

    /// How many incomplete trails have no owner in it.
    pub(crate) fn unmatched(&self) -> u64 {
        self.left.iter().map(|&left| u64::from(left)).sum()
    }

    fn greedy(&mut self, graph: &SubtrailGraph) {
        let mut wanted = vec![0_u32; graph.complete.len()];
        for &h in &graph.targets {
            wanted[h as usize] += 1;
        }
        let mut order: Vec<u32> = (0..graph.incomplete.len() as u32).collect();
        order.sort_by_key(|&g| graph.adjacent(g as usize).len());
        for g in order {
            while self.left[g as usize] > 0 {
                let free = graph
                    .adjacent(g as usize)
                    .iter()
                    .filter(|&&h| self.room[h as usize] > 0);
                let Some(&h) = free.min_by_key(|&&h| wanted[h as usize]) else {
                    break;
                };
                let amount = self.left[g as usize].min(self.room[h as usize]);
                self.left[g as usize] -= amount;
                self.room[h as usize] -= amount;
                self.taken[h as usize].push((g, amount));
            }
        }
    }

    /// One round of disjoint shortest augmenting paths; false when there was none.
    fn phase(&mut self, graph: &SubtrailGraph) -> bool {
        let Some((layer, layer_of_owner)) = self.layers(graph) else {
            return false;
        };
        let mut next_owner: Vec<usize> = vec![0; graph.incomplete.len()];
        let mut next_taker: Vec<usize> = vec![0; graph.complete.len()];
        // (group, owner it goes to, which entry of the owner's takers moves on)
        let mut path: Vec<(usize, usize, usize)> = Vec::new();
        for start in 0..graph.incomplete.len() {
            let mut at = start;
            'search: while self.left[start] > 0 {
                let adjacent = graph.adjacent(at);
                while let Some(&h) = adjacent.get(next_owner[at]) {
                    let h = h as usize;
                    if layer_of_owner[h] == layer[at] {
                        if self.room[h] > 0 {
                            self.augment(start, &path, at, h);
                            path.clear();
                            at = start;
                            continue 'search;
                        }
                        while let Some(&(taker, amount)) = self.taken[h].get(next_taker[h]) {
                            if amount > 0 && layer[taker as usize] == layer[at] + 1 {
                                path.push((at, h, next_taker[h]));
                                at = taker as usize;
                                continue 'search;
                            }
                            next_taker[h] += 1;
                        }
                    }
                    next_owner[at] += 1;
                }
                // Nothing leads on from here in this round: step back, past the entry that led here.
                let Some((before, h, _)) = path.pop() else {
                    break;
                };
                next_taker[h] += 1;
                at = before;
            }
            path.clear();
        }
        for taken in &mut self.taken {
            taken.retain(|&(_, amount)| amount > 0);
            taken.sort_unstable();
            taken.dedup_by(|later, kept| {
                let same = later.0 == kept.0;
                if same {
                    kept.1 += later.1;
                }
                same
            });
        }
        true
    }

    /// Distance layers from the unassigned groups up to the first owners with room; `None` when no owner can be reached.
    fn layers(&self, graph: &SubtrailGraph) -> Option<(Vec<u32>, Vec<u32>)> {
        let mut layer = vec![UNSEEN; graph.incomplete.len()];
        let mut layer_of_owner = vec![UNSEEN; graph.complete.len()];
        let mut queue: Vec<u32> = (0..graph.incomplete.len() as u32)
            .filter(|&g| self.left[g as usize] > 0)
            .collect();
        for &g in &queue {
            layer[g as usize] = 0;
        }
        let mut depth = 0;
        let mut found = false;
        while !queue.is_empty() && !found {
            let mut next = Vec::new();
            for &g in &queue {
                for &h in graph.adjacent(g as usize) {
                    let h = h as usize;
                    if layer_of_owner[h] != UNSEEN {
                        continue;
                    }
                    layer_of_owner[h] = depth;
                    found |= self.room[h] > 0;
                    for &(taker, _) in &self.taken[h] {
                        if layer[taker as usize] == UNSEEN {
                            layer[taker as usize] = depth + 1;
                            next.push(taker);
                        }
                    }
                }
            }
            depth += 1;
            queue = next;
        }
        found.then_some((layer, layer_of_owner))
    }

    /// Moves as many people as the narrowest step of the path allows.
    fn augment(&mut self, start: usize, path: &[(usize, usize, usize)], last: usize, free: usize) {
        let narrowest = path
            .iter()
            .map(|&(_, h, entry)| self.taken[h][entry].1)
            .min()
            .unwrap_or(u32::MAX);
        let amount = narrowest.min(self.left[start]).min(self.room[free]);
        self.left[start] -= amount;
        for &(g, h, entry) in path {
            self.taken[h][entry].1 -= amount;
            self.taken[h].push((g as u32, amount));
        }
        self.taken[free].push((last as u32, amount));
        self.room[free] -= amount;
    }
}
