//! Tables whose records are grouped: columns and promises in, a recoding of single records out.
//!
//! | family | groups | publishes |
//! |---|---|---|
//! | numbers | microaggregation | centroids |
//! | mixed columns | MDAV-generic | means, median and most frequent categories |
//! | clusters | clustering | ranges, lowest common ancestors |
//!
//! What comes out is applied, written, read back and audited like the recoding of any other solver.

mod admission;
mod clusters;
mod mixed;
mod numbers;
mod onto;

use denym_data::{
    Centroid, Column, Hierarchy, InsertionRule, Labels, Recoding, Scaling, Table, Unit,
};

use crate::{Error, Options, Partition};

pub use admission::Admission;
pub use onto::EarlierGroups;

/// What is grouped by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// Microaggregation: numbers become centroids.
    Numeric,
    /// Microaggregation of mixed columns: numbers become means, categories the most frequent one.
    Generic,
    /// Clusters: numbers become ranges, categories their lowest common ancestor.
    Clusters,
}

/// A quasi-identifier as groups see it.
pub struct QuasiColumn<'a> {
    /// Its values.
    pub column: &'a Column,
    /// Its hierarchy, for clusters of categories.
    pub hierarchy: &'a Hierarchy,
    /// Whether it is taken as numbers.
    pub numeric: bool,
    /// The order of its categories, where they have one.
    pub order: Option<&'a [String]>,
}

/// Records that are to be grouped, and how.
pub struct GroupRequest<'a> {
    /// The algorithm by its name in policies; `auto` tries several.
    pub algorithm: &'a str,
    /// The records.
    pub table: &'a Table,
    /// What groups are made by.
    pub quasi: Vec<QuasiColumn<'a>>,
    /// What every group must keep.
    pub admission: &'a Admission<'a>,
    /// What distances and losses of numbers are measured on.
    pub scaling: Scaling,
    /// What is published for a group of numbers.
    pub centroid: Centroid,
    /// Quasi-identifiers that are microaggregated apart from each other, by position; all together when empty.
    pub attribute_groups: Vec<Vec<usize>>,
    /// V-MDAV: how readily a group grows.
    pub gamma: Option<f64>,
    /// How records choose a group of an earlier release.
    pub insertion: InsertionRule,
    /// The records of people who do not mind being recognized, ascending.
    pub unconcerned: Vec<u32>,
    /// The seed of searches.
    pub seed: u64,
    /// Rounds of improvement, when somebody says how many.
    pub effort: Option<u64>,
    /// Whether a search goes on until time is up.
    pub unbounded: bool,
    /// Whether nobody has stopped the run.
    pub keep_going: &'a (dyn Fn() -> bool + Sync),
    /// Whether time is left.
    pub in_time: &'a (dyn Fn() -> bool + Sync),
}

/// Groups that were found, and what they cost.
#[derive(Debug, Clone)]
pub struct Grouped {
    /// Whose groups they are.
    pub algorithm: &'static str,
    /// What is published.
    pub recoding: Recoding,
    /// What else was tried.
    pub attempts: Vec<GroupAttempt>,
    /// What they cost.
    pub figures: GroupFigures,
    /// Numeric quasi-identifiers, before and after, record by record.
    pub changed: Vec<ChangedColumn>,
    /// Absolute deviations from the medians (7.1), where groups have medians.
    pub adm: Option<f64>,
    /// What the steward should know.
    pub warnings: Vec<String>,
}

impl Grouped {
    /// What is lost, in percent of losing everything; groups are compared by it.
    pub fn loss(&self) -> f64 {
        self.figures.information_loss_percent
    }
}

/// How one algorithm of several fared.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupAttempt {
    /// The algorithm.
    pub algorithm: &'static str,
    /// Its loss, when it found groups.
    pub score: Option<f64>,
    /// What came of it, in words.
    pub outcome: String,
    /// Whether its groups are those returned.
    pub chosen: bool,
}

