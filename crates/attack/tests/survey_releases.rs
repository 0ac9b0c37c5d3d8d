//! Examples 6.1 to 6.4 and 8.1 of the survey, the leak between windows, trackers, and the control group.

use denym_attack::Draws;
use denym_attack::attacks::inference::inference;
use denym_attack::attacks::linkability::linkability;
use denym_attack::attacks::singling_out::singling_out;
use denym_attack::control::Comparison;
use denym_attack::queries::{
    Answers, Formula, Restricted, added_between, asked_directly, general_tracker,
    individual_tracker, track_everybody,
};
use denym_attack::releases::join::JoinedView;
use denym_attack::releases::{
    ReleaseView, VarianceFailure, inserted, intersection, join, m_invariance, stayed,
};
use denym_attack::sequences::{
    Doublet, DoubletAttack, Effort, Exposure as Paths, FitRule, Inferable, VictimFate,
};
use denym_attack::table::Covers;
use denym_attack::windows::{WindowRecord, WindowScene, WindowSecret, union};
use denym_attack::{Scene, red_team};
use denym_data::Fraction;
use std::collections::BTreeMap;

const CANCER: u32 = 0;
const HIV: u32 = 1;
const DIABETES: u32 = 2;
const FEVER: u32 = 3;

/// Table VI: age and job of T1; job, birthplace and disease of T2.
const JOB_1: [u32; 6] = [0, 0, 1, 2, 3, 4];
const AGE: [u32; 6] = [30, 30, 40, 40, 50, 50];
const JOB_2: [u32; 6] = [0, 0, 1, 2, 3, 4];
const US: u32 = 0;
const FRANCE: u32 = 1;
const UK: u32 = 2;
const BIRTHPLACE: [u32; 6] = [US, US, FRANCE, UK, FRANCE, US];
const DISEASE: [u32; 6] = [CANCER, CANCER, HIV, CANCER, HIV, HIV];

#[test]
fn example_6_1_a_join_finds_who_was_hidden_in_two() {
    let left = JoinedView {
        shared: &JOB_1,
        quasi: &AGE,
        subject: None,
    };
    let right = JoinedView {
        shared: &JOB_2,
        quasi: &BIRTHPLACE,
        subject: None,
    };
    let (groups, evidence) = join(left, right, &DISEASE, &|a, b| a == b, 2, 1.0).unwrap();
    let of = |age, place| {
        groups
            .iter()
            .find(|group| (group.left, group.right) == (age, place))
            .unwrap()
    };
    // Age 40 and birthplace France have two records each; together one, and its disease.
    assert_eq!(
        (of(40, FRANCE).size, of(40, FRANCE).histogram.clone()),
        (1, BTreeMap::from([(HIV, 1)]))
    );
    // Example 6.2: the join is lossy for {30, US}: four matches of two people, all cancer.
    assert_eq!(
        (of(30, US).size, of(30, US).histogram.clone()),
        (4, BTreeMap::from([(CANCER, 4)]))
    );
    assert!((of(30, US).confidence() - 1.0).abs() < 1e-12);
    assert_eq!((evidence.successes, evidence.attempts), (5, 5));
}

#[test]
fn example_6_2_a_generalized_join_hides() {
    // Jobs of T2 generalized: every job of T1 lies on one path with the published one.
    let general = [0_u32; 6];
    let left = JoinedView {
        shared: &JOB_1,
        quasi: &AGE,
        subject: None,
    };
    let right = JoinedView {
        shared: &general,
        quasi: &BIRTHPLACE,
        subject: None,
    };
    let (groups, evidence) = join(left, right, &DISEASE, &|_, _| true, 2, 1.0).unwrap();
    let of = |age, place| {
        groups
            .iter()
            .find(|group| (group.left, group.right) == (age, place))
            .unwrap()
    };
    assert_eq!(of(40, FRANCE).size, 4);
    assert_eq!(
        of(30, US).histogram,
        BTreeMap::from([(CANCER, 4), (HIV, 2)])
    );
    // France (all HIV) and the UK (one record) give themselves away without any join.
    assert!(
        groups
            .iter()
            .filter(|group| group.right == US)
            .all(|group| group.confidence() < 1.0)
    );
    assert!(evidence.successes < evidence.attempts);
}

/// Table VIII(a): groups Professional Female and Artist Male.
fn first() -> Vec<Vec<u32>> {
    vec![vec![CANCER, DIABETES], vec![FEVER, CANCER]]
}

