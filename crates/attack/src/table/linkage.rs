//! Linkage: the published records that could be a person's, given what an external table says of that person.
//!
//! # Idea
//!
//! A record is a candidate when each of its published values covers the person's value. Equal published tuples form a
//! class; for each attribute and external value keep the classes that cover it as bits, and intersect over the attributes.
//!
//! # Guarantee
//!
//! Candidates are exact. A person with one candidate is found for certain if the person is known to be in the table;
//! otherwise see [`crate::attacks::presence`]. The expected number of right guesses is the sum of 1 / candidates.
//!
//! # Reference
//!
//! Survey section 2.1, Example 2.1; L. Sweeney, "k-anonymity", 2002.
//!
//! # Cost
//!
//! Distinct people x attributes x classes / 64, all cores; bits for every external value that occurs.

use crate::Error;
use hashbrown::HashTable;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Which external values of one attribute a published value may stand for: one row of bits per published code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Covers {
    published: usize,
    external: usize,
    bits: Vec<u64>,
}

impl Covers {
    /// The relation given by a function of (published code, external code).
    pub fn new(published: usize, external: usize, covers: impl Fn(u32, u32) -> bool) -> Self {
        let words = external.div_ceil(64);
        let mut bits = vec![0; published * words];
        for p in 0..published {
            for e in 0..external {
                if covers(p as u32, e as u32) {
                    bits[p * words + e / 64] |= 1 << (e % 64);
                }
            }
        }
        Self {
            published,
            external,
            bits,
        }
    }

    /// Values published as they are.
    pub fn equal(values: usize) -> Self {
        Self::new(values, values, |p, e| p == e)
    }

    /// How many published codes there are.
    pub fn published_len(&self) -> usize {
        self.published
    }

    /// How many external codes there are.
    pub fn external_len(&self) -> usize {
        self.external
    }

    /// Whether published code `p` may stand for external code `e`.
    pub fn covers(&self, p: u32, e: u32) -> bool {
        let words = self.external.div_ceil(64);
        self.bits[p as usize * words + e as usize / 64] >> (e % 64) & 1 == 1
    }
}

/// Who could be where: classes of equal published tuples, and for each person the classes that match.
#[derive(Debug, Clone)]
pub struct Linkage {
    /// Rows of each class, ascending; classes by first row.
    classes: Vec<Vec<u32>>,
    /// Distinct sets of matching classes.
    sets: Vec<Vec<u32>>,
    /// The set of each person.
    of_person: Vec<u32>,
    /// Whose each published row is, where several rows may be one subject's; subjects of two classes are two.
    subject_of: Option<Vec<u32>>,
}

impl Linkage {
    /// Links people to records. Both tables are columns of codes, one per quasi-identifier, with one relation each.
    ///
    /// # Errors
    ///
    /// When columns differ in number or length, or a code is outside its relation.
    pub fn of(published: &[&[u32]], external: &[&[u32]], covers: &[Covers]) -> Result<Self, Error> {
        let rows = check("published", published, covers, |c| c.published)?;
        let people = check("external", external, covers, |c| c.external)?;
        let (class_of, classes) = group(published, rows);
        let firsts: Vec<usize> = classes.iter().map(|rows| rows[0] as usize).collect();
        drop(class_of);
        let words = classes.len().div_ceil(64);
        // For each attribute, external value -> classes that cover it.
        let matching: Vec<Vec<u64>> = covers
            .par_iter()
            .enumerate()
            .map(|(attribute, relation)| {
                let mut bits = vec![0_u64; relation.external * words];
                let mut classes_of_code: Vec<Vec<usize>> = vec![Vec::new(); relation.published];
                for (class, &row) in firsts.iter().enumerate() {
                    classes_of_code[published[attribute][row] as usize].push(class);
                }
                for (code, members) in classes_of_code.iter().enumerate() {
                    for e in
                        (0..relation.external).filter(|&e| relation.covers(code as u32, e as u32))
                    {
                        for &class in members {
                            bits[e * words + class / 64] |= 1 << (class % 64);
                        }
                    }
                }
                bits
            })
            .collect();
        let (of_person, profiles) = group(external, people);
        let sets = profiles
            .par_iter()
            .map(|people| {
                let person = people[0] as usize;
                let mut bits = vec![u64::MAX; words];
                if let Some(last) = bits.last_mut() {
                    *last = u64::MAX >> ((64 - classes.len() % 64) % 64);
                }
                for (column, matching) in external.iter().zip(&matching) {
                    let at = column[person] as usize * words;
                    for (word, other) in bits.iter_mut().zip(&matching[at..at + words]) {
                        *word &= other;
                    }
                }
                let classes =
                    (0..classes.len()).filter(|class| bits[class / 64] >> (class % 64) & 1 == 1);
                classes.map(|class| class as u32).collect()
            })
            .collect();
        Ok(Self {
            classes,
            sets,
            of_person,
            subject_of: None,
        })
    }

