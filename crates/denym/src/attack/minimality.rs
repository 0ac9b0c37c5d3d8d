//! Minimality of our own searches: what they would have published of other originals.
//!
//! The adversary knows the policy, the program and, of tables, everybody's quasi-identifiers, of paths all distinct source paths. The
//! search is run on every possible original, so only small data are attacked, and only releases in which one way to hide goes for all
//! records: elsewhere the choices are too many.

use std::collections::BTreeMap;

use denym_attack::catalogue::entry;
use denym_attack::minimality::{Choice, MinimalityFound, Originals};
use denym_data::{Column, Sequences, Table};
use denym_engine::Engine;
use denym_sequences::{Algorithm, Context, PathRecoding, Request};
use denym_tabular::SpecialAlgorithm;

use super::attack_error;
use crate::kinds::microdata::family;
use crate::kinds::sequences::{Source, read, request as solver_request};
use crate::kinds::table::solve;
use crate::listener::{Listener, Phase, Silent};
use crate::plan::Plan;
use crate::policy::Policy;
use crate::{Error, source, threads};

/// How sure the adversary of the red team wants to be.
const SURE: f64 = 0.9;

/// Runs the search of `policy` on every original that agrees with its release; an error when there are more than `limit`.
pub fn minimality(
    policy: &Policy,
    confidence: f64,
    limit: u64,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<MinimalityFound, Error> {
    super::table::sure("confidence", confidence)?;
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let pool = threads::pool(threads)?;
    let run = |name: &str, originals: &Originals<'_>| {
        let entry = entry(name).ok_or_else(|| refused("it is not in the list", NEEDS_TABLE))?;
        MinimalityFound::of(entry, originals).map_err(|error| attack_error(&error))
    };
    let sequences = policy.sequences.as_ref();
    if sequences.is_some_and(|spec| spec.separator.is_none()) {
        let again = SearchedPaths::again(policy, &engine)?;
        listener.phase(Phase::Attacking);
        return pool.install(|| {
            let (paths, seed) = (&again.source.table.sequences, policy.release.seed);
            let (request, recoding) = (&again.request, &again.recoding);
            let originals = path_originals(paths, request, recoding, seed, confidence, limit)?;
            run("path-minimality", &originals)
        });
    }
    let table = source::read(policy, &engine)?;
    let plan = Plan::new(policy, &table, &engine)?;
    listener.phase(Phase::Attacking);
    pool.install(|| {
        run(
            "minimality",
            &table_originals(&plan, &table, &engine, confidence, limit)?,
        )
    })
}

const NEEDS_TABLE: &str =
    "it needs a small table, one sensitive attribute, and a release that suppresses nothing";
const NEEDS_PATHS: &str = "it needs a small table of paths and suppression from all records";

fn refused(what: &str, help: &str) -> Error {
    Error::Argument {
        what: format!("the minimality attack does not apply: {what}"),
        help: help.to_owned(),
    }
}

/// Records of a table up to which the red team tries possible originals, and the most of them: each is one run of the search.
const TABLE: (usize, u64) = (60, 100);

/// Why the red team does not try originals of a release of `table`, where that is so.
pub(crate) fn unfit(policy: &Policy, table: &Table) -> Option<String> {
    let mut promises = policy.promises.iter();
    if !promises.any(|promised| promised.promise.attribute().is_some()) {
        return Some(
            "no promise looks at sensitive values, so they do not steer the search".into(),
        );
    }
    let algorithm = policy.release.algorithm.name;
    if ["anatomy", "k-e-permutation"].contains(&algorithm) {
        return Some("who came into which group was drawn from secret randomness, so running the program again rules no original out: every way to \
                     hand the values of a group to its people gives this release with the same chance"
            .into());
    }
    if family(policy, table).is_some() || SpecialAlgorithm::named(algorithm).is_some() {
        return Some("records are grouped, not generalized by levels; `denym algorithms` says what who knows the program learns".into());
    }
    (table.records() > TABLE.0).then(|| {
        format!(
            "it runs the search on every possible original, on up to {} records; `denym attack minimality` tries more",
            TABLE.0
        )
    })
}