/// Whoever stayed has two candidates in VIII(a) and (b); with the group's cancer published elsewhere, one is cracked, forward and across.
#[test]
fn stayers_of_table_viii_keep_their_candidates_unless_a_record_must_be_elsewhere() {
    let second = vec![vec![CANCER, DIABETES, HIV], vec![FEVER, CANCER]];
    let (pairs, evidence) = stayed(&first(), &second, &|a, b| a == b, 2).unwrap();
    assert_eq!(
        pairs[0].possible,
        BTreeMap::from([(CANCER, 1), (DIABETES, 1)])
    );
    assert_eq!((evidence.successes, evidence.attempts), (0, 2));
    // The second release has a coarser group beside: the cancer of the professionals must be in it.
    let second = vec![
        vec![DIABETES, HIV],
        vec![FEVER, CANCER],
        vec![CANCER, FEVER],
    ];
    let fits = |a: u32, b: u32| a == b || b == 2;
    let (pairs, evidence) = stayed(&first(), &second, &fits, 2).unwrap();
    let of = |pair: (u32, u32)| pairs.iter().find(|own| (own.first, own.second) == pair);
    let possible = &of((0, 0)).unwrap().possible;
    assert_eq!(
        possible,
        &BTreeMap::from([(DIABETES, 1)]),
        "an adversary who knows both groups"
    );
    // Whoever is in the coarser group has one value too: cancer from the one side, fever from the other.
    assert_eq!((evidence.successes, evidence.attempts), (3, 4));
}

/// The survey lists Flu, Fever and HIV for the first group; its table has Cancer, Diabetes and HIV, which we use.
#[test]
fn example_6_3_the_newcomer_has_hiv() {
    let second = vec![vec![CANCER, DIABETES, HIV], vec![FEVER, CANCER]];
    let (groups, evidence) = inserted(&first(), &second, &|a, b| a == b, 2).unwrap();
    assert_eq!(groups[0].possible, BTreeMap::from([(HIV, 1)]));
    assert_eq!((groups[0].cracked, groups[1].cracked), (2, 2));
    assert!(
        groups[1].possible.is_empty(),
        "nobody new among the artists"
    );
    assert_eq!((evidence.successes, evidence.attempts), (1, 1));
    // Two newcomers with two values: nothing is learned of which is whose.
    let second = vec![vec![CANCER, DIABETES, HIV, FEVER], vec![FEVER, CANCER]];
    assert_eq!(
        inserted(&first(), &second, &|a, b| a == b, 2)
            .unwrap()
            .1
            .successes,
        0
    );
    // A record is missing: this is not insertion.
    assert!(
        inserted(
            &first(),
            &[vec![CANCER], vec![FEVER, CANCER]],
            &|a, b| a == b,
            2
        )
        .is_err()
    );
}

/// The survey says Table VIII(b); the release after the deletion is VIII(c).
#[test]
fn example_6_4_beth_has_cancer() {
    let second = vec![vec![CANCER, FEVER], vec![FEVER, CANCER]];
    // Beth is a professional in both, Carl an artist in both, Dora a professional in the second only.
    let views = [
        ReleaseView {
            group_of: vec![Some(0), Some(1), None],
            values: first(),
        },
        ReleaseView {
            group_of: vec![Some(0), Some(1), Some(0)],
            values: second,
        },
    ];
    let (remaining, evidence) = intersection(&views, 2).unwrap();
    assert_eq!(remaining[0].values, [CANCER]);
    assert_eq!(remaining[1].values, [CANCER, FEVER]);
    assert_eq!((evidence.successes, evidence.attempts), (1, 2));
    let (failures, evidence) = m_invariance(&views, 2).unwrap();
    assert_eq!(failures, [VarianceFailure::Person { person: 0 }]);
    assert_eq!((evidence.successes, evidence.attempts), (1, 2));
    let (failures, _) = m_invariance(&views, 3).unwrap();
    assert_eq!(failures.len(), 5, "and every group is smaller than three");
    // The same values again: nothing is learned.
    let same = [views[0].clone(), views[0].clone()];
    assert_eq!(intersection(&same, 2).unwrap().1.successes, 0);
    assert!(m_invariance(&same, 2).unwrap().0.is_empty());
}

