//! Beliefs by drawing worlds, where they are too many to try all.

use std::collections::BTreeMap;

/// What drawing found of one release.
#[derive(Debug, Clone)]
pub struct Sampled {
    /// Draws that gave the release.
    pub kept: u64,
    /// For each person, how often each value occurred in them.
    pub values: Vec<BTreeMap<u32, u64>>,
    /// No share is further from the truth than this, but for one chance in a million over all people and `domain` values.
    pub error: f64,
}

/// Draws worlds with `world` and runs `program` on each until `wanted` gave the release `observed`; `None` after `limit` draws.
///
/// A world is the value of each person. It must be drawn as it is likely before anything is published; what cannot have been the
/// source may be left out.
pub fn sampled<B: PartialEq>(
    observed: &B,
    wanted: u64,
    limit: u64,
    domain: usize,
    mut world: impl FnMut() -> Vec<u32>,
    mut program: impl FnMut(&[u32]) -> Option<B>,
) -> Option<Sampled> {
    let mut values: Vec<BTreeMap<u32, u64>> = Vec::new();
    let mut kept = 0;
    for _ in 0..limit {
        let source = world();
        if program(&source).as_ref() != Some(observed) {
            continue;
        }
        kept += 1;
        values.resize(source.len(), BTreeMap::new());
        for (seen, &value) in values.iter_mut().zip(&source) {
            *seen.entry(value).or_insert(0) += 1;
        }
        if kept == wanted {
            // Hoeffding for each share, 1e-6 over all of them.
            let shares = (source.len() * domain) as f64;
            let error = ((2.0 * shares / 1e-6).ln() / (2.0 * wanted as f64)).sqrt();
            return Some(Sampled {
                kept,
                values,
                error,
            });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use denym_data::SplitMix64;

    use super::*;

    #[test]
    fn the_truth_is_within_the_error() {
        let mut random = SplitMix64::new(5);
        let mut coins = SplitMix64::new(6);
        // Told with one chance in four when the value is 1; silence leaves 3 in 7.
        let found = sampled(
            &false,
            20_000,
            1_000_000,
            2,
            || vec![random.below(2) as u32],
            |world| Some(world[0] == 1 && coins.below(4) == 0),
        );
        let found = found.expect("half of all draws are silent");
        let share = found.values[0][&1] as f64 / found.kept as f64;
        assert!((share - 3.0 / 7.0).abs() <= found.error, "{share}");
        assert!(found.error < 0.03);
    }
}
