//! Promises and the Adult table for the tests and benches of this crate.
#![allow(dead_code, reason = "each test binary uses a part")]

pub(crate) mod cases;
pub(crate) mod survey;

use std::path::Path;

use denym_data::{Column, Hierarchy, Summary};
use denym_measure::{Group, Promise, Sense, Terms};
use denym_testkit::summarize::{columns, hierarchy, summarize};

/// At least `l` distinct values of the first sensitive attribute.
pub(crate) struct Distinct(pub(crate) u64);

impl Promise for Distinct {
    fn terms(&self) -> Terms {
        terms("l-diversity", self.0 as f64, Sense::AtLeast, true, true)
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.sensitive[0].counts.len() as u64 >= self.0
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        group.sensitive[0].counts.len() as f64
    }
}

/// Distance of the first sensitive attribute's distribution to that of the whole table at most `t`.
pub(crate) struct Close {
    pub(crate) t: f64,
    pub(crate) whole: Vec<u64>,
}

impl Promise for Close {
    fn terms(&self) -> Terms {
        terms("t-closeness", self.t, Sense::AtMost, true, false)
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        self.value(group) <= self.t
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        let total: u64 = self.whole.iter().sum();
        let histogram = group.sensitive[0];
        let mut sum = 1.0;
        for &(value, count) in histogram.counts {
            let q = self.whole[value as usize] as f64 / total as f64;
            let p = count as f64 / histogram.total as f64;
            sum += (p - q).abs() - q;
        }
        sum / 2.0
    }
}

/// No value of the first sensitive attribute in more than `c` of a class.
pub(crate) struct Confidence(pub(crate) f64);

impl Promise for Confidence {
    fn terms(&self) -> Terms {
        terms("confidence", self.0, Sense::AtMost, true, false)
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        self.value(group) <= self.0
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        let counts = group.sensitive[0].counts.iter();
        counts.map(|c| c.1).max().unwrap_or(0) as f64 / group.subjects as f64
    }
}

/// A size that must not be exceeded: lost by merging, so nothing about it is monotone.
pub(crate) struct AtMostSubjects(pub(crate) u64);

impl Promise for AtMostSubjects {
    fn terms(&self) -> Terms {
        terms("at-most", self.0 as f64, Sense::AtMost, false, false)
    }

    fn admits(&self, group: &Group<'_>) -> bool {
        group.subjects <= self.0
    }

    fn value(&self, group: &Group<'_>) -> f64 {
        group.subjects as f64
    }
}

fn terms(name: &'static str, bound: f64, sense: Sense, monotone: bool, lasting: bool) -> Terms {
    Terms {
        name,
        attribute: (name != "at-most").then_some(0),
        bound,
        sense,
        monotone,
        monotone_with_suppression: lasting,
    }
}

/// A table with its hierarchies.
pub(crate) struct Loaded {
    pub(crate) names: Vec<String>,
    pub(crate) columns: Vec<Column>,
    pub(crate) hierarchies: Vec<Hierarchy>,
}

/// The file at `data` with the Adult hierarchies.
pub(crate) fn adult(data: &Path, hierarchies: &Path) -> Loaded {
    let columns = columns(data);
    Loaded {
        names: columns.iter().map(|column| column.name.clone()).collect(),
        hierarchies: columns
            .iter()
            .map(|column| {
                let file = format!("adult_hierarchy_{}.csv", column.name);
                hierarchy(&hierarchies.join(file), column)
            })
            .collect(),
        columns,
    }
}

impl Loaded {
    /// The summary over all columns but `sensitive`, with their hierarchies.
    pub(crate) fn summary(&self, sensitive: Option<&str>) -> (Summary, Vec<Hierarchy>) {
        let quasi: Vec<usize> = (0..self.columns.len())
            .filter(|&c| Some(self.names[c].as_str()) != sensitive)
            .collect();
        let secret: Vec<&Column> = self
            .columns
            .iter()
            .filter(|column| Some(column.name.as_str()) == sensitive)
            .collect();
        let columns: Vec<&Column> = quasi.iter().map(|&c| &self.columns[c]).collect();
        let hierarchies = quasi.iter().map(|&c| self.hierarchies[c].clone()).collect();
        (summarize(&columns, &secret, None), hierarchies)
    }

    /// How often each value of the column called `name` occurs.
    pub(crate) fn histogram(&self, name: &str) -> Vec<u64> {
        let column = self.columns.iter().find(|column| column.name == name);
        let column = column.expect("the column exists");
        let mut counts = vec![0; column.dictionary.len()];
        for &code in &column.codes {
            counts[code as usize] += 1;
        }
        counts
    }
}
