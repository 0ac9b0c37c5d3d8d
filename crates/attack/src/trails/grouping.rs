//! Groups of equal trails: everything a matching says about one member holds for all of them.
//!
//! Two subjects with the same trail (and the same linking label, where there is one) have the same candidates, so
//! the subtrail relation, REIDIT and forced matching all work on groups with sizes. On real trails, where thousands
//! share a short trail, this turns hundreds of millions of pairs into thousands.

use denym_data::Trails;
use hashbrown::HashTable;

/// Subjects on one side of a trail attack: their trails, and what else is known to link them.
#[derive(Debug, Clone, Copy)]
pub struct TrailSide<'a> {
    pub(crate) trails: &'a Trails,
    pub(crate) labels: &'a [u32],
}

impl<'a> TrailSide<'a> {
    /// Trails alone.
    pub fn new(trails: &'a Trails) -> Self {
        Self {
            trails,
            labels: &[],
        }
    }

    /// Trails with one linking label per subject (see [`super::linking`]).
    ///
    /// # Errors
    ///
    /// [`crate::Error::LengthsDiffer`] when there is not one label per subject.
    pub fn labeled(trails: &'a Trails, labels: &'a [u32]) -> Result<Self, crate::Error> {
        if labels.len() == trails.len() {
            Ok(Self { trails, labels })
        } else {
            Err(crate::Error::LengthsDiffer {
                what: "linking labels",
                expected: trails.len(),
                found: labels.len(),
            })
        }
    }

    pub(crate) fn label(&self, row: usize) -> u32 {
        self.labels.get(row).copied().unwrap_or(0)
    }
}

/// The groups of equal subjects of one side, numbered by first appearance.
#[derive(Debug, Clone)]
pub(crate) struct TrailGroups {
    /// The first row of each group.
    pub(crate) first: Vec<u32>,
    /// How many rows each group has.
    pub(crate) size: Vec<u32>,
    /// The group of each row.
    pub(crate) of_row: Vec<u32>,
}

impl TrailGroups {
    pub(crate) fn of(side: TrailSide<'_>) -> Self {
        let rows = side.trails.len();
        let mut index: HashTable<u32> = HashTable::with_capacity(rows);
        let mut groups = Self {
            first: Vec::new(),
            size: Vec::new(),
            of_row: Vec::with_capacity(rows),
        };
        for row in 0..rows {
            let (trail, label) = (side.trails.get(row), side.label(row));
            let hash = hash_trail(trail, label);
            let TrailGroups {
                first,
                size,
                of_row,
            } = &mut groups;
            let found = index.find(hash, |&group| {
                let other = first[group as usize] as usize;
                side.trails.get(other) == trail && side.label(other) == label
            });
            let group = if let Some(&group) = found {
                size[group as usize] += 1;
                group
            } else {
                let group = first.len() as u32;
                first.push(row as u32);
                size.push(1);
                index.insert_unique(hash, group, |&group| {
                    let other = first[group as usize] as usize;
                    hash_trail(side.trails.get(other), side.label(other))
                });
                group
            };
            of_row.push(group);
        }
        groups
    }

    pub(crate) fn len(&self) -> usize {
        self.first.len()
    }

    /// The rows of each group, ascending, in one flat array with offsets.
    pub(crate) fn members(&self) -> (Vec<usize>, Vec<u32>) {
        let mut offsets = vec![0_usize; self.len() + 1];
        for (group, &size) in self.size.iter().enumerate() {
            offsets[group + 1] = offsets[group] + size as usize;
        }
        let mut next = offsets.clone();
        let mut rows = vec![0_u32; self.of_row.len()];
        for (row, &group) in self.of_row.iter().enumerate() {
            rows[next[group as usize]] = row as u32;
            next[group as usize] += 1;
        }
        (offsets, rows)
    }
}

/// A fixed mixing hash, the same in every run; collisions only cost a comparison.
pub(crate) fn hash_trail(trail: &[u32], label: u32) -> u64 {
    let mut hash = 0x9E37_79B9_7F4A_7C15_u64 ^ u64::from(label);
    for &institution in trail {
        hash = (hash.rotate_left(23) ^ u64::from(institution)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x94D0_49BB_1331_11EB);
    hash ^ (hash >> 29)
}
