//! Ranges with edges that say nothing of anybody: published ranges of data values are widened to edges that were there before the data.
//!
//! # Idea
//!
//! A search that cuts a column by order publishes a class as the range from its smallest value to its largest: `153.3-186.5`. Both ends are
//! somebody's exact height. Here every such range grows outwards: to the edges of the first level of the column's hierarchy where that
//! has ranges (`150-189` for intervals of five), else to multiples of 2, 5, 10, 20, 50, .. that are about a quarter of its width. A value
//! that a whole class shares stays as it is.
//!
//! # Guarantee
//!
//! Everybody stays in the range of their class, and no end of a range depends on more than on which two steps of a fixed grid the values
//! of its class begin and end in. Classes that then look the same are one class: groups only grow.
//!
//! # Cost
//!
//! One pass over the labels, one over the classes.

use std::collections::HashMap;

use denym_data::{Decimal, Hierarchy, NumberRange, Recoding};

use crate::figures;
use crate::partition::Axis;
use crate::request::Request;
use crate::solution::Solution;

/// The solution with its ranges widened, scored anew.
#[must_use]
pub fn widened(request: &Request<'_>, solution: Solution) -> Solution {
    let mut recoding = solution.recoding;
    let mut changed = false;
    for (hierarchy, labels) in request.hierarchies.iter().zip(&mut recoding.labels) {
        if Axis::of(hierarchy) != Axis::Ordered {
            continue;
        }
        let column = OrderedColumn::of(hierarchy);
        for (text, share) in labels.texts.iter_mut().zip(&mut labels.shares) {
            let wide = text.as_deref().and_then(|text| column.widen(text));
            if let Some((wide, own)) = wide {
                *text = Some(wide.into());
                *share = own;
                changed = true;
            }
        }
    }
    if !changed {
        return Solution {
            recoding,
            ..solution
        };
    }
    merge_alike(&mut recoding);
    let found = figures::solution(request, recoding);
    let mut statistics = found.statistics;
    statistics.space = solution.statistics.space;
    statistics.evaluated = solution.statistics.evaluated;
    Solution {
        statistics,
        bound: solution.bound,
        ..found
    }
}

/// The values of a column in their order, and the labels that are no ranges of values.
struct OrderedColumn<'h> {
    hierarchy: &'h Hierarchy,
    /// Every value with its code.
    codes: HashMap<&'h str, u32>,
    numbers: Vec<Option<Decimal>>,
    scale: u32,
}

impl<'h> OrderedColumn<'h> {
    fn of(hierarchy: &'h Hierarchy) -> OrderedColumn<'h> {
        let values = &hierarchy.levels()[0].labels;
        let texts = || (0..).zip(values.iter().map(Option::as_deref));
        let numbers: Vec<Option<Decimal>> = texts()
            .map(|(_, text)| text.and_then(Decimal::parse))
            .collect();
        OrderedColumn {
            hierarchy,
            codes: texts()
                .filter_map(|(code, text)| Some((text?, code)))
                .collect(),
            scale: numbers
                .iter()
                .flatten()
                .map(|number| number.scale())
                .max()
                .unwrap_or(0),
            numbers,
        }
    }

    /// A range between two values of the data, widened, and the share of the domain that it covers; `None` for any other label.
    fn widen(&self, label: &str) -> Option<(String, f64)> {
        let mut levels = self.hierarchy.levels().iter();
        let is_own = levels.any(|level| level.labels.iter().flatten().any(|own| **own == *label));
        let range = NumberRange::parse(label).filter(|range| range.end_in && !is_own)?;
        let (low, high) = (*self.codes.get(range.from)?, *self.codes.get(range.to)?);
        let (text, from, to) = self
            .by_level(low, high)
            .or_else(|| self.by_grid(low, high))?;
        let within = |number: &Decimal| {
            let number = number.scaled(self.scale);
            from <= number && number < to
        };
        let leaves = &self.hierarchy.levels()[0].leaves;
        let covered: u64 = self
            .numbers
            .iter()
            .zip(leaves)
            .filter(|(number, _)| number.as_ref().is_some_and(within))
            .map(|(_, leaves)| *leaves)
            .sum();
        Some((text, covered as f64 / self.hierarchy.leaves() as f64))
    }

    /// Between the edges of the first level, where its labels of both values are ranges; the end is the first number beyond.
    fn by_level(&self, low: u32, high: u32) -> Option<(String, i128, i128)> {
        let level = self.hierarchy.levels().get(1)?;
        let label = |code: u32| level.labels[level.nodes[code as usize] as usize].as_deref();
        let (first, last) = (
            NumberRange::parse(label(low)?)?,
            NumberRange::parse(label(high)?)?,
        );
        if first.end_in != last.end_in {
            return None;
        }
        let number = |text: &str| {
            let number = Decimal::parse(text)?;
            (number.scale() <= self.scale).then(|| number.scaled(self.scale))
        };
        let (from, to) = (number(first.from)?, number(last.to)?);
        let (from_text, to_text) = (first.from, last.to);
        Some(if !last.end_in {
            (format!("[{from_text}, {to_text})"), from, to)
        } else if from < 0 || to < 0 {
            (format!("[{from_text}, {to_text}]"), from, to + 1)
        } else {
            (format!("{from_text}-{to_text}"), from, to + 1)
        })
    }

    /// Between multiples of a step that has nothing to do with the values.
    fn by_grid(&self, low: u32, high: u32) -> Option<(String, i128, i128)> {
        let number = |code: u32| Some(self.numbers[code as usize]?.scaled(self.scale));
        let (low, high) = (number(low)?, number(high)?);
        let step = step_for(high - low);
        let from = low.div_euclid(step) * step;
        let to = (high.div_euclid(step) + 1) * step;
        let text = |number: i128| Decimal::format(number, self.scale);
        Some(if self.scale > 0 {
            (format!("[{}, {})", text(from), text(to)), from, to)
        } else if from < 0 {
            (format!("[{}, {}]", text(from), text(to - 1)), from, to)
        } else {
            (format!("{}-{}", text(from), text(to - 1)), from, to)
        })
    }
}

/// The least of 2, 5, 10, 20, 50, .. that is at least a quarter of a width.
fn step_for(width: i128) -> i128 {
    let mut unit = 1;
    loop {
        for step in [2 * unit, 5 * unit, 10 * unit] {
            if 4 * step >= width {
                return step;
            }
        }
        unit *= 10;
    }
}

/// Makes one class of those that are published alike, and one label of those with one text.
fn merge_alike(recoding: &mut Recoding) {
    for (labels, published) in recoding.labels.iter_mut().zip(&mut recoding.published) {
        let mut first: HashMap<Option<Box<str>>, u32> = HashMap::new();
        let mut to = Vec::with_capacity(labels.texts.len());
        for (at, text) in (0..).zip(&labels.texts) {
            to.push(*first.entry(text.clone()).or_insert(at));
        }
        for label in published {
            *label = to[*label as usize];
        }
    }
    let classes = recoding.published.first().map_or(0, Vec::len);
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    let mut to = Vec::with_capacity(classes);
    let mut kept = Vec::new();
    for class in 0..classes {
        let shown: Vec<u32> = recoding.published.iter().map(|own| own[class]).collect();
        let next = known.len() as u32;
        let own = *known.entry(shown).or_insert(next);
        if own == next {
            kept.push(class);
        }
        to.push(own);
    }
    if kept.len() == classes {
        return;
    }
    for published in &mut recoding.published {
        *published = kept.iter().map(|&class| published[class]).collect();
    }
    for class in recoding.class_of.iter_mut().flatten() {
        *class = to[*class as usize];
    }
}

#[cfg(test)]
mod tests {
    use denym_data::{Column, Labels, Unit};

