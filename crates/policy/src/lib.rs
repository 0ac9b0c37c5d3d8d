//! What is wanted: a policy file, read with every mistake reported at once.

mod attack;
mod attributes;
mod formulas;
mod keys;
mod microdata;
mod mistake;
mod operations;
mod parse;
pub mod paths;
mod private;
mod promises;
pub mod reader;
pub mod sequences;
pub mod syntax;
mod task;
pub mod transactions;
mod vocabulary;

use std::ops::Range;
use std::path::{Path, PathBuf};

use denym_data::{DatePart, Decimal, End, Fraction, Kind, Role};
use denym_measure::catalogue::PromiseEntry;
use serde::{Deserialize, Serialize};

pub use attack::{AttackSpec, attack_section};
pub use formulas::Formulas;
pub use microdata::{MicrodataSpec, PerturbSpec, Perturbation, UnconcernedSpec};
pub use mistake::{Mistake, may_be_shown, names_to_show, nearest, suggest, suggest_column};
pub use operations::{KeySource, Middle, Operations, Pseudonym, Reach};
pub use promises::promises;
pub use task::{Condition, Query, Task, TaskSpec};
pub use vocabulary::Vocabulary;

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
    /// How many records of a person the adversary knows, when the policy says.
    pub records_known: Option<RecordsKnown>,
    /// Whether the adversary also knows this program and runs it backwards.
    pub knows_program: bool,
    /// What the adversary must not learn.
    pub promises: Vec<Promised>,
    /// How the release is made.
    pub release: ReleaseSpec,
    /// What only paths need; `None` for other kinds of data.
    pub paths: Option<paths::PathsSpec>,
    /// What only transactions need; `None` for other kinds of data.
    pub transactions: Option<transactions::TransactionsSpec>,
    /// How much the red team may achieve.
    pub attack: AttackSpec,
}

/// Where the data is and how to read it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DataSpec {
    /// File, directory or glob, as written.
    pub path: String,
    /// Place of the path in the policy.
    pub span: Range<usize>,
    /// What the data is about.
    pub kind: DataKind,
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
    /// For trails: the identified side, as written; `path` is the anonymous one.
    pub identified: String,
    /// For trails: which identified id owns which anonymous id; the same ids when not given.
    pub owners: Option<String>,
    /// Tables with further records about the people of this one.
    pub details: Vec<DetailSpec>,
}

/// A table with further records about people; it is joined with the person table by the subject.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DetailSpec {
    /// File, directory or glob, as written.
    pub path: String,
    /// Its columns are called `name.column`.
    pub name: String,
    /// Its column with the person's key.
    pub foreign_key: String,
    /// Place of the entry in the policy.
    pub span: Range<usize>,
}

/// What the data is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DataKind {
    /// Records with attributes.
    #[default]
    Table,
    /// Who was where and when.
    Paths,
    /// Which items each person has.
    Transactions,
    /// The institutions that hold data of each person.
    Trails,
}

impl DataKind {
    /// Every kind with the word a policy uses for it.
    pub const ALL: [(&'static str, DataKind); 4] = [
        ("table", DataKind::Table),
        ("paths", DataKind::Paths),
        ("transactions", DataKind::Transactions),
        ("trails", DataKind::Trails),
    ];

    /// What such data are called.
    pub fn name(self) -> &'static str {
        match self {
            DataKind::Table => "tables",
            DataKind::Paths => "paths",
            DataKind::Transactions => "transactions",
            DataKind::Trails => "trails",
        }
    }
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
    /// What a missing value means.
    pub missing: Missing,
    /// What is done beside generalizing.
    pub operations: Operations,
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
    /// Any so many (location, time) pairs of the victim's path, and every quasi-identifier.
    Doublets(usize),
    /// Any so many items of the victim's transaction, sensitive ones apart.
    Items(usize),
    /// Which institutions hold data of the victim.
    Institutions,
}

/// How many of a victim's records the adversary knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordsKnown {
    /// One of them.
    One,
    /// Any so many.
    Any(usize),
    /// All of them, and that there are no more.
    All,
}

