//! Attacks on released paths: what any L doublets, contradictions, habits and neighbors of a suppressed doublet give away.
//!
//! # Idea
//!
//! The adversary knows raw paths of people; the attacks look for their records in the release. Everything is tried on
//! everybody where that is affordable, else on people drawn with a seed, and the evidence says which.

use std::collections::HashMap;
use std::ops::Range;

use denym_attack::paths::{
    DoubletAttack, Effort, Fate, Fates, Habit, HomeWork, Matching, Places, Rows, Secret, Setting,
    Sureness, TopLocations, correlation,
};
use denym_attack::{Coverage, Evidence};
use denym_data::paths::{Attribute, Paths};
use serde_json::{Value, json};

use super::attack_error;
use super::finding::Finding;
use crate::Error;
use crate::paths::seconds;
use crate::policy::PromiseSpec;

mod standalone;

pub use standalone::{PathsAttacked, PathsRequest, paths};

/// The most people that are named.
const WORST: usize = 10;
/// Values of an attribute without a bound that are looked for.
const MOST_VALUES: usize = 32;
/// How sure the adversary of the correlation attack wants to be, and of how many other people.
const SURE: (f64, u64) = (0.9, 2);

/// How much is tried by default: a second or two on two cores, however large the data.
pub(crate) fn effort(seed: u64) -> Effort {
    Effort {
        words: 300_000_000,
        least_victims: 400,
        pieces: 3_000,
        seed,
    }
}

/// A release of paths and what the attacks may use.
pub(crate) struct Seen<'a> {
    /// The victims' source paths.
    pub(crate) raw: &'a Paths,
    /// The written data.
    pub(crate) released: &'a Paths,
    /// The record of each victim, where it is known.
    pub(crate) own: Option<Vec<u32>>,
    /// For each source doublet the written ones that may stand for it, the source's own first.
    pub(crate) stands_for: Vec<Vec<u32>>,
    /// Whether doublets were removed from every record or none, as the adversary is taken to know.
    pub(crate) everywhere: bool,
    /// What is promised.
    pub(crate) promises: &'a [PromiseSpec],
    /// Sensitive places that are published nowhere and bounded by nothing.
    pub(crate) hidden: &'a [String],
    /// How many doublets the adversary knows.
    pub(crate) doublets: usize,
    /// Whether the promise speaks of contradictions.
    pub(crate) consistent: bool,
}

