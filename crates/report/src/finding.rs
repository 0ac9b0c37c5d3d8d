//! What a guard found: its place in the banner and below it.

use std::fmt::Write as _;

use crate::text::{label, prose};
use crate::{Language, Report};

const SIGN: &str = "<svg viewBox=\"0 0 40 40\" aria-hidden=\"true\"><path d=\"M20 3 1.500 36h37zm-2 12h4v11h-4zm0 13.500h4v4h-4z\"/></svg>";

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Severity {
    /// Worth knowing.
    #[default]
    Note,
    /// The banner is yellow.
    Warning,
    /// The banner is red.
    Grave,
}

impl Severity {
    fn name(self, language: Language) -> String {
        match self {
            Severity::Note => language.say("finding.note", &[]),
            Severity::Warning => language.say("finding.warning", &[]),
            Severity::Grave => language.say("finding.grave", &[]),
        }
    }

    fn class(self) -> &'static str {
        match self {
            Severity::Note => "",
            Severity::Warning => " warn",
            Severity::Grave => " bad",
        }
    }
}

/// Something that a guard found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Finding {
    /// Its name.
    pub name: String,
    /// How bad it is.
    pub severity: Severity,
    /// The column it is about.
    pub column: Option<String>,
    /// What was seen.
    pub reason: String,
    /// What to do about it.
    pub help: String,
    /// Why it is accepted, where it is.
    pub accepted: Option<String>,
}

/// The class and the icon of the banner, and a sentence for it, where findings are worse than what it would say; never green beside them.
pub(crate) fn banner(report: &Report) -> Option<(&'static str, &'static str, String)> {
    let worst = report
        .findings
        .iter()
        .map(|finding| finding.severity)
        .max()?;
    let class = match worst {
        Severity::Note => return None,
        Severity::Warning => "warn",
        Severity::Grave => "bad",
    };
    let of = |severity| {
        let all = report.findings.iter();
        all.filter(|finding| finding.severity == severity).count()
    };
    let language = report.language;
    let many = |severity| of(severity).to_string();
    let grave = match of(Severity::Grave) {
        0 => None,
        1 => Some(language.say("finding.grave-one", &[])),
        _ => Some(language.say("finding.grave-several", &[("many", &many(Severity::Grave))])),
    };
    let warnings = match of(Severity::Warning) {
        0 => None,
        1 => Some(language.say("finding.warning-one", &[])),
        _ => Some(language.say(
            "finding.warning-several",
            &[("many", &many(Severity::Warning))],
        )),
    };
    let sentence = match (grave, warnings) {
        (Some(one), Some(other)) => {
            language.say("finding.see-both", &[("one", &one), ("other", &other)])
        }
        (one, other) => {
            let all = one.or(other).unwrap_or_default();
            language.say("finding.see", &[("all", &all)])
        }
    };
    Some((class, SIGN, sentence))
}

/// The findings as a list, the worst first as they come.
pub(crate) fn list(page: &mut String, report: &Report) {
    let language = report.language;
    for finding in &report.findings {
        let about = finding.column.as_deref();
        let about = about.map_or_else(String::new, |name| format!(" in {}", label(name)));
        let _ = write!(
            page,
            "<ul class=\"box{}\">\n<li><b>{}: {}{about}.</b> {}.",
            finding.severity.class(),
            finding.severity.name(language),
            label(&finding.name),
            prose(&first_large(&finding.reason)),
        );
        match &finding.accepted {
            Some(reason) => {
                let accepted = language.say("finding.accepted", &[]);
                let _ = write!(page, " <b>{accepted}:</b> {}", prose(reason));
            }
            None if finding.help.is_empty() => {}
            None => {
                let advice = language.say("finding.advice", &[]);
                let _ = write!(page, " {advice}: {}.", prose(&finding.help));
            }
        }
        page.push_str("</li>\n</ul>\n");
    }
}

/// A text with a capital letter at its beginning.
fn first_large(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
