//! The stream as bytes: saved, loaded, and going on as if nothing had happened.
//!
//! JSON after one line of version, the same for the same state. The bytes hold raw events: keep them as you keep the source.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use crate::carried::{Carried, Fate};
use crate::clock::Clock;
use crate::error::Error;
use crate::labels::Labels;
use crate::stream::Stream;
use crate::subjects::{Profiles, Subject, Subjects};
use denym_release::windows::{Counts, Options, Window};

/// First bytes of every state; the digit is the version.
const MAGIC: &[u8] = b"denym-stream-1\n";

/// All of a stream, as plain data.
#[derive(Serialize, Deserialize)]
struct Saved {
    options: Options,
    clock: Clock,
    counts: Counts,
    locations: Vec<String>,
    values: Vec<Vec<String>>,
    profiles: Vec<Vec<u32>>,
    subjects: Vec<Subject>,
    keys: Vec<String>,
    free: Vec<u32>,
    #[serde(default)]
    stayed: usize,
    carried: Carried,
    pending: Vec<(i64, Vec<(u32, u32)>)>,
    next: Option<i64>,
    prepared_from: Option<i64>,
    last_event: Option<i64>,
    ended: bool,
    chain: String,
    base: Option<Window>,
}

impl Stream {
    /// The whole state; between two calls of [`Stream::poll`] at any time.
    pub fn save(&self) -> Result<Vec<u8>, Error> {
        let (subjects, keys, free) = self.subjects.parts();
        let (values, profiles) = self.profiles.parts();
        let saved = Saved {
            options: self.options.clone(),
            clock: self.clock.clone(),
            counts: self.counts,
            locations: self.locations.texts().to_vec(),
            values: values.into_iter().map(<[String]>::to_vec).collect(),
            profiles: profiles.to_vec(),
            subjects: subjects
                .iter()
                .map(|subject| Subject {
                    row: self.carried.row(subject.row),
                    ..*subject
                })
                .collect(),
            keys: keys.to_vec(),
            free: free.to_vec(),
            stayed: self.subjects.stayed(),
            carried: self.carried.clone(),
            pending: self
                .pending
                .iter()
                .map(|(time, events)| (*time, events.clone()))
                .collect(),
            next: self.next,
            prepared_from: self.prepared_from,
            last_event: self.last_event,
            ended: self.ended,
            chain: self.chain.clone(),
            base: self.base.clone(),
        };
        let mut bytes = MAGIC.to_vec();
        serde_json::to_writer(&mut bytes, &saved).map_err(|_| Error::Internal {
            what: "a state can be written",
        })?;
        Ok(bytes)
    }

    /// A stream from its state; the options must be those it was saved under.
    pub fn load(bytes: &[u8], options: &Options) -> Result<Self, Error> {
        let body = bytes.strip_prefix(MAGIC).ok_or(Error::NotAState)?;
        let saved: Saved = serde_json::from_slice(body).map_err(|_| Error::NotAState)?;
        if let Some(what) = differs(&saved.options, options) {
            return Err(Error::OtherOptions { what });
        }
        saved.options.check()?;
        if !saved.is_sound() {
            return Err(Error::NotAState);
        }
        let mut carried = saved.carried;
        carried.relink();
        Ok(Self {
            profiles: Profiles::from_parts(saved.values, saved.profiles),
            options: saved.options,
            clock: saved.clock,
            counts: saved.counts,
            locations: Labels::from_texts(saved.locations),
            subjects: Subjects::from_parts(saved.subjects, saved.keys, saved.free, saved.stayed),
            pending: saved.pending.into_iter().collect(),
            doublet_of: doublets_at(&carried, saved.last_event),
            carried,
            next: saved.next,
            prepared_from: saved.prepared_from,
            last_event: saved.last_event,
            ended: saved.ended,
            chain: saved.chain,
            base: saved.base,
        })
    }
}

/// The doublets of the time that is being taken in, by location.
fn doublets_at(carried: &Carried, time: Option<i64>) -> HashMap<u32, u32> {
    let ids = carried.doublets.iter().zip(0..);
    ids.filter(|(seen, _)| Some(seen.time) == time && seen.fate == Fate::New)
        .map(|(seen, id)| (seen.location, id))
        .collect()
}

impl Saved {
    /// Whether all codes point to something.
    fn is_sound(&self) -> bool {
        let attributes = self.options.attributes.len();
        let profiles = self.profiles.iter().all(|codes| {
            let known = codes.iter().zip(&self.values);
            codes.len() == attributes && known.into_iter().all(|(&c, v)| (c as usize) < v.len())
        });
        let subjects = self.subjects.iter().all(|subject| {
            (subject.row as usize) < self.carried.rows()
                && (subject.profile as usize) < self.profiles.len()
        });
        let is_free = |&slot: &u32| self.keys.get(slot as usize).is_some_and(String::is_empty);
        let free = self.free.iter().all(is_free);
        let pending = self.pending.iter().flat_map(|(_, events)| events);
        let pending = pending.into_iter().all(|&(slot, location)| {
            self.keys
                .get(slot as usize)
                .is_some_and(|key| !key.is_empty())
                && (location as usize) < self.locations.len()
        });
        self.values.len() == attributes
            && self.keys.len() == self.subjects.len()
            && self
                .carried
                .is_sound(self.locations.len(), self.profiles.len())
            && profiles
            && subjects
            && free
            && pending
    }
}

/// The first option that differs.
fn differs(a: &Options, b: &Options) -> Option<&'static str> {
    let pairs = [
        ("window", a.window == b.window),
        ("step", a.step == b.step),
        ("l", a.l == b.l),
        ("k", a.k == b.k),
        ("list of sensitive attributes", a.attributes == b.attributes),
        ("list of bounds", a.bounds == b.bounds),
        ("list of promises", a.promises == b.promises),
        ("list of distributions", a.reference == b.reference),
        ("matching", a.matching == b.matching),
        ("rule of publication", a.rule == b.rule),
        ("lateness", a.lateness == b.lateness),
        ("origin", a.origin == b.origin),
        ("limit ahead", a.ahead == b.ahead),
        ("longest label", a.longest_label == b.longest_label),
        ("form", a.form == b.form),
    ];
    pairs
        .into_iter()
        .find(|(_, same)| !same)
        .map(|(what, _)| what)
}