    use super::*;

    fn column(values: &[&str]) -> Column {
        Column::from_texts("x", values.iter().map(|value| Some(*value)))
    }

    fn flat(values: &[&str]) -> Hierarchy {
        Hierarchy::flat(&column(values).dictionary)
    }

    #[test]
    fn ranges_grow_to_edges_that_are_nobodys() {
        let plain = flat(&["35", "41", "47", "69"]);
        let own = OrderedColumn::of(&plain);
        assert_eq!(own.widen("35-69"), Some(("30-69".into(), 1.0)));
        assert_eq!(own.widen("41-47"), Some(("40-47".into(), 0.5)));
        assert_eq!(own.widen("35"), None);
        assert_eq!(own.widen("*"), None);
        let heights = flat(&["-1.5", "153.3", "186.5"]);
        let own = OrderedColumn::of(&heights);
        assert_eq!(
            own.widen("153.3-186.5").map(|found| found.0),
            Some("[150, 190)".into())
        );
        assert_eq!(
            own.widen("[-1.5, 153.3]").map(|found| found.0),
            Some("[-50, 200)".into())
        );
    }

    #[test]
    fn a_declared_level_has_the_edges() {
        let column = column(&["31", "34", "38", "47"]);
        let widths = [Decimal::whole(5), Decimal::whole(20)];
        let ages = Hierarchy::intervals(&column.dictionary, &widths);
        let ages = ages.expect("intervals that nest");
        let own = OrderedColumn::of(&ages);
        assert_eq!(own.widen("31-38"), Some(("30-39".into(), 0.75)));
        assert_eq!(own.widen("34-47"), Some(("30-49".into(), 1.0)));
        // What a level publishes is no range of data values, though both ends may occur.
        assert_eq!(own.widen("30-34"), None);
    }

    #[test]
    fn steps_are_a_quarter_of_the_width_or_more() {
        let steps = [0, 1, 8, 9, 20, 21, 40, 41, 200].map(step_for);
        assert_eq!(steps, [2, 2, 2, 5, 5, 10, 10, 20, 50]);
    }

    #[test]
    fn classes_that_look_the_same_are_one() {
        let labels = Labels {
            texts: vec![Some("30-39".into()), Some("30-39".into()), Some("*".into())],
            shares: vec![0.5, 0.5, 1.0],
        };
        let mut recoding = Recoding {
            unit: Unit::Tuple,
            class_of: vec![Some(0), Some(1), None, Some(2)],
            labels: vec![labels],
            published: vec![vec![0, 1, 2]],
            levels: None,
        };
        merge_alike(&mut recoding);
        assert_eq!(recoding.class_of, [Some(0), Some(0), None, Some(1)]);
        assert_eq!(recoding.published, [vec![0, 2]]);
    }
}
