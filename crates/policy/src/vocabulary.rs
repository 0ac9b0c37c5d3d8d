//! What a policy may name beside its own words: the algorithms that whoever reads it can run, the attacks it can bound, the findings it can accept.

use denym_data::{AlgorithmEntry, AlgorithmUse, Verdict};

use crate::{About, DataKind};

/// What policies about each kind of data may name.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary(Vec<(DataKind, Words)>);

/// What policies about one kind of data may name.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// Algorithms; the first is taken where a policy names none.
    pub algorithms: Vec<&'static AlgorithmEntry>,
    /// Attacks that run on every release and can be bounded one by one.
    pub attacks: Vec<&'static str>,
    /// Findings that can be accepted, each with what it can be about.
    pub findings: Vec<(&'static str, About)>,
}

impl Vocabulary {
    /// What `words` says of each kind, which it is given the word of.
    pub fn new(mut words: impl FnMut(&'static str) -> Words) -> Vocabulary {
        let kinds = DataKind::every();
        Vocabulary(kinds.map(|(word, kind)| (kind, words(word))).collect())
    }

    pub(crate) fn of(&self, kind: DataKind) -> Words {
        let mut words = self.0.iter();
        let found = words.find(|(own, _)| *own == kind);
        found.map(|(_, words)| words.clone()).unwrap_or_default()
    }
}

/// What a policy names where nobody said which algorithms there are.
const UNKNOWN: &AlgorithmEntry = &AlgorithmEntry::new("auto", "", Verdict::SAFE, "", "");

impl Words {
    /// The algorithm of a policy that names none.
    pub(crate) fn usual(&self) -> &'static AlgorithmEntry {
        self.algorithms.first().copied().unwrap_or(UNKNOWN)
    }

    /// The names of those that have a use for this, each as code.
    pub(crate) fn using(&self, one: AlgorithmUse) -> Vec<String> {
        let able = self.algorithms.iter().filter(|entry| entry.has(one));
        able.map(|entry| format!("`{}`", entry.name)).collect()
    }
}
