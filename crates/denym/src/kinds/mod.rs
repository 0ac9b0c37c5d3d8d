//! The kinds of data, one file each: how each is read, planned, solved, shown and seen; what happens between is the pipeline's.

pub(crate) mod microdata;
pub(crate) mod paths;
pub(crate) mod table;
pub(crate) mod trails;
pub(crate) mod transactions;
