//! What a report says, as plain data; whoever fills it decides what is true.

use crate::{Bar, Chart, Finding, Language};

/// Everything one page shows. Empty parts are left out of the page.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Report {
    /// The language of the page.
    pub language: Language,
    /// Who may read it.
    pub audience: Audience,
    /// What the data is about, which decides the words that are explained.
    pub about: About,
    /// Heading of the page, such as the policy's name.
    pub title: String,
    /// What was read, such as the file's name.
    pub data_name: String,
    /// Whether there is a release.
    pub outcome: Outcome,
    /// What one counted thing is called, in the plural: `records`, `patients`. Empty means `records`.
    pub unit: String,
    /// A few sentences that sum it all up.
    pub summary: Vec<String>,
    /// The few numbers worth a card of their own.
    pub facts: Vec<Fact>,
    /// What was promised and what was measured.
    pub claims: Vec<Claim>,
    /// How likely a record is to be found, before and after.
    pub risk: Option<Risk>,
    /// The classes of the release by size.
    pub class_sizes: Vec<ClassSize>,
    /// What each attribute lost.
    pub losses: Vec<Loss>,
    /// The values of each attribute before and after.
    pub distributions: Vec<Distribution>,
    /// Figures that statistics are made of, before and after.
    pub statistics: Statistics,
    /// Some records of the source beside what became of them.
    pub sample: Option<Sample>,
    /// What each column and label means.
    pub codebook: Vec<Explained>,
    /// The attacks that were run on the release, and those that do not apply to it.
    pub attacks: Vec<Attack>,
    /// The solvers that were tried.
    pub attempts: Vec<Attempt>,
    /// Further charts: a frontier, lost doublets by place and hour, a series of windows.
    pub figures: Vec<Figure>,
    /// Every measure of what was lost, by name.
    pub measures: Vec<Measure>,
    /// What the reader should know.
    pub notes: Vec<String>,
    /// What the reader must not miss.
    pub warnings: Vec<String>,
    /// What guards found, the worst first; the banner shows how bad it is.
    pub findings: Vec<Finding>,
    /// How the release came about.
    pub provenance: Provenance,
    /// Who made it and who answers for it.
    pub sign_off: Option<SignOff>,
}

/// Who may read a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Audience {
    /// The steward: it may show the source.
    #[default]
    Steward,
    /// Whoever receives the release: it shows nothing that the release does not.
    Recipient,
}

/// What the data of a report is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum About {
    /// Records with attributes.
    #[default]
    Records,
    /// Numbers that were replaced by those of groups.
    Numbers,
    /// Who was where and when.
    Paths,
    /// Who has what.
    Items,
    /// Which institutions hold data of whom.
    Trails,
    /// Windows of a stream.
    Windows,
}

/// Figures that statistics are made of.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Statistics {
    /// Columns of numbers.
    pub numbers: Vec<Moments>,
    /// Pairs of such columns.
    pub correlations: Vec<Correlation>,
    /// Pairs of columns with few values.
    pub cross_tables: Vec<CrossTable>,
}

/// What a column of numbers comes to, before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moments {
    /// The column.
    pub attribute: String,
    /// In the source.
    pub before: Option<Figures>,
    /// In the release.
    pub after: Option<Figures>,
}

/// Mean, standard deviation and quartiles.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Figures {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// First quartile, median, third quartile.
    pub quartiles: [f64; 3],
}

/// How two columns go together, before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Correlation {
    /// The columns.
    pub attributes: (String, String),
    /// In the source.
    pub before: f64,
    /// In the release.
    pub after: f64,
}

/// Shares of the records by two columns, before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CrossTable {
    /// The columns: rows, then columns of the table.
    pub attributes: (String, String),
    /// Values of the one.
    pub rows: Vec<String>,
    /// Values of the other.
    pub columns: Vec<String>,
    /// Share of the records before and after, `cells[row][column]`.
    pub cells: Vec<Vec<(f64, f64)>>,
}

/// Records of the source beside what became of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sample {
    /// The published columns.
    pub columns: Vec<String>,
    /// Each record: its cells in the source, and in the release, where it is there.
    pub rows: Vec<(Vec<String>, Option<Vec<String>>)>,
}

/// What a column shows, and what its labels mean.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Explained {
    /// The column.
    pub column: String,
    /// The part it plays.
    pub role: String,
    /// What stands in its cells.
    pub shows: String,
    /// Labels with what they mean.
    pub labels: Vec<(String, String)>,
    /// Whether there are more labels.
    pub more: bool,
}

/// A measure of what was lost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Measure {
    /// Its name in policies.
    pub name: String,
    /// What it says.
    pub meaning: String,
    /// Its value, as it should read.
    pub value: String,
    /// Its range, and which end is better.
    pub range: String,
}

