//! What is asked: what the adversary knows, what must not be learned, and how to get there.

use denym_data::Fraction;

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

/// Which records an adversary with some doublets cannot rule out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Matching {
    /// Records that do not contradict what is known of the *source* path; also all that `Covers` asks.
    #[default]
    Consistent,
    /// Records of the release that show every known doublet: the papers' definition.
    Covers,
}

/// The solvers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Algorithm {
    /// Doublets removed from every record: the thesis.
    GlobalSuppression,
    /// Doublets removed only from the records that need it.
    LocalSuppression,
    /// Places and times made coarser, then local suppression of what is left.
    Coarsening,
    /// All of them; the one with the least loss.
    #[default]
    Auto,
    /// Every published path is shared by K records: the baseline the thesis compares with.
    WholePaths,
    /// The global suppression of least loss, by exhaustive search; small tables only.
    Optimum,
}

impl Algorithm {
    /// Name in policies, with its algorithm.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("global-suppression", Self::GlobalSuppression),
        ("local-suppression", Self::LocalSuppression),
        ("coarsening", Self::Coarsening),
        ("auto", Self::Auto),
        ("whole-paths", Self::WholePaths),
        ("optimum", Self::Optimum),
    ];

    /// The algorithm of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, algorithm)| *algorithm)
    }

    /// The name of an algorithm.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(_, known)| *known == self);
        found.map_or("", |(name, _)| name)
    }
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

/// A request on paths.
#[derive(Clone, Debug)]
pub struct Request {
    /// Most doublets the adversary knows.
    pub l: usize,
    /// Fewest subjects in a group.
    pub k: u64,
    /// Sensitive values and places with their bounds.
    pub bounds: Vec<Bound>,
    /// Which records an adversary cannot rule out.
    pub matching: Matching,
    /// The solver.
    pub algorithm: Algorithm,
    /// Whether global suppression ends with a pass that takes back what is not needed.
    pub unsuppress: bool,
    /// What the greedy choice minds losing.
    pub cost: Cost,
    /// Coarser places and times, from fine to coarse; needed by `Coarsening`.
    pub ladder: Option<Ladder>,
    /// What to do with records that no doublet suppression can save.
    pub hopeless: Hopeless,
}

impl Request {
    /// LK-anonymity with the defaults: consistent matching, `auto`, no sensitive value.
    pub fn new(l: usize, k: u64) -> Self {
        Self {
            l,
            k,
            bounds: Vec::new(),
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

    pub(crate) fn limits(&self) -> Limits {
        Limits {
            l: self.l,
            k: self.k,
            at_most: self.bounds.iter().map(|bound| bound.at_most).collect(),
        }
    }
}

/// The numbers a group is judged by: its size and its share of each bounded secret.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Longest knowledge.
    pub l: usize,
    /// Smallest group.
    pub k: u64,
    /// Bound of each secret, in the order of the weights of a [`crate::Summary`].
    pub at_most: Vec<Fraction>,
}

impl Limits {
    /// Whether a group breaks the promise: `counts` is its size, then its count of each secret.
    #[inline]
    pub fn broken_by(&self, counts: &[u32]) -> bool {
        let size = u64::from(counts[0]);
        size < self.k || (size > 0 && self.confidence_broken(counts, &[]))
    }

    /// As [`Limits::broken_by`], without the bounds that the knowledge itself names.
    #[inline]
    pub(crate) fn broken_except(&self, counts: &[u32], exempt: &[u32]) -> bool {
        let size = u64::from(counts[0]);
        size < self.k || (size > 0 && self.confidence_broken(counts, exempt))
    }

    #[inline]
    fn confidence_broken(&self, counts: &[u32], exempt: &[u32]) -> bool {
        let size = u64::from(counts[0]);
        self.at_most.iter().enumerate().any(|(bound, at_most)| {
            at_most.is_exceeded_by(u64::from(counts[bound + 1]), size)
                && !exempt.contains(&(bound as u32))
        })
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
