//! How a run ended and how it went: what was found, promised, measured and attacked.

use std::path::{Path, PathBuf};

use crate::certificate::{AttackResult, Certificate, Claim};
use crate::kinds::microdata::{Measures, Microdata};
use crate::kinds::paths::PathFigures;
use crate::kinds::transactions::TransactionFigures;
use crate::policy::Policy;
use crate::program::Program;
use crate::{Error, Utility};

/// A proven release. Only the audit of the written data makes one.
#[derive(Debug, Clone)]
pub struct Release {
    bundle: PathBuf,
    certificate: Certificate,
    account: Account,
}

impl Release {
    /// What came through the gate; only the pipeline calls it, at the end of the way.
    pub(crate) fn new(bundle: PathBuf, certificate: Certificate, account: Account) -> Release {
        Release {
            bundle,
            certificate,
            account,
        }
    }

    /// Where the bundle is.
    pub fn bundle(&self) -> &Path {
        &self.bundle
    }

    /// What it claims.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// How it came about.
    pub fn account(&self) -> &Account {
        &self.account
    }
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
    /// How the release stands against somebody who knows the program.
    pub program: Option<Program>,
    /// What the steward should know.
    pub warnings: Vec<String>,
    /// Why there is no release, when no solver could find one.
    pub refusal: Option<Refusal>,
    /// What the red team achieved on the release.
    pub attacks: Vec<AttackResult>,
}

impl Account {
    /// The account of a run under `policy` on `records` records, before anything is known of it.
    pub(crate) fn of(policy: &Policy, records: u64, figures: Figures) -> Account {
        Account {
            algorithm: policy.release.algorithm.clone(),
            attempts: Vec::new(),
            records,
            suppressed_records: 0,
            metric: (policy.release.metric.clone(), 0.0),
            figures,
            measures: None,
            claims: Vec::new(),
            program: Some(crate::program::of(policy)),
            warnings: Vec::new(),
            refusal: None,
            attacks: Vec::new(),
        }
    }

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

impl Refusal {
    /// What an error that is a refusal says.
    pub(crate) fn of(error: &Error) -> Refusal {
        Refusal {
            code: error.code(),
            message: error.to_string(),
            help: error.help(),
        }
    }
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
