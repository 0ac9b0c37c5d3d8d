//! The known name nearest to one that is not known, for the help texts of errors.

/// The entry of `known` with the fewest edits to `word`, when it is near enough to be a typing mistake; the first by name of equally near ones.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    known
        .into_iter()
        .map(|candidate| (edits(word, candidate), candidate))
        .min()
        .filter(|&(edits, candidate)| edits <= 1 + candidate.chars().count().min(length) / 3)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions and substitutions of characters that turn one word into the other.
pub fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typing_mistake_finds_its_word_and_a_stranger_finds_none() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        let known = ["marketing", "admin", "shipping"];
        assert_eq!(nearest("marketin", known), Some("marketing"));
        assert_eq!(nearest("adnim", known), Some("admin"));
        assert_eq!(nearest("billing-and-more", known), None);
        assert_eq!(nearest("quazi", ["quasi", "sensitive"]), Some("quasi"));
        assert_eq!(nearest("promises", ["promise", "release"]), Some("promise"));
        assert_eq!(nearest("xyz", ["quasi", "sensitive"]), None);
    }
}
