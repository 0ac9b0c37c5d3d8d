//! Everything published about the same people, judged together.
//!
//! # Idea
//!
//! The adversary has every release, knows everybody's quasi-identifiers and who is in which release. Two people who stood in the same
//! classes of the same releases are the same to this adversary: exchange all their records, and neither what is known nor what was
//! published changes. Such people form a *block*. Every release cuts blocks into those who stand in the same class of it, and those who
//! are not in it:
//!
//! ```text
//!  release 1   [ a b c d e f ]            one class
//!  release 2   [ a b c ] [ d e ]  f left  two classes; blocks abc, de and f: f is alone, whatever k was
//! ```
//!
//! # Guarantee
//!
//! Every promise that was given with a release is judged on the blocks of all releases so far, with the values that its people showed
//! in that release. Nobody's set of candidates, and no set of values that remain possible, is smaller than what was promised. It holds for
//! whatever else is published of the records, tokens and insensitive columns included, and for values that change. It is stricter than
//! need be for an adversary who knows less.
//!
//! Not covered: who knows the program and runs it backwards; one person under two subjects.
//!
//! # Reference
//!
//! Survey section 6.3 (intersection, difference; Byun et al.: a group gains none or at least k; Fung et al.: the attacker knows the
//! timestamps). Exchanging people is our argument; `tests/histories.rs` enumerates worlds against it.
//!
//! # Cost
//!
//! Linear in the members of all releases, up to sorting.

use std::collections::HashMap;

use denym_data::Code;
use denym_measure::{Group, Histogram, Promise, Sense, SensitiveAttribute, by_subjects};
use denym_policy::{Knowledge, PromiseSpec};

use super::members::{Members, Token};
use crate::Error;
use crate::certificate::{Certificate, Check, Claim};
use crate::evidence::{Evidence, judges};
use crate::sensitive::from_certificate;

/// A release of the ledger: what was promised, about what, and who is in it.
#[derive(Debug, Clone)]
pub struct Issued {
    /// The number of its entry.
    pub number: u64,
    /// What was promised.
    pub promises: Vec<PromiseSpec>,
    /// What promises speak of.
    pub sensitive: Vec<SensitiveAttribute>,
    /// Who is in it.
    pub members: Members,
}

/// A promise of one release that all of them together break.
#[derive(Debug, Clone, PartialEq)]
pub struct Exposed {
    /// The entry whose promise it is.
    pub number: u64,
    /// The promise.
    pub promise: PromiseSpec,
    /// The worst value over all blocks.
    pub measured: f64,
    /// People in blocks that do not meet it.
    pub people: u64,
}

/// Everything published so far.
#[derive(Default)]
pub struct History {
    person_of: HashMap<Token, u32>,
    tokens: Vec<Token>,
    /// The block of each person, before the last release that was seen and not yet settled.
    block_of: Vec<u32>,
    seen: Vec<Seen>,
}

/// A release with rows in the order of people.
struct Seen {
    number: u64,
    promises: Vec<PromiseSpec>,
    judges: Vec<Box<dyn Promise>>,
    /// For each person the first row and how many; nothing for who is not in it.
    rows: Vec<(u32, u32)>,
    /// For each person a number for the classes they stand in; nothing for who is not in it.
    stands: Vec<Option<u32>>,
    /// For each sensitive attribute the code of each row.
    codes: Vec<Vec<Code>>,
}

/// The block of people who were never published: no promise is about them.
const NEVER: u32 = 0;

impl Issued {
    /// What an earlier certificate promised, of these members.
    pub fn certified(
        number: u64,
        certificate: &Certificate,
        members: Members,
    ) -> Result<Issued, Error> {
        let table = members.table()?;
        let sensitive = certificate.sensitive.iter().map(|certified| {
            let values = table.column(&certified.name);
            from_certificate(certified, values.filter(|_| certified.parts.is_empty()))
        });
        Ok(Issued {
            number,
            promises: certificate
                .claims
                .iter()
                .map(|claim| claim.terms.clone())
                .collect(),
            sensitive: sensitive.collect(),
            members,
        })
    }
}