/// What was found, and why some attacks were not run.
pub(crate) type Found = (Vec<Finding>, Vec<(&'static str, String)>);

/// Runs every attack that applies.
pub(crate) fn on_paths(seen: &Seen<'_>, effort: &Effort) -> Result<Found, Error> {
    let fail = |error: denym_attack::Error| attack_error(&error);
    let setting = setting(seen);
    let (secrets, goals) = secrets(seen);
    let before_setting = setting.before();
    // Before anything was removed, record i is victim i.
    let before_secrets: Vec<Secret> = match &setting.own {
        Some(own) => secrets
            .iter()
            .map(|secret| Secret {
                carriers: own
                    .iter()
                    .map(|&row| secret.carriers[row as usize])
                    .collect(),
                ..secret.clone()
            })
            .collect(),
        None => Vec::new(),
    };
    let l = seen.doublets;
    let before = DoubletAttack::new(&before_setting, Matching::Covers, l, &before_secrets)
        .map_err(fail)?
        .run(effort);
    let run = |matching| -> Result<Fates, Error> {
        let attack = DoubletAttack::new(&setting, matching, l, &secrets).map_err(fail)?;
        Ok(attack.run(effort))
    };
    let consistent = if seen.everywhere && setting.all_or_none() {
        Matching::Consistent
    } else {
        Matching::ConsistentLocal
    };
    let known = format!("any {l} doublets of everybody's source path");
    let known = if seen.released.quasi().is_empty() {
        known
    } else {
        format!("{known} and the quasi-identifiers")
    };
    let mut findings = Vec::new();
    for (attack, matching, more, bounded) in [
        ("doublets", Matching::Covers, "", true),
        (
            "contradiction",
            consistent,
            ", and discards records that contradict them",
            seen.consistent,
        ),
    ] {
        let after = run(matching)?;
        let finding = |attribute, before, shown: Evidence, note, worst| Finding {
            attack,
            attribute,
            knows: format!("{known}{more}"),
            bounded,
            before,
            after: shown,
            note,
            worst,
        };
        let note = tried(&after);
        findings.push(finding(
            None,
            Some(before.linkage()),
            after.linkage(),
            note.clone(),
            worst_linked(seen, &setting, &after),
        ));
        for goal in &goals {
            let was = setting.own.as_ref();
            let was = was.map(|_| before.inference(goal.secrets.clone()));
            findings.push(finding(
                Some(goal.name.clone()),
                was,
                after.inference(goal.secrets.clone()),
                [goal.note.as_str(), &note].join(" ").trim().to_owned(),
                worst_told(seen, &setting, &after, goal),
            ));
        }
    }
    let mut reasons = habits(seen, &setting, &before_setting, &mut findings)?;
    match neighbors(seen, &setting, effort)? {
        Ok(found) => findings.push(found),
        Err(why) => reasons.push(("path-correlation", why)),
    }
    Ok((findings, reasons))
}

/// What was tried, where it is not everything.
fn tried(fates: &Fates) -> String {
    match fates.coverage {
        Coverage::Exhaustive => "Every set of so many doublets was tried on everybody.".to_owned(),
        Coverage::Sampled { .. } => {
            "People were drawn, and sets of doublets where a path has very many.".to_owned()
        }
    }
}

/// The codes that the attacks work on.
fn setting(seen: &Seen<'_>) -> Setting {
    let (raw, released) = (seen.raw, seen.released);
    let time_of: HashMap<&str, u32> = released
        .times()
        .iter()
        .map(String::as_str)
        .zip(0..)
        .collect();
    let raw_time = |time: u32| time_of.get(raw.times()[time as usize].as_str()).copied();
    Setting {
        raw: Rows::new(raw.records()),
        published: Rows::new(released.records()),
        own: seen.own.clone(),
        stands_for: seen.stands_for.clone(),
        raw_time: raw.doublets().iter().map(|d| raw_time(d.time)).collect(),
        published_time: released.doublets().iter().map(|d| d.time).collect(),
        classes: classes(raw, released),
    }
}

/// Numbers that are equal exactly when the quasi-identifiers are, on both sides.
fn classes(raw: &Paths, released: &Paths) -> (Vec<u32>, Vec<u32>) {
    if released.quasi().is_empty() {
        return (Vec::new(), Vec::new());
    }
    let mut numbers: HashMap<Vec<&str>, u32> = HashMap::new();
    let mut of_side = Vec::with_capacity(2);
    for side in [raw, released] {
        let mut classes = Vec::with_capacity(side.len());
        for row in 0..side.len() {
            let text = |column: &&'_ Attribute| column.codes[row] as usize;
            let key: Vec<&str> = released
                .quasi()
                .iter()
                .filter_map(|wanted| side.quasi().iter().find(|own| own.name == wanted.name))
                .map(|column| column.values[text(&column)].as_str())
                .collect();
            let next = numbers.len() as u32;
            classes.push(*numbers.entry(key).or_insert(next));
        }
        of_side.push(classes);
    }
    let theirs = of_side.pop().unwrap_or_default();
    (of_side.pop().unwrap_or_default(), theirs)
}

/// Secrets that belong together, and when they count as told.
struct Goal {
    name: String,
    secrets: Range<usize>,
    note: String,
}

/// What must not be inferred: bounded values and places, and every other sensitive value for certain.
fn secrets(seen: &Seen<'_>) -> (Vec<Secret>, Vec<Goal>) {
    let mut secrets = Vec::new();
    let mut goals = Vec::new();
    let released = seen.released;
    let value = |attribute: &Attribute, label: &str, at_most: Option<(u64, u64)>| {
        let code = attribute.code(label);
        Secret {
            carriers: attribute
                .codes
                .iter()
                .map(|&own| Some(own) == code)
                .collect(),
            at_most,
            named_by: Vec::new(),
        }
    };
    for attribute in released.sensitive() {
        let first = secrets.len();
        let mut bounds = Vec::new();
        for promise in seen.promises {
            let PromiseSpec::Confidence {
                attribute: Some(name),
                values,
                at_most,
            } = promise
            else {
                continue;
            };
            if *name != attribute.name {
                continue;
            }
            let bound = (at_most.0.numerator(), at_most.0.denominator());
            let listed = if values.is_empty() {
                &attribute.values
            } else {
                values
            };
            secrets.extend(
                listed
                    .iter()
                    .map(|label| value(attribute, label, Some(bound))),
            );
            bounds.push(at_most.0.to_f64());
        }
        let note = if bounds.is_empty() {
            let listed = attribute.values.iter().take(MOST_VALUES);
            secrets.extend(listed.map(|label| value(attribute, label, None)));
            "Succeeds when all records that fit have one value.".to_owned()
        } else {
            "Succeeds when a value is likelier than its bound.".to_owned()
        };
        goals.push(Goal {
            name: attribute.name.clone(),
            secrets: first..secrets.len(),
            note,
        });
    }
    let first = secrets.len();
    for promise in seen.promises {
        let (PromiseSpec::Places { places, at_most }, Some(own)) = (promise, &seen.own) else {
            continue;
        };
        for place in places.iter().filter(|place| !seen.hidden.contains(place)) {
            let code = seen.raw.locations().iter().position(|label| label == place);
            let here = |id: &u32| Some(seen.raw.doublets()[*id as usize].location as usize) == code;
            let mut carriers = vec![false; released.len()];
            for (path, &row) in seen.raw.records().zip(own) {
                carriers[row as usize] = path.iter().any(here);
            }
            secrets.push(Secret {
                carriers,
                at_most: Some((at_most.0.numerator(), at_most.0.denominator())),
                named_by: (0..seen.raw.doublets().len() as u32)
                    .map(|id| here(&id))
                    .collect(),
            });
        }
    }
    if secrets.len() > first {
        goals.push(Goal {
            name: "sensitive places".to_owned(),
            secrets: first..secrets.len(),
            note: "Succeeds when a visit is likelier than its bound.".to_owned(),
        });
    }
    (secrets, goals)
}

/// A victim as the steward's document names them.
fn victim(seen: &Seen<'_>, setting: &Setting, fate: &Fate, chance: f64) -> Value {
    let own = setting
        .own
        .as_ref()
        .map(|own| own[fate.victim as usize] + 1);
    json!({
        "chance": chance,
        "candidates": fate.fewest,
        "knowing": fate.knowing.iter().map(|&id| seen.raw.label(id)).collect::<Vec<_>>(),
        "record": own,
        "source_record": own.is_none().then_some(fate.victim + 1),
    })
}

fn worst_linked(seen: &Seen<'_>, setting: &Setting, fates: &Fates) -> Vec<Value> {
    let mut order: Vec<&Fate> = fates.each.iter().filter(|fate| fate.fewest > 0).collect();
    order.sort_by_key(|fate| (fate.fewest, fate.victim));
    let named = order.into_iter().take(WORST);
    named
        .map(|fate| victim(seen, setting, fate, fate.chance()))
        .collect()
}

fn worst_told(seen: &Seen<'_>, setting: &Setting, fates: &Fates, goal: &Goal) -> Vec<Value> {
    let share = |fate: &Fate| {
        let each = fate.confidence[goal.secrets.clone()].iter();
        each.map(|&(having, group)| having as f64 / group as f64)
            .fold(0.0, f64::max)
    };
    let told = |fate: &&Fate| fate.told[goal.secrets.clone()].contains(&true);
    let mut order: Vec<&Fate> = fates.each.iter().filter(told).collect();
    order.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.victim.cmp(&b.victim)));
    let named = order.into_iter().take(WORST);
    named
        .map(|fate| victim(seen, setting, fate, share(fate)))
        .collect()
}

