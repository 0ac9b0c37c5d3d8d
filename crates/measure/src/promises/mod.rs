//! One file per promise.

mod k_anonymity;

pub use k_anonymity::KAnonymity;