impl History {
    /// The releases of a ledger, in their order, each cutting the blocks of those before it.
    pub fn of(releases: &[Issued]) -> Result<History, Error> {
        let mut history = History::default();
        for issued in releases {
            history.see(issued)?;
            history.settle();
        }
        Ok(history)
    }

    /// Takes a release in, without cutting blocks by it yet.
    pub fn see(&mut self, issued: &Issued) -> Result<(), Error> {
        let members = &issued.members;
        let table = members.table()?;
        let evidence = Evidence {
            table: &table,
            knows: Knowledge::QuasiIdentifiers,
            quasi: &[],
            sensitive: &issued.sensitive,
            subject: None,
            promises: &[],
            scopes: &[],
            population: None,
        };
        let (view, roles) = evidence.view()?;
        let codes = roles.sensitive.iter();
        let codes = codes.map(|&at| view.columns()[at].codes.clone()).collect();
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut rows = vec![(0, 0); self.tokens.len()];
        let mut stands = vec![None; self.tokens.len()];
        let mut start = 0;
        for own in members.tokens().chunk_by(|a, b| a == b) {
            let mut classes = members.classes()[start..start + own.len()].to_vec();
            classes.sort_unstable();
            classes.dedup();
            let next = known.len() as u32;
            let stand = *known.entry(classes).or_insert(next);
            let person = *self.person_of.entry(own[0]).or_insert_with(|| {
                self.tokens.push(own[0]);
                self.block_of.push(NEVER);
                rows.push((0, 0));
                stands.push(None);
                self.tokens.len() as u32 - 1
            });
            rows[person as usize] = (start as u32, own.len() as u32);
            stands[person as usize] = Some(stand);
            start += own.len();
        }
        self.seen.push(Seen {
            number: issued.number,
            judges: judges(&issued.promises, &issued.sensitive)?,
            promises: issued.promises.clone(),
            rows,
            stands,
            codes,
        });
        Ok(())
    }

    /// Cuts blocks by the last release.
    pub fn settle(&mut self) {
        let Some(last) = self.seen.last() else { return };
        let mut known: HashMap<(u32, Option<u32>), u32> = HashMap::from([((NEVER, None), NEVER)]);
        for (person, block) in self.block_of.iter_mut().enumerate() {
            let next = known.len() as u32;
            *block = *known.entry((*block, last.stand(person))).or_insert(next);
        }
    }

    /// How many releases were seen.
    pub fn releases(&self) -> u64 {
        self.seen.len() as u64
    }

    /// How many people were ever published.
    pub fn people(&self) -> u64 {
        self.tokens.len() as u64
    }

    /// The token of a person.
    pub fn token(&self, person: u32) -> Token {
        self.tokens[person as usize]
    }

    /// Where a person stands in the last release; nothing for who is not in it.
    pub fn stands(&self, person: u32) -> Option<u32> {
        self.seen.last()?.stand(person as usize)
    }

    /// Whether a person was published before the last release was seen.
    pub fn was_published(&self, person: u32) -> bool {
        self.block_of[person as usize] != NEVER
    }

    /// The people of each block that was settled, newcomers of the last release among them as the first block.
    pub fn blocks(&self) -> Vec<Vec<u32>> {
        let many = self.block_of.iter().max().map_or(1, |&last| last + 1);
        let mut blocks = vec![Vec::new(); many as usize];
        for (person, &block) in self.block_of.iter().enumerate() {
            blocks[block as usize].push(person as u32);
        }
        blocks
    }

    /// Whether nobody of `people`, who look alike in the first `releases` releases, is shown by them to be less than promised.
    pub fn admits(&self, people: &[u32], releases: usize) -> bool {
        self.seen[..releases].iter().all(|seen| {
            let admits = |group: &Group<'_>| seen.judges.iter().all(|judge| judge.admits(group));
            seen.with_group(people, admits).unwrap_or(true)
        })
    }