#[test]
fn two_windows_leak_what_each_hides() {
    let vectors = denym_testkit::vectors("paths-and-trails");
    let case = vectors["worked"]
        .as_array()
        .unwrap()
        .iter()
        .find(|case| case["id"] == "itsa-table1")
        .unwrap();
    let doublet =
        |text: &str| -> Doublet { (u32::from(text.as_bytes()[0]), text[1..].parse().unwrap()) };
    let path = |value: &serde_json::Value| -> Vec<Doublet> {
        value.as_array().map_or_else(Vec::new, |list| {
            list.iter().map(|d| doublet(d.as_str().unwrap())).collect()
        })
    };
    let stream = case["stream"].as_object().unwrap();
    let raw: Vec<Vec<Doublet>> = stream
        .values()
        .map(|record| path(&record["path"]))
        .collect();
    let codes: Vec<u32> = stream
        .values()
        .map(|record| u32::from(record["s"] == "s1"))
        .collect();
    // Window 1..3 suppresses nothing; window 2..4 is in the vector.
    let within = |from: u32, to: u32| -> Vec<Vec<Doublet>> {
        raw.iter()
            .map(|p| {
                p.iter()
                    .copied()
                    .filter(|d| (from..=to).contains(&d.1))
                    .collect()
            })
            .collect()
    };
    let one = within(1, 3);
    let two: Vec<Vec<Doublet>> = stream
        .keys()
        .map(|id| path(&case["windows"][1]["window_output"][id]))
        .collect();
    let both: Vec<Vec<Doublet>> = one.iter().zip(&two).map(|(a, b)| union(a, b)).collect();
    let secret = Inferable::Fact {
        carriers: codes.iter().map(|&code| (code == 1).into()).collect(),
        at_most: (2, 5),
        named_by: Vec::new(),
    };
    let expose = |known: &[Vec<Doublet>], published: &[Vec<Doublet>]| {
        let setting = Paths::aligned(known, published).unwrap();
        let secrets = [secret.clone()];
        let attack = DoubletAttack::new(&setting, FitRule::Covers, 2, &secrets).unwrap();
        attack.run(&Effort::EVERYTHING)
    };
    let falls = |fate: &VictimFate| fate.fewest == 1 || fate.told[0];
    assert!(!expose(&one, &one).each.iter().any(falls));
    assert!(!expose(&within(2, 4), &two).each.iter().any(falls));
    let found = expose(&raw, &both);
    // b2 from the first window and d4 from the second: records 1 and 3, one of them s1.
    assert_eq!(found.largest_confidence(0), (1, 2));
    assert!(falls(&found.each[0]) && falls(&found.each[2]));
}

/// Table X: university (0 Concordia, 1 Simon Fraser, 2 Illinois), department (0 CS, 1 EE), score.
const UNIVERSITY: [u32; 5] = [0, 1, 0, 2, 2];
const DEPARTMENT: [u32; 5] = [0, 1, 0, 0, 0];
const SCORE: [f64; 5] = [92.0, 91.0, 97.0, 96.0, 99.0];

#[test]
fn example_8_1_bob_scored_96_and_the_newcomer_99() {
    let columns_a: [&[u32]; 2] = [&UNIVERSITY[..4], &DEPARTMENT[..4]];
    let columns_b: [&[u32]; 2] = [&UNIVERSITY, &DEPARTMENT];
    let before = Restricted {
        columns: &columns_a,
        sensitive: &SCORE[..4],
        least: 0,
    };
    let after = Restricted {
        columns: &columns_b,
        sensitive: &SCORE,
        least: 0,
    };
    let bob = Formula::Is(0, 2).and(Formula::Is(1, 0));
    assert!((asked_directly(&before, &bob).unwrap().value - 96.0).abs() < 1e-12);
    assert!(asked_directly(&after, &bob).is_none(), "two people now");
    assert!((added_between(&before, &after, &bob).unwrap().value - 99.0).abs() < 1e-12);
}

