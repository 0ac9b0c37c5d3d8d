//! Paths or transactions under attack: what is published, whose source records the adversary knows, and what must not be inferred.
//!
//! # Idea
//!
//! The adversary knows source records of people; the attacks look for their records in the release. Everything is tried on
//! everybody where that is affordable, else on people drawn with a seed, and the evidence says which.

use std::sync::OnceLock;

use denym_data::Fraction;
use denym_data::paths::Paths;
use serde_json::{Value, json};

use super::crowd::Crowd;
use super::secrets::{Inferables, InferenceGoal};
use super::{
    DoubletAttack, Effort, Exposure, FitRule, Inferable, TriedSets, VictimFate, VictimFates,
};
use crate::finding::Finding;
use crate::minimality::Originals;
use crate::{Coverage, Error, Evidence};

/// The most people that are named.
pub(crate) const WORST: usize = 10;

/// What must not be inferred with more than a share.
#[derive(Debug, Clone, PartialEq)]
pub enum Guarded {
    /// These values of a sensitive attribute; all of them when none is listed.
    Values {
        /// The attribute.
        attribute: String,
        /// The values.
        values: Vec<String>,
        /// The largest share.
        at_most: Fraction,
    },
    /// That one of these items is in a set.
    Items {
        /// The items.
        items: Vec<String>,
        /// The largest share.
        at_most: Fraction,
    },
    /// A visit to one of these places.
    Places {
        /// The places.
        places: Vec<String>,
        /// The largest share.
        at_most: Fraction,
    },
}

/// A release and what the attacks may use.
pub struct ReleasedSequences<'a> {
    /// The victims' source records.
    pub raw: &'a Paths,
    /// The written data.
    pub released: &'a Paths,
    /// The record of each victim, where it is known.
    pub own: Option<Vec<u32>>,
    /// For each source doublet the written ones that may stand for it, the source's own first.
    pub stands_for: Vec<Vec<u32>>,
    /// Whether doublets were removed from every record or none, as the adversary is taken to know.
    pub everywhere: bool,
    /// What must not be inferred.
    pub guarded: &'a [Guarded],
    /// Sensitive places that are published nowhere and bounded by nothing.
    pub hidden: &'a [String],
    /// How many doublets, or items, the adversary knows.
    pub known: usize,
    /// Whether the promise speaks of contradictions.
    pub consistent: bool,
    /// A time of the data in seconds, where it is one.
    pub seconds: fn(&str) -> Option<i64>,
}

/// Paths or transactions under attack.
pub struct SequenceScene<'a> {
    /// What is published and known.
    pub seen: ReleasedSequences<'a>,
    /// How much is tried.
    pub effort: Effort,
    /// What the search makes of other originals, or why that is not tried.
    pub originals: Result<Originals<'a>, String>,
    crowd: OnceLock<Crowd>,
    before: OnceLock<Result<VictimFates, Error>>,
}

/// One way in which records fit what is known.
pub(crate) struct FitAttack {
    pub(crate) attack: &'static str,
    pub(crate) matching: FitRule,
    pub(crate) knows: String,
    pub(crate) bounded: bool,
}

impl<'a> SequenceScene<'a> {
    /// A scene in which nothing was tried yet.
    pub fn new(
        seen: ReleasedSequences<'a>,
        effort: Effort,
        originals: Result<Originals<'a>, String>,
    ) -> Self {
        Self {
            seen,
            effort,
            originals,
            crowd: OnceLock::new(),
            before: OnceLock::new(),
        }
    }

    /// The people, those who are alike once.
    pub(crate) fn crowd(&self) -> &Crowd {
        self.crowd.get_or_init(|| Crowd::new(&self.seen))
    }

    /// What any so many doublets are, in words.
    pub(crate) fn known(&self) -> String {
        let known = format!(
            "any {} doublets of everybody's source path",
            self.seen.known
        );
        if self.seen.released.quasi().is_empty() {
            known
        } else {
            format!("{known} and the quasi-identifiers")
        }
    }

