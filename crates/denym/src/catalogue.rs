//! What a policy can name, in one list that feeds the command line, the policy reader and the docs.

/// One algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Algorithm {
    /// The name in policies.
    pub name: &'static str,
    /// What it works on.
    pub data: &'static str,
    /// One line that says what it does.
    pub summary: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
}

/// Every algorithm a policy can name.
pub fn algorithms() -> Vec<Algorithm> {
    denym_tabular::CATALOGUE
        .iter()
        .map(|entry| Algorithm {
            name: entry.name,
            data: "table",
            summary: entry.summary,
            reference: entry.paper,
        })
        .collect()
}
