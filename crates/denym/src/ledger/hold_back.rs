//! Who waits: the people that a release must leave out so that no block of all releases falls below what was promised.
//!
//! # Idea
//!
//! Every block of earlier releases is cut by the new one into parts: those who stand in the same class of it, and those who are not in
//! it. A part that breaks a promise is left out of the new release and joins the absent. If the absent of a block are then too few or too
//! alike (somebody left alone), people of the largest part are left out too, in the order of their tokens, just as many as it takes.
//! In the worst case the whole block is left out, and it is as safe as it was. Newcomers have no past: a part of them that breaks a
//! promise waits.
//!
//! # Guarantee
//!
//! Every block that results is admitted, if every block of the earlier releases was. Whom it takes is chosen by keyed tokens, not by
//! values; when it stops depends on values.
//!
//! # Departures
//!
//! Not the fewest: a search over all ways to leave people out is not made.

use std::collections::BTreeMap;

use denym_release::ledger::{History, Token};

/// The people of the last release of `history`, which is not settled, who must be left out of it; in the order of tokens.
pub(super) fn hold_back(history: &History) -> Vec<Token> {
    let releases = usize::try_from(history.releases()).unwrap_or(usize::MAX);
    let mut held: Vec<Token> = Vec::new();
    for (number, block) in history.blocks().into_iter().enumerate() {
        let mut absent: Vec<u32> = Vec::new();
        let mut parts: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for &person in &block {
            match history.stands(person) {
                Some(stand) => parts.entry(stand).or_default().push(person),
                None => absent.push(person),
            }
        }
        let mut out: Vec<u32> = Vec::new();
        parts.retain(|_, part| {
            let stays = history.admits(part, releases);
            if !stays {
                out.append(part);
            }
            stays
        });
        let newcomers = number == 0;
        if !newcomers {
            absent.extend(&out);
            let mut parts: Vec<Vec<u32>> = parts.into_values().collect();
            // The largest part gives first.
            parts.sort_by_key(Vec::len);
            while !absent.is_empty() && !history.admits(&absent, releases - 1) {
                let Some(mut part) = parts.pop() else { break };
                part.sort_by_key(|&person| history.token(person));
                let enough = (1..part.len()).find(|&many| {
                    let both: Vec<u32> = absent.iter().chain(&part[..many]).copied().collect();
                    history.admits(&both, releases - 1) && history.admits(&part[many..], releases)
                });
                let given = &part[..enough.unwrap_or(part.len())];
                absent.extend(given);
                out.extend(given);
            }
        }
        held.extend(out.into_iter().map(|person| history.token(person)));
    }
    held.sort_unstable();
    held
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use denym_data::Column;
    use denym_measure::{PromiseSpec, SensitiveAttribute};
    use denym_release::ledger::{Issued, Members};
    use proptest::prelude::*;

    use super::*;

    const VALUES: [&str; 3] = ["Cancer", "Fever", "HIV"];

    fn issued(
        number: u64,
        stands: &[Option<u32>],
        truth: &[usize],
        asked: &[PromiseSpec],
    ) -> Issued {
        let present: Vec<usize> = (0..stands.len())
            .filter(|&one| stands[one].is_some())
            .collect();
        let tokens: Vec<Token> = present
            .iter()
            .map(|&one| (one as u128).to_be_bytes())
            .collect();
        let classes: Vec<u32> = stands.iter().flatten().copied().collect();
        let texts = present.iter().map(|&one| Some(VALUES[truth[one]]));
        let column = Column::from_texts("ill", texts);
        Issued {
            number,
            promises: asked.to_vec(),
            sensitive: vec![SensitiveAttribute {
                name: "ill".into(),
                values: VALUES
                    .iter()
                    .map(|value| Some((*value).to_owned()))
                    .collect(),
                reference: vec![0; 3],
                taxonomy: None,
                parts: Vec::new(),
                hidden: false,
            }],
            members: Members::new(&tokens, &classes, &[&column]),
        }
    }

    /// The values of each class.
    fn shown(stands: &[Option<u32>], values: &[usize]) -> BTreeMap<u32, Vec<usize>> {
        let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (stand, &value) in stands.iter().zip(values) {
            if let Some(class) = stand {
                classes.entry(*class).or_default().push(value);
            }
        }
        for own in classes.values_mut() {
            own.sort_unstable();
        }
        classes
    }

    /// For each person every value they have in some world that publishes the same.
    fn possible(releases: &[Vec<Option<u32>>], truth: &[usize]) -> Vec<BTreeSet<usize>> {
        let seen: Vec<_> = releases.iter().map(|one| shown(one, truth)).collect();
        let mut found = vec![BTreeSet::new(); truth.len()];
        for world in 0..3_usize.pow(truth.len() as u32) {
            let values: Vec<usize> = (0..truth.len())
                .map(|at| world / 3_usize.pow(at as u32) % 3)
                .collect();
            if releases
                .iter()
                .zip(&seen)
                .all(|(one, seen)| shown(one, &values) == *seen)
            {
                found.iter_mut().zip(values).for_each(|(set, value)| {
                    set.insert(value);
                });
            }
        }
        found
    }

    fn promises() -> Vec<PromiseSpec> {
        let diverse = serde_json::json!({
            "promise": "l-diversity", "attribute": "ill", "kind": {"kind": "distinct"}, "l": "2/1"
        });
        let diverse = serde_json::from_value(diverse).expect("a promise");
        vec![PromiseSpec::k_anonymity(2), diverse]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

        /// People come, go and return over two to four releases; with whoever waits left out, nobody is pinned below k = 2 and l = 2.
        #[test]
        fn nobody_is_told_apart_once_some_have_waited(
            truth in prop::collection::vec(0..3_usize, 7),
            wanted in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.85, 0..2_u32), 7), 2..=4),
        ) {
            let asked = promises();
            let mut earlier: Vec<Issued> = Vec::new();
            let mut published: Vec<Vec<Option<u32>>> = Vec::new();
            for mut stands in wanted {
                let number = earlier.len() as u64 + 1;
                let mut history = History::of(&earlier).expect("a history");
                history.see(&issued(number, &stands, &truth, &asked)).expect("seen");
                for token in hold_back(&history) {
                    stands[u128::from_be_bytes(token) as usize] = None;
                }
                earlier.push(issued(number, &stands, &truth, &asked));
                published.push(stands);
                let all = History::of(&earlier).expect("a history");
                prop_assert!(all.judge().1.is_empty(), "{:?}", published);
                prop_assert!(all.smallest_block().is_none_or(|size| size >= 2));
            }
            let left = possible(&published, &truth);
            for (person, left) in left.iter().enumerate() {
                if published.iter().any(|one| one[person].is_some()) {
                    prop_assert!(left.len() >= 2, "{person} of {published:?}");
                }
            }
        }
    }

    /// A hundred stay and one leaves: four wait with the one, not all.
    #[test]
    fn just_as_many_wait_as_it_takes() {
        let truth: Vec<usize> = (0..101).map(|at| at % 3).collect();
        let asked = [PromiseSpec::k_anonymity(5)];
        let all = vec![Some(0); 101];
        let mut left = all.clone();
        left[100] = None;
        let mut history = History::of(&[issued(1, &all, &truth, &asked)]).expect("a history");
        history
            .see(&issued(2, &left, &truth, &asked))
            .expect("seen");
        assert_eq!(hold_back(&history).len(), 4);
    }
}
