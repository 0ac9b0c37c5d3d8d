//! What a column is about, told by its name and by its values: words of four languages, shapes of text, check digits.
//!
//! # Idea
//!
//! A name is cut into words (`Pat.-Nr.`, `birthDate`, `numéro_de_dossier`), accents are folded, and the words are looked up in one
//! table per language. Values are judged by a sample of the distinct ones, never cell by cell, so that a long table costs as little as a
//! short one. Whoever drafts a policy and whoever warns of one read the same answer.

mod english;
mod french;
mod german;
mod meaning;
mod name;
mod official;
mod pattern;
mod spanish;

use denym_data::{Dictionary, Kind};

pub use meaning::Meaning;
pub use name::{Told, meaning_of, words_of};
pub use pattern::{Pattern, find_pattern, is_prose};

/// Values that are too few to name people.
const FEW: usize = 4;

/// What is recognized of one column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recognized {
    /// What its name says.
    pub told: Option<Told>,
    /// What most of its values look like.
    pub pattern: Option<Pattern>,
    /// Whether anything may stand in it: sentences, remarks, letters.
    pub free_text: bool,
}

/// Recognizes a column by its name and its distinct values, of a table with so many records.
pub fn recognize(name: &str, dictionary: &Dictionary, records: u64) -> Recognized {
    let told = meaning_of(name);
    let pattern = find_pattern(dictionary);
    let says = told
        .as_ref()
        .is_some_and(|told| told.meaning == Meaning::FreeText);
    let free_text =
        dictionary.kind() == Kind::Text && pattern.is_none() && is_prose(dictionary, records, says);
    // Whether there is a telephone is no telephone number: a few values that everybody shares name nobody.
    let shared = dictionary.values().len() <= FEW && records >= 10 * FEW as u64;
    Recognized {
        // A name that promises text over numbers or short codes says nothing: a `note` is a grade, too.
        told: told
            .filter(|_| !says || free_text)
            .filter(|told| !(told.meaning.identifies() && shared)),
        pattern,
        free_text,
    }
}

impl Recognized {
    /// What the column is about, where its name says so.
    pub fn meaning(&self) -> Option<Meaning> {
        self.told.as_ref().map(|told| told.meaning)
    }

    /// Why a value of this column names a person by itself; `None` when nothing says so.
    ///
    /// Numbers of records and of people are told by [`Meaning::RecordNumber`] and [`Meaning::Person`]: whether they name somebody
    /// depends on how many records share them.
    pub fn names_people(&self) -> Option<String> {
        if let Some(pattern) = self.pattern.filter(|pattern| pattern.identifies()) {
            return Some(format!("its values look like {}", pattern.name()));
        }
        let told = self
            .told
            .as_ref()
            .filter(|told| told.meaning.identifies())?;
        Some(format!("its name says `{}`", told.word))
    }
}

#[cfg(test)]
mod tests;
