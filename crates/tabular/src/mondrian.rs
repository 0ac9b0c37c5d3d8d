//! Mondrian: cuts the table in two at the median of its widest attribute, and the halves again, while promises hold.
//!
//! # Idea
//!
//! All records start in one part. The attribute whose values spread widest, relative to its whole domain, is cut: a number
//! at its median, a category into the children of its node. If every piece keeps the promises the pieces go on alone,
//! otherwise the next widest attribute is tried; a part that no attribute can cut is a class. Like the painter, it leaves
//! rectangles of different sizes: dense regions are cut finely, sparse ones stay large.
//!
//! # Guarantee
//!
//! Every class meets every promise, judged on the class itself, so promises that are not monotone hold as well. Nothing is
//! suppressed. When the whole table does not meet a promise the request is infeasible. The result is minimal in the sense
//! that no further median cut is allowed, not optimal.
//!
//! # Reference
//!
//! K. `LeFevre`, D. `DeWitt`, R. Ramakrishnan, "Mondrian multidimensional k-anonymity", ICDE 2006. Survey sections 3.1 and 5.1.2.
//!
//! # Departures
//!
//! Categories are cut along their hierarchy rather than by an arbitrary order. A missing number is cut off from the
//! others, since it has no place in a range. When the exact median puts everything on one side the nearest cut that does
//! not is used. The relaxed form cuts equal numbers apart as well; it then assigns records, counted tuple by tuple in the
//! summary's order, and honours promises on size only, because a summary does not say which of two equal tuples has
//! which sensitive value.
//!
//! # Cost
//!
//! O(n q log(n / k)) time, one copy of the tuples in memory; the halves are cut on all cores.

use denym_data::{Hierarchy, Unit};

use crate::figures;
use crate::nearest::whole_table;
use crate::partition::{Axis, HEAD, Judge, Rows, common_node, publish};
use crate::{Context, Error, Nearest, Request, Solution, Solver};

/// Parts of at least this many rows are handed to another core.
const PARALLEL: usize = 1 << 12;

/// Whether equal tuples stay together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cuts {
    /// Equal tuples stay together: regions do not overlap.
    #[default]
    Strict,
    /// The median may run through equal values: regions may share a border.
    Relaxed,
}

/// Multidimensional generalization by recursive median cuts.
#[derive(Debug, Clone, Default)]
pub struct Mondrian {
    /// Whether equal tuples stay together.
    pub cuts: Cuts,
    /// How each quasi-identifier is cut; `None` cuts numbers by order and the rest along hierarchies.
    pub axes: Option<Vec<Axis>>,
}

impl Solver for Mondrian {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        request.only_whole_classes()?;
        let Some(hierarchies) = request.narrowed() else {
            let axes = self.axes(request)?;
            return self.solve_within(request, &axes, false, context);
        };
        // The same on hierarchies without the levels that are not allowed; the loss is that on the whole ones.
        let narrowed = Request {
            hierarchies: &hierarchies,
            limits: None,
            ..*request
        };
        let mut axes = self.axes(&narrowed)?;
        for (d, axis) in axes.iter_mut().enumerate() {
            // Ranges have no level.
            if hierarchies[d].height() < request.hierarchies[d].height() {
                *axis = Axis::Tree;
            }
        }
        let found = self.solve_within(&narrowed, &axes, true, context)?;
        let mut solution = figures::solution(request, found.recoding);
        solution.statistics.evaluated = found.statistics.evaluated;
        Ok(solution)
    }
}

