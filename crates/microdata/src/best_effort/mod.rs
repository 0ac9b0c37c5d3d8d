//! Best effort: start from the best heuristic and improve the groups for as long as the caller allows.
//!
//! # Idea
//!
//! A sweep divides the groups into regions of some ten neighboring groups, and every region is annealed on its own: it is
//! heated, and cools down while records move to the group of a near neighbor, change places, small groups dissolve and new
//! ones form. What comes out is kept if it is better. Each region has its own temperature, in units of its own SSE per
//! record, since outliers and dense clouds have nothing in common. The next sweep draws other regions, so that the borders of this one
//! lie inside.
//!
//! ```text
//!   groups    . : . | : . : | . :        regions of sweep 1
//!   groups    . : | . : . | : . :        regions of sweep 2
//! ```
//!
//! On small tables four ways are gone from the same start, each with its own random numbers, before the best goes on alone.
//!
//! # Guarantee
//!
//! Groups of k to 2k - 1 records, never worse than the start, and never worse with more effort. The same data, options and effort give
//! the same groups for any number of threads: regions share nothing, and each has its own random numbers. Effort counts rounds; a round
//! that is cut short is dropped as a whole.
//!
//! # Reference
//!
//! Kirkpatrick, Gelatt and Vecchi, Optimization by simulated annealing, Science 220, 1983, doi:10.1126/science.220.4598.671; regions as in
//! Taillard and Voss, POPMUSIC, in Essays and Surveys in Metaheuristics, 2002, doi:10.1007/978-1-4615-1507-4_27; that no
//! group needs more than 2k - 1 records: Domingo-Ferrer and Mateo-Sanz, IEEE TKDE 14(1), 2002, doi:10.1109/69.979982.
//!
//! # Departures
//!
//! The whole is ours. On Tarragona, Census and EIA it is below every figure of Kabir's tables that is on equal footing.
//!
//! # Cost
//!
//! A proposal is a few additions, for any number of columns; a step that is taken adds twice the records of the region.

mod anneal;
mod by_sums;
mod cooling;
mod groups;
mod neighbors;
mod region;
mod sweep;

use rayon::prelude::*;

use crate::microaggregate::{check, mdav, solve, sse_of_groups};
use crate::{Error, Matrix, Options, Partition, RandomSource as _, SplitMix64, sse};
use cooling::{Cooling, Schedule};
use region::Region;

/// What a search found and how much work it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Improved {
    /// The best groups.
    pub partition: Partition,
    /// Their SSE on the data given.
    pub sse: f64,
    /// The rounds done; `Options::effort` set to this repeats the run exactly.
    pub effort: u64,
    /// The heuristic that the search began with, empty when the caller gave the start.
    pub start: &'static str,
}

/// What became of a region.
#[derive(Debug, PartialEq)]
enum Annealed {
    /// It was cut short.
    Cut,
    /// Nothing better was found.
    Same,
    /// Better groups, as records of the data.
    Better(Vec<Vec<u32>>),
}

impl Annealed {
    /// By SSE before and after; what rounding alone can do is no improvement.
    fn of(before: f64, after: f64, groups: impl FnOnce() -> Vec<Vec<u32>>) -> Self {
        if after < before * (1.0 - 1e-12) {
            Self::Better(groups())
        } else {
            Self::Same
        }
    }
}

/// Regions of a round at most: larger data takes several rounds for a sweep, so that little is dropped when time is up.
const ROUND: usize = 64;
/// Up to this many records the quadratic heuristics are worth their time as starts.
const SMALL: usize = 5_000;
/// Above this many records the start is made in blocks, since the search repairs their borders.
const LARGE: usize = 50_000;
/// The sweeps that are too short for more than a little heat.
const SHORT: u64 = 3;
/// Regions with more records than this are annealed by sums: the distances of all pairs would not fit.
const PAIRS: usize = 1024;
/// Ways that are tried on small tables, and rounds that each of them has.
const WAYS: usize = 4;
const TRIED: u64 = 25;

