//! Reads the `[accept]` section: which findings the steward accepts, about which column, and for what reason.

use std::ops::Range;

use super::mistake::suggest;
use super::reader::{Node, Section};

/// What a finding can be about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// Always one column.
    Column,
    /// The release as a whole.
    Release,
    /// One column, or the release as a whole.
    Either,
}

/// A finding that the policy accepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acceptance {
    /// The finding's name.
    pub finding: String,
    /// The column it is about.
    pub column: Option<String>,
    /// Why it is accepted; the steward's report shows it.
    pub reason: String,
    /// Place of the entry in the policy.
    pub span: Range<usize>,
}

const EXAMPLE: &str = "{ column = \"remark\", reason = \"the texts were read and hold no names\" }";

/// What `[accept]` of a policy says; nothing is accepted where there is none.
///
/// `findings` are those that can be accepted, `columns` those that they can be about.
pub(crate) fn accept_section(
    root: &Section<'_, '_>,
    findings: &[(&'static str, About)],
    columns: &[&str],
) -> Vec<Acceptance> {
    let section = root.get("accept").and_then(|node| {
        let section = node.open(&format!("{{ free-text = {EXAMPLE} }}"))?;
        if section.entries().is_empty() {
            node.mistake(
                "policy-empty-list",
                "`accept` names no finding, which says nothing",
                "name a finding that the policy accepts, or remove it",
            );
        }
        Some(section)
    });
    let mut all: Vec<Acceptance> = Vec::new();
    for (name, _, node) in section.iter().flat_map(Section::entries) {
        let Some(&(_, about)) = findings.iter().find(|(own, _)| *own == name) else {
            let known: Vec<&str> = findings.iter().map(|(own, _)| *own).collect();
            node.mistake(
                "policy-unknown-key",
                format!("there is no finding called `{name}`"),
                suggest(&name, &known),
            );
            continue;
        };
        let several = if node.is_array() {
            node.some(&format!("[{EXAMPLE}]")).unwrap_or_default()
        } else {
            vec![node]
        };
        for node in several {
            let Some(accepted) = acceptance(&name, about, &node, columns) else {
                continue;
            };
            let same = |other: &Acceptance| {
                (&other.finding, &other.column) == (&accepted.finding, &accepted.column)
            };
            if all.iter().any(same) {
                node.mistake(
                    "policy-duplicate",
                    format!("`{name}` is accepted twice"),
                    "keep one, with all that is to be said",
                );
            } else {
                all.push(accepted);
            }
        }
    }
    all
}

fn acceptance(
    finding: &str,
    about: About,
    node: &Node<'_, '_>,
    columns: &[&str],
) -> Option<Acceptance> {
    let section = node.section(&["column", "reason"], EXAMPLE)?;
    let help =
        "add `reason = \"...\"`: why this may be published all the same; the report shows it";
    let reason = section.need("reason", help).and_then(|node| {
        let text = node.string("the texts were read and hold no names")?;
        if text.trim().is_empty() {
            node.mistake(
                "policy-no-reason",
                format!("`{finding}` is accepted without a reason"),
                "say why this may be published all the same; the report shows it",
            );
            return None;
        }
        Some(text.trim().to_owned())
    });
    let column = match (about, section.get("column")) {
        (About::Release, Some(node)) => {
            node.mistake(
                "policy-unused-key",
                format!("`{finding}` is about the release as a whole, not about a column"),
                "remove `column`",
            );
            return None;
        }
        (About::Column, None) => {
            section.need("column", "add `column = \"...\"`: the column it is about")?;
            return None;
        }
        (_, None) => None,
        (_, Some(node)) => {
            let name = node.string("remark")?;
            if !columns.contains(&name) {
                node.mistake(
                    "policy-unknown-attribute",
                    format!("no attribute is called `{name}`"),
                    suggest(name, columns),
                );
                return None;
            }
            Some(name.to_owned())
        }
    };
    Some(Acceptance {
        finding: finding.to_owned(),
        column,
        reason: reason?,
        span: node.span(),
    })
}
