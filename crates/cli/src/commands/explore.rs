//! `denym explore`: what each bound would cost, as a table and a plot.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use denym::{Error, Exploration, ExploreRequest, Policy, Trial};
use serde_json::{Value, json};

use super::audit::bound;
use super::claims::number;
use crate::console::Console;

/// Arguments of `explore`.
#[derive(Args)]
pub(crate) struct ExploreArgs {
    /// The policy, a TOML file
    pub(crate) policy: PathBuf,
    /// Bounds of k-anonymity to try, separated by commas
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub(crate) k: Vec<u64>,
    /// Numbers of doublets the adversary knows; for paths
    #[arg(long, value_delimiter = ',', value_name = "NUMBERS")]
    pub(crate) doublets: Vec<usize>,
    /// Bounds of confidence to try
    #[arg(long, value_delimiter = ',', value_name = "DECIMALS")]
    pub(crate) confidence: Vec<String>,
    /// Algorithms to try; the policy's when not given
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub(crate) algorithm: Vec<String>,
    /// Write the plot to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,
}

/// Bounds of k-anonymity when nothing is to vary: those of the thesis' figures.
const DEFAULT_K: [u64; 5] = [10, 20, 30, 40, 50];

/// Tries every combination.
pub(crate) fn run(args: &ExploreArgs, console: &Console) -> Result<ExitCode, Error> {
    let policy = Policy::read(&args.policy)?;
    let nothing = args.k.is_empty()
        && args.doublets.is_empty()
        && args.confidence.is_empty()
        && args.algorithm.is_empty();
    if args.k.contains(&0) || args.doublets.contains(&0) {
        return Err(Error::Argument {
            what: "bounds must be at least 1".into(),
            help: "write for example --k 10,20,30 --doublets 1,2,3".into(),
        });
    }
    let request = ExploreRequest {
        k: if nothing {
            DEFAULT_K.to_vec()
        } else {
            args.k.clone()
        },
        doublets: args.doublets.clone(),
        confidence: args
            .confidence
            .iter()
            .map(|text| bound(text))
            .collect::<Result<_, _>>()?,
        algorithms: args.algorithm.clone(),
        threads: console.threads,
    };
    let found = denym::explore(&policy, &request, console)?;
    console.clear();
    if let Some(file) = &args.svg {
        std::fs::write(file, found.chart().standalone()).map_err(|error| Error::Io {
            action: "write the plot",
            path: file.clone(),
            kind: error.kind(),
        })?;
    }
    console.document(&document(&found, args));
    for line in lines(&found) {
        console.say(line);
    }
    if let Some(file) = &args.svg {
        console.say(format!("plot       {}", file.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn document(found: &Exploration, args: &ExploreArgs) -> Value {
    let trial = |trial: &Trial| {
        let mut value = json!({});
        for (name, setting) in &trial.settings {
            value[*name] = whole(*setting);
        }
        value["algorithm"] = json!(trial.algorithm);
        value["status"] = json!(if trial.value.is_some() {
            "feasible"
        } else {
            "refused"
        });
        value["value"] = json!(trial.value);
        for (name, figure) in found.figures.iter().zip(&trial.figures) {
            value[*name] = whole(*figure);
        }
        if let Some(refusal) = &trial.refusal {
            value["refusal"] = json!(refusal);
        }
        value
    };
    json!({
        "metric": found.metric,
        "trials": found.trials.iter().map(trial).collect::<Vec<_>>(),
        "svg": args.svg,
    })
}

/// Counts without a decimal point.
fn whole(value: f64) -> Value {
    if value.fract().abs() < f64::EPSILON && (0.0..9e15).contains(&value) {
        #[expect(clippy::cast_sign_loss, reason = "checked to be within range")]
        let count = value as u64;
        json!(count)
    } else {
        json!(value)
    }
}

/// One line per trial under a header.
fn lines(found: &Exploration) -> Vec<String> {
    let names: Vec<&str> = found
        .trials
        .first()
        .map(|trial| trial.settings.iter().map(|setting| setting.0).collect())
        .unwrap_or_default();
    let mut head: Vec<String> = names.iter().map(|name| format!("{name:>12}")).collect();
    head.push(format!("{:>12}", found.metric));
    head.push("  algorithm".to_owned());
    let mut lines = vec![head.concat()];
    for trial in &found.trials {
        let settings = trial.settings.iter();
        let mut line: Vec<String> = settings.map(|s| format!("{:>12}", number(s.1))).collect();
        line.push(match trial.value {
            Some(value) => format!("{:>10.2} %", value * 100.0),
            None => format!("{:>12}", "refused"),
        });
        line.push(format!(
            "  {}",
            trial.refusal.as_ref().unwrap_or(&trial.algorithm)
        ));
        lines.push(line.concat());
    }
    lines
}
