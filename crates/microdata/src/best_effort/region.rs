//! A few neighboring groups taken out of the data, with all distances among their records: every step costs a few additions.
//!
//! # Idea
//!
//! The SSE of a group is the sum of its squared distances, pair by pair, over its size. So a region keeps, for each of its
//! groups, the sum over pairs, and for each of its records the sum of distances to every group. Whether a record should move,
//! or two should change places, is then known without looking at a column; only a step that is taken updates the sums.

use crate::Matrix;
use crate::matrix::squared_distance;

/// Groups of k to `most` records under change.
///
/// Invariants: I1 every group that is not free has k..=most members between steps; I2 `label`, `place` and `members` agree;
/// I3 `within` and `to` are the sums that their names say.
pub(super) struct Region {
    pub(super) k: usize,
    pub(super) most: usize,
    rows: Vec<u32>,
    distance: Vec<f64>,
    /// For each record the others, nearest first, up to `width`.
    near: Vec<u16>,
    width: usize,
    pub(super) label: Vec<u16>,
    place: Vec<u16>,
    members: Vec<u16>,
    size: Vec<u16>,
    /// Squared distances of the pairs within each group.
    within: Vec<f64>,
    /// For each group, then each record: squared distances from the record to the group's members.
    to: Vec<f64>,
    /// 1 / size, by size; 0 for 0.
    inverse: Vec<f64>,
    /// Group numbers that are free to use.
    free: Vec<u16>,
}

impl Region {
    /// The region of these groups, each of k to `most` records.
    pub(super) fn new(matrix: &Matrix, groups: &[&[u32]], k: usize, most: usize) -> Self {
        let rows: Vec<u32> = groups.iter().flat_map(|group| *group).copied().collect();
        let m = rows.len();
        let mut distance = vec![0.0; m * m];
        for i in 0..m {
            let one = matrix.row(rows[i] as usize);
            for j in i + 1..m {
                let d = squared_distance(one, matrix.row(rows[j] as usize));
                distance[i * m + j] = d;
                distance[j * m + i] = d;
            }
        }
        let width = (3 * k).max(16).min(m - 1);
        let mut near = Vec::with_capacity(m * width);
        let mut order: Vec<u16> = Vec::with_capacity(m);
        for i in 0..m {
            let from = &distance[i * m..(i + 1) * m];
            let key = |&a: &u16, &b: &u16| {
                from[a as usize]
                    .total_cmp(&from[b as usize])
                    .then(a.cmp(&b))
            };
            order.clear();
            order.extend((0..m as u16).filter(|&j| j as usize != i));
            if width < order.len() {
                let _ = order.select_nth_unstable_by(width, key);
                order.truncate(width);
            }
            order.sort_unstable_by(key);
            near.extend_from_slice(&order);
        }
        let slots = m / k;
        let mut region = Self {
            k,
            most,
            rows,
            distance,
            near,
            width,
            label: vec![0; m],
            place: vec![0; m],
            members: vec![0; slots * most],
            size: vec![0; slots],
            within: vec![0.0; slots],
            to: vec![0.0; slots * m],
            inverse: (0..=most + 1)
                .map(|size| if size == 0 { 0.0 } else { 1.0 / size as f64 })
                .collect(),
            free: (groups.len() as u16..slots as u16).rev().collect(),
        };
        let mut record = 0;
        for (number, group) in groups.iter().enumerate() {
            for _ in 0..group.len() {
                region.insert(record, number as u16);
                record += 1;
            }
        }
        region
    }

