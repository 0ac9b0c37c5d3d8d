//! `denym ledger`: everything ever published about the same people; whether it is as it was; what was spent.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use denym::Error;
use denym::ledger::{self, Amount, Charge, Cost, Recovery, Sealed};
use serde_json::{Value, json};

use super::claims::{counted, percent};
use crate::console::Console;

/// Arguments of `ledger`.
#[derive(Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct LedgerArgs {
    #[command(subcommand)]
    what: LedgerCommand,
}

/// What is done with a ledger.
#[derive(Subcommand)]
enum LedgerCommand {
    /// List every entry: what was published, how many people came and stayed, how well all releases together hide them
    #[command(after_help = "\
Examples:
  denym ledger show ledger
  denym ledger show ledger --json")]
    Show(Directory),
    /// Check every entry, list of members and bundle, and judge all releases together again; exit 1 when something is not as it was
    #[command(after_help = "\
Examples:
  denym ledger verify ledger
  denym ledger verify ledger --noted 6f1ed002ab5595859014ebf0951522d9a1d2a0f3cb1f1b6e3c2f0a5b2a2f9f2e

Keep the last hash that it prints somewhere else: whoever cuts entries off cannot make it again.")]
    Verify(VerifyArgs),
    /// Print the chain of entries, to be kept elsewhere; nobody's token is in it
    #[command(after_help = "\
Examples:
  denym ledger export ledger > ledger-2026.txt")]
    Export(Directory),
    /// Say what all answers together have spent
    #[command(after_help = "\
Examples:
  denym ledger account ledger
  denym ledger account ledger --delta 0.000001 --budget 3")]
    Account(AccountArgs),
    /// Make a pair of keys: FILE signs releases and entries (`anonymize --sign FILE`), FILE.pub is for whoever checks them
    #[command(after_help = "\
Examples:
  denym ledger key new clinic.key
  denym anonymize q2.toml --sign clinic.key -o out/q2
  denym verify out/q2/release --key clinic.key.pub")]
    Key(KeyArgs),
    /// Say how many people will have to wait in the next releases, if people come and go as they did
    #[command(after_help = "\
Examples:
  denym ledger forecast ledger
  denym ledger forecast ledger --releases 12 --json")]
    Forecast(ForecastArgs),
    /// Write down an answer that spent privacy
    #[command(after_help = "\
Examples:
  denym ledger charge ledger --about 'counts by district' --epsilon 0.5
  denym ledger charge ledger --about 'histogram of ages' --rho 0.02
  denym ledger charge ledger --about 'model of waiting times' --epsilon 1 --delta 0.0000001")]
    Charge(ChargeArgs),
}

/// A ledger.
#[derive(Args)]
struct Directory {
    /// The directory of the ledger
    ledger: PathBuf,
}

/// Arguments of `ledger verify`.
#[derive(Args)]
struct VerifyArgs {
    /// The directory of the ledger
    ledger: PathBuf,
    /// A hash that was printed earlier: some entry must still have it, or the end was cut off
    #[arg(long, value_name = "HASH")]
    noted: Option<String>,
    /// A public key: every entry must be signed by its holder
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

/// Arguments of `ledger account`.
#[derive(Args)]
struct AccountArgs {
    /// The directory of the ledger
    ledger: PathBuf,
    /// The delta of the total; the smallest that covers what was charged when not given
    #[arg(long, value_name = "NUMBER")]
    delta: Option<Amount>,
    /// What may be spent in all; exit 1 when more was
    #[arg(long, value_name = "EPSILON")]
    budget: Option<Amount>,
}

/// Arguments of `ledger key`.
#[derive(Args)]
struct KeyArgs {
    #[command(subcommand)]
    what: KeyCommand,
}

/// What is done with keys.
#[derive(Subcommand)]
enum KeyCommand {
    /// Make a pair of keys
    #[command(after_help = "\
Examples:
  denym ledger key new clinic.key")]
    New {
        /// Where the key goes that signs, for you alone; the other is FILE.pub
        file: PathBuf,
    },
}

/// Arguments of `ledger forecast`.
#[derive(Args)]
struct ForecastArgs {
    /// The directory of the ledger
    ledger: PathBuf,
    /// How many releases to look ahead
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=100))]
    releases: u64,
}

