//! A window of a stream under attack, alone and beside the window that was published before it.
//!
//! # Idea
//!
//! Windows carry no number of a person, and what was suppressed is gone from all records: whoever knows doublets of somebody can use those
//! that the window shows. A doublet published in one window and suppressed in the next is not forgotten either: people are followed by what
//! both windows show of them (equal sensitive values, and equal doublets among those that both publish), and the union of what the two show
//! of a record is attacked as one release.
//!
//! # Departures
//!
//! Where several records of a window could continue one of the other, they are taken in order: one of the ways that people may have gone on.

use std::collections::{BTreeMap, BTreeSet};

use denym_data::Fraction;

use crate::catalogue::{AttackEntry, Gate};
use crate::finding::{Declined, Finding, Ran};
use crate::sequences::{Doublet, DoubletAttack, Effort, Exposure, FitRule, Inferable};
use crate::{Error, RedTeam, Scene, red_team};

/// A record of a window: the doublets it shows in time order, its sensitive values as a number that equal ones share, and how many people show that.
pub type WindowRecord = (Vec<Doublet>, u32, u64);

/// A window; places, times and profiles are numbered as in the window before it.
#[derive(Debug, Clone)]
pub struct WindowScene<'a> {
    /// Its records.
    pub window: &'a [WindowRecord],
    /// The records of the window that was published before it, if there is one.
    pub before: Option<&'a [WindowRecord]>,
    /// How many doublets the adversary knows.
    pub known: usize,
    /// What must not be inferred, attribute by attribute.
    pub secrets: &'a [WindowSecret],
    /// How much is tried.
    pub effort: Effort,
}

/// What must not be inferred of a sensitive attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowSecret {
    /// The attribute.
    pub attribute: String,
    /// For each profile its value, as a number.
    pub value_of: Vec<u32>,
    /// The value and how sure one may become of it; without, no value may become certain.
    pub bound: Option<(u32, Fraction)>,
}

/// A window as it is published.
#[derive(Debug, Clone)]
pub struct ShownWindow<'a> {
    /// The doublets it shows.
    pub places: Vec<(&'a str, i64)>,
    /// The distinct combinations of sensitive values.
    pub profiles: &'a [Vec<String>],
    /// Positions of the places of its path, position of its profile, how many people.
    pub records: Vec<(&'a [u32], u32, u64)>,
}

/// What a stream promises.
#[derive(Debug, Clone)]
pub struct WindowClaims<'a> {
    /// How many doublets the adversary knows.
    pub known: usize,
    /// The sensitive attributes, in the order of the profiles.
    pub attributes: Vec<&'a str>,
    /// Attribute, value, and how sure one may become of it.
    pub bounds: Vec<(&'a str, &'a str, Fraction)>,
}

/// Attacks a window beside the one published before it.
///
/// # Errors
///
/// When a record does not fit its window.
pub fn attack_window(
    claims: &WindowClaims<'_>,
    before: Option<&ShownWindow<'_>>,
    window: &ShownWindow<'_>,
    effort: Effort,
) -> Result<RedTeam, Error> {
    let numbers = Numbering::of(before.into_iter().chain([window]));
    let shown = numbers.records(window);
    let before = before.map(|before| numbers.records(before));
    let scene = WindowScene {
        window: &shown,
        before: before.as_deref(),
        known: claims.known,
        secrets: &numbers.secrets(claims),
        effort,
    };
    red_team(&Scene::Windows(&scene))
}

/// One numbering of places, times and sensitive values for two windows.
struct Numbering<'a> {
    places: BTreeMap<&'a str, u32>,
    times: BTreeMap<i64, u32>,
    profiles: BTreeMap<&'a [String], u32>,
}

impl<'a> Numbering<'a> {
    fn of(windows: impl Iterator<Item = &'a ShownWindow<'a>>) -> Self {
        let (mut places, mut times) = (BTreeSet::new(), BTreeSet::new());
        let mut profiles = BTreeSet::new();
        for window in windows {
            places.extend(window.places.iter().map(|place| place.0));
            times.extend(window.places.iter().map(|place| place.1));
            profiles.extend(window.profiles.iter().map(Vec::as_slice));
        }
        Self {
            places: places.into_iter().zip(0..).collect(),
            times: times.into_iter().zip(0..).collect(),
            profiles: profiles.into_iter().zip(0..).collect(),
        }
    }

    fn records(&self, window: &ShownWindow<'_>) -> Vec<WindowRecord> {
        let doublet = |at: &u32| -> Option<Doublet> {
            let (place, time) = window.places.get(*at as usize)?;
            Some((*self.places.get(place)?, *self.times.get(time)?))
        };
        let records = window.records.iter();
        records
            .filter_map(|&(path, profile, count)| {
                let profile = window.profiles.get(profile as usize)?;
                let profile = self.profiles.get(profile.as_slice())?;
                Some((path.iter().filter_map(doublet).collect(), *profile, count))
            })
            .collect()
    }

