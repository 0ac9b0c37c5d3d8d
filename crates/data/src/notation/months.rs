//! Names of months in English, German, French and Spanish, whole and cut short.
//!
//! No word names two months, in whatever language, so reading needs no choice; writing takes the first spelling.

/// A language of month names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tongue {
    English,
    German,
    French,
    Spanish,
}

/// Every language with the letters that a format has for it, in the order in which they are tried.
pub(super) const TONGUES: [(&str, Tongue); 4] = [
    ("en", Tongue::English),
    ("de", Tongue::German),
    ("fr", Tongue::French),
    ("es", Tongue::Spanish),
];

/// The spellings of one month: whole, and cut short.
type Names = (&'static [&'static str], &'static [&'static str]);

const ENGLISH: [Names; 12] = [
    (&["January"], &["Jan"]),
    (&["February"], &["Feb"]),
    (&["March"], &["Mar"]),
    (&["April"], &["Apr"]),
    (&["May"], &["May"]),
    (&["June"], &["Jun"]),
    (&["July"], &["Jul"]),
    (&["August"], &["Aug"]),
    (&["September"], &["Sep", "Sept"]),
    (&["October"], &["Oct"]),
    (&["November"], &["Nov"]),
    (&["December"], &["Dec"]),
];

const GERMAN: [Names; 12] = [
    (&["Januar", "Jänner"], &["Jan", "Jän"]),
    (&["Februar", "Feber"], &["Feb"]),
    (&["März", "Maerz"], &["Mär", "Mrz"]),
    (&["April"], &["Apr"]),
    (&["Mai"], &["Mai"]),
    (&["Juni"], &["Jun"]),
    (&["Juli"], &["Jul"]),
    (&["August"], &["Aug"]),
    (&["September"], &["Sep", "Sept"]),
    (&["Oktober"], &["Okt"]),
    (&["November"], &["Nov"]),
    (&["Dezember"], &["Dez"]),
];

const FRENCH: [Names; 12] = [
    (&["janvier"], &["janv", "jan"]),
    (&["février", "fevrier"], &["févr", "fév", "fevr", "fev"]),
    (&["mars"], &["mars"]),
    (&["avril"], &["avr"]),
    (&["mai"], &["mai"]),
    (&["juin"], &["juin"]),
    (&["juillet"], &["juil"]),
    (&["août", "aout"], &["août", "aout"]),
    (&["septembre"], &["sept", "sep"]),
    (&["octobre"], &["oct"]),
    (&["novembre"], &["nov"]),
    (&["décembre", "decembre"], &["déc", "dec"]),
];

const SPANISH: [Names; 12] = [
    (&["enero"], &["ene"]),
    (&["febrero"], &["feb"]),
    (&["marzo"], &["mar"]),
    (&["abril"], &["abr"]),
    (&["mayo"], &["may"]),
    (&["junio"], &["jun"]),
    (&["julio"], &["jul"]),
    (&["agosto"], &["ago"]),
    (&["septiembre", "setiembre"], &["sep", "sept"]),
    (&["octubre"], &["oct"]),
    (&["noviembre"], &["nov"]),
    (&["diciembre"], &["dic"]),
];

impl Tongue {
    /// The language that a format calls so.
    pub(super) fn named(letters: &str) -> Option<Tongue> {
        let found = TONGUES.iter().find(|(own, _)| *own == letters);
        found.map(|(_, tongue)| *tongue)
    }

    /// What a format calls it.
    pub(super) fn letters(self) -> &'static str {
        let found = TONGUES.iter().find(|(_, own)| *own == self);
        found.map_or("", |(letters, _)| letters)
    }

    fn names(self) -> &'static [Names; 12] {
        match self {
            Tongue::English => &ENGLISH,
            Tongue::German => &GERMAN,
            Tongue::French => &FRENCH,
            Tongue::Spanish => &SPANISH,
        }
    }

    /// The month that `word` names, from 1.
    pub(super) fn month(self, word: &str, short: bool) -> Option<u8> {
        let word = word.to_lowercase();
        let is_it = |names: &Names| {
            let names = if short { names.1 } else { names.0 };
            names.iter().any(|name| name.to_lowercase() == word)
        };
        let at = self.names().iter().position(is_it)?;
        Some(at as u8 + 1)
    }

    /// How a month is written.
    pub(super) fn written(self, month: u8, short: bool) -> Option<&'static str> {
        let names = self.names().get(usize::from(month).checked_sub(1)?)?;
        let names = if short { names.1 } else { names.0 };
        names.first().copied()
    }
}

/// The letters that `text` begins with.
pub(super) fn word(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_alphabetic());
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn no_word_names_two_months() {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (_, tongue) in TONGUES {
            for (month, (whole, short)) in tongue.names().iter().enumerate() {
                for name in whole.iter().chain(*short) {
                    let before = *seen.entry(name.to_lowercase()).or_insert(month);
                    assert_eq!(before, month, "{name}");
                }
            }
        }
        assert_eq!(seen["août"], 7);
        assert_eq!(seen["dez"], 11);
    }
}
