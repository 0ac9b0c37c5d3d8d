//! What a policy can name, in one list that feeds the command line, the policy reader and the docs.

use denym_tabular::{FullDomain, Solver};

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
    vec![
        Algorithm {
            name: "auto",
            data: "table",
            summary: "the best of the algorithms that fit the data and the promises",
            reference: "denym",
        },
        Algorithm {
            name: "full-domain",
            data: "table",
            summary: "one level per quasi-identifier, failing classes suppressed; optimal under the metric",
            reference: "P. Samarati 2001; K. LeFevre, D. DeWitt, R. Ramakrishnan 2005; F. Kohlmayer et al. 2012",
        },
    ]
}

/// The solver that a policy means by `name`.
pub(crate) fn solver(name: &str) -> Option<Box<dyn Solver>> {
    match name {
        "auto" | "full-domain" => Some(Box::new(FullDomain::default())),
        _ => None,
    }
}
