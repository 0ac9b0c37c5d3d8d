//! From a policy to a release: every kind of data goes the one way of [`crate::pipeline`].

pub(crate) mod red_team;

use std::path::Path;

use crate::Error;
use crate::kinds::on_its_kind;
use crate::listener::Listener;
use crate::pipeline::Releasing;
use crate::policy::Policy;

pub use crate::account::{Account, Outcome, Refusal, Release, Tried};
pub use crate::kinds::microdata::{ColumnTests, Measures, measures_document};
pub(crate) use crate::kinds::trails::{OWNERS, owners as trail_owners};
pub use crate::options::{Input, RunOptions, USUAL_PATIENCE};

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
