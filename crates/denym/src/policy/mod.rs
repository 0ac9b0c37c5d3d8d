//! What is wanted: a policy file, read with every mistake reported at once.

mod attributes;
mod mistake;
mod parse;
mod promises;
mod reader;
pub mod stream;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use denym_data::{DatePart, Decimal, End, Fraction, Kind, Role};
use serde::{Deserialize, Serialize};

pub use mistake::Mistake;
pub(crate) use mistake::suggest;

/// What a data steward wants published, under which promises.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The text as written.
    pub text: String,
    /// The file it came from; paths in the policy are relative to its directory.
    pub file: PathBuf,
    /// Where the data is and how to read it.
    pub data: DataSpec,
    /// The columns that have a role, in the policy's order.
    pub attributes: Vec<AttributeSpec>,
    /// What the adversary is assumed to know.
    pub adversary: Knowledge,
    /// What the adversary must not learn.
    pub promises: Vec<Promised>,
    /// How the release is made.
    pub release: ReleaseSpec,
}

/// Where the data is and how to read it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataSpec {
    /// File, directory or glob, as written.
    pub path: String,
    /// Place of the path in the policy.
    pub span: Range<usize>,
    /// `csv`, `parquet` or `json`, when the extension does not say.
    pub format: Option<String>,
    /// One character.
    pub delimiter: Option<char>,
    /// One character.
    pub quote: Option<char>,
    /// Whether the first row has names.
    pub header: Option<bool>,
    /// Such as `utf-8`, `windows-1252`, `utf-16le`.
    pub encoding: Option<String>,
    /// Texts that mean "missing"; the empty text when none are given.
    pub missing_values: Option<Vec<String>>,
}

/// One column of the table and what is to be done with it.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeSpec {
    /// The column.
    pub name: String,
    /// Place of the name in the policy.
    pub span: Range<usize>,
    /// Its part.
    pub role: Role,
    /// How its values generalize.
    pub hierarchy: HierarchySpec,
    /// Place of the hierarchy in the policy.
    pub hierarchy_span: Range<usize>,
    /// The declared type, when it is not to be found from the values.
    pub kind: Option<Kind>,
    /// The finest and the coarsest level allowed.
    pub levels: (Option<usize>, Option<usize>),
    /// How much its loss counts.
    pub weight: Fraction,
    /// What a missing value means.
    pub missing: Missing,
}

/// What a missing value means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// A value of its own (the default).
    #[default]
    Value,
    /// Records that miss it are suppressed.
    Suppress,
    /// It may stand for any value: a record that misses it could be in several groups.
    Wildcard,
}

/// How the values of a column generalize.
#[derive(Debug, Clone, PartialEq)]
pub enum HierarchySpec {
    /// Keep or suppress.
    Flat,
    /// A CSV file: one row per value, a column per level.
    File(PathBuf),
    /// Intervals of growing width.
    Intervals(Vec<Decimal>),
    /// Coarser and coarser parts of a date.
    Dates(Vec<DatePart>),
    /// Characters replaced from one end.
    Redaction(End, usize),
    /// Neighbours of an order grouped.
    Ordered(Vec<String>, Vec<usize>),
    /// The least important values suppressed first; an empty list means by frequency.
    Priority(Vec<String>, usize),
}

/// What the adversary is assumed to know of a victim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Knowledge {
    /// Every quasi-identifier.
    #[default]
    QuasiIdentifiers,
    /// Any of the quasi-identifiers, but at most so many of them.
    AtMost(usize),
}

/// A promise with its place in the policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Promised {
    /// What is promised.
    pub promise: PromiseSpec,
    /// Where it is written.
    pub span: Range<usize>,
}

