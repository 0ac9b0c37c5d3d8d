//! The groups of a table: records that agree on what an adversary knows, with the histograms that promises look at.
//!
//! # Idea
//!
//! One pass brings equal tuples together; a second counts, class by class and on all cores, the values of each sensitive attribute. A
//! table with a subject column counts people: a class has as many subjects as distinct people, and a value counts once
//! per person who shows it.
//!
//! # Cost
//!
//! One sort of n words and one scan per sensitive attribute; memory 4 bytes per record and 16 per (class, value) pair.

use std::sync::Arc;

use denym_data::{Code, Dictionary, Table};
use rayon::prelude::*;

use crate::partition::{Axis, Partition};
use crate::{Error, Group, Histogram, by_subjects};

/// Which columns an adversary knows, which must not be learned, and which one tells people apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roles {
    /// Positions of the quasi-identifiers.
    pub quasi: Vec<usize>,
    /// Positions of the sensitive attributes.
    pub sensitive: Vec<usize>,
    /// Position of the subject column.
    pub subject: Option<usize>,
}

impl Roles {
    /// Finds columns by name.
    pub fn by_name(
        table: &Table,
        quasi: &[&str],
        sensitive: &[&str],
        subject: Option<&str>,
    ) -> Result<Roles, Error> {
        let find = |name: &str| {
            table.position(name).ok_or_else(|| Error::UnknownColumn {
                column: name.to_owned(),
                known: table
                    .columns()
                    .iter()
                    .map(|column| column.name.clone())
                    .collect(),
            })
        };
        let roles = Roles {
            quasi: quasi
                .iter()
                .map(|name| find(name))
                .collect::<Result<_, _>>()?,
            sensitive: sensitive
                .iter()
                .map(|name| find(name))
                .collect::<Result<_, _>>()?,
            subject: subject.map(find).transpose()?,
        };
        let mut used: Vec<usize> = roles
            .quasi
            .iter()
            .chain(&roles.sensitive)
            .copied()
            .collect();
        used.extend(roles.subject);
        used.sort_unstable();
        match used.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(Error::RepeatedColumn {
                column: table.columns()[pair[0]].name.clone(),
            }),
            None => Ok(roles),
        }
    }
}

/// A sensitive attribute as the classes know it.
#[derive(Debug, Clone)]
pub struct ClassAttribute {
    /// The column's name.
    pub name: String,
    /// Its values.
    pub dictionary: Arc<Dictionary>,
    /// How often each value occurs over all classes, by code; once per subject when there is a subject column.
    pub reference: Vec<u64>,
}

/// Histograms of one attribute, class after class.
#[derive(Debug, Clone, Default)]
struct Histograms {
    items: Vec<(Code, u64)>,
    starts: Vec<usize>,
}

impl Histograms {
    /// The histograms of unions of classes.
    fn merged(&self, parts: &Partition, cardinality: usize) -> Histograms {
        let chunks: Vec<HistogramChunk> = (0..parts.classes().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut items: Vec<(Code, u64)> = Vec::new();
                let mut ends = Vec::with_capacity(CHUNK);
                let mut scratch: Vec<(Code, u64)> = Vec::new();
                let mut counters: Vec<u64> = Vec::new();
                for class in chunk * CHUNK..((chunk + 1) * CHUNK).min(parts.classes()) {
                    let rows = parts.rows(class);
                    let of = |part: u32| {
                        &self.items[self.starts[part as usize]..self.starts[part as usize + 1]]
                    };
                    if rows.len() >= cardinality / 4 {
                        counters.resize(cardinality, 0);
                        for &(code, count) in rows.iter().flat_map(|&part| of(part)) {
                            counters[code as usize] += count;
                        }
                        for (code, count) in counters.iter_mut().enumerate() {
                            if *count > 0 {
                                items.push((code as Code, std::mem::take(count)));
                            }
                        }
                    } else {
                        scratch.clear();
                        scratch.extend(rows.iter().flat_map(|&part| of(part)));
                        scratch.sort_unstable();
                        for run in scratch.chunk_by(|a, b| a.0 == b.0) {
                            items.push((run[0].0, run.iter().map(|&(_, count)| count).sum()));
                        }
                    }
                    ends.push(items.len());
                }
                (items, ends)
            })
            .collect();
        joined(chunks, parts.classes())
    }
}

/// Equivalence classes of a table under some knowledge.
#[derive(Debug, Clone)]
pub struct Classes {
    partition: Partition,
    records: Vec<u64>,
    subjects: Option<Vec<u64>>,
    /// Distinct subjects of the whole table.
    people: u64,
    attributes: Vec<ClassAttribute>,
    histograms: Vec<Histograms>,
    population: Option<Vec<u64>>,
}

