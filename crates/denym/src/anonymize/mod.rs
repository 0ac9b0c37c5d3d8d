//! From a policy to a release: every kind of data goes the one way of [`crate::pipeline`].

pub(crate) mod path_attacks;
pub(crate) mod red_team;
pub(crate) mod table_attacks;

use std::path::Path;

use crate::kinds::{
    paths::OnPaths, table::OnTables, trails::OnTrails, transactions::OnTransactions,
};
use crate::listener::Listener;
use crate::pipeline::{Kind, Releasing};
use crate::policy::{DataKind, Policy};
use crate::{Error, threads};

pub use crate::account::{Account, Outcome, Refusal, Release, Tried};
pub(crate) use crate::kinds::microdata::CLUSTERING;
pub(crate) use crate::kinds::microdata::measures::Changed;
pub use crate::kinds::microdata::{ColumnTests, Measures};
pub(crate) use crate::kinds::table::{Candidate, SIDES, budget, solve, within};
pub(crate) use crate::kinds::trails::{OWNERS, owners as trail_owners};
pub(crate) use crate::kinds::transactions::{metric as transaction_metric, solve as solve_items};
pub use crate::options::{Input, RunOptions};

/// A verb that works on every kind of data.
pub(crate) trait Verb: Send {
    /// What it comes to.
    type Output: Send;
    /// Does it on data of kind `K`.
    fn on<K: Kind>(self, policy: &Policy) -> Result<Self::Output, Error>;
}

/// Does `verb` on the kind of data that `policy` speaks of: the one place that knows which kinds there are.
pub(crate) fn on_its_kind<V: Verb>(
    policy: &Policy,
    threads: Option<usize>,
    verb: V,
) -> Result<V::Output, Error> {
    threads::pool(threads)?.install(|| match policy.data.kind {
        DataKind::Table => verb.on::<OnTables>(policy),
        DataKind::Paths => verb.on::<OnPaths>(policy),
        DataKind::Transactions => verb.on::<OnTransactions>(policy),
        DataKind::Trails => verb.on::<OnTrails>(policy),
    })
}

/// Makes a release under `policy` in the directory `output`.
pub fn anonymize(
    policy: &Policy,
    output: &Path,
    options: &RunOptions,
    listener: &dyn Listener,
) -> Result<Outcome, Error> {
    let verb = Releasing {
        output,
        options,
        listener,
    };
    on_its_kind(policy, options.threads, verb)
}

/// Stops the run when the listener wants that.
pub(crate) fn proceed(listener: &dyn Listener) -> Result<(), Error> {
    if listener.keep_going() {
        Ok(())
    } else {
        Err(Error::Stopped)
    }
}
