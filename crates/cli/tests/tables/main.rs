//! Tables from a policy to a bundle, beside references and brute force.

#[path = "../support/mod.rs"]
mod support;

mod adult;
mod differential;
mod drafts;
mod explore;
mod findings;
mod ledger;
mod people;
mod program;
mod promises;
mod public_half;
mod sensitive_side;
mod sets;
mod tasks;
