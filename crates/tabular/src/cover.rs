//! What a class costs when each of its values is published as the lowest node above all of them.

use denym_data::Hierarchy;

use crate::Request;

/// Columns with at most this many values get a table of all pairs: a quarter of a megabyte each.
const PAIRS: usize = 512;

/// Lowest common nodes and their costs, one table per quasi-identifier.
#[derive(Debug)]
pub(crate) struct Covers<'a> {
    columns: Vec<CoverColumn<'a>>,
    /// Columns in the order in which losses are added up: those that tell tuples apart best come first.
    order: Vec<usize>,
}

#[derive(Debug)]
struct CoverColumn<'a> {
    hierarchy: &'a Hierarchy,
    codes: usize,
    /// The level at which two codes meet, when there are few enough; the height when they never do.
    meet: Vec<u8>,
    /// `cost[level * codes + code]`, 0 to the column's weight: the loss of publishing the code at that level.
    cost: Vec<f64>,
}

/// The values of one class: a code of each column and the level of the node above all of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cover {
    pub(crate) codes: Vec<u32>,
    pub(crate) levels: Vec<u8>,
}

impl<'a> Covers<'a> {
    /// Values that meet at no level are published as `*`.
    pub(crate) fn new(request: &Request<'a>) -> Covers<'a> {
        Covers::with(request, 1.0)
    }

    /// Values that meet at no level cannot be published together.
    pub(crate) fn strict(request: &Request<'a>) -> Covers<'a> {
        Covers::with(request, f64::INFINITY)
    }

    fn with(request: &Request<'a>, never: f64) -> Covers<'a> {
        let hierarchies = request.hierarchies;
        let columns = hierarchies
            .iter()
            .enumerate()
            .map(|(d, hierarchy)| {
                let weight = request.weight(d);
                let codes = hierarchy.levels()[0].nodes.len();
                let leaves = hierarchy.leaves() as f64;
                let mut cost = Vec::with_capacity(codes * (hierarchy.height() + 1));
                for level in hierarchy.levels() {
                    cost.extend(level.nodes.iter().map(|&node| {
                        let under = level.leaves[node as usize] as f64;
                        weight * (under - 1.0) / (leaves - 1.0).max(1.0)
                    }));
                }
                let never = if never.is_finite() {
                    weight * never
                } else {
                    never
                };
                cost.extend(std::iter::repeat_n(never, codes));
                let mut column = CoverColumn {
                    hierarchy,
                    codes,
                    meet: Vec::new(),
                    cost,
                };
                if codes <= PAIRS {
                    let pairs = (0..codes).flat_map(|a| (0..codes).map(move |b| (a, b)));
                    column.meet = pairs
                        .map(|(a, b)| column.climb(a as u32, b as u32))
                        .collect();
                }
                column
            })
            .collect();
        Covers {
            columns,
            order: (0..hierarchies.len()).collect(),
        }
    }

    /// Adds losses up in another order: a good one lets hopeless comparisons end early.
    pub(crate) fn in_order(self, order: Vec<usize>) -> Covers<'a> {
        Covers { order, ..self }
    }

    /// Number of quasi-identifiers.
    pub(crate) fn len(&self) -> usize {
        self.columns.len()
    }

    /// The level at which the values of two codes meet; the height of the hierarchy when they never do.
    #[inline]
    pub(crate) fn meet(&self, d: usize, a: u32, b: u32) -> u8 {
        let column = &self.columns[d];
        if column.meet.is_empty() {
            column.climb(a, b)
        } else {
            column.meet[a as usize * column.codes + b as usize]
        }
    }

    /// The loss of publishing `code` at `level`.
    #[inline]
    pub(crate) fn cost(&self, d: usize, level: u8, code: u32) -> f64 {
        let column = &self.columns[d];
        column.cost[level as usize * column.codes + code as usize]
    }

    /// The loss of one record of the class, summed over columns.
    pub(crate) fn total(&self, cover: &Cover) -> f64 {
        (0..self.len())
            .map(|d| self.cost(d, cover.levels[d], cover.codes[d]))
            .sum()
    }

    /// Widens a cover so that it includes a tuple.
    pub(crate) fn widen(&self, cover: &mut Cover, tuple: impl Fn(usize) -> u32) {
        for d in 0..self.len() {
            let level = self.meet(d, cover.codes[d], tuple(d));
            cover.levels[d] = cover.levels[d].max(level);
        }
    }

    /// The loss of one record of the class if it included a tuple too; stops early, with what it has, above `enough`.
    #[inline]
    pub(crate) fn total_with(&self, cover: &Cover, tuple: &[u32], enough: f64) -> f64 {
        let mut total = 0.0;
        for &d in &self.order {
            let code = tuple[d];
            let level = self.meet(d, cover.codes[d], code).max(cover.levels[d]);
            total += self.cost(d, level, code);
            if total > enough {
                break;
            }
        }
        total
    }
}

impl CoverColumn<'_> {
    fn climb(&self, a: u32, b: u32) -> u8 {
        let levels = self.hierarchy.levels();
        levels
            .iter()
            .position(|level| level.nodes[a as usize] == level.nodes[b as usize])
            .unwrap_or(levels.len()) as u8
    }
}
