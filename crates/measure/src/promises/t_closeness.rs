//! t-closeness: the sensitive values of every group are distributed almost as in the whole table.
//!
//! # Idea
//!
//! How far a group's distribution is from the table's is the earth mover's distance: the least work that turns one into the
//! other, where moving a share of records from one value to another costs the distance of the two values, 0 to 1.
//!
//! - *Equal*: any two values are at distance 1. The work is half the sum of absolute differences.
//! - *Ordered*: the i-th and j-th of m values are at distance |i - j| / (m - 1). The work is the sum of absolute differences of
//!   the cumulated distributions over m - 1.
//! - *Hierarchical*: two values are as far apart as their lowest common ancestor is high: level / height. The work is the
//!   sum over inner nodes of (level / height) times the smaller of what its children have too much and too little of.
//!
//! The smaller of excess and deficit under a node is half of (sum of the children's absolute differences - the node's own absolute
//! difference), so the hierarchical sum telescopes: it is the *mean of the equal distances at each level below the root*. That
//! makes it a sum of whole numbers over one denominator, decided exactly.
//!
//! # Guarantee
//!
//! Linking a victim to a group teaches an adversary little beyond the table's overall distribution. A small t costs much
//! utility, and t has no reading as a probability of a single value; beta-likeness has.
//!
//! # Reference
//!
//! N. Li, T. Li, S. Venkatasubramanian, "t-closeness: privacy beyond k-anonymity and l-diversity", ICDE 2007, section 4.
//! Survey section 2.2.
//!
//! # Departures
//!
//! The ordered domain consists of the values that occur in the reference, in dictionary order, a missing value last. A taxonomy
//! whose top level has several nodes gets a root above them. All counts are 64 bits wide and products 128 or more: a
//! known tool multiplies 32-bit counts and certifies million-row tables that break t.
//!
//! # Cost
//!
//! In the distinct values d of a group: d for equal, d log m for ordered, d times the height plus the nodes for hierarchical.
//!
//! # Example
//!
//! ```
//! use denym_data::Fraction;
//! use denym_measure::{Group, Histogram, Promise, promises::TCloseness};
//!
//! // The artists of the survey's table II(c): one flu (0), three HIV (1).
//! let counts = [(0, 1), (1, 3)];
//! let sensitive = [Histogram::new(&counts)];
//! let artists = Group::new(4, 4, &sensitive);
//! // In the whole table four of seven have HIV, one the flu, two hepatitis (2).
//! let closeness = TCloseness::equal(0, Fraction::new(2, 7).unwrap(), &[1, 4, 2]);
//! assert!(closeness.admits(&artists), "two sevenths exactly: nobody here has hepatitis");
//! ```

use std::cmp::Ordering;

use denym_data::Fraction;
use denym_data::{Code, Hierarchy};

use crate::catalogue::{ATTRIBUTE, Linkage, PromiseEntry, SHARES, Takes, takes};
use crate::exact::compare_products;
use crate::{Group, Histogram, Promise, Sense, Terms};

/// What policies, lists and reports say about it.
pub(crate) const ENTRIES: &[PromiseEntry] = &[
    PromiseEntry {
        name: "t-closeness",
        place: 140,
        in_policy: Some(("t-closeness", "{ distance = \"equal\", ... }")),
        linkage: Linkage::Attribute,
        parameters: &[
            ATTRIBUTE,
            takes("t", Takes::Share, "largest distance").like("0.2"),
            takes("distance", Takes::Is("equal"), "equal"),
        ],
        sense: Sense::AtMost,
        monotone: SHARES,
        description: "each group's values are distributed almost as in the table; all values equally far apart",
        sentence: "In every crowd of look-alikes {secret} is spread much as in all the data: the distance is {asked}.",
        formula: "1/2 sum |p(s) - q(s)| <= t, p in g, q in the table",
        limits: "all values are equally far apart; keeping t small destroys what the table says about the attribute",
        reference: "Li, Li, Venkatasubramanian, t-closeness, 2007",
        bound: "t",
        alone: Some("t"),
        compares: true,
        build: |asked| {
            Ok(Box::new(TCloseness::equal(
                asked.position()?,
                asked.number("t"),
                asked.reference()?,
            )))
        },
        ..PromiseEntry::BASE
    },
    PromiseEntry {
        name: "t-closeness-ordered",
        place: 150,
        in_policy: Some(("t-closeness", "{ distance = \"ordered\", ... }")),
        linkage: Linkage::Attribute,
        parameters: &[
            ATTRIBUTE,
            takes("t", Takes::Share, "largest distance").like("0.2"),
            takes("distance", Takes::Is("ordered"), "ordered"),
        ],
        sense: Sense::AtMost,
        monotone: SHARES,
        description: "the same, with values in an order",
        sentence: "In every crowd of look-alikes {secret} is spread much as in all the data: the distance is {asked}, nearby values counting less.",
        formula: "sum over i of |sum over j <= i of p(j) - q(j)| / (m - 1) <= t",
        limits: "ranks, not distances, are compared",
        reference: "Li, Li, Venkatasubramanian, t-closeness, 2007",
        bound: "t",
        compares: true,
        build: |asked| {
            Ok(Box::new(TCloseness::ordered(
                asked.position()?,
                asked.number("t"),
                asked.reference()?,
            )))
        },
        ..PromiseEntry::BASE
    },
    PromiseEntry {
        name: "t-closeness-hierarchical",
        place: 160,
        in_policy: Some(("t-closeness", "{ distance = \"hierarchical\", ... }")),
        linkage: Linkage::Attribute,
        parameters: &[
            ATTRIBUTE,
            takes("t", Takes::Share, "largest distance").like("0.2"),
            takes("distance", Takes::Is("hierarchical"), "hierarchical"),
            takes("taxonomy", Takes::OfTheAttribute, "tree of the values"),
        ],
        sense: Sense::AtMost,
        monotone: SHARES,
        description: "the same, with values in a taxonomy",
        sentence: "In every crowd of look-alikes {secret} is spread much as in all the data: the distance is {asked}, related values counting less.",
        formula: "cost of moving p to q, steps to the common ancestor / height, <= t",
        limits: "as good as the taxonomy",
        reference: "Li, Li, Venkatasubramanian, t-closeness, 2007",
        bound: "t",
        compares: true,
        build: |asked| {
            let taxonomy = asked.taxonomy("the hierarchical distance needs a taxonomy")?;
            Ok(Box::new(TCloseness::hierarchical(
                asked.position()?,
                asked.number("t"),
                asked.reference()?,
                taxonomy,
            )))
        },
        ..PromiseEntry::BASE
    },
];

