//! k-anonymity of whole paths: the baseline with which the thesis compares.
//!
//! # Idea
//!
//! Every published path, taken whole, must be shared by K records. Paths that are too rare lose
//! one doublet after the other, the rarest doublet of the table first and everywhere, until every
//! path that is left has company.
//!
//! # Guarantee
//!
//! Records with equal quasi-identifiers and equal published paths form classes of K or more, within
//! the bounds. Whoever knows a *part* of a path finds a union of such classes, so L does not matter.
//!
//! # Reference
//!
//! Al-Hussaeni 2009, section 5.2.1: traditional K-anonymity on the table with one column per doublet.
//!
//! # Departures
//!
//! The thesis does not say how its K-anonymous tables were made. Ours suppresses doublets
//! globally, those in broken classes only, the one with the most broken records per instance first.

use hashbrown::HashMap;

use crate::error::Error;
use crate::recoding::PathRecoding;
use crate::request::{Algorithm, Context};
use crate::solve::{Problem, finish_global};

pub(crate) fn solve(problem: &Problem, context: &Context) -> Result<PathRecoding, Error> {
    let summary = &problem.summary;
    let instances = summary.instances();
    let mut gone = vec![false; summary.item_count()];
    let mut chosen = Vec::new();
    problem.with_removed(&mut chosen);
    for &item in &chosen {
        gone[item as usize] = true;
    }
    loop {
        context.check()?;
        let mut broken = vec![0u64; summary.item_count()];
        let mut any = false;
        for rows in summary.classes() {
            let mut classes: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
            for row in rows {
                let shown = summary.row(row).iter().filter(|&&i| !gone[i as usize]);
                let sums = classes
                    .entry(shown.copied().collect())
                    .or_insert_with(|| vec![0; summary.stride]);
                for (sum, weight) in sums.iter_mut().zip(summary.weight(row)) {
                    *sum += weight;
                }
            }
            let mut classes: Vec<_> = classes.into_iter().collect();
            classes.sort_unstable();
            for (path, sums) in classes {
                if sums[0] > 0 && problem.limits.broken_by(&sums) {
                    any = true;
                    for &item in &path {
                        broken[item as usize] += u64::from(sums[0]);
                    }
                }
            }
        }
        if !any {
            return Ok(finish_global(problem, Algorithm::WholePaths, chosen, 0));
        }
        // The doublets of which the largest share is in broken classes, a fiftieth of them at a time.
        let mut order: Vec<u32> = (0..summary.item_count() as u32)
            .filter(|&item| broken[item as usize] > 0)
            .collect();
        if order.is_empty() {
            // Only empty paths are broken: more of everything must become empty.
            order = (0..summary.item_count() as u32)
                .filter(|&item| !gone[item as usize] && instances[item as usize] > 0)
                .collect();
            order.sort_by_key(|&item| (instances[item as usize], item));
        } else {
            order.sort_by(|&a, &b| {
                let (a, b) = (a as usize, b as usize);
                let left = u128::from(broken[a]) * u128::from(instances[b]);
                let right = u128::from(broken[b]) * u128::from(instances[a]);
                right
                    .cmp(&left)
                    .then(instances[a].cmp(&instances[b]))
                    .then(a.cmp(&b))
            });
        }
        if order.is_empty() {
            return Err(Error::Internal {
                what: "a table without doublets is one class",
            });
        }
        let step = (order.len() / 50).max(1);
        for &item in &order[..step] {
            gone[item as usize] = true;
            chosen.push(item);
        }
    }
}
