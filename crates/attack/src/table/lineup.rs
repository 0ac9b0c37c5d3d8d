//! The line-up: for everybody who is looked for, the people who could be them, and what these have in common.
//!
//! # Idea
//!
//! Whatever the adversary knows, it leaves a set of *candidates*. People whose values are known as published have the records of their
//! class; people of an external table have every record whose published values cover theirs ([`Linkage`]). Where sensitive values
//! belong to groups of records, a candidate stands for the group it is in. An attack on a table looks at one such set and says
//! how sure it makes the adversary; that is all it is, and it is the same attack for every way to know something.
//!
//! # Cost
//!
//! One look at every distinct set of candidates and attack.

use std::borrow::Cow;
use std::collections::BTreeMap;

use denym_data::{Column, Table};
use denym_measure::{Classes, Roles};

use super::linkage::Linkage;
use crate::Error;

/// What an attack on candidates is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aim {
    /// Which of them is the victim: its rate is the mean chance of a right guess.
    Record,
    /// A sensitive value of the victim: its rate is the share of people of whom one follows.
    Value,
    /// A sensitive number of the victim, as [`Aim::Value`].
    Number,
}

/// How much the adversary asks of an attack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wish {
    /// How sure of a value is sure enough; 1 for certain.
    pub confidence: f64,
    /// How many values the adversary knows the victim not to have, where an attack uses that.
    pub rule_out: usize,
    /// How many times likelier than overall a value must be, where an attack uses that.
    pub gain: f64,
    /// How far from each other numbers are close; a tenth of the range of all when `None`.
    pub within: Option<f64>,
}

impl Default for Wish {
    fn default() -> Self {
        Self {
            confidence: 1.0,
            rule_out: 1,
            gain: 5.0,
            within: None,
        }
    }
}

/// The share of the range of all numbers within which numbers are close, where nothing else is asked for.
const CLOSE: f64 = 0.1;

/// The people who could be one victim.
#[derive(Debug, Clone, Copy)]
pub struct Candidates<'a> {
    /// How many they are.
    pub people: u64,
    /// Of one sensitive attribute: each value among them, ascending by code, with how many have it.
    pub values: &'a [(u32, u64)],
    /// How many the values are counted over: the people, or all members of their groups.
    pub total: u64,
    /// The attribute in the whole table.
    pub overall: &'a Overall,
}

impl Candidates<'_> {
    /// The share of the candidates with this count.
    pub fn share(&self, count: u64) -> f64 {
        count as f64 / self.total as f64
    }
}

/// A sensitive attribute over everybody.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Overall {
    /// How many people have each value, by code.
    pub counts: Vec<u64>,
    /// How many people there are.
    pub people: u64,
    /// The number that each code stands for; empty when not all of them are numbers.
    pub numbers: Vec<Option<f64>>,
    /// The largest number less the smallest.
    pub range: f64,
}

impl Overall {
    /// How far apart numbers may be and still be close.
    pub fn close(&self, wish: &Wish) -> f64 {
        wish.within.unwrap_or(self.range * CLOSE)
    }

    fn of(people: u64, counts: Vec<u64>, texts: &[Option<&str>]) -> Self {
        let used = |code: usize| counts.get(code).is_some_and(|&count| count > 0);
        let text = |code: usize| {
            texts
                .get(code)
                .copied()
                .flatten()
                .unwrap_or_default()
                .trim()
        };
        let numbers: Vec<Option<f64>> = (0..counts.len())
            .map(|code| text(code).parse().ok())
            .collect();
        let all = (0..counts.len())
            .filter(|&code| used(code))
            .all(|code| text(code).is_empty() || numbers[code].is_some_and(f64::is_finite));
        let here = (0..counts.len()).filter(|&code| used(code));
        let (low, high) = here
            .filter_map(|code| numbers[code])
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
                (low.min(number), high.max(number))
            });
        let range = (high - low).max(0.0);
        Self {
            numbers: if all && low <= high {
                numbers
            } else {
                Vec::new()
            },
            range: if range.is_finite() { range } else { 0.0 },
            counts,
            people,
        }
    }
}

