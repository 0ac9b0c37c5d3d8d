//! What a search minimizes: the score of a node, and bounds on the scores of nodes that were never looked at.
//!
//! Scores come from whole numbers wherever the definition allows, so that equal releases have equal scores on every
//! machine. A bound never exceeds the score of the node it speaks of, rounding apart; searches allow for that.

pub use denym_measure::Objective;

use crate::request::Request;

/// What was counted at one release.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Counted {
    /// Records that are not published.
    pub(crate) suppressed: u64,
    /// Published classes.
    pub(crate) classes: u64,
    /// Sum of squared sizes of the published classes.
    pub(crate) squares: u128,
    /// For each quasi-identifier, the leaves under the values of all suppressed records, each record counted.
    pub(crate) suppressed_leaves: Vec<u128>,
}

/// What is known of a node that was not evaluated.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// It suppresses at least as many records.
    pub(crate) suppressed: u64,
    /// Suppression alone adds at least this much to the sum of squares.
    pub(crate) charge: u128,
    /// Its classes, suppressed or not, have at least this sum of squares.
    pub(crate) squares: u128,
    /// It has at most as many classes.
    pub(crate) classes: u64,
}

impl Known {
    /// What holds for any node.
    pub(crate) const NOTHING: Known = Known {
        suppressed: 0,
        charge: 0,
        squares: 0,
        classes: u64::MAX,
    };
}

/// The constants of one request that scores are made of.
#[derive(Debug)]
pub(crate) struct Scale {
    objective: Objective,
    /// Records of the source.
    n: u64,
    /// Those of them that were left out before the search.
    lost: u64,
    /// Distinct tuples.
    tuples: u64,
    attributes: Vec<ScaledAttribute>,
}

#[derive(Debug)]
struct ScaledAttribute {
    /// Leaves of the whole hierarchy.
    leaves: u64,
    /// Steps from the lowest to the highest level of the hierarchy.
    steps: u64,
    /// What its loss is multiplied by.
    weight: f64,
    levels: Vec<LevelScale>,
}

#[derive(Debug)]
struct LevelScale {
    /// Nodes that occur.
    nodes: u64,
    /// Leaves under the value of every record, summed; all leaves for what was left out.
    total: u128,
    /// (leaves under a value, records with such a value), most leaves first.
    spread: Vec<(u64, u64)>,
    /// One plus the weighted loss when nothing is suppressed.
    factor: f64,
}

/// Losses are floored to ten decimals.
const DECIMALS: u128 = 10_000_000_000;

impl Scale {
    /// Measures the marginal distributions of the request's table.
    pub(crate) fn new(request: &Request<'_>) -> Scale {
        let summary = request.summary;
        let lost = request.lost();
        let n = summary.total() + lost;
        let mut scale = Scale {
            objective: request.objective,
            n,
            lost,
            tuples: summary.tuples() as u64,
            attributes: Vec::new(),
        };
        for (d, (codes, hierarchy)) in summary.quasi.iter().zip(request.hierarchies).enumerate() {
            let size = hierarchy.levels()[0].nodes.len();
            let mut records = vec![0_u64; size];
            for (&code, &count) in codes.iter().zip(&summary.records) {
                records[code as usize] += count;
            }
            let levels = hierarchy.levels().iter().map(|level| {
                let mut counts = vec![0_u64; level.labels.len()];
                for (&node, &count) in level.nodes.iter().zip(&records) {
                    counts[node as usize] += count;
                }
                let mut pairs: Vec<(u64, u64)> = (level.leaves.iter().copied().zip(counts))
                    .filter(|&(_, count)| count > 0)
                    .collect();
                let nodes = pairs.len() as u64;
                pairs.sort_unstable_by_key(|&(leaves, _)| std::cmp::Reverse(leaves));
                let mut spread: Vec<(u64, u64)> = Vec::new();
                for (leaves, count) in pairs {
                    match spread.last_mut() {
                        Some(last) if last.0 == leaves => last.1 += count,
                        _ => spread.push((leaves, count)),
                    }
                }
                LevelScale {
                    nodes,
                    total: sum(&spread) + u128::from(lost) * u128::from(hierarchy.leaves()),
                    spread,
                    factor: 1.0,
                }
            });
            let mut attribute = ScaledAttribute {
                leaves: hierarchy.leaves(),
                steps: hierarchy.height() as u64 - 1,
                weight: request.weight(d),
                levels: levels.collect(),
            };
            for level in &mut attribute.levels {
                level.factor =
                    1.0 + attribute.weight * part(units(n, hierarchy.leaves(), level.total));
            }
            scale.attributes.push(attribute);
        }
        scale
    }

    /// Records of the source: what a suppressed record costs where its company counts.
    pub(crate) fn records(&self) -> u64 {
        self.n
    }

    /// Records that the search decides on.
    pub(crate) fn searched(&self) -> u64 {
        self.n - self.lost
    }

    /// Distinct values of quasi-identifier `d` at `level`.
    pub(crate) fn distinct(&self, d: usize, level: u8) -> u64 {
        self.attributes[d].levels[level as usize].nodes
    }

    /// The score of a node that was evaluated.
    pub(crate) fn score(&self, levels: &[u8], counted: &Counted) -> f64 {
        match self.objective {
            Objective::Loss => geometric(&self.weighted(levels, counted)),
            Objective::LossArithmetic => arithmetic(&self.weighted(levels, counted)),
            Objective::Discernibility => self.discernibility(counted) as f64,
            Objective::AverageClassSize => self.n as f64 / counted.classes as f64,
            _ => self.by_levels(levels, counted.suppressed),
        }
    }

