//! How good a node of a large lattice can be at best: boxes of nodes, the most promising first, cut by nodes that are hopeless.
//!
//! # Idea
//!
//! A node at which too much is suppressed rules out every finer node: whatever is valid must be coarser in at least one
//! attribute. So a hopeless node cuts a box of nodes into smaller ones, one for each attribute that may be the coarser
//! one, and none of them overlap:
//!
//! ```text
//!   level of b                        x  hopeless: all below and left of it go
//!      │  2nd box │                   o  the finest node of the first box: looked at next if its bound is lowest
//!      │----------│   1st box
//!      │ . . . . x│ o
//!      │ . . . . .│
//!      └──────────────── level of a
//! ```
//!
//! The finest node of a box bounds them all. The box with the lowest bound is taken, its finest node looked at; if it is hopeless
//! it is lifted as far as it stays hopeless, and what that gives cuts this box and every other it reaches. No valid node lies
//! outside the open boxes, so the lowest bound among them is a bound on everything.
//!
//! # Guarantee
//!
//! No node scores below the bound. When the boxes are used up, or the lowest bound is not below the best score, that node is optimal.
//!
//! # Reference
//!
//! Implicit hitting sets: E. Moreno-Centeno, R. Karp, Operations Research 61(2), 2013; survey section 5.1.1 for the lattice.
//!
//! # Departures
//!
//! Theirs solves a hitting set anew after each cut; boxes stay open and are cut when their turn comes.
//!
//! # Cost
//!
//! Some twenty looks at nodes per cut, most of them coarse and cheap; a box takes two bytes per attribute.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::lattice::{Lattice, Packed};
use crate::objective::{Known, Scale};

/// Most boxes kept open: about 200 megabytes at forty attributes. The bound stays as it is then.
const MOST: usize = 1 << 20;

/// Boxes taken up between two questions whether to go on.
const STRIDE: u32 = 1 << 12;

/// All nodes between two, with a bound on their scores.
#[derive(Debug, Clone)]
pub(crate) struct Region {
    bound: f64,
    pub(crate) low: Box<[u8]>,
    high: Box<[u8]>,
}

impl Ord for Region {
    /// The greatest is the one with the lowest bound.
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .bound
            .total_cmp(&self.bound)
            .then_with(|| other.low.cmp(&self.low))
            .then_with(|| other.high.cmp(&self.high))
    }
}

impl PartialOrd for Region {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Region {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Region {}

/// What to do next.
pub(crate) enum Next {
    /// Look at the finest node of this box and [`cut`](Bounding::cut) the box.
    Corner(Region),
    /// No open box can hold a better node.
    Closed,
    /// There is no more room, or the caller wants to stop.
    Halted,
}

/// The open boxes and what cuts them.
pub(crate) struct Bounding<'a> {
    lattice: &'a Lattice,
    scale: &'a Scale,
    words: usize,
    open: BinaryHeap<Region>,
    /// Nodes at and below which nothing is valid.
    cuts: Vec<(Packed, Box<[u8]>)>,
    /// Nodes that suppress something at every finer node too: the records, and what that adds to squared sizes.
    floors: Vec<(Packed, Known)>,
}

impl<'a> Bounding<'a> {
    /// One box with the whole lattice.
    pub(crate) fn new(lattice: &'a Lattice, scale: &'a Scale) -> Bounding<'a> {
        let whole = Region {
            bound: scale.first_bound(&lattice.low),
            low: lattice.low.clone().into(),
            high: lattice.high.clone().into(),
        };
        Bounding {
            lattice,
            scale,
            words: lattice.words(),
            open: BinaryHeap::from([whole]),
            cuts: Vec::new(),
            floors: Vec::new(),
        }
    }

    /// No valid node scores below this; `None` when no box is open.
    pub(crate) fn bound(&self) -> Option<f64> {
        self.open.peek().map(|region| region.bound)
    }

    /// Nothing at or below this node is valid.
    pub(crate) fn doom(&mut self, levels: &[u8]) {
        let packed = Packed::new(levels);
        let words = self.words;
        self.cuts.retain(|(old, _)| !old.at_most(&packed, words));
        self.cuts.push((packed, levels.into()));
    }

    /// Whether nothing at or below this node is valid, as far as is known.
    pub(crate) fn dooms(&self, levels: &[u8]) -> bool {
        let packed = Packed::new(levels);
        self.cuts
            .iter()
            .any(|(cut, _)| packed.at_most(cut, self.words))
    }