    /// Bounded values; and of every other attribute that no value is certain.
    fn secrets(&self, claims: &WindowClaims<'_>) -> Vec<WindowSecret> {
        let mut secrets = Vec::new();
        for (at, attribute) in claims.attributes.iter().enumerate() {
            let own = |profile: &&'a [String]| profile.get(at).map_or("", String::as_str);
            let values: BTreeSet<&str> = self.profiles.keys().map(own).collect();
            let code: BTreeMap<&str, u32> = values.into_iter().zip(0..).collect();
            let value_of: Vec<u32> = self.profiles.keys().map(|p| code[own(p)]).collect();
            let mut secret = |bound| {
                secrets.push(WindowSecret {
                    attribute: (*attribute).to_owned(),
                    value_of: value_of.clone(),
                    bound,
                });
            };
            let bounds = claims.bounds.iter();
            let mut bounds = bounds.filter(|bound| bound.0 == *attribute).peekable();
            if bounds.peek().is_none() {
                secret(None);
            }
            for (_, value, at_most) in bounds {
                // A value that nobody has is nobody's secret.
                let value = code.get(value).copied().unwrap_or(u32::MAX);
                secret(Some((value, *at_most)));
            }
        }
        secrets
    }
}

impl WindowScene<'_> {
    /// Whom any few doublets find among `records`, and what follows of them.
    pub(crate) fn found(
        &self,
        entry: &AttackEntry,
        records: &[WindowRecord],
        shown: &str,
        nobody: &str,
    ) -> Ran {
        // Who shows nothing cannot be looked for. Records that stand for several come first, as the attack wants them.
        let mut people: Vec<&WindowRecord> =
            records.iter().filter(|one| !one.0.is_empty()).collect();
        if people.is_empty() {
            return Err(Declined::because(nobody));
        }
        people.sort_by_key(|one| std::cmp::Reverse(one.2));
        let paths: Vec<&[Doublet]> = people.iter().map(|one| one.0.as_slice()).collect();
        let mut setting = Exposure::aligned(&paths, &paths)?;
        let each = |people: u64| u32::try_from(people).unwrap_or(u32::MAX);
        let counts: Vec<u32> = people.iter().map(|one| each(one.2)).collect();
        let inferable = |secret: &WindowSecret| {
            let values = people
                .iter()
                .map(|one| secret.value_of.get(one.1 as usize).copied());
            let Some((value, at_most)) = &secret.bound else {
                return Inferable::AnyValue {
                    of_record: values.collect(),
                };
            };
            let has = values.zip(&counts);
            Inferable::Fact {
                carriers: has
                    .map(|(own, n)| if own == Some(*value) { *n } else { 0 })
                    .collect(),
                at_most: (at_most.numerator(), at_most.denominator()),
                named_by: Vec::new(),
            }
        };
        let secrets: Vec<Inferable> = self.secrets.iter().map(inferable).collect();
        setting.counts = (counts.clone(), counts);
        let fates =
            DoubletAttack::new(&setting, FitRule::Covers, self.known, &secrets)?.run(&self.effort);
        let knows = format!("any {} doublets that {shown} of everybody", self.known);
        let finding = |attribute: Option<String>, after, note: &str| Finding {
            attribute,
            bounded: entry.gate == Gate::Plain,
            note: note.to_owned(),
            ..Finding::new(after, knows.clone())
        };
        let mut findings = vec![finding(None, fates.linkage(entry.name), "")];
        let mut first = 0;
        for same in self.secrets.chunk_by(|a, b| a.attribute == b.attribute) {
            let secrets = first..first + same.len();
            first = secrets.end;
            let note = if same.iter().any(|secret| secret.bound.is_some()) {
                "Succeeds when a value is likelier than its bound."
            } else {
                "Succeeds when all records that fit have one value."
            };
            let after = fates.inference(entry.name, secrets);
            findings.push(finding(Some(same[0].attribute.clone()), after, note));
        }
        Ok(findings)
    }
}

/// What two windows together show of each person who is in both, as far as both show something in common.
pub fn followed(one: &[WindowRecord], two: &[WindowRecord]) -> Vec<WindowRecord> {
    let shown = |window: &[WindowRecord]| -> BTreeSet<Doublet> {
        window
            .iter()
            .flat_map(|(path, ..)| path.iter().copied())
            .collect()
    };
    let both: BTreeSet<Doublet> = shown(one).intersection(&shown(two)).copied().collect();
    // Records by sensitive values and by what both windows publish of them.
    let by_common = |window: &[WindowRecord]| {
        let mut records: BTreeMap<(u32, Vec<Doublet>), Vec<(Vec<Doublet>, u64)>> = BTreeMap::new();
        for (path, profile, count) in window {
            let common: Vec<Doublet> = path.iter().copied().filter(|d| both.contains(d)).collect();
            if !common.is_empty() {
                let alike = records.entry((*profile, common)).or_default();
                alike.push((path.clone(), *count));
            }
        }
        records
    };
    let (ours, mut theirs) = (by_common(one), by_common(two));
    let mut found: BTreeMap<(Vec<Doublet>, u32), u64> = BTreeMap::new();
    for (key, records) in ours {
        let mut others = theirs.remove(&key).unwrap_or_default().into_iter();
        let mut next = others.next();
        for (path, mut left) in records {
            while let (true, Some((other, room))) = (left > 0, &mut next) {
                let people = left.min(*room);
                *found.entry((union(&path, other), key.0)).or_insert(0) += people;
                left -= people;
                *room -= people;
                if *room == 0 {
                    next = others.next();
                }
            }
        }
    }
    let found = found.into_iter();
    found
        .map(|((path, profile), people)| (path, profile, people))
        .collect()
}
/// What either path shows, in time order.
pub fn union(one: &[Doublet], two: &[Doublet]) -> Vec<Doublet> {
    let set: BTreeSet<(u32, u32)> = one
        .iter()
        .chain(two)
        .map(|&(place, time)| (time, place))
        .collect();
    set.into_iter().map(|(time, place)| (place, time)).collect()
}
