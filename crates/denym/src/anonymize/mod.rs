//! From a policy to a release; one file per kind of data.

mod evidence;
mod microdata;
mod path_attacks;
mod paths;
mod red_team;
mod table;
mod table_attacks;
mod trails;
mod transactions;

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::certificate::{AttackResult, Certificate, Claim};
use crate::listener::Listener;
use crate::policy::{DataKind, Policy};
use crate::{Error, Utility, threads};

pub(crate) use evidence::Evidence;
pub(crate) use microdata::CLUSTERING;
pub(crate) use microdata::measures::Changed;
pub use microdata::{ColumnTests, Measures, Microdata, Unconcerned};
pub use paths::PathFigures;
pub(crate) use table::{SIDES, solve};
pub use transactions::TransactionFigures;
pub(crate) use transactions::{metric as transaction_metric, solve as solve_items};

/// How a run is made, beside what the policy says.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
    /// Replace a bundle that is there.
    pub force: bool,
    /// Rounds of improvement for searches that get better with time; their own default when `None`.
    pub effort: Option<u64>,
    /// Such a search goes on until the listener says that time is up.
    pub until_told: bool,
    /// Add new records to this earlier release instead of grouping all anew.
    pub onto: Option<PathBuf>,
    /// Perturb with this seed instead of secret randomness: for tests, since whoever knows it can undo the perturbation.
    pub perturbation_seed: Option<u64>,
    /// Write which value became which into the steward's half.
    pub mapping: bool,
    /// Reads the environment, where a policy takes keys from it.
    pub environment: Option<crate::pseudonyms::Environment>,
}

/// A proven release. Only the audit of the written data makes one.
#[derive(Debug, Clone)]
pub struct Release {
    /// Where the bundle is.
    pub bundle: PathBuf,
    /// What it claims.
    pub certificate: Certificate,
    /// How it came about.
    pub account: Account,
}

/// How a run went.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// The algorithm that found the recoding.
    pub algorithm: String,
    /// What else was tried, when a portfolio was asked for.
    pub attempts: Vec<Tried>,
    /// Records of the source.
    pub records: u64,
    /// Records that are not published.
    pub suppressed_records: u64,
    /// The metric and its value.
    pub metric: (String, f64),
    /// Figures that only this kind of data has.
    pub figures: Figures,
    /// What happened to numbers, when they were changed.
    pub measures: Option<Measures>,
    /// What was promised and measured.
    pub claims: Vec<Claim>,
    /// What the steward should know.
    pub warnings: Vec<String>,
    /// Why there is no release, when no solver could find one.
    pub refusal: Option<Refusal>,
    /// What the red team achieved on the release.
    pub attacks: Vec<AttackResult>,
}

impl Account {
    /// Whether a promise is not confirmed, or an attack achieves more than the policy allows.
    pub fn refused(&self) -> bool {
        self.claims.iter().any(|claim| claim.holds != Some(true))
            || self.attacks.iter().any(AttackResult::exceeds)
    }
}

/// Why there is no release, and what can be had instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// A stable name for programs.
    pub code: &'static str,
    /// What stands in the way.
    pub message: String,
    /// The nearest thing that is possible.
    pub help: String,
}

/// One algorithm of a portfolio and how it fared.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// The algorithm.
    pub algorithm: String,
    /// Its score, when it found anything.
    pub score: Option<f64>,
    /// How it fared, in words.
    pub outcome: String,
    /// Whether the release is its.
    pub chosen: bool,
}

/// Figures that one kind of data has.
#[derive(Debug, Clone, PartialEq)]
pub enum Figures {
    /// A table.
    Table {
        /// Equivalence classes of the release.
        classes: u64,
        /// The level of each quasi-identifier, when one level holds for the whole column.
        levels: Option<Vec<(String, usize)>>,
        /// The loss of each quasi-identifier.
        attribute_loss: Vec<(String, f64)>,
        /// Records in the smallest group when missing values may stand for any, where the policy reads them so.
        wildcard_k: Option<u64>,
        /// Every information metric, by the names of `denym metrics`.
        metrics: Utility,
        /// No release of the solver's kind loses less than this, as far as the search could prove.
        bound: Option<f64>,
        /// Steps of a search that was limited; `--effort` with this number repeats the run.
        effort: Option<u64>,
    },
    /// Paths.
    Paths(PathFigures),
    /// Transactions.
    Transactions(TransactionFigures),
    /// Trails.
    Trails {
        /// Entries of the anonymous trails.
        entries: u64,
        /// Entries that are not published.
        withheld: u64,
        /// Whether no smaller set of entries would do.
        optimal: bool,
        /// Institutions of both sides.
        institutions: u64,
    },
    /// Numbers in groups, or clusters.
    Microdata(Microdata),
}

/// How a run ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Every promise was confirmed.
    Released(Box<Release>),
    /// The audit did not confirm every promise; nothing was written.
    Refused(Box<Account>),
}

/// Makes a release under `policy` in the directory `output`.
pub fn anonymize(
    policy: &Policy,
    output: &Path,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Outcome, Error> {
    threads::pool(options.threads)?.install(|| match policy.data.kind {
        DataKind::Table => table::run(policy, output, options, listener),
        DataKind::Paths => paths::run(policy, output, options, listener),
        DataKind::Transactions => transactions::run(policy, output, options, listener),
        DataKind::Trails => trails::run(policy, output, options, listener),
    })
}

/// Stops the run when the listener wants that.
fn proceed(listener: &dyn Listener) -> Result<(), Error> {
    if listener.keep_going() {
        Ok(())
    } else {
        Err(Error::Stopped)
    }
}

/// A document of a bundle.
fn json(value: &impl Serialize) -> Result<String, Error> {
    let text = serde_json::to_string_pretty(value).map_err(|_| Error::Internal {
        what: "a document has no JSON form".into(),
    })?;
    Ok(text + "\n")
}
