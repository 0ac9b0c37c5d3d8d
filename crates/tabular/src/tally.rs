//! Evaluating nodes of the lattice: which classes a node has, which fail, what that costs.

use std::collections::HashSet;
use std::sync::Arc;

use rayon::prelude::*;

use denym_measure::Group;

use crate::Error;
use crate::class::with_group;
use crate::frequency::FrequencySet;
use crate::keys::{Ladders, Layout, MOST_WORDS};
use crate::lattice::{Lattice, MOST_ATTRIBUTES, Packed};
use crate::objective::Counted;
use crate::request::Request;
use crate::setting::{Verdicts, verdicts};

/// Sets that are kept for later roll-ups hold at most this many times the tuples of the finest set.
const KEEP: usize = 6;

/// Room for at least this many tuples in kept sets, however small the finest one: about 32 megabytes.
const ROOM: usize = 1 << 21;

/// A set is worth keeping when it is at most this fraction (one over) of the set it came from.
const SHRINK: usize = 2;

/// Sets of up to this many tuples need no stepping stones: rolling up from them takes microseconds.
const SMALL: usize = 1 << 11;

/// What was found at one node.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Tally {
    /// What the score needs.
    pub(crate) counted: Counted,
    /// Subjects of the smallest published class.
    pub(crate) smallest: u64,
    /// Subjects of the largest published class.
    pub(crate) largest: u64,
    /// Classes before suppression.
    pub(crate) classes: u64,
    /// Sum of squared sizes of all classes before suppression.
    pub(crate) squares: u128,
    /// Records of classes that fail a promise which stays failed at every finer node.
    pub(crate) floor: u64,
    /// Sum of squared sizes of those classes.
    pub(crate) floor_squares: u128,
    /// No finer node can be valid.
    pub(crate) doomed: bool,
}

/// The nodes of one request's lattice, evaluated on demand.
pub(crate) trait Nodes: Send + Sync {
    /// Evaluates one node.
    fn tally(&mut self, levels: &[u8]) -> Tally;

    /// Evaluates several nodes on all cores.
    fn tally_all(&mut self, nodes: &[Vec<u8>]) -> Vec<Tally>;

    /// Shows every class of a node, suppressed or not.
    fn visit(&mut self, levels: &[u8], each: &mut dyn FnMut(&Group<'_>));
}

/// The nodes of a checked request.
pub(crate) fn nodes<'a>(
    request: Request<'a>,
    lattice: &Lattice,
) -> Result<Box<dyn Nodes + 'a>, Error> {
    let attributes = request.hierarchies.len();
    let layout =
        Layout::new(request.hierarchies).map_err(|bits| Error::TooWide { attributes, bits })?;
    if attributes > MOST_ATTRIBUTES {
        let bits = layout.words() as u32 * 64;
        return Err(Error::TooWide { attributes, bits });
    }
    Ok(match layout.words() {
        0 | 1 => Box::new(Views::<1>::new(request, lattice, layout)),
        2 => Box::new(Views::<2>::new(request, lattice, layout)),
        3 | 4 => Box::new(Views::<4>::new(request, lattice, layout)),
        _ => Box::new(Views::<MOST_WORDS>::new(request, lattice, layout)),
    })
}

struct View<const W: usize> {
    levels: Vec<u8>,
    packed: Packed,
    set: Arc<FrequencySet<W>>,
}

/// Frequency sets already made; a new one rolls up from the smallest that is fine enough.
struct Views<'a, const W: usize> {
    request: Request<'a>,
    layout: Layout,
    ladders: Ladders,
    made: Vec<View<W>>,
    room: usize,
    words: usize,
    /// Stepping stones that were tried, kept or not.
    paved: HashSet<Packed>,
    /// Quasi-identifiers, those with the most varied values first.
    varied: Vec<usize>,
    budget: u64,
    /// Positions of promises that stay failed at finer nodes, whatever is suppressed.
    lasting: Vec<usize>,
    /// Positions of the others.
    passing: Vec<usize>,
}

impl<'a, const W: usize> Views<'a, W> {
    fn new(request: Request<'a>, lattice: &Lattice, layout: Layout) -> Self {
        let finest = FrequencySet::finest(&request, &layout, &lattice.low);
        let (lasting, passing) = (0..request.promises.len())
            .partition(|&p| request.is_monotone_with_suppression(request.promises[p].as_ref()));
        Views {
            budget: request.budget(),
            request,
            ladders: Ladders::new(request.hierarchies),
            layout,
            room: finest.len().saturating_mul(KEEP).max(ROOM),
            words: lattice.words(),
            paved: HashSet::new(),
            varied: varied(&request, lattice),
            made: vec![View {
                levels: lattice.low.clone(),
                packed: Packed::new(&lattice.low),
                set: Arc::new(finest),
            }],
            lasting,
            passing,
        }
    }

