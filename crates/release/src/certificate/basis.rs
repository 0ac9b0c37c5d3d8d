//! What a claim rests on: what was published, or somebody's word.
//!
//! The same function tells a publisher what recipients can check, and a recipient what to measure. It looks at what is promised,
//! against which knowledge, and at the parts that columns play; never at what a certificate says of itself (`check`, `holds`).

use super::{Certificate, Check, Claim, ColumnRole, DataFile, PublishedColumn};
use denym_policy::Knowledge;
use denym_policy::paths::Matching;

/// What a claim rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// What was published, alone: whoever has it can measure the claim.
    Released,
    /// What was published, read with something that only the publisher knows: it can be counted, and shown false, but not proven.
    Counted(Word),
    /// Nothing that was published.
    Attested(Word),
}

/// What only the publisher knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// Which records are one person's.
    Numbering,
    /// Who is in the population.
    Register,
    /// What each person guards.
    Guards,
    /// How sensitive values were distributed before records were removed or values changed.
    Reference,
    /// That values were shuffled within groups.
    Shuffle,
    /// What the source paths contradict.
    Matching,
    /// Which places are sensitive and who was there.
    Places,
    /// Whose the trails are.
    Owners,
}

impl Basis {
    /// How the claim can be checked.
    pub fn check(self) -> Check {
        match self {
            Basis::Released => Check::Recheckable,
            Basis::Counted(_) | Basis::Attested(_) => Check::Attested,
        }
    }

    /// What the publisher's word is needed for.
    pub fn word(self) -> Option<Word> {
        match self {
            Basis::Released => None,
            Basis::Counted(word) | Basis::Attested(word) => Some(word),
        }
    }
}

impl Word {
    /// A stable name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Word::Numbering => "numbering",
            Word::Register => "register",
            Word::Guards => "guards",
            Word::Reference => "reference",
            Word::Shuffle => "shuffle",
            Word::Matching => "matching",
            Word::Places => "places",
            Word::Owners => "owners",
        }
    }

    /// What the publisher vouches for.
    pub fn sentence(self) -> &'static str {
        match self {
            Word::Numbering => "which records are one person's, only the publisher knows",
            Word::Register => "who is in the population, only the publisher knows",
            Word::Guards => "what each person guards, only the publisher knows",
            Word::Reference => {
                "how values were distributed before records were removed or changed, only the publisher knows"
            }
            Word::Shuffle => "that values were shuffled within groups, only the publisher knows",
            Word::Matching => "what the source paths contradict, only the publisher knows",
            Word::Places => "which places are sensitive, only the publisher knows",
            Word::Owners => "whose the trails are, only the publisher knows",
        }
    }
}

/// What kind of release a certificate speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Records with attributes.
    Table,
    /// Who was where and when.
    Paths,
    /// Which items each person has.
    Transactions,
    /// Which institutions hold data of each person.
    Trails,
}

impl Certificate {
    /// What the certificate speaks of; `None` when it speaks of two kinds at once.
    pub fn shape(&self) -> Option<Shape> {
        let trails = self.knows == Knowledge::Institutions;
        match (self.paths.is_some(), self.transactions.is_some(), trails) {
            (false, false, false) => Some(Shape::Table),
            (true, false, false) => Some(Shape::Paths),
            (false, true, false) => Some(Shape::Transactions),
            (false, false, true) => Some(Shape::Trails),
            _ => None,
        }
    }

