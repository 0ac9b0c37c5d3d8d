//! A k-d tree of records with removal: nearest and farthest records without a full scan.
//!
//! # Idea
//!
//! Records are split at the median of the widest column until few are left in a leaf. Every node knows the tight box
//! around its remaining records, so whole nodes are skipped when their box is too far (nearest) or too near (farthest).
//! Removing a record shrinks the boxes above it at once; that keeps "farthest" sharp while groups are peeled off.
//!
//! # Guarantee
//!
//! The same answers as a full scan, ties by the smaller record number included: a box's bound is summed in the order of a
//! distance, and rounding is monotone, so a bound is never on the wrong side of a computed distance.
//!
//! # Reference
//!
//! Friedman, Bentley and Finkel, An algorithm for finding best matches in logarithmic expected time, ACM TOMS 3(3), 1977,
//! doi:10.1145/355744.355745.
//!
//! # Departures
//!
//! Tight boxes instead of half-spaces, and farthest queries.
//!
//! # Cost
//!
//! O(n p log n) to build, about O(log n + k) per nearest query in few dimensions; a removal touches one leaf and its path.

use crate::Matrix;
use crate::matrix::squared_distance;

/// Records per leaf: small enough to skip much, large enough that boxes do not outnumber records.
const LEAF: usize = 12;

/// The tree. Node 0 is the root; the children of node i are `left[i]` and `left[i] + 1`, and a leaf has `left[i] == 0`.
pub(crate) struct Index {
    columns: usize,
    /// Records in tree order; the live ones of a leaf come first.
    cells: Vec<f64>,
    row: Vec<u32>,
    position: Vec<u32>,
    /// The leaf of each position.
    leaf_of: Vec<u32>,
    left: Vec<u32>,
    parent: Vec<u32>,
    start: Vec<u32>,
    /// Live records below each node.
    live: Vec<u32>,
    /// Per node the least cells, then the greatest cells.
    boxes: Vec<f64>,
}

impl Index {
    pub(crate) fn new(matrix: &Matrix) -> Self {
        let n = matrix.rows();
        let columns = matrix.columns();
        let mut tree = Self {
            columns,
            cells: Vec::new(),
            row: (0..n as u32).collect(),
            position: vec![0; n],
            leaf_of: vec![0; n],
            left: vec![0],
            parent: vec![0],
            start: vec![0],
            live: vec![n as u32],
            boxes: vec![0.0; 2 * columns],
        };
        let mut todo = vec![(0_usize, 0_usize, n)];
        while let Some((node, start, end)) = todo.pop() {
            let widest = tree.fit_box(matrix, node, start, end);
            if end - start <= LEAF {
                tree.leaf_of[start..end].fill(node as u32);
                continue;
            }
            let middle = usize::midpoint(start, end);
            let key = |row: u32| matrix.row(row as usize)[widest];
            let _ = tree.row[start..end].select_nth_unstable_by(middle - start, |&a, &b| {
                key(a).total_cmp(&key(b)).then(a.cmp(&b))
            });
            let left = tree.left.len();
            tree.left[node] = left as u32;
            for (start, end) in [(start, middle), (middle, end)] {
                todo.push((tree.left.len(), start, end));
                tree.left.push(0);
                tree.parent.push(node as u32);
                tree.start.push(start as u32);
                tree.live.push((end - start) as u32);
                tree.boxes.extend(std::iter::repeat_n(0.0, 2 * columns));
            }
        }
        tree.cells = tree
            .row
            .iter()
            .flat_map(|&row| matrix.row(row as usize))
            .copied()
            .collect();
        for (position, &row) in tree.row.iter().enumerate() {
            tree.position[row as usize] = position as u32;
        }
        tree
    }

    /// Sets a node's box and returns its widest column.
    fn fit_box(&mut self, matrix: &Matrix, node: usize, start: usize, end: usize) -> usize {
        let p = self.columns;
        let (low, high) = self.boxes[node * 2 * p..(node + 1) * 2 * p].split_at_mut(p);
        low.fill(f64::INFINITY);
        high.fill(f64::NEG_INFINITY);
        for &row in &self.row[start..end] {
            for (column, &cell) in matrix.row(row as usize).iter().enumerate() {
                low[column] = low[column].min(cell);
                high[column] = high[column].max(cell);
            }
        }
        (0..p)
            .max_by(|&a, &b| (high[a] - low[a]).total_cmp(&(high[b] - low[b])))
            .unwrap_or(0)
    }