/// Who made a release and who answers for it; there is room for two names by hand.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SignOff {
    /// Who prepared it, where the caller says.
    pub prepared_by: String,
    /// The day, where the caller says.
    pub date: String,
    /// Name and fingerprint of each file of the source.
    pub sources: Vec<(String, String)>,
    /// Name and fingerprint of each file of the release.
    pub released: Vec<(String, String)>,
}

/// How the run ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Outcome {
    /// Nothing was to be released: the page describes data as it is.
    #[default]
    Audited,
    /// Every promise was confirmed.
    Released,
    /// There is no release.
    Refused {
        /// One sentence: what stands in the way, and the nearest thing that is possible.
        because: String,
    },
}

/// One number with its name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fact {
    /// What it is, two or three words.
    pub name: String,
    /// The number, as it should read.
    pub value: String,
    /// A few words that put it in proportion.
    pub note: String,
}

/// One promise: what was asked, what was measured, whether it holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claim {
    /// The name in policies, such as `k-anonymity`.
    pub promise: String,
    /// The sensitive attribute it speaks of.
    pub attribute: Option<String>,
    /// The bound, such as `at least 5`.
    pub asked: String,
    /// What the audit found.
    pub measured: String,
    /// `None` when nobody can tell from what was measured.
    pub holds: Option<bool>,
    /// Whether a third party can re-check it from the public half alone.
    pub recheckable: bool,
    /// One plain sentence; when empty, the name and the bound are shown.
    pub explanation: String,
}

/// How likely a record is to be found, before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Risk {
    /// The named risks.
    pub headlines: Vec<Headline>,
    /// Share of the records in each band of risk, worst band first; [`crate::risk_bars`] makes them from class sizes.
    pub bands: Vec<Bar>,
}

/// One named risk as a share, 0 to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Headline {
    /// Such as `Highest risk of one record`.
    pub name: String,
    /// Who would try what, in one sentence.
    pub explanation: String,
    /// In the source.
    pub before: Option<f64>,
    /// In the release.
    pub after: Option<f64>,
}

/// The equivalence classes of one size; [`crate::class_sizes`] makes them from a list of classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ClassSize {
    /// Subjects in each of these classes; records where no subject is known.
    pub size: u64,
    /// How many classes have this size.
    pub classes: u64,
    /// Records in all these classes together; more than `size * classes` where subjects have several.
    pub records: u64,
}

/// What one attribute lost.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loss {
    /// The column.
    pub attribute: String,
    /// 0: as detailed as before; 1: nothing left.
    pub loss: f64,
    /// What was done, in words: `level 2 of 4: 10-year intervals`.
    pub how: String,
}

/// The values of one attribute before and after.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Distribution {
    /// The column.
    pub attribute: String,
    /// The word a policy uses for its role.
    pub role: String,
    /// What was done, in words.
    pub how: String,
    /// Whether the order of the values means something (numbers, dates): then they go by the number they start with, else as
    /// given. Others are sorted by count.
    pub ordered: bool,
    /// Values of the source.
    pub before: Vec<Count>,
    /// Values of the release.
    pub after: Vec<Count>,
}

/// How often a value occurs.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Count {
    /// The value as text; `None` where it is missing.
    pub label: Option<String>,
    /// The numbers it stands for, from the first up to the end: twice the same where it is one number.
    pub span: Option<(f64, f64)>,
    /// Its records.
    pub count: u64,
}

/// One attack and its success rates, 0 to 1.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attack {
    /// Such as `linkage`.
    pub name: String,
    /// What the adversary knows, in one sentence.
    pub knows: String,
    /// On the source.
    pub rate_before: Option<f64>,
    /// On the release.
    pub rate_after: Option<f64>,
    /// Such as the rate of guessing without the data.
    pub note: String,
    /// Whether it was left out because it does not apply to such data; then `knows` says why.
    pub left_out: bool,
}

/// One solver that was tried.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Attempt {
    /// A name from `denym algorithms`.
    pub solver: String,
    /// Such as `released`, `infeasible`, `out of time`.
    pub outcome: String,
    /// The metric's value, as it should read.
    pub score: String,
    /// Work done, in the solver's own unit (never a time: reports hold none).
    pub effort: String,
    /// Whether the release is this one's.
    pub chosen: bool,
    /// Why it fared so.
    pub note: String,
}

/// A chart with a heading and a caption.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The heading.
    pub title: String,
    /// What to see in it.
    pub caption: String,
    /// The chart.
    pub chart: Chart,
}

/// How the release came about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Provenance {
    /// Version of the program.
    pub version: String,
    /// Name of the policy.
    pub policy: String,
    /// The plan, step by step.
    pub steps: Vec<String>,
    /// More names and values, such as fingerprints and the seed.
    pub facts: Vec<(String, String)>,
}