    /// The fewest people of any block of published people; nothing where nobody was published.
    pub fn smallest_block(&self) -> Option<u64> {
        let blocks = self.blocks();
        let sizes = blocks[1..].iter().map(|block| block.len() as u64);
        sizes.filter(|&size| size > 0).min()
    }

    /// People of the last release who were in the one before it.
    pub fn stayed(&self) -> u64 {
        let [.., before, last] = self.seen.as_slice() else {
            return 0;
        };
        let both = |person: &usize| before.stand(*person).and(last.stand(*person)).is_some();
        (0..self.tokens.len()).filter(both).count() as u64
    }

    /// Every promise of every release on the blocks of all: what it came to, and which are broken.
    pub fn judge(&self) -> (Vec<Claim>, Vec<Exposed>) {
        let (mut claims, mut exposed): (Vec<Claim>, Vec<Exposed>) = (Vec::new(), Vec::new());
        let blocks = self.blocks();
        for seen in &self.seen {
            let mut found: Vec<(Option<f64>, u64)> = vec![(None, 0); seen.judges.len()];
            for block in blocks.get(1..).unwrap_or_default() {
                seen.with_group(block, |group| {
                    for (judge, (worst, people)) in seen.judges.iter().zip(&mut found) {
                        let value = judge.value(group);
                        let sense = judge.terms().sense;
                        *worst = Some(worst.map_or(value, |worst| worse(sense, worst, value)));
                        if !judge.admits(group) {
                            *people += group.subjects;
                        }
                    }
                });
            }
            for (promise, (worst, people)) in seen.promises.iter().zip(found) {
                let Some(measured) = worst else { continue };
                if people > 0 {
                    exposed.push(Exposed {
                        number: seen.number,
                        promise: promise.clone(),
                        measured,
                        people,
                    });
                }
                add(&mut claims, promise, measured, people);
            }
        }
        (claims, exposed)
    }
}

impl Seen {
    fn stand(&self, person: usize) -> Option<u32> {
        self.stands.get(person).copied().flatten()
    }

    /// The records of these people as a group; nothing where none of them is in the release.
    fn with_group<R>(&self, people: &[u32], look: impl FnOnce(&Group<'_>) -> R) -> Option<R> {
        let rows = |person: u32| {
            let (start, many) = self.rows.get(person as usize).copied().unwrap_or_default();
            start..start + many
        };
        let present = people.iter().filter(|&&person| !rows(person).is_empty());
        let subjects = present.count() as u64;
        if subjects == 0 {
            return None;
        }
        let records = people.iter().map(|&person| rows(person).len() as u64).sum();
        let counts: Vec<Vec<(Code, u64)>> = self
            .codes
            .iter()
            .map(|codes| {
                let each = people
                    .iter()
                    .flat_map(|&person| rows(person).map(move |row| (codes[row as usize], person)));
                by_subjects(each.collect())
            })
            .collect();
        let histograms: Vec<Histogram<'_>> =
            counts.iter().map(|counts| Histogram::new(counts)).collect();
        Some(look(&Group::new(records, subjects, &histograms)))
    }
}

fn worse(sense: Sense, one: f64, other: f64) -> f64 {
    match sense {
        Sense::AtLeast => one.min(other),
        Sense::AtMost => one.max(other),
    }
}

/// Adds what one release found of a promise to what others found of the same.
fn add(claims: &mut Vec<Claim>, promise: &PromiseSpec, measured: f64, people: u64) {
    let same = |claim: &&mut Claim| claim.terms == *promise;
    let Some(claim) = claims.iter_mut().find(same) else {
        claims.push(Claim {
            promise: promise.name().to_owned(),
            attribute: promise.attribute().cloned().flatten(),
            quasi_identifiers: Vec::new(),
            asked: promise.bound(),
            measured,
            holds: Some(people == 0),
            violating_records: people,
            check: Check::Attested,
            terms: promise.clone(),
        });
        return;
    };
    claim.measured = worse(promise.entry().sense, claim.measured, measured);
    claim.holds = Some(claim.holds == Some(true) && people == 0);
    claim.violating_records += people;
}

#[cfg(test)]
mod tests;
