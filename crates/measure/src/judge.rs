//! Promises judged on counted groups: which numbers of a group have to be counted, and who admits them.
//!
//! # Idea
//!
//! Whoever counts many overlapping groups (sequences of up to L doublets, itemsets, windows) keeps a few numbers for each:
//! the subjects, then one counter for each value that some promise looks at. Size alone needs one number, a bound on one
//! value two; only a promise that looks at the whole distribution of an attribute gets a counter for every value of it. [`Judge`]
//! turns the numbers back into a [`Group`], so every promise is judged here as it is on the classes of a table.
//!
//! ```text
//! k-anonymity                       [ subjects ]
//! + confidence in HIV               [ subjects | HIV ]
//! + t-closeness of the diagnosis    [ subjects | flu | HIV | none ]
//! ```
//!
//! # Cost
//!
//! A comparison where only sizes are promised; else a few additions per counter, without memory from the heap up to 32 counters.

use std::sync::Arc;

use denym_data::{Code, Fraction};

use crate::audit::worse;
use crate::{Group, Histogram, Measured, Promise, Terms};

/// A value that is counted nowhere.
const NOWHERE: u32 = u32::MAX;

/// Which values of which sensitive attributes are counted in a group.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// (attribute, value) of each counter, ascending.
    counted: Vec<(u32, Code)>,
    /// Where the counters of each attribute begin, and the end.
    starts: Vec<usize>,
    /// For each attribute and value its counter.
    counter_of: Vec<Vec<u32>>,
}

impl Counters {
    /// A counter for every value; `values` has how many each attribute has.
    pub fn of_everything(values: &[usize]) -> Self {
        Self::of(values, |_, _| true)
    }

    /// A counter for each value that one of the promises reads.
    pub fn read_by(promises: &[Box<dyn Promise>], values: &[usize]) -> Self {
        let reads: Vec<(usize, Option<Vec<Code>>)> = promises
            .iter()
            .flat_map(|promise| promise.reads())
            .collect();
        Self::of(values, |attribute, code| {
            reads.iter().any(|(read, codes)| {
                *read == attribute && codes.as_ref().is_none_or(|codes| codes.contains(&code))
            })
        })
    }

    fn of(values: &[usize], counts: impl Fn(usize, Code) -> bool) -> Self {
        let mut counters = Self {
            starts: vec![0],
            ..Self::default()
        };
        for (attribute, &size) in values.iter().enumerate() {
            let mut of_value = vec![NOWHERE; size];
            for (code, counter) in of_value.iter_mut().enumerate() {
                if counts(attribute, code as Code) {
                    *counter = counters.counted.len() as u32;
                    counters.counted.push((attribute as u32, code as Code));
                }
            }
            counters.counter_of.push(of_value);
            counters.starts.push(counters.counted.len());
        }
        counters
    }

    /// Numbers of a group: its subjects, then its counters.
    pub fn stride(&self) -> usize {
        1 + self.counted.len()
    }

    /// Where in the numbers of a group subjects with this value are counted, if anywhere.
    #[inline]
    pub fn place(&self, attribute: usize, code: Code) -> Option<usize> {
        let counter = *self.counter_of.get(attribute)?.get(code as usize)?;
        (counter != NOWHERE).then_some(counter as usize + 1)
    }

    /// (attribute, value) of each counter, in their order.
    pub fn counted(&self) -> &[(u32, Code)] {
        &self.counted
    }

    /// The attributes with at least one counter.
    pub fn attributes(&self) -> impl Iterator<Item = usize> + '_ {
        let spans = self.starts.windows(2).enumerate();
        spans
            .filter(|(_, span)| span[0] < span[1])
            .map(|(at, _)| at)
    }

    /// Shows the numbers as a group; an attribute in `silent` has an empty histogram, as if nobody had a value of it.
    pub fn with_group<N: Copy + Into<u64>, R>(
        &self,
        numbers: &[N],
        silent: &[u32],
        look: impl FnOnce(&Group<'_>) -> R,
    ) -> R {
        match (self.counted.len(), self.counter_of.len()) {
            (..=4, ..=2) => self.group_in(&mut [(0, 0); 4], &mut [EMPTY; 2], numbers, silent, look),
            (..=32, ..=8) => {
                self.group_in(&mut [(0, 0); 32], &mut [EMPTY; 8], numbers, silent, look)
            }
            (counters, attributes) => self.group_in(
                &mut vec![(0, 0); counters],
                &mut vec![EMPTY; attributes],
                numbers,
                silent,
                look,
            ),
        }
    }

    fn group_in<'a, N: Copy + Into<u64>, R>(
        &self,
        pairs: &'a mut [(Code, u64)],
        histograms: &'a mut [Histogram<'a>],
        numbers: &[N],
        silent: &[u32],
        look: impl FnOnce(&Group<'_>) -> R,
    ) -> R {
        let mut rest = pairs;
        for (attribute, span) in self.starts.windows(2).enumerate() {
            if silent.contains(&(attribute as u32)) {
                continue;
            }
            let mut used = 0;
            let mut total = 0;
            for counter in span[0]..span[1] {
                let count: u64 = numbers[counter + 1].into();
                if count > 0 {
                    rest[used] = (self.counted[counter].1, count);
                    used += 1;
                    total += count;
                }
            }
            let (own, others) = rest.split_at_mut(used);
            rest = others;
            histograms[attribute] = Histogram { counts: own, total };
        }
        let subjects = numbers[0].into();
        let histograms: &'a [Histogram<'a>] = &histograms[..self.counter_of.len()];
        look(&Group::new(subjects, subjects, histograms))
    }
}

