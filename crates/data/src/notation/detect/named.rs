//! Dates whose months have names, and dates with two digits for the year.

use std::collections::BTreeMap;

use super::super::months::TONGUES;
use super::super::{DateFormat, Notation};
use super::{Detected, clock, reads};

/// The forms of dates with a name for the month; `#` is the day, `@` the name.
const FORMS: [&str; 11] = [
    "#. @ YYYY",
    "# @ YYYY",
    "#-@-YYYY",
    "@ #, YYYY",
    "@ # YYYY",
    "#.@.YYYY",
    "#. @. YYYY",
    "# @. YYYY",
    "# 'de' @ 'de' YYYY",
    "#'er' @ YYYY",
    "#/@/YYYY",
];

/// How dates with names of months are written; `Plain` where not all of them are such dates in one language.
pub(super) fn named<'a>(texts: &(impl Iterator<Item = &'a str> + Clone)) -> Detected {
    let looks_like = |text: &str| {
        text.len() <= 48
            && text.bytes().any(|byte| byte.is_ascii_digit())
            && text.chars().filter(|c| c.is_alphabetic()).count() >= 3
    };
    if texts.clone().next().is_none() || !texts.clone().all(looks_like) {
        return Detected::Plain;
    }
    let padded = texts.clone().any(|text| {
        // The day is the first number of every form.
        let numbers = text.split(|c: char| !c.is_ascii_digit());
        let day = numbers.into_iter().find(|number| !number.is_empty());
        day.is_some_and(|day| day.len() == 2 && day.starts_with('0'))
    });
    let day = if padded { "DD" } else { "D" };
    for (letters, _) in TONGUES {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut short_year = false;
        let all = texts.clone().all(|text| {
            let Some(form) = form_of(text, day, letters) else {
                return false;
            };
            short_year |= !form.contains("YYYY");
            *counts.entry(form).or_default() += 1;
            true
        });
        if !all {
            continue;
        }
        let mut counts: Vec<(usize, String)> = counts
            .into_iter()
            .map(|(form, count)| (count, form))
            .collect();
        counts.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        if short_year {
            let first = counts.iter().find(|(_, form)| !form.contains("YYYY"));
            return first.map_or(Detected::Plain, |(_, form)| centuries(form));
        }
        let formats = counts.iter().map(|(_, form)| DateFormat::parse(form).ok());
        return match formats.collect::<Option<Vec<DateFormat>>>() {
            Some(formats) => Detected::As(Notation::Dates(formats)),
            None => Detected::Plain,
        };
    }
    Detected::Plain
}

/// The format that reads `text` in the language of these letters; `YY` in it stands for two digits.
fn form_of(text: &str, day: &str, letters: &str) -> Option<String> {
    let (date, time) = match text.find(':').and_then(|at| text[..at].rfind([' ', 'T'])) {
        Some(at) => text.split_at(at - usize::from(text[..at].ends_with(','))),
        None => (text, ""),
    };
    let clock = clock(time)?;
    for form in FORMS {
        for name in ["MMMM", "MMM"] {
            let form = form.replacen('#', day, 1);
            let form = form.replacen('@', &format!("{name}[{letters}]"), 1);
            if reads(&form, date) {
                return Some(form + &clock);
            }
            let short = form.replacen("YYYY", "YY[2000]", 1);
            if reads(&short, date) {
                return Some(form.replacen("YYYY", "YY", 1) + &clock);
            }
        }
    }
    None
}

/// How dates with two digits for the year could be written; `Plain` where they are none.
pub(super) fn short_years<'a>(texts: &(impl Iterator<Item = &'a str> + Clone)) -> Detected {
    let Some(first) = texts.clone().next() else {
        return Detected::Plain;
    };
    let date = |text: &'a str| match text.find([' ', 'T', ',']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let Some(letter) = first.chars().find(|c| !c.is_ascii_digit()) else {
        return Detected::Plain;
    };
    let orders: &[&str] = match letter {
        // Nobody writes the month or a short year first before a point.
        '.' => &["DD.MM.YY"],
        '/' => &["DD/MM/YY", "MM/DD/YY", "YY/MM/DD"],
        '-' => &["DD-MM-YY", "MM-DD-YY", "YY-MM-DD"],
        _ => return Detected::Plain,
    };
    let Some(clock) = clock(date(first).1) else {
        return Detected::Plain;
    };
    let mut left: Vec<String> = orders
        .iter()
        .map(|order| format!("{order}{clock}"))
        .collect();
    for text in texts.clone() {
        left.retain(|form| reads(&form.replacen("YY", "YY[1930]", 1), text));
        if left.is_empty() {
            return Detected::Plain;
        }
    }
    match left.as_slice() {
        [one] => centuries(one),
        [one, other, ..] => Detected::Ambiguous(said(one, 1930), said(other, 1930)),
        [] => Detected::Plain,
    }
}

/// Both centuries of a format with `YY`.
fn centuries(form: &str) -> Detected {
    Detected::Ambiguous(said(form, 1930), said(form, 2000))
}

fn said(form: &str, first: u16) -> String {
    let form = form.replacen("YY", &format!("YY[{first}]"), 1);
    format!("format = \"{form}\"")
}
