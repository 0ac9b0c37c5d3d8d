//! Paper tables, brute-force oracles and strategies shared by the tests of every crate.

pub mod brokers;
pub mod certificates;
pub mod lattice;
pub mod nats;
pub mod paths;
pub mod postgres;
pub mod purpose;
pub mod python;
pub mod shared;
pub mod streams;
pub mod summarize;
pub mod trails;