#[test]
fn a_size_restriction_falls_to_trackers() {
    let columns: [&[u32]; 2] = [&UNIVERSITY, &DEPARTMENT];
    let system = Restricted {
        columns: &columns,
        sensitive: &SCORE,
        least: 1,
    };
    // The one electrical engineer: refused when five is all but zero, so ask for at least two.
    let strict = Restricted { least: 2, ..system };
    let engineer = Formula::Is(1, 1);
    assert!(strict.count(&engineer).is_none());
    // Those not in Illinois are three; without the engineer two.
    let elsewhere = Formula::Is(0, 2).negated();
    let learned = individual_tracker(&strict, &elsewhere, &engineer).unwrap();
    assert!((learned.value - 91.0).abs() < 1e-12);
    let learned = general_tracker(&strict, &engineer, &Formula::Is(0, 2)).unwrap();
    assert!((learned.value - 91.0).abs() < 1e-12);
}

#[test]
fn trackers_learn_almost_everybody_behind_a_restriction() {
    let mut rng = Draws::new(6);
    let mut column =
        |domain: u64| -> Vec<u32> { (0..60).map(|_| rng.below(domain) as u32).collect() };
    let (a, b, c) = (column(4), column(5), column(6));
    let salary: Vec<f64> = (0..60).map(|person| f64::from(1000 + person)).collect();
    let columns: [&[u32]; 3] = [&a, &b, &c];
    let mut unique = 0;
    for person in 0..60 {
        unique += u64::from(
            (0..60)
                .filter(|&p| columns.iter().all(|column| column[p] == column[person]))
                .count()
                == 1,
        );
    }
    let strict = Restricted {
        columns: &columns,
        sensitive: &salary,
        least: 6,
    };
    let (learned, evidence) = track_everybody(&strict, &columns);
    for (person, learned) in learned.iter().enumerate() {
        assert!(
            learned.is_none_or(|learned| (learned.value - salary[person]).abs() < 1e-6),
            "never wrong"
        );
    }
    assert_eq!(
        (evidence.successes, evidence.attempts),
        (unique, 60),
        "every unique person falls"
    );
    // Refusing everything but halves leaves nothing to track with.
    let closed = Restricted {
        least: 30,
        ..strict
    };
    assert_eq!(track_everybody(&closed, &columns).1.successes, 0);
}

/// People with a habit that anybody may know (attribute 4 follows attribute 0 in four of five cases) and noise.
fn population(count: usize, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Draws::new(seed);
    let mut columns = vec![Vec::new(); 5];
    for _ in 0..count {
        let habit = rng.below(4) as u32;
        let follows = if rng.unit() < 0.8 {
            habit
        } else {
            rng.below(4) as u32
        };
        let noise = [rng.below(12), rng.below(12), rng.below(12)].map(|n| n as u32);
        for (column, code) in columns
            .iter_mut()
            .zip([habit, noise[0], noise[1], noise[2], follows])
        {
            column.push(code);
        }
    }
    columns
}

#[test]
fn a_leak_is_what_the_held_out_do_not_lose() {
    let (members, held_out) = (population(800, 1), population(800, 2));
    let of = |table: &'static str, columns: &[Vec<u32>]| -> Vec<Vec<u32>> {
        // The general release shows the habit and the attribute that follows, and nothing of the noise.
        columns
            .iter()
            .enumerate()
            .map(|(at, c)| {
                if table == "raw" || at % 4 == 0 {
                    c.clone()
                } else {
                    vec![0; c.len()]
                }
            })
            .collect()
    };
    let raw_covers: Vec<Covers> = [4, 12, 12, 12, 4].map(Covers::equal).to_vec();
    let general_covers: Vec<Covers> = [4, 12, 12, 12, 4]
        .iter()
        .enumerate()
        .map(|(at, &n)| {
            if at % 4 == 0 {
                Covers::equal(n)
            } else {
                Covers::new(1, n, |_, _| true)
            }
        })
        .collect();
    let slices = |columns: &'_ [Vec<u32>]| -> Vec<&'static [u32]> {
        columns
            .iter()
            .map(|column| &*Box::leak(column.clone().into_boxed_slice()))
            .collect()
    };
    let (m, h) = (slices(&members), slices(&held_out));
    let (raw, general) = (
        slices(&of("raw", &members)),
        slices(&of("general", &members)),
    );
    let setting = Comparison {
        known: 5,
        published: &raw,
        covers: &raw_covers,
        members: &m,
        held_out: &h,
        attempts: 800,
        seed: 5,
    };
    let leaking = [
        inference(
            &Comparison {
                known: 4,
                ..setting
            },
            4,
        ),
        linkability(&setting, &[0, 1, 2]),
        singling_out(&setting),
    ]
    .map(Result::unwrap);
    for found in &leaking {
        assert!(found.leaks() && found.risk > 0.5, "{found:?}");
    }
    let safe = Comparison {
        published: &general,
        covers: &general_covers,
        ..setting
    };
    let guessed = inference(&Comparison { known: 4, ..safe }, 4).unwrap();
    assert!(
        guessed.members.rate > 0.7,
        "four of five follow the habit: {guessed:?}"
    );
    assert!(!guessed.leaks(), "which is statistics: {guessed:?}");
    for found in [linkability(&safe, &[0, 1, 2]), singling_out(&safe)].map(Result::unwrap) {
        assert!(!found.leaks(), "{found:?}");
    }
    assert!(inference(&safe, 9).is_err());
    // Non-overlapping 95 % intervals come by chance in about 0.6 % of pairs; five or more of 40 in fewer than one in 10,000.
    let by_chance = (10..50)
        .filter(|&seed| {
            let (m, h) = (population(300, 2 * seed), population(300, 2 * seed + 1));
            let published = slices(&of("general", &m));
            let (m, h) = (slices(&m), slices(&h));
            let setting = Comparison {
                published: &published,
                members: &m,
                held_out: &h,
                attempts: 300,
                known: 4,
                seed,
                ..safe
            };
            inference(&setting, 4).unwrap().leaks()
        })
        .count();
    assert!(by_chance < 5, "{by_chance} of 40");
}

