//! Habits on released paths: most visited places, home and work, and what everybody else did between the same two doublets.

use std::collections::HashMap;

use denym_attack::paths::{
    Effort, Habit, HomeWork, Places, Setting, Sureness, TopLocations, correlation,
};
use denym_data::paths::Paths;
use serde_json::json;

use super::super::attack_error;
use super::super::finding::Finding;
use super::crowd::Crowd;
use super::{Seen, WORST};
use crate::Error;
use crate::paths::seconds;

/// How sure the adversary of the correlation attack wants to be, and of how many other people.
const SURE: (f64, u64) = (0.9, 2);

/// Most visited places, home and work.
pub(super) fn habits(
    seen: &Seen<'_>,
    crowd: &Crowd,
    before: &Setting,
    findings: &mut Vec<Finding>,
) -> Result<Vec<(&'static str, String)>, Error> {
    let fail = |error: denym_attack::Error| attack_error(&error);
    let setting = &crowd.setting;
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
            let (record, source_record) = crowd.named(seen, victim as u32);
            json!({
                "chance": 1.0 / is.candidates[victim] as f64,
                "candidates": is.candidates[victim],
                "record": record,
                "source_record": source_record,
                "people_like_this": setting.people(victim),
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
pub(super) fn neighbors(
    seen: &Seen<'_>,
    crowd: &Crowd,
    effort: &Effort,
) -> Result<Result<Finding, String>, Error> {
    if seen.own.is_none() {
        let why = "nobody knows which record is whose, so it cannot be told what was put back";
        return Ok(Err(why.to_owned()));
    }
    let (confidence, support) = SURE;
    let sureness = Sureness {
        confidence,
        support,
        steps: effort.words / 4,
        seed: effort.seed,
    };
    let found = correlation(&crowd.setting, &sureness).map_err(|error| attack_error(&error))?;
    if found.evidence.attempts == 0 {
        return Ok(Err("nobody lost a doublet".to_owned()));
    }
    let people = |right: bool| -> u64 {
        let counted = found.deduced.iter().filter(|one| one.right || !right);
        counted.map(|one| one.people).sum()
    };
    let mut best: Vec<_> = found.deduced.iter().filter(|one| one.right).collect();
    best.sort_by(|a, b| {
        let by_share = b.confidence.total_cmp(&a.confidence);
        by_share.then((a.victim, a.doublet).cmp(&(b.victim, b.doublet)))
    });
    let worst = best.iter().take(WORST).map(|one| {
        json!({
            "chance": one.confidence,
            "record": crowd.named(seen, one.victim).0,
            "doublet": seen.raw.label(one.doublet),
            "people_like_this": one.people,
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
            "Of those who lost a doublet, the share that gets one back rightly; {} of {} deductions are right.",
            people(true),
            people(false)
        ),
        worst: worst.collect(),
    }))
}
