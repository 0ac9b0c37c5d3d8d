//! What a policy may name beside its own words: the algorithms that whoever reads it can run, the attacks it can bound.

use crate::DataKind;

/// What policies about each kind of data may name.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary(Vec<(DataKind, Words)>);

/// What policies about one kind of data may name.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// Algorithms.
    pub algorithms: Vec<&'static str>,
    /// Attacks that run on every release and can be bounded one by one.
    pub attacks: Vec<&'static str>,
}

impl Vocabulary {
    /// What `words` says of each kind, which it is given the word of.
    pub fn new(mut words: impl FnMut(&'static str) -> Words) -> Vocabulary {
        let kinds = DataKind::all().into_iter();
        Vocabulary(kinds.map(|(word, kind)| (kind, words(word))).collect())
    }

    pub(crate) fn of(&self, kind: DataKind) -> Words {
        let mut words = self.0.iter();
        let found = words.find(|(own, _)| *own == kind);
        found.map(|(_, words)| words.clone()).unwrap_or_default()
    }
}