    pub(super) fn records(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The `rank`-th nearest other record.
    #[inline]
    pub(super) fn near(&self, record: u16, rank: usize) -> u16 {
        self.near[record as usize * self.width + rank]
    }

    #[inline]
    pub(super) fn size_of(&self, group: u16) -> usize {
        self.size[group as usize] as usize
    }

    #[inline]
    pub(super) fn member(&self, group: u16, at: usize) -> u16 {
        self.members[group as usize * self.most + at]
    }

    /// Whether the group number is in use.
    #[inline]
    pub(super) fn is_live(&self, group: u16) -> bool {
        self.size[group as usize] > 0
    }

    /// Group numbers, in use or free.
    pub(super) fn slots(&self) -> u16 {
        self.size.len() as u16
    }

    #[inline]
    fn to(&self, group: u16, record: u16) -> f64 {
        self.to[group as usize * self.rows.len() + record as usize]
    }

    /// The SSE of all groups.
    pub(super) fn sse(&self) -> f64 {
        self.within
            .iter()
            .zip(&self.size)
            .map(|(within, &size)| within * self.inverse[size as usize])
            .sum()
    }

    /// The SSE of one group.
    #[inline]
    pub(super) fn sse_of(&self, group: u16) -> f64 {
        self.within[group as usize] * self.inverse[self.size_of(group)]
    }

    /// What SSE gains when a record joins a group.
    #[inline]
    pub(super) fn cost_of_joining(&self, record: u16, group: u16) -> f64 {
        let size = self.size_of(group);
        let within = self.within[group as usize];
        (within + self.to(group, record)) * self.inverse[size + 1] - within * self.inverse[size]
    }

    /// What SSE loses when a record leaves its group.
    #[inline]
    pub(super) fn gain_of_leaving(&self, record: u16) -> f64 {
        let group = self.label[record as usize];
        let size = self.size_of(group);
        let within = self.within[group as usize];
        within * self.inverse[size] - (within - self.to(group, record)) * self.inverse[size - 1]
    }

    /// The change of SSE when two records of different groups change places.
    #[inline]
    pub(super) fn change_of_swap(&self, one: u16, other: u16) -> f64 {
        let a = self.label[one as usize];
        let b = self.label[other as usize];
        let apart = self.distance[one as usize * self.rows.len() + other as usize];
        (self.to(a, other) - self.to(a, one) - apart) * self.inverse[self.size_of(a)]
            + (self.to(b, one) - self.to(b, other) - apart) * self.inverse[self.size_of(b)]
    }

    pub(super) fn move_to(&mut self, record: u16, group: u16) {
        self.take(record);
        self.insert(record, group);
    }

    pub(super) fn swap(&mut self, one: u16, other: u16) {
        let (a, b) = (self.label[one as usize], self.label[other as usize]);
        self.take(one);
        self.take(other);
        self.insert(one, b);
        self.insert(other, a);
    }

    fn take(&mut self, record: u16) {
        let group = self.label[record as usize];
        let number = group as usize;
        let last = self.size_of(group) - 1;
        let moved = self.member(group, last);
        let at = self.place[record as usize];
        self.members[number * self.most + at as usize] = moved;
        self.place[moved as usize] = at;
        self.size[number] = last as u16;
        let m = self.rows.len();
        let from = &self.distance[record as usize * m..(record as usize + 1) * m];
        let to = &mut self.to[number * m..(number + 1) * m];
        self.within[number] -= to[record as usize];
        if last == 0 {
            // What rounding left behind.
            self.within[number] = 0.0;
            to.fill(0.0);
            return;
        }
        for (sum, d) in to.iter_mut().zip(from) {
            *sum -= d;
        }
    }

    fn insert(&mut self, record: u16, group: u16) {
        let number = group as usize;
        let at = self.size[number];
        self.members[number * self.most + at as usize] = record;
        self.label[record as usize] = group;
        self.place[record as usize] = at;
        self.size[number] = at + 1;
        let m = self.rows.len();
        let from = &self.distance[record as usize * m..(record as usize + 1) * m];
        let to = &mut self.to[number * m..(number + 1) * m];
        self.within[number] += to[record as usize];
        for (sum, d) in to.iter_mut().zip(from) {
            *sum += d;
        }
    }

    /// Records beyond k in all groups together.
    pub(super) fn surplus(&self) -> usize {
        self.rows.len() - self.k * (self.size.len() - self.free.len())
    }

    /// A number for a new group, if there is room for one.
    pub(super) fn open(&mut self) -> Option<u16> {
        self.free.pop()
    }

    /// Gives the number of an empty group back.
    pub(super) fn close(&mut self, group: u16) {
        debug_assert_eq!(self.size_of(group), 0, "only an empty group is closed");
        self.free.push(group);
    }

    /// The groups, as records of the data.
    pub(super) fn groups(&self) -> Vec<Vec<u32>> {
        (0..self.slots())
            .filter(|&group| self.is_live(group))
            .map(|group| {
                let mut rows: Vec<u32> = (0..self.size_of(group))
                    .map(|at| self.rows[self.member(group, at) as usize])
                    .collect();
                rows.sort_unstable();
                rows
            })
            .collect()
    }
}