/// Most visited places, home and work.
fn habits(
    seen: &Seen<'_>,
    setting: &Setting,
    before: &Setting,
    findings: &mut Vec<Finding>,
) -> Result<Vec<(&'static str, String)>, Error> {
    let fail = |error: denym_attack::Error| attack_error(&error);
    let places = places(seen);
    let raw_places = Places {
        raw: seen.raw.doublets().iter().map(|d| d.location).collect(),
        published: seen.raw.doublets().iter().map(|d| d.location).collect(),
    };
    let beyond = "No promise about doublets speaks of habits.";
    let mut add = |attack: &'static str, knows: String, note: String, was: &Habit, is: &Habit| {
        let mut order: Vec<usize> = (0..is.candidates.len())
            .filter(|&victim| is.candidates[victim] > 0)
            .collect();
        order.sort_by_key(|&victim| (is.candidates[victim], victim));
        let worst = order.into_iter().take(WORST).map(|victim| {
            let own = setting.own.as_ref().map(|own| own[victim] + 1);
            json!({
                "chance": 1.0 / is.candidates[victim] as f64,
                "candidates": is.candidates[victim],
                "record": own,
                "source_record": own.is_none().then_some(victim + 1),
            })
        });
        findings.push(Finding {
            attack,
            attribute: None,
            knows,
            bounded: false,
            before: Some(was.evidence()),
            after: is.evidence(),
            note,
            worst: worst.collect(),
        });
    };
    let n = seen.doublets;
    add(
        "top-locations",
        format!("everybody's {n} most visited places, without times"),
        beyond.to_owned(),
        &TopLocations::run(before, &raw_places, n).map_err(fail)?,
        &TopLocations::run(setting, &places, n).map_err(fail)?,
    );
    let Some(night) = nights(seen.raw) else {
        let why = "the times of the data are no hours of a day".to_owned();
        return Ok(vec![("home-work", why)]);
    };
    // A published doublet is by night when everything it stands for is.
    let mut published: Vec<Option<Option<bool>>> = vec![None; seen.released.doublets().len()];
    for (standing, &night) in seen.stands_for.iter().zip(&night) {
        for &id in standing {
            let known = published[id as usize].get_or_insert(night);
            if *known != night {
                *known = None;
            }
        }
    }
    let published: Vec<Option<bool>> = published.into_iter().map(Option::flatten).collect();
    add(
        "home-work",
        "where everybody mostly is by night (20 to 7 o'clock) and by day".to_owned(),
        if seen
            .raw
            .times()
            .iter()
            .all(|text| text.parse::<u64>().is_ok())
        {
            format!("Whole numbers were read as hours of a day. {beyond}")
        } else {
            beyond.to_owned()
        },
        &HomeWork::run(before, &raw_places, (&night, &night)).map_err(fail)?,
        &HomeWork::run(setting, &places, (&night, &published)).map_err(fail)?,
    );
    Ok(Vec::new())
}

