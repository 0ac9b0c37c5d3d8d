//! Worlds sorted by what they publish, and what each release makes its readers believe.

use std::collections::BTreeMap;

use super::draws::{Draws, every_run};

/// What a program publishes of one world.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release<R, B> {
    /// What each record of the world shows; `None` where it is suppressed. Readers see the rows in no order.
    pub shown: Vec<Option<R>>,
    /// What is published beside the rows.
    pub beside: B,
}

/// A world behind a release.
#[derive(Debug, Clone)]
struct Possible<R> {
    world: usize,
    /// Its weight before, times the probability of the release.
    weight: f64,
    shown: Vec<Option<R>>,
}

/// Every release that some world may give, with the worlds that give it.
#[derive(Debug, Clone)]
pub struct Backwards<'a, W, R, B> {
    worlds: &'a [(W, f64)],
    releases: BTreeMap<(Vec<R>, B), Vec<Possible<R>>>,
    /// The weight of the worlds of which nothing is published.
    pub refused: f64,
}

/// What the reader of one release believes of one person.
#[derive(Debug, Clone)]
pub struct Belief<'a, W> {
    /// How likely it is that somebody holds this belief, in the unit of the weights.
    pub weight: f64,
    /// One of the worlds behind it.
    pub witness: &'a W,
    /// The weight of each value the person may have.
    pub values: BTreeMap<u32, f64>,
    /// How likely the likeliest link of the person to a single published record is.
    pub link: f64,
    /// Whether the person's record is published in every world behind the release.
    pub published: bool,
}

/// The most sequences of draws that one world may take.
const SEQUENCES: u64 = 1 << 22;

/// Runs `program` on every world; `None` of it is a refusal, which publishes nothing.
pub fn backwards<W, R: Ord + Clone, B: Ord + Clone>(
    worlds: &[(W, f64)],
    mut program: impl FnMut(&W, &mut Draws) -> Option<Release<R, B>>,
) -> Backwards<'_, W, R, B> {
    let mut found = Backwards {
        worlds,
        releases: BTreeMap::new(),
        refused: 0.0,
    };
    for (world, (source, prior)) in worlds.iter().enumerate() {
        for (release, chance) in every_run(SEQUENCES, |draws| program(source, draws)) {
            let weight = prior * chance;
            let Some(Release { shown, beside }) = release else {
                found.refused += weight;
                continue;
            };
            let mut rows: Vec<R> = shown.iter().flatten().cloned().collect();
            rows.sort_unstable();
            let possible = found.releases.entry((rows, beside)).or_default();
            possible.push(Possible {
                world,
                weight,
                shown,
            });
        }
    }
    found
}

impl<'a, W, R: Ord + Clone, B: Ord + Clone> Backwards<'a, W, R, B> {
    /// How many different releases there are.
    pub fn releases(&self) -> usize {
        self.releases.len()
    }