/// The best groups found within `options.effort` rounds, or until `keep_going` says no.
pub fn best_effort(
    matrix: &Matrix,
    options: &Options,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Improved, Error> {
    let mut search = BestEffort::new(matrix, options)?;
    while search.effort() < options.effort && search.round(keep_going) {}
    search.finish()
}

/// Improves given groups of at least k within `options.effort` rounds, or until `keep_going` says no.
pub fn improve(
    matrix: &Matrix,
    start: &Partition,
    options: &Options,
    keep_going: &(dyn Fn() -> bool + Sync),
) -> Result<Improved, Error> {
    let mut search = BestEffort::from(matrix, start, options)?;
    while search.effort() < options.effort && search.round(keep_going) {}
    search.finish()
}

/// Some sweeps over given groups of k to 2k - 1: what is easy to gain, in time linear in the records.
pub(crate) fn swept(
    matrix: &Matrix,
    groups: Vec<Vec<u32>>,
    k: usize,
    sweeps: u64,
) -> Vec<Vec<u32>> {
    let mut search = RegionWalk::over(matrix, groups, k, 0);
    while search.sweeps < sweeps || !search.todo.is_empty() {
        if !search.round(&|| true) {
            break;
        }
    }
    search.groups
}

/// A search that goes on round by round, for callers that have several of them.
pub struct BestEffort<'a> {
    /// Ways from one start; while they are tried each has its turn, then the best of them goes on alone.
    walks: Vec<RegionWalk<'a>>,
    chosen: Option<usize>,
    effort: u64,
    start: &'static str,
}

impl<'a> BestEffort<'a> {
    /// A search from the best of several heuristics.
    pub fn new(matrix: &'a Matrix, options: &Options) -> Result<Self, Error> {
        check(matrix, options)?;
        let starts: &[&'static str] = if matrix.rows() <= SMALL {
            &["mdav", "mhm-mdav", "mhm-cbfs", "mhm-npn", "p-s"]
        } else if matrix.rows() <= LARGE {
            &["mdav"]
        } else {
            &["mdav-blocks"]
        };
        let mut best: Option<(f64, &'static str, Partition)> = None;
        for &name in starts {
            let partition = solve(name, matrix, options)?;
            let sse = sse(matrix, &partition);
            if best.as_ref().is_none_or(|(least, ..)| sse < *least) {
                best = Some((sse, name, partition));
            }
        }
        let Some((_, name, partition)) = best else {
            return Err(Error::Empty { what: "records" });
        };
        let mut search = Self::from(matrix, &partition, options)?;
        search.start = name;
        Ok(search)
    }

    /// A search from given groups of at least k.
    pub fn from(matrix: &'a Matrix, start: &Partition, options: &Options) -> Result<Self, Error> {
        check(matrix, options)?;
        if start.records() != matrix.rows() {
            return Err(Error::Mismatch {
                what: "the partition",
                found: start.records(),
                expected: matrix.rows(),
            });
        }
        let k = options.k;
        if start.smallest() < k {
            return Err(Error::TooFewRecords {
                k,
                records: start.smallest(),
            });
        }
        // Splitting a group of 2k or more never raises SSE.
        let mut groups = Vec::with_capacity(start.len());
        for group in start.groups() {
            if group.len() < 2 * k {
                groups.push(group.to_vec());
            } else {
                let part = matrix.select_rows(group)?;
                groups.extend(mdav::mdav(&part, k).into_iter().map(|part| {
                    part.into_iter()
                        .map(|row| group[row as usize])
                        .collect::<Vec<u32>>()
                }));
            }
        }
        // Where a start leads to is a matter of luck, which differs by a percent on small tables.
        let ways = if matrix.rows() <= SMALL { WAYS } else { 1 };
        let mut seeds = SplitMix64::new(options.seed);
        let mut walks = Vec::new();
        for way in 0..ways {
            let seed = if way == 0 {
                options.seed
            } else {
                seeds.next_u64()
            };
            walks.push(RegionWalk::over(matrix, groups.clone(), k, seed));
        }
        Ok(Self {
            walks,
            chosen: None,
            effort: 0,
            start: "",
        })
    }

    /// The rounds done so far.
    pub fn effort(&self) -> u64 {
        self.effort
    }

    /// One more round. When `keep_going` says no before its end, or nothing can be improved, nothing changes and the answer is no.
    pub fn round(&mut self, keep_going: &(dyn Fn() -> bool + Sync)) -> bool {
        let turn = (self.effort / TRIED) as usize;
        let at = if turn < self.walks.len() {
            turn
        } else {
            *self.chosen.get_or_insert_with(|| best(&self.walks))
        };
        let done = self.walks[at].round(keep_going);
        self.effort += u64::from(done);
        done
    }

    /// The best groups so far.
    pub fn finish(mut self) -> Result<Improved, Error> {
        let walk = self.walks.swap_remove(best(&self.walks));
        let partition = Partition::new(walk.groups, walk.matrix.rows())?;
        Ok(Improved {
            sse: sse(walk.matrix, &partition),
            partition,
            effort: self.effort,
            start: self.start,
        })
    }
}

/// The walk with the least SSE, the first among equals.
fn best(walks: &[RegionWalk<'_>]) -> usize {
    let sse = |walk: &RegionWalk<'_>| sse_of_groups(walk.matrix, &walk.groups);
    let all: Vec<f64> = walks.iter().map(sse).collect();
    (0..all.len())
        .min_by(|&a, &b| all[a].total_cmp(&all[b]).then(a.cmp(&b)))
        .unwrap_or(0)
}

/// One way through the partitions.
struct RegionWalk<'a> {
    matrix: &'a Matrix,
    k: usize,
    seed: u64,
    /// Groups of k to 2k - 1; empty ones are left out when a sweep begins.
    groups: Vec<Vec<u32>>,
    /// Regions of this sweep that are still to do, last first, with their numbers.
    todo: Vec<(u64, Vec<u32>)>,
    sweeps: u64,
    climbs: Vec<f64>,
}

impl<'a> RegionWalk<'a> {
    /// A search over groups of k to 2k - 1.
    fn over(matrix: &'a Matrix, groups: Vec<Vec<u32>>, k: usize, seed: u64) -> Self {
        Self {
            matrix,
            k,
            seed,
            groups,
            todo: Vec::new(),
            sweeps: 0,
            climbs: cooling::climbs(),
        }
    }