    /// Opens a box again that was not looked into.
    pub(crate) fn put_back(&mut self, region: Region) {
        self.open.push(region);
    }

    /// Everything at or below this node suppresses at least `known`.
    pub(crate) fn charge(&mut self, levels: &[u8], known: Known) {
        self.floors.push((Packed::new(levels), known));
    }

    /// The box with the lowest bound whose finest node is not known to be hopeless.
    pub(crate) fn next(&mut self, best: Option<f64>, go_on: &dyn Fn() -> bool) -> Next {
        let mut taken = 0;
        while let Some(mut region) = self.open.pop() {
            // A hair is allowed for rounding.
            let hopeless = |best: f64| region.bound > best + 1e-12 * (1.0 + best.abs());
            if best.is_some_and(hopeless) {
                self.open.push(region);
                return Next::Closed;
            }
            taken += 1;
            if self.open.len() >= MOST || taken % STRIDE == 0 && !go_on() {
                self.open.push(region);
                return Next::Halted;
            }
            let high = Packed::new(&region.high);
            let charged = self.charged(&region, &high);
            if charged > region.bound {
                region.bound = charged;
                self.open.push(region);
                continue;
            }
            let low = Packed::new(&region.low);
            let mut sharpest: Option<(usize, usize)> = None;
            for (index, (packed, levels)) in self.cuts.iter().enumerate() {
                if low.at_most(packed, self.words) {
                    let ways = (0..levels.len()).filter(|&d| levels[d] < region.high[d]);
                    let ways = ways.count();
                    if sharpest.is_none_or(|(least, _)| ways < least) {
                        sharpest = Some((ways, index));
                    }
                }
            }
            match sharpest {
                Some((_, index)) => {
                    let cut = self.cuts[index].1.clone();
                    self.cut(&region, &cut);
                }
                None => return Next::Corner(region),
            }
        }
        Next::Closed
    }

    /// Replaces a box, which is not open, by what is left of it when nothing at or below `cut` is of interest.
    ///
    /// Invariant: the new boxes do not overlap, and hold every node of the old one that is not at or below `cut`.
    pub(crate) fn cut(&mut self, region: &Region, cut: &[u8]) {
        debug_assert!(region.low.iter().zip(cut).all(|(low, cut)| low <= cut));
        let mut ways: Vec<Region> = Vec::new();
        for d in (0..cut.len()).filter(|&d| cut[d] < region.high[d]) {
            let mut way = region.clone();
            way.low[d] = cut[d] + 1;
            way.bound = self.scale.first_bound(&way.low).max(region.bound);
            ways.push(way);
        }
        // The cheap ways first: dear ones then may not go the cheap ways too.
        ways.sort_by(|a, b| b.cmp(a));
        let mut high = region.high.clone();
        for mut way in ways {
            let d = (0..cut.len()).find(|&d| way.low[d] != region.low[d]);
            way.high.clone_from(&high);
            self.open.push(way);
            if let Some(d) = d {
                high[d] = cut[d];
            }
        }
    }

    /// The bound of a box, given what all of its nodes suppress.
    fn charged(&self, region: &Region, high: &Packed) -> f64 {
        let mut known = Known::NOTHING;
        for (packed, floor) in &self.floors {
            if (floor.suppressed > known.suppressed || floor.charge > known.charge)
                && high.at_most(packed, self.words)
            {
                known.suppressed = known.suppressed.max(floor.suppressed);
                known.charge = known.charge.max(floor.charge);
            }
        }
        if known.suppressed == 0 && known.charge == 0 {
            return region.bound;
        }
        self.scale.bound(&region.low, &known)
    }

    /// From a node to the coarsest one, always the step that adds least to the bound times its factor; a factor of
    /// infinity forbids it.
    pub(crate) fn path(&self, from: &[u8], factors: &[f64]) -> Vec<(Vec<u8>, usize)> {
        let mut levels = from.to_vec();
        let mut path = vec![(levels.clone(), usize::MAX)];
        loop {
            let before = self.scale.first_bound(&levels);
            let mut next: Option<(f64, usize)> = None;
            for d in 0..levels.len() {
                if levels[d] == self.lattice.high[d] || factors[d].is_infinite() {
                    continue;
                }
                levels[d] += 1;
                let price = (self.scale.first_bound(&levels) - before).max(1e-15) * factors[d];
                levels[d] -= 1;
                if next.is_none_or(|(least, _)| price < least) {
                    next = Some((price, d));
                }
            }
            let Some((_, d)) = next else { return path };
            levels[d] += 1;
            path.push((levels.clone(), d));
        }
    }
}