const EMPTY: Histogram<'static> = Histogram {
    counts: &[],
    total: 0,
};

/// Promises that are lent, or shared with whoever keeps the judge.
#[derive(Clone)]
enum Held<'a> {
    Lent(&'a [Box<dyn Promise>]),
    Shared(Arc<[Box<dyn Promise>]>),
}

impl std::ops::Deref for Held<'_> {
    type Target = [Box<dyn Promise>];

    fn deref(&self) -> &Self::Target {
        match self {
            Held::Lent(promises) => promises,
            Held::Shared(promises) => promises,
        }
    }
}

/// Promises with the counters they need.
#[derive(Clone)]
pub struct Judge<'a> {
    promises: Held<'a>,
    counters: Counters,
    /// Groups with fewer subjects are rejected without a further look.
    least: u64,
    /// Positions of the promises that are about more than size, each with the attribute it is about.
    others: Vec<(usize, Option<u32>)>,
}

impl std::fmt::Debug for Judge<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names = self.promises.iter().map(|promise| promise.terms().name);
        f.debug_list().entries(names).finish()
    }
}

impl<'a> Judge<'a> {
    /// Counts only what the promises read; `values` has how many values each sensitive attribute has.
    pub fn new(promises: &'a [Box<dyn Promise>], values: &[usize]) -> Self {
        Self::holding(Held::Lent(promises), values)
    }

    fn holding(promises: Held<'a>, values: &[usize]) -> Self {
        let counters = Counters::read_by(&promises, values);
        let sizes = promises.iter().filter_map(|promise| promise.size_alone());
        let others = promises.iter().enumerate();
        Self {
            least: sizes.max().unwrap_or(0),
            others: others
                .filter(|(_, promise)| promise.size_alone().is_none())
                .map(|(at, promise)| (at, promise.terms().attribute.map(|about| about as u32)))
                .collect(),
            promises,
            counters,
        }
    }

