//! One door to every solver of sequences.

use denym_data::paths::Paths;

use crate::error::Error;
use crate::global_suppression;
use crate::miner;
use crate::recoding::{PathRecoding, Rows, Vocabulary};
use crate::request::{Algorithm, Context, Elements, Hopeless, Limits, Matching, Request, Secret};
use crate::summary::Summary;
use crate::violations::Violations;
use crate::{
    blind_suppression, coarsening, consistent, local_suppression, optimum, transactions,
    whole_paths,
};

/// A table made ready for solvers: its summary, what breaks the promise, and who cannot be helped.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) paths: &'a Paths,
    pub(crate) request: &'a Request,
    pub(crate) summary: Summary,
    pub(crate) limits: Limits,
    pub(crate) violations: Violations,
    /// Time code of each doublet.
    pub(crate) time_of: Vec<u32>,
    pub(crate) dropped_records: Vec<u32>,
    /// Doublets removed beforehand: places too common to publish under their bound.
    pub(crate) removed: Vec<u32>,
    /// Those places, whose bounds are no longer judged.
    pub(crate) hidden: Vec<String>,
}

/// Finds a recoding of `paths` that keeps the promise of `request`.
pub fn solve(paths: &Paths, request: &Request, context: &Context) -> Result<PathRecoding, Error> {
    if request.elements == Elements::Items {
        return transactions::solve(paths, request, context);
    }
    let problem = Problem::new(paths, request, context)?;
    let mut recoding = match request.algorithm {
        Algorithm::GlobalSuppression => global(&problem, request.unsuppress, context)?,
        Algorithm::LocalSuppression => local_suppression::solve(&problem, context)?,
        Algorithm::Coarsening => coarsening::solve(&problem, context)?,
        Algorithm::WholePaths => whole_paths::solve(&problem, context)?,
        Algorithm::Optimum => optimum::solve(&problem, context)?,
        Algorithm::BlindSuppression => blind_suppression::solve(&problem, context)?,
        Algorithm::Auto => auto(&problem, context)?,
        Algorithm::ItemSuppression | Algorithm::ItemGeneralization => {
            return Err(Error::BadOption {
                what: "an algorithm of items does not work on doublets",
            });
        }
    };
    recoding
        .stats
        .count_dropped(paths, &problem.dropped_records);
    recoding.dropped_records = problem.dropped_records;
    Ok(recoding)
}

/// Every critical violation of the source for a request, as doublet ids.
pub fn critical_violations(
    paths: &Paths,
    request: &Request,
    context: &Context,
) -> Result<Violations, Error> {
    request.check()?;
    if request.elements == Elements::Items {
        return transactions::critical_itemsets(paths, &request.into(), context);
    }
    let limits = request.limits(paths)?;
    miner::mine(&Summary::new(paths, &limits), &limits, context)
}

/// How many records a release by global suppression exposes to whoever knows the source paths.
///
/// This is what `covers` does not see: see [`crate::consistent`].
pub fn exposed_records(paths: &Paths, request: &Request, suppressed: &[u32]) -> Result<u64, Error> {
    request.check()?;
    let limits = request.limits(paths)?;
    let summary = Summary::new(paths, &limits);
    let mut gone = vec![false; summary.item_count()];
    for &item in suppressed {
        gone[item as usize] = true;
    }
    let time_of: Vec<u32> = paths.doublets().iter().map(|d| d.time).collect();
    Ok(consistent::exposed(&summary, &time_of, &limits, &gone))
}

impl<'a> Problem<'a> {
    pub(crate) fn new(
        paths: &'a Paths,
        request: &'a Request,
        context: &Context,
    ) -> Result<Self, Error> {
        request.check()?;
        let mut limits = request.limits(paths)?;
        let mut summary = Summary::new(paths, &limits);
        // Nobody knows more doublets than a path has.
        let longest = (0..summary.rows()).map(|row| summary.row(row).len()).max();
        limits.l = limits.l.min(longest.unwrap_or(0)).max(1);
        let (mut removed, mut hidden) = (Vec::new(), Vec::new());
        // A place that too many visited anyway cannot be bounded by hiding other doublets: it goes itself.
        let total = summary.total(0..summary.rows());
        for (place, location) in limits.places.clone().into_iter().enumerate() {
            let attribute = paths.sensitive().len() + place;
            let visited = limits.judge.counters().place(attribute, 1);
            let visited = visited.map_or(0, |at| u64::from(total[at]));
            let over = request.bounds.iter().any(|bound| {
                let here =
                    matches!(&bound.secret, Secret::Place { location: own } if *own == location);
                here && bound.at_most.is_exceeded_by(visited, u64::from(total[0]))
            });
            if over {
                let named = summary.named_bound.iter().enumerate();
                let here = named.filter(|(_, name)| **name == attribute as u32);
                removed.extend(here.map(|(item, _)| item as u32));
                limits.judge = limits.judge.without_attribute(attribute);
                hidden.push(location);
            }
        }
        // Who is dropped by a blind search must not depend on values.
        let mut dropping = limits.clone();
        if request.algorithm == Algorithm::BlindSuppression {
            for attribute in limits.judge.counters().attributes() {
                dropping.judge = dropping.judge.without_attribute(attribute);
            }
        }
        let dropped_records = drop_hopeless(paths, &mut summary, request, &dropping)?;
        let violations = miner::mine(&summary, &limits, context)?;
        Ok(Self {
            paths,
            request,
            summary,
            limits,
            violations,
            time_of: paths.doublets().iter().map(|d| d.time).collect(),
            dropped_records,
            removed,
            hidden,
        })
    }