    /// The same, where equal `subjects` of one class are one person: what is counted are people then. Numbers that start anew in
    /// every class tie nothing together across classes.
    ///
    /// # Errors
    ///
    /// When there is not one subject per published row.
    pub fn with_subjects(mut self, subjects: &[u32]) -> Result<Self, Error> {
        self.same_rows("subjects", subjects.len())?;
        let mut subject_of = vec![0; subjects.len()];
        let mut next = 0;
        for class in &self.classes {
            let mut known: BTreeMap<u32, u32> = BTreeMap::new();
            for &row in class {
                let number = *known.entry(subjects[row as usize]).or_insert_with(|| {
                    next += 1;
                    next - 1
                });
                subject_of[row as usize] = number;
            }
        }
        self.subject_of = Some(subject_of);
        Ok(self)
    }

    /// Whose a published row is: itself, where every record is a person.
    fn owner(&self, row: u32) -> u32 {
        self.subject_of
            .as_ref()
            .map_or(row, |subjects| subjects[row as usize])
    }

    /// People among these rows.
    fn owners<'a>(&self, rows: impl Iterator<Item = &'a u32>) -> u64 {
        match self.subject_of {
            None => rows.count() as u64,
            Some(_) => rows
                .map(|&row| self.owner(row))
                .collect::<BTreeSet<u32>>()
                .len() as u64,
        }
    }

    /// People of each class.
    pub fn class_people(&self) -> Vec<u64> {
        let classes = self.classes.iter();
        classes.map(|rows| self.owners(rows.iter())).collect()
    }

    /// What leads to sensitive values where they belong to groups of records: everybody's candidates stand for their whole
    /// groups, once for each candidate in it. A group counts by its size, so confidences are exact where groups are equally large.
    ///
    /// # Errors
    ///
    /// When there is not one group per published row.
    pub fn through_groups(&self, group_of: &[u32]) -> Result<Self, Error> {
        self.same_rows("groups", group_of.len())?;
        let (of_row, groups) = group(&[group_of], group_of.len());
        let sets = self.per_set(|classes| {
            let rows = classes
                .iter()
                .flat_map(|&class| &self.classes[class as usize]);
            let mut met: Vec<u32> = rows.map(|&row| of_row[row as usize]).collect();
            met.sort_unstable();
            met
        });
        Ok(Self {
            classes: groups,
            sets,
            of_person: self.of_person.clone(),
            subject_of: None,
        })
    }

    /// How many people were looked up.
    pub fn people(&self) -> usize {
        self.of_person.len()
    }

    /// Rows of each class of equal published tuples; classes by first row.
    pub fn classes(&self) -> &[Vec<u32>] {
        &self.classes
    }

    /// The classes that match `person`, ascending.
    pub fn matching_classes(&self, person: usize) -> &[u32] {
        &self.sets[self.of_person[person] as usize]
    }

    /// The rows that could be `person`'s, ascending.
    pub fn candidates(&self, person: usize) -> Vec<u32> {
        let mut rows: Vec<u32> = self
            .matching_classes(person)
            .iter()
            .flat_map(|&class| self.classes[class as usize].iter().copied())
            .collect();
        rows.sort_unstable();
        rows
    }

    /// How many records could be each person's; how many people, where records have subjects.
    pub fn candidate_counts(&self) -> Vec<u64> {
        let sizes = self.candidates_per_set();
        self.of_person
            .iter()
            .map(|&set| sizes[set as usize])
            .collect()
    }

    /// Candidates of each distinct set of classes.
    pub(crate) fn candidates_per_set(&self) -> Vec<u64> {
        let people = self.class_people();
        self.per_set(|classes| classes.iter().map(|&class| people[class as usize]).sum())
    }

    /// Expected number of right guesses when each person's record is guessed among the candidates.
    pub fn expected(&self) -> f64 {
        self.candidate_counts()
            .iter()
            .filter(|&&count| count > 0)
            .map(|&count| 1.0 / count as f64)
            .sum()
    }

    /// For each person how often each sensitive value occurs among the candidates.
    pub(crate) fn histograms(&self, sensitive: &[u32]) -> Result<Vec<BTreeMap<u32, u64>>, Error> {
        self.same_rows("sensitive", sensitive.len())?;
        Ok(self.per_set(|classes| {
            let rows = classes
                .iter()
                .flat_map(|&class| &self.classes[class as usize]);
            self.histogram(rows, sensitive)
        }))
    }

    /// How many records of these rows have each value; how many people, where records have subjects.
    pub(crate) fn histogram<'a>(
        &self,
        rows: impl Iterator<Item = &'a u32>,
        sensitive: &[u32],
    ) -> BTreeMap<u32, u64> {
        let mut histogram = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for &row in rows {
            let value = sensitive[row as usize];
            if self.subject_of.is_none() || seen.insert((value, self.owner(row))) {
                *histogram.entry(value).or_insert(0) += 1;
            }
        }
        histogram
    }

    /// The set of candidates of each person.
    pub(crate) fn sets_of_people(&self) -> &[u32] {
        &self.of_person
    }

    pub(crate) fn per_set<T: Send>(&self, f: impl Fn(&[u32]) -> T + Sync) -> Vec<T> {
        self.sets.par_iter().map(|classes| f(classes)).collect()
    }

    pub(crate) fn same_rows(&self, what: &'static str, found: usize) -> Result<(), Error> {
        let expected = self.classes.iter().map(Vec::len).sum();
        if found == expected {
            Ok(())
        } else {
            Err(Error::LengthsDiffer {
                what,
                expected,
                found,
            })
        }
    }
}