/// Classes handled by one task: enough to be worth it, and the same for any number of threads.
const CHUNK: usize = 64;

impl Classes {
    /// Groups the records of `table` by its quasi-identifiers.
    ///
    /// # Panics
    ///
    /// When `roles` names a column that the table does not have.
    pub fn of(table: &Table, roles: &Roles) -> Classes {
        let axes: Vec<Axis<'_>> = roles
            .quasi
            .iter()
            .map(|&column| axis(table, column))
            .collect();
        Classes::from_partition(table, Partition::of(&axes, table.records()), roles)
    }

    /// Puts the records into given classes: `class_of[row]`, `None` for records that are left out.
    ///
    /// # Panics
    ///
    /// When `class_of` has another length than the table.
    pub fn of_assignment(table: &Table, class_of: &[Option<u32>], roles: &Roles) -> Classes {
        assert_eq!(class_of.len(), table.records(), "one class per record");
        let kept: Vec<u32> = (0..class_of.len() as u32)
            .filter(|&row| class_of[row as usize].is_some())
            .collect();
        let codes: Vec<u32> = class_of.iter().flatten().copied().collect();
        let cardinality = codes.iter().max().map_or(0, |&class| class as usize + 1);
        let mut partition = Partition::of(
            &[Axis {
                codes: &codes,
                cardinality,
            }],
            codes.len(),
        );
        partition.renumber(&kept);
        Classes::from_partition(table, partition, roles)
    }

    pub(crate) fn from_partition(table: &Table, partition: Partition, roles: &Roles) -> Classes {
        let subject = roles.subject.map(|column| axis(table, column));
        let classes = partition.classes();
        let (subjects, people) = match subject {
            None => (None, partition.records() as u64),
            Some(subject) => {
                let distinct = (0..classes)
                    .into_par_iter()
                    .with_min_len(CHUNK)
                    .map_init(Vec::new, |scratch: &mut Vec<u32>, class| {
                        scratch.clear();
                        let rows = partition.rows(class).iter();
                        scratch.extend(rows.map(|&row| subject.codes[row as usize]));
                        scratch.sort_unstable();
                        scratch.dedup();
                        scratch.len() as u64
                    })
                    .collect();
                let mut seen = vec![false; subject.cardinality];
                for class in 0..classes {
                    for &row in partition.rows(class) {
                        seen[subject.codes[row as usize] as usize] = true;
                    }
                }
                (
                    Some(distinct),
                    seen.iter().filter(|&&seen| seen).count() as u64,
                )
            }
        };
        let histograms: Vec<Histograms> = roles
            .sensitive
            .iter()
            .map(|&column| histograms(&partition, axis(table, column), subject))
            .collect();
        let attributes = roles
            .sensitive
            .iter()
            .zip(&histograms)
            .map(|(&position, histograms)| {
                let column = &table.columns()[position];
                let mut reference = vec![0; column.dictionary.len()];
                if let Some(subject) = subject {
                    // A person in several classes counts once per value in the whole table.
                    for (code, count) in pairs(&partition, axis(table, position), subject) {
                        reference[code as usize] = count;
                    }
                } else {
                    for &(code, count) in &histograms.items {
                        reference[code as usize] += count;
                    }
                }
                ClassAttribute {
                    name: column.name.clone(),
                    dictionary: Arc::clone(&column.dictionary),
                    reference,
                }
            })
            .collect();
        Classes {
            records: (0..classes)
                .map(|class| partition.size(class) as u64)
                .collect(),
            partition,
            subjects,
            people,
            attributes,
            histograms,
            population: None,
        }
    }

    /// The same classes without those that have fewer than `least` records, and how many records that leaves out.
    ///
    /// Reference distributions are then those of the records that are kept.
    ///
    /// # Panics
    ///
    /// When `table` and `roles` are not those that the classes were made from.
    #[must_use]
    pub fn without_small(&self, table: &Table, roles: &Roles, least: u64) -> (Classes, u64) {
        let partition = self
            .partition
            .filtered(|class| self.records[class] >= least);
        let dropped = (self.partition.records() - partition.records()) as u64;
        (Classes::from_partition(table, partition, roles), dropped)
    }

