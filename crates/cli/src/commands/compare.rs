//! `denym compare`: the utility of one data set against another.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym::{Error, Measures, NumberComparison, documents, read_policy};

use super::audit::read_options;
use super::claims::{number, percent};
use crate::args::ReadArgs;
use crate::console::Console;

/// Arguments of `compare`.
#[derive(Args)]
pub(crate) struct CompareArgs {
    /// The data set before; `-` for standard input
    #[arg(value_parser = crate::stdin::data)]
    pub(crate) before: PathBuf,
    /// The data set after; `-` for standard input
    #[arg(value_parser = crate::stdin::data)]
    pub(crate) after: PathBuf,
    /// The policy that made the second of the first: measures every information metric
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
    /// The n-th record of the one is the n-th of the other: numbers are compared record by record as well (IL1s, SSE, sign
    /// test, record linkage)
    #[arg(long)]
    pub(crate) paired: bool,
    #[command(flatten)]
    pub(crate) read: ReadArgs,
}

/// Compares the two.
pub(crate) fn run(args: &CompareArgs, console: &Console) -> Result<ExitCode, Error> {
    let options = read_options(&args.read)?;
    let found = denym::compare_tables(
        &args.before,
        &args.after,
        &options,
        console.threads,
        console,
    )?;
    let numbers = denym::compare_numbers(
        &args.before,
        &args.after,
        &options,
        args.paired,
        console.threads,
        console,
    )?;
    let metrics = args
        .policy
        .as_ref()
        .map(|file| {
            let policy = read_policy(file)?;
            denym::utility(
                &policy,
                &args.before,
                &args.after,
                &options,
                console.threads,
                console,
            )
        })
        .transpose()?;
    console.clear();
    console.document(&documents::comparison(
        &found,
        numbers.as_ref(),
        metrics.as_ref(),
    ));
    for (name, value) in metrics.iter().flatten() {
        console.say(format!("{name:30} {}", number(*value)));
    }
    console.say(format!(
        "records    {} before, {} after",
        found.records.0, found.records.1
    ));
    if !found.dropped.is_empty() {
        console.say(format!("dropped    {}", found.dropped.join(", ")));
    }
    console.say(format!(
        "\n{:20} {:>17} {:>17} {:>9}  mean",
        "column", "distinct values", "entropy in bits", "moved"
    ));
    for column in &found.columns {
        let arrow = |a: String, b: String| format!("{a} -> {b}");
        let mean = column
            .moments
            .as_ref()
            .map(|(a, b)| arrow(number(a.mean), number(b.mean)))
            .unwrap_or_default();
        console.say(format!(
            "{:20} {:>17} {:>17} {:>10}  {mean}",
            column.name,
            arrow(column.distinct.0.to_string(), column.distinct.1.to_string()),
            arrow(number(column.entropy_bits.0), number(column.entropy_bits.1)),
            percent(column.total_variation),
        ));
    }
    if let Some(column) = found.distinctive() {
        console.say(format!(
            "\nmost distinct values after: {} ({}); a search would generalize it next",
            column.name, column.distinct.1
        ));
    }
    for (a, b, before, after) in &found.correlations {
        console.say(format!(
            "correlation of {a} and {b}: {} -> {}",
            number(*before),
            number(*after)
        ));
    }
    if let Some(numbers) = &numbers {
        say_numbers(numbers, console);
    }
    console.say("\n\"moved\" is the share of records whose value another value took the place of; generalized values count as moved.");
    Ok(ExitCode::SUCCESS)
}

fn say_numbers(numbers: &NumberComparison, console: &Console) {
    let moments = &numbers.moments;
    console.say(format!(
        "\nnumbers: mean change of means {}, of covariances {}, of correlations {}, of eigenvalues {}",
        percent(moments.means),
        percent(moments.covariances),
        number(moments.correlations),
        percent(moments.eigenvalues),
    ));
    for (name, gap, p) in &numbers.columns {
        console.say(format!(
            "{name:20} largest gap of the distributions {} (Kolmogorov-Smirnov, p = {})",
            number(*gap),
            number(*p)
        ));
    }
    if let Some(measures) = &numbers.measures {
        console.say(format!(
            "paired: SSE {} of SST {} ({} %), IL1s {}",
            number(measures.sse),
            number(measures.sst),
            number(100.0 * measures.sse / measures.sst.max(f64::MIN_POSITIVE)),
            number(measures.il1s)
        ));
        for column in &measures.columns {
            let [above, below, equal] = column.signs;
            console.say(format!(
                "{:20} signs {above}/{below}/{equal} (above, below, equal), p = {}",
                column.name,
                number(column.sign_p)
            ));
        }
        if let Some(linkage) = measures.distance_linkage {
            console.say(format!(
                "linked     {} % of the records, by the nearest one",
                number(100.0 * linkage)
            ));
        }
        console.say(format!("limits: {}", Measures::LIMITS));
    }
}
