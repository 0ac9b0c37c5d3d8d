//! Promises that are judged on something else than whole classes: some of the quasi-identifiers only, or with a population.
//!
//! # Idea
//!
//! An adversary who knows `zip` alone, or any two columns, sees groups that are unions of classes. At a node the classes that are still published are
//! put together by the columns of each promise, and every class of a group that fails is suppressed. That makes
//! other groups smaller, so it is repeated until nothing more falls:
//!
//! ```text
//! classes ──by {age, sex}──> groups ──fail──> suppressed ─┐
//!    ^                                                    │  until all stand
//!    └─────────────by {zip}──> groups ──fail──> suppressed┘
//! ```
//!
//! The people of a public register are lifted to the node as the table is, whether the table has their values or not, so that a
//! group knows how many of them look like it.
//!
//! Who knows several records of a person sees combinations of groups. Where people of one combination fail, its smallest group is given
//! up, so that they look like those who were never in it.
//!
//! # Guarantee
//!
//! What is left keeps every promise on its own columns. For promises that last (see [`crate::Request`]) it is the largest such
//! set of classes, and a coarser node leaves no less, so tagging stays sound: what survives at a finer node makes groups
//! at the coarser one that only gained members.
//!
//! # Reference
//!
//! Several quasi-identifier sets: B. Fung, K. Wang, P. Yu, ICDE 2005; survey sections 2.1 and 2.2. The population: M. Nergiz, M. Atzori,
//! C. Clifton, SIGMOD 2007.
//!
//! # Departures
//!
//! Solvers that cut the table into parts instead of choosing levels judge every promise on whole parts. That is
//! stricter than asked and sound for monotone promises, since the groups of fewer columns are unions of parts; they refuse
//! promises about a population, and promises on fewer columns that are not monotone.
//!
//! # Cost
//!
//! One grouping of the node's classes per set of columns and round; two rounds are usual. One pass over the distinct tuples of
//! the population per node.

use std::borrow::Cow;
use std::collections::BTreeMap;

use denym_data::{Code, Column, Table};
use denym_measure::{Together, by_subjects, combinations_of};

use crate::class::with_group;
use crate::frequency::{FrequencySet, Grouping};
use crate::keys::{Key, Layout};
use crate::request::Request;

/// What promises are judged on, beside whole classes.
#[derive(Debug, Clone, Default)]
pub struct Setting {
    /// For each promise the sets of quasi-identifiers, by position, that its adversary may know; none is all of them at once.
    pub scopes: Vec<Vec<Vec<usize>>>,
    /// A public register, in the codes of the summary.
    pub population: Option<Population>,
    /// How many records of each subject an adversary knows, when more than one.
    pub together: Option<Together>,
    /// Records of the source that were left out before the search: every score counts them as suppressed, no budget does.
    pub lost: u64,
}

impl Setting {
    /// Whether promises are judged class by class after all.
    pub fn is_plain(&self) -> bool {
        self.population.is_none()
            && self.together.is_none()
            && self.scopes.iter().all(Vec::is_empty)
    }
}

/// The distinct tuples of a public register.
#[derive(Debug, Clone, Default)]
pub struct Population {
    /// For each quasi-identifier, the code of each tuple.
    pub quasi: Vec<Vec<Code>>,
    /// People with each tuple.
    pub people: Vec<u64>,
    /// Sets of quasi-identifiers, by position, on each of which everybody must look like a published class (a positive lower bound of
    /// delta-presence).
    pub everybody: Vec<Vec<usize>>,
}

impl Population {
    /// The register as a search wants it: distinct tuples with people. Columns it need not have are left at one value.
    ///
    /// `everybody` has the sets of columns on which nobody of the register may be known to be absent.
    pub fn new(register: &Table, names: &[String], everybody: Vec<Vec<usize>>) -> Population {
        let columns: Vec<Option<&Column>> =
            names.iter().map(|name| register.column(name)).collect();
        let mut distinct: BTreeMap<Vec<Code>, u64> = BTreeMap::new();
        for person in 0..register.records() {
            let tuple = columns
                .iter()
                .map(|column| column.map_or(0, |column| column.codes[person]))
                .collect();
            *distinct.entry(tuple).or_default() += 1;
        }
        Population {
            quasi: (0..names.len())
                .map(|d| distinct.keys().map(|tuple| tuple[d]).collect())
                .collect(),
            people: distinct.into_values().collect(),
            everybody,
        }
    }
}

/// How the classes of a node fare.
pub(crate) struct Verdicts {
    /// Classes that no promise which lasts suppresses.
    pub(crate) lasts: Vec<bool>,
    /// Classes that are published.
    pub(crate) published: Vec<bool>,
    /// Whether a monotone promise fails although nothing is suppressed.
    pub(crate) broken: bool,
}

