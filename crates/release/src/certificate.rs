//! What a release claims, in a file that a third party can check.

mod basis;
mod layout;
mod program;

use std::collections::BTreeMap;

use denym_data::Fraction;
use denym_data::notation::Notation;
use serde::{Deserialize, Serialize};

use denym_policy::{Knowledge, PromiseSpec};

pub use basis::{Basis, Shape, Word};
pub use layout::{PathClaims, PathForm, TransactionForm, laid_out, parts};
pub use program::{Found, Program, percent};

/// The version of the certificate's form; since 2 it lists every published column.
pub const FORM: u32 = 2;

/// Records of one person that the adversary was taken to know together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownTogether {
    /// The column that tells whose records are whose: the subject, or tokens.
    pub column: String,
    /// How many of them; all when there is no number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub records: Option<usize>,
}

/// Everything `denym verify` needs beside the data; it says nothing that helps an adversary.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// The version of this form.
    pub form: u32,
    /// The version of denym that made the release.
    pub denym: String,
    /// The released data.
    pub data: DataFile,
    /// What the adversary is assumed to know.
    pub knows: Knowledge,
    /// Columns the adversary may know.
    pub quasi_identifiers: Vec<String>,
    /// Columns the adversary must not learn.
    pub sensitive: Vec<Sensitive>,
    /// The column that tells which records of one class belong to one person.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub subject: Option<String>,
    /// Where promises were judged on people in the same combination of classes as well; the release does not show who they are, so
    /// these judgements are the publisher's word.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub known_together: Vec<KnownTogether>,
    /// Records that were removed.
    pub suppressed_records: u64,
    /// Columns whose published values are not those of single records.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub altered: Vec<Altered>,
    /// Groups that quasi-identifiers and sensitive values meet in, when the release is made of groups.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub groups: Option<Groups>,
    /// The file that says what columns and labels mean; earlier releases have none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub codebook: Option<Document>,
    /// What is promised and what was measured.
    pub claims: Vec<Claim>,
    /// How the release stands against somebody who knows the program.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub program: Option<Program>,
    /// What is claimed of this release together with all earlier ones of its ledger: the publisher's word, since lists of members are secret.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub releases: Option<OverReleases>,
    /// What the red team could do to the release.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub attacks: Vec<AttackResult>,
    /// What guards against mistakes found that concerns the recipient; it counts nobody.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub findings: Vec<CertifiedFinding>,
    /// The layout of released paths, and how they are judged.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub paths: Option<PathClaims>,
    /// The layout of released transactions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub transactions: Option<TransactionForm>,
}

/// What is claimed of several releases together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OverReleases {
    /// How many releases these claims cover, this one among them.
    pub covered: u64,
    /// Every promise of any of them, judged on people whom all of them together cannot tell apart.
    pub claims: Vec<Claim>,
}

/// Something that a guard against mistakes found and that concerns the recipient.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertifiedFinding {
    /// Its name.
    pub finding: String,
    /// `note`, `warning` or `grave`.
    pub severity: String,
    /// The column it is about.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub column: Option<String>,
    /// What it means for the recipient.
    pub means: String,
}

/// The released data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataFile {
    /// Its name, beside the certificate.
    pub file: String,
    /// `csv`, `parquet` or `json`.
    pub format: String,
    /// How many records it has.
    pub records: u64,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// How a CSV file is written that is not written with commas, in UTF-8 and with plain values.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub written: Option<WrittenForm>,
    /// Every column of it, in its order, with the part it plays.
    #[serde(default)]
    pub columns: Vec<PublishedColumn>,
}

/// A file beside the data that belongs to the release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// Its name, beside the certificate.
    pub file: String,
    /// SHA-256 of its bytes.
    pub sha256: String,
}

/// How a CSV file is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenForm {
    /// The character between two cells.
    pub delimiter: char,
    /// The label of its encoding.
    pub encoding: String,
    /// How numbers and dates are written, by column; others are plain.
    #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
    pub notations: BTreeMap<String, Notation>,
}

/// A published column and the part it plays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedColumn {
    /// Its name.
    pub name: String,
    /// The part it plays.
    pub role: ColumnRole,
}

/// The part that a published column plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnRole {
    /// What an adversary may know.
    QuasiIdentifier,
    /// What an adversary must not learn.
    Sensitive,
    /// Published as it is: the policy says that nobody can be found by it.
    Insensitive,
    /// Numbers that tell which records are one person's, and nothing else.
    SubjectNumber,
    /// Tokens in place of an identifier.
    Pseudonym,
    /// The group that sensitive values belong to.
    Group,
    /// How many records of a group have a value.
    Count,
    /// Whole paths: places with their times.
    Path,
    /// Where.
    Place,
    /// When.
    Time,
    /// What somebody has.
    Item,
    /// Who holds data of somebody.
    Institution,
}

