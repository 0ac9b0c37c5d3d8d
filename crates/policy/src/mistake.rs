//! A mistake in a policy: what, where, and how to fix it.

use std::ops::Range;

use denym_data::{Kind, Table};

/// The code of a text that is not TOML.
pub(super) const SYNTAX: &str = "policy-syntax";
/// The code of a text that is no policy at all.
pub(super) const NOT_A_POLICY: &str = "policy-none";

/// Names that a list of known ones shows.
const LISTED: usize = 60;

/// One mistake in a policy file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// A stable name for programs.
    pub code: &'static str,
    /// What is wrong, lower case, no period.
    pub message: String,
    /// Where in the policy's text, in bytes.
    pub span: Range<usize>,
    /// What to do about it.
    pub help: String,
}

impl Mistake {
    /// The line of the mistake in `text`, from 1.
    pub fn line(&self, text: &str) -> usize {
        let end = self.span.start.min(text.len());
        text.get(..end).unwrap_or_default().matches('\n').count() + 1
    }

    /// Whether the line of the mistake in `text` may be shown.
    pub fn shows_its_line(&self, text: &str) -> bool {
        let line = text.lines().nth(self.line(text) - 1);
        line.is_some_and(|line| may_be_shown(self.code, line))
    }
}

/// Whether `line` of a policy may be shown beside a mistake of this code: what did not parse as a key may be a record of
/// somebody's data.
pub fn may_be_shown(code: &str, line: &str) -> bool {
    match code {
        NOT_A_POLICY => false,
        SYNTAX | "toml-syntax" => is_key_line(line),
        _ => true,
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

/// The entry of `known` that is closest to `word`, when it is close at all.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .min()
        .filter(|&(distance, candidate)| distance <= 1 + candidate.len().min(word.len()) / 3)
        .map(|(_, candidate)| candidate)
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

/// Edit distance by inserting, deleting and replacing characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replace = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_word() {
        assert_eq!(nearest("quazi", ["quasi", "sensitive"]), Some("quasi"));
        assert_eq!(nearest("promises", ["promise", "release"]), Some("promise"));
        assert_eq!(nearest("xyz", ["quasi", "sensitive"]), None);
    }
}