/// Judges the classes of the node at `levels`.
pub(crate) fn verdicts<const W: usize>(
    request: &Request<'_>,
    setting: &Setting,
    layout: &Layout,
    levels: &[u8],
    set: &FrequencySet<W>,
) -> Verdicts {
    let people = setting
        .population
        .as_ref()
        .map(|population| lifted(request, population, layout, levels));
    let scopes = scopes(request, setting, layout);
    let is = |p: usize, lasting: bool| {
        request.is_monotone_with_suppression(request.promises[p].as_ref()) == lasting
    };
    let mut judge = SettledClasses {
        request,
        set,
        people: people.as_ref(),
        alive: vec![true; set.len()],
    };
    let broken = request.budget() == 0
        && scopes.iter().any(|(mask, promises)| {
            let monotone: Vec<usize> = promises
                .iter()
                .copied()
                .filter(|&p| request.is_monotone(request.promises[p].as_ref()))
                .collect();
            !judge.failing(mask, &monotone).is_empty()
        });
    judge.settle(&scopes, |p| is(p, true));
    let lasts = judge.alive.clone();
    judge.settle(&scopes, |_| true);
    if let Some(known) = setting.together {
        while judge.part(&scopes, known) {
            judge.settle(&scopes, |_| true);
        }
    }
    let everybody = setting.population.iter().flat_map(|p| &p.everybody);
    for members in everybody {
        if judge.someone_is_outside(&layout.mask(members)) {
            judge.alive.fill(false);
        }
    }
    Verdicts {
        lasts,
        published: judge.alive,
        broken,
    }
}

/// The sets of columns, as masks of keys, with the promises on each.
fn scopes<const W: usize>(
    request: &Request<'_>,
    setting: &Setting,
    layout: &Layout,
) -> Vec<(Key<W>, Vec<usize>)> {
    let all = [(0..request.hierarchies.len()).collect::<Vec<usize>>()];
    let mut scopes: Vec<(Key<W>, Vec<usize>)> = Vec::new();
    for p in 0..request.promises.len() {
        let own = setting.scopes.get(p).filter(|sets| !sets.is_empty());
        for members in own.map_or(all.as_slice(), Vec::as_slice) {
            let mask = layout.mask(members);
            match scopes.iter_mut().find(|(known, _)| *known == mask) {
                Some((_, promises)) => promises.push(p),
                None => scopes.push((mask, vec![p])),
            }
        }
    }
    scopes
}

/// The population's keys at `levels`, with people.
fn lifted<const W: usize>(
    request: &Request<'_>,
    population: &Population,
    layout: &Layout,
    levels: &[u8],
) -> Grouping<W> {
    let nodes: Vec<&[u32]> = request
        .hierarchies
        .iter()
        .zip(levels)
        .map(|(hierarchy, &level)| hierarchy.levels()[level as usize].nodes.as_slice())
        .collect();
    let mut grouping = Grouping::default();
    for (tuple, &people) in population.people.iter().enumerate() {
        let mut key = [0; W];
        for (d, codes) in population.quasi.iter().enumerate() {
            layout.put(&mut key, d, nodes[d][codes[tuple] as usize]);
        }
        grouping.add(key, people);
    }
    grouping
}

struct SettledClasses<'a, const W: usize> {
    request: &'a Request<'a>,
    set: &'a FrequencySet<W>,
    people: Option<&'a Grouping<W>>,
    /// Classes not suppressed so far.
    alive: Vec<bool>,
}