#[test]
fn people_are_followed_from_window_to_window() {
    // Both windows show b2 and c2; the first a1 besides, the second d3, and everybody has three like them in each.
    let (a, b, c, d) = ((1, 1), (2, 2), (3, 2), (4, 3));
    let window = |records: &[(&[Doublet], u64)]| -> Vec<WindowRecord> {
        let all = records.iter();
        all.map(|&(path, count)| (path.to_vec(), 0, count))
            .collect()
    };
    let windows = [
        window(&[(&[a, b], 3), (&[c], 3)]),
        window(&[(&[b], 3), (&[c, d], 3)]),
    ];
    let secrets = [WindowSecret {
        attribute: "status".to_owned(),
        value_of: vec![0, 1],
        bound: Fraction::new(1, 2).map(|half| (1, half)),
    }];
    let found = |windows: &[Vec<WindowRecord>], attack: &str, attribute: Option<&str>| {
        let (window, before) = windows.split_last().unwrap();
        let scene = WindowScene {
            window,
            before: before.last().map(Vec::as_slice),
            known: 2,
            secrets: &secrets,
            effort: Effort::EVERYTHING,
        };
        let team = red_team(&Scene::Windows(&scene)).unwrap();
        let mut findings = team.findings.iter();
        let found =
            findings.find(|one| one.attack == attack && one.attribute.as_deref() == attribute);
        found.map(|found| (found.after.rate, found.after.attempts))
    };
    let near = |found: Option<(f64, u64)>, rate: f64, people: u64| {
        let (is, of) = found.unwrap();
        assert!((is - rate).abs() < 1e-12 && of == people, "{found:?}");
    };
    near(found(&windows, "window-difference", None), 1.0 / 3.0, 6);
    near(found(&windows, "window-doublets", None), 1.0 / 3.0, 6);
    assert_eq!(
        found(&windows[..1], "window-difference", None),
        None,
        "one window has no difference"
    );
    // One of the first three goes on to d3: the two windows together show a1 and d3 of that one alone, and so does the second b2 and d3.
    let mut split = [
        windows[0].clone(),
        window(&[(&[b], 2), (&[b, d], 1), (&[c, d], 3)]),
    ];
    near(
        found(&split, "window-doublets", None),
        (1.0 + 5.0 / 3.0) / 6.0,
        6,
    );
    let both = found(&split, "window-difference", None);
    assert!(both.unwrap().0 > 1.0 / 3.0, "{both:?}");
    // Where that one has the sensitive value, it follows of nobody else: b2 alone leaves it at one in three.
    split[0] = vec![(vec![a, b], 0, 2), (vec![a, b], 1, 1), (vec![c], 0, 3)];
    split[1][1].1 = 1;
    near(
        found(&split, "window-doublets", Some("status")),
        1.0 / 6.0,
        6,
    );
    near(
        found(&split, "window-difference", Some("status")),
        1.0 / 6.0,
        6,
    );
    near(found(&windows, "window-doublets", Some("status")), 0.0, 6);
}