/// What the adversary must not learn. Attributes are column names; `None` means the only sensitive one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "promise", rename_all = "kebab-case")]
pub enum PromiseSpec {
    /// At least `k` subjects in every group.
    KAnonymity {
        /// The least number of subjects.
        k: u64,
    },
    /// At least `l` well-represented values in every group.
    LDiversity {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// What "well-represented" means.
        kind: Diversity,
        /// How many.
        l: Exact,
    },
    /// The distribution of every group is close to that of the whole table.
    TCloseness {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// The largest distance.
        t: Exact,
        /// Which distance.
        distance: Distance,
    },
    /// No value can be inferred with more than this confidence.
    Confidence {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// The values that are bounded; all when empty.
        values: Vec<String>,
        /// The largest confidence.
        at_most: Exact,
    },
}

/// What "well-represented" means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Diversity {
    /// `l` different values.
    Distinct,
    /// Entropy of at least log `l`.
    Entropy,
    /// The most frequent value is rarer than `c` times the rest from the l-th on.
    Recursive {
        /// The factor.
        c: Exact,
    },
}

/// How far two distributions are apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Distance {
    /// Every two values are equally far apart.
    Equal,
    /// Values are as far apart as their ranks.
    Ordered,
    /// Values are as far apart as the level of their lowest common ancestor.
    Hierarchical,
}

/// A fraction written as the decimal it was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exact(pub Fraction);

impl Serialize for Exact {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!(
            "{}/{}",
            self.0.numerator(),
            self.0.denominator()
        ))
    }
}

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let parts = text
            .split_once('/')
            .and_then(|(n, d)| Fraction::new(n.parse().ok()?, d.parse().ok()?));
        parts
            .map(Exact)
            .ok_or_else(|| serde::de::Error::custom("not a fraction"))
    }
}

/// How the release is made.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseSpec {
    /// A name that `denym algorithms` lists.
    pub algorithm: String,
    /// Place of the name.
    pub algorithm_span: Range<usize>,
    /// A name that `denym metrics` lists.
    pub metric: String,
    /// The largest share of records that may be removed.
    pub suppress_at_most: Fraction,
    /// `csv`, `parquet` or `json`.
    pub format: String,
    /// Makes searches reproducible.
    pub seed: u64,
    /// Further options that single algorithms understand, by name.
    pub options: BTreeMap<String, String>,
}

impl Policy {
    /// Reads a policy; every mistake is reported.
    pub fn parse(text: &str, file: &Path) -> Result<Policy, Vec<Mistake>> {
        parse::policy(text, file)
    }

    /// `path` as seen from the policy's directory.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        self.file
            .parent()
            .map_or_else(|| path.to_owned(), |directory| directory.join(path))
    }

    /// The attributes with this role.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &AttributeSpec> {
        self.attributes
            .iter()
            .filter(move |attribute| attribute.role == role)
    }
}

impl PromiseSpec {
    /// The name in policies and certificates.
    pub fn name(&self) -> &'static str {
        match self {
            PromiseSpec::KAnonymity { .. } => "k-anonymity",
            PromiseSpec::LDiversity { .. } => "l-diversity",
            PromiseSpec::TCloseness { .. } => "t-closeness",
            PromiseSpec::Confidence { .. } => "confidence",
        }
    }

    /// The sensitive attribute it speaks of, when it speaks of one.
    pub fn attribute(&self) -> Option<&Option<String>> {
        match self {
            PromiseSpec::KAnonymity { .. } => None,
            PromiseSpec::LDiversity { attribute, .. }
            | PromiseSpec::TCloseness { attribute, .. }
            | PromiseSpec::Confidence { attribute, .. } => Some(attribute),
        }
    }

    /// The same promise with its attribute named.
    #[must_use]
    pub fn about(mut self, name: &str) -> PromiseSpec {
        match &mut self {
            PromiseSpec::KAnonymity { .. } => {}
            PromiseSpec::LDiversity { attribute, .. }
            | PromiseSpec::TCloseness { attribute, .. }
            | PromiseSpec::Confidence { attribute, .. } => *attribute = Some(name.to_owned()),
        }
        self
    }
}
