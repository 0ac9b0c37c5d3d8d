//! How two tables compare.

use serde_json::{Value, json};

use crate::{Comparison, NumberComparison, Utility, measures_document};

/// Two tables: column by column, their numbers, and the metrics of the policy that made the one of the other.
pub fn comparison(
    found: &Comparison,
    numbers: Option<&NumberComparison>,
    metrics: Option<&Utility>,
) -> Value {
    let mut document = columns(found);
    if let Some(metrics) = metrics {
        document["metrics"] = metrics
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect::<serde_json::Map<_, _>>()
            .into();
    }
    if let Some(numbers) = numbers {
        document["numbers"] = in_numbers(numbers);
        if let Some(measures) = &numbers.measures {
            document["measures"] = measures_document(measures);
        }
    }
    document
}

fn columns(found: &Comparison) -> Value {
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
        "distinctive_attribute": found.distinctive().map(|column| &column.name),
        "correlations": found.correlations.iter().map(|(a, b, before, after)| json!({
            "columns": [a, b], "before": before, "after": after,
        })).collect::<Vec<_>>(),
    })
}

fn in_numbers(numbers: &NumberComparison) -> Value {
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
