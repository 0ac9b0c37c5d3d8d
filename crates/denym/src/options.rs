//! How a run is made, beside what the policy says; an option without a use is refused, for every kind of data.

use std::path::{Path, PathBuf};
use std::time::Duration;

use denym_engine::{Engine, InMemory, RecordBatch};
use denym_report::Language;

use crate::Error;
use crate::pipeline::Kind;
use crate::policy::Policy;

/// How long `auto` searches a table when nobody says; far less where nothing is left to try.
pub const USUAL_PATIENCE: Duration = Duration::from_secs(20);

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
    /// How long `auto` searches a table when nobody set a time. It ends when the listener, who has the clock, says that time is up;
    /// without it only what it has to do ends it, and the result is the same on every machine.
    pub patience: Option<Duration>,
    /// Add new records to this earlier release instead of grouping all anew.
    pub onto: Option<PathBuf>,
    /// Write the release down in the ledger in this directory, and judge it with those that are there; the policy's when `None`.
    pub ledger: Option<PathBuf>,
    /// Sign the certificate, and the entry of the ledger, with the key in this file.
    pub sign: Option<PathBuf>,
    /// Perturb with this seed instead of secret randomness: for tests, since whoever knows it can undo the perturbation.
    pub perturbation_seed: Option<u64>,
    /// Write which value became which into the steward's half.
    pub mapping: bool,
    /// List what is published nowhere.
    pub show_suppressed: bool,
    /// Reads the environment, where a policy takes keys from it.
    pub environment: Option<crate::pseudonyms::Environment>,
    /// Tables that are in memory; the others are read from files.
    pub input: Input,
    /// The language of reports and of the recipient's README; the policy's when `None`.
    pub language: Option<Language>,
    /// The day that reports carry, as the caller has it: nothing here reads a clock.
    pub date: Option<String>,
    /// Who prepared the release, as reports carry it; the policy's when `None`.
    pub prepared_by: Option<String>,
}

/// Tables that a program holds in memory as Arrow record batches, by the names that a policy gives to its files.
#[derive(Debug, Clone, Default)]
pub struct Input {
    tables: Vec<(String, Vec<RecordBatch>)>,
}

impl Input {
    /// These batches stand where the policy writes `path = "NAME"`, of its data or of a detail table.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, batches: Vec<RecordBatch>) -> Input {
        self.tables.push((name.into(), batches));
        self
    }

    /// The tables by the paths that `policy` means by their names.
    pub(crate) fn held(&self, policy: &Policy) -> InMemory {
        let mut memory = InMemory::default();
        for (name, batches) in &self.tables {
            memory.hold(policy.resolve(Path::new(name)), batches.clone());
        }
        memory
    }

    /// An engine that reads under `policy`.
    pub(crate) fn engine(&self, policy: &Policy, threads: Option<usize>) -> Result<Engine, Error> {
        Ok(Engine::new(threads)?.with(self.held(policy)))
    }
}

/// An option that only some kinds of data have a use for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunOption {
    Effort,
    TimeBudget,
    Onto,
    Ledger,
    Sign,
    PerturbationSeed,
    Mapping,
    ShowSuppressed,
}

impl RunOption {
    const ALL: [RunOption; 8] = [
        RunOption::Effort,
        RunOption::TimeBudget,
        RunOption::Onto,
        RunOption::Ledger,
        RunOption::Sign,
        RunOption::PerturbationSeed,
        RunOption::Mapping,
        RunOption::ShowSuppressed,
    ];

    /// The flag of the command.
    fn flag(self) -> &'static str {
        match self {
            RunOption::Effort => "--effort",
            RunOption::TimeBudget => "--time-budget",
            RunOption::Onto => "--onto",
            RunOption::Ledger => "--ledger",
            RunOption::Sign => "--sign",
            RunOption::PerturbationSeed => "--perturbation-seed",
            RunOption::Mapping => "--mapping",
            RunOption::ShowSuppressed => "--show-suppressed",
        }
    }
}

impl RunOptions {
    /// The language of what people read of a run under `policy`.
    pub(crate) fn language(&self, policy: &Policy) -> Language {
        let told = policy.report.language;
        let known = Language::ALL.iter().find(|(name, _)| Some(*name) == told);
        self.language
            .or(known.map(|(_, language)| *language))
            .unwrap_or_default()
    }

    fn has(&self, option: RunOption) -> bool {
        match option {
            RunOption::Effort => self.effort.is_some(),
            RunOption::TimeBudget => self.until_told,
            RunOption::Onto => self.onto.is_some(),
            RunOption::Ledger => self.ledger.is_some(),
            RunOption::Sign => self.sign.is_some(),
            RunOption::PerturbationSeed => self.perturbation_seed.is_some(),
            RunOption::Mapping => self.mapping,
            RunOption::ShowSuppressed => self.show_suppressed,
        }
    }

    /// Refuses every option that has no use for data of this kind, or under this policy.
    pub(crate) fn check<K: Kind>(&self, policy: &Policy) -> Result<(), Error> {
        // Which records an earlier release took in, and which had to wait, is nothing that was run backwards.
        if policy.knows_program && self.onto.is_some() {
            return Err(Error::Argument {
                what: "the adversary knows the program, and `--onto` is not measured against who knows it".to_owned(),
                help: "release without `--onto`, or leave `algorithm = true` out of the policy".to_owned(),
            });
        }
        let idle: Vec<&str> = RunOption::ALL
            .into_iter()
            .filter(|&option| self.has(option) && !K::TAKES.contains(&option))
            .map(RunOption::flag)
            .collect();
        if idle.is_empty() {
            return Ok(());
        }
        let what = idle.join(" and ");
        Err(Error::Argument {
            what: format!("{what} {} no use for {}", have(idle.len()), K::NAME),
            help: format!("leave out {what}"),
        })
    }
}

fn have(many: usize) -> &'static str {
    if many == 1 { "has" } else { "have" }
}
