//! Blocks against every world that could have been published, and the survey's tables.

use std::collections::{BTreeMap, BTreeSet};

use denym_data::Column;
use proptest::prelude::*;

use super::*;

/// A release: for each person the class and the value, or nothing.
type Small = Vec<Option<(u32, usize)>>;

const VALUES: [&str; 8] = [
    "Cancer", "Diabetes", "Fever", "HIV", "Flu", "Asthma", "Cold", "Gout",
];

fn token(person: usize) -> Token {
    (person as u128 + 1).to_be_bytes()
}

fn issued(number: u64, release: &Small, promises: &[PromiseSpec]) -> Issued {
    let present: Vec<(usize, u32, usize)> = release
        .iter()
        .enumerate()
        .filter_map(|(person, shown)| shown.map(|(class, value)| (person, class, value)))
        .collect();
    let tokens: Vec<Token> = present.iter().map(|one| token(one.0)).collect();
    let classes: Vec<u32> = present.iter().map(|one| one.1).collect();
    let texts = present.iter().map(|one| Some(VALUES[one.2]));
    let column = Column::from_texts("Disease", texts);
    let dictionary = &column.dictionary;
    let values: Vec<Option<String>> = dictionary.values().map(|v| Some(v.to_owned())).collect();
    Issued {
        number,
        promises: promises.to_vec(),
        sensitive: vec![SensitiveAttribute {
            name: "Disease".into(),
            reference: vec![0; values.len()],
            values,
            taxonomy: None,
            parts: Vec::new(),
            hidden: false,
        }],
        members: Members::new(&tokens, &classes, &[&column]),
    }
}

fn history(releases: &[Small], promises: &[PromiseSpec]) -> History {
    let issued: Vec<Issued> = releases
        .iter()
        .zip(1..)
        .map(|(release, number)| issued(number, release, promises))
        .collect();
    History::of(&issued).expect("a history")
}

/// The values of each class of a release.
fn shown(release: &Small, values: &[usize]) -> BTreeMap<u32, Vec<usize>> {
    let mut classes: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (person, one) in release.iter().enumerate() {
        if let Some((class, _)) = one {
            classes.entry(*class).or_default().push(values[person]);
        }
    }
    for own in classes.values_mut() {
        own.sort_unstable();
    }
    classes
}

/// For each person every value that they have in some world in which exactly this was published; people keep their value.
fn possible(releases: &[Small], truth: &[usize], many: usize) -> Vec<BTreeSet<usize>> {
    let published: Vec<_> = releases.iter().map(|one| shown(one, truth)).collect();
    let people = truth.len();
    let mut found = vec![BTreeSet::new(); people];
    let worlds = many.pow(people as u32);
    for world in 0..worlds {
        let mut rest = world;
        let values: Vec<usize> = (0..people)
            .map(|_| {
                let value = rest % many;
                rest /= many;
                value
            })
            .collect();
        if releases
            .iter()
            .zip(&published)
            .all(|(one, seen)| shown(one, &values) == *seen)
        {
            for (set, value) in found.iter_mut().zip(values) {
                set.insert(value);
            }
        }
    }
    found
}

fn k_anonymity(k: u64) -> PromiseSpec {
    PromiseSpec::k_anonymity(k)
}

#[test]
fn who_leaves_alone_or_comes_alone_is_a_block() {
    let first: Small = vec![Some((0, 0)), Some((0, 1)), Some((0, 2)), None];
    let second: Small = vec![Some((0, 0)), Some((0, 1)), None, Some((0, 3))];
    let both = history(&[first.clone(), second], &[k_anonymity(2)]);
    assert_eq!(both.smallest_block(), Some(1));
    let (claims, exposed) = both.judge();
    assert_eq!((claims[0].measured, claims[0].holds), (1.0, Some(false)));
    let broken: Vec<(u64, u64)> = exposed.iter().map(|one| (one.number, one.people)).collect();
    assert_eq!(broken, [(1, 1), (2, 1)]);
    let again = history(&[first.clone(), first], &[k_anonymity(2)]);
    assert_eq!((again.smallest_block(), again.stayed()), (Some(3), 3));
    assert!(again.judge().1.is_empty());
}

/// Survey, Table VIII(a) and (b): a newcomer's HIV is told by the difference, whatever diversity each release has.
#[test]
fn the_newcomer_of_example_6_3_stands_alone() {
    let first: Small = vec![Some((0, 0)), Some((0, 1)), Some((1, 2)), Some((1, 0)), None];
    let mut second = first.clone();
    second[4] = Some((0, 3));
    let both = history(&[first, second.clone()], &[k_anonymity(2)]);
    assert_eq!(both.smallest_block(), Some(1));
    let truth = [0, 1, 2, 0, 3];
    let left = possible(
        &[
            vec![Some((0, 0)), Some((0, 1)), Some((1, 2)), Some((1, 0)), None],
            second,
        ],
        &truth,
        4,
    );
    assert_eq!(left[4], BTreeSet::from([3]), "Alice has HIV");
}