/// A promise with its place in the policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Promised {
    /// What is promised.
    pub promise: PromiseSpec,
    /// The quasi-identifiers that its adversary knows; all when `None`.
    pub quasi: Option<Vec<String>>,
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
    /// At least `k` distinct values of some other columns in every group.
    XyAnonymity {
        /// The columns Y.
        y: Vec<String>,
        /// The least number of values.
        k: u64,
    },
    /// At least `k` subjects, and bounded confidence in some values.
    XyPrivacy {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// The values that are bounded; all when empty.
        values: Vec<String>,
        /// The largest confidence.
        at_most: Exact,
        /// The least number of subjects.
        k: u64,
    },
    /// At least `k` subjects, and no value above a share.
    AlphaKAnonymity {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// The largest share.
        alpha: Exact,
        /// The least number of subjects.
        k: u64,
    },
    /// At least `k` distinct numbers over a range of at least `e` in every group.
    KEAnonymity {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// The least number of numbers.
        k: u64,
        /// The smallest range.
        e: Exact,
    },
    /// No interval around a number holds for more than one in `m` of a group.
    EpsilonMAnonymity {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// Half the width of the interval.
        epsilon: Exact,
        /// One in so many.
        m: u64,
    },
    /// No value's share in a group exceeds its share in the table by more than a factor 1 + beta.
    BetaLikeness {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// The largest relative gain.
        beta: Exact,
        /// How it is bounded.
        kind: Likeness,
    },
    /// Every value is about as frequent in each group as in the table.
    DeltaDisclosure {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// The bound on the logarithm of the ratio of shares.
        delta: Exact,
        /// Its base.
        base: LogBase,
    },
    /// No visit to a sensitive place can be inferred with more than this confidence; for paths.
    Places {
        /// The places; their names stay with the steward.
        #[serde(skip)]
        places: Vec<String>,
        /// The largest confidence.
        at_most: Exact,
    },
    /// No sensitive item can be inferred with more than this confidence; for transactions.
    Items {
        /// The items; the release shows them as they are.
        items: Vec<String>,
        /// The largest confidence.
        at_most: Exact,
    },
    /// Every group looks like at least `k` people of a population.
    KMap {
        /// The register, a file; it stays with the publisher.
        #[serde(skip)]
        population: String,
        /// The least number of people.
        k: u64,
    },
    /// The chance that somebody of a population is in the data lies between two bounds.
    DeltaPresence {
        /// The register, a file; it stays with the publisher.
        #[serde(skip)]
        population: String,
        /// The smallest chance.
        least: Exact,
        /// The largest chance.
        most: Exact,
    },
    /// Nobody's value can be placed under the node they guard with more than this confidence.
    PersonalizedPrivacy {
        /// The sensitive attribute.
        attribute: Option<String>,
        /// The column that names each person's node; it is never released.
        #[serde(skip)]
        guards: String,
        /// The largest confidence.
        at_most: Exact,
    },
}

/// How a relative gain is bounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Likeness {
    /// By beta for every value.
    Basic,
    /// By beta, and by -ln of its share for a frequent value.
    Enhanced,
}

/// The base of a logarithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LogBase {
    /// Natural.
    #[serde(rename = "e")]
    E,
    /// Two.
    #[serde(rename = "2")]
    Two,
}

/// What "well-represented" means.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
        /// Values that may be disclosed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        allowed: Vec<String>,
        /// Values that may not be ruled out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        floor: Vec<String>,
        /// Their least share.
        #[serde(default = "Exact::zero")]
        least: Exact,
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

impl Exact {
    fn zero() -> Exact {
        Exact(Fraction::ZERO)
    }
}

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
    /// What is done with cells that a spreadsheet would run.
    pub formulas: Formulas,
    /// Makes searches reproducible.
    pub seed: u64,
    /// What it will be used for, where the algorithm cares.
    pub task: Option<TaskSpec>,
    /// Whether intervals of numbers are grown while specializing, instead of taken from hierarchies.
    pub grow_intervals: bool,
    /// How numbers are grouped and perturbed.
    pub microdata: MicrodataSpec,
}

impl Policy {
    /// Reads a policy; every mistake is reported.
    pub fn parse(text: &str, file: &Path, vocabulary: &Vocabulary) -> Result<Policy, Vec<Mistake>> {
        parse::policy(text, file, vocabulary)
    }

