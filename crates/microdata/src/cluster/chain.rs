//! Clusters as lots of equal records: one chain of simulated annealing over what is published together.
//!
//! Taking one of several equal records out of a cluster narrows nothing; only when the last of them is gone does the range
//! shrink. So whole lots move, and single records only to fill a cluster up to k.

use super::points::Points;
use super::records::Extent;
use crate::Partition;
use crate::random::{RandomSource, SplitMix64};

/// Some equal records in one cluster: a point and how many of its records.
type Lot = (u32, u32);

/// Invariants: I1 every cluster is empty or holds k records or more between two steps; I2 `extent` and `spread` are those of `lots`;
/// I3 `holders` lists, for each point, the clusters with a lot of it.
#[derive(Clone)]
pub(crate) struct Chain<'a> {
    points: &'a Points,
    lines: &'a [Vec<u32>],
    places: &'a [Vec<u32>],
    k: u32,
    clusters: Vec<Cluster>,
    holders: Vec<Vec<u32>>,
    /// Numbers of empty clusters.
    free: Vec<u32>,
    /// The loss, kept up to date by differences.
    loss: f64,
    pub(crate) best_loss: f64,
    best: Vec<Vec<Lot>>,
    random: SplitMix64,
    /// Transfers of a step with several, for taking them back: point, count, from, to.
    undo: Vec<(u32, u32, u32, u32)>,
}

#[derive(Clone)]
struct Cluster {
    lots: Vec<Lot>,
    size: u32,
    /// What the lots are generalized to; stale while the cluster is empty.
    extent: Extent,
    /// The loss per record of that.
    spread: f64,
}

impl Cluster {
    fn loss(&self) -> f64 {
        f64::from(self.size) * self.spread
    }

    fn count(&self, point: u32) -> u32 {
        self.lots
            .iter()
            .find(|lot| lot.0 == point)
            .map_or(0, |lot| lot.1)
    }
}

/// One in this many steps dissolves or forms a cluster; the others move and exchange lots.
const REGROUP_EVERY: usize = 16;
/// How far a friend may stand in a line of points.
const REACH: usize = 24;

impl<'a> Chain<'a> {
    pub(crate) fn new(
        points: &'a Points,
        lines: &'a [Vec<u32>],
        places: &'a [Vec<u32>],
        start: &Partition,
        k: usize,
    ) -> Self {
        let of_rows = points.of_rows();
        let mut holders = vec![Vec::new(); points.len()];
        let mut clusters = Vec::with_capacity(start.len());
        for (number, group) in start.groups().enumerate() {
            let mut members: Vec<u32> = group.iter().map(|&row| of_rows[row as usize]).collect();
            members.sort_unstable();
            let lots: Vec<Lot> = members
                .chunk_by(|a, b| a == b)
                .map(|equal| (equal[0], equal.len() as u32))
                .collect();
            for &(point, _) in &lots {
                holders[point as usize].push(number as u32);
            }
            let mut extent = points.records.extent_of(lots[0].0);
            for lot in &lots[1..] {
                points.records.grow(&mut extent, lot.0);
            }
            clusters.push(Cluster {
                spread: points.records.spread(&extent),
                extent,
                size: group.len() as u32,
                lots,
            });
        }
        let loss = clusters.iter().map(Cluster::loss).sum();
        Self {
            points,
            lines,
            places,
            k: k as u32,
            best: Vec::new(),
            clusters,
            holders,
            free: Vec::new(),
            loss,
            best_loss: loss,
            random: SplitMix64::new(0),
            undo: Vec::new(),
        }
    }

    pub(crate) fn with_random(&self, random: SplitMix64) -> Self {
        Self {
            random,
            ..self.clone()
        }
    }

    /// Remembers the clusters if they are the best so far.
    pub(crate) fn remember(&mut self) {
        self.loss = self.clusters.iter().map(Cluster::loss).sum();
        if self.loss < self.best_loss {
            self.best_loss = self.loss;
            self.best = self.clusters.iter().map(|c| c.lots.clone()).collect();
        }
    }

    /// The best clusters; `None` when nothing was better than the start.
    pub(crate) fn partition(&self) -> Option<Partition> {
        if self.best.is_empty() {
            return None;
        }
        let mut used = vec![0_usize; self.points.len()];
        let mut labels = vec![0; self.points.rows.iter().map(Vec::len).sum()];
        for (number, lots) in self.best.iter().enumerate() {
            for &(point, count) in lots {
                let from = used[point as usize];
                used[point as usize] += count as usize;
                for &row in &self.points.rows[point as usize][from..used[point as usize]] {
                    labels[row as usize] = number as u32;
                }
            }
        }
        Some(Partition::from_labels(&labels))
    }

