//! A table beside the earlier releases of its ledger: who waits, and what is told of it.
//!
//! # Idea
//!
//! A search knows nothing of earlier releases. Where what it found would make people wait, the levels of the last release are tried as
//! well: classes that mean the same as before cut no block but by who came and who left. What leaves fewer records out is taken.

use denym_data::{Recoding, Summary, Table};
use serde_json::json;

use super::proof::Candidate;
use super::search::{Found, search};
use super::{OnTables, Planned, Source};
use crate::Error;
use crate::figures::{Figures, counted};
use crate::ledger::{Joined, Keeper};
use crate::pipeline::{Kind as _, Run};
use crate::plan::Plan;

/// The search that can be held to levels.
const AT_LEVELS: &str = "full-domain";

/// Leaves out of what was found whoever must wait; how many records that are.
pub(super) fn settle(
    run: &Run<'_>,
    keeper: &Keeper,
    source: &Source,
    planned: &Planned,
    found: &mut Found,
) -> Result<u64, Error> {
    let (plan, summary) = (&planned.plan, &planned.summary);
    let kept = planned.kept(source);
    let waits = |recoding: &mut Recoding| keeper.hold_back(plan, kept, summary, recoding);
    let mut waiting = waits(&mut found.solution.recoding)?;
    if waiting > 0
        && planned.family.is_none()
        && let Some(mut other) = as_before(run, keeper, source, planned)?
    {
        let fewer = waits(&mut other.solution.recoding)?;
        let gone = |found: &Found| left_out(plan, kept, summary, &found.solution.recoding);
        if gone(&other) < gone(found) {
            other.warnings.push(
                "the levels of the last release of the ledger were taken: what the search found would have made more people wait"
                    .to_owned(),
            );
            (*found, waiting) = (other, fewer);
        }
    }
    let (gone, allowed) = (
        left_out(plan, kept, summary, &found.solution.recoding),
        plan.allowance(),
    );
    if waiting == 0 || gone <= allowed {
        return Ok(waiting);
    }
    // Rounded up, so that the advice suffices.
    let share = (gone as f64 / plan.records.max(1) as f64 * 1e6).ceil() / 1e6;
    Err(Error::Infeasible {
        what: format!(
            "beside the {} of the ledger {} must wait, or somebody could be told apart; with what is suppressed anyway {gone} of {} records are left out, and `suppress-at-most` allows {allowed}",
            counted(keeper.earlier() as u64, "earlier release"),
            counted(waiting, "record"),
            plan.records,
        ),
        code: "ledger-too-many-wait",
        help: format!("set suppress-at-most = {share}, or publish later, when more people came"),
    })
}

/// What is found when every column keeps the level of the last release; nothing where that cannot be.
fn as_before(
    run: &Run<'_>,
    keeper: &Keeper,
    source: &Source,
    planned: &Planned,
) -> Result<Option<Found>, Error> {
    let named = denym_tabular::solver_named(AT_LEVELS);
    let (Some(levels), Some(named)) = (keeper.last_levels(&planned.plan.quasi), named) else {
        return Ok(None);
    };
    let mut policy = run.policy.clone();
    policy.release.algorithm = &named.entry;
    for (name, level) in planned.plan.quasi.iter().zip(levels) {
        let mut specs = policy.attributes.iter_mut();
        if let Some(spec) = specs.find(|spec| spec.name == *name) {
            spec.levels = (Some(level), Some(level));
        }
    }
    let run = Run {
        policy: &policy,
        ..*run
    };
    // A hierarchy that has become lower, or a promise that these levels do not keep: there is nothing as before.
    let Ok(planned) = OnTables::plan(&run, source) else {
        return Ok(None);
    };
    let (plan, kept) = (&planned.plan, planned.kept(source));
    let register = source.register.as_ref();
    let candidate = Candidate {
        plan,
        engine: run.engine,
        kept,
        summary: &planned.summary,
        register,
    };
    let options = crate::RunOptions::default();
    match search(
        plan,
        kept,
        &planned.summary,
        register,
        Some(&candidate),
        &options,
        run.listener,
    ) {
        Ok(mut found) => {
            crate::coding::centered(plan, kept, &planned.summary, &mut found.solution.recoding);
            Ok(Some(found))
        }
        Err(Error::Stopped) => Err(Error::Stopped),
        Err(_) => Ok(None),
    }
}

/// Records of the source that are not published.
fn left_out(plan: &Plan, kept: &Table, summary: &Summary, recoding: &Recoding) -> u64 {
    let classes = recoding.class_of_rows(kept, &plan.columns.quasi, summary);
    let gone = classes.iter().filter(|class| class.is_none()).count();
    (gone + plan.incomplete.len()) as u64
}

/// What judging together adds to the figures.
pub(super) fn figures(all: Figures, joined: &Joined, waiting: u64) -> Figures {
    let releases = joined.certified.covered;
    let fewest = joined.smallest_block;
    let value = json!({
        "releases": releases,
        "waiting_records": waiting,
        "smallest_block": fewest,
        "people": joined.people(),
        "stayed": joined.stayed,
        "claims": joined.certified.claims,
    });
    let words = format!(
        "over {} nobody can be told from fewer than {fewest} people; {} for a later release",
        counted(releases, "release"),
        if waiting == 1 {
            "1 record waits".to_owned()
        } else {
            format!("{waiting} records wait")
        }
    );
    all.with("ledger", value).said("together", words)
}