/// Places of both sides in one numbering, raw ones as coarse as anything published of them.
fn places(seen: &Seen<'_>) -> Places {
    let (raw, released) = (seen.raw, seen.released);
    let label = |id: u32| {
        let place = released.doublets()[id as usize].location;
        released.locations()[place as usize].as_str()
    };
    // The coarsest published word for each place: the one latest in its chain.
    let mut word: Vec<Option<(usize, &str)>> = vec![None; raw.locations().len()];
    for (doublet, standing) in raw.doublets().iter().zip(&seen.stands_for) {
        if let Some(&id) = standing.last() {
            let known = &mut word[doublet.location as usize];
            if known.is_none_or(|(rank, _)| rank < standing.len()) {
                *known = Some((standing.len(), label(id)));
            }
        }
    }
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |text| {
        let next = numbers.len() as u32;
        *numbers.entry(text).or_insert(next)
    };
    let of_place: Vec<u32> = word
        .iter()
        .zip(raw.locations())
        .map(|(word, own)| number(word.map_or(own.as_str(), |(_, label)| label)))
        .collect();
    let raw_places: Vec<u32> = raw
        .doublets()
        .iter()
        .map(|doublet| of_place[doublet.location as usize])
        .collect();
    let mut published: Vec<Option<u32>> = vec![None; released.doublets().len()];
    for (&place, standing) in raw_places.iter().zip(&seen.stands_for) {
        for &id in standing {
            published[id as usize].get_or_insert(place);
        }
    }
    Places {
        raw: raw_places,
        published: (0..)
            .zip(published)
            .map(|(id, place)| place.unwrap_or_else(|| number(label(id))))
            .collect(),
    }
}

