//! Publish data about people so that it stays useful and nobody in it can be found.
//!
//! Three nouns, three verbs: a [`Policy`] says what is wanted, a [`Plan`] what will be done, a [`Release`] what was proven. Read a
//! policy with [`Policy::parse`], make a release with [`anonymize`], check one with [`verify`], measure any table with
//! [`audit`].

mod anonymize;
pub mod attack;
mod audit;
mod bundle;
pub mod catalogue;
mod certificate;
mod coding;
mod compare;
mod effort;
mod error;
mod explore;
pub mod generate;
mod groups;
mod hierarchies;
mod judge;
mod listener;
mod mapping;
mod numbers;
mod paths;
mod perturb;
mod plan;
pub mod policy;
mod population;
mod presence;
mod profile;
mod pseudonyms;
mod recoded;
mod relations;
mod reporting;
mod scopes;
mod secret;
mod source;
mod stream;
mod task;
mod threads;
mod transactions;
mod utility;
mod verify;

pub use anonymize::{
    Account, ColumnTests, Figures, Measures, Microdata, Outcome, PathFigures, Refusal, Release,
    RunOptions, TransactionFigures, Tried, Unconcerned, anonymize,
};
pub use audit::against::{Judged, audit_policy};
pub use audit::paths::{PathAuditRequest, audit_paths};
pub use audit::transactions::{TransactionAuditRequest, audit_transactions};
pub use audit::{Audit, AuditRequest, Dilemma, SpecialUniques, WhatElse, WhatIf, audit};
pub use bundle::remove_unfinished;
pub use certificate::{
    Altered, AttackResult, Certificate, Check, Claim, DataFile, Groups, Sensitive,
};
pub use compare::{NumberComparison, compare_numbers, compare_tables};
pub use denym_data::Fraction;
pub use denym_engine::events::Lag as StreamLag;
pub use denym_engine::{Encoding, Format, ReadOptions};
pub use denym_measure::catalogue::{METRICS, MetricEntry, PROMISES, PromiseEntry};
pub use denym_measure::metrics::{ColumnComparison, Comparison};
pub use denym_measure::paths::PathAudit;
pub use denym_measure::profile::{Pattern, Profile};
pub use denym_measure::{SensitiveSurvey, Survey};
pub use denym_stream::Counts as StreamCounts;
pub use error::Error;
pub use explore::{Exploration, ExploreRequest, Trial, explore};
pub use listener::{Listener, Phase, Silent};
pub use paths::{PathClaims, PathForm};
pub use plan::Plan;
pub use policy::{Mistake, Policy};
pub use presence::{Presence, Wildcards};
pub use profile::{draft_policy, profile_table};
pub use pseudonyms::Environment;
pub use stream::{
    StreamListener, StreamPolicy, StreamProgress, StreamRun, StreamSink, StreamSource,
    StreamSummary, stream,
};
pub use transactions::TransactionForm;
pub use utility::{Utility, utility};
pub use verify::stream::{BrokenWindow, StreamVerification, is_stream, verify_stream};
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