    /// The number of records left.
    pub(crate) fn len(&self) -> usize {
        self.live[0] as usize
    }

    /// Takes a record out.
    pub(crate) fn remove(&mut self, row: u32) {
        let p = self.columns;
        let position = self.position[row as usize] as usize;
        let leaf = self.leaf_of[position] as usize;
        let start = self.start[leaf] as usize;
        let last = start + self.live[leaf] as usize - 1;
        debug_assert!(position <= last, "a record is removed once");
        if position != last {
            let moved = self.row[last];
            self.row.swap(position, last);
            self.position[moved as usize] = position as u32;
            self.position[row as usize] = last as u32;
            for column in 0..p {
                self.cells.swap(position * p + column, last * p + column);
            }
        }
        // Counts all the way up; boxes as long as they shrink.
        let removed = last * p;
        let mut node = leaf;
        let mut shrinks = true;
        loop {
            self.live[node] -= 1;
            if shrinks {
                shrinks = self.touches(node, removed) && self.shrink(node);
            }
            if node == 0 {
                break;
            }
            node = self.parent[node] as usize;
        }
    }

    /// Whether the removed record lies on the border of a node's box.
    fn touches(&self, node: usize, removed: usize) -> bool {
        let p = self.columns;
        let (low, high) = self.boxes[node * 2 * p..(node + 1) * 2 * p].split_at(p);
        let cells = &self.cells[removed..removed + p];
        (0..p).any(|column| cells[column] <= low[column] || cells[column] >= high[column])
    }

    /// Recomputes a node's box from its live records or its children; tells whether it changed.
    fn shrink(&mut self, node: usize) -> bool {
        let p = self.columns;
        let at = node * 2 * p;
        let mut changed = false;
        let left = self.left[node] as usize;
        for column in 0..p {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            if left == 0 {
                let start = self.start[node] as usize;
                for position in start..start + self.live[node] as usize {
                    let cell = self.cells[position * p + column];
                    low = low.min(cell);
                    high = high.max(cell);
                }
            } else {
                for child in [left, left + 1] {
                    low = low.min(self.boxes[child * 2 * p + column]);
                    high = high.max(self.boxes[child * 2 * p + p + column]);
                }
            }
            changed |= low > self.boxes[at + column] || high < self.boxes[at + p + column];
            self.boxes[at + column] = low;
            self.boxes[at + p + column] = high;
        }
        changed
    }

    /// The live record farthest from a point, ties to the smaller number. There must be one.
    pub(crate) fn farthest(&self, point: &[f64], stack: &mut Vec<(f64, u32)>) -> u32 {
        let p = self.columns;
        let mut best = (-1.0, u32::MAX);
        stack.clear();
        stack.push((f64::INFINITY, 0));
        while let Some((bound, node)) = stack.pop() {
            if bound < best.0 {
                continue;
            }
            let node = node as usize;
            let left = self.left[node] as usize;
            if left == 0 {
                let start = self.start[node] as usize;
                let end = start + self.live[node] as usize;
                for (cells, &row) in self.cells[start * p..end * p]
                    .chunks_exact(p)
                    .zip(&self.row[start..end])
                {
                    let distance = squared_distance(cells, point);
                    if distance > best.0 || (distance >= best.0 && row < best.1) {
                        best = (distance, row);
                    }
                }
                continue;
            }
            let one = self.outer(left, point);
            let two = self.outer(left + 1, point);
            let (near, far) = if one < two {
                ((one, left), (two, left + 1))
            } else {
                ((two, left + 1), (one, left))
            };
            for (bound, child) in [near, far] {
                if bound >= best.0 && self.live[child] > 0 {
                    stack.push((bound, child as u32));
                }
            }
        }
        best.1
    }

