//! Guards against the steward's own mistakes: named findings about a policy, its data and its release, for every kind of data.
//!
//! # Idea
//!
//! A promise holds or does not hold under what the policy says of its columns. That a name is called insensitive, that a remark is free
//! text, that everybody under 25 was removed: no promise sees that. A guard looks at one such thing and reports a [`Finding`]: how bad it
//! is, why it is thought so, what to do. What is grave refuses the release, unless `[accept]` of the policy names it with a reason.
//!
//! # Guarantee
//!
//! None: guards look for what stewards got wrong before. A release without a finding may still be a mistake.

mod catalogue;
mod said;
mod texts;
mod view;

#[cfg(test)]
mod tests;

pub use catalogue::{FINDINGS, FindingEntry, Severity};
pub(crate) use view::{After, Before, Fate, Seen};

use crate::account::Refusal;
use crate::certificate::CertifiedFinding;
use crate::policy::{About, Policy};
use catalogue::{Found, Look};
use denym_report::Language;
use said::Said;
use serde_json::{Value, json};

/// Something that a guard found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Its name, one of [`FINDINGS`].
    pub finding: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The column it is about.
    pub column: Option<String>,
    /// What was seen, in a sentence that quotes no cell.
    pub reason: String,
    /// What to do about it.
    pub help: &'static str,
    /// Why the policy accepts it, where it does.
    pub accepted: Option<String>,
    /// The reason, for every language.
    said: Said,
}

impl Finding {
    fn new(entry: &FindingEntry, found: Found, policy: &Policy) -> Finding {
        let own = policy
            .accept
            .iter()
            .find(|own| own.finding == entry.name && own.column == found.column);
        Finding {
            finding: entry.name,
            severity: entry.severity,
            accepted: own.map(|own| own.reason.clone()),
            column: found.column,
            reason: found.reason.words(Language::English),
            help: entry.advice,
            said: found.reason,
        }
    }

    /// Its name, and the column it is about.
    pub fn title(&self) -> String {
        match &self.column {
            Some(column) => format!("{} in `{column}`", self.finding),
            None => self.finding.to_owned(),
        }
    }

    /// Whether nothing may be released because of it.
    pub fn refuses(&self) -> bool {
        self.severity == Severity::Grave && self.accepted.is_none()
    }

    /// As programs read it.
    pub fn document(&self) -> Value {
        json!({
            "finding": self.finding,
            "severity": self.severity.name(),
            "column": self.column,
            "reason": self.reason,
            "help": self.help,
            "accepted": self.accepted,
        })
    }

    fn entry(&self) -> Option<&'static FindingEntry> {
        FINDINGS.iter().find(|entry| entry.name == self.finding)
    }

    /// As the recipient is told, where it concerns the recipient.
    pub(crate) fn certified(&self, language: Language) -> Option<CertifiedFinding> {
        let means = self.entry()?.recipient_in(language)?;
        Some(CertifiedFinding {
            finding: self.finding.to_owned(),
            severity: self.severity.name().to_owned(),
            column: self.column.clone(),
            means,
        })
    }

    /// As a report that may be handed out shows it, where it concerns the recipient.
    pub(crate) fn outside(&self, language: Language) -> Option<denym_report::Finding> {
        let told = self.certified(language)?;
        Some(denym_report::Finding {
            reason: told.means,
            help: String::new(),
            accepted: None,
            ..self.reported(language)
        })
    }

    /// As the report shows it.
    pub(crate) fn reported(&self, language: Language) -> denym_report::Finding {
        let help = self.entry().map(|entry| entry.advice_in(language));
        denym_report::Finding {
            name: self.finding.to_owned(),
            severity: match self.severity {
                Severity::Note => denym_report::Severity::Note,
                Severity::Warning => denym_report::Severity::Warning,
                Severity::Grave => denym_report::Severity::Grave,
            },
            column: self.column.clone(),
            reason: self.said.words(language),
            help: help.unwrap_or_default(),
            accepted: self.accepted.clone(),
        }
    }
}

/// What is found before anything is searched, the worst first.
pub(crate) fn before(view: &Before<'_>) -> Vec<Finding> {
    gathered(view.policy, |entry| match entry.look {
        Look::Before(look) => look(view),
        _ => Vec::new(),
    })
}

/// What is found on what would be published, the worst first.
pub(crate) fn after(view: &After<'_>) -> Vec<Finding> {
    gathered(view.before.policy, |entry| match entry.look {
        Look::After(look) => look(view),
        _ => Vec::new(),
    })
}

fn gathered(policy: &Policy, look: impl Fn(&FindingEntry) -> Vec<Found>) -> Vec<Finding> {
    let mut all: Vec<Finding> = FINDINGS
        .iter()
        .flat_map(|entry| {
            let found = look(entry).into_iter();
            found.map(move |found| Finding::new(entry, found, policy))
        })
        .collect();
    sort(&mut all);
    all
}

/// The worst first; those of one severity in the order of the list.
pub(crate) fn sort(findings: &mut [Finding]) {
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
}

/// What `[accept]` names and nobody found; before the search only of what could have been found by then.
pub(crate) fn unused(policy: &Policy, findings: &[Finding], searched: bool) -> Vec<Finding> {
    let Some(entry) = FINDINGS
        .iter()
        .find(|entry| matches!(entry.look, Look::Others))
    else {
        return Vec::new();
    };
    let looked_for = |name: &str| {
        let own = FINDINGS.iter().find(|entry| entry.name == name);
        searched || own.is_some_and(FindingEntry::is_before)
    };
    let idle = policy.accept.iter().filter(|own| {
        let is = |found: &Finding| found.finding == own.finding && found.column == own.column;
        looked_for(&own.finding) && !findings.iter().any(is)
    });
    idle.map(|own| {
        let reason = match &own.column {
            Some(column) => Said::new("finding.unused-acceptance.column").with("column", column),
            None => Said::new("finding.unused-acceptance.release"),
        };
        let reason = reason.with("finding", &own.finding);
        let found = Found {
            column: own.column.clone(),
            reason,
        };
        Finding::new(entry, found, policy)
    })
    .collect()
}

/// Why there is no release, where a finding is grave and not accepted.
pub(crate) fn refusal(findings: &[Finding]) -> Option<Refusal> {
    let grave: Vec<&Finding> = findings.iter().filter(|found| found.refuses()).collect();
    let first = grave.first()?;
    let column = first.column.as_ref();
    let column = column.map_or_else(String::new, |name| format!("column = \"{name}\", "));
    let titles: Vec<String> = grave.iter().map(|found| found.title()).collect();
    Some(Refusal {
        code: "grave-finding",
        message: match grave.len() {
            1 => format!("a grave finding stands in the way: {}", titles[0]),
            many => format!(
                "{many} grave findings stand in the way: {}",
                titles.join(", ")
            ),
        },
        help: format!(
            "{}; or accept it with a reason: `[accept]` with `{} = {{ {column}reason = \"...\" }}`",
            first.help, first.finding
        ),
    })
}

/// The names that a policy can accept, with what each can be about.
pub(crate) fn acceptable() -> Vec<(&'static str, About)> {
    let all = FINDINGS.iter();
    all.filter(|entry| !matches!(entry.look, Look::Others))
        .map(|entry| (entry.name, entry.about))
        .collect()
}
