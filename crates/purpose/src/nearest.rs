//! The nearest of the known names to one that is not known, for the help text of errors.

/// The known name with the fewest edits to `name`, if it is near enough to be a typing mistake.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let limit = name.chars().count() / 3 + 1;
    known
        .into_iter()
        .map(|candidate| (edits(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min()
        .map(|(_, candidate)| candidate.to_owned())
}

/// Insertions, deletions and substitutions between two names.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = (above + 1)
                .min(row[j] + 1)
                .min(diagonal + usize::from(x != *y));
            diagonal = above;
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_typing_mistake() {
        let known = ["marketing", "admin", "shipping"];
        assert_eq!(nearest("marketin", known), Some("marketing".into()));
        assert_eq!(nearest("adnim", known), Some("admin".into()));
        assert_eq!(nearest("billing-and-more", known), None);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
