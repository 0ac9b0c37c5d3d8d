//! The stream itself: takes events, cuts windows, lets each out only after the judge has agreed.
//!
//! # Idea
//!
//! Events wait by time until their timestamp is complete. A slide forgets what is outdated, takes the
//! new events in, finds every violation that holds a new doublet, suppresses, builds the
//! candidate, has it judged, and only then decides: the new doublets become published or
//! suppressed, for good. If the judge says no, nothing is decided and nothing leaves; the
//! doublets are new again in the next window.
//!
//! # Guarantee
//!
//! Every window that leaves keeps the promise by the count of `measure`, not by ours. Under the
//! default rule any L published doublets of a subject that lie within the horizon lead to K
//! subjects or more and to no bounded value with more confidence than its bound, in whatever windows they were
//! published. Not protected: what lies further apart than the horizon; a subject under two keys.
//!
//! # Reference
//!
//! Al-Hussaeni, Fung, Cheung, *Privacy-preserving trajectory stream publishing*, Data & Knowledge
//! Engineering 94 (2014) 89-109, Algorithm 1.
//!
//! # Departures
//!
//! What was published is never taken back unless `Rule::Retract` asks for ITSA's own rule: in the
//! paper's own example b2 is published in one window and suppressed in the next, and whoever keeps
//! both has b2 d4 at 50 % where 40 % was promised. Late events are diverted, sensitive values are those of
//! a subject's first event, and a subject leaves only when its last doublet does: Property 4.2 needs all three. A
//! window of fewer than K subjects shows nobody.
//!
//! # Cost
//!
//! Per slide: the new events, the distinct rows, one pass over the subjects present; then the judge.

use std::collections::BTreeMap;

use denym_measure::paths::PathAudit;
use denym_paths::Limits;
use hashbrown::HashMap;
use rayon::prelude::*;

use crate::carried::{Carried, Fate, Seen};
use crate::certificate::{Certificate, Claims, Measured, Status, no_line, sha256};
use crate::clock::{self, Clock, LARGEST_TIME};
use crate::contradiction;
use crate::counts::Counts;
use crate::error::Error;
use crate::event::{Event, Rejection, Verdict};
use crate::fresh_violations::{self, Fresh};
use crate::labels::{Labels, label_order};
use crate::options::{Form, Matching, Options, Rule};
use crate::subjects::{Profiles, Subjects};
use crate::suppression;
use crate::verify;
use crate::window::{self, Delta, Place, Record, Window};

/// A stream of events and the windows over it.
#[derive(Clone, Debug)]
pub struct Stream {
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    pub(crate) counts: Counts,
    pub(crate) locations: Labels,
    pub(crate) profiles: Profiles,
    pub(crate) subjects: Subjects,
    pub(crate) carried: Carried,
    /// (subject, location) in order of arrival, by time.
    pub(crate) pending: BTreeMap<i64, Vec<(u32, u32)>>,
    /// The first timestamp after the last window: its events are taken in as they come.
    pub(crate) next: Option<i64>,
    /// Doublet of each location at the time being taken in.
    pub(crate) doublet_of: HashMap<u32, u32>,
    /// First timestamp of the window that the carried one was made ready for.
    pub(crate) prepared_from: Option<i64>,
    /// Time of the latest event taken into a window.
    pub(crate) last_event: Option<i64>,
    pub(crate) ended: bool,
    /// Hash of the last certificate line.
    pub(crate) chain: String,
    /// The window published last, when deltas are wanted.
    pub(crate) base: Option<Window>,
}

/// What a slide did, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Doublets that could be decided.
    pub new_doublets: u64,
    /// Critical violations that hold one.
    pub violations: u64,
    /// Doublets suppressed.
    pub suppressed_doublets: u64,
    /// Events of suppressed doublets.
    pub suppressed_events: u64,
    /// Of these, events that only the matching `consistent` cost.
    pub contradiction_events: u64,
    /// Distinct paths carried.
    pub rows: u64,
    /// Subjects remembered.
    pub subjects: u64,
}

/// Steps of a slide, told to whoever times them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The new events are in.
    Updated,
    /// What to suppress is known.
    Solved,
    /// The candidate is built.
    Built,
    /// The judge has spoken.
    Verified,
    /// The window and its certificate are ready to leave.
    Decided,
    /// What is outdated in the next window is gone.
    Prepared,
}

