//! A sentence that can be told in every language: its key in the catalogue, and what is put into it.

use std::fmt::Display;

use denym_report::Language;

/// A sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    key: &'static str,
    values: Vec<(&'static str, Part)>,
}

/// What is put into a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    /// The same in every language: numbers, names of columns.
    Plain(String),
    /// A part with words of its own.
    Said(Said),
    /// Several, with this between them.
    Several(Vec<Said>, &'static str),
}

impl Said {
    /// The sentence with this key.
    pub(crate) fn new(key: &'static str) -> Said {
        debug_assert!(Language::English.sentence(key).is_some(), "{key}");
        Said {
            key,
            values: Vec::new(),
        }
    }

    /// With a number or a name in it.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: impl Display) -> Said {
        self.values.push((name, Part::Plain(format!("{value}"))));
        self
    }

    /// With a part in it that has words of its own.
    #[must_use]
    pub(crate) fn part(mut self, name: &'static str, part: Said) -> Said {
        self.values.push((name, Part::Said(part)));
        self
    }

    /// With several parts in it.
    #[must_use]
    pub(crate) fn parts(mut self, name: &'static str, parts: Vec<Said>) -> Said {
        self.values.push((name, Part::Several(parts, ", ")));
        self
    }

    /// The sentence in a language.
    pub(crate) fn words(&self, language: Language) -> String {
        let values: Vec<(&str, String)> = self
            .values
            .iter()
            .map(|(name, part)| (*name, part.words(language)))
            .collect();
        let values: Vec<(&str, &str)> = values
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        language.say(self.key, &values)
    }
}

impl Part {
    fn words(&self, language: Language) -> String {
        match self {
            Part::Plain(text) => text.clone(),
            Part::Said(said) => said.words(language),
            Part::Several(parts, between) => {
                let words: Vec<String> = parts.iter().map(|said| said.words(language)).collect();
                words.join(between)
            }
        }
    }
}