    /// `steps` proposals at one temperature.
    pub(crate) fn run(&mut self, steps: usize, temperature: f64) {
        for step in 0..steps {
            let point = self.random.below(self.points.len()) as u32;
            let holders = &self.holders[point as usize];
            let here = holders[self.random.below(holders.len())];
            if step % REGROUP_EVERY == 0 {
                if self.random.next_u64() & 1 == 0 {
                    self.dissolve(here, temperature);
                } else {
                    self.form(point, temperature);
                }
            } else if let Some(there) = self.friend(point, here) {
                self.exchange(point, here, there, temperature);
            }
        }
    }

    /// Another cluster with a record near this point in one of the lines.
    fn friend(&mut self, point: u32, here: u32) -> Option<u32> {
        let line = self.random.below(self.lines.len());
        let place = self.places[line][point as usize] as usize;
        let bits = self.random.next_u64();
        // The product of two draws prefers what is near; 0 is another cluster of the same point.
        let far = ((bits & 0xFFFF) * (bits >> 16 & 0xFFFF) * (REACH as u64 + 1)) >> 32;
        let at = if bits >> 63 == 0 {
            place.checked_sub(far as usize)?
        } else {
            place + far as usize
        };
        let &near = self.lines[line].get(at)?;
        let holders = &self.holders[near as usize];
        let there = holders[self.random.below(holders.len())];
        (there != here).then_some(there)
    }

    /// Moves records of a point to another cluster, and in return some of a point of that cluster if k asks for it or chance will.
    fn exchange(&mut self, point: u32, here: u32, there: u32, temperature: f64) {
        let (a, b) = (
            &self.clusters[here as usize],
            &self.clusters[there as usize],
        );
        let bits = self.random.next_u64();
        let all = a.count(point);
        let spare = a.size - self.k;
        let (goes, back) = if spare >= all && bits & 3 != 0 {
            (all, None)
        } else if spare > 0 && bits & 0xC == 0 {
            (spare.min(all), None)
        } else {
            let &(other, have) = &b.lots[((bits >> 8 & 0xFFFF) as usize * b.lots.len()) >> 16];
            if other == point {
                return;
            }
            let needed = all.saturating_sub(spare);
            let most = have.min(b.size + all - self.k);
            let comes = if bits & 0x10 == 0 {
                needed.max(1)
            } else {
                most
            };
            if comes < needed || comes > most || comes == 0 {
                return;
            }
            (all, Some((other, comes)))
        };
        let left = (goes == all).then_some(point);
        let (new_a, new_b, size_a, size_b) = match back {
            None => (
                self.spread_with(here, left, None),
                self.spread_with(there, None, Some(point)),
                a.size - goes,
                b.size + goes,
            ),
            Some((other, comes)) => {
                let gone = (b.count(other) == comes).then_some(other);
                (
                    self.spread_with(here, left, Some(other)),
                    self.spread_with(there, gone, Some(point)),
                    a.size - goes + comes,
                    b.size + goes - comes,
                )
            }
        };
        let change = f64::from(size_a) * new_a + f64::from(size_b) * new_b - a.loss() - b.loss();
        if !self.accepts(change, temperature) {
            return;
        }
        self.transfer(point, goes, here, there);
        if let Some((other, comes)) = back {
            self.transfer(other, comes, there, here);
        }
        self.renew(here);
        self.renew(there);
        self.loss += change;
    }

    /// The spread of a cluster when one point leaves and another comes.
    fn spread_with(&self, cluster: u32, leaves: Option<u32>, comes: Option<u32>) -> f64 {
        let cluster = &self.clusters[cluster as usize];
        match (leaves, comes) {
            (None, None) => cluster.spread,
            (None, Some(point)) => self.points.records.spread_with(&cluster.extent, point),
            _ => {
                let lots = cluster.lots.iter().map(|lot| lot.0);
                let stay = lots.filter(|&point| Some(point) != leaves);
                self.points.records.spread_of(&stay.chain(comes))
            }
        }
    }

    /// Brings the extent and the spread of a cluster up to date (I2).
    fn renew(&mut self, cluster: u32) {
        let cluster = &mut self.clusters[cluster as usize];
        let records = &self.points.records;
        let Some((first, rest)) = cluster.lots.split_first() else {
            cluster.spread = 0.0;
            return;
        };
        records.set(&mut cluster.extent, first.0);
        for lot in rest {
            records.grow(&mut cluster.extent, lot.0);
        }
        cluster.spread = records.spread(&cluster.extent);
    }

