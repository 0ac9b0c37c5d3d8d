//! The command itself: its words, its answers to anything wrong, what a build leaves out.

#[path = "../support/mod.rs"]
mod support;

mod book;
mod budgets;
mod codebook;
mod default_build;
mod drafts;
mod faults;
mod first_words;
mod guides;
mod hierarchy;
mod hostile;
mod kinds;
mod look;
mod operations;
mod report;
mod words;
