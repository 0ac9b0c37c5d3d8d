//! Publish data about people so that it stays useful and nobody in it can be found.
//!
//! Three nouns, three verbs: a [`Policy`] says what is wanted, a [`Plan`] what will be done, a [`Release`] what was proven. Read a
//! policy with [`read_policy`], make a release with [`anonymize`], check one with [`verify`], measure any table with
//! [`audit`].

mod account;
mod anonymize;
pub mod attack;
mod audit;
mod bundle;
pub mod catalogue;
mod coding;
mod compare;
pub mod documents;
mod draft;
mod error;
mod explore;
mod figures;
pub mod generate;
mod guard;
mod guarded;
mod hierarchies;
mod hierarchy_check;
mod hierarchy_draft;
mod kinds;
pub mod ledger;
mod listener;
mod look;
mod options;
mod outline;
mod owners;
mod perturb;
mod pipeline;
mod plan;
pub mod policy;
mod population;
mod profile;
mod program;
mod promise_kinds;
mod pseudonyms;
mod randomness;
mod reading;
mod relations;
mod reporting;
mod scopes;
mod secret;
mod signing;
mod source;
mod stream;
mod task;
mod threads;
mod utility;
mod verify;
mod windows;

pub use anonymize::{
    Account, ColumnTests, Input, Measures, Outcome, Refusal, Release, RunOptions, Tried,
    USUAL_PATIENCE, anonymize, measures_document,
};
pub use audit::against::{Judged, audit_input, audit_policy};
pub use audit::sequences::{SequenceAuditRequest, audit_sequences};
pub use audit::{
    Audit, AuditRequest, Dilemma, SpecialUniques, WhatElse, WhatIf, audit, group_sizes,
};
pub use bundle::{remove_unfinished, write_bundle};
pub use compare::{NumberComparison, compare_numbers, compare_tables};
pub use denym_data::ReadyMade;
pub use denym_data::{Fraction, Standing, Verdict as ProgramVerdict};
pub use denym_engine::events::{Brokers as StreamBrokers, Lag as StreamLag};
pub use denym_engine::{
    Encoding, Format, InMemory, ReadOptions, RecordBatch, panic_is_caught_here,
};
pub use denym_measure::catalogue::{
    METRICS, MetricEntry, PROMISES, Parameter, PromiseEntry, Takes,
};
pub use denym_measure::metrics::{ColumnComparison, Comparison};
pub use denym_measure::profile::{LeftOut, Profile};
pub use denym_measure::recognize::{Meaning, Pattern};
pub use denym_measure::risk::{Presence, Wildcards};
pub use denym_measure::sequences::SequenceAudit;
pub use denym_measure::{SensitiveSurvey, Survey};
pub use denym_release::certificate::{
    Altered, AttackResult, Basis, Certificate, CertifiedFinding, Check, Claim, ColumnRole,
    DataFile, Groups, KnownTogether, OverReleases, PathClaims, PathForm, PublishedColumn,
    Sensitive, TransactionForm, Word,
};
pub use denym_release::signature::PublicKey;
pub use denym_report::Language;
pub use denym_sequences::Elements;
pub use denym_stream::Counts as StreamCounts;
pub use error::Error;
pub use explore::{Exploration, ExploreRequest, Trial, explore};
pub use figures::{Figure, Figures, Reader, counted, number, percent};
pub use guard::{FINDINGS, Finding, FindingEntry, Severity};
pub use guarded::guarded;
pub use hierarchy_check::{HierarchyCheck, HierarchySource, check_hierarchy};
pub use hierarchy_draft::{DraftedHierarchy, Form, draft_hierarchy};
pub use listener::{Listener, Phase, Silent};
pub use look::{Look, data_of, look_at};
pub use outline::{Cost, Outline, Plan, TimeClass, plan};
pub use policy::stream::{StreamSink, StreamSource, StreamSpec};
pub use policy::{
    Mistake, Policy, STANDARD_INPUT, data_name, parse_policy, read_policy, read_stream_policy,
};
pub use profile::{draft_policy, looks_like, profile_source, profile_table};
pub use program::{Found as ProgramFound, Program, verdict_words};
pub use promise_kinds::{PromiseKind, promise_kinds};
pub use pseudonyms::Environment;
pub use reading::{Reading, ReadingWords};
pub use signing::{is_signed, new_key, public_key, public_path};
pub use stream::{
    StreamListener, StreamProgress, StreamRun, StreamSummary, stream, stream_findings,
};
pub use utility::{Utility, utility};
pub use verify::{
    BrokenWindow, JudgedColumn, JudgedFile, Verdict, Verification, Verified, VerifiedRelease,
    VerifiedWindows, released, verify,
};

pub use denym_data::offending;
pub(crate) use denym_release::{certificate, evidence, stages};

use std::path::Path;

/// Reads a whole table, for programs that want to look at data as denym sees it.
pub fn table(path: &Path, options: &ReadOptions) -> Result<denym_data::Table, Error> {
    Ok(denym_engine::Engine::new(None)?.read(path, options)?)
}

/// The same table as Arrow record batches with typed columns.
pub fn batches(path: &Path, options: &ReadOptions) -> Result<Vec<RecordBatch>, Error> {
    Ok(denym_engine::batches(&table(path, options)?)?)
}
