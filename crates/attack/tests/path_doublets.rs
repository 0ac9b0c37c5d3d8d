//! The any-L-doublets attack against a slow and obvious one: classes, coarser doublets and local suppression included.

use denym_attack::Draws;
use denym_attack::sequences::{
    Alike, DoubletAttack, DoubletRows, Effort, Exposure, FitRule, Habit, HomeWork, Inferable,
    Sureness, TopLocations, VisitedPlaces, correlation,
};

/// Five places at four times; doublet = time x 5 + place. Coarser ones are 20 + time x 2 + (place is 3 or 4).
fn coarser(doublet: u32) -> u32 {
    20 + doublet / 5 * 2 + u32::from(doublet % 5 >= 3)
}

struct Case {
    setting: Exposure,
    sick: Vec<bool>,
}

/// Raw paths of up to four doublets; some records lose a doublet, or show a coarser one.
fn case(rng: &mut Draws) -> Case {
    let people = 4 + rng.below(8) as usize;
    let (mut raw, mut published) = (Vec::new(), Vec::new());
    let gone = rng.below(20) as u32;
    let (local, coarse) = (rng.below(2) == 0, rng.below(2) == 0);
    for _ in 0..people {
        let mut path: Vec<u32> = Vec::new();
        for time in 0..4 {
            if rng.below(4) > 0 {
                path.push(time * 5 + rng.below(5) as u32);
            }
        }
        let mut shown = Vec::new();
        for &doublet in &path {
            if doublet % 5 == gone % 5 || (local && rng.below(5) == 0) {
                continue;
            }
            let wide = coarse && (!local || rng.below(2) == 0);
            shown.push(if wide { coarser(doublet) } else { doublet });
        }
        raw.push(path);
        published.push(shown);
    }
    let classes: Vec<u32> = (0..people).map(|_| rng.below(2) as u32).collect();
    // Victim i is record people - 1 - i.
    published.reverse();
    let records: Vec<u32> = classes.iter().rev().copied().collect();
    let setting = Exposure {
        raw: DoubletRows::new(raw.iter().map(Vec::as_slice)),
        published: DoubletRows::new(published.iter().map(Vec::as_slice)),
        own: Some((0..people as u32).rev().collect()),
        stands_for: (0..20)
            .map(|doublet| vec![doublet, coarser(doublet)])
            .collect(),
        raw_time: (0..20).map(|doublet| Some(doublet / 5)).collect(),
        published_time: (0..20)
            .map(|d| d / 5)
            .chain((0..8).map(|d| d / 2))
            .collect(),
        classes: if rng.below(2) == 0 {
            (classes, records)
        } else {
            (Vec::new(), Vec::new())
        },
        counts: (Vec::new(), Vec::new()),
    };
    Case {
        sick: (0..people).map(|_| rng.below(3) == 0).collect(),
        setting,
    }
}

/// The records that fit, by the words of the definition.
fn candidates(setting: &Exposure, matching: FitRule, victim: usize, known: &[u32]) -> Vec<usize> {
    let shows = |row: usize, doublet: u32| {
        let shown = setting.published.get(row);
        shown.contains(&doublet) || shown.contains(&coarser(doublet))
    };
    let busy = |row: usize, doublet: u32| {
        let mut shown = setting.published.get(row).iter();
        shown.any(|&id| setting.published_time[id as usize] == doublet / 5)
    };
    let fits = |row: usize, doublet: u32| {
        let published = (0..setting.published.len()).any(|other| shows(other, doublet));
        match matching {
            FitRule::Covers => !published || shows(row, doublet),
            FitRule::Consistent if published => shows(row, doublet),
            FitRule::Consistent | FitRule::ConsistentLocal => {
                shows(row, doublet) || !busy(row, doublet)
            }
        }
    };
    (0..setting.published.len())
        .filter(|&row| {
            let (people, records) = &setting.classes;
            people.is_empty() || people[victim] == records[row]
        })
        .filter(|&row| known.iter().all(|&doublet| fits(row, doublet)))
        .collect()
}

/// A rate to nine digits, which can be compared.
#[expect(clippy::cast_possible_truncation, reason = "a rate is at most 1")]
fn rounded(rate: f64) -> i64 {
    (rate * 1e9).round() as i64
}