    /// The loss of each quasi-identifier at a node that was evaluated, floored to ten decimals.
    pub(crate) fn losses(&self, levels: &[u8], counted: &Counted) -> Vec<f64> {
        let attributes = self.attributes.iter().enumerate();
        attributes
            .map(|(d, attribute)| {
                let total = attribute.levels[levels[d] as usize].total;
                let total = total - counted.suppressed_leaves[d]
                    + u128::from(counted.suppressed) * u128::from(attribute.leaves);
                part(units(self.n, attribute.leaves, total))
            })
            .collect()
    }

    /// The same, each multiplied by its weight.
    fn weighted(&self, levels: &[u8], counted: &Counted) -> Vec<f64> {
        let mut losses = self.losses(levels, counted);
        for (loss, attribute) in losses.iter_mut().zip(&self.attributes) {
            *loss *= attribute.weight;
        }
        losses
    }

    /// A number that the score of a node does not fall below.
    pub(crate) fn bound(&self, levels: &[u8], known: &Known) -> f64 {
        match self.objective {
            Objective::Loss => {
                let product: f64 = self.factors(levels, known.suppressed).product();
                product.powf(1.0 / self.attributes.len() as f64) - 1.0
            }
            Objective::LossArithmetic => {
                let sum: f64 = self.factors(levels, known.suppressed).sum();
                sum / self.attributes.len() as f64 - 1.0
            }
            Objective::Discernibility => {
                let most = self.most_classes(levels).min(known.classes).max(1);
                let even = u128::from(self.searched())
                    .pow(2)
                    .div_ceil(u128::from(most));
                let lost = u128::from(self.n) * u128::from(self.lost);
                // `charge` is net of what suppressed records may have added to the squares.
                (known.squares.max(even) + known.charge + lost) as f64
            }
            Objective::AverageClassSize => {
                self.n as f64 / self.most_classes(levels).min(known.classes).max(1) as f64
            }
            _ => self.by_levels(levels, known.suppressed),
        }
    }

    /// The bound of a node of which nothing is known.
    pub(crate) fn first_bound(&self, levels: &[u8]) -> f64 {
        self.bound(levels, &Known::NOTHING)
    }

    /// Sum of squares, every suppressed record charged with the size of the table.
    fn discernibility(&self, counted: &Counted) -> u128 {
        counted.squares + u128::from(self.n) * u128::from(counted.suppressed + self.lost)
    }

    /// One plus the least weighted loss of each quasi-identifier when that many records are suppressed.
    fn factors(&self, levels: &[u8], suppressed: u64) -> impl Iterator<Item = f64> {
        self.attributes
            .iter()
            .zip(levels)
            .map(move |(attribute, &level)| {
                let scale = &attribute.levels[level as usize];
                if suppressed == 0 {
                    return scale.factor;
                }
                // At best those records go whose values say least already.
                let mut left = suppressed;
                let mut gone = 0;
                for &(leaves, records) in &scale.spread {
                    let taken = records.min(left);
                    gone += u128::from(taken) * u128::from(leaves);
                    left -= taken;
                    if left == 0 {
                        break;
                    }
                }
                let total =
                    scale.total - gone + u128::from(suppressed) * u128::from(attribute.leaves);
                1.0 + attribute.weight * part(units(self.n, attribute.leaves, total))
            })
    }

    /// Objectives that depend on levels and the number of suppressed records alone.
    fn by_levels(&self, levels: &[u8], suppressed: u64) -> f64 {
        let gone = suppressed + self.lost;
        let (kept, gone) = ((self.n - gone) as f64, gone as f64);
        let pairs = self.attributes.iter().zip(levels);
        match self.objective {
            Objective::Precision => {
                let mean: f64 = pairs
                    .map(|(attribute, &level)| f64::from(level) / attribute.steps.max(1) as f64)
                    .sum::<f64>()
                    / self.attributes.len().max(1) as f64;
                (kept * mean + gone) / self.n as f64
            }
            Objective::MinimalDistortion => pairs
                .map(|(attribute, &level)| {
                    kept * f64::from(level) + gone * attribute.steps.max(1) as f64
                })
                .sum(),
            _ => levels.iter().map(|&level| f64::from(level)).sum(),
        }
    }

    /// No node has more classes than tuples exist or combinations of its values.
    fn most_classes(&self, levels: &[u8]) -> u64 {
        self.attributes
            .iter()
            .zip(levels)
            .fold(1_u64, |most, (attribute, &level)| {
                most.saturating_mul(attribute.levels[level as usize].nodes)
            })
            .min(self.tuples)
    }
}

/// Loss in units of ten decimals: how far `total` leaves over `n` records lie between all original and all suppressed.
pub(crate) fn units(n: u64, leaves: u64, total: u128) -> u64 {
    let whole = u128::from(n) * u128::from(leaves.saturating_sub(1));
    if whole == 0 {
        return 0;
    }
    (total.saturating_sub(u128::from(n)) * DECIMALS / whole) as u64
}

/// Units as a share.
pub(crate) fn part(units: u64) -> f64 {
    units as f64 / DECIMALS as f64
}

/// The geometric mean of losses, each shifted by one.
pub(crate) fn geometric(losses: &[f64]) -> f64 {
    let exponent = 1.0 / losses.len() as f64;
    losses
        .iter()
        .map(|loss| (loss + 1.0).powf(exponent))
        .product::<f64>()
        - 1.0
}

/// The arithmetic mean of losses.
pub(crate) fn arithmetic(losses: &[f64]) -> f64 {
    losses.iter().sum::<f64>() / losses.len() as f64
}

fn sum(spread: &[(u64, u64)]) -> u128 {
    spread
        .iter()
        .map(|&(leaves, records)| u128::from(leaves) * u128::from(records))
        .sum()
}
