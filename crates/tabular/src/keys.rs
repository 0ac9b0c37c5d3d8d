//! Tuples packed into a few machine words, and tables that carry a whole tuple from one node of the lattice to a coarser one.

use denym_data::Hierarchy;

/// Most machine words of one key.
pub(crate) const MOST_WORDS: usize = 8;

/// Largest combined lookup table, as bits of its index: 2048 entries of 8 bytes stay in the first-level cache.
const TABLE_BITS: u32 = 11;

/// A packed tuple.
pub(crate) type Key<const W: usize> = [u64; W];

/// Where one quasi-identifier lies in a key.
#[derive(Debug, Clone, Copy)]
struct Field {
    word: usize,
    shift: u32,
    bits: u32,
}

impl Field {
    fn mask(self) -> u64 {
        (1 << self.bits) - 1
    }
}

/// Where every quasi-identifier lies in a key. The layout is the same at every level.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    words: usize,
}

impl Layout {
    /// Fields wide enough for the nodes of level 0; the error is the number of bits when they do not fit.
    pub(crate) fn new(hierarchies: &[Hierarchy]) -> Result<Layout, u32> {
        let mut used = vec![0_u32];
        let mut fields = Vec::with_capacity(hierarchies.len());
        for hierarchy in hierarchies {
            let nodes = hierarchy.levels()[0].labels.len();
            let bits = usize::BITS - nodes.saturating_sub(1).leading_zeros();
            let word = used
                .iter()
                .position(|&taken| taken + bits <= 63)
                .unwrap_or_else(|| {
                    used.push(0);
                    used.len() - 1
                });
            fields.push(Field {
                word,
                shift: used[word],
                bits,
            });
            used[word] += bits;
        }
        if used.len() > MOST_WORDS {
            return Err(used.iter().sum());
        }
        Ok(Layout {
            fields,
            words: used.len(),
        })
    }

    /// Machine words of one key.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Ones in the fields of these quasi-identifiers.
    pub(crate) fn mask<const W: usize>(&self, members: &[usize]) -> Key<W> {
        let mut mask = [0; W];
        for &d in members {
            let field = self.fields[d];
            mask[field.word] |= field.mask() << field.shift;
        }
        mask
    }

    /// The node of quasi-identifier `d` in `key`.
    pub(crate) fn get<const W: usize>(&self, key: &Key<W>, d: usize) -> u32 {
        let field = self.fields[d];
        ((key[field.word] >> field.shift) & field.mask()) as u32
    }

    /// Adds the node of quasi-identifier `d`, whose field must be empty.
    pub(crate) fn put<const W: usize>(&self, key: &mut Key<W>, d: usize, node: u32) {
        let field = self.fields[d];
        key[field.word] |= u64::from(node) << field.shift;
    }
}

/// For each quasi-identifier and pair of levels, what a node of the lower becomes at the higher.
#[derive(Debug)]
pub(crate) struct Ladders {
    /// `maps[d][from][to - from - 1][node]`.
    maps: Vec<Vec<Vec<Vec<u32>>>>,
}

impl Ladders {
    /// All maps between levels.
    pub(crate) fn new(hierarchies: &[Hierarchy]) -> Ladders {
        let maps = hierarchies
            .iter()
            .map(|hierarchy| {
                let levels = hierarchy.levels();
                (0..levels.len())
                    .map(|from| {
                        (from + 1..levels.len())
                            .map(|to| {
                                let mut map = vec![0; levels[from].labels.len()];
                                for (&low, &high) in
                                    levels[from].nodes.iter().zip(&levels[to].nodes)
                                {
                                    map[low as usize] = high;
                                }
                                map
                            })
                            .collect()
                    })
                    .collect()
            })
            .collect();
        Ladders { maps }
    }

    /// What each node of level `from` becomes at the higher level `to`.
    pub(crate) fn map(&self, d: usize, from: usize, to: usize) -> &[u32] {
        &self.maps[d][from][to - from - 1]
    }
}

/// One lookup: some bits of a word become other bits of that word.
struct Step {
    word: usize,
    shift: u32,
    mask: u64,
    table: Vec<u64>,
}

/// How a key of one node of the lattice becomes the key of a coarser one.
pub(crate) struct Lift<const W: usize> {
    keep: Key<W>,
    steps: Vec<Step>,
}

impl<const W: usize> Lift<W> {
    /// The lift from levels `from` to the coarser levels `to`.
    pub(crate) fn new(layout: &Layout, ladders: &Ladders, from: &[u8], to: &[u8]) -> Lift<W> {
        let mut keep = [u64::MAX; W];
        let mut steps: Vec<Step> = Vec::new();
        // Fields of one word ascend, so changed fields that touch can share a table.
        for d in 0..from.len() {
            let field = layout.fields[d];
            if from[d] == to[d] || field.bits == 0 {
                continue;
            }
            keep[field.word] &= !(field.mask() << field.shift);
            let map = ladders.map(d, from[d] as usize, to[d] as usize);
            let moved = |node: u32| u64::from(node) << field.shift;
            if let Some(last) = steps.last_mut()
                && last.word == field.word
                && last.shift + last.mask.count_ones() == field.shift
                && last.mask.count_ones() + field.bits <= TABLE_BITS
            {
                let low = last.table.clone();
                last.table = map
                    .iter()
                    .flat_map(|&node| low.iter().map(move |&bits| bits | moved(node)))
                    .collect();
                last.mask = (last.mask << field.bits) | field.mask();
                last.table.resize(last.mask as usize + 1, 0);
                continue;
            }
            let mut table: Vec<u64> = map.iter().map(|&node| moved(node)).collect();
            if field.bits <= TABLE_BITS {
                // Codes that do not occur fill the table, so that the next field can be stacked on it.
                table.resize(1 << field.bits, 0);
            }
            steps.push(Step {
                word: field.word,
                shift: field.shift,
                mask: field.mask(),
                table,
            });
        }
        Lift { keep, steps }
    }

    /// The key at the coarser node.
    #[inline]
    pub(crate) fn apply(&self, key: &Key<W>) -> Key<W> {
        let mut lifted = *key;
        for (word, keep) in lifted.iter_mut().zip(&self.keep) {
            *word &= keep;
        }
        for step in &self.steps {
            lifted[step.word] |= step.table[((key[step.word] >> step.shift) & step.mask) as usize];
        }
        lifted
    }
}
