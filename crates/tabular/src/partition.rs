//! A table cut into parts: rows that move between parts, the judgment of a part, and the values it is published under.

use std::collections::HashMap;
use std::slice::ChunksExact;

use denym_data::{Decimal, Hierarchy, Labels, NumberRange, Recoding, Unit};
use denym_measure::{Group, added, by_subjects};
use rayon::prelude::*;

use crate::class::{admitted, with_group};
use crate::request::Request;

/// How values of one quasi-identifier are put together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// By order: a part is published as a range from its smallest to its largest value.
    Ordered,
    /// By hierarchy: a part is published as the lowest node above all its values.
    Tree,
}

impl Axis {
    /// Numbers by order, everything else by its hierarchy.
    pub fn of(hierarchy: &Hierarchy) -> Axis {
        let labels = &hierarchy.levels()[0].labels;
        let numeric = |label: &str| Decimal::parse(label).is_some();
        if labels.iter().flatten().all(|label| numeric(label)) && labels.iter().any(Option::is_some)
        {
            Axis::Ordered
        } else {
            Axis::Tree
        }
    }

    /// As [`Axis::of`], but by the hierarchy too where that names something else than ranges, such as `021**`: who declared it wants to
    /// see it.
    pub fn declared(hierarchy: &Hierarchy) -> Axis {
        let is_range = |label: &str| {
            label == "*" || Decimal::parse(label).is_some() || NumberRange::parse(label).is_some()
        };
        let above = &hierarchy.levels()[1..];
        let mut above = above.iter().flat_map(|level| &level.labels).flatten();
        if above.all(|label| is_range(label)) {
            Axis::of(hierarchy)
        } else {
            Axis::Tree
        }
    }
}

/// Rows as numbers side by side: unit, records, then one code per quasi-identifier.
pub(crate) struct Rows {
    pub(crate) cells: Vec<u32>,
    pub(crate) stride: usize,
}

/// Cells of a row before its codes.
pub(crate) const HEAD: usize = 2;

impl Rows {
    /// One row per tuple, or one per record; records of one tuple follow each other in the order of tuples.
    pub(crate) fn new(request: &Request<'_>, unit: Unit) -> Rows {
        let summary = request.summary;
        let stride = HEAD + summary.quasi.len();
        let rows = match unit {
            Unit::Tuple => summary.tuples(),
            Unit::Record => summary.total() as usize,
        };
        let mut cells = Vec::with_capacity(rows * stride);
        let mut record = 0;
        for tuple in 0..summary.tuples() {
            let (copies, weight) = match unit {
                // A tuple of more than four billion records stands for that many: no promise needs to know better.
                Unit::Tuple => (1, summary.records[tuple].min(u64::from(u32::MAX)) as u32),
                Unit::Record => (summary.records[tuple], 1),
            };
            for _ in 0..copies {
                cells.push(match unit {
                    Unit::Tuple => tuple as u32,
                    Unit::Record => record,
                });
                record += 1;
                cells.push(weight);
                cells.extend(summary.quasi.iter().map(|codes| codes[tuple]));
            }
        }
        Rows { cells, stride }
    }
}

/// Judges parts of a table.
pub(crate) struct Judge<'a> {
    request: &'a Request<'a>,
    stride: usize,
    /// Tuple of each record, when rows are records.
    tuple_of: Option<Vec<u32>>,
    /// Whether histograms are needed; size alone is far cheaper.
    histograms: bool,
}

