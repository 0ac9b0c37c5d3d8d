//! Records divided into groups, each record in exactly one.

use crate::Error;

/// Groups of record numbers in canonical order: members ascending, groups by their first member.
///
/// Two solvers that found the same groups give equal values, and the order tells nothing about the search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partition {
    members: Vec<u32>,
    ends: Vec<u32>,
}

impl Partition {
    /// From groups that must cover `0..records` once; empty groups are dropped.
    pub fn new(mut groups: Vec<Vec<u32>>, records: usize) -> Result<Self, Error> {
        let mut times = vec![0_usize; records];
        for &member in groups.iter().flatten() {
            let Some(count) = times.get_mut(member as usize) else {
                return Err(Error::NotAPartition {
                    row: member as usize,
                    times: 1,
                });
            };
            *count += 1;
        }
        if let Some(row) = times.iter().position(|&count| count != 1) {
            return Err(Error::NotAPartition {
                row,
                times: times[row],
            });
        }
        groups.retain(|group| !group.is_empty());
        for group in &mut groups {
            group.sort_unstable();
        }
        groups.sort_unstable_by_key(|group| group[0]);
        let mut members = Vec::with_capacity(records);
        let mut ends = Vec::with_capacity(groups.len());
        for group in groups {
            members.extend(group);
            ends.push(members.len() as u32);
        }
        Ok(Self { members, ends })
    }

    /// From one group number per record; the numbers may have gaps.
    pub fn from_labels(labels: &[u32]) -> Self {
        let most = labels.iter().max().map_or(0, |&label| label as usize + 1);
        let mut groups = vec![Vec::new(); most];
        for (row, &label) in labels.iter().enumerate() {
            groups[label as usize].push(row as u32);
        }
        groups.retain(|group| !group.is_empty());
        groups.sort_unstable_by_key(|group| group[0]);
        let mut members = Vec::with_capacity(labels.len());
        let mut ends = Vec::with_capacity(groups.len());
        for group in groups {
            members.extend(group);
            ends.push(members.len() as u32);
        }
        Self { members, ends }
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of records.
    pub fn records(&self) -> usize {
        self.members.len()
    }

    /// One group's records, ascending.
    pub fn group(&self, group: usize) -> &[u32] {
        let start = if group == 0 {
            0
        } else {
            self.ends[group - 1] as usize
        };
        &self.members[start..self.ends[group] as usize]
    }

    /// All groups.
    pub fn groups(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|group| self.group(group))
    }

    /// The group number of each record.
    pub fn labels(&self) -> Vec<u32> {
        let mut labels = vec![0; self.records()];
        for (number, group) in self.groups().enumerate() {
            for &member in group {
                labels[member as usize] = number as u32;
            }
        }
        labels
    }

    /// The size of the smallest group, 0 when there is none: the k that this partition gives.
    pub fn smallest(&self) -> usize {
        self.groups().map(<[u32]>::len).min().unwrap_or(0)
    }

    /// The size of the largest group, 0 when there is none.
    pub fn largest(&self) -> usize {
        self.groups().map(<[u32]>::len).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_groups_is_canonical() {
        let one = Partition::new(vec![vec![4, 1], vec![], vec![3, 0, 2]], 5).unwrap();
        let two = Partition::from_labels(&[7, 2, 7, 7, 2]);
        assert_eq!(one, two);
        assert_eq!(one.groups().collect::<Vec<_>>(), [&[0, 2, 3][..], &[1, 4]]);
        assert_eq!(one.labels(), [0, 1, 0, 0, 1]);
        assert_eq!((one.smallest(), one.largest(), one.len()), (2, 3, 2));
    }

    #[test]
    fn refuses_what_is_no_partition() {
        let twice = Partition::new(vec![vec![0, 1], vec![1]], 2);
        assert_eq!(twice, Err(Error::NotAPartition { row: 1, times: 2 }));
        let missing = Partition::new(vec![vec![0]], 2);
        assert_eq!(missing, Err(Error::NotAPartition { row: 1, times: 0 }));
        assert!(Partition::new(vec![vec![9]], 1).is_err());
    }
}
