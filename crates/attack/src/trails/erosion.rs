//! What protecting the source does to trail re-identification: a measured table, one row per treatment.
//!
//! # Idea
//!
//! The paper asks how k-anonymity and perturbation of the source affect the trail attacks, and leaves it open. Treat the
//! anonymous side of complete trails in each of several ways, run the attacks, and count whom they name and whom rightly.
//!
//! # Reference
//!
//! Malin 2002, section 9 (question); section 2 (what the treatments are).
//!
//! # Departures
//!
//! k-anonymous keys: what traces a subject is generalized until k share it, so an anonymous trail is the union of its
//! members' trails, and an attack that finds the right group still has one chance in k of the right record.

use super::{
    ForcedMatching, Pair, SubtrailGraph, TrailOptions, TrailSide, attack_linked, reidit_complete,
    reidit_multiple,
};
use crate::{Draws, Error};
use denym_data::Trails;

/// What is done to the anonymous side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Treatment {
    /// Nothing.
    None,
    /// The tracing key is generalized: subjects in groups of `k`, neighbors by trail, show one key.
    SharedKeys {
        /// Group size, at least 1.
        k: usize,
    },
    /// Institutions with fewer than `k` anonymous subjects publish none.
    SmallInstitutions {
        /// The least number of subjects.
        k: usize,
    },
    /// Each entry is withheld with this probability.
    Withhold {
        /// Between 0 and 1.
        rate: f64,
    },
    /// Each entry is given to a random other subject with this probability: the perturbation of section 2.
    Perturb {
        /// Between 0 and 1.
        rate: f64,
    },
}

/// How one method fares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fared {
    /// Name of the method in the catalogue.
    pub method: &'static str,
    /// Subjects it names.
    pub named: u64,
    /// Of these, how many rightly (the right group, under shared keys).
    pub right: u64,
    /// Expected number of records rightly attributed: `right`, divided by the group size under shared keys.
    pub expected: f64,
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Eroded {
    /// What was done.
    pub treatment: Treatment,
    /// Whether forced matching's assumption still looks true.
    pub saturable: bool,
    /// REIDIT-C, REIDIT-I (not under shared keys), REIDIT-M and forced matching.
    pub methods: Vec<Fared>,
}

/// Treats `trails` in each way and attacks the result with the untreated trails as the identified side.
///
/// A treated trail keeps the label of its owner; `alike` says which labels of owners the attack cannot tell apart by linking attributes.
///
/// # Errors
///
/// When a rate or k is out of range, or the relation is larger than `options` allows.
pub fn erosion(
    trails: TrailSide<'_>,
    alike: &Alike<'_>,
    treatments: &[Treatment],
    options: &TrailOptions,
    seed: u64,
) -> Result<Vec<Eroded>, Error> {
    treatments
        .iter()
        .map(|&treatment| row(trails, alike, treatment, options, seed))
        .collect()
}

/// Whether two owners' labels may stand behind one anonymous label.
pub type Alike<'a> = dyn Fn(u32, u32) -> bool + Sync + 'a;

fn row(
    side: TrailSide<'_>,
    alike: &Alike<'_>,
    treatment: Treatment,
    options: &TrailOptions,
    seed: u64,
) -> Result<Eroded, Error> {
    let trails = side.trails;
    let mut rng = Draws::new(seed);
    let mut rows: Vec<Vec<u32>> = trails.iter().map(<[u32]>::to_vec).collect();
    match treatment {
        Treatment::None => {}
        Treatment::SharedKeys { k } => return shared_keys(side, alike, k, options),
        Treatment::SmallInstitutions { k } => {
            let mut visitors = vec![0_usize; trails.institutions()];
            rows.iter()
                .flatten()
                .for_each(|&at| visitors[at as usize] += 1);
            for row in &mut rows {
                row.retain(|&at| visitors[at as usize] >= k);
            }
        }
        Treatment::Withhold { rate } => {
            probability(rate)?;
            for row in &mut rows {
                row.retain(|_| rng.unit() >= rate);
            }
        }
        Treatment::Perturb { rate } => {
            probability(rate)?;
            let count = rows.len() as u64;
            let mut moved = vec![Vec::new(); rows.len()];
            for row in &mut rows {
                row.retain(|&at| {
                    let keep = count < 2 || rng.unit() >= rate;
                    if !keep {
                        moved[rng.below(count) as usize].push(at);
                    }
                    keep
                });
            }
            for (row, mut more) in rows.iter_mut().zip(moved) {
                row.append(&mut more);
            }
        }
    }
    // A subject without entries is not in the data.
    let owners: Vec<u32> = (0..rows.len() as u32)
        .filter(|&row| !rows[row as usize].is_empty())
        .collect();
    rows.retain(|row| !row.is_empty());
    let anonymous =
        Trails::from_rows(trails.institutions(), rows).map_err(|_| differing(trails))?;
    let labels: Vec<u32> = owners.iter().map(|&row| side.label(row as usize)).collect();
    let found = attack_linked(
        TrailSide::labeled(&anonymous, &labels)?,
        side,
        alike,
        options,
    )?;
    let fared = |method, pairs: &[Pair]| {
        let right = pairs
            .iter()
            .filter(|&&(n, p)| owners[n as usize] == p)
            .count() as u64;
        Fared {
            method,
            named: pairs.len() as u64,
            right,
            expected: right as f64,
        }
    };
    Ok(Eroded {
        treatment,
        saturable: found.saturable(),
        methods: vec![
            fared("reidit-c", &found.complete),
            fared("reidit-i", &found.incomplete),
            fared("reidit-m", &found.multiple),
            fared("forced", found.forced.as_deref().unwrap_or(&[])),
        ],
    })
}