impl<const W: usize> SettledClasses<'_, W> {
    /// Suppresses classes until every chosen promise holds on what is left.
    fn settle(&mut self, scopes: &[(Key<W>, Vec<usize>)], chosen: impl Fn(usize) -> bool) {
        loop {
            let mut changed = false;
            for (mask, promises) in scopes {
                let promises: Vec<usize> =
                    promises.iter().copied().filter(|&p| chosen(p)).collect();
                for class in self.failing(mask, &promises) {
                    self.alive[class] = false;
                    changed = true;
                }
            }
            // With one set of columns what is left of a group is all of it.
            if !changed || scopes.len() == 1 {
                return;
            }
        }
    }

    /// Published classes whose group under `mask` fails one of the promises.
    fn failing(&self, mask: &Key<W>, promises: &[usize]) -> Vec<usize> {
        if promises.is_empty() {
            return Vec::new();
        }
        let masked = |key: &Key<W>| -> Key<W> { std::array::from_fn(|w| key[w] & mask[w]) };
        let classes: Vec<usize> = (0..self.set.len()).filter(|&c| self.alive[c]).collect();
        let alive: Cow<'_, FrequencySet<W>> = if classes.len() == self.set.len() {
            Cow::Borrowed(self.set)
        } else {
            Cow::Owned(self.set.select(&classes))
        };
        let groups = alive.group(masked);
        let people = self.people.map(|people| {
            let mut counted = Grouping::default();
            for key in &groups.keys {
                counted.add(*key, 0);
            }
            for (key, &count) in people.keys.iter().zip(&people.records) {
                counted.add(masked(key), count);
            }
            counted.records
        });
        let admitted: Vec<bool> = (0..groups.len())
            .map(|index| {
                with_group(
                    groups.records[index],
                    groups
                        .subjects
                        .as_ref()
                        .map(|subjects| subjects.row(index).len() as u64),
                    groups
                        .sensitive
                        .iter()
                        .map(|histograms| histograms.row(index)),
                    |group| {
                        // The groups come first in the count, in their order.
                        let group = match &people {
                            Some(people) => group.with_population(people[index]),
                            None => *group,
                        };
                        promises
                            .iter()
                            .all(|&p| self.request.promises[p].admits(&group))
                    },
                )
            })
            .collect();
        if admitted.iter().all(|&admitted| admitted) {
            return Vec::new();
        }
        // Groups are numbered by first appearance, here as there.
        let mut numbering = Grouping::default();
        classes
            .into_iter()
            .filter(|&class| !admitted[numbering.add(masked(&self.set.keys[class]), 0) as usize])
            .collect()
    }

    /// Suppresses classes of combinations that fail, the smallest group of each; whether there was any.
    fn part(&mut self, scopes: &[(Key<W>, Vec<usize>)], known: Together) -> bool {
        let mut doomed: Vec<usize> = Vec::new();
        for (mask, promises) in scopes {
            match self.parted(mask, promises, known) {
                Some(classes) => doomed.extend(classes),
                // Too many combinations to be looked at: nothing can be said for this node.
                None => doomed.extend((0..self.set.len()).filter(|&class| self.alive[class])),
            }
        }
        for &class in &doomed {
            self.alive[class] = false;
        }
        !doomed.is_empty()
    }

    /// The classes to give up so that fewer combinations under `mask` fail; `None` when these are too many to be listed.
    fn parted(&self, mask: &Key<W>, promises: &[usize], known: Together) -> Option<Vec<usize>> {
        let Some(subjects) = &self.set.subjects else {
            return Some(Vec::new());
        };
        let masked = |key: &Key<W>| -> Key<W> { std::array::from_fn(|w| key[w] & mask[w]) };
        let mut numbering = Grouping::default();
        let mut classes_of: Vec<Vec<usize>> = Vec::new();
        let mut groups_of: Vec<Vec<u32>> = Vec::new();
        for class in (0..self.set.len()).filter(|&class| self.alive[class]) {
            let group = numbering.add(masked(&self.set.keys[class]), self.set.records[class]);
            classes_of.resize(numbering.keys.len(), Vec::new());
            classes_of[group as usize].push(class);
            for &subject in subjects.row(class) {
                let subject = subject as usize;
                if groups_of.len() <= subject {
                    groups_of.resize(subject + 1, Vec::new());
                }
                groups_of[subject].push(group);
            }
        }
        for groups in &mut groups_of {
            groups.sort_unstable();
            groups.dedup();
        }
        let mut doomed = Vec::new();
        for (set, people) in combinations_of(&groups_of, known)? {
            let stands = set.iter().all(|&group| {
                let classes = &classes_of[group as usize];
                let counts: Vec<Vec<(Code, u64)>> = self
                    .set
                    .shown
                    .iter()
                    .map(|shown| {
                        let pairs = classes.iter().flat_map(|&class| shown.row(class));
                        let own = pairs.filter(|(_, who)| people.binary_search(who).is_ok());
                        by_subjects(own.copied().collect())
                    })
                    .collect();
                let many = people.len() as u64;
                with_group(
                    many,
                    Some(many),
                    counts.iter().map(Vec::as_slice),
                    |group| {
                        let own = |p: &&usize| {
                            let name = self.request.promises[**p].terms().name;
                            !matches!(name, "k-map" | "delta-presence")
                        };
                        let mut promises = promises.iter().filter(own);
                        promises.all(|&p| self.request.promises[p].admits(group))
                    },
                )
            });
            let smallest = set
                .iter()
                .min_by_key(|&&group| numbering.records[group as usize]);
            if let (false, Some(&group)) = (stands, smallest) {
                doomed.extend_from_slice(&classes_of[group as usize]);
            }
        }
        Some(doomed)
    }

    /// Whether somebody of the population looks like no published class.
    fn someone_is_outside(&self, mask: &Key<W>) -> bool {
        let Some(people) = self.people else {
            return false;
        };
        let masked = |key: &Key<W>| -> Key<W> { std::array::from_fn(|w| key[w] & mask[w]) };
        let mut published = Grouping::default();
        for class in (0..self.set.len()).filter(|&class| self.alive[class]) {
            published.add(masked(&self.set.keys[class]), 0);
        }
        let inside = published.keys.len();
        for key in &people.keys {
            published.add(masked(key), 0);
        }
        published.keys.len() > inside
    }
}