    /// What `claim` rests on.
    pub fn basis(&self, claim: &Claim) -> Basis {
        let terms = &claim.terms;
        if let Some(layout) = &self.paths {
            return match layout.matching {
                _ if terms.is_about_places() => Basis::Attested(Word::Places),
                Matching::Consistent => Basis::Counted(Word::Matching),
                Matching::Covers => self.against_reference(claim),
            };
        }
        if self.transactions.is_some() {
            return self.against_reference(claim);
        }
        if self.knows == Knowledge::Institutions {
            return Basis::Attested(Word::Owners);
        }
        if terms.population().is_some() {
            return Basis::Attested(Word::Register);
        }
        if terms.guards().is_some() {
            return Basis::Attested(Word::Guards);
        }
        if self.groups.as_ref().is_some_and(|g| g.sensitive.is_none()) {
            return Basis::Counted(Word::Shuffle);
        }
        if self.subject.is_some() {
            // What was judged on combinations of classes too is worse than what the classes alone show.
            let alone = self.known_together.is_empty();
            return if alone && self.on_whole_classes(claim) {
                Basis::Counted(Word::Numbering)
            } else {
                // Numbers start anew in each class: on unions of classes they tell nothing about people.
                Basis::Attested(Word::Numbering)
            };
        }
        self.against_reference(claim)
    }

    /// What a claim rests on that is judged on what is shown, perhaps against a reference.
    fn against_reference(&self, claim: &Claim) -> Basis {
        if claim.terms.needs_reference() && self.reference_is_elsewhere(claim) {
            Basis::Counted(Word::Reference)
        } else {
            Basis::Released
        }
    }

    /// The published columns that `claim` is judged on.
    pub fn judged_on(&self, claim: &Claim) -> Vec<String> {
        let trails = self.knows == Knowledge::Institutions;
        let mut names = match &self.groups {
            Some(groups) => vec![groups.column.clone()],
            None if !claim.quasi_identifiers.is_empty() => claim.quasi_identifiers.clone(),
            None => self.quasi_identifiers.clone(),
        };
        // What an adversary knows beside quasi-identifiers, and what people are counted by.
        let structural = self.data.columns.iter().filter(|column| {
            trails
                || matches!(
                    column.role,
                    ColumnRole::SubjectNumber
                        | ColumnRole::Path
                        | ColumnRole::Place
                        | ColumnRole::Time
                        | ColumnRole::Item
                )
        });
        let structural = structural.map(|column| &column.name);
        let counted = claim.terms.counted();
        for name in structural.chain(&claim.attribute).chain(counted) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Every published file.
    pub fn files(&self) -> impl Iterator<Item = &DataFile> {
        let second = self.groups.as_ref().and_then(|g| g.sensitive.as_ref());
        std::iter::once(&self.data).chain(second)
    }

    /// Whether any promise looks at a published column.
    pub fn is_judged(&self, column: &PublishedColumn) -> bool {
        // A count says how often the value beside it occurs.
        column.role == ColumnRole::Count
            || self
                .claims
                .iter()
                .any(|claim| self.judged_on(claim).contains(&column.name))
    }

    /// Whether `claim` is judged on whole classes only: its adversary knows every quasi-identifier.
    pub fn on_whole_classes(&self, claim: &Claim) -> bool {
        let known = |name: &String| claim.quasi_identifiers.contains(name);
        self.knows == Knowledge::QuasiIdentifiers
            && (claim.quasi_identifiers.is_empty() || self.quasi_identifiers.iter().all(known))
    }

    /// Whether the reference of `claim` speaks of records that were removed, or of values that were changed.
    fn reference_is_elsewhere(&self, claim: &Claim) -> bool {
        self.suppressed_records > 0 || self.is_altered(claim.terms.attribute())
    }

    /// Whether the published values of an attribute are not those of its records.
    pub fn is_altered(&self, attribute: Option<&Option<String>>) -> bool {
        attribute.and_then(Option::as_ref).is_some_and(|name| {
            let has = |altered: &super::Altered| altered.columns.contains(name);
            self.altered.iter().any(has)
        })
    }

    /// The same certificate, its claims marked by what they rest on and by the bound that was asked for.
    #[must_use]
    pub fn marked(mut self) -> Certificate {
        for at in 0..self.claims.len() {
            self.claims[at].check = self.basis(&self.claims[at]).check();
            self.claims[at].asked = self.claims[at].terms.bound();
        }
        self
    }
}
