//! `denym anonymize`: from a policy to a proven release.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;

use denym::{
    Account, AttackResult, Error, Language, Outcome, Policy, RunOptions, documents, read_policy,
};
use serde_json::{Value, json};

use super::claims::{self, number};
use super::findings;
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
    /// Tables: write the release down in this ledger, and judge it together with every release that is there
    #[arg(long, value_name = "DIR")]
    pub(crate) ledger: Option<PathBuf>,
    /// Sign the certificate, and the entry of the ledger, with this key (`denym ledger key new`)
    #[arg(long, value_name = "FILE")]
    pub(crate) sign: Option<PathBuf>,
    /// The language of the reports and of the recipient's README: en or de; the policy's when not given
    #[arg(long, value_name = "WORD")]
    pub(crate) language: Option<String>,
    /// The day that the reports carry; none when not given, so that the same input gives the same bytes
    #[arg(long, value_name = "DATE")]
    pub(crate) date: Option<String>,
    /// Who prepared the release, for the reports; the policy's when not given
    #[arg(long, value_name = "NAME")]
    pub(crate) prepared_by: Option<String>,
    #[command(flatten)]
    pub(crate) search: super::search::SearchArgs,
}

/// What a bundle is called: after its data; after the policy where another one beside it is about the same data.
fn name_of(policy: &Policy, file: &Path) -> String {
    let directory = match file.parent() {
        Some(directory) if directory != Path::new("") => directory,
        _ => Path::new("."),
    };
    let others = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let others = others.map(|entry| entry.path()).filter(|path| {
        let is_policy = path.extension().is_some_and(|ending| ending == "toml");
        is_policy && path.file_name() != file.file_name()
    });
    let mut others = others.filter_map(|path| read_policy(&path).ok());
    if others.any(|other| other.data.path == policy.data.path) {
        let stem = file.file_stem().map(|stem| stem.to_string_lossy());
        stem.map_or_else(|| policy.data_name(), |stem| denym::data_name(&stem))
    } else {
        policy.data_name()
    }
}

/// Makes the release.
pub(crate) fn run(args: &AnonymizeArgs, console: &Console) -> Result<ExitCode, Error> {
    let start = Instant::now();
    let policy = crate::stdin::policy(&args.policy)?;
    let target = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("{}-release", name_of(&policy, &args.policy))));
    let options = RunOptions {
        threads: console.threads,
        force: args.force,
        mapping: args.mapping,
        ledger: args.ledger.clone(),
        sign: args.sign.clone(),
        show_suppressed: args.show_suppressed,
        environment: Some(|name| std::env::var(name).ok()),
        language: args.language.as_deref().map(language).transpose()?,
        date: args.date.clone(),
        prepared_by: args.prepared_by.clone(),
        ..args.search.options()
    };
    console.allow(Some(args.search.budget()));
    let outcome = denym::anonymize(&policy, &target, &options, console);
    console.clear();
    match outcome {
        Ok(Outcome::Released(release)) => {
            for warning in &release.account().warnings {
                console.warn(warning);
            }
            findings::show(&release.account().findings, console);
            let mut document = documents::account(release.account(), "released");
            document["bundle"] = json!(release.bundle());
            document["seconds"] = json!(start.elapsed().as_secs_f64());
            document["phases"] = console.phases();
            console.document(&document);
            summary(release.account(), console);
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
            findings::show(&account.findings, console);
            let mut document = documents::account(&account, "refused");
            document["bundle"] = Value::Null;
            document["seconds"] = json!(start.elapsed().as_secs_f64());
            document["phases"] = console.phases();
            console.document(&document);
            summary(&account, console);
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
            let mut document = documents::refused(&policy, &error);
            document["seconds"] = json!(start.elapsed().as_secs_f64());
            console.document(&document);
            Ok(Console::refused())
        }
        Err(error) => Err(error),
    }
}

/// The language that a word means.
fn language(word: &str) -> Result<Language, Error> {
    let known = Language::ALL.iter().find(|(name, _)| *name == word);
    known.map(|(_, language)| *language).ok_or_else(|| {
        let words: Vec<&str> = Language::ALL.iter().map(|(name, _)| *name).collect();
        Error::Argument {
            what: "--language is none that reports can have".into(),
            help: format!("one of {}", words.join(", ")),
        }
    })
}

fn summary(account: &Account, console: &Console) {
    for (head, words) in account.figures.iter().filter_map(|one| one.words.as_ref()) {
        console.say(format!("{head:10} {words}"));
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

/// Why there is no release.
fn refusal(account: &Account) -> String {
    let unconfirmed = account.claims.iter().any(|claim| claim.holds != Some(true));
    if unconfirmed {
        return "refused: the audit does not confirm every promise; nothing was written".into();
    }
    "refused: an attack achieves more than `[attack] refuse-above` allows; nothing was written"
        .into()
}
