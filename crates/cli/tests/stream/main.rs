//! Streams from files: windows, faults, options, verification.

#[path = "../support/mod.rs"]
mod support;

mod faults;
mod options;
mod verify;
mod windows;
