//! What to suppress when a window slides: the carried rows as the miner wants them, then the greedy choice.

use denym_measure::Promise;
use denym_measure::promises::KAnonymity;
use denym_sequences::Limits;

use crate::carried::Fate;
use crate::clock;
use crate::contradiction;
use crate::fresh_violations::{self, Fresh};
use crate::slide::Work;
use crate::stream::Stream;
use crate::suppression;
use denym_release::windows::{Asked, Matching, Rule, codes};

/// What has to be counted in a group, and where each combination of sensitive values counts.
struct Counted {
    limits: Limits,
    places: Vec<Vec<usize>>,
}

impl Stream {
    /// Finds the violations with a new doublet and what to suppress.
    pub(crate) fn solve(&self, place: &clock::Place) -> (Vec<u32>, Work) {
        let doublets = &self.carried.doublets;
        let counted = self.counted();
        let limits = &counted.limits;
        // Items: new doublets first, then old ones; both in the order of time.
        let is_new = |id: &u32| doublets[*id as usize].fate == Fate::New;
        let is_old = |id: &u32| doublets[*id as usize].fate == Fate::Published;
        let ids = || 0..doublets.len() as u32;
        let of_item: Vec<u32> = ids().filter(is_new).chain(ids().filter(is_old)).collect();
        let mut item_of = vec![u32::MAX; doublets.len()];
        for (item, &id) in of_item.iter().enumerate() {
            item_of[id as usize] = item as u32;
        }
        let fresh = self.fresh(place, &of_item, &item_of, &counted);
        let violations = fresh_violations::mine(&fresh, limits);

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
            self.close_contradictions(place, &counted, &mut chosen);
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
    fn fresh(
        &self,
        place: &clock::Place,
        of_item: &[u32],
        item_of: &[u32],
        counted: &Counted,
    ) -> Fresh {
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
            stride: counted.limits.judge.stride(),
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
            self.weigh(row, counted, &mut weight);
            let words = weight.chunks(2).map(|pair| {
                let high = pair.get(1).copied().unwrap_or(0);
                u64::from(pair[0]) | u64::from(high) << 32
            });
            fresh.weights.extend(words);
        }
        fresh
    }

    /// Subjects of a row, then subjects with each value that is counted.
    fn weigh(&self, row: usize, counted: &Counted, weight: &mut Vec<u32>) {
        weight.clear();
        weight.resize(counted.limits.judge.stride(), 0);
        for &(profile, count) in self.carried.counts(row) {
            weight[0] += count;
            for &place in &counted.places[profile as usize] {
                weight[place] += count;
            }
        }
    }

    /// What is promised over the values seen so far, and what has to be counted for it.
    fn counted(&self) -> Counted {
        let asked = Asked::new(&self.options);
        let names = self.options.attributes.iter();
        let attributes: Vec<_> = names
            .zip(self.profiles.values())
            .map(|(name, labels)| asked.attribute(name, labels.iter().map(String::as_str)))
            .collect();
        // Without numbers a promise about numbers cannot be judged: then the judge says so, and the window is withheld.
        let size = || -> Vec<Box<dyn Promise>> { vec![Box::new(KAnonymity { k: asked.k })] };
        let promises = asked.judged(&attributes).unwrap_or_else(|_| size());
        let values: Vec<usize> = attributes.iter().map(|own| own.values.len()).collect();
        let limits = Limits::new(asked.l, promises, &values);
        let counters = limits.judge.counters();
        let code_of: Vec<_> = attributes.iter().map(codes).collect();
        let place = |(at, label): (usize, &str)| counters.place(at, *code_of[at].get(label)?);
        let places = (0..self.profiles.len() as u32)
            .map(|profile| {
                let labels = self.profiles.labels(profile).enumerate();
                labels.filter_map(place).collect()
            })
            .collect();
        Counted { limits, places }
    }

    /// Adds what the matching `consistent` costs to the choice.
    fn close_contradictions(&self, place: &clock::Place, counted: &Counted, chosen: &mut Vec<u32>) {
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
                self.weigh(row, counted, &mut weight);
                contradiction::Row {
                    path: here.map(|&id| id - first as u32).collect(),
                    weight,
                }
            })
            .filter(|row| !row.path.is_empty())
            .collect();
        let more = contradiction::close(&rows, &mut items, &counted.limits);
        chosen.extend(more.into_iter().map(|item| item + first as u32));
    }
}
