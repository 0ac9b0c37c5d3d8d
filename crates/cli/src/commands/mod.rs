//! One file per command.

pub(crate) mod access;
pub(crate) mod algorithms;
pub(crate) mod anonymize;
pub(crate) mod attack;
pub(crate) mod audit;
pub(crate) mod audit_sequences;
pub(crate) mod catalogue;
pub(crate) mod claims;
pub(crate) mod compare;
pub(crate) mod explore;
pub(crate) mod findings;
#[cfg(feature = "gateway")]
pub(crate) mod gateway;
pub(crate) mod generate;
pub(crate) mod hierarchy;
pub(crate) mod ledger;
pub(crate) mod listing;
#[cfg(not(feature = "gateway"))]
pub(crate) mod not_built;
pub(crate) mod plan;
pub(crate) mod profile;
pub(crate) mod search;
pub(crate) mod serve;
pub(crate) mod stream;
pub(crate) mod verify;
