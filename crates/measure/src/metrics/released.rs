//! Every information metric of a release, from what was written and, where it is known, how it came about.

use std::borrow::Cow;
use std::collections::HashMap;

use denym_data::{Hierarchy, Recoding, Summary, Table, Unit};

use super::{
    Cells, Publication, ambiguity, average_class_size, classification_metric, discernibility,
    discernibility_star, height, igpl, iloss, ilpg, kl_divergence, loss, minimal_distortion, ncp,
    non_uniform_entropy, normalized_average_class_size, precision, random_queries, workload_error,
};
use crate::promises::EntropyDiversity;
use crate::{Classes, Error, Histogram, Roles};

/// Queries of the workload; their mean error is steady to about a percent.
const QUERIES: usize = 500;

/// Tuples that all queries together may look at: about a second.
const MOST_LOOKS: usize = 100_000_000;

/// The seed of the queries, so that two releases answer the same ones.
const SEED: u64 = 1;

/// Every metric that the release allows, by the names of `denym metrics`.
pub type Utility = Vec<(String, f64)>;

/// A release as metrics see it.
pub struct Released<'a> {
    /// The source as a search saw it.
    pub summary: &'a Summary,
    /// The quasi-identifiers.
    pub quasi: &'a [String],
    /// Their hierarchies.
    pub hierarchies: &'a [Hierarchy],
    /// What the loss of each is multiplied by; once each when there are none.
    pub weights: &'a [f64],
    /// The sensitive attribute that classes are to tell much about.
    pub target: Option<&'a str>,
    /// The k that is promised.
    pub k: Option<u64>,
    /// What became of the tuples; `None` when the table alone does not tell.
    pub recoding: Option<&'a Recoding>,
    /// The published table.
    pub table: &'a Table,
    /// Records of the source.
    pub total: u64,
    /// The classes of the published table, where they have been made already: of all quasi-identifiers, without subjects.
    pub classes: Option<&'a Classes>,
}

