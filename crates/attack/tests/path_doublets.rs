//! The any-L-doublets attack against a slow and obvious one: classes, coarser doublets and local suppression included.

use denym_attack::SplitMix64;
use denym_attack::paths::{DoubletAttack, Effort, Matching, Rows, Secret, Setting};

/// Five places at four times; doublet = time x 5 + place. Coarser ones are 20 + time x 2 + (place is 3 or 4).
fn coarser(doublet: u32) -> u32 {
    20 + doublet / 5 * 2 + u32::from(doublet % 5 >= 3)
}

struct Case {
    setting: Setting,
    sick: Vec<bool>,
}

/// Raw paths of up to four doublets; some records lose a doublet, or show a coarser one.
fn case(rng: &mut SplitMix64) -> Case {
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
    let setting = Setting {
        raw: Rows::new(raw.iter().map(Vec::as_slice)),
        published: Rows::new(published.iter().map(Vec::as_slice)),
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
    };
    Case {
        sick: (0..people).map(|_| rng.below(3) == 0).collect(),
        setting,
    }
}

/// The records that fit, by the words of the definition.
fn candidates(setting: &Setting, matching: Matching, victim: usize, known: &[u32]) -> Vec<usize> {
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
            Matching::Covers => !published || shows(row, doublet),
            Matching::Consistent if published => shows(row, doublet),
            Matching::Consistent | Matching::ConsistentLocal => {
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

#[test]
fn agrees_with_the_definition() {
    let mut rng = SplitMix64::new(8);
    for round in 0..1_500 {
        let Case { setting, sick } = case(&mut rng);
        let secrets = [Secret {
            carriers: sick.clone(),
            at_most: Some((1, 2)),
            named_by: Vec::new(),
        }];
        for matching in [
            Matching::Covers,
            Matching::Consistent,
            Matching::ConsistentLocal,
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