/// Survey, Table VIII(a) and (c): Beth, who stays, has Cancer, since Diabetes left with another.
#[test]
fn beth_of_example_6_4_stands_alone() {
    let first: Small = vec![Some((0, 0)), Some((0, 1)), Some((1, 2)), Some((1, 0)), None];
    let second: Small = vec![Some((0, 0)), None, Some((1, 2)), Some((1, 0)), Some((0, 2))];
    let left = possible(&[first.clone(), second.clone()], &[0, 1, 2, 0, 2], 4);
    assert_eq!(left[0], BTreeSet::from([0]), "Beth has Cancer");
    let both = history(&[first, second], &[k_anonymity(2)]);
    let blocks = both.blocks();
    assert!(blocks.contains(&vec![0]) && blocks.contains(&vec![1]));
    assert!(!both.judge().1.is_empty());
}

fn small_history(people: usize, values: usize) -> impl Strategy<Value = (Vec<Small>, Vec<usize>)> {
    let truth = prop::collection::vec(0..values, people);
    let stand = prop::option::weighted(0.8, 0..2_u32);
    let releases = prop::collection::vec(prop::collection::vec(stand, people), 2..=4);
    (releases, truth).prop_map(|(releases, truth)| {
        let with_values = |release: Vec<Option<u32>>| {
            let each = release.into_iter().zip(&truth);
            each.map(|(class, &value)| class.map(|class| (class, value)))
                .collect()
        };
        (releases.into_iter().map(with_values).collect(), truth)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever was published, everybody of a block may have what anybody of it has.
    #[test]
    fn no_world_can_tell_the_people_of_a_block_apart((releases, truth) in small_history(6, 3)) {
        let found = history(&releases, &[]);
        let left = possible(&releases, &truth, 3);
        for block in &found.blocks()[1..] {
            // People are numbered as they were first published; tokens tell who they are.
            let people: Vec<usize> = block
                .iter()
                .map(|&person| u128::from_be_bytes(found.token(person)) as usize - 1)
                .collect();
            let values: BTreeSet<usize> = people.iter().map(|&person| truth[person]).collect();
            for &person in &people {
                prop_assert!(left[person].is_superset(&values), "{:?} {:?}", left[person], values);
                prop_assert_eq!(&left[person], &left[people[0]]);
            }
        }
    }

    /// Blocks are the finest: people of two blocks are told apart by who is in which class of which release.
    #[test]
    fn blocks_are_who_stood_together_everywhere((releases, _) in small_history(6, 3)) {
        let found = history(&releases, &[k_anonymity(2)]);
        let mut alike: BTreeMap<Vec<Option<u32>>, u64> = BTreeMap::new();
        for person in 0..6 {
            let stands: Vec<Option<u32>> =
                releases.iter().map(|one| one[person].map(|(class, _)| class)).collect();
            if stands.iter().any(Option::is_some) {
                *alike.entry(stands).or_default() += 1;
            }
        }
        prop_assert_eq!(found.smallest_block(), alike.values().copied().min());
        let broken: u64 = found.judge().1.iter().map(|one| one.people).sum();
        let alone = alike.iter().filter(|(_, size)| **size == 1);
        let expected: usize = alone.map(|(stands, _)| stands.iter().flatten().count()).sum();
        prop_assert_eq!(broken, expected as u64);
    }
}

/// With every release k-anonymous by itself, how often two to four of them together tell somebody's record: the reason for a ledger.
#[test]
fn releases_that_are_safe_alone_are_often_unsafe_together() {
    let mut drawn = 7_u64;
    let mut draw = |below: u64| {
        drawn = drawn
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (drawn >> 33) % below
    };
    let (mut safe, mut broken) = (0, 0);
    while safe < 300 {
        // Everybody has a value of their own, so a set of values is a set of people.
        let truth: Vec<usize> = (0..5).collect();
        let many = 2 + draw(3) as usize;
        let releases: Vec<Small> = (0..many)
            .map(|_| {
                let stand = |value| (draw(10) < 8).then(|| (draw(2) as u32, value));
                (0..5).map(stand).collect()
            })
            .collect();
        let alone = releases.iter().all(|one| {
            let classes = shown(one, &truth);
            classes.values().all(|own| own.len() >= 2)
        });
        if !alone {
            continue;
        }
        safe += 1;
        let left = possible(&releases, &truth, 5);
        let published = |person: usize| releases.iter().any(|one| one[person].is_some());
        let pinned = (0..5).any(|person| published(person) && left[person].len() < 2);
        broken += u32::from(pinned);
        // What worlds break, blocks break.
        if pinned {
            assert!(!history(&releases, &[k_anonymity(2)]).judge().1.is_empty());
        }
    }
    assert!(broken > 100, "only {broken} of {safe} histories");
}
