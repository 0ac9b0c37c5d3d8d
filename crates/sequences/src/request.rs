//! What is asked: what the adversary knows, what must not be learned, and how to get there.

use std::sync::Arc;

pub use denym_data::Matching;
use denym_data::{Fraction, Sequences};
use denym_measure::promises::{Confidence, KAnonymity};
use denym_measure::{Judge, Promise};

use crate::coarsening::Ladder;
use crate::error::Error;

/// A sensitive value, or a sensitive place, and how sure an adversary may become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bound {
    /// What is sensitive.
    pub secret: Secret,
    /// Most that any group may show of it.
    pub at_most: Fraction,
}

/// What an adversary must not infer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Secret {
    /// A value of a sensitive attribute.
    Value {
        /// Attribute name.
        attribute: String,
        /// Label of the value.
        value: String,
    },
    /// A visit to a place, at any time, judged from the source paths (ITSA, section 3.2).
    ///
    /// Knowledge that names the place itself is not judged by this bound: it learns nothing new.
    Place {
        /// Label of the location.
        location: String,
    },
}

impl Bound {
    /// At most `at_most` of any group has `value` in `attribute`.
    pub fn value(attribute: &str, value: &str, at_most: Fraction) -> Self {
        Self {
            secret: Secret::Value {
                attribute: attribute.to_owned(),
                value: value.to_owned(),
            },
            at_most,
        }
    }

    /// At most `at_most` of any group visited `location`.
    pub fn place(location: &str, at_most: Fraction) -> Self {
        Self {
            secret: Secret::Place {
                location: location.to_owned(),
            },
            at_most,
        }
    }
}

/// The solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Doublets removed from every record: Al-Hussaeni 2009.
    GlobalSuppression,
    /// Doublets removed only from the records that need it.
    LocalSuppression,
    /// Places and times made coarser, then local suppression of what is left.
    Coarsening,
    /// All of them; the one with the least loss.
    #[default]
    Auto,
    /// Every published path is shared by K records: the baseline Al-Hussaeni 2009 compares with.
    WholePaths,
    /// The global suppression of least loss, by exhaustive search; small tables only.
    Optimum,
    /// Whole paths made without a look at who has which value, all or nothing: safe against who knows the program.
    BlindSuppression,
    /// Items removed from every set that has them.
    ItemSuppression,
    /// Items made coarser by a taxonomy, everywhere alike.
    ItemGeneralization,
}

impl Algorithm {
    /// Name in policies about paths, with its algorithm.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("global-suppression", Self::GlobalSuppression),
        ("local-suppression", Self::LocalSuppression),
        ("coarsening", Self::Coarsening),
        ("auto", Self::Auto),
        ("whole-paths", Self::WholePaths),
        ("optimum", Self::Optimum),
        ("blind-suppression", Self::BlindSuppression),
    ];

    /// Name in policies about transactions, with its algorithm.
    pub const OF_ITEMS: [(&'static str, Self); 4] = [
        ("item-suppression", Self::ItemSuppression),
        ("item-generalization", Self::ItemGeneralization),
        ("auto", Self::Auto),
        ("blind-suppression", Self::BlindSuppression),
    ];

    /// The algorithm for paths of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, algorithm)| *algorithm)
    }

    /// The algorithm for transactions of a name.
    pub fn of_items(name: &str) -> Option<Self> {
        let found = Self::OF_ITEMS.iter().find(|(known, _)| *known == name);
        found.map(|(_, algorithm)| *algorithm)
    }

    /// The name of an algorithm.
    pub fn name(self) -> &'static str {
        let mut names = Self::NAMES.iter().chain(&Self::OF_ITEMS);
        let found = names.find(|(_, known)| *known == self);
        found.map_or("", |(name, _)| name)
    }
}

/// What the adversary knows any so many of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Elements {
    /// Places with their times; what is sensitive among them may be known as well.
    #[default]
    Doublets,
    /// Items, which have no time; a sensitive item is known to nobody.
    Items,
}

/// What a suppressed doublet costs, in the greedy score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Cost {
    /// Its instances in the table.
    #[default]
    Instances,
    /// The frequent sequences it is part of.
    FrequentSequences {
        /// Records that make a sequence frequent.
        support: u64,
        /// Longest sequence counted.
        length: usize,
    },
}

/// What happens to records whose quasi-identifiers alone put them below the promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Hopeless {
    /// The request is refused.
    #[default]
    Refuse,
    /// Those records are removed from the release.
    DropRecords,
}

/// A request on paths or transactions.
#[derive(Clone)]
pub struct Request {
    /// What records are made of.
    pub elements: Elements,
    /// Most doublets, or items, the adversary knows.
    pub l: usize,
    /// Fewest subjects in a group.
    pub k: u64,
    /// Sensitive values and places, or items, with their bounds.
    pub bounds: Vec<Bound>,
    /// What else must hold of every group, on the attributes of the table by position.
    pub promises: Vec<Arc<dyn Promise>>,
    /// Which records an adversary cannot rule out.
    pub matching: Matching,
    /// The solver.
    pub algorithm: Algorithm,
    /// Whether global suppression ends with a pass that takes back what is not needed.
    pub unsuppress: bool,
    /// What the greedy choice minds losing.
    pub cost: Cost,
    /// Coarser places and times, from fine to coarse; needed by `Coarsening` and `ItemGeneralization`.
    pub ladder: Option<Ladder>,
    /// What to do with records that no doublet suppression can save.
    pub hopeless: Hopeless,
}

