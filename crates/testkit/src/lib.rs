//! Paper tables, brute-force oracles and strategies shared by the tests of every crate.

pub mod adult;
pub mod brokers;
pub mod certificates;
pub mod clinic;
pub mod lattice;
pub mod nats;
pub mod paths;
pub mod postgres;
pub mod purpose;
pub mod python;
pub mod shared;
mod skip;
pub mod streams;
pub mod summarize;
pub mod trails;
mod vectors;
pub mod worlds;

pub use skip::{NO_SKIPS, lacks, skip};
pub use vectors::vectors;
