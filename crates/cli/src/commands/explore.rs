//! `denym explore`: what each bound would cost, as a table and a plot.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use denym::{Error, Exploration, ExploreRequest, Fraction, documents};

use super::audit::bound;
use super::claims::number;
use crate::console::Console;

/// Arguments of `explore`.
#[derive(Args)]
pub(crate) struct ExploreArgs {
    /// The policy, a TOML file
    pub(crate) policy: PathBuf,
    /// Bounds of k-anonymity to try, such as 2..100 or 5,10,20
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub(crate) k: Vec<String>,
    /// Bounds of l-diversity to try, such as 2..6; for tables
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub(crate) l: Vec<String>,
    /// Bounds of t-closeness to try; for tables
    #[arg(long, value_delimiter = ',', value_name = "DECIMALS")]
    pub(crate) t: Vec<String>,
    /// Shares of records that may be suppressed to try, such as 0,0.01,0.05; for tables
    #[arg(long, value_delimiter = ',', value_name = "DECIMALS")]
    pub(crate) suppress: Vec<String>,
    /// Numbers of doublets the adversary knows; for paths and streams
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub(crate) doublets: Vec<usize>,
    /// Numbers of items the adversary knows; for transactions
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub(crate) items: Vec<usize>,
    /// Bounds of confidence to try
    #[arg(long, value_delimiter = ',', value_name = "DECIMALS")]
    pub(crate) confidence: Vec<String>,
    /// Algorithms to try; the policy's when not given
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) algorithm: Vec<String>,
    /// Under `auto`, how long all its searches go from bound to bound, such as 60s or 500ms (20s when not given); for tables
    #[arg(long, value_name = "TIME", value_parser = super::search::duration)]
    pub(crate) time_budget: Option<std::time::Duration>,
    /// Show bounds as well where a stricter one costs no more
    #[arg(long)]
    pub(crate) all: bool,
    /// Write the plot to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

/// Tries every combination.
pub(crate) fn run(args: &ExploreArgs, console: &Console) -> Result<ExitCode, Error> {
    let k = wholes("k", &args.k)?;
    if k.contains(&0) || args.doublets.contains(&0) || args.items.contains(&0) {
        return Err(Error::Argument {
            what: "bounds must be at least 1".into(),
            help: "write for example --k 10,20,30 --doublets 1,2,3".into(),
        });
    }
    let request = ExploreRequest {
        k,
        l: numbers("l", &args.l)?,
        t: shares(&args.t)?,
        suppress: shares(&args.suppress)?,
        doublets: args.doublets.clone(),
        items: args.items.clone(),
        confidence: shares(&args.confidence)?,
        algorithms: args.algorithm.clone(),
        until_told: args.time_budget.is_some(),
        threads: console.threads,
        ..ExploreRequest::default()
    };
    console.allow(Some(args.time_budget.unwrap_or(denym::USUAL_PATIENCE)));
    let found = denym::explore(&crate::stdin::policy(&args.policy)?, &request, console)?;
    console.clear();
    if let Some(file) = &args.svg {
        std::fs::write(file, found.chart().standalone()).map_err(|error| Error::Io {
            action: "write the plot",
            path: file.clone(),
            kind: error.kind(),
        })?;
    }
    console.document(&documents::exploration(&found, args.svg.as_deref()));
    let shown: Vec<usize> = if args.all {
        (0..found.trials.len()).collect()
    } else {
        found.frontier()
    };
    for line in lines(&found, &shown) {
        console.say(line);
    }
    let left_out = found.trials.len() - shown.len();
    if left_out > 0 {
        console.say(format!(
            "{left_out} bounds are left out: a stricter one costs no more, or a looser one is refused already; `--all` shows them"
        ));
    }
    if found.trials.iter().any(|trial| trial.in_haste) {
        console.say(
            "* time was up before all searches of `auto` had their turn: a release may lose less; `--time-budget 2m` goes on",
        );
    }
    if let Some(file) = &args.svg {
        console.say(format!("plot       {}", file.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Decimals from 0 to 1.
fn shares(texts: &[String]) -> Result<Vec<Fraction>, Error> {
    texts.iter().map(|text| bound(text)).collect()
}

/// Whole numbers, and ranges of them such as `2..100` with both ends.
fn wholes(flag: &str, texts: &[String]) -> Result<Vec<u64>, Error> {
    let mut values = Vec::new();
    for text in texts {
        let (low, high) = text.split_once("..").unwrap_or((text, text));
        match (low.trim().parse::<u64>(), high.trim().parse::<u64>()) {
            (Ok(low), Ok(high)) if low <= high && high - low < MOST => values.extend(low..=high),
            _ => return Err(no_number(flag, text)),
        }
    }
    Ok(values)
}

/// Most values of one range: more points than anybody reads.
const MOST: u64 = 10_000;

/// Positive decimals, and ranges of whole numbers.
fn numbers(flag: &str, texts: &[String]) -> Result<Vec<Fraction>, Error> {
    let mut values = Vec::new();
    for text in texts {
        if text.contains("..") {
            let range = wholes(flag, std::slice::from_ref(text))?;
            values.extend(
                range
                    .into_iter()
                    .filter_map(|value| Fraction::new(value, 1)),
            );
        } else {
            values.push(Fraction::parse(text).ok_or_else(|| no_number(flag, text))?);
        }
    }
    if values.iter().any(|value| *value < Fraction::ONE) {
        return Err(no_number(flag, "less than 1"));
    }
    Ok(values)
}

fn no_number(flag: &str, text: &str) -> Error {
    Error::Argument {
        what: format!("`{text}` is no bound for --{flag}"),
        help: format!("write for example --{flag} 2..100 or --{flag} 5,10,20"),
    }
}

/// One line per trial that is shown, under a header.
fn lines(found: &Exploration, shown: &[usize]) -> Vec<String> {
    let names: Vec<&str> = found
        .trials
        .first()
        .map(|trial| trial.settings.iter().map(|setting| setting.0).collect())
        .unwrap_or_default();
    let mut head: Vec<String> = names.iter().map(|name| format!("{name:>12}")).collect();
    let share = found.in_shares();
    let risk = found
        .figures
        .iter()
        .position(|name| *name == "highest_risk");
    if risk.is_some() {
        head.push(format!("{:>12}", "risk"));
    }
    head.push(format!("{:>12}", found.metric));
    head.push("  algorithm".to_owned());
    let mut lines = vec![head.concat()];
    for &at in shown {
        let trial = &found.trials[at];
        let settings = trial.settings.iter();
        let mut line: Vec<String> = settings.map(|s| format!("{:>12}", number(s.1))).collect();
        if let Some(risk) = risk {
            line.push(match trial.figures.get(risk) {
                Some(risk) => format!("{:>10.2} %", risk * 100.0),
                None => format!("{:>12}", ""),
            });
        }
        line.push(match trial.value {
            Some(value) if !share => format!("{:>12}", number(value)),
            Some(value) => format!("{:>10.2} %", value * 100.0),
            None => format!("{:>12}", "refused"),
        });
        line.push(format!(
            "  {}",
            trial.refusal.as_ref().unwrap_or(&trial.algorithm)
        ));
        if trial.in_haste {
            line.push(" *".to_owned());
        }
        if found.knees.contains(&at) {
            line.push("  <- knee".to_owned());
        }
        lines.push(line.concat());
    }
    lines
}