impl Mondrian {
    /// Cuts the table; where hierarchies are `cut` themselves, it starts with the parts under their highest nodes.
    fn solve_within(
        &self,
        request: &Request<'_>,
        axes: &[Axis],
        cut: bool,
        context: &mut Context<'_>,
    ) -> Result<Solution, Error> {
        let unit = match self.cuts {
            Cuts::Strict => Unit::Tuple,
            Cuts::Relaxed => Unit::Record,
        };
        if self.cuts == Cuts::Relaxed {
            refuse_sensitive(request)?;
        }
        let judge = Judge::new(request, unit);
        let mut rows = Rows::new(request, unit);
        if !cut && !judge.admits(&rows.cells) {
            return Err(Error::Infeasible {
                nearest: Box::new(whole_table(request, &judge, &rows)),
            });
        }
        let cutter = MondrianCutter {
            judge: &judge,
            axes,
            hierarchies: request.hierarchies,
            weights: (0..axes.len()).map(|d| request.weight(d)).collect(),
            numbers: axes
                .iter()
                .zip(request.hierarchies)
                .map(|(&axis, hierarchy)| numbers(axis, hierarchy))
                .collect(),
            cuts: self.cuts,
            stride: rows.stride,
            keep_going: context.keep_going,
        };
        let parts = if cut {
            Mondrian::by_highest_nodes(request, &cutter, &mut rows)?
        } else {
            cutter.cut(&mut rows.cells)
        };
        let recoding = publish(request, unit, axes, &rows, &parts);
        drop(rows);
        let mut solution = figures::solution(request, recoding);
        solution.statistics.evaluated = parts.len() as u64;
        Ok(solution)
    }
}

impl Mondrian {
    /// Cuts every part under one combination of highest nodes on its own; parts that fail are suppressed.
    fn by_highest_nodes(
        request: &Request<'_>,
        cutter: &MondrianCutter<'_>,
        rows: &mut Rows,
    ) -> Result<Vec<usize>, Error> {
        let highest: Vec<&[u32]> = request
            .hierarchies
            .iter()
            .map(|hierarchy| hierarchy.levels()[hierarchy.height() - 1].nodes.as_slice())
            .collect();
        let key = |row: &[u32]| -> Vec<u32> {
            let codes = row[HEAD..].iter().zip(&highest);
            codes.map(|(&code, nodes)| nodes[code as usize]).collect()
        };
        let mut sorted: Vec<&[u32]> = rows.cells.chunks_exact(rows.stride).collect();
        sorted.sort_by_cached_key(|row| (key(row), row[0]));
        let (mut cells, mut parts, mut lost) = (Vec::new(), Vec::new(), 0_u64);
        for piece in sorted.chunk_by(|a, b| key(a) == key(b)) {
            let mut piece: Vec<u32> = piece.concat();
            if cutter.judge.admits(&piece) {
                parts.extend(cutter.cut(&mut piece));
                cells.extend(piece);
            } else {
                let weights = piece.chunks_exact(rows.stride).map(|row| u64::from(row[1]));
                lost += weights.sum::<u64>();
            }
        }
        let total = request.summary.total();
        if lost > request.budget() || parts.is_empty() {
            return Err(Error::infeasible(Nearest {
                reach: Vec::new(),
                suppression: (lost < total).then_some((lost, total)),
            }));
        }
        rows.cells = cells;
        Ok(parts)
    }

    fn axes(&self, request: &Request<'_>) -> Result<Vec<Axis>, Error> {
        match &self.axes {
            Some(axes) if axes.len() != request.hierarchies.len() => Err(Error::Hierarchies {
                quasi: request.hierarchies.len(),
                hierarchies: axes.len(),
            }),
            Some(axes) => Ok(axes.clone()),
            None => Ok(request.hierarchies.iter().map(Axis::declared).collect()),
        }
    }
}

/// A solver that splits equal tuples cannot honour promises about sensitive values.
fn refuse_sensitive(request: &Request<'_>) -> Result<(), Error> {
    for promise in request.promises {
        let terms = promise.terms();
        if terms.attribute.is_some() || request.summary.subjects.is_some() {
            return Err(Error::PromiseNotHonoured { name: terms.name });
        }
    }
    Ok(())
}

/// A number for each code of an ordered attribute: the value where it is one, else the position.
fn numbers(axis: Axis, hierarchy: &Hierarchy) -> Vec<f64> {
    if axis == Axis::Tree {
        return Vec::new();
    }
    let labels = &hierarchy.levels()[0].labels;
    let parsed: Option<Vec<f64>> = labels
        .iter()
        .map(|label| match label {
            Some(text) => denym_data::Decimal::parse(text).map(denym_data::Decimal::to_f64),
            None => Some(f64::INFINITY),
        })
        .collect();
    parsed.unwrap_or_else(|| (0..labels.len()).map(|code| code as f64).collect())
}

