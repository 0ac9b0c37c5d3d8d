//! Which value became which: a recoding as a table, for whoever has the source.

use std::collections::BTreeMap;

use crate::{Column, Error, Recoding, Summary, Table, Unit};

/// The mapping of the quasi-identifiers at `quasi`: attribute, value, what it became, how many records. Suppressed records
/// have no published value.
pub fn mapping(
    table: &Table,
    quasi: &[usize],
    summary: &Summary,
    recoding: &Recoding,
) -> Result<Table, Error> {
    let mut rows: [Vec<Option<&str>>; 4] = Default::default();
    let mut records = Vec::new();
    for (d, &position) in quasi.iter().enumerate() {
        let column = &table.columns()[position];
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
        for ((code, label), count) in counts {
            rows[0].push(Some(&column.name));
            rows[1].push(column.dictionary.text(code));
            rows[2].push(Some(label.map_or("suppressed", |_| "published")));
            rows[3].push(label.flatten());
            records.push(count.to_string());
        }
    }
    let names = ["attribute", "value", "fate", "published"];
    let mut columns: Vec<Column> = names
        .iter()
        .zip(rows)
        .map(|(name, texts)| Column::from_texts(name, texts))
        .collect();
    let records = records.iter().map(|count| Some(count.as_str()));
    columns.push(Column::from_texts("records", records));
    Table::new(columns)
}
