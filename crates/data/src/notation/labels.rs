//! Labels that stand for ranges of values, in the notation of the values: `[1.5, 2.5)` as `[1,5, 2,5)`.

use super::{DateFormat, NumberNotation};

/// A number, or a range of numbers, written; `None` for other labels.
pub(super) fn written_number(notation: &NumberNotation, label: &str) -> Option<String> {
    let text = mapped(label, |one| notation.marked(one))?;
    Some(notation.beside(&text))
}

/// What [`written_number`] was given.
pub(super) fn plain_number(notation: &NumberNotation, text: &str) -> Option<String> {
    mapped(notation.bare(text)?, |one| notation.digits(one))
}

/// A date, a month, or a range of them, written; `None` for other labels.
pub(super) fn written_date(format: &DateFormat, label: &str) -> Option<String> {
    mapped(label, |one| format.written(one))
}

/// What [`written_date`] was given.
pub(super) fn plain_date(format: &DateFormat, text: &str) -> Option<String> {
    mapped(text, |one| format.restored(one))
}

/// `one` made of every value of a label: of a single one, of `a-b`, of `[a, b)` and `[a, b]`.
fn mapped(label: &str, one: impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some(inner) = label.strip_prefix('[') {
        let close = inner
            .chars()
            .next_back()
            .filter(|c| matches!(c, ')' | ']'))?;
        let (from, to) = inner[..inner.len() - 1].split_once(", ")?;
        return Some(format!("[{}, {}{close}", one(from)?, one(to)?));
    }
    if let Some(single) = one(label) {
        return Some(single);
    }
    // The values may hold the dash themselves: the only place where both sides are values.
    let mut found = None;
    for (at, _) in label.match_indices('-').filter(|(at, _)| *at > 0) {
        if let (Some(from), Some(to)) = (one(&label[..at]), one(&label[at + 1..])) {
            if found.is_some() {
                return None;
            }
            found = Some(format!("{from}-{to}"));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::{Notation, Unit, all_apart};
    use super::*;

    #[track_caller]
    fn both_ways(notation: &Notation, label: &str, written: &str) {
        assert_eq!(notation.written(label), written);
        assert_eq!(notation.restored(written), label);
    }

    #[test]
    fn ranges_of_numbers_keep_their_form() {
        let money = Notation::Number(NumberNotation {
            decimal: ',',
            thousands: Some('.'),
            unit: Some(Unit {
                text: "€".into(),
                before: false,
                spaced: true,
            }),
        });
        both_ways(&money, "1234.5", "1.234,5 €");
        both_ways(&money, "1000-1999", "1.000-1.999 €");
        both_ways(&money, "153.3-186.5", "153,3-186,5 €");
        both_ways(&money, "[1.5, 2.5)", "[1,5, 2,5) €");
        both_ways(&money, "[-5, 0]", "[-5, 0] €");
        both_ways(&money, "*", "*");
        both_ways(&money, "a lot", "a lot");
    }

    #[test]
    fn ranges_of_dates_keep_their_form() {
        for (format, written) in [
            ("DD.MM.YYYY", "26.08.1992-01.02.1993"),
            ("DD-MM-YYYY", "26-08-1992-01-02-1993"),
            ("YYYY/MM/DD", "1992/08/26-1993/02/01"),
        ] {
            let dates = Notation::Dates(vec![DateFormat::parse(format).expect("a format")]);
            both_ways(&dates, "1992-08-26-1993-02-01", written);
            both_ways(&dates, "1992", "1992");
            both_ways(&dates, "1990s", "1990s");
            both_ways(&dates, "1992-Q3", "1992-Q3");
            both_ways(&dates, "*", "*");
            both_ways(&dates, "1900-1999", "1900-1999");
        }
    }

    #[test]
    fn cells_that_would_fall_together_are_found() {
        let comma = Notation::Number(NumberNotation {
            decimal: ',',
            ..NumberNotation::default()
        });
        assert!(all_apart(&comma, ["1,5", "2,5", "x"].into_iter()));
        assert!(!all_apart(&comma, ["1,5", "1.5"].into_iter()));
        assert!(comma.holds(["1.5", "15", "*"].into_iter()));
        assert!(!comma.holds(["1.5", "1,5"].into_iter()));
    }
}
