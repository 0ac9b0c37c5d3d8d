//! How often each label of each attribute is published, and how much of the attribute's domain it stands for.

use std::collections::HashMap;

use denym_data::{Hierarchy, Recoding, Summary, Table, Unit};

use crate::Error;

/// One label of one attribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelUse {
    /// Leaves of the hierarchy under the label; need not be whole when the label is a cut of a numeric range.
    pub leaves: f64,
    /// The level of the hierarchy it stands on, when it is a node of it.
    pub level: Option<usize>,
    /// Records published with it.
    pub records: u64,
}

/// What is published of one attribute.
#[derive(Debug, Clone, PartialEq)]
pub struct AttributeCells {
    /// Leaves of its hierarchy.
    pub leaves: u64,
    /// Levels of its hierarchy, level 0 included.
    pub height: usize,
    /// Its labels.
    pub labels: Vec<LabelUse>,
}

/// What is published cell by cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// One entry per quasi-identifier.
    pub attributes: Vec<AttributeCells>,
    /// Records that are left out.
    pub suppressed: u64,
    /// Records of the source.
    pub total: u64,
}

impl Cells {
    /// Reads a recoding.
    pub fn of_recoding(
        summary: &Summary,
        recoding: &Recoding,
        hierarchies: &[Hierarchy],
    ) -> Result<Cells, Error> {
        uneven("hierarchies", recoding.published.len(), hierarchies.len())?;
        let (sizes, suppressed) = class_sizes(summary, recoding)?;
        let attributes = recoding
            .published
            .iter()
            .zip(&recoding.labels)
            .zip(hierarchies)
            .enumerate()
            .map(|(position, ((published, labels), hierarchy))| {
                let level = recoding
                    .levels
                    .as_ref()
                    .and_then(|levels| levels.get(position).copied());
                let nodes = if level.is_some() {
                    HashMap::new()
                } else {
                    levels_by_label(hierarchy)
                };
                let mut uses: Vec<LabelUse> = labels
                    .shares
                    .iter()
                    .zip(&labels.texts)
                    .map(|(share, text)| LabelUse {
                        leaves: share * hierarchy.leaves() as f64,
                        level: level.or_else(|| nodes.get(&text.as_deref()).map(|node| node.0)),
                        records: 0,
                    })
                    .collect();
                for (&label, &size) in published.iter().zip(&sizes) {
                    uses[label as usize].records += size;
                }
                AttributeCells {
                    leaves: hierarchy.leaves(),
                    height: hierarchy.height(),
                    labels: uses,
                }
            })
            .collect();
        Ok(Cells {
            attributes,
            suppressed,
            total: sizes.iter().sum::<u64>() + suppressed,
        })
    }

    /// Reads a published table, whose labels are found in the hierarchies; a label that is in none stands for the whole domain.
    ///
    /// `total` is the number of source records; those that the table does not have count as suppressed.
    pub fn of_table(
        released: &Table,
        quasi: &[usize],
        hierarchies: &[Hierarchy],
        total: u64,
    ) -> Result<Cells, Error> {
        uneven("hierarchies", quasi.len(), hierarchies.len())?;
        let attributes = quasi
            .iter()
            .zip(hierarchies)
            .map(|(&position, hierarchy)| {
                let column = &released.columns()[position];
                let nodes = levels_by_label(hierarchy);
                let mut labels: Vec<LabelUse> = (0..column.dictionary.len() as u32)
                    .map(|code| match nodes.get(&column.dictionary.text(code)) {
                        Some(&(level, leaves)) => LabelUse {
                            leaves: leaves as f64,
                            level: Some(level),
                            records: 0,
                        },
                        None => LabelUse {
                            leaves: hierarchy.leaves() as f64,
                            level: None,
                            records: 0,
                        },
                    })
                    .collect();
                for &code in &column.codes {
                    labels[code as usize].records += 1;
                }
                AttributeCells {
                    leaves: hierarchy.leaves(),
                    height: hierarchy.height(),
                    labels,
                }
            })
            .collect();
        let records = released.records() as u64;
        Ok(Cells {
            attributes,
            suppressed: total.saturating_sub(records),
            total: total.max(records),
        })
    }
}

/// Records of each class and records in none.
pub(crate) fn class_sizes(
    summary: &Summary,
    recoding: &Recoding,
) -> Result<(Vec<u64>, u64), Error> {
    let mut sizes = vec![0; recoding.classes()];
    let mut suppressed = 0;
    let weight = |unit: usize| match recoding.unit {
        Unit::Tuple => summary.records[unit],
        Unit::Record => 1,
    };
    if recoding.unit == Unit::Tuple {
        uneven("tuples", summary.tuples(), recoding.class_of.len())?;
    }
    for (unit, class) in recoding.class_of.iter().enumerate() {
        match class {
            Some(class) => sizes[*class as usize] += weight(unit),
            None => suppressed += weight(unit),
        }
    }
    Ok((sizes, suppressed))
}

/// The lowest level and the leaves of every label of a hierarchy.
fn levels_by_label(hierarchy: &Hierarchy) -> HashMap<Option<&str>, (usize, u64)> {
    let mut nodes = HashMap::new();
    for (height, level) in hierarchy.levels().iter().enumerate() {
        for (label, &leaves) in level.labels.iter().zip(&level.leaves) {
            nodes.entry(label.as_deref()).or_insert((height, leaves));
        }
    }
    nodes
}

pub(crate) fn uneven(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found {
        Ok(())
    } else {
        Err(Error::Uneven {
            what,
            expected,
            found,
        })
    }
}