/// What an attack tells the adversary about a victim.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conclusion {
    /// The sensitive value, by code; `None` for the record or a range.
    pub value: Option<u32>,
    /// How sure it is.
    pub sure: f64,
}

/// A table as an adversary or the steward sees it.
#[derive(Debug, Clone)]
pub struct Attacked<'a> {
    /// The table.
    pub table: &'a Table,
    /// What its columns are.
    pub roles: Roles,
    /// The column of groups, where sensitive values belong to groups instead of records.
    pub groups: Option<usize>,
    /// Its classes over all quasi-identifiers, where they are at hand.
    pub classes: Option<&'a Classes>,
}

impl<'a> Attacked<'a> {
    /// The group of each record, where sensitive values belong to groups.
    pub(super) fn group_codes(&self) -> Option<&'a [u32]> {
        let column = &self.table.columns()[self.groups?];
        Some(column.codes.as_slice())
    }

    /// Classes of equal values of `columns`.
    pub(super) fn classes_by(&self, columns: &[usize]) -> Cow<'_, Classes> {
        match self.classes {
            Some(whole) if columns == self.roles.quasi => Cow::Borrowed(whole),
            _ => Cow::Owned(Classes::of(
                self.table,
                &Roles {
                    quasi: columns.to_vec(),
                    ..self.roles.clone()
                },
            )),
        }
    }
}

/// Distinct sets of candidates, and who has which.
#[derive(Debug)]
pub struct Lineup<'a> {
    crowd: Vec<u64>,
    values: CandidateValues<'a>,
    overall: Vec<Overall>,
    members: LineupMembers<'a>,
}

/// The values among each set of candidates.
#[derive(Debug)]
enum CandidateValues<'a> {
    Classes(&'a Classes),
    /// For each attribute and set the values with their counts, and what they are counted over.
    ValueCounts(Vec<Vec<ValueCounts>>),
}

/// Values with how many have each, and how many they are counted over.
type ValueCounts = (Vec<(u32, u64)>, u64);