impl ColumnRole {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            ColumnRole::QuasiIdentifier => "quasi-identifier",
            ColumnRole::Sensitive => "sensitive",
            ColumnRole::Insensitive => "insensitive",
            ColumnRole::SubjectNumber => "subject number",
            ColumnRole::Pseudonym => "pseudonym",
            ColumnRole::Group => "group",
            ColumnRole::Count => "count",
            ColumnRole::Path => "path",
            ColumnRole::Place => "place",
            ColumnRole::Time => "time",
            ColumnRole::Item => "item",
            ColumnRole::Institution => "institution",
        }
    }
}

/// The columns of these names with the part that each plays.
pub fn published<'a>(
    names: impl IntoIterator<Item = &'a str>,
    role: impl Fn(&str) -> ColumnRole,
) -> Vec<PublishedColumn> {
    let column = |name: &'a str| PublishedColumn {
        name: name.to_owned(),
        role: role(name),
    };
    names.into_iter().map(column).collect()
}

/// Groups in which sensitive values belong to nobody in particular; promises are judged on them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Groups {
    /// The column of groups.
    pub column: String,
    /// The sensitive attribute.
    pub attribute: String,
    /// The table with the sensitive values of each group, when they are not in the data itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sensitive: Option<DataFile>,
}

/// A sensitive attribute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sensitive {
    /// The column.
    pub name: String,
    /// The distribution over all source records that t-closeness and kin are judged against, in the order of the values.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reference: Option<Vec<(Option<String>, u64)>>,
    /// The columns it is made of, when it stands for several read as one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub parts: Vec<String>,
    /// The taxonomy that the hierarchical distance uses: each value, then its ancestors.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub taxonomy: Option<Vec<Vec<Option<String>>>>,
}

/// Columns whose published values are not those of single records; mostly truthfulness at the record level is lost.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Altered {
    /// The columns.
    pub columns: Vec<String>,
    /// How they were changed.
    pub method: String,
    /// Whether the same source and policy give the same values again; random draws do not.
    pub reproducible: bool,
    /// Whether a published value, read as it is meant, still holds of its record: false for means, noise, swaps and rounding.
    #[serde(default)]
    pub true_of_records: bool,
}

/// How a claim can be checked, as the publisher says; whoever checks decides it anew, see [`Basis`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Check {
    /// From the released half alone.
    Recheckable,
    /// Only with the source or a population: the publisher vouches for it.
    Attested,
}

/// One promise and the evidence for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// What is promised.
    pub promise: String,
    /// The sensitive attribute, when it speaks of one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub attribute: Option<String>,
    /// The quasi-identifiers its adversary knows; all when there are none here.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub quasi_identifiers: Vec<String>,
    /// The bound that was asked for.
    pub asked: f64,
    /// The worst value that was measured on the written data.
    pub measured: f64,
    /// Whether every group meets it; `None` when it cannot be told from the released half.
    pub holds: Option<bool>,
    /// Records in groups that do not meet it.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub violating_records: u64,
    /// How it can be checked.
    pub check: Check,
    /// The exact terms.
    pub terms: PromiseSpec,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// What one attack could do to the release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttackResult {
    /// The attack's name.
    pub attack: String,
    /// The sensitive attribute it is after, when it is after one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub attribute: Option<String>,
    /// What its adversary knows.
    pub knows: String,
    /// The share of its attempts that succeed, or the expected share of right guesses.
    pub success_rate: f64,
    /// People it was tried on.
    #[serde(default)]
    pub attempts: u64,
    /// `exhaustive`, or `sampled` when not everything that could be tried was.
    #[serde(default = "exhaustive")]
    pub coverage: String,
    /// 95 % interval of the rate, where people were drawn.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub interval: Option<(f64, f64)>,
    /// The bound above which the policy refuses a release.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refuse_above: Option<f64>,
}

impl AttackResult {
    /// Whether the attack achieves more than the policy allows; where people were drawn, whether it may.
    pub fn exceeds(&self) -> bool {
        let rate = self.interval.map_or(self.success_rate, |(_, high)| high);
        self.refuse_above.is_some_and(|bound| rate > bound)
    }
}

fn exhaustive() -> String {
    "exhaustive".to_owned()
}

/// `part / whole` as a number, zero when there is nothing.
pub fn share(part: u64, whole: u64) -> f64 {
    Fraction::new(part, whole).map_or(0.0, Fraction::to_f64)
}