    /// The classes for an adversary who knows only `quasi`, a part of the quasi-identifiers.
    ///
    /// Without a subject column they are made by merging these classes, which is cheaper than grouping the records anew.
    /// Population counts are merged as well.
    ///
    /// # Panics
    ///
    /// When `table` and `roles` are not those that the classes were made from.
    #[must_use]
    pub fn coarsened(&self, table: &Table, roles: &Roles, quasi: &[usize]) -> Classes {
        let codes: Vec<Vec<u32>> = quasi
            .iter()
            .map(|&column| {
                let codes = &table.columns()[column].codes;
                (0..self.len())
                    .map(|class| codes[self.rows(class)[0] as usize])
                    .collect()
            })
            .collect();
        let axes: Vec<Axis<'_>> = quasi
            .iter()
            .zip(&codes)
            .map(|(&column, codes)| Axis {
                codes,
                cardinality: table.columns()[column].dictionary.len(),
            })
            .collect();
        let parts = Partition::of(&axes, self.len());
        let merged = parts.composed(&self.partition);
        let population = self.population.as_ref().map(|population| {
            (0..parts.classes())
                .map(|class| {
                    parts
                        .rows(class)
                        .iter()
                        .map(|&part| population[part as usize])
                        .sum()
                })
                .collect()
        });
        if roles.subject.is_some() {
            let classes = Classes::from_partition(table, merged, roles);
            return Classes {
                population,
                ..classes
            };
        }
        Classes {
            records: (0..merged.classes())
                .map(|class| merged.size(class) as u64)
                .collect(),
            partition: merged,
            subjects: None,
            people: self.people,
            attributes: self.attributes.clone(),
            histograms: self
                .histograms
                .iter()
                .zip(&self.attributes)
                .map(|(histograms, attribute)| histograms.merged(&parts, attribute.reference.len()))
                .collect(),
            population,
        }
    }

    /// The same classes with the number of people of the population that look like each.
    ///
    /// # Panics
    ///
    /// When there is not one number per class.
    #[must_use]
    pub fn with_population(self, population: Vec<u64>) -> Classes {
        assert_eq!(population.len(), self.len(), "one count per class");
        Classes {
            population: Some(population),
            ..self
        }
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there is no class, as in an empty table.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Records of each class.
    pub fn records(&self) -> &[u64] {
        &self.records
    }

    /// Distinct subjects of each class; its records when every record is a subject of its own.
    pub fn subjects(&self) -> &[u64] {
        self.subjects.as_ref().unwrap_or(&self.records)
    }

    /// People of the population that look like each class, when that is known.
    pub fn population(&self) -> Option<&[u64]> {
        self.population.as_deref()
    }

    /// Records of all classes.
    pub fn total(&self) -> u64 {
        self.partition.records() as u64
    }

    /// Distinct subjects of all classes.
    pub fn people(&self) -> u64 {
        self.people
    }

    /// The sensitive attributes.
    pub fn attributes(&self) -> &[ClassAttribute] {
        &self.attributes
    }

    /// The records of `class`.
    pub fn rows(&self, class: usize) -> &[u32] {
        self.partition.rows(class)
    }

    /// The class of each record; only meaningful when no class was left out.
    pub fn class_of(&self) -> Vec<u32> {
        self.partition.class_of()
    }

    /// The histogram of a sensitive attribute in `class`.
    pub fn histogram(&self, attribute: usize, class: usize) -> Histogram<'_> {
        let histograms = &self.histograms[attribute];
        Histogram::new(&histograms.items[histograms.starts[class]..histograms.starts[class + 1]])
    }

    /// Shows one class as a group.
    pub fn with_group<R>(&self, class: usize, look: impl FnOnce(&Group<'_>) -> R) -> R {
        let histogram = |attribute| self.histogram(attribute, class);
        let sensitive: Vec<Histogram<'_>> = (0..self.attributes.len()).map(histogram).collect();
        let mut group = Group::new(self.records[class], self.subjects()[class], &sensitive);
        group.population = self.population.as_ref().map(|population| population[class]);
        look(&group)
    }

    /// Walks over all groups on all cores and joins what each walk gathered, in the order of classes.
    ///
    /// Chunks are the same for any number of threads, so sums of floating-point numbers are too.
    pub fn fold<T: Send>(
        &self,
        start: impl Fn() -> T + Sync,
        step: impl Fn(&mut T, usize, &Group<'_>) + Sync,
        join: impl Fn(T, T) -> T,
    ) -> T {
        let chunks: Vec<T> = (0..self.len().div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                let mut gathered = start();
                let mut sensitive = Vec::with_capacity(self.attributes.len());
                for class in chunk * CHUNK..((chunk + 1) * CHUNK).min(self.len()) {
                    sensitive.clear();
                    sensitive.extend(
                        (0..self.attributes.len())
                            .map(|attribute| self.histogram(attribute, class)),
                    );
                    let mut group =
                        Group::new(self.records[class], self.subjects()[class], &sensitive);
                    group.population = self.population.as_ref().map(|population| population[class]);
                    step(&mut gathered, class, &group);
                }
                gathered
            })
            .collect();
        chunks.into_iter().reduce(join).unwrap_or_else(start)
    }
}

/// How often each value of a column occurs in a table, by code; once per person when there is a subject column.
///
/// This is the reference that distribution promises (t, beta, delta) are judged against.
///
/// # Panics
///
/// When the table lacks one of the columns.
pub fn reference(table: &Table, column: usize, subject: Option<usize>) -> Vec<u64> {
    let column = &table.columns()[column];
    let mut counts = vec![0; column.dictionary.len()];
    if let Some(subject) = subject {
        let subjects = &table.columns()[subject].codes;
        let pairs = column.codes.iter().copied().zip(subjects.iter().copied());
        for (value, count) in by_subjects(pairs.collect()) {
            counts[value as usize] = count;
        }
    } else {
        for &code in &column.codes {
            counts[code as usize] += 1;
        }
    }
    counts
}

pub(crate) fn axis(table: &Table, column: usize) -> Axis<'_> {
    let column = &table.columns()[column];
    Axis {
        codes: &column.codes,
        cardinality: column.dictionary.len(),
    }
}

