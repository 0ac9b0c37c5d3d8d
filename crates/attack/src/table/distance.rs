//! Distance-based linkage of numeric microdata: the nearest published record is taken to be the victim's.
//!
//! # Idea
//!
//! The adversary knows the victim's original numbers. Columns are put on one scale by the published means and deviations,
//! and the published record nearest to the victim is the guess. It succeeds when that is the victim's record; among
//! several equally near ones the guess is one of them at random.
//!
//! # Guarantee
//!
//! Exact for the given distance. Groups of k equal published records allow at most one success in k on average.
//!
//! # Reference
//!
//! J. Domingo-Ferrer, V. Torra, in "Confidentiality, Disclosure and Data Access", 2001; Pagliuca and Seri, 1999.
//!
//! # Cost
//!
//! rows x rows x columns, all cores.

use crate::evidence::{Attack, Draw};
use crate::{Error, Evidence};
use rayon::prelude::*;

/// Original and published numbers of the same people, row by row.
#[derive(Debug, Clone)]
pub struct DistanceLinkage {
    columns: usize,
    original: Vec<f64>,
    published: Vec<f64>,
}

impl DistanceLinkage {
    /// From columns; row i of both tables is one person. A constant published column carries no distance.
    ///
    /// # Errors
    ///
    /// When columns differ in number or length, or a number is not finite.
    pub fn new(original: &[&[f64]], published: &[&[f64]]) -> Result<Self, Error> {
        if original.len() != published.len() {
            return Err(Error::LengthsDiffer {
                what: "published",
                expected: original.len(),
                found: published.len(),
            });
        }
        let rows = original.first().map_or(0, |column| column.len());
        for column in original.iter().chain(published) {
            if column.len() != rows {
                return Err(Error::LengthsDiffer {
                    what: "column",
                    expected: rows,
                    found: column.len(),
                });
            }
            if column.iter().any(|value| !value.is_finite()) {
                return Err(Error::OutOfRange {
                    what: "number",
                    range: "among the finite ones",
                });
            }
        }
        let scale: Vec<(f64, f64)> = published
            .iter()
            .map(|column| center_and_scale(column))
            .collect();
        let flat = |table: &[&[f64]]| -> Vec<f64> {
            (0..rows)
                .flat_map(|row| {
                    table
                        .iter()
                        .zip(&scale)
                        .map(move |(column, (center, scale))| (column[row] - center) * scale)
                })
                .collect()
        };
        Ok(Self {
            columns: original.len(),
            original: flat(original),
            published: flat(published),
        })
    }

    /// The nearest published rows to original `row`, ascending.
    pub fn nearest(&self, row: usize) -> Vec<u32> {
        let victim = &self.original[row * self.columns..(row + 1) * self.columns];
        let mut best = f64::INFINITY;
        let mut nearest = Vec::new();
        for (at, record) in self.published.chunks_exact(self.columns.max(1)).enumerate() {
            let distance: f64 = victim
                .iter()
                .zip(record)
                .map(|(a, b)| (a - b) * (a - b))
                .sum();
            if distance < best {
                best = distance;
                nearest.clear();
            }
            if distance <= best {
                nearest.push(at as u32);
            }
        }
        nearest
    }

    /// Expected number of right guesses over everybody.
    pub fn expected(&self) -> f64 {
        let right: Vec<f64> = (0..self.victims())
            .into_par_iter()
            .map(|row| {
                let nearest = self.nearest(row);
                if nearest.contains(&(row as u32)) {
                    1.0 / nearest.len() as f64
                } else {
                    0.0
                }
            })
            .collect();
        // Summed in row order, so that the result does not depend on the threads.
        right.iter().sum()
    }

    /// Everybody whose record alone is nearest.
    pub fn evidence(&self) -> Evidence {
        crate::evidence::exhaustive(crate::catalogue::known("distance-linkage"), self)
    }
}

impl Attack for DistanceLinkage {
    type Knowledge = ();

    fn victims(&self) -> usize {
        self.original.len().checked_div(self.columns).unwrap_or(0)
    }

    /// The victim's original numbers: always the same.
    fn knowledge(&self, _: usize, _: Draw<'_>) -> Vec<()> {
        vec![()]
    }

    fn succeeds(&self, victim: usize, (): &()) -> bool {
        self.nearest(victim) == [victim as u32]
    }
}

fn center_and_scale(column: &[f64]) -> (f64, f64) {
    let n = column.len().max(1) as f64;
    let mean = column.iter().sum::<f64>() / n;
    let deviation = (column.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
    (
        mean,
        if deviation > 0.0 {
            1.0 / deviation
        } else {
            0.0
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_numbers_find_everybody_and_groups_hide() {
        let (a, b) = (
            [1.0, 2.0, 30.0, 31.0, 60.0, 61.0],
            [5.0, 4.0, 9.0, 9.5, 1.0, 0.0],
        );
        let raw = DistanceLinkage::new(&[&a, &b], &[&a, &b]).unwrap();
        assert_eq!((raw.evidence().successes, raw.evidence().attempts), (6, 6));
        assert!((raw.expected() - 6.0).abs() < 1e-12);
        // Pairs replaced by their means: the right pair is nearest, one chance in two.
        let mean = |v: [f64; 6]| -> Vec<f64> {
            v.chunks(2)
                .flat_map(|c| [f64::midpoint(c[0], c[1]); 2])
                .collect()
        };
        let (ma, mb) = (mean(a), mean(b));
        let grouped = DistanceLinkage::new(&[&a, &b], &[&ma, &mb]).unwrap();
        assert_eq!(grouped.nearest(2), [2, 3]);
        assert_eq!(grouped.evidence().successes, 0);
        assert!((grouped.expected() - 3.0).abs() < 1e-12);
    }

    #[test]
    fn mistakes_are_named() {
        assert!(DistanceLinkage::new(&[&[1.0]], &[]).is_err());
        assert!(DistanceLinkage::new(&[&[1.0]], &[&[f64::NAN]]).is_err());
        let empty = DistanceLinkage::new(&[], &[]).unwrap();
        assert_eq!(empty.evidence().attempts, 0);
    }
}