    /// One more round. When `keep_going` says no before its end, or nothing can be improved, nothing changes and the answer is no.
    fn round(&mut self, keep_going: &(dyn Fn() -> bool + Sync)) -> bool {
        if self.k == 1 || !keep_going() {
            return false;
        }
        if self.todo.is_empty() {
            self.groups.retain(|group| !group.is_empty());
            if self.groups.len() < 2 {
                return false;
            }
            self.sweeps += 1;
            let mut random = SplitMix64::part(self.seed, self.sweeps);
            let regions = sweep::regions(self.matrix, &self.groups, &mut random);
            self.todo = (0_u64..).zip(regions).collect();
            self.todo.reverse();
        }
        let now = self.todo.len().saturating_sub(ROUND);
        let found: Vec<Annealed> = self.todo[now..]
            .par_iter()
            .map(|(number, region)| self.annealed(*number, region, keep_going))
            .collect();
        if found.contains(&Annealed::Cut) {
            return false;
        }
        for ((_, region), found) in self.todo.split_off(now).into_iter().zip(found) {
            if let Annealed::Better(groups) = found {
                self.replace(&region, groups);
            }
        }
        true
    }

    fn annealed(
        &self,
        number: u64,
        region: &[u32],
        keep_going: &(dyn Fn() -> bool + Sync),
    ) -> Annealed {
        let mut seeds = SplitMix64::part(self.seed, self.sweeps);
        let mut random = SplitMix64::part(seeds.next_u64(), number);
        let groups: Vec<&[u32]> = region
            .iter()
            .map(|&group| self.groups[group as usize].as_slice())
            .collect();
        let records: usize = groups.iter().map(|group| group.len()).sum();
        let schedule = self.schedule(records, &mut random);
        if records > PAIRS {
            return by_sums::anneal(self.matrix, &groups, self.k, schedule, random, keep_going);
        }
        let region = Region::new(self.matrix, &groups, self.k, 2 * self.k - 1);
        let before = region.sse();
        let mut cooling = Cooling::new(region, &self.climbs, random);
        if !cooling.run(schedule, keep_going) {
            return Annealed::Cut;
        }
        Annealed::of(before, cooling.region.sse(), || cooling.region.groups())
    }

