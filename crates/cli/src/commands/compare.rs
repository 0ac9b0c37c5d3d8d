//! `denym compare`: the utility of one data set against another.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym::{ColumnComparison, Comparison, Error, Measures, NumberComparison, read_policy};
use serde_json::{Value, json};

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
    let mut found_document = document(&found);
    if let Some(metrics) = &metrics {
        found_document["metrics"] = metrics
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
            .into();
    }
    if let Some(numbers) = &numbers {
        found_document["numbers"] = numbers_document(numbers);
        if let Some(measures) = &numbers.measures {
            found_document["measures"] = denym::measures_document(measures);
        }
    }
    console.document(&found_document);
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
    if let Some(column) = distinctive(&found) {
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

fn numbers_document(numbers: &NumberComparison) -> Value {
    let columns = numbers.columns.iter().map(|(name, gap, p)| {
        let tests = json!({"kolmogorov_smirnov": {"gap": gap, "p": p}});
        (name.clone(), tests)
    });
    json!({
        "columns": columns.collect::<serde_json::Map<_, _>>(),
        "change_of_means": numbers.moments.means,
        "change_of_covariances": numbers.moments.covariances,
        "change_of_correlations": numbers.moments.correlations,
        "change_of_eigenvalues": numbers.moments.eigenvalues,
    })
}

/// The distinctive attribute: the first of the columns with the most distinct values.
fn distinctive(found: &Comparison) -> Option<&ColumnComparison> {
    found
        .columns
        .iter()
        .rev()
        .max_by_key(|column| column.distinct.1)
}

fn document(found: &Comparison) -> Value {
    let columns: serde_json::Map<String, Value> = found
        .columns
        .iter()
        .map(|column| {
            let moments = column.moments.as_ref().map(|(before, after)| {
                json!({
                    "mean_before": before.mean, "mean_after": after.mean,
                    "variance_before": before.variance, "variance_after": after.variance,
                })
            });
            let value = json!({
                "distinct_before": column.distinct.0, "distinct_after": column.distinct.1,
                "entropy_bits_before": column.entropy_bits.0, "entropy_bits_after": column.entropy_bits.1,
                "total_variation": column.total_variation,
                "moments": moments,
            });
            (column.name.clone(), value)
        })
        .collect();
    json!({
        "records_before": found.records.0,
        "records_after": found.records.1,
        "dropped": found.dropped,
        "columns": columns,
        "distinctive_attribute": distinctive(found).map(|column| &column.name),
        "correlations": found.correlations.iter().map(|(a, b, before, after)| json!({
            "columns": [a, b], "before": before, "after": after,
        })).collect::<Vec<_>>(),
    })
}