/// Figures of a release of numeric microdata or of clusters.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GroupFigures {
    /// Groups that the algorithm made.
    pub groups: u64,
    /// Numbers: 100 * SSE / SST of the written values. Clusters: the loss (4.1) as a share of losing everything.
    pub information_loss_percent: f64,
    /// Clusters: the loss (4.1) itself, in records times attributes.
    pub information_loss: Option<f64>,
    /// Rounds of improvement; `--effort` with this number repeats the run.
    pub effort: Option<u64>,
    /// New records that wait for a later release, when this one was made onto an earlier one.
    pub waiting: Option<u64>,
    /// Clusters: what became of people who do not mind, when the policy speaks of them.
    pub unconcerned: Option<Unconcerned>,
    /// The loss of each quasi-identifier, 0 to 1.
    pub attribute_loss: Vec<(String, f64)>,
}

/// What became of the records of people who do not mind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unconcerned {
    /// Their records.
    pub records: u64,
    /// The fewest records of people who mind in any group.
    pub smallest_group: u64,
}

/// A numeric column before and after, record by record.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedColumn {
    /// Its name.
    pub name: String,
    /// The numbers of the source.
    pub before: Vec<f64>,
    /// The numbers as they are written.
    pub after: Vec<f64>,
}

/// Groups of the records of a request that keep every promise. `confirms` is asked before one of several answers is taken: whether
/// the audit would confirm what a recoding publishes.
pub fn group(
    family: Family,
    request: &GroupRequest<'_>,
    confirms: &mut dyn FnMut(&Recoding) -> bool,
) -> Result<Grouped, Error> {
    match family {
        Family::Numeric => numbers::solve(request, confirms),
        Family::Generic => mixed::solve(request),
        Family::Clusters => clusters::solve(request),
    }
}

/// The groups of an earlier release with the records that came since; safe against whoever compares the two releases.
///
/// Mixed columns and groups of attributes cannot be added to.
pub fn group_onto(
    family: Family,
    request: &GroupRequest<'_>,
    earlier: &EarlierGroups,
) -> Result<Grouped, Error> {
    match family {
        Family::Numeric => numbers::onto(request, earlier),
        Family::Generic | Family::Clusters => clusters::onto(request, earlier),
    }
}

impl GroupRequest<'_> {
    /// The options of one algorithm; `usual` rounds when nobody asked for more or fewer.
    fn options(&self, usual: u64) -> Options {
        let mut options = Options {
            k: self.admission.k,
            seed: self.seed,
            effort: match self.effort {
                Some(effort) => effort,
                None if self.unbounded => u64::MAX,
                None => usual,
            },
            ..Options::default()
        };
        if let Some(gamma) = self.gamma {
            options.gamma = gamma;
        }
        options
    }

    /// Whether a search may go on.
    fn goes_on(&self) -> bool {
        (self.keep_going)() && (self.in_time)()
    }

    /// Refuses to go on when somebody stopped the run.
    fn proceed(&self) -> Result<(), Error> {
        if (self.keep_going)() {
            Ok(())
        } else {
            Err(Error::Stopped)
        }
    }

    /// The loss of each quasi-identifier by name.
    fn losses(&self, texts: &[Texts]) -> Vec<(String, f64)> {
        let names = self.quasi.iter().map(|quasi| quasi.column.name.clone());
        names.zip(texts.iter().map(|column| column.loss)).collect()
    }
}

/// What one quasi-identifier publishes for each group, and how much of its detail is lost.
struct Texts {
    by_group: Vec<Option<String>>,
    loss: f64,
}

/// The recoding in which each group publishes its texts; records without a group are suppressed.
fn recoding(group_of: &[Option<u32>], texts: &[Texts]) -> Recoding {
    let mut labels = Vec::with_capacity(texts.len());
    let mut published = Vec::with_capacity(texts.len());
    for column in texts {
        let mut distinct: Vec<&Option<String>> = column.by_group.iter().collect();
        distinct.sort_unstable();
        distinct.dedup();
        published.push(
            column
                .by_group
                .iter()
                .map(|text| distinct.partition_point(|other| *other < text) as u32)
                .collect(),
        );
        labels.push(Labels {
            texts: distinct
                .iter()
                .map(|text| text.as_deref().map(Box::from))
                .collect(),
            shares: vec![column.loss; distinct.len()],
        });
    }
    Recoding {
        unit: Unit::Record,
        class_of: group_of.to_vec(),
        labels,
        published,
        levels: None,
    }
}

/// The group of each record.
fn labels_of(partition: &Partition) -> Vec<Option<u32>> {
    partition.labels().into_iter().map(Some).collect()
}
