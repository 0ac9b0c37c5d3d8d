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

use denym_data::Code;

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
}

/// The distinct tuples of a public register.
#[derive(Debug, Clone, Default)]
pub struct Population {
    /// For each quasi-identifier, the code of each tuple.
    pub quasi: Vec<Vec<Code>>,
    /// People with each tuple.
    pub people: Vec<u64>,
    /// Whether everybody must look like a published class (a positive lower bound of delta-presence).
    pub everybody: bool,
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
    let mut judge = Judge {
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
    let everybody = setting
        .population
        .as_ref()
        .is_some_and(|population| population.everybody);
    if everybody && judge.someone_is_outside() {
        judge.alive.fill(false);
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

struct Judge<'a, const W: usize> {
    request: &'a Request<'a>,
    set: &'a FrequencySet<W>,
    people: Option<&'a Grouping<W>>,
    /// Classes not suppressed so far.
    alive: Vec<bool>,
}

impl<const W: usize> Judge<'_, W> {
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

    /// Whether somebody of the population looks like no published class.
    fn someone_is_outside(&self) -> bool {
        let Some(people) = self.people else {
            return false;
        };
        let mut published = Grouping::default();
        for class in (0..self.set.len()).filter(|&class| self.alive[class]) {
            published.add(self.set.keys[class], 0);
        }
        let inside = published.keys.len();
        for key in &people.keys {
            published.add(*key, 0);
        }
        published.keys.len() > inside
    }
}
