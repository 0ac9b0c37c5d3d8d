//! A list of critical violations: minimal item sequences that break the promise.

/// Sequences by length, each length in order of class, then of content.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Violations {
    starts: Vec<usize>,
    items: Vec<u32>,
    classes: Vec<u32>,
}

impl Violations {
    pub(crate) fn new() -> Self {
        Self {
            starts: vec![0],
            items: Vec::new(),
            classes: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, class: u32, prefix: &[u32], last: u32) {
        self.items.extend_from_slice(prefix);
        self.items.push(last);
        self.starts.push(self.items.len());
        self.classes.push(class);
    }

    pub(crate) fn append(&mut self, other: &Self) {
        let base = self.items.len();
        self.items.extend_from_slice(&other.items);
        self.starts
            .extend(other.starts[1..].iter().map(|s| s + base));
        self.classes.extend_from_slice(&other.classes);
    }

    /// Number of violations.
    pub fn len(&self) -> usize {
        self.classes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.classes.is_empty()
    }

    /// The items of one violation, increasing.
    #[inline]
    pub fn get(&self, index: usize) -> &[u32] {
        &self.items[self.starts[index]..self.starts[index + 1]]
    }

    /// The class of quasi-identifiers in which it is a violation.
    pub fn class(&self, index: usize) -> u32 {
        self.classes[index]
    }

    /// All violations.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> + '_ {
        self.starts
            .windows(2)
            .map(|pair| &self.items[pair[0]..pair[1]])
    }

    /// Number of violations of length 1, 2, and so on.
    pub fn by_length(&self) -> Vec<u64> {
        let mut count = Vec::new();
        for violation in self.iter() {
            if count.len() < violation.len() {
                count.resize(violation.len(), 0);
            }
            count[violation.len() - 1] += 1;
        }
        count
    }
}