/// Arguments of `ledger charge`.
#[derive(Args)]
struct ChargeArgs {
    /// The directory of the ledger
    ledger: PathBuf,
    /// What was answered, in a few words
    #[arg(long, value_name = "TEXT")]
    about: String,
    /// Its epsilon
    #[arg(
        long,
        value_name = "NUMBER",
        required_unless_present = "rho",
        conflicts_with = "rho"
    )]
    epsilon: Option<Amount>,
    /// Its delta, where it is not pure
    #[arg(long, value_name = "NUMBER", requires = "epsilon")]
    delta: Option<Amount>,
    /// Its rho, where it is zero-concentrated differential privacy
    #[arg(long, value_name = "NUMBER")]
    rho: Option<Amount>,
}

/// Does it.
pub(crate) fn run(args: &LedgerArgs, console: &Console) -> Result<ExitCode, Error> {
    match &args.what {
        LedgerCommand::Show(args) => show(args, console),
        LedgerCommand::Verify(args) => verify(args, console),
        LedgerCommand::Export(args) => {
            let text = ledger::export(&args.ledger)?;
            console.document(&json!({ "chain": text }));
            if !console.json {
                console.print(text.trim_end());
            }
            Ok(ExitCode::SUCCESS)
        }
        LedgerCommand::Account(args) => account(args, console),
        LedgerCommand::Key(args) => {
            let KeyCommand::New { file } = &args.what;
            let key = denym::new_key(file)?;
            let public = denym::public_path(file);
            console.document(
                &json!({ "signs": file, "checks": public, "public": key.text().trim_end() }),
            );
            console.say(format!("signs      {}, for you alone", file.display()));
            console.say(format!("checks     {}, for everybody", public.display()));
            Ok(ExitCode::SUCCESS)
        }
        LedgerCommand::Forecast(args) => forecast(args, console),
        LedgerCommand::Charge(args) => charge(args, console),
    }
}

