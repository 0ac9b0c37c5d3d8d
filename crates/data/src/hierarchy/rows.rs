//! Hierarchies given as rows: a value, then its label at every level.

use std::collections::{BTreeMap, HashMap};

use super::Hierarchy;
use crate::{Column, Error, HierarchyMistake, offending};

/// One row of a hierarchy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HierarchyRow {
    /// Line in the file, from 1.
    pub line: usize,
    /// The value, then its label at level 1, 2, ...
    pub labels: Vec<String>,
}

impl Hierarchy {
    /// Builds and checks the hierarchy of `column`; all mistakes are reported, not only the first.
    ///
    /// A missing value needs no row: it keeps to itself below the top level and joins the top node when there is just one.
    pub fn from_rows(column: &Column, rows: &[HierarchyRow]) -> Result<Hierarchy, Vec<Error>> {
        let Some(first) = rows.first() else {
            return Err(vec![mistake(None, HierarchyMistake::Empty)]);
        };
        let height = first.labels.len();
        if height > Hierarchy::MOST_LEVELS + 1 {
            let too_high = HierarchyMistake::TooHigh {
                found: height - 1,
                most: Hierarchy::MOST_LEVELS,
            };
            return Err(vec![mistake(Some(first.line), too_high)]);
        }
        let mut errors = Vec::new();
        let mut leaves: HashMap<&str, &HierarchyRow> = HashMap::new();
        // (level, label) -> (parent label, line)
        let mut parents: BTreeMap<(usize, &str), (&str, usize)> = BTreeMap::new();
        for row in rows {
            if row.labels.len() != height {
                errors.push(mistake(
                    Some(row.line),
                    HierarchyMistake::Ragged {
                        expected: height,
                        found: row.labels.len(),
                    },
                ));
                continue;
            }
            if let Some(other) = leaves.insert(&row.labels[0], row)
                && other.labels != row.labels
            {
                errors.push(mistake(
                    Some(row.line),
                    HierarchyMistake::Contradiction { first: other.line },
                ));
                continue;
            }
            // Only what is missing may stay so.
            let empty = row.labels.iter().position(String::is_empty);
            if let Some(level) = empty.filter(|&level| level > 0) {
                errors.push(mistake(Some(row.line), HierarchyMistake::NoLabel { level }));
                continue;
            }
            if let Some((level, above)) = cycle(&row.labels) {
                errors.push(mistake(
                    Some(row.line),
                    HierarchyMistake::Cycle { level, above },
                ));
                continue;
            }
            for level in 1..height.saturating_sub(1) {
                let (label, parent) = (row.labels[level].as_str(), row.labels[level + 1].as_str());
                let (known, line) = *parents.entry((level, label)).or_insert((parent, row.line));
                if known != parent {
                    errors.push(mistake(
                        Some(row.line),
                        HierarchyMistake::DoesNotNest { level, first: line },
                    ));
                    break;
                }
            }
        }
        let dictionary = &column.dictionary;
        let without: Vec<bool> = dictionary
            .values()
            .map(|value| !leaves.contains_key(value))
            .collect();
        if let Some(found) = uncovered(column, &without) {
            let row = found.first.checked_sub(1);
            if let Some(text) = row.and_then(|row| column.text(row)) {
                offending::keep(text);
            }
            errors.push(mistake(
                None,
                HierarchyMistake::MissingValues {
                    count: found.count,
                    distinct: without.len(),
                    records: found.records,
                    record: found.first,
                },
            ));
        }
        if !errors.is_empty() {
            return Err(errors);
        }

        let top_is_one = rows
            .iter()
            .all(|row| row.labels[height - 1] == first.labels[height - 1]);
        let names = (0..height)
            .map(|level| {
                let mut names: Vec<Option<String>> = dictionary
                    .values()
                    .map(|value| Some(leaves[value].labels[level].clone()))
                    .collect();
                if dictionary.missing().is_some() {
                    names.push(match leaves.get("") {
                        Some(row) if level > 0 => Some(row.labels[level].clone()),
                        None if level > 0 && level == height - 1 && top_is_one => {
                            Some(first.labels[level].clone())
                        }
                        _ => None,
                    });
                }
                names
            })
            .collect::<Vec<_>>();
        let mut unseen: Vec<&HierarchyRow> = leaves
            .values()
            .copied()
            .filter(|row| {
                let leaf = row.labels[0].as_str();
                dictionary.code_of(leaf).is_none()
                    && !(leaf.is_empty() && dictionary.missing().is_some())
            })
            .collect();
        unseen.sort_by_key(|row| row.line);
        let unseen: Vec<Vec<String>> = unseen.into_iter().map(|row| row.labels.clone()).collect();
        Ok(Hierarchy::from_names(&names, &unseen))
    }
}

