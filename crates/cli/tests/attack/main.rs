//! The red team as a user runs it, a file for each kind of data.

#[path = "../support/mod.rs"]
mod support;

mod gate;
mod listed;
mod paths;
mod releases;
mod same_numbers;
mod tables;
mod trails;
mod transactions;
