//! What `anonymize` says about transactions.

use denym::{Account, TransactionFigures};
use serde_json::{Value, json};

use super::anonymize::metric;
use super::claims::number;
use crate::console::Console;

/// The figures as JSON; without a recoding there is nothing to count.
pub(crate) fn document(
    figures: &TransactionFigures,
    account: &Account,
    show_suppressed: bool,
    document: &mut Value,
) {
    document["critical_violations"] = json!(figures.critical_violations);
    document["critical_violations_by_length"] = json!(figures.critical_violations_by_length);
    document["instances"] = json!(figures.instances);
    let found = account.refusal.is_none();
    let if_found = |value: Value| if found { value } else { Value::Null };
    document["items"] = if_found(json!(figures.items));
    document["suppressed_items"] = if_found(json!(figures.suppressed_items));
    document["generalized_items"] = if_found(json!(figures.generalized_items));
    document["lost_instances"] = if_found(json!(figures.lost_instances));
    document["unchanged_instances"] = if_found(json!(figures.unchanged_instances));
    document["distortion"] = if_found(json!(figures.distortion));
    document["loss"] = if_found(json!(figures.loss));
    document["metric"]["value"] = if_found(json!(account.metric.1));
    document["frequent_itemsets"] = figures.frequent_itemsets.map_or(
        Value::Null,
        |(before, after)| json!({"before": before, "after": after}),
    );
    if show_suppressed {
        document["suppressed"] = json!(figures.suppressed);
    }
}

/// The figures in words.
pub(crate) fn summary(
    figures: &TransactionFigures,
    account: &Account,
    show_suppressed: bool,
    console: &Console,
) {
    if account.refusal.is_some() {
        console.say(format!(
            "violations {} critical in {} records",
            figures.critical_violations, account.records
        ));
        return;
    }
    console.say(format!(
        "published  {} transactions with {} of {} items",
        account.records,
        figures.instances - figures.lost_instances,
        figures.instances
    ));
    console.say(format!(
        "removed    {} items ({} %): {} of {} kinds everywhere, {} kinds shown coarser; {} critical violations in the source",
        figures.lost_instances,
        number(figures.distortion * 100.0),
        figures.suppressed_items,
        figures.items,
        figures.generalized_items,
        figures.critical_violations
    ));
    if let Some((before, after)) = figures.frequent_itemsets {
        console.say(format!("itemsets   {after} of {before} frequent ones kept"));
    }
    metric(account, console);
    if show_suppressed {
        console.say(format!("suppressed {}", figures.suppressed.join(" ")));
    }
}