    /// Whom a few known doublets find, before and after, in this way.
    pub(crate) fn fitting(&self, way: &FitAttack) -> Result<Vec<Finding>, Error> {
        let (seen, crowd) = (&self.seen, self.crowd());
        let wanted = Inferables::new(seen, crowd);
        let run = |setting: &Exposure, matching, secrets: &[Inferable]| {
            let attack = DoubletAttack::new(setting, matching, seen.known, secrets)?;
            Ok(attack.run(&self.effort))
        };
        let before = self
            .before
            .get_or_init(|| run(&crowd.before, FitRule::Covers, &wanted.before));
        let before = before.as_ref().map_err(Clone::clone)?;
        let after = run(&crowd.setting, way.matching, &wanted.after)?;
        let finding = |attribute, before, shown: Evidence, note, worst| Finding {
            attribute,
            bounded: way.bounded,
            before,
            note,
            worst,
            ..Finding::new(shown, way.knows.clone())
        };
        let note = tried(&after);
        let mut findings = vec![finding(
            None,
            Some(before.linkage(way.attack)),
            after.linkage(way.attack),
            note.clone(),
            self.worst_linked(&after),
        )];
        for goal in &wanted.goals {
            let was = seen.own.as_ref();
            let was = was.map(|_| before.inference(way.attack, goal.secrets.clone()));
            findings.push(finding(
                Some(goal.name.clone()),
                was,
                after.inference(way.attack, goal.secrets.clone()),
                [goal.note.as_str(), &note].join(" ").trim().to_owned(),
                self.worst_told(&after, goal),
            ));
        }
        Ok(findings)
    }

    /// A victim as the steward's document names them.
    fn victim(&self, fate: &VictimFate, chance: f64) -> Value {
        let (record, source_record) = self.crowd().named(&self.seen, fate.victim);
        json!({
            "chance": chance,
            "candidates": fate.fewest,
            "knowing": fate.knowing.iter().map(|&id| self.seen.raw.label(id)).collect::<Vec<_>>(),
            "record": record,
            "source_record": source_record,
            "people_like_this": fate.people,
        })
    }

    fn worst_linked(&self, fates: &VictimFates) -> Vec<Value> {
        let mut order: Vec<&VictimFate> =
            fates.each.iter().filter(|fate| fate.fewest > 0).collect();
        order.sort_by_key(|fate| (fate.fewest, fate.victim));
        let named = order.into_iter().take(WORST);
        named.map(|fate| self.victim(fate, fate.chance())).collect()
    }

    fn worst_told(&self, fates: &VictimFates, goal: &InferenceGoal) -> Vec<Value> {
        let share = |fate: &VictimFate| {
            let each = fate.confidence[goal.secrets.clone()].iter();
            each.map(|&(having, group)| having as f64 / group as f64)
                .fold(0.0, f64::max)
        };
        let told = |fate: &&VictimFate| fate.told[goal.secrets.clone()].contains(&true);
        let mut order: Vec<&VictimFate> = fates.each.iter().filter(told).collect();
        order.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.victim.cmp(&b.victim)));
        let named = order.into_iter().take(WORST);
        named.map(|fate| self.victim(fate, share(fate))).collect()
    }
}

/// What was tried, where it is not everything.
fn tried(fates: &VictimFates) -> String {
    let all = fates
        .each
        .iter()
        .all(|fate| fate.tried == TriedSets::Everything);
    match (fates.coverage, all) {
        (Coverage::Exhaustive, true) => {
            "Everything of that size was tried on everybody.".to_owned()
        }
        (_, true) => "People were drawn; everything of that size was tried on them.".to_owned(),
        (_, false) => "People were drawn, and what is known of them where that may be very much: what was not tried may succeed.".to_owned(),
    }
}
