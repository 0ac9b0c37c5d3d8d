//! What is wanted: a policy file, read with every mistake reported at once.

mod accept;
mod attack;
mod attributes;
mod codes;
mod formulas;
mod kinds;
mod ledger;
mod metric;
mod microdata;
mod mistake;
mod operations;
mod parse;
pub mod paths;
mod promises;
pub mod reader;
mod report;
pub mod sequences;
pub mod stream;
pub mod syntax;
mod task;
pub mod transactions;
mod vocabulary;
mod written;

use std::ops::Range;
use std::path::{Path, PathBuf};

use denym_data::notation::{AskedNotation, DateFormat};
use denym_data::{AlgorithmEntry, DatePart, Decimal, Encoding, End, Format, Fraction, Kind, Role};
pub use denym_measure::{Bounded, Given, PromiseSpec};
use serde::{Deserialize, Serialize};

pub use accept::{About, Acceptance};
pub use attack::{AttackSpec, attack_section};
pub use codes::codes;
pub use denym_data::Perturbation;
pub use formulas::Formulas;
pub use kinds::DataKind;
pub use ledger::LedgerSpec;
pub use metric::Metric;
pub use microdata::{MicrodataSpec, PerturbSpec, UnconcernedSpec};
pub use mistake::{Mistake, names_to_show, suggest, suggest_column};
pub use operations::{KeySource, Operations, Pseudonym, Reach};
pub use promises::{JudgedOn, promises};
pub use report::{LANGUAGES, ReportSpec};
pub use task::{Condition, Query, Task, TaskSpec};
pub use vocabulary::{Vocabulary, Words};
pub use written::{WrittenEncoding, WrittenSpec};

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
    /// What only paths and transactions need; `None` for other kinds of data.
    pub sequences: Option<sequences::SequencesSpec>,
    /// What only streams need; `None` for other kinds of data.
    pub stream: Option<stream::StreamSpec>,
    /// How much the red team may achieve.
    pub attack: AttackSpec,
    /// The language of reports, and who prepares them.
    pub report: ReportSpec,
    /// Findings that are accepted, with reasons.
    pub accept: Vec<Acceptance>,
    /// Where releases are written down and judged together.
    pub ledger: Option<LedgerSpec>,
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
    /// How it is written, when the extension does not say.
    pub format: Option<Format>,
    /// One character.
    pub delimiter: Option<char>,
    /// One character.
    pub quote: Option<char>,
    /// Whether the first row has names.
    pub header: Option<bool>,
    /// How its characters are written.
    pub encoding: Option<Encoding>,
    /// Rows before the header that are no records; clear titles are found when not given.
    pub skip_rows: Option<usize>,
    /// The sheet of a workbook, by name or number; the first when not given.
    pub sheet: Option<String>,
    /// Texts that mean "missing" beside the empty one; none at all when the list is empty.
    pub missing_values: Option<Vec<String>>,
    /// The decimal mark of every column; found by column when not given.
    pub decimal: Option<char>,
    /// The mark between thousands of every column; found by column when not given.
    pub thousands: Option<char>,
    /// For paths: how times are written, when their values do not tell.
    pub time_format: Option<DateFormat>,
    /// Where standard input is held, when `path` is `-`; whoever runs the policy says so.
    pub held: Option<PathBuf>,
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

/// One column of the table and what is to be done with it.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeSpec {
    /// The column.
    pub name: String,
    /// Place of the name in the policy.
    pub span: Range<usize>,
    /// Its part.
    pub role: Role,
    /// What it is, in the steward's words, for whoever receives the release.
    pub description: Option<String>,
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
    /// Texts that mean "missing" here, beside those for all columns.
    pub missing_values: Vec<String>,
    /// How its values are written, where the policy says.
    pub notation: AskedNotation,
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
    /// One that was written from public facts, by its name.
    ReadyMade(&'static str),
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

/// How the release is made.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseSpec {
    /// One that `denym algorithms` lists.
    pub algorithm: &'static AlgorithmEntry,
    /// Place of the name.
    pub algorithm_span: Range<usize>,
    /// What is to be lost least.
    pub metric: Metric,
    /// The largest share of records that may be removed.
    pub suppress_at_most: Fraction,
    /// How it is written.
    pub format: Format,
    /// What is done with cells that a spreadsheet would run.
    pub formulas: Formulas,
    /// Delimiter, encoding, marks and formats of a CSV file.
    pub written: WrittenSpec,
    /// Makes searches reproducible.
    pub seed: u64,
    /// What it will be used for, where the algorithm cares.
    pub task: Option<TaskSpec>,
    /// Whether intervals of numbers are grown while specializing, instead of taken from hierarchies.
    pub grow_intervals: bool,
    /// Whether every column is published at one level for all records; otherwise each class may have a grain of its own.
    pub one_grain: bool,
    /// Whether the policy asks for classes of different grain, so that nobody need be told of them.
    pub mixed_grain: bool,
    /// Whether ranges of data values are widened to edges that are nobody's value.
    pub round_ranges: bool,
    /// How numbers are grouped and perturbed.
    pub microdata: MicrodataSpec,
}

/// The path that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

impl Policy {
    /// Reads a policy; every mistake is reported.
    pub fn parse(text: &str, file: &Path, vocabulary: &Vocabulary) -> Result<Policy, Vec<Mistake>> {
        parse::policy(text, file, vocabulary)
    }

    /// Reads a policy for a stream, whatever it says of itself; every mistake is reported.
    pub fn parse_stream(
        text: &str,
        file: &Path,
        vocabulary: &Vocabulary,
    ) -> Result<Policy, Vec<Mistake>> {
        stream::policy(text, file, vocabulary)
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

    /// The line of the policy, from 1, on which a span begins.
    pub fn line_of(&self, span: &std::ops::Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or_default();
        before.matches('\n').count() + 1
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
        let spec = self.sequences.as_ref();
        own.chain(spec.and_then(|spec| spec.hierarchy.as_deref()))
            .collect()
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
            description: None,
            hierarchy: HierarchySpec::Flat,
            kind: None,
            levels: (None, None),
            missing: Missing::Value,
            missing_values: Vec::new(),
            notation: AskedNotation::default(),
            operations: Operations::default(),
        }
    }
}

/// The name of a data set: its file name without extension.
pub fn data_name(path: &str) -> String {
    if path == STANDARD_INPUT {
        return "stdin".to_owned();
    }
    let packed = [".gz", ".zst", ".zstd"];
    let plain = packed.iter().find_map(|ending| path.strip_suffix(ending));
    let stem = Path::new(plain.unwrap_or(path))
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