    /// The smallest view that is fine enough.
    fn source(&self, packed: &Packed) -> &View<W> {
        let mut best = &self.made[0];
        for view in &self.made[1..] {
            if view.set.len() < best.set.len() && view.packed.at_most(packed, self.words) {
                best = view;
            }
        }
        best
    }

    /// Makes the sets that lie between the finest one and a node when the most varied attributes are lifted one by one.
    ///
    /// Nodes that agree on those attributes then roll up from a set that is far smaller than the finest.
    fn pave(&mut self, levels: &[u8]) {
        let mut stone = self.made[0].levels.clone();
        // The last attributes vary little; stones for them would hardly be smaller than the node itself.
        for depth in 0..self.varied.len().saturating_sub(2) {
            let d = self.varied[depth];
            if levels[d] == stone[d] {
                continue;
            }
            stone[d] = levels[d];
            let packed = Packed::new(&stone);
            if self.source(&Packed::new(levels)).set.len() <= SMALL {
                return;
            }
            if stone == levels {
                return;
            }
            if self.paved.contains(&packed) {
                continue;
            }
            self.paved.insert(packed);
            let before = self.source(&packed).set.len();
            let (set, _) = self.make(&stone);
            if set.len() * 4 <= before * 3 {
                self.keep(&stone, set);
            }
        }
    }

    /// The set of a node, and whether it is worth keeping.
    fn make(&self, levels: &[u8]) -> (Arc<FrequencySet<W>>, bool) {
        let source = self.source(&Packed::new(levels));
        if source.levels == levels {
            return (Arc::clone(&source.set), false);
        }
        let set = source
            .set
            .roll_up(&self.layout, &self.ladders, &source.levels, levels);
        let keep = set.len() * SHRINK <= source.set.len();
        (Arc::new(set), keep)
    }

    fn keep(&mut self, levels: &[u8], set: Arc<FrequencySet<W>>) {
        if set.len() <= self.room {
            self.room -= set.len();
            self.made.push(View {
                levels: levels.to_vec(),
                packed: Packed::new(levels),
                set,
            });
        }
    }

    fn judge(&self, levels: &[u8], set: &FrequencySet<W>) -> Tally {
        if let Some(setting) = self.request.apart() {
            let verdicts = verdicts(&self.request, setting, &self.layout, levels, set);
            return self.sum_up(levels, set, &verdicts);
        }
        let promises = self.request.promises;
        let mut tally = Tally {
            smallest: u64::MAX,
            classes: set.len() as u64,
            ..Tally::default()
        };
        let mut rejected: Vec<u32> = Vec::new();
        let mut broken = false;
        for index in 0..set.len() {
            let records = set.records[index];
            let square = u128::from(records) * u128::from(records);
            tally.squares += square;
            let (lasts, passes, subjects) = group_of(set, index, |group| {
                let lasts = self.lasting.iter().all(|&p| promises[p].admits(group));
                let passes = self.passing.iter().all(|&p| {
                    let admits = promises[p].admits(group);
                    broken |= !admits && self.request.is_monotone(promises[p].as_ref());
                    admits
                });
                (lasts, passes, group.subjects)
            });
            if !lasts {
                tally.floor += records;
                tally.floor_squares += square;
            }
            if lasts && passes {
                tally.counted.classes += 1;
                tally.counted.squares += square;
                tally.smallest = tally.smallest.min(subjects);
                tally.largest = tally.largest.max(subjects);
            } else {
                tally.counted.suppressed += records;
                rejected.push(index as u32);
            }
        }
        if tally.counted.classes == 0 {
            tally.smallest = 0;
        }
        tally.doomed = tally.floor > self.budget || self.budget == 0 && broken;
        if self.request.objective.needs_leaves() && tally.counted.suppressed <= self.budget {
            tally.counted.suppressed_leaves = self.leaves(levels, set, &rejected);
        }
        tally
    }

