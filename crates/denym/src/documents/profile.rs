//! What is in a table.

use serde_json::{Value, json};

use crate::{Profile, Reading, looks_like};

/// What is in a table, and who stands out.
pub fn profile(found: &Profile, reading: &Reading) -> Value {
    let names = |columns: &[usize]| {
        columns
            .iter()
            .map(|&at| found.columns[at].name.clone())
            .collect::<Vec<_>>()
    };
    json!({
        "records": found.records,
        "uniques": found.uniques,
        "columns": found.columns.iter().map(|column| json!({
            "name": column.name,
            "type": column.kind.name(),
            "distinct": column.distinct,
            "missing": column.missing,
            "uniques": column.uniques,
            "distinction": column.distinction,
            "separation": column.separation,
            "pattern": column.recognized.pattern.map(crate::Pattern::name),
            "meaning": column.recognized.meaning().map(crate::Meaning::words),
            "free_text": column.recognized.free_text,
            "role": column.role.name(),
            "reasons": column.reasons,
            "left_out": column.left_out.map(crate::LeftOut::reason),
        })).collect::<Vec<_>>(),
        "combinations_compared": found.combinations.compared,
        "combinations_sample": found.combinations.sample,
        "combinations": found.combinations.best.iter().map(|combination| json!({
            "columns": names(&combination.columns),
            "distinction": combination.distinction,
            "separation": combination.separation,
            "uniques": combination.uniques,
        })).collect::<Vec<_>>(),
        "policy": Value::Null,
        "reading": reading.in_words(),
        "looks_like": looks_like(found).map_or("table", |(kind, _)| kind),
    })
}
