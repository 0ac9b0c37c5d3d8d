//! The command itself: its words, its answers to anything wrong, what a build leaves out.

#[path = "../support/mod.rs"]
mod support;

mod book;
mod budgets;
mod default_build;
mod faults;
mod hostile;
mod kinds;
mod look;
mod operations;
mod words;
