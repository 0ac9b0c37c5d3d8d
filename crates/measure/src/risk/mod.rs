//! Chances of re-identification: who could be found, by which adversary, and how surely.

mod class;

pub use class::{ClassRisk, at_risk, class_risk};