/// What a distance between values means.
#[derive(Debug, Clone)]
pub enum Ground {
    /// Any two values are equally far apart.
    Equal,
    /// Values have an order, that of their codes.
    Ordered(Order),
    /// Values are leaves of a taxonomy.
    Hierarchical(Taxonomy),
}

/// Ranks and cumulated counts of the values that occur in the reference.
#[derive(Debug, Clone)]
pub struct Order {
    /// For each code, how many occurring values have a smaller code.
    rank: Vec<usize>,
    /// `cumulated[i]`: records with one of the first i + 1 values.
    cumulated: Vec<u128>,
    /// `sums[i]`: sum of the first i cumulated counts.
    sums: Vec<u128>,
}

/// The levels of a taxonomy below its root, with the reference counted at each.
#[derive(Debug, Clone)]
pub struct Taxonomy {
    levels: Vec<TaxonomyLevel>,
}

#[derive(Debug, Clone)]
struct TaxonomyLevel {
    node_of: Vec<u32>,
    reference: Vec<u64>,
}

/// The earth mover's distance to a reference distribution stays at or below t in every group.
#[derive(Debug, Clone)]
pub struct TCloseness {
    attribute: usize,
    t: Fraction,
    reference: Vec<u64>,
    total: u64,
    ground: Ground,
}

impl TCloseness {
    /// Equal distance; `reference[code]` counts all source records by value.
    pub fn equal(attribute: usize, t: Fraction, reference: &[u64]) -> TCloseness {
        TCloseness::new(attribute, t, reference, Ground::Equal)
    }

    /// Ordered distance in the order of codes.
    pub fn ordered(attribute: usize, t: Fraction, reference: &[u64]) -> TCloseness {
        TCloseness::new(
            attribute,
            t,
            reference,
            Ground::Ordered(Order::new(reference)),
        )
    }

    /// Hierarchical distance over a taxonomy of the attribute's codes.
    pub fn hierarchical(
        attribute: usize,
        t: Fraction,
        reference: &[u64],
        taxonomy: &Hierarchy,
    ) -> TCloseness {
        let ground = Ground::Hierarchical(Taxonomy::new(reference, taxonomy));
        TCloseness::new(attribute, t, reference, ground)
    }

    /// Any ground distance.
    pub fn new(attribute: usize, t: Fraction, reference: &[u64], ground: Ground) -> TCloseness {
        TCloseness {
            attribute,
            t,
            reference: reference.to_vec(),
            total: reference.iter().sum(),
            ground,
        }
    }

    /// The distance of a histogram to the reference as an exact fraction (work, denominator); (0, 1) when either is empty.
    pub fn distance(&self, histogram: &Histogram<'_>) -> (u128, u128) {
        if histogram.total == 0 || self.total == 0 {
            return (0, 1);
        }
        let scale = u128::from(histogram.total) * u128::from(self.total);
        match &self.ground {
            Ground::Equal => {
                let count_of = |code: Code| self.reference.get(code as usize).copied().unwrap_or(0);
                let counts = histogram
                    .counts
                    .iter()
                    .map(|&(code, count)| (count, count_of(code)));
                (differences(counts, histogram.total, self.total), 2 * scale)
            }
            Ground::Ordered(order) => {
                let steps = order.cumulated.len().saturating_sub(1).max(1) as u128;
                (order.work(histogram, self.total), steps * scale)
            }
            Ground::Hierarchical(taxonomy) => {
                let levels = taxonomy.levels.len().max(1) as u128;
                (taxonomy.work(histogram, self.total), 2 * levels * scale)
            }
        }
    }
}

