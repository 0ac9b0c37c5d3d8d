//! What an adversary could learn: groups, promises, risk and utility, measured by code that never imports a solver.
//!
//! A [`Group`] is a set of subjects that some knowledge cannot tell apart. A [`Promise`] is judged on one group at a time;
//! it does not know how the group came about, so every promise works on every kind of knowledge.
//!
//! [`Classes`] are the groups of a table for an adversary who knows all quasi-identifiers; [`audit_subsets`] judges those of
//! one who knows any m of them, [`audit_requirements`] those of several who know different columns. [`audit`] judges promises;
//! [`survey`] measures everything that can be measured; [`what_if`] asks what happens when a column's role was guessed wrong.

mod audit;
pub mod catalogue;
mod classes;
mod combine;
mod dilemma;
mod error;
mod exact;
mod group;
pub mod metrics;
mod partition;
pub mod population;
pub mod profile;
mod promise;
pub mod promises;
pub mod relational;
mod requirement;
pub mod risk;
mod subsets;
mod survey;
mod view;
mod worst_case;

pub use audit::{Measured, audit};
pub use classes::{Classes, Roles, SensitiveAttribute, reference};
pub use combine::combined;
pub use dilemma::{WhatIf, what_if};
pub use error::Error;
pub use group::{Group, Histogram};
pub use promise::{Promise, Sense, Terms};
pub use requirement::{Requirement, audit_requirements, without_covered};
pub use subsets::{SubsetMeasured, audit_subsets, audit_subsets_in};
pub use survey::{SensitiveSurvey, Survey, SurveyOptions, survey};
pub use view::generalized;

pub mod paths;
pub use worst_case::worst_case_disclosure;
