//! Transactions from a policy to a bundle.

#[path = "../support/mod.rs"]
mod support;

mod hostile;
mod releases;