#[test]
fn agrees_with_the_definition() {
    let mut rng = Draws::new(8);
    for round in 0..1_500 {
        let Case { setting, sick } = case(&mut rng);
        let secrets = [Inferable::Fact {
            carriers: sick.iter().map(|&sick| sick.into()).collect(),
            at_most: (1, 2),
            named_by: Vec::new(),
        }];
        for matching in [
            FitRule::Covers,
            FitRule::Consistent,
            FitRule::ConsistentLocal,
        ] {
            let attack = DoubletAttack::new(&setting, matching, 3, &secrets).unwrap();
            let found = attack.run(&Effort::EVERYTHING);
            for fate in &found.each {
                let victim = fate.victim as usize;
                let own = setting.own.as_ref().unwrap()[victim] as usize;
                let path = setting.raw.get(victim);
                let (mut fewest, mut told) = (0, false);
                for mask in 1_u32..1 << path.len() {
                    if mask.count_ones() > 3 {
                        continue;
                    }
                    let known: Vec<u32> = (0..path.len())
                        .filter(|at| mask >> at & 1 == 1)
                        .map(|at| path[at])
                        .collect();
                    let left = candidates(&setting, matching, victim, &known);
                    if !left.contains(&own) {
                        continue;
                    }
                    if fewest == 0 || left.len() < fewest {
                        fewest = left.len();
                    }
                    told |= left.iter().filter(|&&row| sick[row]).count() * 2 > left.len();
                }
                assert_eq!(
                    (fate.fewest, fate.told[0]),
                    (fewest as u64, told),
                    "round {round}, {matching:?}, victim {victim}"
                );
            }
        }
    }
}

/// The same setting with people and records that are alike once.
fn grouped(setting: &Exposure, sick: &[bool]) -> (Exposure, Inferable) {
    let own = setting.own.as_deref();
    let alike = Alike::new(
        setting.raw.iter(),
        setting.published.iter(),
        own,
        &setting.classes,
    );
    let mut carriers = vec![0; alike.published.len()];
    for (&kind, &sick) in alike.kind_of_record.iter().zip(sick) {
        carriers[kind as usize] += u32::from(sick);
    }
    let secret = Inferable::Fact {
        carriers,
        at_most: (1, 2),
        named_by: Vec::new(),
    };
    let setting = Exposure {
        raw: alike.raw,
        published: alike.published,
        own: alike.own,
        classes: alike.classes,
        counts: alike.counts,
        ..setting.clone()
    };
    (setting, secret)
}

#[test]
fn people_who_are_alike_fare_alike() {
    let mut rng = Draws::new(15);
    let (mut kinds, mut people) = (0, 0);
    for round in 0..400 {
        // Three cases of equal shape one after the other: many are alike.
        let mut case = case(&mut rng);
        let few = case.setting.raw.len();
        let thrice = |rows: &DoubletRows| {
            let lists: Vec<Vec<u32>> = rows.iter().map(<[u32]>::to_vec).collect();
            DoubletRows::new(lists.iter().cycle().take(3 * few).map(Vec::as_slice))
        };
        let repeat = |list: &[u32]| -> Vec<u32> {
            list.iter().cycle().take(3 * list.len()).copied().collect()
        };
        let own = case.setting.own.take().unwrap();
        let rows = (0..3).flat_map(|copy| own.iter().map(move |&row| row + copy * few as u32));
        case.setting.own = (round % 5 > 0).then(|| rows.collect());
        case.setting.raw = thrice(&case.setting.raw);
        case.setting.published = thrice(&case.setting.published);
        case.setting.classes = (
            repeat(&case.setting.classes.0),
            repeat(&case.setting.classes.1),
        );
        let sick: Vec<bool> = (0..3 * few).map(|_| rng.below(3) == 0).collect();
        let single = [Inferable::Fact {
            carriers: sick.iter().map(|&sick| sick.into()).collect(),
            at_most: (1, 2),
            named_by: Vec::new(),
        }];
        let (alike, secret) = grouped(&case.setting, &sick);
        kinds += alike.raw.len();
        people += 3 * few;
        let secret = [secret];
        assert_eq!(case.setting.all_or_none(), alike.all_or_none());
        for matching in [
            FitRule::Covers,
            FitRule::Consistent,
            FitRule::ConsistentLocal,
        ] {
            let run = |setting: &Exposure, secrets: &[Inferable]| {
                let attack = DoubletAttack::new(setting, matching, 3, secrets).unwrap();
                let found = attack.run(&Effort::EVERYTHING);
                let (linked, told) = (found.linkage("doublets"), found.inference("doublets", 0..1));
                let rate = rounded(linked.rate);
                let counts = (
                    linked.attempts,
                    linked.successes,
                    told.attempts,
                    told.successes,
                );
                (
                    rate,
                    counts,
                    found.smallest_group(),
                    found.largest_confidence(0),
                )
            };
            let (one, many) = (run(&case.setting, &single), run(&alike, &secret));
            let (a, b) = (one.3, many.3);
            assert_eq!(
                (one.0, one.1, one.2),
                (many.0, many.1, many.2),
                "{matching:?}"
            );
            assert_eq!(a.0 * b.1, b.0 * a.1, "{matching:?}");
        }
        let places = VisitedPlaces {
            raw: (0..20).map(|doublet| doublet % 5).collect(),
            published: (0..20)
                .map(|d| d % 5)
                .chain((0..8).map(|d| 5 + d % 2))
                .collect(),
        };
        let night: Vec<Option<bool>> = (0..28).map(|doublet| Some(doublet % 2 == 0)).collect();
        let habits = |setting: &Exposure| {
            let evidence = |habit: Habit| {
                let found = habit.evidence();
                (rounded(found.rate), found.successes, found.attempts)
            };
            (
                evidence(TopLocations::run(setting, &places, 2).unwrap()),
                evidence(HomeWork::run(setting, &places, (&night[..20], &night)).unwrap()),
            )
        };
        assert_eq!(habits(&case.setting), habits(&alike));
        if case.setting.own.is_some() {
            let sureness = Sureness {
                confidence: 0.6,
                support: 1,
                steps: u64::MAX,
                seed: 1,
            };
            let (one, many) = (
                correlation(&case.setting, &sureness).unwrap(),
                correlation(&alike, &sureness).unwrap(),
            );
            assert_eq!(one.evidence, many.evidence);
            let right = |deduced: &[denym_attack::sequences::Deduced]| {
                let right = deduced.iter().filter(|one| one.right);
                right.map(|one| one.people).sum::<u64>()
            };
            assert_eq!(right(&one.deduced), right(&many.deduced));
        }
    }
    assert!(kinds * 2 < people, "{kinds} kinds of {people} people");
}

