//! Value trees: what each value of a column becomes at each level of generalization.

mod build;
mod ready;
mod rows;

use crate::{Code, Labels};

pub use build::End;
pub use ready::ReadyMade;
pub use rows::HierarchyRow;

/// One level of a hierarchy: a partition of the column's codes into nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Level {
    /// The text of each node; `None` where the value is missing. Nodes are numbered by their smallest code.
    pub labels: Vec<Option<Box<str>>>,
    /// The node of each code.
    pub nodes: Vec<u32>,
    /// Leaves of the whole hierarchy under each node, those that never occur in the data included.
    pub leaves: Vec<u64>,
}

/// A value tree over the codes of one column. Level 0 is the original; every level is coarser than the one below.
#[derive(Debug, Clone, PartialEq)]
pub struct Hierarchy {
    levels: Vec<Level>,
    leaves: u64,
}

impl Hierarchy {
    /// The lowest node with this label: its level and its number there.
    pub fn node_called(&self, label: &str) -> Option<(usize, u32)> {
        (0..).zip(&self.levels).find_map(|(level, of)| {
            let mut labels = of.labels.iter();
            let found = labels.position(|text| text.as_deref() == Some(label));
            Some((level, found? as u32))
        })
    }

    /// The codes under a node, ascending.
    pub fn under(&self, (level, node): (usize, u32)) -> impl Iterator<Item = Code> {
        let of = (0..).zip(&self.levels[level].nodes);
        of.filter(move |&(_, &other)| other == node)
            .map(|(code, _)| code)
    }

    /// The most levels above the values: a search counts them in seven bits, and no hierarchy of people's data is that high.
    pub const MOST_LEVELS: usize = 127;

    /// Number of levels, level 0 included.
    pub fn height(&self) -> usize {
        self.levels.len()
    }

    /// The levels, finest first.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Leaves of the whole hierarchy.
    pub fn leaves(&self) -> u64 {
        self.leaves
    }

    /// The hierarchy of the levels from `low` to `high` alone; leaves are still those of the whole.
    ///
    /// # Panics
    ///
    /// When there are no such levels.
    #[must_use]
    pub fn between(&self, low: usize, high: usize) -> Hierarchy {
        Hierarchy {
            levels: self.levels[low..=high].to_vec(),
            leaves: self.leaves,
        }
    }

    /// The node of `code` at `level`.
    pub fn node(&self, level: usize, code: Code) -> u32 {
        self.levels[level].nodes[code as usize]
    }

    /// For each node of `level`, its node at `level + 1`.
    pub fn parents(&self, level: usize) -> Vec<u32> {
        let (low, high) = (&self.levels[level], &self.levels[level + 1]);
        let mut parents = vec![0; low.labels.len()];
        for (&node, &parent) in low.nodes.iter().zip(&high.nodes) {
            parents[node as usize] = parent;
        }
        parents
    }

    /// The share of all leaves that lie under each node of `level`: 0 to 1, the loss of publishing that node.
    pub fn shares(&self, level: usize) -> Vec<f64> {
        self.levels[level]
            .leaves
            .iter()
            .map(|&leaves| leaves as f64 / self.leaves as f64)
            .collect()
    }

    /// The nodes of `level` as published labels.
    pub fn labels(&self, level: usize) -> Labels {
        Labels {
            texts: self.levels[level].labels.clone(),
            shares: self.shares(level),
        }
    }

    /// The hierarchy in which `rows[code]` are the labels of a code from level 0 up; the rows must be equally long and nest.
    pub fn from_labels(rows: &[Vec<Option<String>>]) -> Hierarchy {
        let height = rows.first().map_or(0, Vec::len);
        let names: Vec<Vec<Option<String>>> = (0..height)
            .map(|level| {
                rows.iter()
                    .map(|row| row.get(level).cloned().flatten())
                    .collect()
            })
            .collect();
        Hierarchy::from_names(&names, &[])
    }

    /// Levels from what each code is called there; drops nothing, numbers nodes by their smallest code.
    ///
    /// `names[level][code]` is `None` where the value is missing; `unseen` are the labels, level by level, of leaves that never
    /// occur in the data.
    fn from_names(names: &[Vec<Option<String>>], unseen: &[Vec<String>]) -> Hierarchy {
        let total = names.first().map_or(0, Vec::len) + unseen.len();
        let levels = names
            .iter()
            .enumerate()
            .map(|(height, row)| {
                let unseen = unseen.iter().map(|leaf| leaf[height].as_str());
                Level::of(row, unseen)
            })
            .collect();
        Hierarchy {
            levels,
            leaves: total as u64,
        }
    }
}

impl Level {
    /// The level at which each code is called as in `row`, and leaves that never occur in the data as in `unseen`.
    fn of<'a>(row: &[Option<String>], unseen: impl Iterator<Item = &'a str>) -> Level {
        let mut ids = std::collections::HashMap::new();
        let mut level = Level {
            labels: Vec::new(),
            nodes: Vec::with_capacity(row.len()),
            leaves: Vec::new(),
        };
        for name in row {
            let node = *ids.entry(name.as_deref()).or_insert_with(|| {
                level.labels.push(name.as_deref().map(Box::from));
                level.leaves.push(0);
                level.labels.len() as u32 - 1
            });
            level.nodes.push(node);
            level.leaves[node as usize] += 1;
        }
        for name in unseen {
            if let Some(&node) = ids.get(&Some(name)) {
                level.leaves[node as usize] += 1;
            }
        }
        level
    }
}