    /// For each release and person, what somebody believes who knows the quasi-identifiers of everybody, `tuples`, which are the same
    /// in every world, and nothing that tells people with equal ones apart.
    pub fn everybody(
        &self,
        tuples: &[u32],
        value: impl Fn(&W, usize) -> u32,
    ) -> Vec<Belief<'a, W>> {
        let mut beliefs = Vec::new();
        for ((rows, _), possible) in &self.releases {
            let weight = possible.iter().map(|world| world.weight).sum();
            for &tuple in tuples {
                let fits = |_: &W, record: usize| tuples[record] == tuple;
                let belief = self.believed(rows, possible, &fits, &value);
                beliefs.extend(belief.map(|belief| Belief { weight, ..belief }));
            }
        }
        beliefs
    }

    /// For each release, what somebody believes of a victim who is in the data and of whom they know what `fits` says of a
    /// record: the victim is each such record with equal chance.
    pub fn victim(
        &self,
        fits: impl Fn(&W, usize) -> bool,
        value: impl Fn(&W, usize) -> u32,
    ) -> Vec<Belief<'a, W>> {
        let releases = self.releases.iter();
        releases
            .filter_map(|((rows, _), possible)| self.believed(rows, possible, &fits, &value))
            .collect()
    }

    /// For each release and each different row of it, how likely it is (in the unit of the weights, for all rows like it), and how
    /// many records may be behind it in some world: those that a reader cannot rule out, however likely each is.
    ///
    /// Record i of every world must be the same person.
    pub fn owners(&self) -> Vec<(f64, usize)> {
        let mut found = Vec::new();
        for ((rows, _), possible) in &self.releases {
            let weight: f64 = possible.iter().map(|world| world.weight).sum();
            for alike in rows.chunk_by(|a, b| a == b) {
                let mut behind = std::collections::BTreeSet::new();
                for world in possible {
                    let records = world.shown.iter().enumerate();
                    let such = records.filter(|(_, row)| row.as_ref() == Some(&alike[0]));
                    behind.extend(such.map(|(record, _)| record));
                }
                found.push((weight * alike.len() as f64, behind.len()));
            }
        }
        found
    }

    /// The belief about whoever `fits`; `None` when nobody can.
    fn believed(
        &self,
        rows: &[R],
        possible: &[Possible<R>],
        fits: &dyn Fn(&W, usize) -> bool,
        value: &dyn Fn(&W, usize) -> u32,
    ) -> Option<Belief<'a, W>> {
        let mut values = BTreeMap::new();
        let mut links: BTreeMap<&R, f64> = BTreeMap::new();
        let (mut all, mut witness, mut published) = (0.0, None, true);
        for Possible {
            world,
            weight,
            shown,
        } in possible
        {
            let source = &self.worlds[*world].0;
            for (record, row) in shown.iter().enumerate() {
                if !fits(source, record) {
                    continue;
                }
                witness = witness.or(Some(source));
                all += weight;
                *values.entry(value(source, record)).or_insert(0.0) += weight;
                match row {
                    Some(row) => *links.entry(row).or_insert(0.0) += weight,
                    None => published = false,
                }
            }
        }
        let alike = |row: &R| {
            let first = rows.partition_point(|other| other < row);
            rows[first..]
                .iter()
                .take_while(|other| *other == row)
                .count()
        };
        let shares = links
            .into_iter()
            .map(|(row, weight)| weight / all / alike(row) as f64);
        Some(Belief {
            weight: all,
            witness: witness?,
            values,
            link: shares.fold(0.0, f64::max),
            published,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::enumerate::{every_assignment, every_multiset};
    use super::*;

    /// Shows everybody's value to nobody, and whether all are equal: then who sees "not all" knows a little more.
    #[test]
    fn what_is_not_published_is_believed_as_often_as_it_is_left_possible() {
        let worlds = every_assignment(2, 2);
        let found = backwards(&worlds, |world: &Vec<u32>, _| {
            Some(Release {
                shown: vec![Some(0), Some(0)],
                beside: world[0] == world[1],
            })
        });
        assert_eq!(found.releases(), 2);
        for belief in found.everybody(&[0, 1], |world, person| world[person]) {
            let halves = belief
                .values
                .values()
                .all(|&weight| (weight - 1.0).abs() < 1e-12);
            assert!(halves && belief.values.len() == 2);
            assert!((belief.link - 0.5).abs() < 1e-12, "two rows look alike");
        }
    }

    /// A program that tells a value with one chance in four: who sees nothing told believes Bayes.
    #[test]
    fn likelihoods_of_draws_are_bayes() {
        let worlds = every_assignment(1, 2);
        let found = backwards(&worlds, |world: &Vec<u32>, draws| {
            let told = draws.draw(4) == 0 && world[0] == 1;
            Some(Release {
                shown: vec![Some(u32::from(told))],
                beside: (),
            })
        });
        let silent = &found.everybody(&[0], |world, person| world[person])[0];
        let share = silent.values[&1] / silent.weight;
        assert!((share - 0.75 / 1.75).abs() < 1e-12, "{share}");
    }

    /// Everybody shows their value: whoever of two may have the only 1 is an owner of it, and both own a pair of equal ones.
    #[test]
    fn owners_are_all_who_may_be_behind_a_row() {
        let worlds = every_assignment(2, 2);
        let found = backwards(&worlds, |world: &Vec<u32>, _| {
            Some(Release {
                shown: world.iter().map(|&value| Some(value)).collect(),
                beside: world[0] == 1 && world[1] == 0,
            })
        });
        let mut owners = found.owners();
        owners.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
        // Two releases of different values, told apart by what stands beside them: one owner for each row; two of equal ones.
        assert_eq!(
            owners,
            [(1.0, 1), (1.0, 1), (1.0, 1), (1.0, 1), (2.0, 2), (2.0, 2)]
        );
    }

    /// Of two records that show themselves, a victim known to be of kind 1 is one or the other as often as there are such.
    #[test]
    fn a_victim_is_linked_by_what_is_known_of_them() {
        let worlds = every_multiset(2, 2);
        let found = backwards(&worlds, |world: &Vec<u32>, _| {
            Some(Release {
                shown: world.iter().map(|&kind| Some(kind)).collect(),
                beside: (),
            })
        });
        let links: Vec<f64> = found
            .victim(|world, record| world[record] == 1, |_, _| 0)
            .iter()
            .map(|belief| belief.link)
            .collect();
        assert_eq!(links.len(), 2, "nobody of kind 1 is in the first release");
        assert!((links[0] - 1.0).abs() < 1e-12 && (links[1] - 0.5).abs() < 1e-12);
    }
}
