//! Control group: how much better an attack does on people in the data than on people like them who are not.
//!
//! # Idea
//!
//! That smokers get cancer is statistics; an adversary learns it of anybody, in the data or not. Run the same attack on the
//! members and on held-out people of the same kind: only what the members lose beyond the held-out is due to their data.
//! The risk is the share of what could still be lost: (members - held-out) / (1 - held-out).
//!
//! Three attacks. *Singling out*: a combination of published values that exactly one person has. *Linkability*: the records
//! nearest to one half of what is known of a person and to the other half are the same. *Inference*: the nearest record's
//! secret is the person's.
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

use crate::catalogue::known;
use crate::evidence::{Attack, Draw, sampled_once};
use crate::table::Covers;
use crate::{Error, Evidence, SplitMix64};

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
pub struct Setting<'a> {
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

impl<'a> Setting<'a> {
    fn check(&self) -> Result<(), Error> {
        for (what, table) in [
            ("published", self.published),
            ("members", self.members),
            ("held-out", self.held_out),
        ] {
            if table.len() != self.covers.len() {
                return Err(Error::LengthsDiffer {
                    what,
                    expected: self.covers.len(),
                    found: table.len(),
                });
            }
            let rows = table.first().map_or(0, |column| column.len());
            if let Some(column) = table.iter().find(|column| column.len() != rows) {
                return Err(Error::LengthsDiffer {
                    what,
                    expected: rows,
                    found: column.len(),
                });
            }
            for (column, relation) in table.iter().zip(self.covers) {
                let domain = if what == "published" {
                    relation.published_len()
                } else {
                    relation.external_len()
                };
                if let Some(row) = column.iter().position(|&code| code as usize >= domain) {
                    return Err(Error::CodeOutOfDomain { what, row, domain });
                }
            }
        }
        Ok(())
    }

    /// Predicates of `attributes` values of a published record; success when exactly one person satisfies them.
    ///
    /// # Errors
    ///
    /// When the tables do not fit together.
    pub fn singling_out(&self, attributes: usize) -> Result<Controlled, Error> {
        self.run("singling-out", |people| SinglingOut {
            setting: *self,
            people,
            attributes,
        })
    }

    /// Attributes numbered in `first` are one half of what is known, the others the second half.
    ///
    /// # Errors
    ///
    /// When the tables do not fit together.
    pub fn linkability(&self, first: &[usize]) -> Result<Controlled, Error> {
        let second: Vec<usize> = (0..self.covers.len())
            .filter(|at| !first.contains(at))
            .collect();
        self.run("linkability", |people| Linkability {
            setting: *self,
            people,
            first,
            second: &second,
        })
    }

    /// The secret is attribute number `secret`; the adversary knows the others.
    ///
    /// # Errors
    ///
    /// When the tables do not fit together or there is no such attribute.
    pub fn inference(&self, secret: usize) -> Result<Controlled, Error> {
        if secret >= self.covers.len() {
            return Err(Error::OutOfRange {
                what: "secret",
                range: "among the attributes",
            });
        }
        let known: Vec<usize> = (0..self.covers.len()).filter(|&at| at != secret).collect();
        self.run("inference", |people| Inference {
            setting: *self,
            people,
            known: &known,
            secret,
        })
    }

    fn run<A: Attack>(
        &self,
        name: &str,
        attack: impl Fn(&'a [&'a [u32]]) -> A,
    ) -> Result<Controlled, Error> {
        self.check()?;
        let run = |people| sampled_once(known(name), &attack(people), self.attempts, self.seed);
        Ok(Controlled::new(run(self.members), run(self.held_out)))
    }

    fn records(&self) -> usize {
        self.published.first().map_or(0, |column| column.len())
    }

    /// The published records that fail to cover the fewest of these attributes of a person, ascending.
    fn nearest(&self, people: &[&[u32]], person: usize, attributes: &[usize]) -> Vec<u32> {
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

fn rows(people: &[&[u32]]) -> usize {
    people.first().map_or(0, |column| column.len())
}

struct SinglingOut<'a> {
    setting: Setting<'a>,
    people: &'a [&'a [u32]],
    attributes: usize,
}

impl Attack for SinglingOut<'_> {
    type Knowledge = (usize, Vec<usize>);

    fn victims(&self) -> usize {
        self.setting.records()
    }

    /// A published record and the attributes of it that the predicate uses; one random choice in either case.
    fn knowledge(&self, record: usize, draw: Draw<'_>) -> Vec<(usize, Vec<usize>)> {
        let mut own = SplitMix64::new(self.setting.seed ^ record as u64);
        let rng = match draw {
            Draw::One(rng) => rng,
            Draw::All => &mut own,
        };
        vec![(
            record,
            rng.distinct(self.attributes, self.setting.covers.len()),
        )]
    }

    fn succeeds(&self, _: usize, (record, attributes): &(usize, Vec<usize>)) -> bool {
        let satisfies = |person: &usize| {
            let covers = |&at: &usize| {
                self.setting.covers[at].covers(
                    self.setting.published[at][*record],
                    self.people[at][*person],
                )
            };
            attributes.iter().all(covers)
        };
        (0..rows(self.people)).filter(satisfies).take(2).count() == 1
    }
}

struct Linkability<'a> {
    setting: Setting<'a>,
    people: &'a [&'a [u32]],
    first: &'a [usize],
    second: &'a [usize],
}

impl Attack for Linkability<'_> {
    type Knowledge = ();

    fn victims(&self) -> usize {
        rows(self.people)
    }

    fn knowledge(&self, _: usize, _: Draw<'_>) -> Vec<()> {
        vec![()]
    }

    /// The halves are linked when their nearest records are one and the same record.
    fn succeeds(&self, person: usize, (): &()) -> bool {
        let a = self.setting.nearest(self.people, person, self.first);
        let b = self.setting.nearest(self.people, person, self.second);
        let mut common = a.iter().filter(|record| b.binary_search(record).is_ok());
        common.next().is_some() && common.next().is_none()
    }
}

struct Inference<'a> {
    setting: Setting<'a>,
    people: &'a [&'a [u32]],
    known: &'a [usize],
    secret: usize,
}

impl Attack for Inference<'_> {
    type Knowledge = ();

    fn victims(&self) -> usize {
        rows(self.people)
    }

    fn knowledge(&self, _: usize, _: Draw<'_>) -> Vec<()> {
        vec![()]
    }

    /// The guess is the commonest published secret among the nearest records, the smallest code among equals.
    fn succeeds(&self, person: usize, (): &()) -> bool {
        let column = self.setting.published[self.secret];
        let nearest = self.setting.nearest(self.people, person, self.known);
        let mut codes: Vec<u32> = nearest
            .iter()
            .map(|&record| column[record as usize])
            .collect();
        codes.sort_unstable();
        let guess = codes
            .chunk_by(|a, b| a == b)
            .max_by_key(|chunk| (chunk.len(), std::cmp::Reverse(chunk[0])));
        guess.is_some_and(|chunk| {
            self.setting.covers[self.secret].covers(chunk[0], self.people[self.secret][person])
        })
    }
}
