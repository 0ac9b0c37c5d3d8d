//! `denym audit` of transactions: groups of up to m items against k and bounds on sensitive items.

use std::path::PathBuf;
use std::process::ExitCode;

use denym::{Error, Fraction, SequenceAudit, TransactionAuditRequest};
use serde_json::json;

use super::audit::{AuditArgs, bound, read_options};
use super::claims::number;
use crate::console::Console;

/// Measures transactions.
pub(crate) fn run(args: &AuditArgs, console: &Console) -> Result<ExitCode, Error> {
    let sensitive = sensitive_items(&args.sensitive_item)?;
    let request = TransactionAuditRequest {
        data: PathBuf::from(&args.data),
        read: read_options(&args.read)?,
        subject: args.subject.clone(),
        item: args.item.clone(),
        items_column: args.items_column.clone(),
        separator: args.separator,
        items: args.items.unwrap_or(2),
        k: args.k.unwrap_or(2),
        sensitive,
        threads: console.threads,
    };
    let found = denym::audit_transactions(&request, console)?;
    console.clear();
    console.document(&json!({
        "records": found.records,
        "instances": found.doublets,
        "violations": found.violations,
        "violations_by_length": found.violations_by_length,
        "critical_violations": found.critical_violations,
        "critical_violations_by_length": found.critical_violations_by_length,
        "coherence": {
            "smallest_group": found.smallest_group,
            "largest_confidence": found.largest_confidence.to_f64(),
        },
        "exposed_records": found.exposed_records,
        "holds": found.holds,
        "asked": {"items": request.items, "k": request.k},
    }));
    print(&found, &request, console);
    Ok(ExitCode::SUCCESS)
}

fn print(found: &SequenceAudit, request: &TransactionAuditRequest, console: &Console) {
    console.say(format!(
        "records    {} with {} public items",
        found.records, found.doublets
    ));
    console.say(format!(
        "knowing    up to {} items: the smallest group has {} records (k = {} asked)",
        request.items, found.smallest_group, request.k
    ));
    if !request.sensitive.is_empty() {
        console.say(format!(
            "confidence at most {} %",
            number(found.largest_confidence.to_f64() * 100.0)
        ));
    }
    let by_size: Vec<String> = (1..)
        .zip(&found.critical_violations_by_length)
        .map(|(size, count)| format!("{count} of size {size}"))
        .collect();
    console.say(format!(
        "violations {}, of which {} critical ({})",
        found.violations,
        found.critical_violations,
        by_size.join(", ")
    ));
    console.say(format!(
        "exposed    {} records ({} %)",
        found.exposed_records,
        number(found.exposed_records as f64 * 100.0 / found.records.max(1) as f64)
    ));
}

/// Sensitive items with their bounds, as flags say them.
pub(crate) fn sensitive_items(texts: &[String]) -> Result<Vec<(String, Fraction)>, Error> {
    let one = |text: &String| {
        let Some((item, limit)) = text.rsplit_once(':') else {
            return Err(Error::Argument {
                what: format!("`{text}` is no bound on an item"),
                help: "write ITEM:BOUND, such as 'pregnancy test:0.4'".into(),
            });
        };
        Ok((item.to_owned(), bound(limit)?))
    };
    texts.iter().map(one).collect()
}
