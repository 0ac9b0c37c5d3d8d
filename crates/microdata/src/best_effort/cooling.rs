//! Simulated annealing of one region: moves, swaps, groups dissolved and groups formed, from hot to cold.

use super::region::Region;
use crate::random::{RandomSource, SplitMix64};

/// How a region is cooled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Schedule {
    /// The first temperature, in units of SSE per record.
    pub(super) hot: f64,
    /// Proposals over all temperatures.
    pub(super) steps: usize,
}

/// Temperatures of one cooling, each a constant factor below the one before.
pub(super) const STAGES: usize = 40;
/// The last temperature as a share of the first. Below it hardly a step up is taken.
pub(super) const COLD: f64 = 0.002;
/// One in this many proposals dissolves or forms a group; these cost a hundred times as much as the others.
const REGROUP_EVERY: usize = 128;
/// Equally likely climbs, in temperatures, of the rule of Metropolis.
const CLIMBS: usize = 1024;

/// The climbs that a step may take at temperature 1: -ln of equidistant chances.
pub(super) fn climbs() -> Vec<f64> {
    (0..CLIMBS)
        .map(|at| -((at as f64 + 0.5) / CLIMBS as f64).ln())
        .collect()
}

/// One region and what its annealing needs.
pub(super) struct Cooling<'a> {
    pub(super) region: Region,
    climbs: &'a [f64],
    random: SplitMix64,
    /// Steps of a dissolution or formation, for taking them back.
    undo: Vec<(u16, u16)>,
}

impl<'a> Cooling<'a> {
    pub(super) fn new(region: Region, climbs: &'a [f64], random: SplitMix64) -> Self {
        Self {
            region,
            climbs,
            random,
            undo: Vec::new(),
        }
    }

    /// Cools the region down and ends with a descent. No when `keep_going` said no before the end.
    pub(super) fn run(&mut self, schedule: Schedule, keep_going: &dyn Fn() -> bool) -> bool {
        let unit = self.region.sse() / self.region.records() as f64;
        let steps = schedule.steps / STAGES;
        for stage in 0..STAGES {
            if !keep_going() {
                return false;
            }
            let share = stage as f64 / (STAGES - 1) as f64;
            self.stage(steps, unit * schedule.hot * COLD.powf(share));
        }
        self.stage(4 * steps, 0.0);
        true
    }

    fn stage(&mut self, steps: usize, temperature: f64) {
        let m = self.region.records();
        let width = self.region.width() as u64;
        for step in 0..steps {
            if step % REGROUP_EVERY == REGROUP_EVERY - 1 {
                let bits = self.random.next_u64();
                let record = (((bits >> 48) as usize * m) >> 16) as u16;
                let climb = temperature * self.climbs[(bits & 1023) as usize];
                if bits & 1024 == 0 {
                    self.dissolve(record, climb);
                } else {
                    self.form(record, climb);
                }
                continue;
            }
            // One draw, cut up: 16 bits the record, 12 + 12 the neighbor, 10 the climb, 2 the kind of step, 12 the partner.
            let bits = self.random.next_u64();
            let record = (((bits & 0xFFFF) as usize * m) >> 16) as u16;
            // The product of two draws prefers near neighbors.
            let rank = (((bits >> 16 & 0xFFF) * (bits >> 28 & 0xFFF) * width) >> 24) as usize;
            let here = self.region.label[record as usize];
            let there = self.region.label[self.region.near(record, rank) as usize];
            if here == there {
                continue;
            }
            let climb = temperature * self.climbs[(bits >> 40 & 1023) as usize];
            let size_there = self.region.size_of(there);
            let may_move =
                self.region.size_of(here) > self.region.k && size_there < self.region.most;
            if may_move && bits >> 50 & 3 != 0 {
                let change = self.region.cost_of_joining(record, there)
                    - self.region.gain_of_leaving(record);
                if change < climb {
                    self.region.move_to(record, there);
                }
            } else {
                let at = ((bits >> 52) as usize * size_there) >> 12;
                let other = self.region.member(there, at);
                if self.region.change_of_swap(record, other) < climb {
                    self.region.swap(record, other);
                }
            }
        }
    }

    /// Sends every record of a small group to the group that takes it at least cost.
    fn dissolve(&mut self, record: u16, climb: f64) {
        let group = self.region.label[record as usize];
        let size = self.region.size_of(group);
        if size > self.region.k + 1 {
            return;
        }
        let before = self.region.sse_of(group);
        // Joining one after the other costs about as much as each alone: a rough look saves most trials.
        let mut rough = -before;
        for at in 0..size {
            match self.cheapest(self.region.member(group, at), group) {
                Some((cost, _)) => rough += cost,
                None => return,
            }
        }
        if 0.7 * (rough + before) - before > climb {
            return;
        }
        self.undo.clear();
        let mut change = -before;
        while self.region.is_live(group) {
            let member = self.region.member(group, self.region.size_of(group) - 1);
            let Some((cost, there)) = self.cheapest(member, group) else {
                return self.take_back();
            };
            change += cost;
            self.region.move_to(member, there);
            self.undo.push((member, group));
        }
        if change < climb {
            self.region.close(group);
        } else {
            self.take_back();
        }
    }

    /// The group other than `except` that a record joins at least cost, with that cost.
    fn cheapest(&self, record: u16, except: u16) -> Option<(f64, u16)> {
        (0..self.region.slots())
            .filter(|&there| {
                let size = self.region.size_of(there);
                there != except && size > 0 && size < self.region.most
            })
            .map(|there| (self.region.cost_of_joining(record, there), there))
            .min_by(|a, b| a.0.total_cmp(&b.0))
    }

    /// Forms a group of a record and its nearest neighbors whose groups can spare them.
    fn form(&mut self, record: u16, climb: f64) {
        let k = self.region.k;
        if self.region.surplus() < k || self.region.size_of(self.region.label[record as usize]) <= k
        {
            return;
        }
        let Some(group) = self.region.open() else {
            return;
        };
        self.undo.clear();
        let mut change = 0.0;
        let width = self.region.width();
        for rank in 0..=width {
            let member = if rank == 0 {
                record
            } else {
                self.region.near(record, rank - 1)
            };
            let from = self.region.label[member as usize];
            if self.region.size_of(from) <= k {
                continue;
            }
            change +=
                self.region.cost_of_joining(member, group) - self.region.gain_of_leaving(member);
            self.region.move_to(member, group);
            self.undo.push((member, from));
            if self.undo.len() == k {
                break;
            }
        }
        if self.undo.len() < k || change >= climb {
            self.take_back();
            self.region.close(group);
        }
    }

    fn take_back(&mut self) {
        while let Some((member, group)) = self.undo.pop() {
            self.region.move_to(member, group);
        }
    }
}
