//! Windows of a stream under attack: each as it leaves, and all that a directory holds.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use denym_attack::sequences::{Doublet, Effort};
use denym_attack::windows::{WindowRecord, WindowScene, WindowSecret};
use denym_attack::{Evidence, Finding, NotRun, RedTeam, Scene, red_team};
use denym_release::windows::{Certificate, Claims, Delta, Window};

use super::attack_error;
use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// What was found on all windows of a stream, and on each of them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WindowsFound {
    /// Over all windows: a person counts once in each.
    pub team: RedTeam,
    /// The number of each published window with what was found on it.
    pub each: Vec<(u64, Vec<Finding>)>,
}

/// The most values of an attribute without a bound that are looked for.
const MOST_VALUES: usize = 32;

/// How much is tried on one window: some milliseconds, because the next one is on its way.
fn effort(seed: u64) -> Effort {
    Effort {
        words: 3_000_000,
        least_victims: 100,
        pieces: 500,
        seed,
    }
}

/// Attacks one window as it is published, beside the one published before it.
pub(crate) fn attacked(
    claims: &Claims,
    before: Option<&Window>,
    window: &Window,
    seed: u64,
) -> Result<RedTeam, Error> {
    let mut numbers = Numbers::of(before.into_iter().chain([window]));
    let before = before.map(|before| numbers.records(before));
    let shown = numbers.records(window);
    let secrets = numbers.secrets(claims);
    let scene = WindowScene {
        window: &shown,
        before: before.as_deref(),
        known: claims.l,
        secrets: &secrets,
        effort: effort(seed),
    };
    red_team(&Scene::Windows(&scene)).map_err(|error| attack_error(&error))
}

/// One numbering of places, times and sensitive values for two windows.
struct Numbers<'a> {
    places: BTreeMap<&'a str, u32>,
    times: BTreeMap<i64, u32>,
    profiles: BTreeMap<&'a [String], u32>,
}

impl<'a> Numbers<'a> {
    fn of(windows: impl Iterator<Item = &'a Window>) -> Self {
        let mut numbers = Self {
            places: BTreeMap::new(),
            times: BTreeMap::new(),
            profiles: BTreeMap::new(),
        };
        for window in windows {
            for place in &window.places {
                numbers.places.insert(&place.location, 0);
                numbers.times.insert(place.time, 0);
            }
            for profile in &window.profiles {
                numbers.profiles.insert(profile, 0);
            }
        }
        let all = numbers.places.values_mut().zip(0..);
        all.for_each(|(number, at)| *number = at);
        let all = numbers.times.values_mut().zip(0..);
        all.for_each(|(number, at)| *number = at);
        let all = numbers.profiles.values_mut().zip(0..);
        all.for_each(|(number, at)| *number = at);
        numbers
    }

    fn records(&mut self, window: &Window) -> Vec<WindowRecord> {
        let doublet = |at: &u32| -> Option<Doublet> {
            let place = window.places.get(*at as usize)?;
            let here = self.places.get(place.location.as_str())?;
            Some((*here, *self.times.get(&place.time)?))
        };
        let record = |record: &denym_release::windows::Record| {
            let profile = window.profiles.get(record.profile as usize)?;
            let path = record.path.iter().filter_map(doublet).collect();
            let profile = self.profiles.get(profile.as_slice())?;
            Some((path, *profile, record.count))
        };
        window.records.iter().filter_map(record).collect()
    }

    /// Bounded values, and every other sensitive value for certain, attribute by attribute.
    fn secrets(&self, claims: &Claims) -> Vec<WindowSecret> {
        let mut secrets = Vec::new();
        for (at, attribute) in claims.attributes().enumerate() {
            let mut secret = |value: &str, at_most| {
                let has = |profile: &&[String]| profile.get(at).is_some_and(|own| own == value);
                secrets.push(WindowSecret {
                    attribute: attribute.to_owned(),
                    having: self.profiles.keys().map(has).collect(),
                    at_most,
                });
            };
            let bounds = claims.confidence.iter();
            let mut bounds = bounds
                .filter(|bound| bound.attribute == attribute)
                .peekable();
            if bounds.peek().is_some() {
                bounds.for_each(|bound| secret(&bound.value, Some(bound.at_most)));
                continue;
            }
            let values = self.profiles.keys().filter_map(|profile| profile.get(at));
            let values: BTreeSet<&String> = values.collect();
            let values = values.into_iter().take(MOST_VALUES);
            values.for_each(|value| secret(value, None));
        }
        secrets
    }
}

/// Attacks every window of the stream in `directory`, as the stream did before it let them out.
pub fn windows(
    directory: &Path,
    seed: u64,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<WindowsFound, Error> {
    listener.phase(Phase::Reading);
    let read = |name: &str| {
        let path = directory.join(name);
        let text = std::fs::read_to_string(&path);
        text.map_err(|error| Error::io("read a stream's file", &path, &error))
    };
    let broken = |what| Error::Bundle {
        what,
        path: directory.to_owned(),
    };
    let certificates = read("certificates.ndjson")?;
    let first = certificates.lines().next();
    let first = first.ok_or_else(|| broken("the stream has no certificate"))?;
    let first: Certificate = serde_json::from_str(first)
        .map_err(|_| broken("the first line of the certificates is no certificate"))?;
    let lines = read("windows.ndjson")?;
    listener.phase(Phase::Attacking);
    let mut found = WindowsFound::default();
    let mut before: Option<Window> = None;
    for line in lines.lines() {
        let window = match (Window::from_line(line), Delta::from_line(line), &before) {
            (Some(window), ..) => Some(window),
            (None, Some(delta), Some(base)) => delta.apply(base).ok(),
            _ => None,
        };
        let window = window.ok_or_else(|| broken("a line of the windows is no window"))?;
        let attack = || attacked(&first.claims, before.as_ref(), &window, seed);
        let team = threads::pool(threads)?.install(attack)?;
        found.each.push((window.number, team.findings));
        found.team.not_run = team.not_run;
        before = Some(window);
    }
    found.team.findings = together(found.each.iter().flat_map(|(_, findings)| findings));
    let ran = |left: &NotRun| {
        found
            .team
            .findings
            .iter()
            .any(|one| one.attack == left.attack)
    };
    let left = found.team.not_run.iter().filter(|left| !ran(left));
    found.team.not_run = left.cloned().collect();
    Ok(found)
}

/// The same attacks on several windows as one finding each.
fn together<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Finding> {
    let mut same: Vec<Vec<&Finding>> = Vec::new();
    for found in findings {
        let alike = |of: &&mut Vec<&Finding>| {
            (of[0].attack, &of[0].attribute) == (found.attack, &found.attribute)
        };
        match same.iter_mut().find(alike) {
            Some(list) => list.push(found),
            None => same.push(vec![found]),
        }
    }
    let merged = same.into_iter().filter_map(|list| {
        let parts: Vec<&Evidence> = list.iter().map(|found| &found.after).collect();
        let first = *list.first()?;
        Some(Finding {
            after: Evidence::together(&parts)?,
            note: format!(
                "{} Over {} windows; a person counts once in each.",
                first.note,
                list.len()
            )
            .trim()
            .to_owned(),
            ..first.clone()
        })
    });
    let mut merged: Vec<Finding> = merged.collect();
    let place =
        |found: &Finding| denym_attack::catalogue::entry(found.attack).map(|entry| entry.place);
    merged.sort_by_key(place);
    merged
}