fn show(args: &Directory, console: &Console) -> Result<ExitCode, Error> {
    let found = ledger::entries(&args.ledger)?;
    recovered(found.recovery, console);
    let entries: Vec<Value> = found.entries.iter().map(document).collect();
    console.document(&json!({
        "entries": entries,
        "recovered": found.recovery.map(Recovery::words),
    }));
    for sealed in &found.entries {
        let number = sealed.entry.number;
        if let Some(release) = sealed.entry.release() {
            let promises = release.promises.iter();
            let promises: Vec<String> = promises.map(|own| format!("`{}`", own.name())).collect();
            console.say(format!(
                "{number:4}  release   {} in {}: {}, {} who stayed; {}",
                release.data,
                release.bundle,
                people(release.people),
                release.stayed,
                promises.join(", ")
            ));
            console.say(format!(
                "                over all releases nobody is told from fewer than {} people; no epsilon",
                release.smallest_block
            ));
        } else if let Some(charge) = sealed.entry.charge() {
            let (about, cost) = (&charge.about, cost(&charge.cost));
            console.say(format!("{number:4}  answer    {about}: {cost}"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn people(many: u64) -> String {
    if many == 1 {
        "1 person".to_owned()
    } else {
        format!("{many} people")
    }
}

fn document(sealed: &Sealed) -> Value {
    let mut value = json!(sealed.entry);
    value["hash"] = json!(sealed.hash);
    value
}

fn verify(args: &VerifyArgs, console: &Console) -> Result<ExitCode, Error> {
    let key = args.key.as_deref().map(denym::public_key).transpose()?;
    let found = ledger::check(&args.ledger, key.as_ref())?;
    recovered(found.recovery, console);
    let noted = args.noted.as_ref();
    let is_there = noted.map(|noted| found.entries.iter().any(|entry| entry.hash == *noted));
    let holds = found.holds() && is_there != Some(false);
    let entries = found.entries.iter().map(|entry| {
        json!({ "number": entry.number, "holds": entry.problems.is_empty(), "problems": entry.problems })
    });
    console.document(&json!({
        "holds": holds,
        "noted": is_there,
        "entries": entries.collect::<Vec<_>>(),
        "smallest_block": found.smallest_block,
        "last": found.last,
        "recovered": found.recovery.map(Recovery::words),
    }));
    for entry in &found.entries {
        for problem in &entry.problems {
            console.say(format!("WRONG      entry {}: {problem}", entry.number));
        }
    }
    if is_there == Some(false) {
        console.say("WRONG      no entry has the hash that was noted: the end was cut off, or it is another ledger");
    }
    console.say(format!(
        "chain      {}, each with the hash of the one before; the last is {}",
        counted(found.entries.len() as u64, "entry").replace("entrys", "entries"),
        found.last
    ));
    if let Some(fewest) = found.smallest_block {
        console.say(format!(
            "together   nobody is told from fewer than {fewest} people, counted anew"
        ));
    }
    if holds {
        console.say("verdict    everything is as it was");
        Ok(ExitCode::SUCCESS)
    } else {
        console.say("verdict    NOT as it was");
        Ok(Console::refused())
    }
}

fn account(args: &AccountArgs, console: &Console) -> Result<ExitCode, Error> {
    let (account, syntactic) = ledger::account(&args.ledger)?;
    let delta = args.delta.unwrap_or_else(|| account.least_delta());
    let total = account.total(delta);
    let over = match (args.budget, total) {
        (Some(budget), Some(total)) => Some(total.epsilon > budget),
        // What has no total at this delta is covered by no budget.
        (Some(_), None) => Some(true),
        (None, _) => None,
    };
    console.document(&json!({
        "charges": account.charges(),
        "syntactic_releases": syntactic,
        "delta": delta,
        "epsilon": total.map(|total| total.epsilon),
        "budget": args.budget,
        "left": args.budget.zip(total).and_then(|(budget, total)| budget.minus(total.epsilon)),
        "over_budget": over,
    }));
    console.say(format!(
        "answers    {} that spent privacy",
        account.charges()
    ));
    match total {
        Some(total) => console.say(format!(
            "spent      epsilon {} with delta {}, rounded up",
            total.epsilon, total.delta
        )),
        None => console.say(format!(
            "spent      no total with delta {delta}: name a larger one than {} with --delta",
            account.least_delta()
        )),
    }
    if let Some(over) = over {
        let left = args
            .budget
            .zip(total)
            .and_then(|(budget, total)| budget.minus(total.epsilon));
        console.say(match (over, left) {
            (false, Some(left)) => format!("left       epsilon {left}"),
            _ => "left       nothing: more was spent than the budget".to_owned(),
        });
    }
    console.say(format!(
        "releases   {syntactic} with promises about groups: they have no epsilon, and none is in the sum"
    ));
    Ok(if over == Some(true) {
        Console::refused()
    } else {
        ExitCode::SUCCESS
    })
}

fn forecast(args: &ForecastArgs, console: &Console) -> Result<ExitCode, Error> {
    let found = ledger::forecast(&args.ledger, args.releases)?;
    let share = |one: &ledger::Expected| one.waiting as f64 / one.people.max(1) as f64;
    let releases = found.releases.iter().map(|one| {
        json!({ "release": one.release, "people": one.people, "waiting": one.waiting, "waiting_share": share(one) })
    });
    console.document(&json!({
        "stay": found.stay,
        "came": found.came,
        "releases": releases.collect::<Vec<_>>(),
    }));
    console.say(format!(
        "so far     {} of the people of one release were in the next, and {} came",
        percent(found.stay),
        found.came
    ));
    for one in &found.releases {
        console.say(format!(
            "release {:3} {} in the source, {} of them wait ({})",
            one.release,
            people(one.people),
            one.waiting,
            percent(share(one))
        ));
    }
    console.say(
        "note       one run of dice, with classes as they are now; whoever waited so far counts as gone, so it is on the careful side",
    );
    Ok(ExitCode::SUCCESS)
}

fn charge(args: &ChargeArgs, console: &Console) -> Result<ExitCode, Error> {
    let cost = match (args.epsilon, args.delta, args.rho) {
        (Some(epsilon), None, None) => Cost::Pure { epsilon },
        (Some(epsilon), Some(delta), None) => Cost::Approximate { epsilon, delta },
        (None, None, Some(rho)) => Cost::Concentrated { rho },
        _ => {
            return Err(Error::Argument {
                what: "an answer has one cost: an epsilon, an epsilon with a delta, or a rho"
                    .into(),
                help: "leave the others out".into(),
            });
        }
    };
    let about = args.about.clone();
    let number = ledger::answer(&args.ledger, Charge { about, cost })?;
    console.document(&json!({ "entry": number }));
    console.say(format!("entry      {number}"));
    Ok(ExitCode::SUCCESS)
}

fn cost(cost: &Cost) -> String {
    match cost {
        Cost::Pure { epsilon } => format!("epsilon {epsilon}"),
        Cost::Concentrated { rho } => format!("rho {rho}"),
        Cost::Approximate { epsilon, delta } => format!("epsilon {epsilon}, delta {delta}"),
    }
}

fn recovered(recovery: Option<Recovery>, console: &Console) {
    if let Some(recovery) = recovery {
        console.warn(&recovery.words());
    }
}
