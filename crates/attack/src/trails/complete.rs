//! REIDIT-C: an anonymous trail that equals exactly one identified trail belongs to that person.
//!
//! # Idea
//!
//! Under complete collecting an institution that has a person's anonymous record also has the identified one, so a
//! person's two trails are equal. Hash the identified trails, look every anonymous trail up, and keep the hits with
//! exactly one owner.
//!
//! # Guarantee
//!
//! Every pair is right when both sides are complete and each anonymous trail's owner is on the identified side. Several
//! anonymous trails may be given the same person; then at most one of them can be right, and [`super::attack`] counts them.
//!
//! # Reference
//!
//! B. Malin, "Compromising Privacy with Trail Re-Identification: The REIDIT Algorithms", CMU-CALD-02-108, 2002, Figure 2.
//!
//! # Departures
//!
//! Figure 2 resets the match set inside the inner loop, a typo. The quadratic loop is replaced by hashing.
//!
//! # Cost
//!
//! Linear in the number of entries of both sides; one million trails against one million takes about a second.

use super::Pair;
use super::grouping::{TrailSide, hash_trail};
use hashbrown::HashTable;

struct Slot {
    row: u32,
    unique: bool,
}

/// Pairs (anonymous row, identified row) of equal trails with exactly one owner, in anonymous order.
///
/// Linking labels must relate as well; `relates(anonymous label, identified label)` says which do.
pub fn reidit_complete(
    anonymous: TrailSide<'_>,
    identified: TrailSide<'_>,
    relates: &(dyn Fn(u32, u32) -> bool + Sync),
) -> Vec<Pair> {
    if identified.labels.is_empty() && anonymous.labels.is_empty() {
        return by_trail(anonymous, identified);
    }
    // With labels a trail may have many owners of which one relates: keep every owner.
    let mut owners: HashTable<Vec<u32>> = HashTable::new();
    for row in 0..identified.trails.len() {
        let trail = identified.trails.get(row);
        let hash = hash_trail(trail, 0);
        let same = |rows: &Vec<u32>| identified.trails.get(rows[0] as usize) == trail;
        if let Some(rows) = owners.find_mut(hash, same) {
            rows.push(row as u32);
        } else {
            owners.insert_unique(hash, vec![row as u32], |rows| {
                hash_trail(identified.trails.get(rows[0] as usize), 0)
            });
        }
    }
    let mut pairs = Vec::new();
    for row in 0..anonymous.trails.len() {
        let trail = anonymous.trails.get(row);
        let same = |rows: &Vec<u32>| identified.trails.get(rows[0] as usize) == trail;
        let Some(rows) = owners.find(hash_trail(trail, 0), same) else {
            continue;
        };
        let label = anonymous.label(row);
        let mut related = rows
            .iter()
            .filter(|&&owner| relates(label, identified.label(owner as usize)));
        if let (Some(&owner), None) = (related.next(), related.next()) {
            pairs.push((row as u32, owner));
        }
    }
    pairs
}

fn by_trail(anonymous: TrailSide<'_>, identified: TrailSide<'_>) -> Vec<Pair> {
    let mut owners: HashTable<Slot> = HashTable::with_capacity(identified.trails.len());
    for row in 0..identified.trails.len() {
        let trail = identified.trails.get(row);
        let hash = hash_trail(trail, 0);
        if let Some(slot) = owners.find_mut(hash, |slot| {
            identified.trails.get(slot.row as usize) == trail
        }) {
            slot.unique = false;
        } else {
            owners.insert_unique(
                hash,
                Slot {
                    row: row as u32,
                    unique: true,
                },
                |slot| hash_trail(identified.trails.get(slot.row as usize), 0),
            );
        }
    }
    (0..anonymous.trails.len())
        .filter_map(|row| {
            let trail = anonymous.trails.get(row);
            owners
                .find(hash_trail(trail, 0), |slot| {
                    identified.trails.get(slot.row as usize) == trail
                })
                .filter(|slot| slot.unique)
                .map(|slot| (row as u32, slot.row))
        })
        .collect()
}
