//! Paper tables, brute-force oracles and strategies shared by the tests of every crate.

pub mod lattice;
pub mod paths;
pub mod python;
pub mod shared;
pub mod summarize;
pub mod trails;