    /// The squared distance from a point to the farthest corner of a box.
    #[inline]
    fn outer(&self, node: usize, point: &[f64]) -> f64 {
        let p = self.columns;
        let (low, high) = self.boxes[node * 2 * p..(node + 1) * 2 * p].split_at(p);
        let mut sum = 0.0;
        for ((low, high), x) in low.iter().zip(high).zip(point) {
            let a = low - x;
            let b = high - x;
            sum += (a * a).max(b * b);
        }
        sum
    }

    /// The squared distance from a point to a box, 0 inside.
    #[inline]
    fn inner(&self, node: usize, point: &[f64]) -> f64 {
        let p = self.columns;
        let (low, high) = self.boxes[node * 2 * p..(node + 1) * 2 * p].split_at(p);
        let mut sum = 0.0;
        for ((low, high), x) in low.iter().zip(high).zip(point) {
            let d = (low - x).max(x - high).max(0.0);
            sum += d * d;
        }
        sum
    }

    /// The `count` live records nearest to a point except one, as (squared distance, record) in ascending order.
    pub(crate) fn nearest(
        &self,
        point: &[f64],
        count: usize,
        except: u32,
        stack: &mut Vec<(f64, u32)>,
        found: &mut Vec<(f64, u32)>,
    ) {
        let p = self.columns;
        found.clear();
        if count == 0 {
            return;
        }
        stack.clear();
        stack.push((0.0, 0));
        let mut worst = f64::INFINITY;
        while let Some((bound, node)) = stack.pop() {
            if bound > worst {
                continue;
            }
            let node = node as usize;
            let left = self.left[node] as usize;
            if left == 0 {
                let start = self.start[node] as usize;
                let end = start + self.live[node] as usize;
                for (cells, &row) in self.cells[start * p..end * p]
                    .chunks_exact(p)
                    .zip(&self.row[start..end])
                {
                    let distance = squared_distance(cells, point);
                    if distance > worst || row == except {
                        continue;
                    }
                    let at =
                        found.partition_point(|&(d, r)| d < distance || (d <= distance && r < row));
                    if at < count {
                        if found.len() == count {
                            found.pop();
                        }
                        found.insert(at, (distance, row));
                        if found.len() == count {
                            worst = found[count - 1].0;
                        }
                    }
                }
                continue;
            }
            let one = self.inner(left, point);
            let two = self.inner(left + 1, point);
            let (far, near) = if one > two {
                ((one, left), (two, left + 1))
            } else {
                ((two, left + 1), (one, left))
            };
            for (bound, child) in [far, near] {
                if bound <= worst && self.live[child] > 0 {
                    stack.push((bound, child as u32));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomSource, SplitMix64};

    #[test]
    fn every_answer_agrees_with_a_scan_while_records_go() {
        let mut random = SplitMix64::new(5);
        for columns in [1, 2, 5] {
            // Few distinct values: many ties.
            let cells: Vec<f64> = (0..300 * columns).map(|_| random.below(7) as f64).collect();
            let matrix = Matrix::new(cells, columns).unwrap();
            let mut index = Index::new(&matrix);
            let mut live: Vec<u32> = (0..300).collect();
            let (mut stack, mut found) = (Vec::new(), Vec::new());
            while live.len() > 1 {
                let gone = live.swap_remove(random.below(live.len()));
                index.remove(gone);
                assert_eq!(index.len(), live.len());
                let point: Vec<f64> = (0..columns).map(|_| 7.0 * random.unit()).collect();
                let mut by_scan: Vec<(f64, u32)> = live
                    .iter()
                    .map(|&row| (squared_distance(matrix.row(row as usize), &point), row))
                    .collect();
                by_scan.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let except = by_scan[0].1;
                index.nearest(&point, 5, except, &mut stack, &mut found);
                assert_eq!(found, by_scan[1..by_scan.len().min(6)]);
                let most = by_scan[by_scan.len() - 1].0;
                let farthest = by_scan.iter().find(|entry| entry.0 >= most).unwrap().1;
                assert_eq!(index.farthest(&point, &mut stack), farthest);
            }
        }
    }
}
