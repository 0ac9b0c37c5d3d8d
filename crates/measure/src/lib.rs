//! What an adversary could learn: groups, promises, risk and utility, measured by code that never imports a solver.
//!
//! A [`Group`] is a set of subjects that some knowledge cannot tell apart. A [`Promise`] is judged on one group at a time;
//! it does not know how the group came about, so every promise works on every kind of knowledge.
//!
//! [`Classes`] are the groups of a table for an adversary who knows all quasi-identifiers. [`audit`] judges promises on
//! them; [`survey`] measures everything that can be measured.

mod audit;
mod classes;
mod error;
mod exact;
mod group;
pub mod metrics;
mod partition;
mod promise;
pub mod promises;
pub mod risk;
mod survey;
mod view;

pub use audit::{Measured, audit};
pub use classes::{Classes, Roles, SensitiveAttribute};
pub use error::Error;
pub use group::{Group, Histogram};
pub use promise::{Promise, Sense, Terms};
pub use survey::{SensitiveSurvey, Survey, SurveyOptions, survey};
pub use view::generalized;

pub mod paths;
