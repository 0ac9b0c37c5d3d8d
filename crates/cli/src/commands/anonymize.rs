//! `denym anonymize`: from a policy to a proven release.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;

use denym::{Account, Error, Figures, Outcome, Policy, RunOptions};
use serde_json::{Value, json};

use super::claims::{self, number};
use crate::console::Console;

/// Arguments of `anonymize`.
#[derive(Args)]
pub(crate) struct AnonymizeArgs {
    /// The policy, a TOML file
    pub(crate) policy: PathBuf,
    /// Where the bundle goes; ./NAME-release when not given
    #[arg(long, short, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
    /// Replace the bundle if it exists
    #[arg(long)]
    pub(crate) force: bool,
}

/// Makes the release.
pub(crate) fn run(args: &AnonymizeArgs, console: &Console) -> Result<ExitCode, Error> {
    let start = Instant::now();
    let policy = Policy::read(&args.policy)?;
    let target = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}-release", policy.data_name())));
    let options = RunOptions {
        threads: console.threads,
        force: args.force,
    };
    let outcome = denym::anonymize(&policy, &target, &options, console);
    console.clear();
    match outcome {
        Ok(Outcome::Released(release)) => {
            for warning in &release.account.warnings {
                console.warn(warning);
            }
            let mut document = document(&release.account, "released");
            document["bundle"] = json!(release.bundle);
            document["seconds"] = json!(start.elapsed().as_secs_f64());
            console.document(&document);
            summary(&release.account, console);
            console.say(format!("bundle     {}", release.bundle.display()));
            console.say(format!(
                "report     {}",
                release.bundle.join("steward/report.html").display()
            ));
            Ok(ExitCode::SUCCESS)
        }
        Ok(Outcome::Refused(account)) => {
            let mut document = document(&account, "refused");
            document["bundle"] = Value::Null;
            document["seconds"] = json!(start.elapsed().as_secs_f64());
            console.document(&document);
            summary(&account, console);
            console.say("refused: the audit does not confirm every promise; nothing was written");
            Ok(Console::refused())
        }
        Err(error) if console.json && error.exit_code() == 1 => {
            console.document(&json!({
                "status": "refused",
                "algorithm": policy.release.algorithm,
                "records": Value::Null,
                "suppressed_records": Value::Null,
                "classes": Value::Null,
                "metric": {"name": policy.release.metric, "value": Value::Null},
                "claims": [],
                "bundle": Value::Null,
                "seconds": start.elapsed().as_secs_f64(),
                "error": {
                    "code": error.code(),
                    "message": error.to_string(),
                    "location": error.location(),
                    "help": error.help(),
                },
            }));
            Ok(Console::refused())
        }
        Err(error) => Err(error),
    }
}

fn document(account: &Account, status: &str) -> Value {
    let mut document = json!({
        "status": status,
        "algorithm": account.algorithm,
        "records": account.records,
        "suppressed_records": account.suppressed_records,
        "metric": {"name": account.metric.0, "value": account.metric.1},
        "claims": claims::document(&account.claims),
        "warnings": account.warnings,
    });
    if !account.attempts.is_empty() {
        document["attempts"] = account
            .attempts
            .iter()
            .map(|tried| {
                json!({
                    "algorithm": tried.algorithm, "score": tried.score,
                    "outcome": tried.outcome, "chosen": tried.chosen,
                })
            })
            .collect();
    }
    match &account.figures {
        Figures::Table {
            classes,
            levels,
            attribute_loss,
            wildcard_k,
            metrics,
        } => {
            document["metrics"] = map(metrics);
            if let Some(k) = wildcard_k {
                document["wildcard_k"] = json!(k);
            }
            document["classes"] = json!(classes);
            document["attribute_loss"] = map(attribute_loss);
            if let Some(levels) = levels {
                document["levels"] = map(levels);
            }
        }
    }
    document
}

/// Pairs as a JSON object.
fn map<T: Copy + Into<Value>>(pairs: &[(String, T)]) -> Value {
    pairs
        .iter()
        .map(|(name, value)| (name.clone(), (*value).into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn summary(account: &Account, console: &Console) {
    let published = account.records - account.suppressed_records;
    let (all, suppressed) = (account.records, account.suppressed_records);
    match &account.figures {
        Figures::Table {
            classes, levels, ..
        } => {
            console.say(format!("published  {published} of {all} records in {classes} classes ({suppressed} suppressed)"));
            metric(account, console);
            if let Some(levels) = levels {
                let levels: Vec<String> = levels
                    .iter()
                    .map(|(name, level)| format!("{name}={level}"))
                    .collect();
                console.say(format!("levels     {}", levels.join(" ")));
            }
        }
    }
    for line in claims::lines(&account.claims) {
        console.say(line);
    }
}

fn metric(account: &Account, console: &Console) {
    console.say(format!(
        "{:10} {} with `{}`",
        account.metric.0,
        number(account.metric.1),
        account.algorithm
    ));
}
