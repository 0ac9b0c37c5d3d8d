//! A mistake in a policy: what, where, and how to fix it.

use std::ops::Range;

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
}

/// The entry of `known` that is closest to `word`, when it is close at all.
pub(crate) fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .min()
        .filter(|&(distance, candidate)| distance <= 1 + candidate.len().min(word.len()) / 3)
        .map(|(_, candidate)| candidate)
}

/// What to write instead of `word`: the nearest known word, and the list of all.
pub(crate) fn suggest(word: &str, known: &[&str]) -> String {
    let list = known
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ");
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? Known here: {list}"),
        None => format!("known here: {list}"),
    }
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
