//! What to suppress when a window slides: the carried rows as the miner wants them, then the greedy choice.

use denym_paths::Limits;

use crate::carried::Fate;
use crate::clock;
use crate::contradiction;
use crate::fresh_violations::{self, Fresh};
use crate::options::{Matching, Rule};
use crate::slide::Work;
use crate::stream::Stream;
use crate::suppression;

impl Stream {
    /// Finds the violations with a new doublet and what to suppress.
    pub(crate) fn solve(&self, place: &clock::Place) -> (Vec<u32>, Work) {
        let doublets = &self.carried.doublets;
        let limits = self.limits();
        // Items: new doublets first, then old ones; both in the order of time.
        let is_new = |id: &u32| doublets[*id as usize].fate == Fate::New;
        let is_old = |id: &u32| doublets[*id as usize].fate == Fate::Published;
        let ids = || 0..doublets.len() as u32;
        let of_item: Vec<u32> = ids().filter(is_new).chain(ids().filter(is_old)).collect();
        let mut item_of = vec![u32::MAX; doublets.len()];
        for (item, &id) in of_item.iter().enumerate() {
            item_of[id as usize] = item as u32;
        }
        let fresh = self.fresh(place, &of_item, &item_of);
        let violations = fresh_violations::mine(&fresh, &limits);

        let tie = |&item: &u32| {
            let seen = &doublets[of_item[item as usize] as usize];
            (seen.time, self.locations.rank(seen.location))
        };
        let support = |&id: &u32| u64::from(doublets[id as usize].support);
        let loss: Vec<u64> = of_item.iter().map(support).collect();
        let retract = self.options.rule == Rule::Retract;
        let may = |item: u32| retract || item < fresh.new;
        let winners = suppression::choose(&violations, &loss, may, tie);
        let mut chosen: Vec<u32> = winners.iter().map(|&i| of_item[i as usize]).collect();
        let covers_chosen = chosen.len();
        if self.options.matching == Matching::Consistent {
            self.close_contradictions(place, &limits, &mut chosen);
        }
        let events = |ids: &[u32]| ids.iter().map(support).sum();
        let work = Work {
            new_doublets: u64::from(fresh.new),
            violations: violations.len() as u64,
            suppressed_doublets: chosen.len() as u64,
            suppressed_events: events(&chosen),
            contradiction_events: events(&chosen[covers_chosen..]),
            rows: self.carried.rows() as u64,
            subjects: self.subjects.len() as u64,
        };
        (chosen, work)
    }

    /// The rows that hold a new doublet, as the miner wants them.
    fn fresh(&self, place: &clock::Place, of_item: &[u32], item_of: &[u32]) -> Fresh {
        let carried = &self.carried;
        let doublets = &carried.doublets;
        let is_new = |id: &u32| doublets[*id as usize].fate == Fate::New;
        let new = of_item.iter().take_while(|id| is_new(id)).count();
        let time = |&id: &u32| doublets[id as usize].time;
        let times: Vec<i64> = of_item.iter().map(time).collect();
        let first = times.iter().copied().min().unwrap_or(place.to);
        let span = self.options.span().map(i64::from);
        let mut fresh = Fresh {
            new: new as u32,
            times,
            starts: vec![0],
            stride: 1 + self.options.bounds.len(),
            span: span.filter(|&span| place.to - first >= span),
            ..Fresh::default()
        };
        let mut weight = Vec::new();
        for row in carried.fresh_rows() {
            let path = carried.path(row);
            // New doublets are later than all others.
            if !path.last().is_some_and(is_new) || carried.counts(row).is_empty() {
                continue;
            }
            let split = path.partition_point(|id| !is_new(id));
            let items = path[split..].iter().chain(&path[..split]);
            let items = items.map(|&id| item_of[id as usize]);
            fresh.items.extend(items.filter(|&item| item != u32::MAX));
            fresh.starts.push(fresh.items.len() as u32);
            self.weigh(row, &mut weight);
            let words = weight.chunks(2).map(|pair| {
                let high = pair.get(1).copied().unwrap_or(0);
                u64::from(pair[0]) | u64::from(high) << 32
            });
            fresh.weights.extend(words);
        }
        fresh
    }

    /// Subjects of a row, then subjects under each bound.
    fn weigh(&self, row: usize, weight: &mut Vec<u32>) {
        weight.clear();
        weight.resize(1 + self.options.bounds.len(), 0);
        for &(profile, count) in self.carried.counts(row) {
            weight[0] += count;
            let carried = self.profiles.carries(profile);
            for (sum, &carries) in weight[1..].iter_mut().zip(carried) {
                *sum += count * u32::from(carries);
            }
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            l: self.options.l,
            k: self.options.k,
            at_most: self.options.bounds.iter().map(|b| b.at_most).collect(),
        }
    }

    /// Adds what the matching `consistent` costs to the choice.
    fn close_contradictions(&self, place: &clock::Place, limits: &Limits, chosen: &mut Vec<u32>) {
        let doublets = &self.carried.doublets;
        let retract = self.options.rule == Rule::Retract;
        let first = doublets.partition_point(|seen| seen.time < place.from);
        let mut items: Vec<contradiction::Item> = doublets[first..]
            .iter()
            .zip(first as u32..)
            .map(|(seen, id)| {
                let published = seen.fate != Fate::Suppressed && !chosen.contains(&id);
                contradiction::Item {
                    time: seen.time,
                    published,
                    may_go: published && (retract || seen.fate == Fate::New),
                    support: u64::from(seen.support),
                }
            })
            .collect();
        let rows: Vec<contradiction::Row> = (1..self.carried.rows())
            .filter(|&row| !self.carried.counts(row).is_empty())
            .map(|row| {
                let path = self.carried.path(row).iter();
                let here = path.filter(|&&id| id as usize >= first);
                let mut weight = Vec::new();
                self.weigh(row, &mut weight);
                contradiction::Row {
                    path: here.map(|&id| id - first as u32).collect(),
                    weight,
                }
            })
            .filter(|row| !row.path.is_empty())
            .collect();
        let more = contradiction::close(&rows, &mut items, limits);
        chosen.extend(more.into_iter().map(|item| item + first as u32));
    }
}