impl Released<'_> {
    /// Every metric in the order of the catalogue.
    pub fn measure(&self) -> Result<Utility, Error> {
        let position = |name: &str| {
            let found = self.table.position(name);
            found.ok_or_else(|| Error::UnknownColumn {
                column: name.to_owned(),
                known: Vec::new(),
            })
        };
        let quasi: Vec<usize> = self
            .quasi
            .iter()
            .map(|name| position(name))
            .collect::<Result<_, _>>()?;
        let weights = self.weights;
        let sensitive = self.target.map(position).transpose()?;
        let roles = Roles {
            quasi: quasi.clone(),
            sensitive: sensitive.into_iter().collect(),
            subject: None,
        };
        let known = self.classes.filter(|classes| {
            let first = classes.attributes().first();
            first.map(|first| first.name.as_str()) == self.target
        });
        let classes = match known {
            Some(classes) => Cow::Borrowed(classes),
            None => Cow::Owned(Classes::of(self.table, &roles)),
        };
        let classes = classes.as_ref();
        let sizes = classes.records();
        let suppressed = self.total.saturating_sub(classes.total());

        // Records that were left out before the search are lost like those it suppressed.
        let left_out = self.total.saturating_sub(self.summary.total());
        let mut cells = match self.recoding {
            Some(recoding) => Cells::of_recoding(self.summary, recoding, self.hierarchies),
            None => Cells::of_table(self.table, &quasi, self.hierarchies, self.total),
        }?;
        if self.recoding.is_some() {
            cells.suppressed += left_out;
            cells.total += left_out;
        }
        let mut found = Utility::new();
        let mut add = |name: &str, value: f64| found.push((name.to_owned(), value));
        let lost = loss(&cells, weights)?;
        add("loss", lost.geometric);
        add("loss-arithmetic", lost.arithmetic);
        add(
            "discernibility",
            discernibility(sizes, suppressed, self.total) as f64,
        );
        let by_tuple = self
            .recoding
            .filter(|recoding| recoding.unit == Unit::Tuple);
        if let Some(recoding) = by_tuple
            && let Some(gone) = self.suppressed_classes(recoding)
        {
            add(
                "discernibility-star",
                discernibility_star(sizes, &gone) as f64,
            );
        }
        add("average-class-size", average_class_size(sizes));
        if let Some(k) = self.k {
            add(
                "normalized-average-class-size",
                normalized_average_class_size(sizes, k),
            );
        }
        add("precision", precision(&cells));
        add("minimal-distortion", minimal_distortion(&cells) as f64);
        if let Some(levels) = self.recoding.and_then(|recoding| recoding.levels.as_ref()) {
            add("height", height(levels) as f64);
        }
        add("iloss", iloss(&cells, weights)?.mean);
        add("ncp", ncp(&cells, weights)?.mean);
        if sensitive.is_some() {
            add(
                "classification",
                classification_metric(classes, 0, suppressed),
            );
            let (lost, gained) = self.traded(classes);
            // The way back from the release is the specialization that undoes it: what is gained and lost changes places.
            add("igpl", igpl(lost, gained));
            add("ilpg", ilpg(lost, gained));
        }
        if let Some(recoding) = by_tuple {
            let publication = Publication::new(self.summary, recoding, self.hierarchies)?;
            let (entropy, (ambiguous, divergence)) = rayon::join(
                || non_uniform_entropy(&publication),
                || {
                    let mut whole = publication.clone();
                    whole.suppressed += left_out;
                    whole.total += left_out;
                    (ambiguity(&whole), kl_divergence(&publication))
                },
            );
            add("ambiguity", ambiguous);
            add("non-uniform-entropy", entropy.bits);
            add("non-uniform-entropy-normalized", entropy.normalized);
            add("kl-divergence", divergence);
            // The same queries for every release of one source, fewer for very large ones.
            let many = (MOST_LOOKS / self.summary.tuples().max(1)).clamp(20, QUERIES);
            let queries = random_queries(&publication, many, SEED);
            // Counts below one in a thousand are noise in any table.
            let sanity = self.total as f64 / 1000.0;
            let errors = workload_error(&publication, &queries, sanity);
            add("workload-error", errors.mean);
            add("workload-error-median", errors.median);
        }
        Ok(found)
    }

    /// What the release, as one generalization of the source, loses and gains: bits about the first sensitive attribute that a
    /// record's class tells, and people in the smallest class.
    fn traded(&self, classes: &Classes) -> (f64, f64) {
        let Some(histograms) = self.summary.sensitive.first() else {
            return (0.0, 0.0);
        };
        let source = (0..self.summary.tuples())
            .map(|tuple| Histogram::new(histograms.row(tuple)))
            .collect::<Vec<_>>();
        let bits = |total: f64| total / std::f64::consts::LN_2;
        let before: f64 = source
            .iter()
            .map(|histogram| histogram.total as f64 * EntropyDiversity::entropy(histogram))
            .sum();
        let before = bits(before) / self.summary.total().max(1) as f64;
        let after = classes.fold(
            || 0.0,
            |sum, _, group| {
                let histogram = &group.histogram(0);
                *sum += histogram.total as f64 * EntropyDiversity::entropy(histogram);
            },
            |left, right| left + right,
        );
        let after = bits(after) / classes.total().max(1) as f64;
        let k = |sizes: &[u64]| sizes.iter().copied().min().unwrap_or(0) as f64;
        let gained = k(classes.records()) - k(&self.summary.records);
        ((after - before).max(0.0), gained.max(0.0))
    }

    /// Sizes of the classes that a full-domain release suppressed.
    fn suppressed_classes(&self, recoding: &Recoding) -> Option<Vec<u64>> {
        let levels = recoding.levels.as_ref()?;
        let mut sizes: HashMap<Vec<u32>, u64> = HashMap::new();
        for (tuple, class) in recoding.class_of.iter().enumerate() {
            if class.is_none() {
                let key = self.nodes(levels, tuple);
                *sizes.entry(key).or_default() += self.summary.records[tuple];
            }
        }
        Some(sizes.into_values().collect())
    }

    /// The nodes of a tuple at `levels`.
    fn nodes(&self, levels: &[usize], tuple: usize) -> Vec<u32> {
        levels
            .iter()
            .zip(self.hierarchies)
            .zip(&self.summary.quasi)
            .map(|((&level, hierarchy), codes)| hierarchy.node(level, codes[tuple]))
            .collect()
    }

    /// The recoding that a full-domain release shows: one level per column, and each tuple in the class that looks so.
    pub fn reconstructed(&self) -> Option<Recoding> {
        let columns: Vec<_> = self
            .quasi
            .iter()
            .map(|name| self.table.column(name))
            .collect::<Option<_>>()?;
        let mut levels = Vec::new();
        // For each column, the node of each of its codes at the lowest level that knows them all.
        let mut nodes: Vec<Vec<u32>> = Vec::new();
        for (column, hierarchy) in columns.iter().zip(self.hierarchies) {
            let (level, of) = (0..hierarchy.height()).find_map(|level| {
                let labels: HashMap<Option<&str>, u32> = hierarchy.levels()[level]
                    .labels
                    .iter()
                    .map(Option::as_deref)
                    .zip(0..)
                    .collect();
                let of: Option<Vec<u32>> = (0..column.dictionary.len() as u32)
                    .map(|code| labels.get(&column.dictionary.text(code)).copied())
                    .collect();
                Some((level, of?))
            })?;
            levels.push(level);
            nodes.push(of);
        }
        let mut class_of_key: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut published: Vec<Vec<u32>> = vec![Vec::new(); columns.len()];
        let mut left: Vec<u64> = Vec::new();
        for row in 0..self.table.records() {
            let key: Vec<u32> = columns
                .iter()
                .zip(&nodes)
                .map(|(column, nodes)| nodes[column.codes[row] as usize])
                .collect();
            let class = *class_of_key.entry(key.clone()).or_insert_with(|| {
                for (published, &node) in published.iter_mut().zip(&key) {
                    published.push(node);
                }
                left.push(0);
                left.len() as u32 - 1
            });
            left[class as usize] += 1;
        }
        let mut class_of = Vec::with_capacity(self.summary.tuples());
        for tuple in 0..self.summary.tuples() {
            let class = class_of_key.get(&self.nodes(&levels, tuple)).copied();
            if let Some(class) = class {
                let left = &mut left[class as usize];
                *left = left.checked_sub(self.summary.records[tuple])?;
            }
            class_of.push(class);
        }
        // Every published record must have been accounted for, or the release is no full-domain one.
        left.iter().all(|&left| left == 0).then(|| Recoding {
            unit: Unit::Tuple,
            class_of,
            labels: levels
                .iter()
                .zip(self.hierarchies)
                .map(|(&level, hierarchy)| hierarchy.labels(level))
                .collect(),
            published,
            levels: Some(levels),
        })
    }
}
