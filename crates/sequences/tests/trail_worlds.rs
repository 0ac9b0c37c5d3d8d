//! The worlds test on trails: the mark of the defence is what running it backwards measures.
//!
//! The adversary knows at which institutions everybody was, and the program. What was handed to the program is unknown: each person's
//! anonymous trail may be any part of the identified one, or nothing. Promised is how many people may own a published trail.
#![allow(
    clippy::print_stdout,
    reason = "rates for whoever asks with --nocapture"
)]

use denym_data::{Standing, Trails, Verdict};
use denym_sequences::solver_entry;
use denym_sequences::trail_defence::{Options, defend};
use denym_testkit::worlds::{Release, Tally, backwards, every_multiset};

/// Identified trails over three institutions, a bit each; beside all that three people may have.
const PEOPLE: [[u32; 4]; 3] = [
    [0b011, 0b111, 0b110, 0b101],
    [0b001, 0b011, 0b111, 0b100],
    [0b001, 0b001, 0b010, 0b111],
];

fn institutions(bits: u32) -> Vec<u32> {
    (0..3).filter(|at| bits >> at & 1 == 1).collect()
}

/// Every way in which each person's anonymous trail may be part of the identified one.
fn every_part(identified: &[u32]) -> Vec<(Vec<u32>, f64)> {
    let mut worlds = vec![Vec::new()];
    for &whole in identified {
        let parts = (0..=whole).filter(|part| part & whole == *part);
        worlds = parts
            .flat_map(|part| {
                worlds.iter().map(move |world: &Vec<u32>| {
                    let mut world = world.clone();
                    world.push(part);
                    world
                })
            })
            .collect();
    }
    worlds.into_iter().map(|world| (world, 1.0)).collect()
}

fn measured(identified: &[u32], k: usize) -> Tally {
    let trails = |rows: &[u32]| {
        let rows: Vec<Vec<u32>> = rows.iter().map(|&bits| institutions(bits)).collect();
        Trails::from_rows(3, &rows).expect("institutions are in range")
    };
    let whole = trails(identified);
    let worlds = every_part(identified);
    let found = backwards(&worlds, |world: &Vec<u32>, _| {
        // People without an anonymous trail have no row in the source.
        let owner: Vec<u32> = (0..world.len() as u32)
            .filter(|&person| world[person as usize] > 0)
            .collect();
        let rows: Vec<u32> = world.iter().copied().filter(|&bits| bits > 0).collect();
        let options = Options {
            k,
            ..Options::default()
        };
        let defence = defend(&trails(&rows), &whole, &owner, &options).ok()?;
        let mut shown = vec![None; world.len()];
        for (row, &person) in owner.iter().enumerate() {
            let trail = defence.published.get(row).to_vec();
            shown[person as usize] = (!trail.is_empty()).then_some(trail);
        }
        Some(Release { shown, beside: () })
    });
    let mut tally = Tally::default();
    tally.add_owners(&found.owners(), k);
    println!(
        "{identified:?}, k = {k}: {} sources, {} releases, {:.4} beyond, {:.4} certain",
        worlds.len(),
        found.releases(),
        tally.rate(),
        tally.certain / tally.judged.max(1.0)
    );
    tally
}

#[test]
fn the_trail_defence_is_marked_as_measured() {
    let three = every_multiset(3, 7).into_iter().map(|(kinds, _)| {
        let trails = kinds.iter().map(|kind| kind + 1);
        trails.collect::<Vec<u32>>()
    });
    let four = PEOPLE.iter().map(|people| people.to_vec());
    let tallies = three
        .chain(four)
        .flat_map(|people| [2, 3].map(|k| measured(&people, k)));
    let worst = tallies
        .filter(|tally| tally.judged > 0.0)
        .map(|tally| tally.per_mille())
        .max()
        .expect("something is published");
    let sizes = if worst == 0 {
        Standing::Holds
    } else {
        Standing::Exceeded { per_mille: worst }
    };
    let values = Standing::NotPromised;
    assert_eq!(
        solver_entry("trails", "trail-defence")
            .expect("a listed solver")
            .verdict,
        Verdict { sizes, values },
        "the mark of the defence and what was measured"
    );
}