/// Histograms of one chunk of classes and where each ends.
type HistogramChunk = (Vec<(Code, u64)>, Vec<usize>);

/// Counts the values of one attribute class by class.
fn histograms(partition: &Partition, values: Axis<'_>, subject: Option<Axis<'_>>) -> Histograms {
    let chunks: Vec<HistogramChunk> = (0..partition.classes().div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut items = Vec::new();
            let mut ends = Vec::with_capacity(CHUNK);
            let mut counter = Counter::new(values.cardinality);
            for class in chunk * CHUNK..((chunk + 1) * CHUNK).min(partition.classes()) {
                let rows = partition.rows(class);
                match subject {
                    None => counter.count(
                        rows.iter().map(|&row| values.codes[row as usize]),
                        rows.len(),
                        &mut items,
                    ),
                    Some(subject) => counter.count_pairs(
                        rows.iter()
                            .map(|&row| (values.codes[row as usize], subject.codes[row as usize])),
                        &mut items,
                    ),
                }
                ends.push(items.len());
            }
            (items, ends)
        })
        .collect();
    joined(chunks, partition.classes())
}

/// Puts chunks one after the other.
fn joined(chunks: Vec<HistogramChunk>, classes: usize) -> Histograms {
    let mut all = Histograms {
        items: Vec::with_capacity(chunks.iter().map(|(items, _)| items.len()).sum()),
        starts: Vec::with_capacity(classes + 1),
    };
    all.starts.push(0);
    for (items, ends) in chunks {
        let base = all.items.len();
        all.items.extend_from_slice(&items);
        all.starts.extend(ends.into_iter().map(|end| base + end));
    }
    all
}

/// Distinct (value, subject) pairs of all kept records, as counts by value.
fn pairs(partition: &Partition, values: Axis<'_>, subject: Axis<'_>) -> Vec<(Code, u64)> {
    let mut items = Vec::new();
    let rows = (0..partition.classes()).flat_map(|class| partition.rows(class).iter());
    Counter::new(0).count_pairs(
        rows.map(|&row| (values.codes[row as usize], subject.codes[row as usize])),
        &mut items,
    );
    items
}

/// Counts codes by a table of counters or by sorting, whichever is cheaper.
struct Counter {
    cardinality: usize,
    counters: Vec<u32>,
    scratch: Vec<u32>,
    pairs: Vec<u64>,
}

impl Counter {
    fn new(cardinality: usize) -> Counter {
        Counter {
            cardinality,
            counters: Vec::new(),
            scratch: Vec::new(),
            pairs: Vec::new(),
        }
    }

    /// Appends (code, count) in ascending order of code.
    fn count(
        &mut self,
        codes: impl Iterator<Item = u32>,
        many: usize,
        items: &mut Vec<(Code, u64)>,
    ) {
        if many >= self.cardinality / 4 {
            self.counters.resize(self.cardinality, 0);
            for code in codes {
                self.counters[code as usize] += 1;
            }
            for (code, count) in self.counters.iter_mut().enumerate() {
                if *count > 0 {
                    items.push((code as u32, u64::from(*count)));
                    *count = 0;
                }
            }
            return;
        }
        self.scratch.clear();
        self.scratch.extend(codes);
        self.scratch.sort_unstable();
        for run in self.scratch.chunk_by(|a, b| a == b) {
            items.push((run[0], run.len() as u64));
        }
    }

    /// Appends (value, distinct subjects) in ascending order of value.
    fn count_pairs(
        &mut self,
        pairs: impl Iterator<Item = (u32, u32)>,
        items: &mut Vec<(Code, u64)>,
    ) {
        self.pairs.clear();
        self.pairs
            .extend(pairs.map(|(value, subject)| u64::from(value) << 32 | u64::from(subject)));
        self.pairs.sort_unstable();
        self.pairs.dedup();
        for run in self.pairs.chunk_by(|a, b| a >> 32 == b >> 32) {
            items.push(((run[0] >> 32) as u32, run.len() as u64));
        }
    }
}
