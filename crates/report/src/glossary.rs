//! The words a reader of the report may not know, for the kind of data it is about.

use std::fmt::Write as _;

use crate::sections::Section;
use crate::{About, Language, Report};

/// The words of a kind of data, each with what it means.
fn of(about: About, language: Language) -> Vec<(String, String)> {
    let word = |word: &str| {
        // Each word has two sentences in the catalogue: itself, and what it means.
        let key = format!("words.{word}");
        let meaning = format!("words.{word}.means");
        (language.say(&key, &[]), language.say(&meaning, &[]))
    };
    let words: &[&str] = match about {
        About::Records => &[
            "quasi",
            "sensitive",
            "class",
            "k-anonymity",
            "l-diversity",
            "t-closeness",
            "generalized",
            "suppressed",
        ],
        About::Numbers => &[
            "quasi",
            "group",
            "microaggregation",
            "k-anonymity",
            "perturbed",
        ],
        About::Paths => &[
            "doublet",
            "path",
            "violation",
            "matching",
            "k-anonymity-of-paths",
            "confidence",
            "suppressed-doublet",
        ],
        About::Items => &[
            "item",
            "itemset",
            "violation-of-items",
            "km-anonymity",
            "confidence",
            "generalized",
        ],
        About::Trails => &["trail", "institution", "withheld", "owner"],
        About::Windows => &["window", "doublet", "confidence", "withheld-window"],
    };
    words.iter().map(|name| word(name)).collect()
}

/// The words a reader may not know; only beside something they explain.
pub(crate) fn words(report: &Report) -> Option<Section> {
    if report.claims.is_empty() && report.risk.is_none() {
        return None;
    }
    let mut body = String::from("<dl class=\"words card\">\n");
    for (word, meaning) in of(report.about, report.language) {
        let _ = writeln!(body, "<div><dt>{word}</dt><dd>{meaning}</dd></div>");
    }
    body.push_str("</dl>\n");
    Some(Section {
        id: "words",
        short: report.language.say("words.short", &[]),
        heading: report.language.say("words.heading", &[]),
        lead: String::new(),
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_every_kind_is_explained_in_every_language() {
        for (_, language) in Language::ALL {
            for about in [
                About::Records,
                About::Numbers,
                About::Paths,
                About::Items,
                About::Trails,
                About::Windows,
            ] {
                for (word, meaning) in of(about, language) {
                    assert!(
                        !word.starts_with("words.") && !meaning.starts_with("words."),
                        "{word}"
                    );
                }
            }
        }
    }
}