/// Groups of k (the last one takes the rest) of subjects sorted by trail, each showing the union of its members' trails.
///
/// A group shows the linking attributes of all its members.
fn shared_keys(
    side: TrailSide<'_>,
    alike: &Alike<'_>,
    k: usize,
    options: &TrailOptions,
) -> Result<Eroded, Error> {
    let trails = side.trails;
    if k == 0 {
        return Err(Error::OutOfRange {
            what: "k",
            range: "at least 1",
        });
    }
    let mut order: Vec<usize> = (0..trails.len()).collect();
    order.sort_by_key(|&row| trails.get(row));
    let groups = (trails.len() / k).max(1);
    let mut group_of = vec![0_u32; trails.len()];
    let mut shown: Vec<Vec<u32>> = vec![Vec::new(); groups];
    let mut sizes = vec![0_u32; groups];
    for (position, &row) in order.iter().enumerate() {
        let group = (position / k).min(groups - 1);
        group_of[row] = group as u32;
        sizes[group] += 1;
        shown[group].extend_from_slice(trails.get(row));
    }
    // One slot per member, so that a group can take as many people as share its key and no more.
    let slots: Vec<u32> = (0..groups as u32)
        .flat_map(|group| vec![group; sizes[group as usize] as usize])
        .collect();
    let expanded = Trails::from_rows(
        trails.institutions(),
        slots.iter().map(|&group| &shown[group as usize]),
    )
    .map_err(|_| differing(trails))?;
    let keys = Trails::from_rows(trails.institutions(), &shown).map_err(|_| differing(trails))?;
    let fared = |method, pairs: &[Pair]| {
        let right: Vec<u32> = pairs
            .iter()
            .filter(|&&(g, p)| group_of[p as usize] == g)
            .map(|pair| pair.0)
            .collect();
        let expected = right
            .iter()
            .map(|&group| 1.0 / f64::from(sizes[group as usize]))
            .sum();
        Fared {
            method,
            named: pairs.len() as u64,
            right: right.len() as u64,
            expected,
        }
    };
    let mut labels: Vec<Vec<u32>> = vec![Vec::new(); groups];
    for (row, &group) in group_of.iter().enumerate() {
        let shown = &mut labels[group as usize];
        if !shown.contains(&side.label(row)) {
            shown.push(side.label(row));
        }
    }
    let shows = |group: u32, label: u32| {
        let shown = labels[group as usize].iter();
        shown.into_iter().any(|&own| alike(own, label))
    };
    let numbers: Vec<u32> = (0..groups as u32).collect();
    let relation = |complete, groups: &[u32]| {
        SubtrailGraph::build(
            side,
            TrailSide::labeled(complete, groups)?,
            &|label, group| shows(group, label),
            options.max_edges,
        )
    };
    let complete = reidit_complete(TrailSide::labeled(&keys, &numbers)?, side, &shows);
    let multiple: Vec<Pair> = reidit_multiple(&relation(&keys, &numbers)?)
        .into_iter()
        .map(|(p, g)| (g, p))
        .collect();
    let graph = relation(&expanded, &slots)?;
    let matching = ForcedMatching::of(&graph);
    let mut forced = Vec::new();
    for person in 0..trails.len() {
        // Only a set as small as the largest key group can be one key.
        let small = matching
            .allowed_set_sizes()
            .is_some_and(|sizes_of| sizes_of[person] as usize <= 2 * k);
        if small && let Some(set) = matching.allowed_set(&graph, person) {
            let mut keys = set.iter().map(|&slot| slots[slot as usize]);
            if let Some(first) = keys.next().filter(|&first| keys.all(|key| key == first)) {
                forced.push((first, person as u32));
            }
        }
    }
    Ok(Eroded {
        treatment: Treatment::SharedKeys { k },
        saturable: matching.saturable(),
        methods: vec![
            fared("reidit-c", &complete),
            fared("reidit-m", &multiple),
            fared("forced", &forced),
        ],
    })
}