impl Request {
    /// LK-anonymity with the defaults: consistent matching, `auto`, no sensitive value.
    pub fn new(l: usize, k: u64) -> Self {
        Self {
            elements: Elements::Doublets,
            l,
            k,
            bounds: Vec::new(),
            promises: Vec::new(),
            matching: Matching::default(),
            algorithm: Algorithm::default(),
            unsuppress: false,
            cost: Cost::default(),
            ladder: None,
            hopeless: Hopeless::default(),
        }
    }

    /// Checks what needs no data.
    pub fn check(&self) -> Result<(), Error> {
        if self.l == 0 {
            return Err(Error::NotPositive { what: "L" });
        }
        if self.k == 0 {
            return Err(Error::NotPositive { what: "K" });
        }
        Ok(())
    }

    /// The sensitive places, each an attribute after those of the table.
    pub fn places(&self) -> Vec<String> {
        let mut places = Vec::new();
        for bound in &self.bounds {
            if let Secret::Place { location } = &bound.secret
                && !places.contains(location)
            {
                places.push(location.clone());
            }
        }
        places
    }

    /// Everything that must hold of a group: size first, then each bound, then the rest.
    ///
    /// Attributes are those of `table`, then [`Request::places`]. A bound on a place in `hidden` is left out: it is published nowhere.
    pub fn all_promises(
        &self,
        table: &Sequences,
        hidden: &[String],
    ) -> Result<Vec<Box<dyn Promise>>, Error> {
        let places = self.places();
        let mut all: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k: self.k })];
        for bound in &self.bounds {
            let (attribute, code) = match &bound.secret {
                Secret::Value { attribute, value } => {
                    let place = table.sensitive().iter().position(|a| a.name == *attribute);
                    let place = place.ok_or_else(|| Error::UnknownAttribute {
                        attribute: attribute.clone(),
                        known: table.sensitive().iter().map(|a| a.name.clone()).collect(),
                    })?;
                    (place, table.sensitive()[place].code(value))
                }
                Secret::Place { location } => {
                    let place = places.iter().position(|p| p == location).unwrap_or(0);
                    let judged = !hidden.contains(location);
                    (table.sensitive().len() + place, judged.then_some(1))
                }
            };
            let bounded = code.map(|code| (code, bound.at_most));
            all.push(Box::new(Confidence::of_values(attribute, bounded)));
        }
        for promise in &self.promises {
            all.push(Box::new(Arc::clone(promise)));
        }
        Ok(all)
    }

    /// Who judges groups of `table`, and how long knowledge gets.
    pub fn limits(&self, table: &Sequences) -> Result<Limits, Error> {
        let places = self.places();
        let mut values: Vec<usize> = table.sensitive().iter().map(|a| a.values.len()).collect();
        values.resize(values.len() + places.len(), 2);
        Ok(Limits {
            l: self.l,
            judge: Judge::keeping(self.all_promises(table, &[])?, &values),
            places,
        })
    }
}

/// How long knowledge gets and who judges groups.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Longest knowledge.
    pub l: usize,
    /// The promises and what they need counted.
    pub judge: Judge<'static>,
    /// Sensitive places, each an attribute after those of the table.
    pub(crate) places: Vec<String>,
}

impl Limits {
    /// Groups judged by promises over attributes with so many values each.
    pub fn new(l: usize, promises: Vec<Box<dyn Promise>>, values: &[usize]) -> Self {
        Self {
            l,
            judge: Judge::keeping(promises, values),
            places: Vec::new(),
        }
    }

    /// Fewest subjects of a group.
    pub fn k(&self) -> u64 {
        self.judge.least()
    }

    /// Whether a group breaks a promise: `counts` is its size, then its counters.
    #[inline]
    pub fn broken_by(&self, counts: &[u32]) -> bool {
        self.judge.rejects(counts, &[])
    }

    /// As [`Limits::broken_by`], without the attributes that the knowledge itself names.
    #[inline]
    pub(crate) fn broken_except(&self, counts: &[u32], exempt: &[u32]) -> bool {
        self.judge.rejects(counts, exempt)
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Request")
            .field("l", &self.l)
            .field("k", &self.k)
            .field("bounds", &self.bounds)
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

/// What a run is given besides the data: a seed for searches and a way to stop.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// Seed of searches; the solvers here that search are deterministic without it.
    pub seed: u64,
    /// Asked now and then; `false` stops the run with [`Error::Stopped`].
    pub keep_going: &'a (dyn Fn() -> bool + Sync),
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self {
            seed: 0,
            keep_going: &|| true,
        }
    }
}

impl Context<'_> {
    pub(crate) fn check(&self) -> Result<(), Error> {
        if (self.keep_going)() {
            Ok(())
        } else {
            Err(Error::Stopped)
        }
    }
}