/// Values that a hierarchy does not cover.
pub(super) struct Uncovered {
    /// How many.
    pub(super) count: usize,
    /// Records that have one.
    pub(super) records: usize,
    /// The first of them, from 1 (0 when there is none).
    pub(super) first: usize,
}

/// What is not covered, `without[code]` saying so of each value; `None` when everything is.
pub(super) fn uncovered(column: &Column, without: &[bool]) -> Option<Uncovered> {
    let count = without.iter().filter(|&&without| without).count();
    if count == 0 {
        return None;
    }
    let is_without = |code: &u32| without.get(*code as usize) == Some(&true);
    Some(Uncovered {
        count,
        records: column.codes.iter().filter(|code| is_without(code)).count(),
        first: column
            .codes
            .iter()
            .position(is_without)
            .map_or(0, |row| row + 1),
    })
}

/// The first level whose label comes back at a higher one with another label between.
fn cycle(labels: &[String]) -> Option<(usize, usize)> {
    for low in 0..labels.len() {
        let left = (low..labels.len()).find(|&i| labels[i] != labels[low])?;
        if let Some(back) = (left..labels.len()).find(|&i| labels[i] == labels[low]) {
            return Some((low, back));
        }
    }
    None
}

fn mistake(line: Option<usize>, mistake: HierarchyMistake) -> Error {
    Error::Hierarchy { line, mistake }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> Vec<HierarchyRow> {
        text.lines()
            .enumerate()
            .map(|(index, line)| HierarchyRow {
                line: index + 1,
                labels: line.split(';').map(str::to_owned).collect(),
            })
            .collect()
    }

    fn column(values: &[&str]) -> Column {
        Column::from_texts(
            "job",
            values
                .iter()
                .map(|text| (!text.is_empty()).then_some(*text)),
        )
    }

    fn mistakes(values: &[&str], text: &str) -> Vec<(Option<usize>, &'static str)> {
        let errors = Hierarchy::from_rows(&column(values), &rows(text)).unwrap_err();
        errors
            .iter()
            .map(|error| (error.line(), error.code()))
            .collect()
    }

    #[test]
    fn counts_leaves_that_never_occur() {
        let text =
            "engineer;professional;*\nlawyer;professional;*\ndancer;artist;*\nwriter;artist;*";
        let hierarchy =
            Hierarchy::from_rows(&column(&["dancer", "engineer", "lawyer"]), &rows(text)).unwrap();
        assert_eq!(hierarchy.height(), 3);
        assert_eq!(hierarchy.leaves(), 4);
        let middle = &hierarchy.levels()[1];
        assert_eq!(
            middle.labels,
            [Some("artist".into()), Some("professional".into())]
        );
        assert_eq!(middle.nodes, [0, 1, 1]);
        assert_eq!(middle.leaves, [2, 2]);
        assert_eq!(hierarchy.parents(1), [0, 0]);
        assert_eq!(hierarchy.shares(2), [1.0]);
    }

    #[test]
    fn a_missing_value_stays_apart_until_the_top() {
        let hierarchy =
            Hierarchy::from_rows(&column(&["a", "b", ""]), &rows("a;x;*\nb;x;*")).unwrap();
        assert_eq!(hierarchy.levels()[1].labels, [Some("x".into()), None]);
        assert_eq!(hierarchy.levels()[2].labels, [Some("*".into())]);
        assert_eq!(hierarchy.leaves(), 3);
    }

    #[test]
    fn every_mistake_names_its_line() {
        assert_eq!(mistakes(&["a"], ""), [(None, "hierarchy-empty")]);
        assert_eq!(
            mistakes(&["a", "b", "c"], "a;x;*\nb;x\na;y;*\nb;x;top"),
            [
                (Some(2), "hierarchy-ragged"),
                (Some(3), "hierarchy-contradiction"),
                (Some(4), "hierarchy-does-not-nest"),
                (None, "hierarchy-missing-value")
            ]
        );
        assert_eq!(mistakes(&["a"], "a;x;a"), [(Some(1), "hierarchy-cycle")]);
    }

    #[test]
    fn a_file_with_more_levels_than_are_searched_is_refused_by_its_line() {
        let high = |levels: usize| format!("a{}", ";x".repeat(levels));
        assert!(Hierarchy::from_rows(&column(&["a"]), &rows(&high(127))).is_ok());
        assert_eq!(
            mistakes(&["a"], &high(128)),
            [(Some(1), "hierarchy-too-high")]
        );
    }

    #[test]
    fn a_label_may_repeat_on_adjacent_levels() {
        assert!(Hierarchy::from_rows(&column(&["a", "b"]), &rows("a;a;*\nb;b;*")).is_ok());
    }
}
