//! Attacks on released paths and transactions: how much is tried, and what must not be inferred.

use denym_attack::sequences::{Effort, Guarded};

use crate::policy::{Bounded, PromiseSpec};

mod standalone;

pub use standalone::{PathsRequest, Searched, paths};

pub(super) use standalone::searched;

/// How much is tried by default: a second or two on two cores, however large the data.
pub(crate) fn effort(seed: u64) -> Effort {
    Effort {
        words: 300_000_000,
        least_victims: 400,
        pieces: 3_000,
        seed,
    }
}

/// What must not be inferred under these promises.
pub(crate) fn guarded(promises: &[PromiseSpec]) -> Vec<Guarded> {
    let guarded = promises
        .iter()
        .filter_map(|promise| match promise.bounded()? {
            (Bounded::Values(attribute, values), at_most) => Some(Guarded::Values {
                attribute: attribute?.to_owned(),
                values: values.to_vec(),
                at_most,
            }),
            (Bounded::Items(items), at_most) => Some(Guarded::Items {
                items: items.to_vec(),
                at_most,
            }),
            (Bounded::Places(places), at_most) => Some(Guarded::Places {
                places: places.to_vec(),
                at_most,
            }),
        });
    guarded.collect()
}
