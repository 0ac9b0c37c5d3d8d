//! Numbers with a decimal comma, with marks between thousands, with a unit.

use serde::{Deserialize, Serialize};

/// How numbers are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberNotation {
    /// The mark before the digits below one: `.` or `,`.
    pub decimal: char,
    /// The mark between groups of three digits, if there is one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub thousands: Option<char>,
    /// What stands beside every number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unit: Option<Unit>,
}

/// A unit and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// `kg`.
    pub text: String,
    /// Whether it stands before the number.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub before: bool,
    /// Whether a space is between the two.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub spaced: bool,
}

impl Default for NumberNotation {
    fn default() -> Self {
        NumberNotation {
            decimal: '.',
            thousands: None,
            unit: None,
        }
    }
}

impl NumberNotation {
    /// Whether numbers are written as programs write them.
    pub fn is_plain(&self) -> bool {
        *self == NumberNotation::default()
    }

    /// Digits and a point of a number written so; `None` when it is not.
    pub fn plain(&self, text: &str) -> Option<String> {
        self.digits(self.bare(text)?)
    }

    /// A plain number in this notation.
    pub fn written(&self, plain: &str) -> Option<String> {
        Some(self.beside(&self.marked(plain)?))
    }

    /// Whether a text is a number so written, or a range of such numbers.
    pub fn is_label(&self, text: &str) -> bool {
        super::labels::plain_number(self, text).is_some()
    }

    /// `text` without its unit; `None` when it lacks it.
    pub(super) fn bare<'a>(&self, text: &'a str) -> Option<&'a str> {
        let Some(unit) = &self.unit else {
            return Some(text);
        };
        let rest = if unit.before {
            text.strip_prefix(unit.text.as_str())?
        } else {
            text.strip_suffix(unit.text.as_str())?
        };
        match (unit.spaced, unit.before) {
            (true, true) => rest.strip_prefix([' ', '\u{a0}', '\u{202f}']),
            (true, false) => rest.strip_suffix([' ', '\u{a0}', '\u{202f}']),
            (false, _) => Some(rest),
        }
    }

    /// `text` with its unit.
    pub(super) fn beside(&self, text: &str) -> String {
        match &self.unit {
            None => text.to_owned(),
            Some(unit) => {
                let space = if unit.spaced { " " } else { "" };
                if unit.before {
                    format!("{}{space}{text}", unit.text)
                } else {
                    format!("{text}{space}{}", unit.text)
                }
            }
        }
    }

    /// The plain form of digits and marks without a unit.
    ///
    /// Asked of every distinct value of a file under several notations: it allocates once, and only for what is a number.
    pub(super) fn digits(&self, text: &str) -> Option<String> {
        let (sign, digits) = match text.strip_prefix(['-', '\u{2212}']) {
            Some(rest) => ("-", rest),
            None => ("", text),
        };
        let (whole, below) = match digits.split_once(self.decimal) {
            Some((whole, below)) => (whole, Some(below)),
            None => (digits, None),
        };
        let all_digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if below.is_some_and(|below| !all_digits(below)) {
            return None;
        }
        let mark = self.thousands.filter(|mark| whole.contains(*mark));
        let mut groups = whole.split(|letter| Some(letter) == mark);
        let first = groups.next()?;
        if !all_digits(first) {
            return None;
        }
        // `007` is a code, and `0.123` with a mark for thousands no number.
        if first.starts_with('0') && (mark.is_some() || first.len() > 1) {
            return None;
        }
        if mark.is_some() && first.len() > 3 {
            return None;
        }
        let mut plain = String::with_capacity(text.len() + 1);
        plain.push_str(sign);
        plain.push_str(first);
        for group in groups {
            if group.len() != 3 || !all_digits(group) {
                return None;
            }
            plain.push_str(group);
        }
        if let Some(below) = below {
            plain.push('.');
            plain.push_str(below);
        }
        Some(plain)
    }

    /// A plain number with marks, without its unit.
    pub(super) fn marked(&self, plain: &str) -> Option<String> {
        let plain_digits = NumberNotation::default();
        if plain_digits.digits(plain).as_deref() != Some(plain) {
            return None;
        }
        let (sign, digits) = match plain.strip_prefix('-') {
            Some(rest) => ("-", rest),
            None => ("", plain),
        };
        let (whole, below) = match digits.split_once('.') {
            Some((whole, below)) => (whole, Some(below)),
            None => (digits, None),
        };
        let mut text = sign.to_owned();
        for (at, digit) in whole.char_indices() {
            if at > 0 && (whole.len() - at).is_multiple_of(3) {
                text.extend(self.thousands);
            }
            text.push(digit);
        }
        if let Some(below) = below {
            text.push(self.decimal);
            text.push_str(below);
        }
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn german() -> NumberNotation {
        NumberNotation {
            decimal: ',',
            thousands: Some('.'),
            unit: None,
        }
    }

    #[test]
    fn marks_go_both_ways() {
        for (written, plain) in [
            ("162,1", "162.1"),
            ("3.281,24", "3281.24"),
            ("-1.234.567", "-1234567"),
            ("0,50", "0.50"),
            ("7", "7"),
        ] {
            assert_eq!(german().plain(written).as_deref(), Some(plain));
            assert_eq!(german().written(plain).as_deref(), Some(written));
        }
        let french = NumberNotation {
            thousands: Some(' '),
            ..german()
        };
        assert_eq!(french.plain("1 234,5").as_deref(), Some("1234.5"));
        assert_eq!(french.written("1234.5").as_deref(), Some("1 234,5"));
    }

    #[test]
    fn what_is_not_so_written_is_none() {
        for wrong in [
            "1.5", "12.34,5", "1234.567", "007", "0.123", "1,", ",5", "1,2,3", "", "-", "+5",
            "1e5", "k.A.",
        ] {
            assert_eq!(german().plain(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn units_stand_on_either_side() {
        let unit = |text: &str, before, spaced| NumberNotation {
            unit: Some(Unit {
                text: text.to_owned(),
                before,
                spaced,
            }),
            ..german()
        };
        let weight = unit("kg", false, true);
        assert_eq!(weight.plain("82,5 kg").as_deref(), Some("82.5"));
        assert_eq!(weight.written("82.5").as_deref(), Some("82,5 kg"));
        assert_eq!(weight.plain("82,5"), None);
        let money = unit("€", true, true);
        assert_eq!(money.plain("€ 3.281,24").as_deref(), Some("3281.24"));
        assert_eq!(money.written("3281.24").as_deref(), Some("€ 3.281,24"));
        assert_eq!(unit("%", false, false).plain("5%").as_deref(), Some("5"));
    }
}
