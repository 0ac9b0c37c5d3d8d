//! Numeric microdata and clustering: records into groups, groups into published values.
//!
//! The way is that of every table: what comes out of here is a recoding of single records, which is applied, written, read
//! back and audited like any other.

mod admission;
mod clusters;
mod generic;
pub(crate) mod measures;
mod numeric;
mod onto;
mod unconcerned;

use denym_data::{Labels, Recoding, Role, Table, Unit};
use denym_microdata::Partition;
use denym_tabular::{Solution, Statistics};

use crate::anonymize::{RunOptions, Tried};
use crate::listener::Listener;
use crate::plan::{Plan, policy_error};
use crate::policy::{HierarchySpec, Mistake, Policy, UnconcernedSpec};
use crate::{Error, numbers, program};

pub(crate) use clusters::CLUSTERING;
pub use measures::{ColumnTests, Measures};
pub(crate) use onto::Published;
pub(crate) use unconcerned::Unconcerned;

/// Figures of a release of numeric microdata or of clusters.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Microdata {
    /// Equivalence classes of the written data; groups with equal centroids are one.
    pub(crate) classes: u64,
    /// Groups that the algorithm made.
    pub(crate) groups: u64,
    /// Numbers: 100 * SSE / SST of the written values. Clusters: the loss (4.1) as a share of losing everything.
    pub(crate) information_loss_percent: f64,
    /// Clusters: the loss (4.1) itself, in records times attributes.
    pub(crate) information_loss: Option<f64>,
    /// Rounds of improvement; `--effort` with this number repeats the run.
    pub(crate) effort: Option<u64>,
    /// New records that wait for a later release, when this one was made onto an earlier one.
    pub(crate) waiting: Option<u64>,
    /// Clusters: what became of people who do not mind, when the policy speaks of them.
    pub(crate) unconcerned: Option<Unconcerned>,
    /// The loss of each quasi-identifier, 0 to 1.
    pub(crate) attribute_loss: Vec<(String, f64)>,
}

/// What kind of algorithm a policy asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Microaggregation: numbers become centroids.
    Numeric,
    /// Microaggregation of mixed columns: numbers become means, categories the most frequent one.
    Generic,
    /// Clusters: numbers become ranges, categories their lowest common ancestor.
    Clusters,
}

/// The family of the policy's algorithm; `None` when it generalizes tables.
pub(crate) fn family(policy: &Policy, table: &Table) -> Option<Family> {
    let name = policy.release.algorithm.as_str();
    let numeric = |gaps: bool| {
        let mut quasi = policy.with_role(Role::QuasiIdentifier).peekable();
        quasi.peek().is_some()
            && quasi.all(|spec| {
                let column = table.column(&spec.name);
                spec.hierarchy == HierarchySpec::Flat
                    && column.is_some_and(|column| {
                        numbers::is_numeric(column) && (gaps || numbers::missing(column) == 0)
                    })
            })
    };
    match name {
        // Groups of numbers keep promises on values by merging, which tells too much to who knows the program.
        "auto" if policy.knows_program && program::on_values(policy) => None,
        "auto" => numeric(false).then_some(Family::Numeric),
        "best-effort" => numeric(true).then_some(Family::Numeric),
        "mdav-generic" => Some(Family::Generic),
        _ if CLUSTERING.iter().any(|entry| entry.name == name) => Some(Family::Clusters),
        _ => denym_microdata::algorithm(name)
            .is_ok()
            .then_some(Family::Numeric),
    }
}

/// What a search found.
pub(crate) struct Found {
    /// Whose groups they are.
    pub(crate) algorithm: &'static str,
    /// The recoding, its score, the loss of each quasi-identifier.
    pub(crate) solution: Solution,
    /// What else was tried.
    pub(crate) attempts: Vec<Tried>,
    /// Figures, but for what only the audit knows.
    pub(crate) figures: Microdata,
    /// Numeric quasi-identifiers, before and after, record by record.
    pub(crate) columns: Vec<measures::Changed>,
    /// Absolute deviations from the medians (7.1), where groups have medians.
    pub(crate) adm: Option<f64>,
    /// Which records are published together, for a later release onto this one.
    pub(crate) published: Published,
    /// What the steward should know.
    pub(crate) warnings: Vec<String>,
}