fn probability(rate: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&rate) {
        Ok(())
    } else {
        Err(Error::OutOfRange {
            what: "rate",
            range: "between 0 and 1",
        })
    }
}

fn differing(trails: &Trails) -> Error {
    Error::InstitutionsDiffer {
        anonymous: trails.institutions(),
        identified: trails.institutions(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn people(count: usize) -> Trails {
        let mut rng = Draws::new(9);
        let rows: Vec<Vec<u32>> = (0..count)
            .map(|_| (0..=rng.below(5)).map(|_| rng.below(14) as u32).collect())
            .collect();
        Trails::from_rows(14, rows).unwrap()
    }

    #[test]
    fn protection_erodes_reidentification() {
        let trails = people(600);
        let treatments = [
            Treatment::None,
            Treatment::SharedKeys { k: 1 },
            Treatment::SharedKeys { k: 5 },
            Treatment::SmallInstitutions { k: 150 },
            Treatment::Withhold { rate: 0.2 },
            Treatment::Perturb { rate: 0.2 },
        ];
        let table = erosion(
            TrailSide::new(&trails),
            &|_, _| true,
            &treatments,
            &TrailOptions::default(),
            4,
        )
        .unwrap();
        let of = |row: usize, method: &str| {
            *table[row]
                .methods
                .iter()
                .find(|fared| fared.method == method)
                .unwrap()
        };
        let raw = of(0, "reidit-c");
        assert!(raw.named > 100 && raw.named == raw.right);
        // Groups of one are no protection.
        assert_eq!(
            (of(1, "reidit-c").right, of(1, "forced").right),
            (raw.right, of(0, "forced").right)
        );
        // Groups of five: nobody is attributed a record with more than one chance in five, and never wrongly.
        for method in ["reidit-m", "forced"] {
            let five = of(2, method);
            assert_eq!(five.named, five.right);
            assert!(five.expected <= five.right as f64 / 5.0 + 1e-9);
            assert!(five.expected < of(0, "forced").expected);
        }
        // Withholding leaves forced matching right but able to say less; perturbation makes REIDIT wrong.
        assert!(table[4].saturable);
        assert_eq!(of(4, "forced").named, of(4, "forced").right);
        assert!(of(4, "forced").named < of(0, "forced").named);
        assert!(of(5, "reidit-i").right < of(5, "reidit-i").named);
        assert!(
            !table[5].saturable,
            "forced matching notices that entries are wrong"
        );
        assert!(of(3, "forced").named <= of(0, "forced").named);
        assert!(
            erosion(
                TrailSide::new(&trails),
                &|_, _| true,
                &[Treatment::Perturb { rate: 2.0 }],
                &TrailOptions::default(),
                0
            )
            .is_err()
        );
    }

    #[test]
    fn a_linking_attribute_names_people_whom_trails_do_not() {
        // Two of the three share a trail; a birth year that all have apart tells them apart, under every treatment.
        let trails = Trails::from_rows(3, [vec![0, 1], vec![0, 1], vec![2]]).unwrap();
        let named = |side: TrailSide<'_>, alike: &Alike<'_>| -> Vec<u64> {
            let treatments = [Treatment::None, Treatment::SharedKeys { k: 1 }];
            let table = erosion(side, alike, &treatments, &TrailOptions::default(), 1).unwrap();
            let forced = table.iter().map(|row| row.methods.last().unwrap().right);
            forced.collect()
        };
        assert_eq!(named(TrailSide::new(&trails), &|_, _| true), [1, 1]);
        let years = TrailSide::labeled(&trails, &[0, 1, 2]).unwrap();
        assert_eq!(named(years, &|a, b| a == b), [3, 3]);
    }
}
