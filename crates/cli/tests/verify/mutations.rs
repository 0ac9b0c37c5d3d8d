//! A thousand changed bundles and more: none is reported as more than it is.

use std::collections::BTreeMap;

use crate::bundles::{self, Bundle};
use crate::mutate::{Dice, MUTATIONS, Mutation};
use crate::oracle::assert_no_more_than_it_is;

/// Bundles with up to three changes each, drawn for every bundle beside each change alone.
const DRAWN: usize = 50;

#[test]
fn what_was_released_passes_and_the_oracle_agrees() {
    for bundle in bundles::all() {
        assert_eq!(assert_no_more_than_it_is(&bundle, "as released"), 0);
    }
}

#[test]
fn no_changed_bundle_is_reported_as_more_than_it_is() {
    let all = bundles::all();
    let mut outcomes: BTreeMap<i32, usize> = BTreeMap::new();
    for (number, bundle) in all.iter().enumerate() {
        let mut dice = Dice(1 + number as u64);
        let mut try_one = |changes: &[&Mutation], sealed: bool, dice: &mut Dice| {
            let mut changed: Bundle = bundle.clone();
            let mut how = String::new();
            for (name, change) in changes {
                change(&mut changed, dice, &all);
                how += &format!("{name}; ");
            }
            if sealed {
                changed.seal();
                how += "sealed";
            }
            if changed == *bundle {
                // There was nothing of that kind to change.
                return;
            }
            let code = assert_no_more_than_it_is(&changed, &how);
            *outcomes.entry(code).or_default() += 1;
        };
        for mutation in MUTATIONS {
            try_one(&[mutation], true, &mut dice);
        }
        for _ in 0..DRAWN {
            let count = 1 + dice.below(3);
            let changes: Vec<&Mutation> = (0..count)
                .map(|_| &MUTATIONS[dice.below(MUTATIONS.len())])
                .collect();
            let sealed = dice.below(4) > 0;
            try_one(&changes, sealed, &mut dice);
        }
    }
    let tried: usize = outcomes.values().sum();
    println!("{tried} changed bundles; by exit code: {outcomes:?}");
    assert!(tried >= 1000, "{tried}");
    // A check that refuses everything shows nothing.
    for code in 0..=2 {
        assert!(
            outcomes.get(&code).is_some_and(|count| *count > 50),
            "{outcomes:?}"
        );
    }
}