impl<'a> Judge<'a> {
    /// A judge for rows of `unit`.
    pub(crate) fn new(request: &'a Request<'a>, unit: Unit) -> Judge<'a> {
        let summary = request.summary;
        let by_size = |name: &str| name == "k-anonymity";
        Judge {
            request,
            stride: HEAD + summary.quasi.len(),
            tuple_of: (unit == Unit::Record && summary.subjects.is_some()).then(|| {
                let tuples = 0..summary.tuples() as u32;
                tuples
                    .flat_map(|t| std::iter::repeat_n(t, summary.records[t as usize] as usize))
                    .collect()
            }),
            histograms: !request
                .promises
                .iter()
                .all(|promise| by_size(promise.terms().name)),
        }
    }

    /// Whether the part of these rows meets every promise.
    pub(crate) fn admits(&self, rows: &[u32]) -> bool {
        self.group(rows, |group| admitted(self.request.promises, group))
    }

    /// The group of these rows.
    pub(crate) fn group<T>(&self, rows: &[u32], judge: impl FnOnce(&Group<'_>) -> T) -> T {
        let summary = self.request.summary;
        let records = rows
            .chunks_exact(self.stride)
            .map(|row| u64::from(row[1]))
            .sum();
        let tuple = |row: &[u32]| {
            self.tuple_of
                .as_ref()
                .map_or(row[0], |tuple_of| tuple_of[row[0] as usize]) as usize
        };
        let subjects = summary.subjects.as_ref().map(|subjects| {
            let mut all: Vec<u32> = rows
                .chunks_exact(self.stride)
                .flat_map(|row| subjects.row(tuple(row)))
                .copied()
                .collect();
            all.sort_unstable();
            all.dedup();
            all.len() as u64
        });
        let mut sums: Vec<Vec<(u32, u64)>> = Vec::new();
        if self.histograms && !summary.shown.is_empty() {
            for pairs in &summary.shown {
                let all = rows
                    .chunks_exact(self.stride)
                    .flat_map(|row| pairs.row(tuple(row)));
                sums.push(by_subjects(all.copied().collect()));
            }
        } else if self.histograms {
            for histograms in &summary.sensitive {
                let all = rows
                    .chunks_exact(self.stride)
                    .flat_map(|row| histograms.row(tuple(row)));
                sums.push(added(all.copied().collect()));
            }
        }
        with_group(records, subjects, sums.iter().map(Vec::as_slice), judge)
    }
}

/// Collects the published values of one quasi-identifier.
struct Publisher<'a> {
    hierarchy: &'a Hierarchy,
    axis: Axis,
    known: HashMap<(u32, u32), u32>,
    labels: Labels,
}

/// A part over the whole domain.
const EVERYTHING: (u32, u32) = (u32::MAX, u32::MAX);

impl Publisher<'_> {
    /// The label of a part whose codes are `codes`.
    fn label(&mut self, codes: impl Iterator<Item = u32> + Clone) -> u32 {
        let span = match self.axis {
            Axis::Ordered => {
                let low = codes.clone().min().unwrap_or(0);
                let high = codes.max().unwrap_or(0);
                let missing = self.hierarchy.levels()[0].labels[high as usize].is_none();
                // The missing value has no place in a range.
                if missing && low < high {
                    EVERYTHING
                } else {
                    (low, high)
                }
            }
            Axis::Tree => common_node(self.hierarchy, &codes).unwrap_or(EVERYTHING),
        };
        if let Some(&label) = self.known.get(&span) {
            return label;
        }
        let levels = self.hierarchy.levels();
        let all = self.hierarchy.leaves() as f64;
        let (text, share) = match (self.axis, span) {
            (_, EVERYTHING) => (Some("*".into()), 1.0),
            (Axis::Tree, (level, node)) => {
                let level = &levels[level as usize];
                let leaves = level.leaves[node as usize] as f64;
                (level.labels[node as usize].clone(), leaves / all)
            }
            (Axis::Ordered, (low, high)) => {
                let (from, to) = (
                    &levels[0].labels[low as usize],
                    &levels[0].labels[high as usize],
                );
                let leaves: u64 = levels[0].leaves[low as usize..=high as usize].iter().sum();
                let text = between(from.as_deref(), to.as_deref());
                (text, leaves as f64 / all)
            }
        };
        let label = self.labels.texts.len() as u32;
        self.labels.texts.push(text);
        self.labels.shares.push(share);
        self.known.insert(span, label);
        label
    }
}

