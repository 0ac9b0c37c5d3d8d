//! One file per command.

pub(crate) mod algorithms;
pub(crate) mod anonymize;
pub(crate) mod audit;
pub(crate) mod claims;
pub(crate) mod generate;
pub(crate) mod stream;
pub(crate) mod verify;
