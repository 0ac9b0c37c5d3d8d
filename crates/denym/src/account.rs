//! How a run ended and how it went: what was found, promised, measured and attacked.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::certificate::{AttackResult, Certificate, Claim};
use crate::figures::Figures;
use crate::guard::Finding;
use crate::policy::Policy;
use crate::program::Program;

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
    /// The metric and its value, which is not a number where nothing was found.
    pub metric: (String, f64),
    /// Figures, as this kind of data has them.
    pub figures: Figures,
    /// What was promised and measured.
    pub claims: Vec<Claim>,
    /// How the release stands against somebody who knows the program.
    pub program: Option<Program>,
    /// What the steward should know.
    pub warnings: Vec<String>,
    /// What guards against mistakes found, the worst first.
    pub findings: Vec<Finding>,
    /// Why there is no release, when no solver could find one.
    pub refusal: Option<Refusal>,
    /// What the red team achieved on the release.
    pub attacks: Vec<AttackResult>,
}

impl Account {
    /// The account of a run under `policy` on `records` records, before anything is known of it.
    pub(crate) fn of(policy: &Policy, records: u64, figures: Figures) -> Account {
        Account {
            algorithm: policy.release.algorithm.name.to_owned(),
            attempts: Vec::new(),
            records,
            suppressed_records: 0,
            metric: (policy.release.metric.name().to_owned(), f64::NAN),
            figures,
            claims: Vec::new(),
            program: Some(crate::program::of(policy)),
            warnings: Vec::new(),
            findings: Vec::new(),
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

/// How a run ended.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// Every promise was confirmed.
    Released(Box<Release>),
    /// The audit did not confirm every promise; nothing was written.
    Refused(Box<Account>),
}
