//! Publish data about people so that it stays useful and nobody in it can be found.
//!
//! Three nouns, three verbs: a [`Policy`] says what is wanted, a [`Plan`] what will be done, a [`Release`] what was proven. Read a
//! policy with [`Policy::parse`], make a release with [`anonymize`], check one with [`verify`], measure any table with
//! [`audit`].

mod anonymize;
mod audit;
mod bundle;
pub mod catalogue;
mod certificate;
mod error;
pub mod generate;
mod hierarchies;
mod judge;
mod listener;
mod plan;
pub mod policy;
mod reporting;
mod source;
mod stream;
mod threads;
mod verify;

pub use anonymize::{Account, Outcome, Release, RunOptions, anonymize};
pub use audit::{AuditRequest, audit};
pub use bundle::remove_unfinished;
pub use certificate::{AttackResult, Certificate, Check, Claim, DataFile, Sensitive};
pub use denym_engine::{Encoding, Format, ReadOptions};
pub use denym_measure::{SensitiveSurvey, Survey};
pub use denym_stream::Counts as StreamCounts;
pub use error::Error;
pub use listener::{Listener, Phase, Silent};
pub use plan::Plan;
pub use policy::{Mistake, Policy};
pub use stream::{StreamListener, StreamPolicy, StreamRun, StreamSummary, stream};
pub use verify::{Verification, verify};

use std::path::Path;

impl Policy {
    /// Reads the policy in `file`.
    pub fn read(file: &Path) -> Result<Policy, Error> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Error::io("read the policy", file, &error))?;
        Policy::parse(&text, file).map_err(|mistakes| Error::Policy {
            file: file.to_owned(),
            text,
            mistakes,
        })
    }

    /// The name of the data set, for files and headings.
    pub fn data_name(&self) -> String {
        plan::data_name(&self.data.path)
    }
}

/// Reads a whole table, for programs that want to look at data as denym sees it.
pub fn table(path: &Path, options: &ReadOptions) -> Result<denym_data::Table, Error> {
    Ok(denym_engine::Engine::new(None)?.read(path, options)?)
}