/// Finds groups of the records of `table` that keep every promise of `plan`.
pub(crate) fn solve(
    family: Family,
    plan: &Plan,
    table: &Table,
    confirms: &Confirms<'_>,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Found, Error> {
    check(family, plan, table)?;
    let admission = admission::Admission::new(plan, table)?;
    let earlier = options
        .onto
        .as_ref()
        .map(|bundle| onto::read(bundle, plan, table))
        .transpose()?;
    let search = Search {
        plan,
        table,
        admission: &admission,
        confirms,
        effort: options.effort,
        unbounded: options.until_told,
        listener,
    };
    let mut found = match (family, &earlier) {
        (Family::Numeric, None) => numeric::solve(&search)?,
        (Family::Numeric, Some(earlier)) => numeric::onto(&search, earlier)?,
        (Family::Generic, None) => generic::solve(&search)?,
        (Family::Generic, Some(_)) => {
            return Err(Error::Argument {
                what: "`mdav-generic` cannot add to an earlier release".into(),
                help: "use a clustering algorithm such as `k-member`, or numbers alone".into(),
            });
        }
        (Family::Clusters, None) => clusters::solve(&search)?,
        (Family::Clusters, Some(earlier)) => clusters::onto(&search, earlier)?,
    };
    found.published.describe(plan, table);
    if plan.policy.release.algorithm == "auto" {
        found.warnings.push(
            "all quasi-identifiers are numbers, so they are replaced by the means of groups; give a column that is a code, \
             such as a postcode, `type = \"text\"` or a hierarchy"
                .into(),
        );
    }
    Ok(found)
}

/// Whether the audit would confirm what a recoding publishes.
pub(crate) type Confirms<'a> = dyn Fn(&Recoding) -> Result<bool, Error> + Sync + 'a;

/// What every algorithm is given.
pub(super) struct Search<'a> {
    plan: &'a Plan,
    table: &'a Table,
    admission: &'a admission::Admission<'a>,
    confirms: &'a Confirms<'a>,
    effort: Option<u64>,
    unbounded: bool,
    listener: &'a dyn Listener,
}

