//! One chain of simulated annealing over groups: moves, swaps, groups dissolved and groups formed.

use super::groups::Groups;
use super::neighbors::Neighbors;
use crate::random::{RandomSource, SplitMix64};

/// A search that goes on from where it was, remembering its best groups.
pub(crate) struct Chain<'a> {
    pub(crate) groups: Groups<'a>,
    neighbors: &'a Neighbors,
    random: SplitMix64,
    /// The SSE of `groups`, kept up to date by differences.
    pub(crate) sse: f64,
    pub(crate) best: Option<Vec<u32>>,
    pub(crate) best_sse: f64,
    /// Steps of a dissolution or formation, for taking them back.
    undo: Vec<(u32, u32)>,
}

/// One in this many steps dissolves or forms a group; the others move and swap.
const REGROUP_EVERY: usize = 64;

impl<'a> Chain<'a> {
    pub(crate) fn new(groups: Groups<'a>, neighbors: &'a Neighbors, random: SplitMix64) -> Self {
        let sse = groups.sse();
        Self {
            groups,
            neighbors,
            random,
            sse,
            best: None,
            best_sse: f64::INFINITY,
            undo: Vec::new(),
        }
    }

    /// `steps` proposals at one temperature.
    pub(crate) fn run(&mut self, steps: usize, temperature: f64) {
        let n = self.groups.label.len();
        if self.neighbors.width() == 0 {
            return;
        }
        for step in 0..steps {
            if step % REGROUP_EVERY == REGROUP_EVERY - 1 {
                let row = self.random.below(n) as u32;
                if self.random.next_u64() & 1 == 0 {
                    self.dissolve(row, temperature);
                } else {
                    self.form(row, temperature);
                }
                continue;
            }
            self.step(n, temperature);
        }
    }

    /// Remembers the groups if they are the best so far, with SSE from scratch.
    pub(crate) fn remember(&mut self) {
        self.groups.renew();
        self.sse = self.groups.sse();
        if self.sse < self.best_sse {
            self.best_sse = self.sse;
            self.best = Some(self.groups.label.clone());
        }
    }

    #[inline]
    fn step(&mut self, n: usize, temperature: f64) {
        let bits = self.random.next_u64();
        let row = (((bits >> 32) * n as u64) >> 32) as u32;
        // The product of two draws prefers near neighbors.
        let low = (bits & 0xFFFF) as usize;
        let high = ((bits >> 16) & 0xFFFF) as usize;
        let near = (low * high * self.neighbors.width()) >> 32;
        let friend = self.neighbors.of(row)[near];
        let here = self.groups.label[row as usize];
        let there = self.groups.label[friend as usize];
        if here == there {
            return;
        }
        let bits = self.random.next_u64();
        let (size_here, size_there) = (self.groups.size_of(here), self.groups.size_of(there));
        let may_move = size_here > self.groups.k && size_there < self.groups.most;
        if may_move && bits & 3 != 0 {
            let change = self.groups.cost_of_joining(row, there) - self.groups.gain_of_leaving(row);
            if accepts(change, temperature, bits) {
                self.groups.move_to(row, there);
                self.sse += change;
            }
        } else {
            let other = self
                .groups
                .member(there, ((bits >> 2 & 0xFFFF) as usize * size_there) >> 16);
            let change = self.groups.change_of_swap(row, other);
            if accepts(change, temperature, bits) {
                self.groups.swap(row, other);
                self.sse += change;
            }
        }
    }

    /// Sends every record of a smallest-size group to the neighboring group that takes it at least cost.
    fn dissolve(&mut self, row: u32, temperature: f64) {
        let group = self.groups.label[row as usize];
        let size = self.groups.size_of(group);
        if size > self.groups.k + 1 {
            return;
        }
        self.undo.clear();
        let mut change = 0.0;
        let mut done = true;
        for _ in 0..size {
            let member = self.groups.member(group, self.groups.size_of(group) - 1);
            let mut best: Option<(f64, u32)> = None;
            for &near in self.neighbors.of(member) {
                let there = self.groups.label[near as usize];
                if there != group && self.groups.size_of(there) < self.groups.most {
                    let cost = self.groups.cost_of_joining(member, there);
                    if best.is_none_or(|(least, _)| cost < least) {
                        best = Some((cost, there));
                    }
                }
            }
            let Some((cost, there)) = best else {
                done = false;
                break;
            };
            change += cost - self.groups.gain_of_leaving(member);
            self.groups.move_to(member, there);
            self.undo.push((member, group));
        }
        let bits = self.random.next_u64();
        if done && accepts(change, temperature, bits) {
            self.groups.close(group);
            self.sse += change;
        } else {
            self.take_back();
        }
    }

    /// Forms a group of a record and its nearest neighbors whose groups can spare them.
    fn form(&mut self, row: u32, temperature: f64) {
        let k = self.groups.k;
        if self.groups.size_of(self.groups.label[row as usize]) <= k {
            return;
        }
        let Some(group) = self.groups.open() else {
            return;
        };
        self.undo.clear();
        let mut change = 0.0;
        let neighbors = self.neighbors;
        for member in std::iter::once(row).chain(neighbors.of(row).iter().copied()) {
            let from = self.groups.label[member as usize];
            if self.groups.size_of(from) <= k {
                continue;
            }
            change +=
                self.groups.cost_of_joining(member, group) - self.groups.gain_of_leaving(member);
            self.groups.move_to(member, group);
            self.undo.push((member, from));
            if self.undo.len() == k {
                break;
            }
        }
        let bits = self.random.next_u64();
        if self.undo.len() == k && accepts(change, temperature, bits) {
            self.sse += change;
        } else {
            self.take_back();
            self.groups.close(group);
        }
    }

    fn take_back(&mut self) {
        while let Some((member, group)) = self.undo.pop() {
            self.groups.move_to(member, group);
        }
    }
}

/// The rule of Metropolis: always down, up with a chance that falls with the climb; `bits` decide.
#[inline]
fn accepts(change: f64, temperature: f64, bits: u64) -> bool {
    if change <= 0.0 {
        return true;
    }
    let ratio = change / temperature;
    ratio < 20.0 && (bits >> 24) as f64 * (1.0 / (1_u64 << 40) as f64) < (-ratio).exp()
}
