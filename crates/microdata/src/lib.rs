//! Numeric microdata: records into groups of k or more, replaced by centroids; noise, swapping, and what each costs.
//!
//! Everything works on plain matrices in memory; [`tables`] brings columns and promises to them. Nothing here reads a file, the clock or a global random generator.

mod best_effort;
pub mod cluster;
mod error;
mod generic;
mod index;
mod linear;
mod loss;
mod matrix;
mod microaggregate;
mod partition;
pub mod perturb;
mod random;
mod scaling;
pub mod tables;
pub mod utility;
mod verdict;

pub use denym_data::{Centroid, Scaling};

pub use best_effort::{BestEffort, Improved, best_effort, improve};
pub use error::Error;
pub use generic::{Cell, Column, constrain, mdav_generic};
pub use linear::{Square, correlations, covariances, eigenvalues};
pub use loss::{Loss, centroid_of, information_loss_percent, loss, microaggregated, sse, sst};
pub use matrix::Matrix;
pub use microaggregate::{CATALOGUE, Microaggregation, Options, algorithm, solve};
pub use partition::Partition;
pub use random::{RandomSource, SplitMix64};
pub use verdict::{AUTO, CLUSTERING, verdict};
