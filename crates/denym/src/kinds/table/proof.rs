//! What a search proposes, judged as the release would be.

use denym_data::{Recoding, Summary, Table};
use denym_engine::Engine;
use denym_measure::population::generalized_register;

use crate::evidence::Evidence;
use crate::plan::Plan;
use crate::policy::PromiseSpec;
use crate::{Error, coding};

/// A recoding that a search proposes, judged as the release would be.
pub(crate) struct Candidate<'a> {
    /// What is promised.
    pub(crate) plan: &'a Plan,
    /// For applying it.
    pub(crate) engine: &'a Engine,
    /// The table as the search saw it.
    pub(crate) kept: &'a Table,
    /// Its summary.
    pub(crate) summary: &'a Summary,
    /// A register beside it.
    pub(crate) register: Option<&'a Table>,
}

impl Candidate<'_> {
    /// The same for a recoding as a search has it: records numbered by tuple, and labels instead of the middle of classes.
    pub(crate) fn found_holds(
        &self,
        recoding: &Recoding,
        promises: &[PromiseSpec],
    ) -> Result<bool, Error> {
        let mut recoding = recoding.clone();
        recoding.number_by_row(self.kept, &self.plan.columns.quasi);
        coding::centered(self.plan, self.kept, self.summary, &mut recoding);
        self.holds(&recoding, promises)
    }

    /// Whether every one of `promises` would be confirmed of what `recoding` publishes.
    pub(crate) fn holds(
        &self,
        recoding: &Recoding,
        promises: &[PromiseSpec],
    ) -> Result<bool, Error> {
        let plan = self.plan;
        let real = real(plan, self.engine, self.kept, self.summary, recoding)?;
        let people = match (self.register, &recoding.levels) {
            (Some(register), Some(levels)) => {
                let (names, trees) = (&plan.quasi, &plan.hierarchies);
                Some(generalized_register(names, trees, register, levels)?)
            }
            // What has no levels needs more than the recoding to be compared with a register.
            (Some(_), None) => return Ok(true),
            _ => None,
        };
        let evidence = Evidence {
            promises,
            ..plan.evidence(&real, people.as_ref())
        };
        let (classes, mut measured) = evidence.measure()?;
        evidence.judge_together(&plan.owners, &mut measured)?;
        Ok(!classes.is_empty() && measured.iter().all(|measured| measured.holds))
    }
}

/// The published rows with real subjects and guarding nodes; it is never written.
pub(super) fn real(
    plan: &Plan,
    engine: &Engine,
    kept: &Table,
    summary: &Summary,
    recoding: &Recoding,
) -> Result<Table, Error> {
    let columns = &plan.columns;
    let hidden = plan.sensitive.iter().zip(&columns.sensitive);
    let hidden = hidden.filter(|(attribute, _)| attribute.hidden);
    let mut shown = columns.released.clone();
    for (_, &position) in hidden {
        if !shown.contains(&position) {
            shown.push(position);
        }
    }
    Ok(engine.apply(kept, &columns.quasi, &shown, None, summary, recoding)?)
}
