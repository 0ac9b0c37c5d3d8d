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

use hashbrown::HashMap;

use crate::carried::Carried;
use crate::clock::{Clock, LARGEST_TIME};
use crate::error::Error;
use crate::event::{Event, Rejection, Verdict};
use crate::labels::Labels;
use crate::slide::{Phase, Slide};
use crate::subjects::{Profiles, Subjects};
use denym_release::certificate::AttackResult;
use denym_release::stages::Written;
use denym_release::windows::{Claims, Counts, Options, Window, no_line};

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

    /// Subjects remembered: present, pending, or published within the horizon; and up to as many who left.
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
            let profile = self.profiles.profile(event.sensitive);
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
        self.slide(done, &mut |_| Ok(Vec::new()))
    }

    /// As [`Stream::poll`], with a red team at the gate: a window on which it achieves more than it may is withheld, as one that the judge
    /// does not agree with.
    pub fn poll_gated<E: From<Error>>(
        &mut self,
        red_team: &mut dyn FnMut(&Window) -> Result<Vec<AttackResult>, E>,
    ) -> Result<Option<Slide>, E> {
        self.slide(&mut |_| (), red_team)
    }

    fn slide<E: From<Error>>(
        &mut self,
        done: &mut dyn FnMut(Phase),
        red_team: &mut dyn FnMut(&Window) -> Result<Vec<AttackResult>, E>,
    ) -> Result<Option<Slide>, E> {
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
        self.locations.rank_all();
        done(Phase::Updated);
        let (chosen, work) = self.solve(&place);
        done(Phase::Solved);
        let candidate = self.build(&place, chosen, work);
        done(Phase::Built);
        // Written, proven, gated: what is judged and attacked is what a recipient reads.
        let written = Written::new(candidate.read_back()?);
        let (proven, audit) = written.prove(|window| {
            let (audit, holds) = self.judge(&candidate, window)?;
            let claims = Claims::new(&self.options).judged(&audit, holds);
            Ok::<_, Error>((claims, audit))
        })?;
        done(Phase::Verified);
        let attacks = red_team(proven.shown())?;
        let passed = match proven.gate(attacks) {
            Ok(gated) => (gated.attacks().to_vec(), true),
            Err(refused) => (refused.attacks, false),
        };
        let slide = self.decide(candidate, &audit, passed)?;
        done(Phase::Decided);
        // Make room for the next window, and from now on take its first events in as they come.
        let step = i64::from(self.options.step);
        self.forget(place.from + step);
        self.next = Some(place.to + 1);
        self.take_in(place.to + 1);
        done(Phase::Prepared);
        Ok(Some(slide))
    }
}
