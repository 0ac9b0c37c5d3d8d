//! k-anonymity of whole paths: the baseline with which Al-Hussaeni 2009 compares.
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
//! Al-Hussaeni 2009 does not say how its K-anonymous tables were made. Ours suppresses doublets
//! globally, those in broken classes only, the one with the most broken records per instance first.

use hashbrown::HashMap;

use crate::error::Error;
use crate::recoding::PathRecoding;
use crate::request::{Algorithm, Context};
use crate::solve::{Problem, finish_global};
use crate::summary::Summary;

pub(crate) fn solve(problem: &Problem, context: &Context) -> Result<PathRecoding, Error> {
    let mut chosen = Vec::new();
    problem.with_removed(&mut chosen);
    let breaks = |sums: &[u32], _: u64| problem.limits.broken_by(sums);
    suppress(&problem.summary, &mut chosen, &breaks, context)?;
    Ok(finish_global(problem, Algorithm::WholePaths, chosen, 0))
}

/// The records of each class of equal quasi-identifiers and equal paths without the items that are `gone`, by what they show.
pub(crate) fn classes(summary: &Summary, gone: &[bool]) -> Vec<Class> {
    let mut all = Vec::new();
    for rows in summary.classes() {
        let mut alike: HashMap<Vec<u32>, Vec<u32>> = HashMap::new();
        let mut whole = 0;
        for row in rows {
            let shown = summary.row(row).iter().filter(|&&i| !gone[i as usize]);
            let sums = alike
                .entry(shown.copied().collect())
                .or_insert_with(|| vec![0; summary.stride]);
            for (sum, weight) in sums.iter_mut().zip(summary.weight(row)) {
                *sum += weight;
            }
            whole += u64::from(summary.weight(row)[0]);
        }
        let mut alike: Vec<_> = alike.into_iter().collect();
        alike.sort_unstable();
        let kept = alike.into_iter().filter(|(_, sums)| sums[0] > 0);
        all.extend(kept.map(|(path, sums)| Class { path, sums, whole }));
    }
    all
}

/// Records that show the same.
pub(crate) struct Class {
    /// What they show.
    pub(crate) path: Vec<u32>,
    /// Their weights: records, then what is counted of them.
    pub(crate) sums: Vec<u32>,
    /// Records with the same quasi-identifiers.
    pub(crate) whole: u64,
}

/// Adds to `chosen` until no class `breaks`, which is asked of its weights and of how many records have its quasi-identifiers.
pub(crate) fn suppress(
    summary: &Summary,
    chosen: &mut Vec<u32>,
    breaks: &dyn Fn(&[u32], u64) -> bool,
    context: &Context,
) -> Result<(), Error> {
    let instances = summary.instances();
    let mut gone = vec![false; summary.item_count()];
    for &item in chosen.iter() {
        gone[item as usize] = true;
    }
    loop {
        context.check()?;
        let mut broken = vec![0u64; summary.item_count()];
        let mut any = false;
        for class in classes(summary, &gone) {
            if breaks(&class.sums, class.whole) {
                any = true;
                for &item in &class.path {
                    broken[item as usize] += u64::from(class.sums[0]);
                }
            }
        }
        if !any {
            return Ok(());
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
