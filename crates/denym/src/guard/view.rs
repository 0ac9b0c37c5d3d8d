//! What a guard looks at, whatever the kind of data: columns on their way out, and what became of whom.

use denym_data::{Code, Column, Hierarchy, Role, Table};

use crate::account::Account;
use crate::attack::RedTeam;
use crate::guard::said::Said;
use crate::policy::Policy;

/// What is known before the search.
pub(crate) struct Before<'a> {
    /// What is wanted.
    pub(crate) policy: &'a Policy,
    /// Records of the source.
    pub(crate) records: u64,
    /// The columns that will be published, with the values they have now.
    pub(crate) columns: Vec<Seen<'a>>,
    /// Whose record each is; a record is a person where this is nothing.
    pub(crate) people: Option<&'a Column>,
    /// The sensitive attributes.
    pub(crate) sensitive: Vec<String>,
    /// Whether what the adversary knows of people stands in columns.
    pub(crate) in_columns: bool,
}

impl<'a> Before<'a> {
    /// What the policy alone shows.
    pub(crate) fn of(policy: &'a Policy) -> Before<'a> {
        let sensitive = policy.with_role(Role::Sensitive);
        let stream = policy.stream.iter().flat_map(|own| &own.options.attributes);
        Before {
            policy,
            records: 0,
            columns: Vec::new(),
            people: None,
            sensitive: sensitive
                .map(|spec| spec.name.clone())
                .chain(stream.cloned())
                .collect(),
            in_columns: false,
        }
    }

    /// What is counted.
    pub(crate) fn unit(&self) -> Said {
        Said::new(if self.people.is_some() {
            "finding.unit.people"
        } else {
            "finding.unit.records"
        })
    }
}

/// A column that will be published.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    /// Its values.
    pub(crate) column: &'a Column,
    /// The part it plays.
    pub(crate) role: Role,
    /// Whether its values leave as they are: nothing is generalized, replaced or perturbed.
    pub(crate) as_it_is: bool,
}

/// What is known after the search.
pub(crate) struct After<'a> {
    /// What was known before it.
    pub(crate) before: &'a Before<'a>,
    /// How the run went.
    pub(crate) account: &'a Account,
    /// What the red team achieved.
    pub(crate) red_team: &'a RedTeam,
    /// What became of the records.
    pub(crate) fate: Fate<'a>,
}

/// What became of the records of the source.
#[derive(Default)]
pub(crate) struct Fate<'a> {
    /// The class that each record of the source is published in; `None` where it is not published. Nothing where nobody can tell.
    pub(crate) class_of: Option<Vec<Option<u32>>>,
    /// The written data, where it has a record per record.
    pub(crate) written: Option<&'a Table>,
    /// The hierarchies that labels of the release come from, by column.
    pub(crate) hierarchies: Vec<(&'a str, &'a Hierarchy)>,
}

/// How well a column tells people apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spread {
    /// People who have a value.
    pub(crate) people: u64,
    /// People with a value that nobody else has.
    pub(crate) alone: u64,
    /// Distinct values.
    pub(crate) distinct: u64,
}

impl Spread {
    /// How the values of `column` are spread over `people`, where these are not its records.
    pub(crate) fn of(column: &Column, people: Option<&Column>) -> Spread {
        let missing = column.dictionary.missing();
        let rows = (0..)
            .zip(&column.codes)
            .filter(|(_, code)| Some(**code) != missing);
        let person = |row: usize| people.map_or(row as u32, |people| people.codes[row]);
        let mut owners: Vec<Owner> = vec![Owner::Nobody; column.dictionary.len()];
        for (row, &code) in rows.clone() {
            let owner = &mut owners[code as usize];
            *owner = match *owner {
                Owner::Nobody => Owner::One(person(row)),
                Owner::One(other) if other == person(row) => Owner::One(other),
                _ => Owner::Several,
            };
        }
        let size = people.map_or(column.codes.len(), |people| people.dictionary.len());
        let (mut seen, mut alone) = (vec![false; size], vec![false; size]);
        for (row, &code) in rows {
            let person = person(row) as usize;
            seen[person] = true;
            alone[person] |= matches!(owners[code as usize], Owner::One(_));
        }
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count() as u64;
        let taken = |owner: &&Owner| !matches!(owner, Owner::Nobody);
        Spread {
            people: count(&seen),
            alone: count(&alone),
            distinct: owners.iter().filter(taken).count() as u64,
        }
    }

    /// Whether all but a tenth of at least so many people have a value of their own.
    pub(crate) fn nearly_unique(&self, least: u64) -> bool {
        self.people >= least && self.alone * 10 >= self.people * 9
    }

    /// Whether values point at few people each: a tenth has one alone, or there are many values for so few people.
    pub(crate) fn points(&self) -> bool {
        self.alone > 1 && self.alone * 10 >= self.people
            || self.distinct >= 10 && self.distinct * 20 >= self.people
    }
}

/// Whose a value is.
#[derive(Clone, Copy)]
enum Owner {
    Nobody,
    One(Code),
    Several,
}

/// People below which nothing is said of how nearly unique a column is: among few people every measurement is.
pub(crate) const ENOUGH: u64 = 20;
