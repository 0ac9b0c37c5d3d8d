//! Perturbation of numeric columns: published records are no longer true, and secrecy of the random source is what protects.

mod columns;
mod noise;
mod rounding;
mod swapping;

pub use columns::perturbed;
pub use noise::{additive_noise, correlated_noise};
pub use rounding::{random_round, round};
pub use swapping::rank_swap;
