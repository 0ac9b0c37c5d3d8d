//! Which value became which: a table for the steward, on request.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use denym_data::{Recoding, Summary, Table, Unit};

use crate::formulas::{Formulas, escaped};
use crate::plan::Plan;

/// The mapping as CSV: attribute, value, what it became, how many records; suppressed records have no published value.
pub(crate) fn csv(
    plan: &Plan,
    table: &Table,
    summary: &Summary,
    recoding: &Recoding,
    formulas: Formulas,
) -> String {
    let quoted = |text: &str| match formulas {
        Formulas::Keep => quoted(text),
        Formulas::Escape | Formulas::Refuse => quoted(&escaped(text)),
    };
    let mut text = String::from("attribute,value,fate,published,records\n");
    for (d, name) in plan.quasi_names().iter().enumerate() {
        let column = &table.columns()[plan.columns.quasi[d]];
        let labels = &recoding.labels[d].texts;
        let mut counts: BTreeMap<(u32, Option<Option<&str>>), u64> = BTreeMap::new();
        for (unit, class) in recoding.class_of.iter().enumerate() {
            let (code, records) = match recoding.unit {
                Unit::Tuple => (summary.quasi[d][unit], summary.records[unit]),
                Unit::Record => (column.codes[unit], 1),
            };
            let label = class.map(|class| {
                let label = recoding.published[d][class as usize];
                labels[label as usize].as_deref()
            });
            *counts.entry((code, label)).or_default() += records;
        }
        for ((code, label), records) in counts {
            let value = column.dictionary.text(code).unwrap_or_default();
            let (fate, published) = match label {
                None => ("suppressed", ""),
                Some(label) => ("published", label.unwrap_or_default()),
            };
            let _ = writeln!(
                text,
                "{},{},{fate},{},{records}",
                quoted(name),
                quoted(value),
                quoted(published)
            );
        }
    }
    text
}

/// A CSV cell, quoted where it must be.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn cells_survive() {
        assert_eq!(quoted("a b"), "a b");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
