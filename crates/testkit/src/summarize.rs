//! Plain readers for tests: a delimited file as columns, columns as a summary.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use denym_data::{Column, Hierarchy, HierarchyRow, Ragged, Summary};

/// The columns of a `;`-separated file with a header; an empty cell is missing.
///
/// # Panics
///
/// When the file cannot be read or a line has too few cells.
pub fn columns(path: &Path) -> Vec<Column> {
    let text = std::fs::read_to_string(path).expect("the file is readable");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(';').collect();
    let mut cells: Vec<Vec<Option<&str>>> = vec![Vec::new(); names.len()];
    for line in lines.filter(|line| !line.is_empty()) {
        let mut parts = line.split(';');
        for column in &mut cells {
            let cell = parts.next().expect("every line has every cell");
            column.push((!cell.is_empty()).then_some(cell));
        }
    }
    names
        .iter()
        .zip(cells)
        .map(|(name, cells)| Column::from_texts(name, cells))
        .collect()
}

/// The hierarchy of `column` in a `;`-separated file without header.
///
/// # Panics
///
/// When the file cannot be read or does not fit the column.
pub fn hierarchy(path: &Path, column: &Column) -> Hierarchy {
    let text = std::fs::read_to_string(path).expect("the file is readable");
    let rows: Vec<HierarchyRow> = text
        .lines()
        .enumerate()
        .map(|(index, line)| HierarchyRow {
            line: index + 1,
            labels: line.split(';').map(str::to_owned).collect(),
        })
        .collect();
    Hierarchy::from_rows(column, &rows).expect("the hierarchy fits")
}

/// The frequency set of `quasi` with the histograms of `sensitive`, counted per distinct subject where there is one.
pub fn summarize(quasi: &[&Column], sensitive: &[&Column], subject: Option<&Column>) -> Summary {
    let records = quasi.first().map_or(0, |column| column.codes.len());
    let mut rows: BTreeMap<Vec<u32>, Vec<usize>> = BTreeMap::new();
    for row in 0..records {
        let tuple = quasi.iter().map(|column| column.codes[row]).collect();
        rows.entry(tuple).or_default().push(row);
    }
    let mut summary = Summary {
        quasi: vec![Vec::new(); quasi.len()],
        cardinalities: quasi.iter().map(|column| column.dictionary.len()).collect(),
        sensitive: vec![Ragged::new(); sensitive.len()],
        subjects: subject.map(|_| Ragged::new()),
        shown: vec![
            Ragged::new();
            if subject.is_some() {
                sensitive.len()
            } else {
                0
            }
        ],
        ..Summary::default()
    };
    for (tuple, rows) in &rows {
        for (codes, &code) in summary.quasi.iter_mut().zip(tuple) {
            codes.push(code);
        }
        summary.records.push(rows.len() as u64);
        let person = |row: usize| subject.map_or(row as u32, |column| column.codes[row]);
        for (position, (ragged, column)) in summary.sensitive.iter_mut().zip(sensitive).enumerate()
        {
            let shown: BTreeSet<(u32, u32)> = rows
                .iter()
                .map(|&row| (column.codes[row], person(row)))
                .collect();
            if let Some(pairs) = summary.shown.get_mut(position) {
                for &pair in &shown {
                    pairs.push(pair);
                }
                pairs.close();
            }
            let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
            for (value, _) in shown {
                *counts.entry(value).or_default() += 1;
            }
            for entry in counts {
                ragged.push(entry);
            }
            ragged.close();
        }
        if let Some(subjects) = &mut summary.subjects {
            let distinct: BTreeSet<u32> = rows.iter().map(|&row| person(row)).collect();
            for subject in distinct {
                subjects.push(subject);
            }
            subjects.close();
        }
    }
    summary
}