/// Sum over all values of |count * total - reference * size|, given (count, reference) of the values that the group shows.
fn differences(counts: impl Iterator<Item = (u64, u64)>, size: u64, total: u64) -> u128 {
    let (size, total) = (u128::from(size), u128::from(total));
    let mut sum = 0_u128;
    let mut seen = 0_u128;
    for (count, reference) in counts {
        sum += (u128::from(count) * total).abs_diff(u128::from(reference) * size);
        seen += u128::from(reference);
    }
    // Values the group lacks differ by their whole reference share.
    sum + (total - seen) * size
}

impl Order {
    /// The order of the values with a positive count.
    pub fn new(reference: &[u64]) -> Order {
        let mut order = Order {
            rank: Vec::with_capacity(reference.len()),
            cumulated: Vec::new(),
            sums: vec![0],
        };
        let (mut cumulated, mut sum) = (0_u128, 0_u128);
        for &count in reference {
            order.rank.push(order.cumulated.len());
            if count > 0 {
                cumulated += u128::from(count);
                sum += cumulated;
                order.cumulated.push(cumulated);
                order.sums.push(sum);
            }
        }
        order
    }

    /// Sum over ranks of |cumulated count * total - cumulated reference * size|.
    fn work(&self, histogram: &Histogram<'_>, total: u64) -> u128 {
        let (size, total) = (u128::from(histogram.total), u128::from(total));
        let last = self.cumulated.len();
        let mut work = 0;
        let mut from = 0;
        let mut below = 0_u128;
        // Between two values that the group shows, its cumulated count is constant and the reference's ascends.
        let mut stretch = |from: usize, to: usize, below: u128| {
            let level = below * total;
            let crossing = from
                + self.cumulated[from..to].partition_point(|&cumulated| cumulated * size <= level);
            let low =
                level * (crossing - from) as u128 - (self.sums[crossing] - self.sums[from]) * size;
            let high =
                (self.sums[to] - self.sums[crossing]) * size - level * (to - crossing) as u128;
            work += low + high;
        };
        for &(code, count) in histogram.counts {
            let rank = self
                .rank
                .get(code as usize)
                .map_or(last, |&rank| rank.min(last));
            stretch(from, rank, below);
            from = rank;
            below += u128::from(count);
        }
        stretch(from, last, below);
        work
    }
}

impl Taxonomy {
    /// Counts the reference at every level below the root.
    pub fn new(reference: &[u64], hierarchy: &Hierarchy) -> Taxonomy {
        let levels = hierarchy
            .levels()
            .iter()
            // The root has no difference to the table; a level of one node is the root (or stands below it alone).
            .enumerate()
            .filter(|&(index, level)| index + 1 < hierarchy.height() || level.labels.len() > 1)
            .map(|(_, level)| {
                let mut counts = vec![0; level.labels.len()];
                for (&node, &count) in level.nodes.iter().zip(reference) {
                    counts[node as usize] += count;
                }
                TaxonomyLevel {
                    node_of: level.nodes.clone(),
                    reference: counts,
                }
            })
            .collect();
        Taxonomy { levels }
    }

    /// Sum over levels below the root of the sum over nodes of |count * total - reference * size|.
    fn work(&self, histogram: &Histogram<'_>, total: u64) -> u128 {
        // Taxonomies of people's secrets are small; larger ones pay for one allocation.
        const SMALL: usize = 256;
        let nodes = self
            .levels
            .iter()
            .map(|level| level.reference.len())
            .max()
            .unwrap_or(0);
        if nodes <= SMALL {
            self.work_in(&mut [0; SMALL], histogram, total)
        } else {
            self.work_in(&mut vec![0; nodes], histogram, total)
        }
    }

    fn work_in(&self, scratch: &mut [u64], histogram: &Histogram<'_>, total: u64) -> u128 {
        let mut work = 0;
        for level in &self.levels {
            let counts = &mut scratch[..level.reference.len()];
            counts.fill(0);
            for &(code, count) in histogram.counts {
                if let Some(&node) = level.node_of.get(code as usize) {
                    counts[node as usize] += count;
                }
            }
            let pairs = counts.iter().copied().zip(level.reference.iter().copied());
            work += differences(pairs, histogram.total, total);
        }
        work
    }
}

impl Promise for TCloseness {
    fn terms(&self) -> Terms {
        Terms {
            name: match self.ground {
                Ground::Equal => "t-closeness",
                Ground::Ordered(_) => "t-closeness-ordered",
                Ground::Hierarchical(_) => "t-closeness-hierarchical",
            },
            attribute: Some(self.attribute),
            bound: self.t.to_f64(),
            sense: Sense::AtMost,
            monotone: true,
            monotone_with_suppression: false,
        }
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        let (work, denominator) = self.distance(&group.histogram(self.attribute));
        compare_products(
            work,
            self.t.denominator().into(),
            denominator,
            self.t.numerator().into(),
        ) != Ordering::Greater
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        let (work, denominator) = self.distance(&group.histogram(self.attribute));
        work as f64 / denominator as f64
    }
}
