//! Text that is safe to show: escaped for HTML and XML, without control characters, cut to a readable length.

use std::borrow::Cow;

/// What stands for a character that must not reach a page.
const REPLACEMENT: char = '\u{FFFD}';

/// Escapes `text` for HTML and XML, in elements and in quoted attributes.
///
/// Control characters, which XML forbids, and direction overrides, which make a label read as something else, become `U+FFFD`.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            _ if forbidden(c) => out.push(REPLACEMENT),
            _ => out.push(c),
        }
    }
    out
}

fn forbidden(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Cuts `text` to at most `most` characters, the last of them an ellipsis when something was cut.
pub fn shorten(text: &str, most: usize) -> Cow<'_, str> {
    if text.chars().nth(most).is_none() {
        return Cow::Borrowed(text);
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    Cow::Owned(format!("{}\u{2026}", kept.trim_end()))
}

/// A label for a table cell or a tooltip: cut, escaped, and never empty.
pub(crate) fn label(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    escape(&shorten(text, 120)).replace(" %", "\u{a0}%")
}

/// Prose for a paragraph; long enough for an explanation, too short for a flood.
pub(crate) fn prose(text: &str) -> String {
    escape(&shorten(text, 2_000)).replace(" %", "\u{a0}%")
}

/// Cuts a label to about `width` pixels of the charts' 12 pixel type, unescaped.
pub(crate) fn fit(text: &str, width: f64) -> String {
    let text = if text.is_empty() { "(empty)" } else { text };
    let mut used = 0.0;
    for (index, c) in text.chars().enumerate() {
        used += advance(c);
        if used > width {
            return shorten(text, index.max(2)).into_owned();
        }
    }
    text.to_owned()
}

/// Width of `text` in the charts' type, in pixels, estimated for a wide face.
pub(crate) fn width(text: &str) -> f64 {
    text.chars().map(advance).sum()
}

fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '|' | '.' | ',' | ':' | ';' | '\'' | '!' | 't' | 'f' | 'r' | ' ' => 4.5,
        'm' | 'w' | 'M' | 'W' | '@' | '%' => 11.7,
        'A'..='Z' => 8.6,
        _ if (c as u32) < 0x1100 => 7.5,
        _ => 12.4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nothing_of_a_tag_survives() {
        assert_eq!(
            escape("<script a=\"b\" c='d'>&"),
            "&lt;script a=&quot;b&quot; c=&#39;d&#39;&gt;&amp;"
        );
        assert_eq!(escape("a\0b\u{202E}c\u{1b}"), "a\u{FFFD}b\u{FFFD}c\u{FFFD}");
    }

    #[test]
    fn cuts_at_characters_not_bytes() {
        assert_eq!(shorten("äöüß", 4), "äöüß");
        assert_eq!(shorten("äöüßx", 4), "äöü\u{2026}");
        assert_eq!(fit("", 60.0), "(empty)");
        assert_eq!(fit("短い", 50.0), "短い");
        assert!(fit(&"W".repeat(100), 50.0).chars().count() <= 5);
    }

    proptest! {
        /// Escaping is reversible for text without forbidden characters, and leaves no markup in any text.
        #[test]
        fn escaped_text_has_no_markup(text in any::<String>()) {
            let escaped = escape(&text);
            prop_assert!(!escaped.contains(['<', '>', '"', '\'']));
            let back = escaped.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&");
            let clean: String = text.chars().map(|c| if forbidden(c) && c != '\n' && c != '\t' { REPLACEMENT } else { c }).collect();
            prop_assert_eq!(back, clean);
        }

        /// A shortened text is a prefix and an ellipsis, never longer than asked.
        #[test]
        fn shortened_text_is_short(text in any::<String>(), most in 1_usize..40) {
            prop_assert!(shorten(&text, most).chars().count() <= most);
        }
    }
}
