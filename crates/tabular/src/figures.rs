//! Figures of any recoding: its classes, what it suppresses, what each objective says of it.

use denym_data::{Recoding, Unit};

use crate::objective::{Objective, arithmetic, geometric};
use crate::request::Request;
use crate::{Solution, Statistics};

/// Losses are floored to ten decimals.
const DECIMALS: f64 = 1e10;

/// Records and subjects of every class, and the records suppressed.
pub(crate) struct Sizes {
    pub(crate) records: Vec<u64>,
    pub(crate) subjects: Vec<u64>,
    pub(crate) suppressed: u64,
}

impl Sizes {
    /// Counts the classes of a recoding.
    pub(crate) fn of(request: &Request<'_>, recoding: &Recoding) -> Sizes {
        let summary = request.summary;
        let classes = recoding.classes();
        let mut records = vec![0_u64; classes];
        let mut suppressed = 0;
        let counts: &mut dyn Iterator<Item = u64> = match recoding.unit {
            Unit::Tuple => &mut summary.records.iter().copied(),
            Unit::Record => &mut std::iter::repeat(1),
        };
        for (class, count) in recoding.class_of.iter().zip(counts) {
            match class {
                Some(class) => records[*class as usize] += count,
                None => suppressed += count,
            }
        }
        let subjects = match (&summary.subjects, recoding.unit) {
            (Some(rows), Unit::Tuple) => {
                let mut sets: Vec<Vec<u32>> = vec![Vec::new(); classes];
                for (tuple, class) in recoding.class_of.iter().enumerate() {
                    if let Some(class) = class {
                        sets[*class as usize].extend_from_slice(rows.row(tuple));
                    }
                }
                sets.into_iter()
                    .map(|mut set| {
                        set.sort_unstable();
                        set.dedup();
                        set.len() as u64
                    })
                    .collect()
            }
            _ => records.clone(),
        };
        Sizes {
            records,
            subjects,
            suppressed,
        }
    }
}

/// The solution that publishes `recoding`, scored by the request's objective.
pub(crate) fn solution(request: &Request<'_>, recoding: Recoding) -> Solution {
    let sizes = Sizes::of(request, &recoding);
    let attribute_loss = losses(request, &recoding, &sizes);
    let score = score(request, &recoding, &sizes, &attribute_loss);
    Solution {
        score,
        bound: None,
        statistics: Statistics {
            space: 0,
            evaluated: 0,
            suppressed: sizes.suppressed,
            classes: sizes.records.len() as u64,
            smallest: sizes.subjects.iter().copied().min().unwrap_or(0),
            largest: sizes.subjects.iter().copied().max().unwrap_or(0),
            attribute_loss,
        },
        recoding,
    }
}

/// The loss of each quasi-identifier: the mean share of the domain that a published value covers, original values
/// counted as none and suppressed ones as all of it.
fn losses(request: &Request<'_>, recoding: &Recoding, sizes: &Sizes) -> Vec<f64> {
    let n = (request.summary.total() + request.lost()) as f64;
    let gone = (sizes.suppressed + request.lost()) as f64;
    let attributes = recoding.labels.iter().zip(&recoding.published);
    attributes
        .zip(request.hierarchies)
        .map(|((labels, published), hierarchy)| {
            let leaves = hierarchy.leaves() as f64;
            if leaves <= 1.0 {
                return 0.0;
            }
            // In leaves, which are whole numbers for nodes of hierarchies, so that the floor does not see rounding.
            let total: f64 = published
                .iter()
                .zip(&sizes.records)
                .map(|(&label, &records)| {
                    let under = labels.shares[label as usize] * leaves;
                    let whole = under.round();
                    let under = if (under - whole).abs() < 1e-6 {
                        whole
                    } else {
                        under
                    };
                    under * records as f64
                })
                .sum();
            let total = total + gone * leaves;
            let loss = ((total - n) / (n * (leaves - 1.0))).max(0.0);
            (loss * DECIMALS).floor() / DECIMALS
        })
        .collect()
}

fn score(request: &Request<'_>, recoding: &Recoding, sizes: &Sizes, losses: &[f64]) -> f64 {
    let n = (request.summary.total() + request.lost()) as f64;
    let weighted = || -> Vec<f64> {
        let each = losses.iter().enumerate();
        each.map(|(d, loss)| loss * request.weight(d)).collect()
    };
    match request.objective {
        Objective::Loss => geometric(&weighted()),
        Objective::LossArithmetic => arithmetic(&weighted()),
        Objective::Discernibility => {
            let squares: u128 = sizes
                .records
                .iter()
                .map(|&size| u128::from(size) * u128::from(size))
                .sum();
            squares as f64 + n * (sizes.suppressed + request.lost()) as f64
        }
        Objective::AverageClassSize => n / sizes.records.len() as f64,
        Objective::Precision | Objective::MinimalDistortion | Objective::Height => {
            by_steps(request, recoding, sizes)
        }
    }
}

/// Objectives that count generalization steps: a published value stands at the lowest level whose values cover as much.
fn by_steps(request: &Request<'_>, recoding: &Recoding, sizes: &Sizes) -> f64 {
    let n = (request.summary.total() + request.lost()) as f64;
    let q = recoding.labels.len().max(1) as f64;
    let mut total = 0.0;
    for (d, hierarchy) in request.hierarchies.iter().enumerate() {
        let top = hierarchy.height() - 1;
        let most: Vec<f64> = (0..=top)
            .map(|level| hierarchy.shares(level).into_iter().fold(0.0, f64::max))
            .collect();
        let gone = (sizes.suppressed + request.lost()) as f64;
        let mut steps = gone * top.max(1) as f64;
        let mut highest = 0;
        for (&label, &records) in recoding.published[d].iter().zip(&sizes.records) {
            let level = recoding.levels.as_ref().map_or_else(
                || {
                    let share = recoding.labels[d].shares[label as usize];
                    most.iter()
                        .position(|&most| share <= most + 1e-12)
                        .unwrap_or(top)
                },
                |levels| levels[d],
            );
            steps += level as f64 * records as f64;
            highest = highest.max(level);
        }
        total += match request.objective {
            Objective::Precision => steps / (n * top.max(1) as f64) / q,
            Objective::MinimalDistortion => steps,
            _ => highest as f64,
        };
    }
    total
}