/// Who has which candidates.
#[derive(Debug)]
enum LineupMembers<'a> {
    /// The records of each class.
    Classes(&'a Classes),
    /// The set of each person.
    People(&'a [u32]),
}

impl<'a> Lineup<'a> {
    /// Everybody in `attacked` by their published values, of which `classes` are the classes.
    pub fn within(attacked: &Attacked<'_>, classes: &'a Classes) -> Self {
        let overall = attacked.roles.sensitive.iter().enumerate();
        let overall = overall.map(|(at, &column)| {
            let column = &attacked.table.columns()[column];
            let mut counts = vec![0; column.dictionary.len()];
            for class in 0..classes.len() {
                for &(value, count) in classes.histogram(at, class).counts {
                    counts[value as usize] += count;
                }
            }
            Overall::of(classes.subjects().iter().sum(), counts, &texts(column))
        });
        let values = match attacked.groups {
            None => CandidateValues::Classes(classes),
            Some(group) => {
                let groups = attacked.classes_by(&[group]);
                let of_row = groups.class_of();
                let through = |class: usize, attribute: usize| {
                    let met = classes.rows(class).iter().map(|&row| of_row[row as usize]);
                    mixed(met.map(|group| {
                        let group = group as usize;
                        (
                            groups.histogram(attribute, group).counts,
                            groups.subjects()[group],
                        )
                    }))
                };
                let attributes = 0..attacked.roles.sensitive.len();
                let counted = attributes.map(|attribute| {
                    (0..classes.len())
                        .map(|class| through(class, attribute))
                        .collect()
                });
                CandidateValues::ValueCounts(counted.collect())
            }
        };
        Self {
            crowd: classes.subjects().to_vec(),
            overall: overall.collect(),
            values,
            members: LineupMembers::Classes(classes),
        }
    }

    /// Everybody of an external table, by the records that could be theirs; `sensitive` are the published columns that are asked
    /// about, with the text of each code, `groups` the group of each record where values belong to groups.
    ///
    /// # Errors
    ///
    /// When a column has not one code per published record.
    pub fn linked(
        linkage: &'a Linkage,
        sensitive: &[(&[u32], Vec<Option<&str>>)],
        groups: Option<&[u32]>,
    ) -> Result<Self, Error> {
        let crowd = linkage.candidates_per_set();
        let through = groups
            .map(|groups| linkage.through_groups(groups))
            .transpose()?;
        let leading = through.as_ref().unwrap_or(linkage);
        let totals = leading.candidates_per_set();
        let (mut counted, mut overall) = (Vec::new(), Vec::new());
        for (codes, texts) in sensitive {
            let all: Vec<u32> = (0..codes.len() as u32).collect();
            let mut counts = vec![0; texts.len()];
            for (value, count) in linkage.histogram(all.iter(), codes) {
                counts[value as usize] = count;
            }
            let people = linkage.class_people().iter().sum();
            overall.push(Overall::of(people, counts, texts));
            let each = leading.histograms(codes)?.into_iter().zip(&totals);
            counted.push(
                each.map(|(counts, &total)| (counts.into_iter().collect(), total))
                    .collect(),
            );
        }
        Ok(Self {
            crowd,
            overall,
            values: CandidateValues::ValueCounts(counted),
            members: LineupMembers::People(linkage.sets_of_people()),
        })
    }

    /// How many distinct sets of candidates there are.
    pub fn len(&self) -> usize {
        self.crowd.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.crowd.is_empty()
    }

    /// A sensitive attribute over everybody.
    pub fn overall(&self, attribute: usize) -> &Overall {
        &self.overall[attribute]
    }

    /// What `attack` tells of whoever has each set of candidates; `attribute` is what it is after.
    pub fn told(
        &self,
        attack: fn(&Candidates<'_>, &Wish) -> Option<Conclusion>,
        attribute: Option<usize>,
        wish: &Wish,
    ) -> Vec<Option<Conclusion>> {
        let nothing = Overall::default();
        (0..self.len())
            .map(|set| {
                let people = self.crowd[set];
                let (values, total) = match (attribute, &self.values) {
                    (None, _) => (&[][..], people),
                    (Some(at), CandidateValues::Classes(classes)) => {
                        (classes.histogram(at, set).counts, people)
                    }
                    (Some(at), CandidateValues::ValueCounts(all)) => {
                        (&all[at][set].0[..], all[at][set].1)
                    }
                };
                let overall = attribute.map_or(&nothing, |at| &self.overall[at]);
                let here = Candidates {
                    people,
                    values,
                    total,
                    overall,
                };
                (people > 0).then(|| attack(&here, wish)).flatten()
            })
            .collect()
    }

    /// How many people have each set of candidates; nobody has a set of none.
    pub fn people(&self) -> Vec<u64> {
        match &self.members {
            LineupMembers::Classes(_) => self.crowd.clone(),
            LineupMembers::People(of) => {
                let mut people = vec![0; self.len()];
                for &set in *of {
                    people[set as usize] += u64::from(self.crowd[set as usize] > 0);
                }
                people
            }
        }
    }

    /// What each person is told, by row of the table they were looked up in.
    pub fn of_each(&self, told: &[Option<Conclusion>]) -> Vec<(u32, Conclusion)> {
        match &self.members {
            LineupMembers::Classes(classes) => {
                let each = told.iter().enumerate();
                let each = each.filter_map(|(class, told)| Some((class, (*told)?)));
                each.flat_map(|(class, told)| {
                    classes.rows(class).iter().map(move |&row| (row, told))
                })
                .collect()
            }
            LineupMembers::People(of) => {
                let each = (0..).zip(*of);
                each.filter_map(|(person, &set)| Some((person, told[set as usize]?)))
                    .collect()
            }
        }
    }
}

/// The text of each code.
pub(super) fn texts(column: &Column) -> Vec<Option<&str>> {
    let codes = 0..column.dictionary.len() as u32;
    codes.map(|code| column.dictionary.text(code)).collect()
}

/// Histograms put together, and what they are counted over.
fn mixed<'h>(parts: impl Iterator<Item = (&'h [(u32, u64)], u64)>) -> ValueCounts {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    let mut total = 0;
    for (part, people) in parts {
        total += people;
        for &(value, count) in part {
            *counts.entry(value).or_insert(0) += count;
        }
    }
    (counts.into_iter().collect(), total)
}