#[test]
fn draws_are_of_people_not_of_kinds() {
    // One path of a thousand people, and ten that nobody shares.
    let lists: Vec<Vec<u32>> = (0..11).map(|doublet| vec![doublet]).collect();
    let rows = DoubletRows::new(lists.iter().map(Vec::as_slice));
    let counts: Vec<u32> = (0..11).map(|at| if at == 0 { 1_000 } else { 1 }).collect();
    let setting = Exposure {
        raw: rows.clone(),
        published: rows,
        own: Some((0..11).collect()),
        stands_for: (0..11).map(|doublet| vec![doublet]).collect(),
        raw_time: vec![Some(0); 11],
        published_time: vec![0; 11],
        classes: (Vec::new(), Vec::new()),
        counts: (counts.clone(), counts),
    };
    let attack = DoubletAttack::new(&setting, FitRule::Covers, 1, &[]).unwrap();
    let some = Effort {
        words: 1,
        least_victims: 300,
        pieces: 10,
        seed: 3,
    };
    let drawn = attack.run(&some).linkage("doublets");
    let all = attack.run(&Effort::EVERYTHING).linkage("doublets");
    assert_eq!(
        (drawn.attempts, all.attempts, all.successes),
        (300, 1_010, 10)
    );
    assert!((all.rate - 11.0 / 1_010.0).abs() < 1e-12);
    assert!(drawn.interval.0 <= all.rate && all.rate <= drawn.interval.1);
}

/// Forty people in pairs, each pair with a status of its own: whoever knows one doublet of somebody knows the status.
#[test]
fn every_value_is_looked_for_however_many_there_are() {
    let paths: Vec<Vec<(u32, u32)>> = (0..80).map(|person| vec![(person / 2, 1)]).collect();
    let setting = Exposure::aligned(&paths, &paths).unwrap();
    let any = [Inferable::AnyValue {
        of_record: (0..80).map(|person| Some(person / 2)).collect(),
    }];
    let attack = DoubletAttack::new(&setting, FitRule::Covers, 1, &any).unwrap();
    let told = attack.run(&Effort::EVERYTHING).inference("doublets", 0..1);
    assert_eq!((told.successes, told.attempts), (80, 80));
    // Where the two of a pair differ, nobody's follows.
    let differ = [Inferable::AnyValue {
        of_record: (0..80).map(Some).collect(),
    }];
    let attack = DoubletAttack::new(&setting, FitRule::Covers, 1, &differ).unwrap();
    let told = attack.run(&Effort::EVERYTHING).inference("doublets", 0..1);
    assert_eq!((told.successes, told.attempts), (0, 80));
}