/// How a range of numbers is written.
fn between(from: Option<&str>, to: Option<&str>) -> Option<Box<str>> {
    match (from, to) {
        (Some(from), Some(to)) if from == to => Some(from.into()),
        (Some(from), Some(to)) if from.starts_with('-') || to.starts_with('-') => {
            Some(format!("[{from}, {to}]").into())
        }
        (Some(from), Some(to)) => Some(format!("{from}-{to}").into()),
        _ => None,
    }
}

/// How a run of ascending codes of a number is written.
pub(crate) fn range_text(hierarchy: &Hierarchy, codes: &[u32]) -> Option<Box<str>> {
    let labels = &hierarchy.levels()[0].labels;
    let (first, last) = (*codes.first()?, *codes.last()?);
    between(
        labels[first as usize].as_deref(),
        labels[last as usize].as_deref(),
    )
}

/// Level and node of the lowest node above all codes; `None` when even the top level keeps them apart.
pub(crate) fn common_node(
    hierarchy: &Hierarchy,
    codes: &(impl Iterator<Item = u32> + Clone),
) -> Option<(u32, u32)> {
    hierarchy
        .levels()
        .iter()
        .enumerate()
        .find_map(|(height, level)| {
            let mut nodes = codes.clone().map(|code| level.nodes[code as usize]);
            let first = nodes.next()?;
            nodes
                .all(|node| node == first)
                .then_some((height as u32, first))
        })
}

/// The recoding that publishes consecutive parts of `rows`, each as the tightest value its axis has.
pub(crate) fn publish(
    request: &Request<'_>,
    unit: Unit,
    axes: &[Axis],
    rows: &Rows,
    parts: &[usize],
) -> Recoding {
    // Units that are in no part are suppressed.
    let units = match unit {
        Unit::Tuple => request.summary.tuples(),
        Unit::Record => request.summary.total() as usize,
    };
    let pieces = || {
        let mut rest = rows.cells.as_slice();
        parts.iter().map(move |&length| {
            let (part, behind) = rest.split_at(length * rows.stride);
            rest = behind;
            part.chunks_exact(rows.stride)
        })
    };
    let assigned = || {
        let mut class_of = vec![None; units];
        for (class, part) in (0..).zip(pieces()) {
            for row in part {
                class_of[row[0] as usize] = Some(class);
            }
        }
        class_of
    };
    // Every attribute has labels of its own.
    let labelled = || -> (Vec<Labels>, Vec<Vec<u32>>) {
        let attributes = request.hierarchies.par_iter().zip(axes).enumerate();
        attributes
            .map(|(d, (hierarchy, &axis))| {
                let mut publisher = Publisher {
                    hierarchy,
                    axis,
                    known: HashMap::new(),
                    labels: Labels::default(),
                };
                let label = |part: ChunksExact<'_, u32>| {
                    publisher.label(part.map(move |row| row[HEAD + d]))
                };
                let published = pieces().map(label).collect();
                (publisher.labels, published)
            })
            .unzip()
    };
    let (class_of, (labels, published)) = rayon::join(assigned, labelled);
    Recoding {
        unit,
        class_of,
        labels,
        published,
        levels: None,
    }
}

#[cfg(test)]
mod tests {
    use denym_data::{Column, End};

    use super::*;

    /// `01067-06108` is no post code, whatever its digits are.
    #[test]
    fn what_is_redacted_is_cut_along_its_hierarchy() {
        let codes = Column::from_texts("zip", ["10670", "61080", "61090"].map(Some));
        let codes = &codes.dictionary;
        let redacted = Hierarchy::redaction(codes, End::Right, 2, None).expect("a hierarchy");
        assert_eq!(Axis::of(&redacted), Axis::Ordered);
        assert_eq!(Axis::declared(&redacted), Axis::Tree);
        assert_eq!(Axis::declared(&Hierarchy::flat(codes)), Axis::Ordered);
        let widths = [Decimal::whole(100), Decimal::whole(1000)];
        let intervals = Hierarchy::intervals(codes, &widths).expect("a hierarchy");
        assert_eq!(Axis::declared(&intervals), Axis::Ordered);
    }
}
