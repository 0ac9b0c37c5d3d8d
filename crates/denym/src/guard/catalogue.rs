//! The list of findings, made from the implementations: every file of `src/guard/findings` is one finding, and there is no other list.

use std::sync::LazyLock;

use denym_report::Language;

use super::said::Said;
use super::view::{After, Before};
use crate::policy::About;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Somebody may come to harm, or the release be of no use.
    Warning,
    /// Somebody will come to harm: nothing is released, unless the policy accepts it with a reason.
    Grave,
}

impl Severity {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Grave => "grave",
        }
    }
}

/// One finding.
#[derive(Debug, Clone, Copy)]
pub struct FindingEntry {
    /// Name in policies, reports, certificates and `--json`; the file is named for it.
    pub name: &'static str,
    /// Where it stands in lists, smallest first.
    pub place: u16,
    /// How bad it is.
    pub severity: Severity,
    /// What it can be about.
    pub about: About,
    /// What was found, in a sentence.
    pub summary: &'static str,
    /// What to do about it.
    pub advice: &'static str,
    /// When it is silent although there may be something.
    pub limits: &'static str,
    /// What the recipient is told, where it concerns the recipient; it counts nobody of the source.
    pub recipient: Option<&'static str>,
    /// How it is found.
    pub(crate) look: Look,
}

/// Lines of a policy that sentences quote: the same in every language.
const EXAMPLES: [(&str, &str); 2] = [
    ("per_class", "{ .., per = \"class\" }"),
    (
        "diversity",
        "{ attribute = \"..\", kind = \"distinct\", l = 2 }",
    ),
];

impl FindingEntry {
    /// What to do about it.
    pub(crate) fn advice_in(&self, language: Language) -> String {
        language.say(&format!("finding.{}.advice", self.name), &EXAMPLES)
    }

    /// What the recipient is told, where it concerns the recipient.
    pub(crate) fn recipient_in(&self, language: Language) -> Option<String> {
        self.recipient?;
        Some(language.say(&format!("finding.{}.recipient", self.name), &[]))
    }

    /// Whether it is found before anything is searched, so that `denym plan` shows it.
    pub fn is_before(&self) -> bool {
        matches!(self.look, Look::Before(_))
    }
}

/// How a finding is found.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Look {
    /// By policy and source alone.
    Before(fn(&Before<'_>) -> Vec<Found>),
    /// By what would be published.
    After(fn(&After<'_>) -> Vec<Found>),
    /// By what the others found.
    Others,
}

/// One place where a finding was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Found {
    /// The column.
    pub(crate) column: Option<String>,
    /// What was seen, in a sentence that quotes no cell.
    pub(crate) reason: Said,
}

impl Found {
    /// Something about a column.
    pub(crate) fn on(column: &str, reason: Said) -> Found {
        let column = Some(column.to_owned());
        Found { column, reason }
    }
}

include!(concat!(env!("OUT_DIR"), "/findings.rs"));

/// Every finding.
pub static FINDINGS: LazyLock<Vec<FindingEntry>> = LazyLock::new(|| {
    let mut all = LISTED.to_vec();
    all.sort_by_key(|entry| (entry.place, entry.name));
    all
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_kebab_case_and_nothing_is_left_unsaid() {
        for (at, one) in FINDINGS.iter().enumerate() {
            let kebab = one.name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
            assert!(kebab, "{}", one.name);
            let before = &FINDINGS[..at];
            assert!(before.iter().all(|other| other.name != one.name));
            for text in [one.summary, one.advice, one.limits] {
                assert!(!text.is_empty(), "{}", one.name);
            }
        }
    }

    /// What is said to people stands in the catalogue of every language; English is as the entry has it.
    #[test]
    fn every_finding_is_told_in_every_language() {
        for entry in FINDINGS.iter() {
            assert_eq!(entry.advice_in(Language::English), entry.advice);
            let told = entry.recipient_in(Language::English);
            assert_eq!(told.as_deref(), entry.recipient, "{}", entry.name);
            for (_, language) in Language::ALL {
                assert!(!entry.advice_in(language).starts_with("finding."));
                let told = entry.recipient_in(language).unwrap_or_default();
                assert!(!told.starts_with("finding."), "{}", entry.name);
            }
        }
    }

    #[test]
    fn a_file_is_named_for_its_finding() {
        let files = include_str!(concat!(env!("OUT_DIR"), "/findings.rs"));
        for entry in FINDINGS.iter() {
            let module = format!("mod {};", entry.name.replace('-', "_"));
            assert!(files.contains(&module), "{}", entry.name);
        }
    }
}
