//! Trails under attack: both sides, how their labels relate, and what only the steward knows of owners.

use std::sync::OnceLock;

use super::posterior::Model;
use super::{Pair, SubtrailGraph, TrailOptions, TrailOutcome, TrailSide, attack_linked};
use crate::finding::{Declined, Finding, Ran};
use crate::{Coverage, Error, Evidence};

/// Anonymous trails whose owners are known.
#[derive(Debug, Clone, Copy)]
pub struct Truth<'a> {
    /// The identified row of each anonymous trail of the release; `None` for one that nobody here owns.
    pub owners: &'a [Option<u32>],
    /// The anonymous trails of the source, and the identified row of each, where they are at hand.
    pub source: Option<(TrailSide<'a>, &'a [Option<u32>])>,
}

/// Both sides of an attack on trails.
pub struct TrailScene<'a> {
    /// The anonymous side, as published.
    pub anonymous: TrailSide<'a>,
    /// The identified side.
    pub identified: TrailSide<'a>,
    /// Whether an anonymous and an identified label may belong to one person.
    pub relates: &'a (dyn Fn(u32, u32) -> bool + Sync),
    /// Which side may lack entries.
    pub options: TrailOptions,
    /// Who owns what, where the steward is looking on: then whom a method names wrongly does not count.
    pub truth: Option<Truth<'a>>,
    /// How often entries are wrong, for the attack that weighs that.
    pub model: Option<Model>,
    /// Whether one person behind several trails is looked for.
    pub find_multiple: bool,
    outcome: OnceLock<Result<TrailOutcome, Error>>,
    before: OnceLock<Result<TrailOutcome, Error>>,
}

impl<'a> TrailScene<'a> {
    /// A scene in which nothing was tried yet.
    pub fn new(
        anonymous: TrailSide<'a>,
        identified: TrailSide<'a>,
        relates: &'a (dyn Fn(u32, u32) -> bool + Sync),
        options: TrailOptions,
    ) -> Self {
        Self {
            anonymous,
            identified,
            relates,
            options,
            truth: None,
            model: None,
            find_multiple: false,
            outcome: OnceLock::new(),
            before: OnceLock::new(),
        }
    }

    /// The same where it is at hand what every method finds on the release.
    #[must_use]
    pub fn known(mut self, outcome: TrailOutcome) -> Self {
        self.outcome = OnceLock::from(Ok(outcome));
        self
    }

    /// What every method finds on the release.
    ///
    /// # Errors
    ///
    /// As [`attack_linked`].
    pub fn outcome(&self) -> Result<&TrailOutcome, Error> {
        let run = || attack_linked(self.anonymous, self.identified, self.relates, &self.options);
        self.outcome.get_or_init(run).as_ref().map_err(Clone::clone)
    }

    /// Which trails may belong to whom.
    ///
    /// # Errors
    ///
    /// As [`SubtrailGraph::build`].
    pub fn graph(&self) -> Result<SubtrailGraph, Error> {
        SubtrailGraph::between(self.anonymous, self.identified, self.relates, &self.options)
    }

    /// Whom one of the methods names, before and after; an error in words where it has no answer.
    pub(crate) fn named(
        &self,
        attack: &'static str,
        bounded: bool,
        note: &str,
        pairs: fn(&TrailOutcome) -> Option<&Vec<Pair>>,
    ) -> Ran {
        let Some(after) = pairs(self.outcome()?) else {
            return Err(Declined::because(
                "no assignment gives every trail an owner of its own, so nothing follows from one",
            ));
        };
        let count = |pairs: &[Pair], owners: Option<&[Option<u32>]>, trails: usize| {
            let right =
                |&&(a, i): &&Pair| owners.is_none_or(|owners| owners[a as usize] == Some(i));
            let found = pairs.iter().filter(right).count() as u64;
            Evidence::new(attack, found, trails as u64, Coverage::Exhaustive)
        };
        let trails = self.anonymous.trails.len();
        let before = match self.truth.and_then(|truth| truth.source) {
            None => None,
            Some((side, owners)) => {
                let run = || attack_linked(side, self.identified, self.relates, &self.options);
                let before = self
                    .before
                    .get_or_init(run)
                    .as_ref()
                    .map_err(Clone::clone)?;
                pairs(before).map(|pairs| count(pairs, Some(owners), side.trails.len()))
            }
        };
        let said = match self.truth {
            Some(_) => "",
            None => "Whom it names; whether rightly, nobody here knows.",
        };
        let after = count(after, self.truth.map(|truth| truth.owners), trails);
        Ok(vec![Finding {
            bounded,
            before,
            note: format!("{note} {said}").trim().to_owned(),
            ..Finding::new(after, "which institutions hold data of everybody")
        }])
    }
}