/// How many rows these columns have, which must be one per relation, equally long, and within the codes of their relation.
pub(crate) fn check(
    what: &'static str,
    columns: &[&[u32]],
    covers: &[Covers],
    domain: impl Fn(&Covers) -> usize,
) -> Result<usize, Error> {
    if columns.len() != covers.len() {
        return Err(Error::LengthsDiffer {
            what,
            expected: covers.len(),
            found: columns.len(),
        });
    }
    let rows = columns.first().map_or(0, |column| column.len());
    for (column, relation) in columns.iter().zip(covers) {
        if column.len() != rows {
            return Err(Error::LengthsDiffer {
                what,
                expected: rows,
                found: column.len(),
            });
        }
        if let Some(row) = column
            .iter()
            .position(|&code| code as usize >= domain(relation))
        {
            return Err(Error::CodeOutOfDomain {
                what,
                row,
                domain: domain(relation),
            });
        }
    }
    Ok(rows)
}

/// Groups of equal rows by first appearance: the group of each row, and the rows of each group.
pub(crate) fn group(columns: &[&[u32]], rows: usize) -> (Vec<u32>, Vec<Vec<u32>>) {
    let hash = |row: usize| {
        columns
            .iter()
            .fold(0x9E37_79B9_7F4A_7C15_u64, |hash, column| {
                let mixed = (hash.rotate_left(23) ^ u64::from(column[row]))
                    .wrapping_mul(0xD6E8_FEB8_6659_FD93);
                mixed ^ (mixed >> 32)
            })
    };
    let mut index: HashTable<u32> = HashTable::new();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut of_row = Vec::with_capacity(rows);
    for row in 0..rows {
        let found = index.find(hash(row), |&group| {
            let other = groups[group as usize][0] as usize;
            columns.iter().all(|column| column[row] == column[other])
        });
        let number = if let Some(&group) = found {
            group
        } else {
            let number = groups.len() as u32;
            groups.push(Vec::new());
            let groups = &groups;
            index.insert_unique(hash(row), number, |&group| {
                hash(groups[group as usize][0] as usize)
            });
            number
        };
        groups[number as usize].push(row as u32);
        of_row.push(number);
    }
    (of_row, groups)
}