    /// As [`Judge::new`], for a judge that is kept.
    pub fn keeping(promises: Vec<Box<dyn Promise>>, values: &[usize]) -> Judge<'static> {
        Judge::holding(Held::Shared(promises.into()), values)
    }

    /// The same without the promises about an attribute; numbers keep their places.
    #[must_use]
    pub fn without_attribute(&self, attribute: usize) -> Self {
        let mut judge = self.clone();
        judge
            .others
            .retain(|&(_, about)| about != Some(attribute as u32));
        judge
    }

    /// What is promised.
    pub fn promises(&self) -> &[Box<dyn Promise>] {
        &self.promises
    }

    /// What has to be counted.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Numbers of a group.
    pub fn stride(&self) -> usize {
        self.counters.stride()
    }

    /// Subjects below which a group is rejected whatever else it shows.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// Whether the size of a group decides alone.
    #[inline]
    pub fn sizes_only(&self) -> bool {
        self.others.is_empty()
    }

    /// Whether some promise does not admit the group with these numbers; a group of nobody is admitted by all but its size.
    #[inline]
    pub fn rejects<N: Copy + Into<u64>>(&self, numbers: &[N], silent: &[u32]) -> bool {
        let size: u64 = numbers[0].into();
        if size < self.least {
            return true;
        }
        if self.others.is_empty() || size == 0 {
            return false;
        }
        self.counters.with_group(numbers, silent, |group| {
            let mut heard = self.others.iter().filter(|other| is_heard(other, silent));
            heard.any(|&(at, _)| !self.promises[at].admits(group))
        })
    }

    /// The position of the first promise that does not admit the group, if any.
    pub fn rejected_by<N: Copy + Into<u64>>(&self, numbers: &[N]) -> Option<usize> {
        let size: u64 = numbers[0].into();
        if size < self.least {
            let mut sizes = self.promises.iter().map(|promise| promise.size_alone());
            return sizes.position(|least| least.is_some_and(|least| size < least));
        }
        if size == 0 {
            return None;
        }
        self.counters.with_group(numbers, &[], |group| {
            let mut others = self.others.iter().map(|&(at, _)| at);
            others.find(|&at| !self.promises[at].admits(group))
        })
    }

    /// Nothing seen yet.
    pub fn nothing_seen(&self) -> WorstGroups {
        let terms: Vec<Terms> = self.promises.iter().map(|p| p.terms()).collect();
        WorstGroups {
            smallest: u64::MAX,
            largest_share: Fraction::ZERO,
            worst: vec![None; terms.len()],
            rejected: vec![0; terms.len()],
            terms,
        }
    }

    /// Judges a group, notes what it shows of each promise, and returns who rejects it: a bit for each promise (the last bit
    /// stands for all from the 64th on).
    pub fn look<N: Copy + Into<u64>>(
        &self,
        seen: &mut WorstGroups,
        numbers: &[N],
        silent: &[u32],
    ) -> u64 {
        let size: u64 = numbers[0].into();
        seen.smallest = seen.smallest.min(size);
        let mut rejected = 0;
        if size < self.least {
            for (at, promise) in self.promises.iter().enumerate() {
                if promise.size_alone().is_some_and(|least| size < least) {
                    rejected |= seen.reject(at);
                }
            }
        }
        if !self.others.is_empty() && size > 0 {
            self.counters.with_group(numbers, silent, |group| {
                for &(at, _) in self.others.iter().filter(|other| is_heard(other, silent)) {
                    let promise = self.promises[at].as_ref();
                    seen.note(at, promise, group);
                    if !promise.admits(group) {
                        rejected |= seen.reject(at);
                    }
                }
            });
        }
        rejected
    }
}

/// Whether a promise is about something that the knowledge does not name itself.
fn is_heard(other: &(usize, Option<u32>), silent: &[u32]) -> bool {
    other.1.is_none_or(|about| !silent.contains(&about))
}

/// What the groups looked at so far show of each promise.
#[derive(Clone, Debug)]
pub struct WorstGroups {
    smallest: u64,
    largest_share: Fraction,
    terms: Vec<Terms>,
    worst: Vec<Option<f64>>,
    rejected: Vec<u64>,
}

impl WorstGroups {
    fn note(&mut self, at: usize, promise: &dyn Promise, group: &Group<'_>) {
        let value = promise.value(group);
        self.worst[at] = Some(worse(self.terms[at].sense, self.worst[at], value));
        if let Some((part, whole)) = promise.share(group)
            && self.largest_share.is_exceeded_by(part, whole)
        {
            self.largest_share = Fraction::of(part, whole);
        }
    }

    fn reject(&mut self, at: usize) -> u64 {
        self.rejected[at] += 1;
        1 << at.min(63)
    }

    /// Adds what was seen elsewhere by the same judge.
    pub fn merge(&mut self, other: &WorstGroups) {
        self.smallest = self.smallest.min(other.smallest);
        self.largest_share = self.largest_share.max(other.largest_share);
        for (at, worst) in other.worst.iter().enumerate() {
            if let Some(value) = *worst {
                self.worst[at] = Some(worse(self.terms[at].sense, self.worst[at], value));
            }
            self.rejected[at] += other.rejected[at];
        }
    }

    /// Subjects of the smallest group; `u64::MAX` before the first one.
    pub fn smallest(&self) -> u64 {
        self.smallest
    }

    /// The largest share of a bounded value in any group, exactly.
    pub fn largest_share(&self) -> Fraction {
        self.largest_share
    }

    /// What each promise came to; `records` has the records of the groups that each one rejects.
    pub fn measured(&self, judge: &Judge<'_>, records: impl Fn(usize) -> u64) -> Vec<Measured> {
        let of = |at: usize| {
            let of_size = judge.promises[at].size_alone();
            let seen = of_size.is_some() && self.smallest < u64::MAX;
            Measured {
                terms: self.terms[at].clone(),
                measured: if seen {
                    Some(self.smallest as f64)
                } else {
                    self.worst[at]
                },
                holds: self.rejected[at] == 0,
                violating_groups: self.rejected[at],
                violating_records: records(at),
            }
        };
        (0..self.terms.len()).map(of).collect()
    }
}