    /// How hot and how long: the first sweeps are short and take what is easy, later ones look longer.
    fn schedule(&self, records: usize, random: &mut SplitMix64) -> Schedule {
        // A short cooling from hot ends worse than it began.
        let hots = if self.sweeps <= SHORT {
            [0.1, 0.1, 0.1]
        } else {
            [0.1, 0.3, 1.0]
        };
        let steps = (100 * self.sweeps).clamp(100, 2000) as usize;
        Schedule {
            hot: hots[random.below(3)],
            steps: steps * records,
        }
    }

    /// Puts new groups in the place of a region's.
    fn replace(&mut self, region: &[u32], found: Vec<Vec<u32>>) {
        for &group in region {
            self.groups[group as usize].clear();
        }
        for (at, group) in found.into_iter().enumerate() {
            match region.get(at) {
                Some(&number) => self.groups[number as usize] = group,
                None => self.groups.push(group),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::anneal::Chain;
    use super::groups::Groups;
    use super::neighbors::Neighbors;
    use super::*;
    use crate::RandomSource;

    fn random_matrix(rows: usize, columns: usize, seed: u64) -> Matrix {
        let mut random = SplitMix64::new(seed);
        Matrix::new(
            (0..rows * columns).map(|_| random.normal()).collect(),
            columns,
        )
        .unwrap()
    }

    /// The least SSE over all partitions into groups of k or more, by trying them all.
    fn brute_force(matrix: &Matrix, k: usize, row: u32, groups: &mut Vec<Vec<u32>>) -> f64 {
        let n = matrix.rows();
        if row as usize == n {
            if groups.iter().any(|group| group.len() < k) {
                return f64::INFINITY;
            }
            return crate::microaggregate::sse_of_groups(matrix, groups);
        }
        let mut best = f64::INFINITY;
        for at in 0..groups.len() {
            groups[at].push(row);
            best = best.min(brute_force(matrix, k, row + 1, groups));
            groups[at].pop();
        }
        groups.push(vec![row]);
        best = best.min(brute_force(matrix, k, row + 1, groups));
        groups.pop();
        best
    }

    #[test]
    fn small_data_is_solved_to_the_optimum() {
        for seed in 0..8 {
            let matrix = random_matrix(9, 2, seed);
            for k in 2..=3 {
                let options = Options {
                    k,
                    effort: 12,
                    ..Options::default()
                };
                let found = best_effort(&matrix, &options, &|| true).unwrap();
                let optimum = brute_force(&matrix, k, 0, &mut Vec::new());
                assert!(
                    (found.sse - optimum).abs() < 1e-9,
                    "{} {optimum}",
                    found.sse
                );
            }
        }
    }

    #[test]
    fn cut_anywhere_the_groups_are_valid_and_effort_repeats_them() {
        let matrix = random_matrix(200, 3, 4);
        for (k, cut) in [(2, 0), (2, 1), (3, 777), (3, 2500), (7, 5000)] {
            let options = Options {
                k,
                effort: u64::MAX,
                seed: 9,
                ..Options::default()
            };
            let asked = std::sync::atomic::AtomicU64::new(0);
            let keep_going = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) < cut;
            let stopped = best_effort(&matrix, &options, &keep_going).unwrap();
            assert_eq!(stopped.effort > 0, cut > 700, "{cut}");
            let again = Options {
                effort: stopped.effort,
                ..options
            };
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(1)
                .build()
                .unwrap();
            let repeated = pool
                .install(|| best_effort(&matrix, &again, &|| true))
                .unwrap();
            assert_eq!(repeated, stopped);
            assert!(stopped.partition.smallest() >= k && stopped.partition.largest() < 2 * k);
            assert_eq!(stopped.partition.records(), 200);
            let start = solve("mdav", &matrix, &options).unwrap();
            assert!(stopped.sse <= sse(&matrix, &start));
        }
    }

    #[test]
    fn more_effort_never_loses_more() {
        let matrix = random_matrix(300, 4, 12);
        let options = Options {
            k: 4,
            ..Options::default()
        };
        let mut search = BestEffort::new(&matrix, &options).unwrap();
        let mut last = f64::INFINITY;
        for _ in 0..12 {
            assert!(search.round(&|| true));
            let now = sse_of_groups(&matrix, &search.walks[0].groups);
            assert!(now <= last * (1.0 + 1e-12), "{now} {last}");
            last = now;
        }
    }

    #[test]
    fn groups_too_large_for_pairs_are_improved_by_sums() {
        let matrix = random_matrix(3000, 2, 8);
        let options = Options {
            k: 400,
            effort: 2,
            ..Options::default()
        };
        let start = solve("mdav", &matrix, &options).unwrap();
        let found = improve(&matrix, &start, &options, &|| true).unwrap();
        assert!(found.sse < sse(&matrix, &start));
        assert!(found.partition.smallest() >= 400 && found.partition.largest() < 800);
    }

    #[test]
    fn the_sums_of_a_region_are_right_after_many_steps() {
        let matrix = random_matrix(60, 3, 2);
        let groups: Vec<Vec<u32>> = (0..12).map(|g| (5 * g..5 * g + 5).collect()).collect();
        let groups: Vec<&[u32]> = groups.iter().map(Vec::as_slice).collect();
        let climbs = cooling::climbs();
        for seed in 0..5 {
            let region = Region::new(&matrix, &groups, 4, 7);
            let before = region.sse();
            let mut cooling = Cooling::new(region, &climbs, SplitMix64::new(seed));
            let schedule = Schedule {
                hot: 3.0,
                steps: 40_000,
            };
            assert!(cooling.run(schedule, &|| true));
            let found = cooling.region.groups();
            let scratch = crate::microaggregate::sse_of_groups(&matrix, &found);
            assert!((cooling.region.sse() - scratch).abs() < 1e-9);
            assert!(scratch < before, "{scratch} {before}");
            assert!(found.iter().all(|group| (4..=7).contains(&group.len())));
            let mut rows = found.concat();
            rows.sort_unstable();
            assert_eq!(rows, (0..60).collect::<Vec<u32>>());
        }
    }

    #[test]
    fn the_running_sse_is_the_sse_from_scratch() {
        let matrix = random_matrix(150, 4, 6);
        let options = Options {
            k: 3,
            effort: 12,
            ..Options::default()
        };
        let start = solve("mdav", &matrix, &options).unwrap();
        let groups: Vec<Vec<u32>> = start.groups().map(<[u32]>::to_vec).collect();
        let neighbors = Neighbors::new(&matrix, 16);
        let state = Groups::new(&matrix, &groups, 3, 5);
        let mut chain = Chain::new(state, &neighbors, SplitMix64::new(2));
        for temperature in [1.0, 0.1, 0.0] {
            chain.run(20_000, temperature);
            assert!((chain.sse - chain.groups.sse()).abs() < 1e-7);
        }
    }

    #[test]
    fn equal_records_and_single_groups_are_no_trouble() {
        let equal = Matrix::new(vec![1.0; 40], 2).unwrap();
        let options = Options {
            k: 3,
            effort: 12,
            ..Options::default()
        };
        assert!(best_effort(&equal, &options, &|| true).unwrap().sse.abs() < 1e-12);
        let few = random_matrix(5, 2, 1);
        assert_eq!(
            best_effort(&few, &options, &|| true)
                .unwrap()
                .partition
                .len(),
            1
        );
        let one = Options {
            k: 1,
            effort: 12,
            ..Options::default()
        };
        assert_eq!(
            best_effort(&few, &one, &|| true).unwrap().partition.len(),
            5
        );
    }
}
