//! Attacks on released paths: what any L doublets, contradictions, habits and neighbors of a suppressed doublet give away.
//!
//! # Idea
//!
//! The adversary knows raw paths of people; the attacks look for their records in the release. Everything is tried on
//! everybody where that is affordable, else on people drawn with a seed, and the evidence says which.

use denym_attack::paths::{DoubletAttack, Effort, Fate, Fates, Matching, Secret, Setting};
use denym_attack::{Coverage, Evidence};
use denym_data::paths::Paths;
use serde_json::{Value, json};

use self::crowd::Crowd;
use self::habits::{habits, neighbors};
use self::secrets::{Goal, Wanted};
use super::attack_error;
use super::finding::Finding;
use crate::Error;
use crate::policy::PromiseSpec;

mod crowd;
mod habits;
mod secrets;
mod standalone;

pub use standalone::{PathsRequest, Searched, paths};

pub(super) use standalone::searched;

/// The most people that are named.
const WORST: usize = 10;

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
    /// How many doublets, or items, the adversary knows.
    pub(crate) doublets: usize,
    /// Whether the promise speaks of contradictions.
    pub(crate) consistent: bool,
}

/// What was found, and why some attacks were not run.
pub(crate) type Found = (Vec<Finding>, Vec<(&'static str, String)>);

/// Runs every attack on paths that applies.
pub(crate) fn on_paths(seen: &Seen<'_>, effort: &Effort) -> Result<Found, Error> {
    let crowd = Crowd::new(seen);
    let before_setting = crowd.setting.before();
    let l = seen.doublets;
    let known = format!("any {l} doublets of everybody's source path");
    let known = if seen.released.quasi().is_empty() {
        known
    } else {
        format!("{known} and the quasi-identifiers")
    };
    let consistent = if seen.everywhere && crowd.setting.all_or_none() {
        Matching::Consistent
    } else {
        Matching::ConsistentLocal
    };
    let ways = [
        Way {
            attack: "doublets",
            matching: Matching::Covers,
            knows: known.clone(),
            bounded: true,
        },
        Way {
            attack: "contradiction",
            matching: consistent,
            knows: format!("{known}, and discards records that contradict them"),
            bounded: seen.consistent,
        },
    ];
    let mut findings = fitting(seen, &crowd, &before_setting, &ways, effort)?;
    let mut reasons = habits(seen, &crowd, &before_setting, &mut findings)?;
    match neighbors(seen, &crowd, effort)? {
        Ok(found) => findings.push(found),
        Err(why) => reasons.push(("path-correlation", why)),
    }
    Ok((findings, reasons))
}

/// Runs the attack on transactions; an item is a doublet of its own time, so that nothing contradicts.
pub(crate) fn on_transactions(seen: &Seen<'_>, effort: &Effort) -> Result<Vec<Finding>, Error> {
    let crowd = Crowd::new(seen);
    let way = Way {
        attack: ITEMS,
        matching: Matching::Covers,
        knows: format!(
            "any {} items of everybody's source set, sensitive ones apart",
            seen.doublets
        ),
        bounded: true,
    };
    fitting(seen, &crowd, &crowd.setting.before(), &[way], effort)
}

/// The attack on items in the catalogue.
const ITEMS: &str = "items";

/// One way in which records fit what is known.
struct Way {
    attack: &'static str,
    matching: Matching,
    knows: String,
    bounded: bool,
}

/// Whom a few known doublets find, before and after, in each of these ways.
fn fitting(
    seen: &Seen<'_>,
    crowd: &Crowd,
    before_setting: &Setting,
    ways: &[Way],
    effort: &Effort,
) -> Result<Vec<Finding>, Error> {
    let wanted = Wanted::new(seen, crowd);
    let run = |way: &Way, setting: &Setting, matching, secrets: &[Secret]| {
        let attack = DoubletAttack::new(setting, matching, seen.doublets, secrets);
        let attack = attack.map_err(|error| attack_error(&error))?;
        let attack = if way.attack == ITEMS {
            attack.on_items()
        } else {
            attack
        };
        Ok::<Fates, Error>(attack.run(effort))
    };
    let mut findings = Vec::new();
    let mut before = None;
    for way in ways {
        let after = run(way, &crowd.setting, way.matching, &wanted.after)?;
        let before = match &before {
            Some(before) => before,
            None => before.insert(run(way, before_setting, Matching::Covers, &wanted.before)?),
        };
        let finding = |attribute, before, shown: Evidence, note, worst| Finding {
            attack: way.attack,
            attribute,
            knows: way.knows.clone(),
            bounded: way.bounded,
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
            worst_linked(seen, crowd, &after),
        ));
        for goal in &wanted.goals {
            let was = seen.own.as_ref();
            let was = was.map(|_| before.inference(goal.secrets.clone()));
            findings.push(finding(
                Some(goal.name.clone()),
                was,
                after.inference(goal.secrets.clone()),
                [goal.note.as_str(), &note].join(" ").trim().to_owned(),
                worst_told(seen, crowd, &after, goal),
            ));
        }
    }
    Ok(findings)
}

/// What was tried, where it is not everything.
fn tried(fates: &Fates) -> String {
    match fates.coverage {
        Coverage::Exhaustive => "Everything of that size was tried on everybody.".to_owned(),
        Coverage::Sampled { .. } => {
            "People were drawn, and what is known of them where that may be very much.".to_owned()
        }
    }
}

/// A victim as the steward's document names them.
fn victim(seen: &Seen<'_>, crowd: &Crowd, fate: &Fate, chance: f64) -> Value {
    let (record, source_record) = crowd.named(seen, fate.victim);
    json!({
        "chance": chance,
        "candidates": fate.fewest,
        "knowing": fate.knowing.iter().map(|&id| seen.raw.label(id)).collect::<Vec<_>>(),
        "record": record,
        "source_record": source_record,
        "people_like_this": fate.people,
    })
}

fn worst_linked(seen: &Seen<'_>, crowd: &Crowd, fates: &Fates) -> Vec<Value> {
    let mut order: Vec<&Fate> = fates.each.iter().filter(|fate| fate.fewest > 0).collect();
    order.sort_by_key(|fate| (fate.fewest, fate.victim));
    let named = order.into_iter().take(WORST);
    named
        .map(|fate| victim(seen, crowd, fate, fate.chance()))
        .collect()
}

fn worst_told(seen: &Seen<'_>, crowd: &Crowd, fates: &Fates, goal: &Goal) -> Vec<Value> {
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
        .map(|fate| victim(seen, crowd, fate, share(fate)))
        .collect()
}
