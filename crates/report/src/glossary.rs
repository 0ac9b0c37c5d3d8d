//! The words a reader of the report may not know.

use std::fmt::Write as _;

use crate::Report;
use crate::sections::Section;

const WORDS: [(&str, &str); 8] = [
    (
        "Quasi-identifier",
        "A detail that does not name a person but can be linked with what others know: age, postal code, sex.",
    ),
    (
        "Sensitive attribute",
        "What must not be learned about a person, such as a diagnosis.",
    ),
    (
        "Class",
        "All records that look the same in every quasi-identifier. Nobody can tell its members apart by them.",
    ),
    ("k-anonymity", "Every class has at least k members."),
    (
        "l-diversity",
        "Every class holds enough different sensitive values that membership does not give one away.",
    ),
    (
        "t-closeness",
        "The sensitive values of every class are spread almost as in all the data; t is the largest distance.",
    ),
    (
        "Generalized",
        "Replaced by something coarser but true: 34 becomes 30-39.",
    ),
    (
        "Suppressed",
        "Removed from the release, because no coarser form would have protected it at an acceptable price.",
    ),
];

/// The words a reader may not know; always the same, and only beside something they explain.
pub(crate) fn words(report: &Report) -> Option<Section> {
    if report.claims.is_empty() && report.risk.is_none() {
        return None;
    }
    let mut body = String::from("<dl class=\"words card\">\n");
    for (word, meaning) in WORDS {
        let _ = writeln!(body, "<div><dt>{word}</dt><dd>{meaning}</dd></div>");
    }
    body.push_str("</dl>\n");
    Some(Section {
        id: "words",
        short: "Words",
        heading: "Words in this report",
        lead: String::new(),
        body,
    })
}