    /// The name of the data set, for files and headings.
    pub fn data_name(&self) -> String {
        data_name(&self.data.path)
    }

    /// `path` as seen from the policy's directory; the copy of it, where the policy is that of a bundle.
    pub fn resolve(&self, path: &Path) -> PathBuf {
        let Some(directory) = self.file.parent() else {
            return path.to_owned();
        };
        let copy = directory.join(Self::copy_of(path));
        if directory.ends_with("steward") && copy.is_file() {
            return copy;
        }
        directory.join(path)
    }

    /// Where a bundle keeps its copy of a file that a policy names, beside the policy.
    pub fn copy_of(path: &Path) -> PathBuf {
        let mut copy = PathBuf::from("files");
        for part in path.components() {
            match part {
                std::path::Component::Normal(name) => copy.push(name),
                std::path::Component::ParentDir => copy.push("up"),
                _ => {}
            }
        }
        copy
    }

    /// The files of hierarchies that the policy names.
    pub fn hierarchy_files(&self) -> Vec<&Path> {
        let own = self
            .attributes
            .iter()
            .filter_map(|attribute| match &attribute.hierarchy {
                HierarchySpec::File(path) => Some(path.as_path()),
                _ => None,
            });
        let places = self.paths.as_ref().and_then(|spec| spec.places.as_deref());
        let taxonomy = self.transactions.as_ref();
        let taxonomy = taxonomy.and_then(|spec| spec.taxonomy.as_deref());
        own.chain(places).chain(taxonomy).collect()
    }

    /// The attributes with this role.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &AttributeSpec> {
        self.attributes
            .iter()
            .filter(move |attribute| attribute.role == role)
    }
}

impl AttributeSpec {
    /// A column with a role and nothing else.
    pub fn plain(name: String, span: Range<usize>, role: Role) -> AttributeSpec {
        AttributeSpec {
            name,
            hierarchy_span: span.clone(),
            span,
            role,
            hierarchy: HierarchySpec::Flat,
            kind: None,
            levels: (None, None),
            missing: Missing::Value,
            operations: Operations::default(),
        }
    }
}

