//! What an adversary could learn: groups, promises, risk and utility, measured by code that never imports a solver.
//!
//! A [`Group`] is a set of subjects that some knowledge cannot tell apart. A [`Promise`] is judged on one group at a time;
//! it does not know how the group came about, so every promise works on every kind of knowledge.
//!
//! A [`Knowledge`] makes the groups of a kind of data, and [`audit`] judges promises on them: tables, [`sequences`] (paths,
//! transactions, windows of a stream), trails. [`Classes`] are the groups of a table for an adversary who knows all
//! quasi-identifiers, [`audit_classes`] judges them as they are; [`audit_subsets`] judges those of one who knows any m of them,
//! [`audit_together`] those of one who knows several records of each person;
//! [`survey`] measures everything that can be measured; [`what_if`] asks what happens when a column's role was guessed wrong.

mod audit;
pub mod catalogue;
mod classes;
mod combine;
mod dilemma;
mod error;
mod exact;
mod exact_numbers;
mod group;
mod judge;
mod knowledge;
pub mod metrics;
mod objective;
mod partition;
pub mod population;
pub mod profile;
mod promise;
pub mod promises;
mod recoding_audit;
pub mod recognize;
pub mod relational;
pub mod risk;
mod sensitive;
pub mod sequences;
mod spec;
mod subsets;
mod survey;
mod together;
mod view;
mod worst_case;

pub use audit::{Measured, audit_classes};
pub use classes::{ClassAttribute, Classes, Roles, reference};
pub use combine::combined;
pub use dilemma::{WhatIf, what_if};
pub use error::Error;
pub use group::{Group, Histogram, added, by_subjects};
pub use judge::{Counters, Judge, WorstGroups};
pub use knowledge::{AllQuasi, AnyOf, Institutions, Knowledge, KnowledgeEntry, audit};
pub use objective::Objective;
pub use promise::{Promise, Sense, Terms};
pub use recoding_audit::{RecodingAudit, audit_recoding};
pub use sensitive::{SensitiveAttribute, joint_name};
pub use spec::{Bounded, Given, Parameters, PromiseSpec};
pub use subsets::{
    MOST_SUBSETS, SubsetMeasured, audit_subsets, audit_subsets_in, combinations, sets_of_at_most,
};
pub use survey::{SensitiveSurvey, Survey, SurveyOptions, survey};
pub use together::{Combination, Together, audit_together, combinations_of, worsen};
pub use view::generalized;

pub use worst_case::worst_case_disclosure;
