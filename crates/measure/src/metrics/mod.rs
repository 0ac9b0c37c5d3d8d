//! What a release lost: one file per metric, all on the same two views of it.
//!
//! [`Cells`] says, attribute by attribute, how often each label is published and how much of the domain it covers; metrics that
//! charge each cell alone read it. [`Publication`] also knows which original tuples went into which class; metrics about
//! combinations of values read that.

mod ambiguity;
mod cells;
mod classification;
mod compare;
mod discernibility;
mod distinctive;
mod divergence;
mod entropy;
mod height;
mod iloss;
mod loss;
mod minimal_distortion;
mod moments;
mod precision;
mod publication;
mod released;
mod trade_off;
mod workload;

pub use ambiguity::ambiguity;
pub use cells::{AttributeCells, Cells, LabelUse};
pub use classification::classification_metric;
pub use compare::{ColumnComparison, Comparison, compare};
pub use discernibility::{
    average_class_size, discernibility, discernibility_star, normalized_average_class_size,
};
pub use distinctive::distinctive_attribute;
pub use divergence::kl_divergence;
pub use entropy::{NonUniformEntropy, non_uniform_entropy};
pub use height::height;
pub use iloss::{Penalty, iloss, ncp};
pub use loss::{Loss, loss};
pub use minimal_distortion::minimal_distortion;
pub use moments::{Moments, correlation, middles, moments};
pub use precision::precision;
pub use publication::Publication;
pub use released::{Released, Utility};
pub use trade_off::{igpl, ilpg, information_gain, privacy_loss};
pub use workload::{CountQuery, WorkloadError, anatomized_answer, random_queries, workload_error};
