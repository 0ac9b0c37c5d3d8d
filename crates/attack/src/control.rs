//! Control group: how much better an attack does on people in the data than on people like them who are not.
//!
//! # Idea
//!
//! That smokers get cancer is statistics; an adversary learns it of anybody, in the data or not. Run the same attack on the
//! members and on held-out people of the same kind: only what the members lose beyond the held-out is due to their data.
//! The risk is the share of what could still be lost: (members - held-out) / (1 - held-out).
//!
//! Attacks that are compared so: [`crate::attacks::singling_out`], [`crate::attacks::linkability`], [`crate::attacks::inference`].
//!
//! # Guarantee
//!
//! Rates have 95 % Clopper-Pearson intervals and the risk combines their ends, so its interval covers at 95 % or more jointly.
//!
//! # Reference
//!
//! M. Giomi, F. Boenisch, C. Wehmeyer, B. Tasnadi, "A unified framework for quantifying privacy risk in synthetic data", `PoPETs` 2023.
//!
//! # Cost
//!
//! Attempts x published records x attributes, all cores.

use crate::evidence::{AttackTrial, sampled_once};
use crate::table::Covers;
use crate::table::linkage::check;
use crate::{Error, Evidence};

/// One attack on members and on held-out people.
#[derive(Debug, Clone, PartialEq)]
pub struct Controlled {
    /// On people in the data.
    pub members: Evidence,
    /// On people of the same kind who are not.
    pub held_out: Evidence,
    /// (members - held-out) / (1 - held-out), at least 0.
    pub risk: f64,
    /// From the ends of both intervals.
    pub interval: (f64, f64),
}

impl Controlled {
    /// Compares two runs of one attack.
    pub fn new(members: Evidence, held_out: Evidence) -> Self {
        let risk = |a: f64, b: f64| {
            if b >= 1.0 {
                0.0
            } else {
                ((a - b) / (1.0 - b)).max(0.0)
            }
        };
        Self {
            risk: risk(members.rate, held_out.rate),
            interval: (
                risk(members.interval.0, held_out.interval.1),
                risk(members.interval.1, held_out.interval.0),
            ),
            members,
            held_out,
        }
    }

    /// Whether the members lose more than statistics explain: the interval does not reach 0.
    pub fn leaks(&self) -> bool {
        self.interval.0 > 0.0
    }
}

/// A release, and people as columns of codes; `covers[a]` relates published to people's codes of attribute `a`.
#[derive(Debug, Clone, Copy)]
pub struct Comparison<'a> {
    /// How many of the first attributes the adversary knows; each of the others is a secret.
    pub known: usize,
    /// Published columns.
    pub published: &'a [&'a [u32]],
    /// Relation of published to people's codes, per attribute.
    pub covers: &'a [Covers],
    /// People in the data.
    pub members: &'a [&'a [u32]],
    /// People of the same kind who are not; as many as members, or singling out is not comparable.
    pub held_out: &'a [&'a [u32]],
    /// Attempts on each of the two; nobody is tried twice.
    pub attempts: u64,
    /// Seed of the draws.
    pub seed: u64,
}

impl<'a> Comparison<'a> {
    fn check(&self) -> Result<(), Error> {
        if self.known > self.covers.len() {
            return Err(Error::OutOfRange {
                what: "known",
                range: "among the attributes",
            });
        }
        check(
            "published",
            self.published,
            self.covers,
            Covers::published_len,
        )?;
        check("members", self.members, self.covers, Covers::external_len)?;
        check("held-out", self.held_out, self.covers, Covers::external_len)?;
        Ok(())
    }

    /// Runs one attack on the members and on the others.
    ///
    /// # Errors
    ///
    /// When the tables do not fit together.
    pub(crate) fn compare<A: AttackTrial>(
        &self,
        name: &'static str,
        attack: impl Fn(&'a [&'a [u32]]) -> A,
    ) -> Result<Controlled, Error> {
        self.check()?;
        let run = |people| sampled_once(name, &attack(people), self.attempts, self.seed);
        Ok(Controlled::new(run(self.members), run(self.held_out)))
    }

    /// Published records.
    pub(crate) fn records(&self) -> usize {
        self.published.first().map_or(0, |column| column.len())
    }

    /// The published records that fail to cover the fewest of these attributes of a person, ascending.
    pub(crate) fn nearest(
        &self,
        people: &[&[u32]],
        person: usize,
        attributes: &[usize],
    ) -> Vec<u32> {
        let mut best = usize::MAX;
        let mut nearest = Vec::new();
        for record in 0..self.records() {
            let miss = |&&at: &&usize| {
                !self.covers[at].covers(self.published[at][record], people[at][person])
            };
            let distance = attributes.iter().filter(miss).count();
            if distance < best {
                best = distance;
                nearest.clear();
            }
            if distance == best {
                nearest.push(record as u32);
            }
        }
        nearest
    }
}

/// How many people there are.
pub(crate) fn rows(people: &[&[u32]]) -> usize {
    people.first().map_or(0, |column| column.len())
}
