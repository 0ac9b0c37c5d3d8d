//! `denym verify`: a careful recipient is told what was measured, what rests on whose word, and never more.

#[path = "../support/mod.rs"]
mod support;

mod bundles;
mod forged;
mod mutate;
mod mutations;
mod oracle;
mod sha256;
mod stream;
mod words;
