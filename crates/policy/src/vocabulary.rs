//! What a policy may name beside its own words: the algorithms that whoever reads it can run.

/// The algorithms a policy can name, by the kind of data they are for, and the attacks it can bound.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// For tables, numbers among them.
    pub tables: Vec<&'static str>,
    /// For paths.
    pub paths: Vec<&'static str>,
    /// For transactions.
    pub transactions: Vec<&'static str>,
    /// Attacks that run on every release of a kind and can be bounded one by one.
    pub attacks: Vec<&'static str>,
}

impl Vocabulary {
    /// Words as choices that mean themselves.
    pub(crate) fn choices(names: &[&'static str]) -> Vec<(&'static str, &'static str)> {
        names.iter().map(|&name| (name, name)).collect()
    }
}
