//! Text as a terminal may show it: nothing in a name, a path or a value moves the cursor, changes colors or turns letters around.

use std::borrow::Cow;
use std::fmt::Write as _;

/// `text` with every control and direction character written out, such as `\u{1b}`; line ends and tabs are ours and stay.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    written_out(text, |c| c != '\n' && c != '\t' && is_hidden(c))
}

/// `text` on one line: line ends and tabs are written out too.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    written_out(text, is_hidden)
}

/// A JSON document in which such characters are escaped as JSON does it; the line ends between its parts stay.
pub(crate) fn json(value: &serde_json::Value) -> String {
    let text = format!("{value:#}");
    if !text.chars().any(|c| c != '\n' && is_hidden(c)) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c != '\n' && is_hidden(c) {
            // Outside of strings a document has no such character.
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

fn written_out(text: &str, hidden: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if hidden(c) {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// Whether a terminal acts on the character instead of showing it, or shows what follows in another place or not at all.
///
/// The joiners U+200C and U+200D are part of how names are written in many languages.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61C}'
                | '\u{200B}'
                | '\u{200E}'
                | '\u{200F}'
                | '\u{2028}'..='\u{202E}'
                | '\u{2060}'..='\u{206F}'
                | '\u{FEFF}'
                | '\u{FFF9}'..='\u{FFFB}'
                | '\u{E0000}'..='\u{E007F}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_nothing() {
        assert_eq!(plain("a\u{1b}[31mb\nc\td"), "a\\u{1b}[31mb\nc\td");
        assert_eq!(one_line("a\nb\u{202E}c\u{9b}"), "a\\nb\\u{202e}c\\u{9b}");
        assert_eq!(one_line("Zoë, 山田, نرگس‌ها"), "Zoë, 山田, نرگس‌ها");
    }

    #[test]
    fn json_stays_the_same_document() {
        let value = serde_json::json!({"a\u{1b}\u{9b}": "b\u{202E}\u{E0001}\nc"});
        let text = json(&value);
        assert!(!text.chars().any(|c| c != '\n' && is_hidden(c)), "{text}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