/// A window that was cut: published, or withheld.
#[derive(Clone, Debug)]
pub struct Slide {
    /// The line of the chain.
    pub certificate: Certificate,
    /// The window, unless it was withheld.
    pub window: Option<Window>,
    /// What changed since the window before, when deltas are wanted and there is one.
    pub delta: Option<Delta>,
    /// Doublets suppressed with this window as (location, time), in order of choice.
    pub suppressed: Vec<(String, i64)>,
    /// What was done.
    pub work: Work,
}

impl Slide {
    /// The line to publish: the delta, else the window; `None` if it was withheld.
    pub fn line(&self) -> Option<String> {
        match (&self.delta, &self.window) {
            (Some(delta), Some(_)) => Some(delta.line()),
            (_, Some(window)) => Some(window.line()),
            (_, None) => None,
        }
    }
}

/// A window ready to be judged.
struct Candidate {
    window: Window,
    /// Doublet ids to suppress.
    chosen: Vec<u32>,
    work: Work,
}

impl Stream {
    /// A stream without events.
    pub fn new(options: Options) -> Result<Self, Error> {
        options.check()?;
        Ok(Self {
            clock: Clock::default(),
            counts: Counts::default(),
            locations: Labels::default(),
            profiles: Profiles::new(&options),
            subjects: Subjects::default(),
            carried: Carried::default(),
            pending: BTreeMap::new(),
            next: None,
            doublet_of: HashMap::new(),
            prepared_from: None,
            last_event: None,
            ended: false,
            chain: no_line(),
            base: None,
            options,
        })
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Fates of the events so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Time of the latest event seen.
    pub fn latest(&self) -> Option<i64> {
        self.clock.latest()
    }

    /// Last timestamp of the last window that was cut.
    pub fn cut_to(&self) -> Option<i64> {
        self.clock.cut_to()
    }

    /// Subjects remembered: present, pending, or published within the horizon.
    pub fn subjects(&self) -> usize {
        self.subjects.len()
    }

    /// Takes one event.
    pub fn push(&mut self, event: &Event) -> Verdict {
        self.counts.events += 1;
        if let Some(reason) = self.reason_to_reject(event) {
            self.counts.rejected += 1;
            return Verdict::Rejected(reason);
        }
        if self.clock.is_late(event.time) {
            self.counts.late += 1;
            return Verdict::Late;
        }
        let slot = if let Some(slot) = self.subjects.find(event.subject) {
            let profile = self.subjects.get(slot).profile;
            let same = event.sensitive.is_empty() || self.profiles.is(profile, event.sensitive);
            self.counts.changed += u64::from(!same);
            slot
        } else {
            let profile = self.profiles.profile(event.sensitive, &self.options);
            self.subjects.add(event.subject, profile)
        };
        let location = self.locations.code(event.location);
        self.counts.open += 1;
        self.ended = false;
        if self.next == Some(event.time) {
            self.take(slot, location, event.time);
        } else {
            self.subjects.get_mut(slot).pending += 1;
            let waiting = self.pending.entry(event.time).or_default();
            waiting.push((slot, location));
        }
        self.clock.see(event.time, &self.options);
        Verdict::Accepted
    }

    fn reason_to_reject(&self, event: &Event) -> Option<Rejection> {
        let longest = self.options.longest_label;
        let attributes = self.options.attributes.len();
        let mut labels = event
            .sensitive
            .iter()
            .chain([&event.subject, &event.location]);
        if event.subject.is_empty() || event.location.is_empty() {
            Some(Rejection::Empty)
        } else if labels.any(|label| label.len() > longest) {
            Some(Rejection::TooLong)
        } else if event.time.checked_abs().is_none_or(|t| t > LARGEST_TIME) {
            Some(Rejection::Time)
        } else if self.clock.is_too_far_ahead(event.time, self.options.ahead) {
            Some(Rejection::TooFarAhead)
        } else if !event.sensitive.is_empty() && event.sensitive.len() != attributes {
            Some(Rejection::SensitiveCount)
        } else {
            None
        }
    }

    /// Counts an event that could not even be read.
    pub fn reject(&mut self) -> Verdict {
        self.counts.events += 1;
        self.counts.rejected += 1;
        Verdict::Rejected(Rejection::Malformed)
    }

    /// Says that no further event up to `time` will come (those that do are late); a time before an earlier one is refused.
    ///
    /// A caller that derives `time` from the wall clock makes the cut of windows depend on it.
    pub fn advance(&mut self, time: i64) -> Result<(), Error> {
        let bounded = time.clamp(-LARGEST_TIME, LARGEST_TIME);
        self.clock.advance(bounded, &self.options)
    }

    /// Says that the stream has ended: all windows that hold an event become due.
    pub fn finish(&mut self) {
        self.clock.finish(&self.options);
        self.ended = true;
    }

    /// Cuts the next window that is due, if there is one.
    pub fn poll(&mut self) -> Result<Option<Slide>, Error> {
        self.poll_with(&mut |_| ())
    }

    /// As [`Stream::poll`], telling each step as it is done.
    pub fn poll_with(&mut self, done: &mut dyn FnMut(Phase)) -> Result<Option<Slide>, Error> {
        let next = self.pending.first_key_value().map(|(&time, _)| time);
        let Some(place) = self.clock.next_due(self.last_event, next, &self.options) else {
            if self.ended {
                self.give_up(i64::MAX);
            }
            return Ok(None);
        };
        if self.prepared_from != Some(place.from) {
            self.forget(place.from);
        }
        self.take_in(place.to);
        self.clock.cut(place.to);
        done(Phase::Updated);
        let (chosen, work) = self.solve(&place);
        done(Phase::Solved);
        let candidate = self.build(&place, chosen, work);
        done(Phase::Built);
        let (audit, holds) = self.judge(&candidate)?;
        done(Phase::Verified);
        let slide = self.decide(candidate, &audit, holds)?;
        done(Phase::Decided);
        // Make room for the next window, and from now on take its first events in as they come.
        let step = i64::from(self.options.step);
        self.forget(place.from + step);
        self.next = Some(place.to + 1);
        self.take_in(place.to + 1);
        done(Phase::Prepared);
        Ok(Some(slide))
    }

    /// Doublets of withheld windows that no later window can show count as suppressed.
    fn give_up(&mut self, before: i64) {
        for seen in &mut self.carried.doublets {
            if seen.fate == Fate::New && seen.time < before {
                seen.fate = Fate::Suppressed;
                self.counts.suppressed += u64::from(seen.support);
                self.counts.open -= u64::from(seen.support);
            }
        }
    }

    /// Marks what no sequence with a new doublet can reach any more in a window that begins at `window_from`.
    fn forget(&mut self, window_from: i64) {
        self.give_up(window_from);
        let undecided = self.carried.doublets.iter().filter(|s| s.fate == Fate::New);
        let first_new = undecided.map(|s| s.time).min();
        let first_new = first_new.or(self.clock.cut_to().map(|to| to + 1));
        let first_new = first_new.unwrap_or(window_from);
        let from = match (self.options.rule, self.options.span()) {
            (Rule::Retract, _) => window_from,
            (_, None) => i64::MIN,
            (_, Some(span)) => window_from.min(first_new + 1 - i64::from(span)),
        };
        let hide = self.options.matching == Matching::Consistent;
        let mut outdated = 0;
        for seen in &mut self.carried.doublets {
            let reached = match seen.fate {
                Fate::Suppressed => hide && seen.time >= window_from,
                Fate::New | Fate::Published => seen.time >= from,
                Fate::Outdated => false,
            };
            if !reached {
                seen.fate = Fate::Outdated;
                outdated += 1;
            }
        }
        // Merging rows costs a pass over all of them and over the subjects: only once most doublets are outdated.
        if outdated * 2 > self.carried.doublets.len() {
            let new_row = self.carried.retain(|seen| seen.fate != Fate::Outdated);
            self.doublet_of.clear();
            self.subjects.remap(&new_row, window_from);
            self.forget_locations();
        }
        self.prepared_from = Some(window_from);
    }

    /// Takes the waiting events up to `to` into the carried window.
    fn take_in(&mut self, to: i64) {
        while let Some(entry) = self.pending.first_entry() {
            let time = *entry.key();
            if time > to {
                break;
            }
            for (slot, location) in entry.remove() {
                self.subjects.get_mut(slot).pending -= 1;
                self.take(slot, location, time);
            }
        }
    }

    /// Takes one event into the carried window; no event of a later time was taken before.
    fn take(&mut self, slot: u32, location: u32, time: i64) {
        if self.last_event != Some(time) {
            self.last_event = Some(time);
            self.doublet_of.clear();
        }
        let subject = self.subjects.get_mut(slot);
        if subject.last == time {
            self.counts.duplicates += 1;
            self.counts.open -= 1;
            return;
        }
        subject.last = time;
        let carried = &mut self.carried;
        let doublet = *self
            .doublet_of
            .entry(location)
            .or_insert_with(|| carried.add_doublet(time, location));
        subject.row = carried.extend(subject.row, doublet, subject.profile);
    }

    /// Finds the violations with a new doublet and what to suppress.
    fn solve(&self, place: &clock::Place) -> (Vec<u32>, Work) {
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

        let mut by_tie: Vec<u32> = (0..of_item.len() as u32).collect();
        by_tie.sort_by(|&a, &b| {
            let seen = |item: u32| &doublets[of_item[item as usize] as usize];
            let text = |item: u32| self.locations.text(seen(item).location);
            let by_time = seen(a).time.cmp(&seen(b).time);
            by_time.then_with(|| label_order(text(a), text(b)))
        });
        let mut order = vec![0; of_item.len()];
        for (place, &item) in by_tie.iter().enumerate() {
            order[item as usize] = place as u32;
        }
        let support = |&id: &u32| u64::from(doublets[id as usize].support);
        let loss: Vec<u64> = of_item.iter().map(support).collect();
        let retract = self.options.rule == Rule::Retract;
        let may = |item: u32| retract || item < fresh.new;
        let winners = suppression::choose(&violations, &loss, may, &order);
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
        let new = of_item
            .iter()
            .take_while(|&&id| doublets[id as usize].fate == Fate::New)
            .count();
        let times: Vec<i64> = of_item
            .iter()
            .map(|&id| doublets[id as usize].time)
            .collect();
        let first = times.iter().copied().min().unwrap_or(place.to);
        let span = self.options.span().map(i64::from);
        let mut fresh = Fresh {
            new: new as u32,
            times: of_item
                .iter()
                .map(|&id| doublets[id as usize].time)
                .collect(),
            starts: vec![0],
            stride: 1 + self.options.bounds.len(),
            span: span.filter(|&span| place.to - first >= span),
            ..Fresh::default()
        };
        for row in 1..carried.rows() {
            let path = carried.path(row);
            let ends_new = path
                .last()
                .is_some_and(|&id| doublets[id as usize].fate == Fate::New);
            // New doublets are later than all others.
            if !ends_new || carried.counts(row).is_empty() {
                continue;
            }
            let split = path.partition_point(|&id| doublets[id as usize].fate != Fate::New);
            let items = path[split..].iter().chain(&path[..split]);
            let items = items.map(|&id| item_of[id as usize]);
            fresh.items.extend(items.filter(|&item| item != u32::MAX));
            fresh.starts.push(fresh.items.len() as u32);
            fresh.weights.extend(self.weight(row));
        }
        fresh
    }

    /// Subjects of a row, then subjects under each bound.
    fn weight(&self, row: usize) -> Vec<u32> {
        let mut weight = vec![0; 1 + self.options.bounds.len()];
        for &(profile, count) in self.carried.counts(row) {
            weight[0] += count;
            let carried = self.profiles.carries(profile);
            for (sum, &carries) in weight[1..].iter_mut().zip(carried) {
                *sum += count * u32::from(carries);
            }
        }
        weight
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
                contradiction::Row {
                    path: here.map(|&id| id - first as u32).collect(),
                    weight: self.weight(row),
                }
            })
            .filter(|row| !row.path.is_empty())
            .collect();
        let more = contradiction::close(&rows, &mut items, limits);
        chosen.extend(more.into_iter().map(|item| item + first as u32));
    }

    /// Builds the candidate window.
    fn build(&self, place: &clock::Place, chosen: Vec<u32>, work: Work) -> Candidate {
        let mut present = vec![0u64; self.profiles.len()];
        for subject in self.subjects.iter() {
            present[subject.profile as usize] += u64::from(subject.last >= place.from);
        }
        let shown = self.shown(&chosen);
        let mut window = self.table(place.from, place.to, &shown, present);
        window.number = place.number;
        // Fewer than K subjects can show no doublet; then not even their sensitive values leave.
        if window.subjects() < self.options.k {
            window.records.clear();
            window.places.clear();
            window.profiles.clear();
        }
        Candidate {
            window,
            chosen,
            work,
        }
    }

    /// Which doublets would be shown.
    fn shown(&self, chosen: &[u32]) -> Vec<bool> {
        let is_live = |seen: &Seen| matches!(seen.fate, Fate::New | Fate::Published);
        let doublets = self.carried.doublets.iter();
        let mut shown: Vec<bool> = doublets.map(is_live).collect();
        for &id in chosen {
            shown[id as usize] = false;
        }
        shown
    }

    /// The records of a span of time; `present` are all subjects by profile, for those who show nothing.
    fn table(&self, from: i64, to: i64, shown: &[bool], mut present: Vec<u64>) -> Window {
        let doublets = &self.carried.doublets;
        let mut in_order: Vec<u32> = (0..doublets.len() as u32)
            .filter(|&id| {
                let time = doublets[id as usize].time;
                shown[id as usize] && from <= time && time <= to
            })
            .collect();
        let text = |id: u32| self.locations.text(doublets[id as usize].location);
        in_order.sort_by(|&a, &b| {
            let by_time = doublets[a as usize].time.cmp(&doublets[b as usize].time);
            by_time.then_with(|| label_order(text(a), text(b)))
        });
        let mut place_of = vec![u32::MAX; doublets.len()];
        for (place, &id) in in_order.iter().enumerate() {
            place_of[id as usize] = place as u32;
        }
        let place = |&id: &u32| Place {
            time: doublets[id as usize].time,
            location: text(id).to_owned(),
        };
        let places = in_order.iter().map(place).collect();

        let all_profiles = 0..self.profiles.len() as u32;
        let labels =
            |p: u32| -> Vec<String> { self.profiles.labels(p).map(str::to_owned).collect() };
        let mut profiles: Vec<(Vec<String>, u32)> = all_profiles.map(|p| (labels(p), p)).collect();
        profiles.sort();
        let mut rank = vec![0; profiles.len()];
        for (place, (_, profile)) in profiles.iter().enumerate() {
            rank[*profile as usize] = place as u32;
        }
        let mut records: Vec<Record> = Vec::new();
        for row in 1..self.carried.rows() {
            let counts = self.carried.counts(row);
            if counts.is_empty() {
                continue;
            }
            let path = self
                .carried
                .path(row)
                .iter()
                .map(|&id| place_of[id as usize]);
            let path: Vec<u32> = path.filter(|&place| place != u32::MAX).collect();
            if path.is_empty() {
                continue;
            }
            for &(profile, count) in counts {
                if let Some(left) = present.get_mut(profile as usize) {
                    *left = left.saturating_sub(u64::from(count));
                }
                records.push(Record {
                    path: path.clone(),
                    profile: rank[profile as usize],
                    count: u64::from(count),
                });
            }
        }
        let nothing = present.iter().zip(&rank).filter(|(left, _)| **left > 0);
        records.extend(nothing.map(|(&count, &profile)| Record {
            path: Vec::new(),
            profile,
            count,
        }));
        records.par_sort_unstable_by(|a, b| (&a.path, a.profile).cmp(&(&b.path, b.profile)));
        records.dedup_by(|later, kept| {
            let same = later.path == kept.path && later.profile == kept.profile;
            kept.count += if same { later.count } else { 0 };
            same
        });
        let mut window = Window {
            number: 0,
            from,
            to,
            attributes: self.options.attributes.clone(),
            places,
            profiles: profiles.into_iter().map(|(labels, _)| labels).collect(),
            records,
        };
        window.drop_unused_profiles();
        window
    }

    /// Asks the judge about the window and, under the default rule, about every span of the horizon that ends in it.
    fn judge(&self, candidate: &Candidate) -> Result<(PathAudit, bool), Error> {
        let window = &candidate.window;
        let audit = match self.options.matching {
            Matching::Consistent if !window.records.is_empty() => {
                let (source, released) = self.source_and_release(candidate)?;
                verify::contradicted(&source, &released, &self.options)?
            }
            _ => verify::shown(window, &self.options)?,
        };
        let mut holds = audit.holds;
        if self.options.rule == Rule::Retract {
            return Ok((audit, holds));
        }
        let shown = self.shown(&candidate.chosen);
        let doublets = &self.carried.doublets;
        let mut ends: Vec<i64> = if self.options.span().is_none() {
            vec![window.to]
        } else {
            let new = doublets.iter().filter(|seen| seen.fate == Fate::New);
            new.map(|seen| seen.time).collect()
        };
        ends.dedup();
        for to in ends {
            let span = self.options.span().map(i64::from);
            let from = span.map_or(i64::MIN, |span| to - span + 1);
            // Spans that the window itself holds are judged with it.
            let live = doublets.iter().zip(&shown).find(|(_, shown)| **shown);
            let earlier = live.is_some_and(|(seen, _)| seen.time < window.from);
            if from >= window.from || !earlier {
                continue;
            }
            let table = self.table(from, to, &shown, Vec::new());
            holds &= verify::shown(&table, &self.options)?.violations == 0;
        }
        Ok((audit, holds))
    }

    /// The window's subjects as they are and as they would be shown, in the same order.
    fn source_and_release(
        &self,
        candidate: &Candidate,
    ) -> Result<(denym_data::paths::Paths, denym_data::paths::Paths), Error> {
        let window = &candidate.window;
        let raw = self.table(
            window.from,
            window.to,
            &vec![true; self.carried.doublets.len()],
            Vec::new(),
        );
        let shown: Vec<bool> = raw
            .places
            .iter()
            .map(|place| window.places.binary_search(place).is_ok())
            .collect();
        let released: Vec<(Vec<u32>, u32, u64)> = raw
            .records
            .iter()
            .map(|record| {
                let path = record.path.iter().copied();
                let path = path.filter(|&place| shown[place as usize]).collect();
                (path, record.profile, record.count)
            })
            .collect();
        let released: Vec<(&[u32], u32, u64)> = released
            .iter()
            .map(|(path, profile, count)| (path.as_slice(), *profile, *count))
            .collect();
        let released = window::to_paths(&raw.places, &raw.attributes, &raw.profiles, &released)?;
        Ok((raw.to_paths()?, released))
    }

    /// Lets the window out, or not.
    fn decide(
        &mut self,
        candidate: Candidate,
        audit: &PathAudit,
        holds: bool,
    ) -> Result<Slide, Error> {
        let Candidate {
            window,
            chosen,
            work,
        } = candidate;
        let mut suppressed = Vec::new();
        let mut content = String::new();
        if holds {
            for &id in &chosen {
                let seen = &mut self.carried.doublets[id as usize];
                let events = u64::from(seen.support);
                if seen.fate == Fate::Published {
                    self.counts.retracted += events;
                } else {
                    self.counts.suppressed += events;
                    self.counts.open -= events;
                }
                seen.fate = Fate::Suppressed;
                suppressed.push((self.locations.text(seen.location).to_owned(), seen.time));
            }
            for seen in &mut self.carried.doublets {
                if seen.fate == Fate::New {
                    seen.fate = Fate::Published;
                    self.counts.published += u64::from(seen.support);
                    self.counts.open -= u64::from(seen.support);
                }
            }
            self.counts.windows += 1;
            self.counts.violations += audit.violations;
            content = sha256(&window.line());
        } else {
            self.counts.withheld += 1;
        }
        let certificate = Certificate {
            window: window.number,
            from: window.from,
            to: window.to,
            status: if holds {
                Status::Published
            } else {
                Status::Withheld
            },
            claims: Claims::new(&self.options),
            measured: Measured::new(audit),
            counts: self.counts,
            content,
            previous: std::mem::take(&mut self.chain),
        };
        self.chain = sha256(&certificate.line()?);
        let mut delta = None;
        if holds && self.options.form == Form::Delta {
            delta = self.base.as_ref().map(|base| Delta::between(base, &window));
            self.base = Some(window.clone());
        }
        Ok(Slide {
            certificate,
            window: holds.then_some(window),
            delta,
            suppressed,
            work,
        })
    }

    /// Forgets labels of locations that nothing retained or pending uses, once they are most of all.
    fn forget_locations(&mut self) {
        const FEW: usize = 256;
        let most = 4 * self.carried.doublets.len();
        if self.locations.len() <= FEW.max(most) {
            return;
        }
        let mut used = vec![false; self.locations.len()];
        let retained = self.carried.doublets.iter().map(|seen| seen.location);
        let waiting = self
            .pending
            .values()
            .flatten()
            .map(|&(_, location)| location);
        for location in retained.chain(waiting) {
            used[location as usize] = true;
        }
        let mut texts = Vec::new();
        let mut new_code = vec![0; used.len()];
        for (code, _) in used.iter().enumerate().filter(|(_, used)| **used) {
            new_code[code] = texts.len() as u32;
            texts.push(self.locations.text(code as u32).to_owned());
        }
        for seen in &mut self.carried.doublets {
            seen.location = new_code[seen.location as usize];
        }
        for (_, location) in self.pending.values_mut().flatten() {
            *location = new_code[*location as usize];
        }
        self.locations = Labels::from_texts(texts);
    }
}
