//! `denym serve`: the real command, spoken to over raw connections.

#[path = "../support/mod.rs"]
mod support;

mod api;
mod client;
mod faults;
mod flow;
mod gate;
mod hostile;