/// Whether each doublet is by night; `None` when the times are no hours of a day.
fn nights(paths: &Paths) -> Option<Vec<Option<bool>>> {
    const DAY: i64 = 86_400;
    let texts = paths.times();
    let numbers: Option<Vec<i64>> = texts.iter().map(|text| text.parse().ok()).collect();
    let hours: Vec<i64> = if let Some(numbers) = numbers {
        // Whole numbers are hours when they look like it, seconds since 1970 when they are large, else mere steps.
        let (low, high) = (numbers.iter().min()?, numbers.iter().max()?);
        if *low >= 0 && (12..=24).contains(high) {
            numbers.iter().map(|hour| hour % 24).collect()
        } else if *low > 100_000_000 {
            let hour = |time: &i64| time.rem_euclid(DAY) / 3600;
            numbers.iter().map(hour).collect()
        } else {
            return None;
        }
    } else {
        let clock = |text: &String| {
            let time = seconds(text).filter(|_| text.contains(':'));
            time.map(|time| time.rem_euclid(DAY) / 3600)
        };
        texts.iter().map(clock).collect::<Option<_>>()?
    };
    let night: Vec<bool> = hours.iter().map(|hour| !(7..20).contains(hour)).collect();
    let of = |doublet: &denym_data::paths::Doublet| Some(night[doublet.time as usize]);
    Some(paths.doublets().iter().map(of).collect())
}

/// Suppressed doublets put back by what everybody else did between the same two doublets.
fn neighbors(
    seen: &Seen<'_>,
    setting: &Setting,
    effort: &Effort,
) -> Result<Result<Finding, String>, Error> {
    let Some(own) = &setting.own else {
        let why = "nobody knows which record is whose, so it cannot be told what was put back";
        return Ok(Err(why.to_owned()));
    };
    let (confidence, support) = SURE;
    let sureness = Sureness {
        confidence,
        support,
        steps: effort.words / 4,
        seed: effort.seed,
    };
    let found = correlation(setting, &sureness).map_err(|error| attack_error(&error))?;
    if found.evidence.attempts == 0 {
        return Ok(Err("nobody lost a doublet".to_owned()));
    }
    let right = found.deduced.iter().filter(|one| one.right).count();
    let mut best: Vec<_> = found.deduced.iter().filter(|one| one.right).collect();
    best.sort_by(|a, b| {
        let by_share = b.confidence.total_cmp(&a.confidence);
        by_share.then((a.victim, a.doublet).cmp(&(b.victim, b.doublet)))
    });
    let worst = best.iter().take(WORST).map(|one| {
        json!({
            "chance": one.confidence,
            "record": own[one.victim as usize] + 1,
            "doublet": seen.raw.label(one.doublet),
        })
    });
    Ok(Ok(Finding {
        attack: "path-correlation",
        attribute: None,
        knows: "the source paths of everybody else".to_owned(),
        bounded: false,
        before: None,
        after: found.evidence.clone(),
        note: format!(
            "Of those who lost a doublet, the share that gets one back rightly; {right} of {} deductions are right.",
            found.deduced.len()
        ),
        worst: worst.collect(),
    }))
}
