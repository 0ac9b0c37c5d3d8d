//! The lattice of levels: every combination of one level per quasi-identifier, ordered by generality.

use crate::Error;
use crate::request::Request;

/// Most quasi-identifiers a lattice can have: eight levels to a machine word, eight words.
pub(crate) const MOST_ATTRIBUTES: usize = 64;

/// The high bit of every byte: levels stay below it, so eight levels compare in one subtraction.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// One level per quasi-identifier, a byte each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Packed([u64; MOST_ATTRIBUTES / 8]);

impl Packed {
    /// Packs one level per quasi-identifier.
    pub(crate) fn new(levels: &[u8]) -> Packed {
        let mut words = [0; MOST_ATTRIBUTES / 8];
        for (d, &level) in levels.iter().enumerate() {
            words[d / 8] |= u64::from(level) << (8 * (d % 8));
        }
        Packed(words)
    }

    /// Whether no level of `self` is above that of `other`; `words` machine words are looked at.
    #[inline]
    pub(crate) fn at_most(&self, other: &Packed, words: usize) -> bool {
        self.0[..words]
            .iter()
            .zip(&other.0[..words])
            .all(|(&low, &high)| ((high | HIGH) - low) & HIGH == HIGH)
    }
}

/// All nodes between two of them.
#[derive(Debug, Clone)]
pub(crate) struct Lattice {
    /// The lowest level of each quasi-identifier.
    pub(crate) low: Vec<u8>,
    /// The highest level of each quasi-identifier.
    pub(crate) high: Vec<u8>,
}

impl Lattice {
    /// The nodes that a request allows.
    pub(crate) fn new(request: &Request<'_>) -> Lattice {
        let range = |d: usize| request.range(d);
        let attributes = request.hierarchies.len();
        // More than 127 levels are cut: no hierarchy of people's data is that high, and bytes compare fast.
        Lattice {
            low: (0..attributes).map(|d| range(d).0.min(127) as u8).collect(),
            high: (0..attributes).map(|d| range(d).1.min(127) as u8).collect(),
        }
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> u128 {
        self.low
            .iter()
            .zip(&self.high)
            .fold(1_u128, |nodes, (&low, &high)| {
                nodes.saturating_mul(u128::from(high - low) + 1)
            })
    }

    /// The levels of node `index`, last quasi-identifier fastest.
    pub(crate) fn levels(&self, index: u64, levels: &mut Vec<u8>) {
        levels.clear();
        levels.extend_from_slice(&self.low);
        let mut rest = index;
        for d in (0..levels.len()).rev() {
            let size = u64::from(self.high[d] - self.low[d]) + 1;
            levels[d] += (rest % size) as u8;
            rest /= size;
        }
    }

    /// Machine words that hold the levels of a node.
    pub(crate) fn words(&self) -> usize {
        self.low.len().div_ceil(8)
    }

    /// The levels of node `index` as a value.
    pub(crate) fn node(&self, index: u64) -> Vec<u8> {
        let mut levels = Vec::new();
        self.levels(index, &mut levels);
        levels
    }

    /// How much the index grows when quasi-identifier `d` goes one level up.
    pub(crate) fn stride(&self, d: usize) -> u64 {
        (d + 1..self.low.len())
            .map(|e| u64::from(self.high[e] - self.low[e]) + 1)
            .product()
    }

    /// The index of a node.
    pub(crate) fn index(&self, levels: &[u8]) -> u64 {
        (0..levels.len())
            .map(|d| u64::from(levels[d] - self.low[d]) * self.stride(d))
            .sum()
    }

    /// The lattice over some of the quasi-identifiers.
    pub(crate) fn of(&self, members: &[usize]) -> Lattice {
        Lattice {
            low: members.iter().map(|&d| self.low[d]).collect(),
            high: members.iter().map(|&d| self.high[d]).collect(),
        }
    }

    /// Refuses a lattice with more than `limit` nodes.
    pub(crate) fn at_most(&self, limit: u64) -> Result<(), Error> {
        if self.nodes() > u128::from(limit) {
            return Err(Error::TooLarge {
                nodes: self.nodes(),
                limit,
            });
        }
        Ok(())
    }
}