impl Search<'_> {
    /// The options of one algorithm; `usual` rounds when nobody asked for more or fewer.
    fn options(&self, usual: u64) -> denym_microdata::Options {
        let release = &self.plan.policy.release;
        let mut options = denym_microdata::Options {
            k: self.admission.k,
            seed: release.seed,
            effort: match self.effort {
                Some(effort) => effort,
                None if self.unbounded => u64::MAX,
                None => usual,
            },
            ..denym_microdata::Options::default()
        };
        if let Some(gamma) = release.microdata.gamma {
            options.gamma = gamma.to_f64();
        }
        options
    }

    /// Whether a search may go on.
    fn keep_going(&self) -> bool {
        self.listener.keep_going() && self.listener.in_time()
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

/// The solution that publishes these groups.
fn solution(group_of: &[Option<u32>], texts: &[Texts], score: f64) -> Solution {
    let groups = texts.first().map_or(0, |column| column.by_group.len());
    Solution {
        recoding: recoding(group_of, texts),
        score,
        bound: None,
        statistics: Statistics {
            suppressed: group_of.iter().filter(|group| group.is_none()).count() as u64,
            classes: groups as u64,
            attribute_loss: texts.iter().map(|column| column.loss).collect(),
            ..Statistics::default()
        },
    }
}

/// The group of each record.
fn labels_of(partition: &Partition) -> Vec<Option<u32>> {
    partition.labels().into_iter().map(Some).collect()
}

/// Columns that the family cannot take are mistakes of the policy.
fn check(family: Family, plan: &Plan, table: &Table) -> Result<(), Error> {
    let policy = &plan.policy;
    let name = &policy.release.algorithm;
    let mut mistakes = Vec::new();
    for (spec, &position) in policy
        .with_role(Role::QuasiIdentifier)
        .zip(&plan.columns.quasi)
    {
        let column = &table.columns()[position];
        let mistake = |code, message: String, help: &str| Mistake {
            code,
            message,
            span: spec.span.clone(),
            help: help.to_owned(),
        };
        let numeric = numbers::is_numeric(column) && spec.hierarchy == HierarchySpec::Flat;
        if family == Family::Numeric && spec.hierarchy != HierarchySpec::Flat {
            mistakes.push(mistake(
                "policy-unused-key",
                format!(
                    "`{name}` groups numbers and has no use for the hierarchy of `{}`",
                    spec.name
                ),
                "remove the hierarchy, or use a clustering algorithm such as `k-member`",
            ));
        } else if family == Family::Numeric && !numeric {
            mistakes.push(mistake(
                "policy-not-numeric",
                format!("`{name}` groups numbers, and `{}` has values that are none", spec.name),
                "use `mdav-generic` or a clustering algorithm such as `k-member`, or another role for the column",
            ));
        }
        if spec.operations.weight.is_some() {
            mistakes.push(mistake(
                "policy-unused-key",
                format!(
                    "`{name}` groups records and has no use for the weight of `{}`",
                    spec.name
                ),
                "remove `weight`, or use an algorithm that generalizes such as `full-domain`",
            ));
        }
        let missing = numbers::missing(column);
        if missing > 0 && (numeric || family == Family::Numeric) {
            mistakes.push(mistake(
                "policy-missing-numbers",
                format!(
                    "{missing} records have no `{}`, and `{name}` cannot group what is not there",
                    spec.name
                ),
                "add `missing = \"suppress\"` to the attribute and allow for these records in `suppress-at-most`, or complete the column",
            ));
        }
    }
    if plan.columns.quasi.is_empty() {
        mistakes.push(Mistake {
            code: "policy-no-quasi-identifier",
            message: format!("`{name}` has no quasi-identifier to group by"),
            span: policy.release.algorithm_span.clone(),
            help: "give at least one column the role `quasi`".into(),
        });
    }
    if let Some(spec) = &policy.release.microdata.unconcerned
        && family != Family::Clusters
    {
        mistakes.push(only_clusters(name, spec));
    }
    mistakes.extend(attribute_groups(family, plan));
    if mistakes.is_empty() {
        Ok(())
    } else {
        Err(policy_error(policy, mistakes))
    }
}

/// Only clusters can be made without some people and then take them in.
pub(crate) fn only_clusters(algorithm: &str, spec: &UnconcernedSpec) -> Mistake {
    Mistake {
        code: "policy-unused-key",
        message: format!("`{algorithm}` keeps nobody out, so `unconcerned` has no use"),
        span: spec.span.clone(),
        help: "remove `unconcerned`, or use a clustering algorithm such as `systematic-clustering`"
            .into(),
    }
}

/// Groups of attributes must divide the quasi-identifiers.
fn attribute_groups(family: Family, plan: &Plan) -> Vec<Mistake> {
    let spec = &plan.policy.release.microdata;
    let names = plan.quasi_names();
    let mistake = |message: String, help: &str| Mistake {
        code: "policy-attribute-groups",
        message,
        span: spec.attribute_groups_span.clone(),
        help: help.to_owned(),
    };
    if spec.attribute_groups.is_empty() {
        return Vec::new();
    }
    let mut mistakes = Vec::new();
    if family != Family::Numeric {
        let message = format!(
            "`{}` has no groups of attributes",
            plan.policy.release.algorithm
        );
        mistakes.push(mistake(message, "remove `attribute-groups`"));
    }
    let grouped: Vec<&String> = spec.attribute_groups.iter().flatten().collect();
    for name in &names {
        let times = grouped.iter().filter(|other| **other == name).count();
        if times != 1 {
            let message = format!("`{name}` is in {times} groups of attributes");
            mistakes.push(mistake(
                message,
                "put every quasi-identifier into exactly one",
            ));
        }
    }
    for name in grouped.iter().filter(|name| !names.contains(name)) {
        let message = format!("`{name}` is no quasi-identifier");
        mistakes.push(mistake(message, "group quasi-identifiers only"));
    }
    mistakes
}