/// The originals of a release of `table` as the red team tries them.
pub(crate) fn originals_of_table<'a>(
    plan: &'a Plan,
    table: &'a Table,
    engine: &'a Engine,
) -> Result<Originals<'a>, String> {
    match unfit(&plan.policy, table) {
        Some(why) => Err(why),
        None => table_originals(plan, table, engine, SURE, TABLE.1).map_err(|e| e.to_string()),
    }
}

/// A release as the attack compares them: for each published tuple its sensitive values in order.
type PublishedClasses = BTreeMap<Vec<u32>, Vec<u32>>;

/// The originals that agree with what the search publishes of `table`: every way to hand the values of a class to its people.
fn table_originals<'a>(
    plan: &'a Plan,
    table: &'a Table,
    engine: &'a Engine,
    confidence: f64,
    limit: u64,
) -> Result<Originals<'a>, Error> {
    let refused = |what| refused(what, NEEDS_TABLE);
    let [position] = plan.columns.sensitive[..] else {
        return Err(refused(
            "the policy does not have exactly one sensitive attribute",
        ));
    };
    if !plan.incomplete.is_empty() || plan.columns.subject.is_some() {
        return Err(refused("records are suppressed or counted by subject"));
    }
    let secret = &table.columns()[position];
    let (observed, class_of) = classes(plan, table, engine, position, &secret.codes)?;
    let observed = observed.ok_or_else(|| refused("some records are suppressed"))?;
    let choices = observed.iter().map(|(tuple, values)| Choice {
        people: (0..table.records() as u32)
            .filter(|&row| class_of[row as usize] == *tuple)
            .collect(),
        values: values.clone(),
    });
    Ok(Originals {
        attribute: Some((secret.name.clone(), &secret.dictionary)),
        choices: choices.collect(),
        agrees: Box::new(move |values: &[u32]| {
            let seen = classes(plan, table, engine, position, values);
            seen.is_ok_and(|(seen, _)| seen.as_ref() == Some(&observed))
        }),
        confidence,
        limit,
    })
}

/// What the search publishes for these sensitive values, `None` where it suppresses somebody; and the published tuple of each record.
fn classes(
    plan: &Plan,
    table: &Table,
    engine: &Engine,
    position: usize,
    values: &[u32],
) -> Result<(Option<PublishedClasses>, Vec<Vec<u32>>), Error> {
    let own = table.columns().iter().enumerate();
    let columns = own.map(|(at, column)| Column {
        name: column.name.clone(),
        dictionary: column.dictionary.clone(),
        codes: if at == position {
            values.to_vec()
        } else {
            column.codes.clone()
        },
    });
    let world = Table::new(columns.collect())?;
    let columns = &plan.columns;
    let summary = engine.summarize(&world, &columns.quasi, &columns.sensitive, None)?;
    let found = solve(plan, &world, &summary, None, &Silent)?;
    let Some(levels) = &found.solution.recoding.levels else {
        let what = "the algorithm does not use one level per column";
        return Err(refused(what, NEEDS_TABLE));
    };
    let suppressed = found.solution.recoding.class_of.iter().any(Option::is_none);
    let mut seen = PublishedClasses::new();
    let mut class_of = Vec::with_capacity(values.len());
    for (row, &value) in values.iter().enumerate() {
        let known = columns
            .quasi
            .iter()
            .zip(plan.hierarchies.iter().zip(levels));
        // The level goes with the node: the same number means another node at another level.
        let tuple: Vec<u32> = known
            .flat_map(|(&column, (hierarchy, &level))| {
                let code = world.columns()[column].codes[row];
                [level as u32, hierarchy.node(level, code)]
            })
            .collect();
        seen.entry(tuple.clone()).or_default().push(value);
        class_of.push(tuple);
    }
    for values in seen.values_mut() {
        values.sort_unstable();
    }
    Ok(((!suppressed).then_some(seen), class_of))
}

/// Records of paths up to which the red team tries possible originals, and the most of them: each is one run of the search.
const PATHS: (usize, u64) = (40, 200);

/// A policy's paths and what its search makes of them.
pub(super) struct SearchedPaths {
    pub(super) source: Source,
    pub(super) request: Request,
    pub(super) recoding: PathRecoding,
}

impl SearchedPaths {
    /// Reads the source and runs the search once more.
    pub(super) fn again(policy: &Policy, engine: &Engine) -> Result<Self, Error> {
        let source = read(policy, engine)?;
        let (request, _) = solver_request(policy, &source, engine)?;
        let context = Context {
            seed: policy.release.seed,
            keep_going: &|| true,
        };
        let recoding = denym_sequences::solve(&source.table.sequences, &request, &context)?;
        Ok(Self {
            source,
            request,
            recoding,
        })
    }
}

