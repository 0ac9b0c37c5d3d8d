//! What will be done, with what, at what cost, and what cannot be promised: the answer to `denym plan`.

use std::path::Path;

use crate::Error;
use crate::account::Outcome;
use crate::guard::Finding;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::pipeline::{Planning, Ready};
use crate::policy::Policy;
use crate::program;

/// A plan in words and numbers, before anything is searched.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    /// The kind of data.
    pub kind: &'static str,
    /// The algorithm that the policy names.
    pub algorithm: String,
    /// What will be done, a line per step.
    pub steps: Vec<String>,
    /// How large the work is, by figures that can be counted beforehand.
    pub costs: Vec<Cost>,
    /// How long a search of this size usually takes.
    pub time: TimeClass,
    /// What the release cannot promise, in sentences.
    pub limits: Vec<String>,
    /// What the steward should know although it is no mistake.
    pub warnings: Vec<String>,
    /// What guards against mistakes find without a search, the worst first.
    pub findings: Vec<Finding>,
}

/// A figure that says how large the work is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    /// The key for programs.
    pub key: &'static str,
    /// The words for people.
    pub words: &'static str,
    /// The figure; what does not fit is the largest number.
    pub value: u64,
}

/// How long a search usually takes, roughly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TimeClass {
    /// Under a second.
    Moment,
    /// Seconds.
    Seconds,
    /// Minutes.
    Minutes,
    /// Longer.
    Hours,
}

impl TimeClass {
    /// The class of a search with about so many steps on single values.
    pub(crate) fn of(steps: u64) -> TimeClass {
        match steps {
            // Rough classes, at a guess of a hundred million steps a second; no run was timed for them.
            0..=50_000_000 => TimeClass::Moment,
            50_000_001..=5_000_000_000 => TimeClass::Seconds,
            5_000_000_001..=300_000_000_000 => TimeClass::Minutes,
            _ => TimeClass::Hours,
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            TimeClass::Moment => "under-a-second",
            TimeClass::Seconds => "seconds",
            TimeClass::Minutes => "minutes",
            TimeClass::Hours => "hours",
        }
    }
}

/// What only a kind of data knows of its plan.
pub(crate) struct Sketch {
    /// What will be done.
    pub(crate) steps: Vec<String>,
    /// How large the work is.
    pub(crate) costs: Vec<Cost>,
    /// About how many steps on single values the search takes.
    pub(crate) work: u64,
    /// What the steward should know.
    pub(crate) warnings: Vec<String>,
}

impl Outline {
    /// A sketch with what every kind of data says alike.
    pub(crate) fn new(
        kind: &'static str,
        policy: &Policy,
        sketch: Sketch,
        findings: Vec<Finding>,
    ) -> Outline {
        let algorithm = policy.release.algorithm;
        let program = program::of(policy).sentence();
        Outline {
            kind,
            algorithm: algorithm.name.to_owned(),
            steps: sketch.steps,
            costs: sketch.costs,
            time: TimeClass::of(sketch.work),
            limits: algorithm.limits().into_iter().chain([program]).collect(),
            warnings: sketch.warnings,
            findings,
        }
    }
}

/// A policy that was checked against its data: what will be done, and the way to do it.
pub struct Plan {
    outline: Outline,
    ready: Box<dyn Ready>,
}

impl Plan {
    /// What will be done, with what, at what cost, and what cannot be promised.
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Does it: a bundle in the directory `output`, or a refusal. The source is not read again.
    ///
    /// The listener is told of every phase and may stop the run between any two steps.
    pub fn run(self, output: &Path, listener: &dyn Listener) -> Result<Outcome, Error> {
        self.ready.run(output, listener)
    }
}

/// Reads the columns that `policy` names and settles what a run would do; nothing is searched and nothing written.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let directory = tempfile::tempdir()?;
/// # std::fs::write(directory.path().join("people.csv"), "age,disease\n20,flu\n21,hiv\n22,flu\n")?;
/// # let file = directory.path().join("policy.toml");
/// # std::fs::write(&file, "[data]\npath = \"people.csv\"\n[attributes]\nage = { role = \"quasi\", hierarchy = { interval = [5, 10] } }\n[promise]\nk-anonymity = 3\n")?;
/// use denym::{Outcome, RunOptions, Silent};
///
/// let policy = denym::read_policy(&file)?;
/// let plan = denym::plan(&policy, &RunOptions::default(), &Silent)?;
/// assert_eq!(plan.outline().costs[0].value, 3, "records");
/// match plan.run(&directory.path().join("bundle"), &Silent)? {
///     Outcome::Released(release) => assert!(release.certificate().claims[0].measured >= 3.0),
///     Outcome::Refused(account) => panic!("{:?}", account.refusal),
/// }
/// # Ok(())
/// # }
/// ```
///
/// The same on a table in memory, given as Arrow record batches under the name that the policy gives to its data:
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use std::sync::Arc;
/// # use arrow_array::{ArrayRef, Int64Array, RecordBatch};
/// # let directory = tempfile::tempdir()?;
/// use denym::{Input, Outcome, RunOptions, Silent};
///
/// let ages: ArrayRef = Arc::new(Int64Array::from(vec![20, 21, 22]));
/// let people = RecordBatch::try_from_iter([("age", ages)])?;
/// let policy = denym::parse_policy(
///     "[data]\npath = \"people\"\n[attributes]\nage = { role = \"quasi\", hierarchy = { interval = [5] } }\n[promise]\nk-anonymity = 3\n",
///     "policy.toml".as_ref(),
/// )
/// .expect("a policy without mistakes");
/// let options = RunOptions { input: Input::default().with("people", vec![people]), ..RunOptions::default() };
/// let plan = denym::plan(&policy, &options, &Silent)?;
/// let outcome = plan.run(&directory.path().join("bundle"), &Silent)?;
/// assert!(matches!(outcome, Outcome::Released(_)));
/// # Ok(())
/// # }
/// ```
pub fn plan(policy: &Policy, options: &RunOptions, listener: &dyn Listener) -> Result<Plan, Error> {
    let verb = Planning { options, listener };
    let (outline, ready) = crate::kinds::on_its_kind(policy, options.threads, verb)?;
    Ok(Plan { outline, ready })
}