struct MondrianCutter<'a> {
    judge: &'a Judge<'a>,
    axes: &'a [Axis],
    hierarchies: &'a [Hierarchy],
    weights: Vec<f64>,
    numbers: Vec<Vec<f64>>,
    cuts: Cuts,
    stride: usize,
    keep_going: &'a (dyn Fn() -> bool + Sync),
}

impl MondrianCutter<'_> {
    /// The lengths, in rows, of the classes into which `rows` was cut; rows are reordered so that classes follow each other.
    fn cut(&self, rows: &mut [u32]) -> Vec<usize> {
        let length = rows.len() / self.stride;
        // Stopped early the parts are coarser than they could be, and every one is safe.
        if length < 2 || !(self.keep_going)() {
            return vec![length];
        }
        for (d, low, high) in self.widest_first(rows) {
            let pieces = match self.axes[d] {
                Axis::Ordered => self.halves(rows, d, low, high),
                Axis::Tree => self.children(rows, d),
            };
            if pieces.len() < 2 {
                continue;
            }
            let mut start = 0;
            let allowed = pieces.iter().all(|&piece| {
                let part = &rows[start * self.stride..(start + piece) * self.stride];
                start += piece;
                self.judge.admits(part)
            });
            if allowed {
                return self.go_on(rows, &pieces);
            }
        }
        vec![length]
    }

    /// Cuts every piece on, large ones on all cores; classes come back in the order of the pieces.
    fn go_on(&self, rows: &mut [u32], pieces: &[usize]) -> Vec<usize> {
        let (&first, rest) = match pieces {
            [] => return Vec::new(),
            [_] => return self.cut(rows),
            [first, rest @ ..] => (first, rest),
        };
        let length = rows.len() / self.stride;
        let (left, right) = rows.split_at_mut(first * self.stride);
        if length < PARALLEL {
            let mut parts = self.cut(left);
            parts.extend(self.go_on(right, rest));
            return parts;
        }
        let (mut parts, others) = rayon::join(|| self.cut(left), || self.go_on(right, rest));
        parts.extend(others);
        parts
    }

    /// Attributes that can be cut, with their smallest and largest code; the one that spreads widest over its domain, times its
    /// weight, comes first.
    fn widest_first(&self, rows: &[u32]) -> Vec<(usize, u32, u32)> {
        let q = self.axes.len();
        let mut low = vec![u32::MAX; q];
        let mut high = vec![0_u32; q];
        for row in rows.chunks_exact(self.stride) {
            for ((low, high), &code) in low.iter_mut().zip(&mut high).zip(&row[HEAD..]) {
                *low = (*low).min(code);
                *high = (*high).max(code);
            }
        }
        let mut widths: Vec<(f64, usize)> = (0..q)
            .filter(|&d| low[d] < high[d])
            .map(|d| {
                let width = self.width(rows, d, low[d], high[d]);
                (self.weights[d] * width, d)
            })
            .collect();
        widths.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let ends = |(_, d): (f64, usize)| (d, low[d], high[d]);
        widths.into_iter().map(ends).collect()
    }

    fn width(&self, rows: &[u32], d: usize, low: u32, high: u32) -> f64 {
        match self.axes[d] {
            Axis::Ordered => {
                let numbers = &self.numbers[d];
                let finite = |number: f64| {
                    if number.is_finite() {
                        Some(number)
                    } else {
                        None
                    }
                };
                let last = numbers
                    .iter()
                    .rev()
                    .copied()
                    .find_map(finite)
                    .unwrap_or(0.0);
                match finite(numbers[high as usize]) {
                    Some(top) if last > numbers[0] => {
                        (top - numbers[low as usize]) / (last - numbers[0])
                    }
                    // Missing beside present values: as wide as it gets.
                    _ => 1.0,
                }
            }
            Axis::Tree => {
                let hierarchy = &self.hierarchies[d];
                let codes = rows.chunks_exact(self.stride).map(|row| row[HEAD + d]);
                common_node(hierarchy, &codes).map_or(1.0, |(level, node)| {
                    let leaves = hierarchy.levels()[level as usize].leaves[node as usize];
                    leaves as f64 / hierarchy.leaves() as f64
                })
            }
        }
    }

    /// Cuts at the median of attribute `d`, whose codes go from `low` to `high`; returns the lengths of the two halves, or fewer when
    /// there is no cut.
    fn halves(&self, rows: &mut [u32], d: usize, low: u32, high: u32) -> Vec<usize> {
        let codes = || {
            rows.chunks_exact(self.stride)
                .map(|row| (row[HEAD + d], row[1]))
        };
        let missing = self.numbers[d][high as usize].is_infinite();
        if missing {
            return vec_of(partition(rows, self.stride, |row| row[HEAD + d] < high));
        }
        if self.cuts == Cuts::Relaxed {
            let mut keyed: Vec<&[u32]> = rows.chunks_exact(self.stride).collect();
            keyed.sort_by_key(|row| (row[HEAD + d], row[0]));
            let sorted: Vec<u32> = keyed.concat();
            rows.copy_from_slice(&sorted);
            let length = rows.len() / self.stride;
            return vec![length / 2, length - length / 2];
        }
        // The largest code that still belongs to the lower half.
        let span = (high - low) as usize + 1;
        let mut below = 0;
        let middle = if span <= 4 * rows.len() {
            let mut counts = vec![0_u64; span];
            for (code, weight) in codes() {
                counts[(code - low) as usize] += u64::from(weight);
            }
            let total: u64 = counts.iter().sum();
            let position = counts.iter().position(|&count| {
                below += count;
                2 * below >= total
            });
            low + position.unwrap_or(0) as u32
        } else {
            let mut sorted: Vec<(u32, u32)> = codes().collect();
            sorted.sort_unstable();
            let total: u64 = sorted.iter().map(|pair| u64::from(pair.1)).sum();
            let found = sorted.iter().find(|&&(_, weight)| {
                below += u64::from(weight);
                2 * below >= total
            });
            found.map_or(low, |pair| pair.0)
        };
        let last = if middle == high {
            codes()
                .map(|pair| pair.0)
                .filter(|&code| code < high)
                .max()
                .unwrap_or(low)
        } else {
            middle
        };
        vec_of(partition(rows, self.stride, |row| row[HEAD + d] <= last))
    }

    /// Cuts into the children of the lowest node above all values of attribute `d`; returns the lengths of the pieces.
    fn children(&self, rows: &mut [u32], d: usize) -> Vec<usize> {
        let levels = self.hierarchies[d].levels();
        let codes = rows.chunks_exact(self.stride).map(|row| row[HEAD + d]);
        let level = match common_node(&self.hierarchies[d], &codes) {
            Some((0, _)) => return Vec::new(),
            Some((level, _)) => level as usize - 1,
            None => levels.len() - 1,
        };
        let nodes = &levels[level].nodes;
        let mut pieces = Vec::new();
        let mut rest = rows;
        while !rest.is_empty() {
            let first = rest
                .chunks_exact(self.stride)
                .map(|row| nodes[row[HEAD + d] as usize])
                .min()
                .unwrap_or(0);
            let (length, _) = partition(rest, self.stride, |row| {
                nodes[row[HEAD + d] as usize] == first
            });
            pieces.push(length);
            rest = &mut rest[length * self.stride..];
        }
        pieces
    }
}

fn vec_of((left, right): (usize, usize)) -> Vec<usize> {
    vec![left, right]
}

/// Moves rows that satisfy `goes_left` to the front; returns how many do and do not.
fn partition(
    rows: &mut [u32],
    stride: usize,
    goes_left: impl Fn(&[u32]) -> bool,
) -> (usize, usize) {
    let length = rows.len() / stride;
    let (mut left, mut right) = (0, length);
    loop {
        while left < right && goes_left(&rows[left * stride..(left + 1) * stride]) {
            left += 1;
        }
        while left < right && !goes_left(&rows[(right - 1) * stride..right * stride]) {
            right -= 1;
        }
        if left >= right {
            return (left, length - left);
        }
        let (head, tail) = rows.split_at_mut((right - 1) * stride);
        head[left * stride..(left + 1) * stride].swap_with_slice(&mut tail[..stride]);
        left += 1;
        right -= 1;
    }
}
