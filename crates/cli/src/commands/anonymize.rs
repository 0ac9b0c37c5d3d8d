//! `denym anonymize`: from a policy to a proven release.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;

use denym::{Account, AttackResult, Error, Figures, Outcome, RunOptions, read_policy};
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
    /// Paths and transactions: list the doublets or items that are published nowhere
    #[arg(long)]
    pub(crate) show_suppressed: bool,
    /// Tables: write which value became which to steward/mapping.csv
    #[arg(long)]
    pub(crate) mapping: bool,
    #[command(flatten)]
    pub(crate) search: super::microdata::SearchArgs,
}

/// Makes the release.
pub(crate) fn run(args: &AnonymizeArgs, console: &Console) -> Result<ExitCode, Error> {
    let start = Instant::now();
    let policy = read_policy(&args.policy)?;
    let target = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}-release", policy.data_name())));
    let options = RunOptions {
        threads: console.threads,
        force: args.force,
        mapping: args.mapping,
        show_suppressed: args.show_suppressed,
        environment: Some(|name| std::env::var(name).ok()),
        ..args.search.options()
    };
    console.allow(args.search.time_budget);
    let outcome = denym::anonymize(&policy, &target, &options, console);
    console.clear();
    match outcome {
        Ok(Outcome::Released(release)) => {
            for warning in &release.account().warnings {
                console.warn(warning);
            }
            let mut document = document(release.account(), "released", args);
            document["bundle"] = json!(release.bundle());
            document["seconds"] = json!(start.elapsed().as_secs_f64());
            document["phases"] = console.phases();
            console.document(&document);
            summary(release.account(), args, console);
            console.say(format!("bundle     {}", release.bundle().display()));
            console.say(format!(
                "report     {}",
                release.bundle().join("steward/report.html").display()
            ));
            Ok(ExitCode::SUCCESS)
        }
        Ok(Outcome::Refused(account)) => {
            for warning in &account.warnings {
                console.warn(warning);
            }
            let mut document = document(&account, "refused", args);
            document["bundle"] = Value::Null;
            document["seconds"] = json!(start.elapsed().as_secs_f64());
            document["phases"] = console.phases();
            console.document(&document);
            summary(&account, args, console);
            match &account.refusal {
                None => console.say(refusal(&account)),
                Some(refusal) => {
                    console.say(format!("refused: {}; nothing was written", refusal.message));
                    console.say(format!("help: {}", refusal.help));
                }
            }
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
                "attacks": [],
                "warnings": [],
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

fn document(account: &Account, status: &str, args: &AnonymizeArgs) -> Value {
    let mut document = json!({
        "status": status,
        "algorithm": account.algorithm,
        "records": account.records,
        "suppressed_records": account.suppressed_records,
        "metric": {"name": account.metric.0, "value": account.metric.1},
        "claims": claims::document(&account.claims),
        "program": account.program,
        "warnings": account.warnings,
        "attacks": attacks(&account.attacks),
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
            bound,
            effort,
        } => {
            document["metrics"] = map(metrics);
            if let Some(k) = wildcard_k {
                document["wildcard_k"] = json!(k);
            }
            document["classes"] = json!(classes);
            document["attribute_loss"] = map(attribute_loss);
            if let Some(bound) = bound {
                document["bound"] = json!(bound);
            }
            if let Some(effort) = effort {
                document["effort"] = json!(effort);
            }
            if let Some(levels) = levels {
                document["levels"] = map(levels);
            }
        }
        Figures::Paths(figures) => {
            document["critical_violations"] = json!(figures.critical_violations);
            document["critical_violations_by_length"] =
                json!(figures.critical_violations_by_length);
            document["doublets"] = json!(figures.doublets);
            // Without a recoding there is nothing to count.
            let found = account.refusal.is_none();
            let if_found = |value: Value| if found { value } else { Value::Null };
            document["suppressed_doublets"] = if_found(json!(figures.suppressed_doublets));
            document["lost_doublets"] = if_found(json!(figures.lost_doublets));
            document["unchanged_doublets"] = if_found(json!(figures.unchanged_doublets));
            document["distortion"] = if_found(json!(figures.distortion));
            document["loss"] = if_found(json!(figures.loss));
            document["matching"] = json!(figures.matching.name());
            document["exposed_records"] = json!(figures.exposed_records);
            document["metric"]["value"] = if_found(json!(account.metric.1));
            if args.show_suppressed {
                document["suppressed"] = json!(figures.suppressed);
            }
        }
        Figures::Transactions(figures) => {
            super::transactions::document(figures, account, args.show_suppressed, &mut document);
        }
        Figures::Trails {
            entries,
            withheld,
            optimal,
            institutions,
        } => {
            document["classes"] = Value::Null;
            document["entries"] = json!(entries);
            document["withheld"] = json!(withheld);
            document["optimal"] = json!(optimal);
            document["institutions"] = json!(institutions);
        }
        Figures::Microdata(figures) => super::microdata::document(figures, &mut document),
    }
    if let Some(refusal) = &account.refusal {
        document["error"] = json!({
            "code": refusal.code,
            "message": refusal.message,
            "location": Value::Null,
            "help": refusal.help,
        });
    }
    if let Some(measures) = &account.measures {
        document["measures"] = super::microdata::measures(measures);
    }
    document
}

/// Pairs as a JSON object.
pub(super) fn map<T: Copy + Into<Value>>(pairs: &[(String, T)]) -> Value {
    pairs
        .iter()
        .map(|(name, value)| (name.clone(), (*value).into()))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn summary(account: &Account, args: &AnonymizeArgs, console: &Console) {
    let published = account.records - account.suppressed_records;
    let (all, suppressed) = (account.records, account.suppressed_records);
    match &account.figures {
        Figures::Table {
            classes,
            levels,
            bound,
            effort,
            ..
        } => {
            console.say(format!("published  {published} of {all} records in {classes} classes ({suppressed} suppressed)"));
            metric(account, console);
            if let Some(bound) = bound.filter(|bound| *bound < account.metric.1) {
                console.say(format!(
                    "bound      no release of this kind has a {} below {}",
                    account.metric.0,
                    number(bound)
                ));
            }
            if let Some(effort) = effort {
                console.say(format!(
                    "effort     {effort} steps; `--effort {effort}` repeats this run"
                ));
            }
            if let Some(levels) = levels {
                let levels: Vec<String> = levels
                    .iter()
                    .map(|(name, level)| format!("{name}={level}"))
                    .collect();
                console.say(format!("levels     {}", levels.join(" ")));
            }
        }
        Figures::Paths(figures) if account.refusal.is_some() => {
            console.say(format!(
                "violations {} critical in {all} records",
                figures.critical_violations
            ));
        }
        Figures::Paths(figures) => {
            let shown = figures.doublets - figures.lost_doublets;
            console.say(format!(
                "published  {published} of {all} paths with {shown} of {} doublets",
                figures.doublets
            ));
            console.say(format!(
                "removed    {} doublets ({} %), {} of them everywhere; {} critical violations in the source",
                figures.lost_doublets,
                number(figures.distortion * 100.0),
                figures.suppressed_doublets,
                figures.critical_violations
            ));
            metric(account, console);
            if args.show_suppressed {
                console.say(format!("suppressed {}", figures.suppressed.join(" ")));
            }
            if let Some(exposed) = figures.exposed_records.filter(|&exposed| exposed > 0) {
                console.say(format!(
                    "note       {exposed} records fall below the promise for somebody who knows their source path and uses \
                     contradictions; `matching = \"consistent\"` protects them"
                ));
            }
        }
        Figures::Transactions(figures) => {
            super::transactions::summary(figures, account, args.show_suppressed, console);
        }
        Figures::Trails {
            entries, withheld, ..
        } => {
            console.say(format!(
                "published  {published} of {all} trails; {withheld} of {entries} entries withheld"
            ));
        }
        Figures::Microdata(figures) => {
            let groups = figures.groups;
            console.say(format!("published  {published} of {all} records in {groups} groups ({suppressed} suppressed)"));
            super::microdata::summary(account, figures, console);
        }
    }
    for line in claims::lines(&account.claims) {
        console.say(line);
    }
    if let Some(program) = account.program {
        console.say(format!("program    {}", program.words()));
    }
    for attack in account
        .attacks
        .iter()
        .filter(|attack| attack.refuse_above.is_some())
    {
        let verdict = if attack.exceeds() {
            "EXCEEDS"
        } else {
            "within"
        };
        console.say(format!(
            "{verdict:10} {}: at most {}, measured {}",
            attack_name(attack),
            number(attack.refuse_above.unwrap_or(1.0)),
            number(attack.success_rate)
        ));
    }
}

/// The attack, and what it is after.
fn attack_name(attack: &AttackResult) -> String {
    match &attack.attribute {
        Some(attribute) => format!("{} on {attribute}", attack.attack),
        None => attack.attack.clone(),
    }
}

/// What the red team achieved, as JSON.
fn attacks(attacks: &[AttackResult]) -> Value {
    attacks
        .iter()
        .map(|attack| {
            json!({
                "attack": attack.attack,
                "attribute": attack.attribute,
                "knows": attack.knows,
                "success_rate": attack.success_rate,
                "attempts": attack.attempts,
                "coverage": attack.coverage,
                "interval": attack.interval,
                "refuse_above": attack.refuse_above,
            })
        })
        .collect()
}

/// Why there is no release.
fn refusal(account: &Account) -> String {
    let unconfirmed = account.claims.iter().any(|claim| claim.holds != Some(true));
    if unconfirmed {
        return "refused: the audit does not confirm every promise; nothing was written".into();
    }
    "refused: an attack achieves more than `[attack] refuse-above` allows; nothing was written"
        .into()
}

/// The metric and who achieved it.
pub(super) fn metric(account: &Account, console: &Console) {
    console.say(format!(
        "{:10} {} with `{}`",
        account.metric.0,
        number(account.metric.1),
        account.algorithm
    ));
}