    /// Sends every lot of a cluster to the cluster near it that takes it at least cost.
    fn dissolve(&mut self, here: u32, temperature: f64) {
        if self.clusters[here as usize].size >= 2 * self.k {
            return;
        }
        let before = self.clusters[here as usize].loss();
        let mut cost = 0.0;
        self.undo.clear();
        while let Some(&(point, count)) = self.clusters[here as usize].lots.last() {
            let mut best: Option<(f64, u32)> = None;
            for line in 0..self.lines.len() {
                let place = self.places[line][point as usize] as usize;
                let near = &self.lines[line];
                for &friend in &near[place.saturating_sub(3)..near.len().min(place + 4)] {
                    for &there in self.holders[friend as usize].iter().take(8) {
                        if there == here {
                            continue;
                        }
                        let cluster = &self.clusters[there as usize];
                        let spread = self.spread_with(there, None, Some(point));
                        let cost = f64::from(cluster.size + count) * spread - cluster.loss();
                        if best.is_none_or(|(least, _)| cost < least) {
                            best = Some((cost, there));
                        }
                    }
                }
            }
            let Some((more, there)) = best else {
                break;
            };
            cost += more;
            if temperature <= 0.0 && cost > before {
                break;
            }
            self.transfer(point, count, here, there);
            let cluster = &mut self.clusters[there as usize];
            self.points.records.grow(&mut cluster.extent, point);
            cluster.spread = self.points.records.spread(&cluster.extent);
            self.undo.push((point, count, here, there));
        }
        let empty = self.clusters[here as usize].size == 0;
        if empty && self.accepts(cost - before, temperature) {
            self.renew(here);
            self.free.push(here);
            self.loss += cost - before;
        } else {
            self.take_back();
        }
    }

    /// Forms a cluster of a point and the nearest points in a line whose clusters can spare them.
    fn form(&mut self, point: u32, temperature: f64) {
        let line = self.random.below(self.lines.len());
        let place = self.places[line][point as usize] as usize;
        let order = &self.lines[line];
        let new = self.free.pop().unwrap_or_else(|| {
            self.clusters.push(Cluster {
                lots: Vec::new(),
                size: 0,
                extent: self.points.records.extent_of(point),
                spread: 0.0,
            });
            self.clusters.len() as u32 - 1
        });
        self.undo.clear();
        let (mut before, mut after) = (0.0, 0.0);
        let mut touched: Vec<u32> = Vec::new();
        let up = self.random.next_u64() & 1 == 0;
        let mut far = 0;
        while self.clusters[new as usize].size < self.k && far <= REACH {
            let at = if up {
                Some(place + far)
            } else {
                place.checked_sub(far)
            };
            far += 1;
            let Some(&near) = at.and_then(|at| order.get(at)) else {
                break;
            };
            for holder in 0..self.holders[near as usize].len() {
                let Some(&from) = self.holders[near as usize].get(holder) else {
                    break;
                };
                if from == new {
                    continue;
                }
                let cluster = &self.clusters[from as usize];
                let missing = self.k.saturating_sub(self.clusters[new as usize].size);
                let count = cluster.count(near);
                let spare = (cluster.size - self.k).min(count);
                // A whole lot narrows the cluster that it leaves, so take it even beyond k.
                let taken = if spare == count {
                    count
                } else {
                    spare.min(missing)
                };
                if taken == 0 || missing == 0 {
                    continue;
                }
                if !touched.contains(&from) {
                    touched.push(from);
                    before += cluster.loss();
                }
                self.transfer(near, taken, from, new);
                self.undo.push((near, taken, from, new));
            }
        }
        for number in touched.iter().copied().chain([new]) {
            self.renew(number);
            after += self.clusters[number as usize].loss();
        }
        let full = self.clusters[new as usize].size >= self.k;
        if full && self.accepts(after - before, temperature) {
            self.loss += after - before;
        } else {
            self.take_back();
            self.free.push(new);
        }
    }

    fn take_back(&mut self) {
        while let Some((point, count, from, to)) = self.undo.pop() {
            self.transfer(point, count, to, from);
            self.renew(from);
            self.renew(to);
        }
    }

    /// Moves records of one point between clusters; the spreads are the caller's to renew.
    fn transfer(&mut self, point: u32, count: u32, from: u32, to: u32) {
        let source = &mut self.clusters[from as usize];
        source.size -= count;
        if let Some(at) = source.lots.iter().position(|lot| lot.0 == point) {
            source.lots[at].1 -= count;
            if source.lots[at].1 == 0 {
                source.lots.swap_remove(at);
                let holders = &mut self.holders[point as usize];
                if let Some(at) = holders.iter().position(|&holder| holder == from) {
                    holders.swap_remove(at);
                }
            }
        }
        let target = &mut self.clusters[to as usize];
        target.size += count;
        if let Some(lot) = target.lots.iter_mut().find(|lot| lot.0 == point) {
            lot.1 += count;
        } else {
            target.lots.push((point, count));
            self.holders[point as usize].push(to);
        }
    }

    /// The rule of Metropolis.
    fn accepts(&mut self, change: f64, temperature: f64) -> bool {
        change <= 1e-12 || (temperature > 0.0 && self.random.unit() < (-change / temperature).exp())
    }
}