    /// The tally of a node whose classes were judged together.
    fn sum_up(&self, levels: &[u8], set: &FrequencySet<W>, verdicts: &Verdicts) -> Tally {
        let mut tally = Tally {
            smallest: u64::MAX,
            classes: set.len() as u64,
            ..Tally::default()
        };
        let mut rejected: Vec<u32> = Vec::new();
        for index in 0..set.len() {
            let records = set.records[index];
            let square = u128::from(records) * u128::from(records);
            tally.squares += square;
            if !verdicts.lasts[index] {
                tally.floor += records;
                tally.floor_squares += square;
            }
            if verdicts.published[index] {
                let subjects = group_of(set, index, |group| group.subjects);
                tally.counted.classes += 1;
                tally.counted.squares += square;
                tally.smallest = tally.smallest.min(subjects);
                tally.largest = tally.largest.max(subjects);
            } else {
                tally.counted.suppressed += records;
                rejected.push(index as u32);
            }
        }
        if tally.counted.classes == 0 {
            tally.smallest = 0;
        }
        tally.doomed = tally.floor > self.budget || self.budget == 0 && verdicts.broken;
        if self.request.objective.needs_leaves() && tally.counted.suppressed <= self.budget {
            tally.counted.suppressed_leaves = self.leaves(levels, set, &rejected);
        }
        tally
    }

    /// For each quasi-identifier, the leaves under the values of the classes `chosen`, each record counted.
    fn leaves(&self, levels: &[u8], set: &FrequencySet<W>, chosen: &[u32]) -> Vec<u128> {
        (0..levels.len())
            .map(|d| {
                let leaves = &self.request.hierarchies[d].levels()[levels[d] as usize].leaves;
                chosen
                    .iter()
                    .map(|&index| {
                        let node = self.layout.get(&set.keys[index as usize], d);
                        u128::from(leaves[node as usize] * set.records[index as usize])
                    })
                    .sum()
            })
            .collect()
    }
}

impl<const W: usize> Nodes for Views<'_, W> {
    fn tally(&mut self, levels: &[u8]) -> Tally {
        self.pave(levels);
        let (set, keep) = self.make(levels);
        let tally = self.judge(levels, &set);
        if keep {
            self.keep(levels, set);
        }
        tally
    }

    fn tally_all(&mut self, nodes: &[Vec<u8>]) -> Vec<Tally> {
        for levels in nodes {
            self.pave(levels);
        }
        let tallied: Vec<(Tally, Option<Arc<FrequencySet<W>>>)> = nodes
            .par_iter()
            .map(|levels| {
                let (set, keep) = self.make(levels);
                (self.judge(levels, &set), keep.then_some(set))
            })
            .collect();
        nodes
            .iter()
            .zip(tallied)
            .map(|(levels, (tally, set))| {
                if let Some(set) = set {
                    self.keep(levels, set);
                }
                tally
            })
            .collect()
    }

    fn visit(&mut self, levels: &[u8], each: &mut dyn FnMut(&Group<'_>)) {
        let (set, keep) = self.make(levels);
        for index in 0..set.len() {
            group_of(&set, index, &mut *each);
        }
        if keep {
            self.keep(levels, set);
        }
    }
}

/// Quasi-identifiers by the entropy of their values at the lowest level, highest first.
pub(crate) fn varied(request: &Request<'_>, lattice: &Lattice) -> Vec<usize> {
    let summary = request.summary;
    let total = summary.total() as f64;
    let entropy = |d: usize| -> f64 {
        let level = &request.hierarchies[d].levels()[lattice.low[d] as usize];
        let mut counts = vec![0_u64; level.labels.len()];
        for (&code, &records) in summary.quasi[d].iter().zip(&summary.records) {
            counts[level.nodes[code as usize] as usize] += records;
        }
        counts
            .iter()
            .filter(|&&count| count > 0)
            .map(|&count| -(count as f64 / total) * (count as f64 / total).ln())
            .sum()
    };
    let mut order: Vec<(f64, usize)> = (0..lattice.low.len()).map(|d| (entropy(d), d)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    order.into_iter().map(|(_, d)| d).collect()
}

/// Builds the group of one class of a set.
#[inline]
fn group_of<const W: usize, T>(
    set: &FrequencySet<W>,
    index: usize,
    judge: impl FnOnce(&Group<'_>) -> T,
) -> T {
    with_group(
        set.records[index],
        set.subjects
            .as_ref()
            .map(|subjects| subjects.row(index).len() as u64),
        set.sensitive.iter().map(|histograms| histograms.row(index)),
        judge,
    )
}
