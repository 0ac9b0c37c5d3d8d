//! Groups under change: sizes, sums and members, with the exact change of SSE for each kind of step.

use crate::{Matrix, Partition};

/// A partition whose groups hold between k and `most` records, made for millions of small changes.
///
/// Invariants: I1 every live group has k..=most members; I2 `label`, `place` and `members` agree; I3 `sum` is the sum of
/// the members (renewed from time to time, since additions drift).
#[derive(Clone)]
pub(crate) struct Groups<'a> {
    matrix: &'a Matrix,
    columns: usize,
    pub(crate) k: usize,
    pub(crate) most: usize,
    pub(crate) label: Vec<u32>,
    place: Vec<u32>,
    members: Vec<u32>,
    pub(crate) size: Vec<u32>,
    sum: Vec<f64>,
    /// Group numbers that are free to use.
    free: Vec<u32>,
}

impl<'a> Groups<'a> {
    /// From groups of k to `most` members each.
    pub(crate) fn new(matrix: &'a Matrix, groups: &[Vec<u32>], k: usize, most: usize) -> Self {
        let n = matrix.rows();
        let slots = n / k + 1;
        let columns = matrix.columns();
        let mut new = Self {
            matrix,
            columns,
            k,
            most,
            label: vec![0; n],
            place: vec![0; n],
            members: vec![0; slots * most],
            size: vec![0; slots],
            sum: vec![0.0; slots * columns],
            free: (groups.len() as u32..slots as u32).rev().collect(),
        };
        for (number, group) in groups.iter().enumerate() {
            for &row in group {
                new.insert(row, number as u32);
            }
        }
        new
    }

    pub(crate) fn partition(&self) -> Partition {
        Partition::from_labels(&self.label)
    }

    #[inline]
    pub(crate) fn row(&self, row: u32) -> &'a [f64] {
        self.matrix.row(row as usize)
    }

    #[inline]
    pub(crate) fn size_of(&self, group: u32) -> usize {
        self.size[group as usize] as usize
    }

    #[inline]
    pub(crate) fn member(&self, group: u32, at: usize) -> u32 {
        self.members[group as usize * self.most + at]
    }

    #[inline]
    fn sum_of(&self, group: u32) -> &[f64] {
        let start = group as usize * self.columns;
        &self.sum[start..start + self.columns]
    }

    /// The SSE from scratch.
    pub(crate) fn sse(&self) -> f64 {
        let groups: Vec<Vec<u32>> = (0..self.size.len() as u32)
            .map(|group| {
                (0..self.size_of(group))
                    .map(|at| self.member(group, at))
                    .collect()
            })
            .filter(|group: &Vec<u32>| !group.is_empty())
            .collect();
        crate::microaggregate::sse_of_groups(self.matrix, &groups)
    }

    /// Recomputes all sums (I3).
    pub(crate) fn renew(&mut self) {
        self.sum.fill(0.0);
        for row in 0..self.label.len() {
            let start = self.label[row] as usize * self.columns;
            for (sum, x) in self.sum[start..start + self.columns]
                .iter_mut()
                .zip(self.matrix.row(row))
            {
                *sum += x;
            }
        }
    }

    /// What SSE loses when a record leaves its group; all of it when the group becomes empty.
    #[inline]
    pub(crate) fn gain_of_leaving(&self, row: u32) -> f64 {
        let group = self.label[row as usize];
        let size = f64::from(self.size[group as usize]);
        if size < 1.5 {
            return 0.0;
        }
        size / (size - 1.0) * self.distance(row, group, size)
    }

    /// What SSE gains when a record joins a group.
    #[inline]
    pub(crate) fn cost_of_joining(&self, row: u32, group: u32) -> f64 {
        let size = f64::from(self.size[group as usize]);
        if size < 0.5 {
            return 0.0;
        }
        size / (size + 1.0) * self.distance(row, group, size)
    }

    #[inline]
    fn distance(&self, row: u32, group: u32, size: f64) -> f64 {
        let inverse = 1.0 / size;
        self.row(row)
            .iter()
            .zip(self.sum_of(group))
            .map(|(x, sum)| {
                let d = x - sum * inverse;
                d * d
            })
            .sum()
    }

    /// The change of SSE when two records of different groups change places.
    #[inline]
    pub(crate) fn change_of_swap(&self, one: u32, other: u32) -> f64 {
        let a = self.label[one as usize];
        let b = self.label[other as usize];
        let in_a = 1.0 / f64::from(self.size[a as usize]);
        let in_b = 1.0 / f64::from(self.size[b as usize]);
        let mut along = 0.0;
        let mut square = 0.0;
        let points = self.row(one).iter().zip(self.row(other));
        let sums = self.sum_of(a).iter().zip(self.sum_of(b));
        for ((x, y), (sum_a, sum_b)) in points.zip(sums) {
            let d = y - x;
            along += d * (sum_b * in_b - sum_a * in_a);
            square += d * d;
        }
        2.0 * along - square * (in_a + in_b)
    }

    pub(crate) fn move_to(&mut self, row: u32, group: u32) {
        self.take(row);
        self.insert(row, group);
    }

    pub(crate) fn swap(&mut self, one: u32, other: u32) {
        let a = self.label[one as usize];
        let b = self.label[other as usize];
        let (at_a, at_b) = (self.place[one as usize], self.place[other as usize]);
        self.members[a as usize * self.most + at_a as usize] = other;
        self.members[b as usize * self.most + at_b as usize] = one;
        self.label[one as usize] = b;
        self.label[other as usize] = a;
        self.place[one as usize] = at_b;
        self.place[other as usize] = at_a;
        let (x, y) = (self.row(one), self.row(other));
        for column in 0..self.columns {
            let d = y[column] - x[column];
            self.sum[a as usize * self.columns + column] += d;
            self.sum[b as usize * self.columns + column] -= d;
        }
    }

    /// Takes a record out of its group; the caller must insert it again.
    pub(crate) fn take(&mut self, row: u32) {
        let group = self.label[row as usize] as usize;
        let last = self.size[group] as usize - 1;
        let moved = self.members[group * self.most + last];
        let at = self.place[row as usize];
        self.members[group * self.most + at as usize] = moved;
        self.place[moved as usize] = at;
        self.size[group] = last as u32;
        let start = group * self.columns;
        for (sum, x) in self.sum[start..start + self.columns]
            .iter_mut()
            .zip(self.matrix.row(row as usize))
        {
            *sum -= x;
        }
        if last == 0 {
            self.sum[start..start + self.columns].fill(0.0);
        }
    }

    pub(crate) fn insert(&mut self, row: u32, group: u32) {
        let number = group as usize;
        let at = self.size[number];
        self.members[number * self.most + at as usize] = row;
        self.label[row as usize] = group;
        self.place[row as usize] = at;
        self.size[number] = at + 1;
        let start = number * self.columns;
        for (sum, x) in self.sum[start..start + self.columns]
            .iter_mut()
            .zip(self.matrix.row(row as usize))
        {
            *sum += x;
        }
    }

    /// A number for a new group, if there is room for one.
    pub(crate) fn open(&mut self) -> Option<u32> {
        self.free.pop()
    }

    /// Gives the number of an empty group back.
    pub(crate) fn close(&mut self, group: u32) {
        self.free.push(group);
    }
}