    /// The same limits on another table of these subjects, which may have other codes.
    pub(crate) fn limits_on(&self, table: &Paths) -> Result<Limits, Error> {
        let mut limits = self.request.limits(table)?;
        limits.l = self.limits.l;
        for (place, location) in limits.places.iter().enumerate() {
            if self.hidden.contains(location) {
                limits.judge = limits
                    .judge
                    .without_attribute(table.sensitive().len() + place);
            }
        }
        Ok(limits)
    }

    /// Adds the doublets removed beforehand to a choice.
    pub(crate) fn with_removed(&self, chosen: &mut Vec<u32>) {
        for &item in &self.removed {
            if !chosen.contains(&item) {
                chosen.push(item);
            }
        }
    }
}

/// Refuses, or empties, the classes that break the promise under empty knowledge.
fn drop_hopeless(
    paths: &Paths,
    summary: &mut Summary,
    request: &Request,
    limits: &Limits,
) -> Result<Vec<u32>, Error> {
    if summary.rows() == 0 {
        return Err(Error::TooFewRecords {
            k: limits.k(),
            smallest: 0,
            records: 0,
        });
    }
    let classes: Vec<_> = summary.classes().collect();
    let hopeless = summary.hopeless_classes(limits);
    if hopeless.is_empty() {
        return Ok(Vec::new());
    }
    if request.hopeless == Hopeless::Refuse || hopeless.len() == classes.len() {
        let totals: Vec<Vec<u32>> = hopeless
            .iter()
            .map(|&c| summary.total(classes[c].clone()))
            .collect();
        let small = totals.iter().filter(|t| u64::from(t[0]) < limits.k());
        let smallest = small.clone().map(|t| u64::from(t[0])).min();
        if let Some(smallest) = smallest {
            return Err(Error::TooFewRecords {
                k: limits.k(),
                smallest,
                records: small.map(|t| u64::from(t[0])).sum(),
            });
        }
        let worst = totals
            .iter()
            .find_map(|total| Some((total, limits.judge.rejected_by(total)?)));
        let (total, at) = worst.ok_or(Error::Internal {
            what: "a hopeless class must break a promise",
        })?;
        return Err(hopeless_because(paths, request, limits, total, at));
    }
    let mut lost_row = vec![false; summary.rows()];
    for &class in &hopeless {
        lost_row[classes[class].clone()].fill(true);
    }
    let rows = summary.row_of_record.iter().enumerate();
    let dropped = rows
        .filter(|(_, row)| lost_row[**row as usize])
        .map(|(record, _)| record as u32)
        .collect();
    summary.empty_rows(&lost_row);
    Ok(dropped)
}

/// Why a whole class breaks the promise at position `at`.
fn hopeless_because(
    paths: &Paths,
    request: &Request,
    limits: &Limits,
    total: &[u32],
    at: usize,
) -> Error {
    let promise = &limits.judge.promises()[at];
    let share = limits
        .judge
        .counters()
        .with_group(total, &[], |group| promise.share(group));
    let own = paths.sensitive();
    let name = promise.terms().attribute.and_then(|about| own.get(about));
    let attribute = name.map_or_else(|| "location".to_owned(), |own| own.name.clone());
    // Promise 0 is size, then come the bounds.
    match (at.checked_sub(1), share) {
        (Some(bound), Some((having, records))) if bound < request.bounds.len() => Error::BaseRate {
            bound,
            attribute,
            having,
            records,
        },
        _ => Error::WholeTable {
            promise: promise.terms().name,
            attribute,
        },
    }
}

/// Global suppression for either matching.
pub(crate) fn global(
    problem: &Problem,
    unsuppress: bool,
    context: &Context,
) -> Result<PathRecoding, Error> {
    let summary = &problem.summary;
    let cost = problem.request.cost;
    let mut chosen =
        global_suppression::select(summary, &problem.violations, cost, unsuppress, context)?;
    problem.with_removed(&mut chosen);
    let mut rounds = 0;
    if problem.request.matching == Matching::Consistent {
        let price = summary.instances();
        rounds = consistent::close(
            summary,
            &problem.time_of,
            &problem.limits,
            &price,
            &mut chosen,
            context,
        )?;
    }
    Ok(finish_global(
        problem,
        Algorithm::GlobalSuppression,
        chosen,
        rounds,
    ))
}

/// The recoding that removes `chosen` everywhere.
pub(crate) fn finish_global(
    problem: &Problem,
    algorithm: Algorithm,
    chosen: Vec<u32>,
    rounds: u32,
) -> PathRecoding {
    let mut gone = vec![false; problem.summary.item_count()];
    for &item in &chosen {
        gone[item as usize] = true;
    }
    PathRecoding::new(
        algorithm,
        &problem.summary,
        &problem.violations,
        Vocabulary::of_source(problem.paths),
        Rows::without(&problem.summary, &gone),
        chosen,
        rounds,
    )
}

/// Runs every solver that applies and keeps the one with the least loss; the first wins a tie.
fn auto(problem: &Problem, context: &Context) -> Result<PathRecoding, Error> {
    let mut best = global(problem, true, context)?;
    let mut others = vec![local_suppression::solve(problem, context)?];
    if problem.request.ladder.is_some() {
        others.push(coarsening::solve(problem, context)?);
    }
    for other in others {
        if other.stats.loss < best.stats.loss {
            best = other;
        }
    }
    Ok(best)
}