impl PromiseSpec {
    /// The name in policies and certificates.
    pub fn name(&self) -> &'static str {
        match self {
            PromiseSpec::KAnonymity { .. } => "k-anonymity",
            PromiseSpec::LDiversity { .. } => "l-diversity",
            PromiseSpec::TCloseness { .. } => "t-closeness",
            PromiseSpec::XyAnonymity { .. } => "xy-anonymity",
            PromiseSpec::XyPrivacy { .. } => "xy-privacy",
            PromiseSpec::AlphaKAnonymity { .. } => "alpha-k-anonymity",
            PromiseSpec::KEAnonymity { .. } => "k-e-anonymity",
            PromiseSpec::EpsilonMAnonymity { .. } => "epsilon-m-anonymity",
            PromiseSpec::BetaLikeness { .. } => "beta-likeness",
            PromiseSpec::DeltaDisclosure { .. } => "delta-disclosure",
            PromiseSpec::Confidence { .. }
            | PromiseSpec::Places { .. }
            | PromiseSpec::Items { .. } => "confidence",
            PromiseSpec::KMap { .. } => "k-map",
            PromiseSpec::DeltaPresence { .. } => "delta-presence",
            PromiseSpec::PersonalizedPrivacy { .. } => "personalized-privacy",
        }
    }

    /// The name in the list of promises, which tells kinds of one promise apart.
    pub fn listed(&self) -> &'static str {
        match self {
            PromiseSpec::LDiversity { kind, .. } => match kind {
                Diversity::Distinct => "distinct-l-diversity",
                Diversity::Entropy => "entropy-l-diversity",
                Diversity::Recursive { allowed, floor, .. } => {
                    if !floor.is_empty() {
                        "negative-disclosure-recursive-l-diversity"
                    } else if !allowed.is_empty() {
                        "positive-disclosure-recursive-l-diversity"
                    } else {
                        "recursive-l-diversity"
                    }
                }
            },
            PromiseSpec::TCloseness { distance, .. } => match distance {
                Distance::Equal => "t-closeness",
                Distance::Ordered => "t-closeness-ordered",
                Distance::Hierarchical => "t-closeness-hierarchical",
            },
            PromiseSpec::BetaLikeness { kind, .. } => match kind {
                Likeness::Basic => "basic-beta-likeness",
                Likeness::Enhanced => "enhanced-beta-likeness",
            },
            other => other.name(),
        }
    }

    /// What the list of promises says about it.
    pub fn entry(&self) -> Option<&'static PromiseEntry> {
        denym_measure::catalogue::promise_entry(self.listed())
    }

    /// Whether it is judged against the distribution over all source records.
    pub fn needs_reference(&self) -> bool {
        matches!(
            self,
            PromiseSpec::TCloseness { .. }
                | PromiseSpec::BetaLikeness { .. }
                | PromiseSpec::DeltaDisclosure { .. }
        )
    }

    /// The register it is judged against, when there is one.
    pub fn population(&self) -> Option<&str> {
        match self {
            PromiseSpec::KMap { population, .. }
            | PromiseSpec::DeltaPresence { population, .. } => Some(population),
            _ => None,
        }
    }

    /// The column of guarding nodes it is judged with, when there is one.
    pub fn guards(&self) -> Option<&str> {
        match self {
            PromiseSpec::PersonalizedPrivacy { guards, .. } => Some(guards),
            _ => None,
        }
    }

    /// Whether only the publisher can judge it: it needs what is not released.
    pub fn is_private(&self) -> bool {
        self.population().is_some() || self.guards().is_some()
    }

    /// The sensitive attribute it speaks of, when it speaks of one.
    pub fn attribute(&self) -> Option<&Option<String>> {
        match self {
            PromiseSpec::KAnonymity { .. }
            | PromiseSpec::XyAnonymity { .. }
            | PromiseSpec::Places { .. }
            | PromiseSpec::Items { .. }
            | PromiseSpec::KMap { .. }
            | PromiseSpec::DeltaPresence { .. } => None,
            PromiseSpec::LDiversity { attribute, .. }
            | PromiseSpec::TCloseness { attribute, .. }
            | PromiseSpec::Confidence { attribute, .. }
            | PromiseSpec::XyPrivacy { attribute, .. }
            | PromiseSpec::AlphaKAnonymity { attribute, .. }
            | PromiseSpec::KEAnonymity { attribute, .. }
            | PromiseSpec::EpsilonMAnonymity { attribute, .. }
            | PromiseSpec::BetaLikeness { attribute, .. }
            | PromiseSpec::DeltaDisclosure { attribute, .. }
            | PromiseSpec::PersonalizedPrivacy { attribute, .. } => Some(attribute),
        }
    }

    /// The same promise with its attribute named.
    #[must_use]
    pub fn about(mut self, name: &str) -> PromiseSpec {
        match &mut self {
            PromiseSpec::KAnonymity { .. }
            | PromiseSpec::XyAnonymity { .. }
            | PromiseSpec::Places { .. }
            | PromiseSpec::Items { .. }
            | PromiseSpec::KMap { .. }
            | PromiseSpec::DeltaPresence { .. } => {}
            PromiseSpec::LDiversity { attribute, .. }
            | PromiseSpec::TCloseness { attribute, .. }
            | PromiseSpec::Confidence { attribute, .. }
            | PromiseSpec::XyPrivacy { attribute, .. }
            | PromiseSpec::AlphaKAnonymity { attribute, .. }
            | PromiseSpec::KEAnonymity { attribute, .. }
            | PromiseSpec::EpsilonMAnonymity { attribute, .. }
            | PromiseSpec::BetaLikeness { attribute, .. }
            | PromiseSpec::DeltaDisclosure { attribute, .. }
            | PromiseSpec::PersonalizedPrivacy { attribute, .. } => {
                *attribute = Some(name.to_owned());
            }
        }
        self
    }
}

/// The name of a data set: its file name without extension.
pub fn data_name(path: &str) -> String {
    let stem = Path::new(path)
        .file_stem()
        .and_then(|stem| stem.to_str())
        .unwrap_or("data");
    stem.chars()
        .map(|c| {
            if c.is_alphanumeric() || "-_.".contains(c) {
                c
            } else {
                '-'
            }
        })
        .collect()
}
