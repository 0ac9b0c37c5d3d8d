//! Points: records that are equal in every quasi-identifier, counted once with all their rows.

use rayon::prelude::*;

use super::records::Records;

/// The distinct combinations of quasi-identifiers.
///
/// Adult's 30,162 records by age, sex and education are some 1,500 points: what is searched is that much smaller.
#[derive(Debug, Clone)]
pub(crate) struct Points {
    /// One record per point.
    pub(crate) records: Records,
    /// The rows of each point, ascending.
    pub(crate) rows: Vec<Vec<u32>>,
}

impl Points {
    pub(crate) fn new(records: &Records) -> Self {
        let mut order: Vec<u32> = (0..records.len() as u32).collect();
        order.sort_unstable_by(|&a, &b| records.compare(a, b));
        let mut rows: Vec<Vec<u32>> = Vec::new();
        for row in order {
            match rows.last_mut() {
                Some(point) if records.equal(point[0], row) => point.push(row),
                _ => rows.push(vec![row]),
            }
        }
        let first: Vec<u32> = rows.iter().map(|point| point[0]).collect();
        Self {
            records: records.select(&first),
            rows,
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The number of records at a point.
    pub(crate) fn count(&self, point: u32) -> usize {
        self.rows[point as usize].len()
    }

    /// The point of each row.
    pub(crate) fn of_rows(&self) -> Vec<u32> {
        let mut points = vec![0; self.rows.iter().map(Vec::len).sum()];
        for (point, rows) in self.rows.iter().enumerate() {
            for &row in rows {
                points[row as usize] = point as u32;
            }
        }
        points
    }

    /// Sorted orders of all points: every order of up to four attributes, else each attribute once in last place.
    pub(crate) fn orders(&self) -> Vec<Vec<u32>> {
        let attributes = self.records.attributes();
        let mut keys: Vec<Vec<usize>> = Vec::new();
        if attributes <= 4 {
            permute(&mut (0..attributes).collect(), 0, &mut keys);
        } else {
            for last in 0..attributes {
                let others = (0..attributes).filter(|&at| at != last);
                keys.push(others.chain([last]).collect());
            }
        }
        keys.par_iter()
            .map(|keys| {
                let mut order: Vec<u32> = (0..self.len() as u32).collect();
                order.sort_unstable_by(|&a, &b| {
                    keys.iter()
                        .map(|&attribute| self.records.compare_in(attribute, a, b))
                        .find(|order| order.is_ne())
                        .unwrap_or_else(|| a.cmp(&b))
                });
                order
            })
            .collect()
    }
}

fn permute(keys: &mut Vec<usize>, from: usize, out: &mut Vec<Vec<usize>>) {
    if from == keys.len() {
        out.push(keys.clone());
    }
    for at in from..keys.len() {
        keys.swap(from, at);
        permute(keys, from + 1, out);
        keys.swap(from, at);
    }
}
