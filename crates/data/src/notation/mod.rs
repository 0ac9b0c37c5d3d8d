//! How the values of a column are written in a file: `26.08.1992`, `3.281,24`, `82 kg`.
//!
//! # Idea
//!
//! A program compares and computes with one form of each value, the plain one: `1992-08-26`, `3281.24`, `82`. A [`Notation`] says how
//! people wrote them. [`Notation::plain`] takes a written value to its plain form, [`Notation::written`] takes a plain value or
//! the label of a range back.
//!
//! # Guarantee
//!
//! What is published in a notation is judged on the plain forms, so no two cells may share one: [`Notation::holds`] says whether every
//! label of a column comes back from its written form as it was, and [`all_apart`] whether the cells of a file stay apart.

mod dates;
mod detect;
mod labels;
mod months;
mod numbers;

use std::borrow::Cow;
use std::collections::HashSet;

use serde::{Deserialize, Serialize};

pub use dates::{DateFormat, DateFormatMistake};
pub use detect::{AskedNotation, Detected, detect, missing_codes, unreadable};
pub use numbers::{NumberNotation, Unit};

use crate::Kind;

/// How the values of a column are written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Notation {
    /// Numbers with marks, or with a unit.
    Number(NumberNotation),
    /// Dates in one of these formats; the first is the one that is written.
    Dates(Vec<DateFormat>),
}

impl Notation {
    /// The plain form of a value written so; `None` when it is not.
    pub fn plain(&self, text: &str) -> Option<String> {
        match self {
            Notation::Number(number) => number.plain(text),
            Notation::Dates(formats) => formats.iter().find_map(|format| format.plain(text)),
        }
    }

    /// A plain value, or a label that stands for a range of them, as it is written; other labels as they are.
    pub fn written<'a>(&self, label: &'a str) -> Cow<'a, str> {
        match self {
            Notation::Number(number) => labels::written_number(number, label),
            Notation::Dates(formats) => match formats.first() {
                Some(format) => labels::written_date(format, label),
                None => None,
            },
        }
        .map_or(Cow::Borrowed(label), Cow::Owned)
    }

    /// What [`Notation::written`] was given; the text itself when it is of no such form.
    pub fn restored<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let found = match self {
            Notation::Number(number) => labels::plain_number(number, text),
            Notation::Dates(formats) => formats
                .first()
                .and_then(|format| labels::plain_date(format, text)),
        };
        // Only what would be written so again: `01,50` is nobody's `1.50`.
        let found = found.filter(|label| self.written(label) == text);
        found.map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Whether every label comes back from its written form, and no two are written alike.
    pub fn holds<'a>(&self, labels: impl Iterator<Item = &'a str>) -> bool {
        let mut seen = HashSet::new();
        labels.into_iter().all(|label| {
            let written = self.written(label);
            self.restored(&written) == label && seen.insert(written.into_owned())
        })
    }

    /// The kind of what is written so.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            // A whole column of numbers without a point is one of integers: the values tell.
            Notation::Number(_) => None,
            Notation::Dates(_) => Some(Kind::Date),
        }
    }
}

/// Whether no two of these texts have one plain form in the notation.
pub fn all_apart<'a>(notation: &Notation, texts: impl Iterator<Item = &'a str>) -> bool {
    let mut seen = HashSet::new();
    texts
        .into_iter()
        .all(|text| seen.insert(notation.restored(text).into_owned()))
}
