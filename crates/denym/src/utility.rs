//! Every information metric of a release, for `compare` with the policy that made it.

use std::path::Path;

use denym_engine::{Engine, ReadOptions};

pub use denym_measure::metrics::Utility;

use crate::compare::table_of;
use crate::listener::{Listener, Phase};
use crate::plan::Plan;
use crate::policy::Policy;
use crate::{Error, source, threads};

/// Every metric of the release `after` of `before`, under the policy that made it.
pub fn utility(
    policy: &Policy,
    before: &Path,
    after: &Path,
    options: &ReadOptions,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<Utility, Error> {
    if !crate::kinds::about(policy).is_table {
        return Err(Error::Argument {
            what: "the metrics of a policy compare generalized tables".into(),
            help: "leave out --policy; what paths, transactions and trails lose is in the release's steward/plan.json, what a stream loses in its steward/report.html, and `denym explore` says what each bound costs".into(),
        });
    }
    let mut policy = policy.clone();
    let absolute =
        std::path::absolute(before).map_err(|error| Error::io("find the data", before, &error))?;
    policy.data.path = absolute.to_string_lossy().into_owned();
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let table = source::read(&policy, &engine)?;
    let released = table_of(&engine, after, options)?;
    listener.phase(Phase::Auditing);
    threads::pool(threads)?.install(|| {
        let plan = Plan::new(&policy, &table, &engine)?;
        let kept = plan.complete(&table)?;
        let columns = &plan.columns;
        let summary =
            engine.summarize(&kept, &columns.quasi, &columns.sensitive, columns.subject)?;
        let total = table.records() as u64;
        let mut view = plan.released(&summary, None, &released, total, None);
        let recoding = view.reconstructed();
        view.recoding = recoding.as_ref();
        view.measure().map_err(|error| not_of_this_policy(&error))
    })
}

/// The release lacks a column of the policy, or something cannot be that is.
pub(crate) fn not_of_this_policy(error: &denym_measure::Error) -> Error {
    match error {
        denym_measure::Error::UnknownColumn { column, .. } => Error::UnknownColumn {
            column: column.clone(),
            place: "the released table".into(),
            help: "compare with a release that this policy made".into(),
        },
        error => Error::Internal {
            what: error.to_string(),
        },
    }
}
