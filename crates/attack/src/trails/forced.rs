//! Forced matching: the pairs that every complete explanation of the data contains, and how many owners each trail can have.
//!
//! # Idea
//!
//! If every incomplete trail has its owner among the complete ones and no two share an owner, the truth is an assignment
//! that gives everybody a distinct covering owner. The adversary does not know which, but whatever all such assignments
//! agree on is certain. Take one assignment; any other differs from it by cycles of swaps, so an edge is possible exactly
//! when it lies on a cycle, that is within a strongly connected component of the residual digraph:
//!
//! ```text
//!   n -> p  for every covering pair        p -> n  when n is assigned to p
//!   p -> *  when p has room                * -> p  when p is assigned to anybody
//! ```
//!
//! The possible owners of a trail are its *allowed set*. One owner left: forced. This finds all that REIDIT-I finds and
//! more, since it also uses Hall's argument: two trails that fit the same two people use them up for everybody else.
//!
//! # Guarantee
//!
//! Sound and complete: a pair is reported exactly when it is in every saturating assignment. All pairs are conditional on
//! the assumption above; when no saturating assignment exists the assumption is false and nothing is reported. A small
//! allowed set bounds a person's anonymity from above; a large one promises nothing, since owners need not be equally likely.
//!
//! # Reference
//!
//! Beyond Malin 2002. Edges of all maximum matchings by components: J.-C. Regin, "A filtering algorithm for constraints of
//! difference in CSPs", AAAI 1994; components: R. Tarjan, SIAM J. Comput. 1(2), 1972.
//!
//! # Departures
//!
//! Nodes are groups of equal trails with sizes, so the matching is a flow; members of a group can always be swapped.
//!
//! # Cost
//!
//! One largest matching and one pass over the edges between groups.

use super::Pair;
use super::matching::Assignment;
use super::subtrail::SubtrailGraph;

/// What all saturating assignments agree on.
#[derive(Debug, Clone)]
pub struct ForcedMatching {
    unmatched: u64,
    components: Option<(Vec<u32>, Vec<u32>)>,
    pairs: Vec<Pair>,
    set_sizes: Vec<u32>,
}

impl ForcedMatching {
    /// Finds the forced pairs and allowed sets.
    pub fn of(graph: &SubtrailGraph) -> Self {
        let assignment = Assignment::largest(graph);
        let unmatched = assignment.unmatched();
        if unmatched > 0 {
            return Self {
                unmatched,
                components: None,
                pairs: Vec::new(),
                set_sizes: Vec::new(),
            };
        }
        let (of_incomplete, of_complete) = components(graph, &assignment);
        let mut size_of = vec![0_u32; graph.incomplete.len()];
        let mut owner_of = vec![0_u32; graph.incomplete.len()];
        for g in 0..graph.incomplete.len() {
            for &h in graph.adjacent(g) {
                if of_complete[h as usize] == of_incomplete[g] {
                    size_of[g] += graph.complete.size[h as usize];
                    owner_of[g] = graph.complete.first[h as usize];
                }
            }
        }
        let rows = &graph.incomplete.of_row;
        let pairs = rows
            .iter()
            .enumerate()
            .filter(|&(_, &g)| size_of[g as usize] == 1)
            .map(|(row, &g)| (row as u32, owner_of[g as usize]))
            .collect();
        let set_sizes = rows.iter().map(|&g| size_of[g as usize]).collect();
        Self {
            unmatched,
            components: Some((of_incomplete, of_complete)),
            pairs,
            set_sizes,
        }
    }

    /// Whether every incomplete trail can have an owner of its own: what the method assumes.
    pub fn saturable(&self) -> bool {
        self.unmatched == 0
    }

    /// How many incomplete trails stay without an owner in the best assignment; 0 when saturable.
    pub fn unmatched(&self) -> u64 {
        self.unmatched
    }

    /// Forced pairs (incomplete row, complete row), by incomplete row; `None` when not saturable.
    pub fn pairs(&self) -> Option<&[Pair]> {
        self.saturable().then_some(&self.pairs[..])
    }

    /// How many owners each incomplete trail can have; `None` when not saturable.
    pub fn allowed_set_sizes(&self) -> Option<&[u32]> {
        self.saturable().then_some(&self.set_sizes[..])
    }

    /// The component of each incomplete and each complete group; `None` when not saturable.
    pub(crate) fn components(&self) -> Option<&(Vec<u32>, Vec<u32>)> {
        self.components.as_ref()
    }

    /// The possible owners of incomplete row `row`, ascending; `None` when not saturable. `graph` is the one it was made of.
    pub fn allowed_set(&self, graph: &SubtrailGraph, row: usize) -> Option<Vec<u32>> {
        let (of_incomplete, of_complete) = self.components.as_ref()?;
        let component = of_incomplete[graph.incomplete.of_row[row] as usize];
        let mut candidates = graph.candidates(row);
        candidates
            .retain(|&p| of_complete[graph.complete.of_row[p as usize] as usize] == component);
        Some(candidates)
    }
}

/// Strongly connected components of the residual digraph: one number per incomplete group, one per complete group.
fn components(graph: &SubtrailGraph, assignment: &Assignment) -> (Vec<u32>, Vec<u32>) {
    let (g_count, h_count) = (graph.incomplete.len(), graph.complete.len());
    let pool = g_count + h_count;
    let occupied: Vec<u32> = (0..h_count as u32)
        .filter(|&h| assignment.room[h as usize] < graph.complete.size[h as usize])
        .collect();
    let successor = |node: usize, nth: usize| -> Option<usize> {
        if node < g_count {
            graph.adjacent(node).get(nth).map(|&h| g_count + h as usize)
        } else if node < pool {
            let h = node - g_count;
            match assignment.taken[h].get(nth) {
                Some(&(g, _)) => Some(g as usize),
                None => {
                    (nth == assignment.taken[h].len() && assignment.room[h] > 0).then_some(pool)
                }
            }
        } else {
            occupied.get(nth).map(|&h| g_count + h as usize)
        }
    };
    let component = tarjan(pool + 1, successor);
    (
        component[..g_count].to_vec(),
        component[g_count..pool].to_vec(),
    )
}

/// Tarjan's components without recursion.
fn tarjan(nodes: usize, successor: impl Fn(usize, usize) -> Option<usize>) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let mut component = vec![NONE; nodes];
    let mut low = vec![NONE; nodes];
    let mut order = vec![NONE; nodes];
    let mut open: Vec<usize> = Vec::new();
    let mut call: Vec<(usize, usize)> = Vec::new();
    let (mut clock, mut components) = (0, 0);
    for root in 0..nodes {
        if order[root] != NONE {
            continue;
        }
        call.push((root, 0));
        while let Some(frame) = call.last_mut() {
            let (node, nth) = *frame;
            if nth == 0 {
                order[node] = clock;
                low[node] = clock;
                clock += 1;
                open.push(node);
            }
            frame.1 += 1;
            if let Some(to) = successor(node, nth) {
                if order[to] == NONE {
                    call.push((to, 0));
                } else if component[to] == NONE {
                    low[node] = low[node].min(order[to]);
                }
                continue;
            }
            call.pop();
            if let Some(&(parent, _)) = call.last() {
                low[parent] = low[parent].min(low[node]);
            }
            if low[node] == order[node] {
                while let Some(member) = open.pop() {
                    component[member] = components;
                    if member == node {
                        break;
                    }
                }
                components += 1;
            }
        }
    }
    component
}