/// The originals of a release of `paths` as the red team tries them.
pub(crate) fn originals_of_paths<'a>(
    paths: &'a Sequences,
    request: &'a Request,
    recoding: &PathRecoding,
    seed: u64,
) -> Result<Originals<'a>, String> {
    if recoding.stats.lost_doublets == 0 {
        return Err("nothing was removed".to_owned());
    }
    too_many_paths(paths)?;
    path_originals(paths, request, recoding, seed, SURE, PATHS.1).map_err(|error| error.to_string())
}

/// An error in words where there are more paths than the red team tries.
pub(super) fn too_many_paths(paths: &Sequences) -> Result<(), String> {
    if paths.len() <= PATHS.0 {
        return Ok(());
    }
    Err(format!(
        "it runs the search on every possible original, on up to {} records",
        PATHS.0
    ))
}

/// Whether an algorithm removes a doublet from every record or from none.
pub(super) fn removes_everywhere(algorithm: Algorithm) -> bool {
    matches!(algorithm, Algorithm::GlobalSuppression | Algorithm::Optimum)
}

/// What a recipient sees: what each record shows with its attributes, in no order.
type PublishedPaths = Vec<(Vec<u32>, Vec<u32>)>;

/// The originals that agree with what the search publishes of `paths`: each record may come from every source path that shows as it does.
fn path_originals<'a>(
    paths: &'a Sequences,
    request: &'a Request,
    recoding: &PathRecoding,
    seed: u64,
    confidence: f64,
    limit: u64,
) -> Result<Originals<'a>, Error> {
    let everywhere = removes_everywhere(recoding.algorithm);
    if !everywhere || request.ladder.is_some() || !recoding.dropped_records.is_empty() {
        let what = "doublets were removed from single records, or made coarser";
        return Err(refused(what, NEEDS_PATHS));
    }
    let mut distinct: Vec<&[u32]> = paths.records().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let shown = |path: &[u32]| -> Vec<u32> {
        let kept = path.iter().filter(|id| !recoding.suppressed.contains(id));
        kept.copied().collect()
    };
    let looks: Vec<Vec<u32>> = distinct.iter().map(|path| shown(path)).collect();
    let choice = |(person, path): (u32, &[u32])| {
        let seen = shown(path);
        let may = (0..).zip(&looks).filter(|(_, look)| **look == seen);
        Choice {
            people: vec![person],
            values: may.map(|(at, _)| at).collect(),
        }
    };
    let choices = (0..).zip(paths.records()).map(choice).collect();
    let observed = records(paths, recoding);
    let publish = move |world: &[u32]| -> Option<PublishedPaths> {
        let mut starts = vec![0_u32];
        let mut items: Vec<u32> = Vec::new();
        for &path in world {
            items.extend(distinct[path as usize]);
            starts.push(items.len() as u32);
        }
        let mut original = Sequences::from_codes(
            paths.locations().to_vec(),
            paths.times().to_vec(),
            paths.doublets().to_vec(),
            starts,
            items,
        )
        .ok()?;
        for attribute in paths.sensitive() {
            original = original.with_sensitive(attribute.clone()).ok()?;
        }
        for attribute in paths.quasi() {
            original = original.with_quasi(attribute.clone()).ok()?;
        }
        let context = Context {
            seed,
            keep_going: &|| true,
        };
        let recoding = denym_sequences::solve(&original, request, &context).ok()?;
        Some(records(&original, &recoding))
    };
    Ok(Originals {
        attribute: None,
        choices,
        agrees: Box::new(move |world: &[u32]| publish(world).as_ref() == Some(&observed)),
        confidence,
        limit,
    })
}

fn records(paths: &Sequences, recoding: &PathRecoding) -> PublishedPaths {
    let attributes = || paths.sensitive().iter().chain(paths.quasi());
    let beside = |record: usize| attributes().map(|own| own.codes[record]).collect();
    let mut rows: PublishedPaths = (0..paths.len())
        .map(|record| (recoding.published(record).to_vec(), beside(record)))
        .collect();
    rows.sort_unstable();
    rows
}
