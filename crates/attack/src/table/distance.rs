//! Distance-based linkage of numeric microdata: the nearest published record is taken to be the victim's.
//!
//! # Idea
//!
//! The adversary knows the victim's original numbers. Columns are put on one scale by the published means and deviations,
//! and the published record nearest to the victim is the guess. It succeeds when that is the victim's record; among
//! several equally near ones the guess is one of them at random.
//!
//! A release is sorted anew, so nobody but the publisher knows which record is whose. Without that, the nearest record counts as right:
//! no adversary who guesses by distance does better.
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

use crate::{Coverage, Error, Evidence};
use rayon::prelude::*;

/// Original and published numbers of the same people.
#[derive(Debug, Clone)]
pub struct DistanceLinkage {
    columns: usize,
    original: Vec<f64>,
    published: Vec<f64>,
    /// The published row of each original one, where that is known.
    truth: Option<Vec<u32>>,
}

impl DistanceLinkage {
    /// From columns; row i of both tables is one person. A constant published column carries no distance.
    ///
    /// # Errors
    ///
    /// When columns differ in number or length, or a number is not finite.
    pub fn new(original: &[&[f64]], published: &[&[f64]]) -> Result<Self, Error> {
        let rows = original.first().map_or(0, |column| column.len());
        Self::paired(original, published, (0..rows as u32).collect())
    }

    /// From columns; published row `truth[i]` is that of the person in original row i.
    ///
    /// # Errors
    ///
    /// As [`DistanceLinkage::new`]; and when there is not one published row for each original one.
    pub fn paired(
        original: &[&[f64]],
        published: &[&[f64]],
        truth: Vec<u32>,
    ) -> Result<Self, Error> {
        let rows = original.first().map_or(0, |column| column.len());
        let shown = published.first().map_or(0, |column| column.len());
        let inside = truth.iter().filter(|&&row| (row as usize) < shown).count();
        if truth.len() != rows || inside != rows {
            return Err(Error::LengthsDiffer {
                what: "pairs",
                expected: rows,
                found: inside,
            });
        }
        let mut linkage = Self::unpaired(original, published)?;
        linkage.truth = Some(truth);
        Ok(linkage)
    }

    /// From columns, where nobody knows whose record is whose: the nearest one counts as right, one of several as one guess among them.
    ///
    /// # Errors
    ///
    /// When columns differ in number, columns of one table differ in length, or a number is not finite.
    pub fn unpaired(original: &[&[f64]], published: &[&[f64]]) -> Result<Self, Error> {
        if original.len() != published.len() {
            return Err(Error::LengthsDiffer {
                what: "published",
                expected: original.len(),
                found: published.len(),
            });
        }
        let lengths = [original, published].map(|t| t.first().map_or(0, |column| column.len()));
        let first = original.iter().map(|column| (column, lengths[0]));
        let second = published.iter().map(|column| (column, lengths[1]));
        for (column, rows) in first.chain(second) {
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
        let flat = |table: &[&[f64]], rows: usize| -> Vec<f64> {
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
            original: flat(original, lengths[0]),
            published: flat(published, lengths[1]),
            truth: None,
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

    /// The chance of a right guess about each person.
    fn chances(&self) -> Vec<f64> {
        (0..self.people())
            .into_par_iter()
            .map(|row| {
                let nearest = self.nearest(row);
                let truth = self.truth.as_ref().map(|truth| truth[row]);
                if truth.is_none_or(|own| nearest.contains(&own)) && !nearest.is_empty() {
                    1.0 / nearest.len() as f64
                } else {
                    0.0
                }
            })
            .collect()
    }

    /// People who are looked for.
    pub fn people(&self) -> usize {
        self.original.len().checked_div(self.columns).unwrap_or(0)
    }

    /// Expected number of right guesses over everybody.
    pub fn expected(&self) -> f64 {
        // Summed in row order, so that the result does not depend on the threads.
        self.chances().iter().sum()
    }

    /// The mean chance of a right guess; certain where one record alone is nearest and not known to be another's.
    pub fn evidence(&self) -> Evidence {
        let chances = self.chances();
        let people = chances.len() as u64;
        let certain = chances.iter().filter(|&&chance| chance >= 1.0).count() as u64;
        let sum: f64 = chances.iter().sum();
        let rate = if people == 0 {
            0.0
        } else {
            sum / people as f64
        };
        Evidence::counted(
            "distance-linkage",
            certain,
            people,
            rate,
            Coverage::Exhaustive,
        )
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
    fn sorting_a_release_hides_nobody() {
        let original = [3.0, 1.0, 2.0, 30.0, 31.0, 32.0];
        let means = [2.0, 2.0, 2.0, 31.0, 31.0, 31.0];
        let mut sorted = means;
        sorted.reverse();
        // Row by row the wrong group is compared; by distance everybody is one of three.
        let by_row = DistanceLinkage::new(&[&original], &[&sorted]).unwrap();
        assert!(by_row.expected() < 1e-12);
        let free = DistanceLinkage::unpaired(&[&original], &[&sorted]).unwrap();
        assert!((free.expected() - 2.0).abs() < 1e-12);
        assert_eq!(free.evidence().successes, 0);
        // Records that are missing from the release change nothing about that.
        let fewer = DistanceLinkage::unpaired(&[&original], &[&sorted[..5]]).unwrap();
        assert!((fewer.expected() - (1.0 + 1.5)).abs() < 1e-12);
        let truth = vec![5, 4, 3, 2, 1, 0];
        let known = DistanceLinkage::paired(&[&original], &[&sorted], truth).unwrap();
        assert!((known.expected() - 2.0).abs() < 1e-12);
        assert!(DistanceLinkage::paired(&[&original], &[&sorted], vec![9; 6]).is_err());
    }

    #[test]
    fn mistakes_are_named() {
        assert!(DistanceLinkage::new(&[&[1.0]], &[]).is_err());
        assert!(DistanceLinkage::new(&[&[1.0]], &[&[f64::NAN]]).is_err());
        let empty = DistanceLinkage::new(&[], &[]).unwrap();
        assert_eq!(empty.evidence().attempts, 0);
    }
}
