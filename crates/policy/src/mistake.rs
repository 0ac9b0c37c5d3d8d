//! A mistake in a policy: what, where, and how to fix it.

use std::ops::Range;

use denym_data::{Kind, Table, nearest};

/// The code of a text that is not TOML.
pub(super) const SYNTAX: &str = "policy-syntax";
/// The code of a text that is no policy at all.
pub(super) const NOT_A_POLICY: &str = "policy-none";

/// Names that a list of known ones shows.
const LISTED: usize = 60;

/// One mistake in a policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// A stable name for programs, one of [`codes`](crate::codes()).
    pub code: &'static str,
    /// The key it is about, such as `grants[0].role`; empty where it is about no single key, or was found in the data.
    pub path: String,
    /// What is wrong, lower case, no period.
    pub message: String,
    /// Where in the policy's text, in bytes.
    pub span: Range<usize>,
    /// What to do about it.
    pub help: String,
}

impl Mistake {
    /// A mistake at a place that has no key of its own.
    pub fn new(
        code: &'static str,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Mistake {
        Mistake {
            code,
            path: String::new(),
            message: message.into(),
            span,
            help: help.into(),
        }
    }

    /// A column that the data does not have; `known` are those that may be shown.
    pub fn no_column(name: &str, span: Range<usize>, known: &[&str]) -> Mistake {
        let message = format!("the data has no column `{name}`");
        let help = suggest_column(name, known);
        Mistake::new("policy-unknown-column", span, message, help)
    }

    /// The line of the mistake in `text`, from 1.
    pub fn line(&self, text: &str) -> usize {
        let end = self.span.start.min(text.len());
        text.get(..end).unwrap_or_default().matches('\n').count() + 1
    }

    /// The line of `text` that the mistake is on, where it may be shown: what did not parse as a key may be a record of somebody's
    /// data.
    pub fn shown_line<'t>(&self, text: &'t str) -> Option<&'t str> {
        let line = text.lines().nth(self.line(text) - 1)?;
        let may_be_shown = match self.code {
            NOT_A_POLICY => false,
            SYNTAX => is_key_line(line),
            _ => true,
        };
        may_be_shown.then_some(line)
    }
}

/// Whether a line is a key with `=` behind it, or the head of a section.
fn is_key_line(line: &str) -> bool {
    let line = line.trim_start();
    let is_name = |text: &str| {
        let text = text.trim();
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.\"'".contains(c);
        !text.is_empty() && text.chars().all(plain)
    };
    if let Some(head) = line.strip_prefix('[') {
        let head = head.trim_start_matches('[');
        return is_name(head.split(']').next().unwrap_or_default());
    }
    line.split_once('=').is_some_and(|(key, _)| is_name(key))
}

/// What to write instead of `word`: the nearest known word, and the list of all.
pub fn suggest(word: &str, known: &[&str]) -> String {
    let mut list = known
        .iter()
        .take(LISTED)
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    if known.len() > LISTED {
        list.push_str(&format!(" and {} more", known.len() - LISTED));
    }
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? Known here: {list}"),
        None => format!("known here: {list}"),
    }
}

/// What to write instead of the column `word`; `known` are the columns that may be shown.
pub fn suggest_column(word: &str, known: &[&str]) -> String {
    if known.is_empty() {
        return "check the names: those of the file are not shown, since its first record may be a person's; if it is, say `header = false`".to_owned();
    }
    suggest(word, known)
}

/// The names of a table's columns, where values of another kind below one tell them from a record; none where they may be cells.
pub fn names_to_show(table: &Table) -> Vec<&str> {
    let columns = table.columns();
    let told = columns.iter().any(|column| {
        let kind = column.dictionary.kind();
        kind != Kind::Text && !kind.fits(&column.name)
    });
    let names = columns.iter().filter(|_| told);
    names.map(|column| column.name.as_str()).collect()
}
