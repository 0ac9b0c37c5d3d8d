//! How a column is written, and its texts as programs write them.

use denym_data::Kind;
use denym_data::notation::{
    AskedNotation, Detected, Notation, NumberNotation, detect, missing_codes, unreadable,
};
use denym_data::{Dictionary, Strings};

use super::coder::{Coder, NULL};
use super::merge::Points;
use crate::{Detection, ReadOptions};

/// What is known of one column before it is coded.
pub(super) struct ColumnNotation<'a> {
    asked: AskedNotation,
    /// Whether something was said of this column itself.
    said: bool,
    kind: Option<Kind>,
    looked_for: bool,
    options: &'a ReadOptions,
}

impl<'a> ColumnNotation<'a> {
    pub(super) fn of(name: &str, options: &'a ReadOptions) -> Self {
        let own = options.notations.get(name);
        let mut asked = own.cloned().unwrap_or_default();
        asked.decimal = asked.decimal.or(options.decimal);
        // A mark between thousands that one column has for its decimals is not meant there.
        asked.thousands = asked.thousands.or(options
            .thousands
            .filter(|mark| Some(*mark) != asked.decimal));
        let kind = options.kinds.get(name).copied();
        let is_text = matches!(kind, Some(Kind::Text | Kind::Boolean));
        let looked_for =
            options.detection != Detection::None && !is_text && !options.as_written.contains(name);
        ColumnNotation {
            said: own.is_some(),
            asked,
            kind,
            looked_for,
            options,
        }
    }

    /// How these texts are written; `coded` is the column as it would be without a notation.
    pub(super) fn find(&self, texts: &Strings, coded: &Dictionary) -> Detected {
        if texts.is_empty() || !(self.looked_for || self.said) {
            return Detected::Plain;
        }
        let fits = match self.kind {
            Some(kind) => texts.iter().all(|text| kind.fits(text)),
            None => coded.kind() != Kind::Text,
        };
        // What a program wrote needs no second look, unless another mark was declared.
        let marked = self.asked.decimal.is_some_and(|mark| mark != '.')
            || self.asked.thousands.is_some()
            || self.asked.unit.is_some();
        if fits && !marked && self.asked.dates.is_empty() {
            return Detected::Plain;
        }
        let found = detect(texts.iter(), &self.asked, self.kind);
        match found {
            // Dates and truth values need no decimal mark.
            Detected::As(Notation::Number(_)) if fits && coded.kind() == Kind::Date => {
                Detected::Plain
            }
            found => found,
        }
    }

    /// What the points of plain numbers are, as far as the column tells.
    pub(super) fn points(&self, texts: &Strings, coded: &Dictionary) -> Points {
        if coded.kind() != Kind::Decimal || self.asked.decimal.is_some() {
            return Points::None;
        }
        let grouped = NumberNotation {
            decimal: ',',
            thousands: Some('.'),
            unit: None,
        };
        if !texts.iter().all(|text| grouped.plain(text).is_some()) {
            Points::Decimal
        } else if self.looked_for {
            Points::Either
        } else {
            Points::None
        }
    }

    /// The first text that keeps a column from being what was said of it.
    pub(super) fn unreadable<'t>(&self, texts: &'t Strings) -> Option<(&'t str, Kind)> {
        let marked = self.asked.decimal.is_some()
            || self.asked.thousands.is_some()
            || self.asked.unit.is_some();
        let kind = match self.kind {
            Some(kind @ (Kind::Integer | Kind::Decimal | Kind::Date)) => kind,
            None if self.said && marked => Kind::Decimal,
            _ => return None,
        };
        if texts.iter().all(|text| kind.fits(text)) {
            return None;
        }
        unreadable(texts.iter(), &self.asked, kind).map(|text| (text, kind))
    }

    /// Whether two ways of reading must be refused rather than left as text.
    pub(super) fn must_be_told(&self) -> bool {
        self.kind.is_some() || self.said
    }

    /// Whether a value that is not so written is a mistake rather than a word among numbers.
    pub(super) fn is_declared(&self) -> bool {
        self.kind.is_some() || self.said
    }

    /// The kind to code by.
    pub(super) fn kind(&self, notation: &Notation) -> Option<Kind> {
        self.kind.or_else(|| notation.kind())
    }

    /// Texts that seem to stand for a missing value, where they are to be looked for.
    pub(super) fn missing(&self, texts: &Strings, parts: &[(&Coder, &[u32])]) -> Vec<&'static str> {
        if self.options.detection != Detection::NotationsAndMissing || texts.is_empty() {
            return Vec::new();
        }
        let mut counts = vec![0_usize; texts.len()];
        for (part, map) in parts {
            let mut own = vec![0_usize; map.len()];
            for &code in part.codes.iter().filter(|&&code| code != NULL) {
                own[code as usize] += 1;
            }
            for (count, &code) in own.iter().zip(*map) {
                if code != NULL {
                    counts[code as usize] += count;
                }
            }
        }
        missing_codes(texts.iter().zip(counts))
    }
}
