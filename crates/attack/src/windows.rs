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

use crate::catalogue::{Entry, Gate};
use crate::finding::{Declined, Finding, Ran};
use crate::sequences::{Doublet, DoubletAttack, Effort, Matching, Secret, Setting};

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

/// A sensitive value that must not be inferred.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowSecret {
    /// The attribute.
    pub attribute: String,
    /// For each profile whether it has the value.
    pub having: Vec<bool>,
    /// How sure one may become of it; not certain, where no promise says more.
    pub at_most: Option<Fraction>,
}

impl WindowScene<'_> {
    /// Whom any few doublets find among `records`, and what follows of them.
    pub(crate) fn found(
        &self,
        entry: &Entry,
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
        let mut setting = Setting::aligned(&paths, &paths)?;
        let each = |people: u64| u32::try_from(people).unwrap_or(u32::MAX);
        let counts: Vec<u32> = people.iter().map(|one| each(one.2)).collect();
        let secrets: Vec<Secret> = self
            .secrets
            .iter()
            .map(|secret| Secret {
                carriers: people
                    .iter()
                    .map(|&(_, profile, count)| {
                        let has = secret.having.get(*profile as usize) == Some(&true);
                        if has { each(*count) } else { 0 }
                    })
                    .collect(),
                at_most: secret
                    .at_most
                    .map(|most| (most.numerator(), most.denominator())),
                named_by: Vec::new(),
            })
            .collect();
        setting.counts = (counts.clone(), counts);
        let fates =
            DoubletAttack::new(&setting, Matching::Covers, self.known, &secrets)?.run(&self.effort);
        let finding = |attribute: Option<String>, after, note: &str| Finding {
            attack: entry.name,
            attribute,
            knows: format!("any {} doublets that {shown} of everybody", self.known),
            bounded: entry.gate == Gate::Plain,
            before: None,
            after,
            held_out: None,
            note: note.to_owned(),
            worst: Vec::new(),
        };
        let mut findings = vec![finding(None, fates.linkage(entry.name), "")];
        let mut first = 0;
        for same in self.secrets.chunk_by(|a, b| a.attribute == b.attribute) {
            let secrets = first..first + same.len();
            first = secrets.end;
            let note = if same.iter().any(|secret| secret.at_most.is_some()) {
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
