//! The TOML of a policy: the document, or what is wrong with it, without showing what may be anybody's data.

use toml::Spanned;
use toml::de::DeTable;

use super::mistake::{Mistake, NOT_A_POLICY, SYNTAX};

/// Places that are listed of a text that breaks in many: the first explain the rest.
const LISTED: usize = 20;

/// The document of a policy for a release or a stream, whose sections are some of `sections`.
pub fn document<'i>(
    text: &'i str,
    sections: &[&str],
) -> Result<Spanned<DeTable<'i>>, Vec<Mistake>> {
    let list: Vec<String> = sections.iter().map(|name| format!("`[{name}]`")).collect();
    let help = format!(
        "give the policy, a TOML file with sections such as {}; data is named in it, under `[data]`",
        list.join(", ")
    );
    document_of(text, sections, "this file is no policy", &help)
}

/// The document of `text`, whose keys are some of `keys`.
///
/// A text with none of them is no policy, whatever it is: it gets `message` and `help` alone, and nothing of it is shown.
pub fn document_of<'i>(
    text: &'i str,
    keys: &[&str],
    message: &str,
    help: &str,
) -> Result<Spanned<DeTable<'i>>, Vec<Mistake>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let root = document.get_ref();
    let is_policy = root.iter().any(|(key, value)| {
        let (key, value): (&str, _) = (key.get_ref(), value.get_ref());
        let is_section = value.is_table()
            || value.as_array().is_some_and(|list| {
                !list.is_empty() && list.iter().all(|entry| entry.get_ref().is_table())
            });
        keys.contains(&key) && (errors.is_empty() || is_section)
    });
    if !is_policy && (!errors.is_empty() || !root.is_empty()) {
        return Err(vec![Mistake::new(NOT_A_POLICY, 0..0, message, help)]);
    }
    if errors.is_empty() {
        return Ok(document);
    }
    let mut mistakes: Vec<Mistake> = errors
        .iter()
        .map(|error| {
            // The parser's own words name what it expects, never what it found.
            let message = error.message().trim().replace('\n', ", ");
            let span = error.span().unwrap_or(0..0);
            Mistake::new(SYNTAX, span, message, "correct the TOML here")
        })
        .collect();
    mistakes.sort_by_key(|mistake| (mistake.span.start, mistake.span.end));
    let more = mistakes.len().saturating_sub(LISTED);
    mistakes.truncate(LISTED);
    if more > 0
        && let Some(last) = mistakes.last_mut()
    {
        last.help = format!("correct the TOML here; it breaks in {more} more places");
    }
    Err(mistakes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Vec<(&'static str, bool)> {
        let mistakes = document(text, &["data", "promise"]).map(|_| ());
        let mistakes = mistakes.expect_err("a mistake");
        mistakes
            .iter()
            .map(|mistake| (mistake.code, mistake.shown_line(text).is_some()))
            .collect()
    }

    #[test]
    fn data_in_place_of_a_policy_is_one_mistake_that_shows_nothing() {
        let people = "name,age,diagnosis\n".to_owned() + &"Alice Archer,34,flu\n".repeat(1000);
        let hidden = [(NOT_A_POLICY, false)];
        assert_eq!(check(&people), hidden);
        assert_eq!(check("{\"name\": \"Alice Archer\"}\n"), hidden);
        assert_eq!(check("Alice = \"flu\"\n"), hidden);
        assert_eq!(check("[[patient]]\nname = \"Alice\"\n"), hidden);
        assert_eq!(check("data,name\nx,Alice\n"), hidden);
    }

    #[test]
    fn of_a_broken_policy_only_lines_with_a_key_are_shown() {
        let text =
            "[data]\npath = \"people.csv\nAlice Archer,34,flu\n[promise]\nk-anonymity = = 5\n";
        assert!(check(text).iter().all(|(code, _)| *code == SYNTAX));
        let lines: Vec<usize> = document(text, &["data"])
            .expect_err("broken")
            .iter()
            .filter(|mistake| mistake.shown_line(text).is_some())
            .map(|mistake| mistake.line(text))
            .collect();
        assert!(lines.contains(&2) && lines.contains(&5), "{lines:?}");
        assert!(!lines.contains(&3), "{lines:?}");
    }

    #[test]
    fn a_text_that_breaks_everywhere_is_not_listed_whole() {
        let text = "[data]\n".to_owned() + &"Alice Archer,34,flu\n".repeat(1000);
        let found = check(&text);
        assert_eq!(found.len(), LISTED);
        assert!(found.iter().all(|(_, shown)| !shown));
    }
}
