//! Finds out how the values of a column are written, by all of them together.
//!
//! One value seldom tells: `03/04/2020` is a day of March or of April, `1,234` a large number or a small one. A column tells when
//! every value can be read in one way and in no other; where two ways are left, it is asked, not guessed.

mod named;

use std::collections::BTreeMap;

use super::{DateFormat, Notation, NumberNotation, Unit};
use crate::Kind;

/// What is said of a column's notation; what is not is found out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AskedNotation {
    /// The formats of dates, the first is the one that is written.
    pub dates: Vec<DateFormat>,
    /// The decimal mark.
    pub decimal: Option<char>,
    /// The mark between thousands.
    pub thousands: Option<char>,
    /// The unit beside every number.
    pub unit: Option<String>,
}

impl AskedNotation {
    /// What is said for values written in `notation`.
    pub fn of(notation: &Notation) -> AskedNotation {
        match notation {
            Notation::Dates(formats) => AskedNotation {
                dates: formats.clone(),
                ..AskedNotation::default()
            },
            Notation::Number(number) => AskedNotation {
                decimal: Some(number.decimal),
                thousands: number.thousands,
                unit: number.unit.as_ref().map(|unit| unit.text.clone()),
                ..AskedNotation::default()
            },
        }
    }
}

/// What the values of a column say about their notation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detected {
    /// They are as a program writes them, or no numbers and no dates at all.
    Plain,
    /// They are written so.
    As(Notation),
    /// They can be read in these two ways, which differ.
    Ambiguous(String, String),
}

/// The marks that stand between thousands somewhere.
const GROUPING: [char; 6] = ['.', ',', ' ', '\u{a0}', '\u{202f}', '\''];

/// Units that a column may have without being told; others are said in the policy.
const UNITS: &[&str] = &[
    "kg", "g", "mg", "µg", "μg", "lb", "lbs", "m", "cm", "mm", "km", "ft", "mi", "m²", "km²", "ha",
    "l", "ml", "mL", "dl", "cl", "°C", "°F", "°", "%", "‰", "€", "$", "£", "¥", "EUR", "USD",
    "GBP", "CHF", "h", "min", "s", "ms", "mmHg", "bpm", "bar", "kPa", "hPa", "kcal", "kJ", "kW",
    "kWh", "Hz", "km/h", "mph", "mg/dl", "mg/dL", "g/dl", "g/dL", "mg/l", "mg/L", "g/l", "g/L",
    "mmol/l", "mmol/L", "µmol/l", "U/l", "U/L", "ng/ml", "ng/mL", "kg/m²", "years", "yrs", "days",
    "hours", "Jahre", "Tage", "Stunden", "ans", "años",
];

/// Units that may stand in front of a number.
const CURRENCIES: &[&str] = &["€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF"];

/// How `texts`, the distinct values of a column, are written. With `kind` only what can be of that kind is looked for.
pub fn detect<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    asked: &AskedNotation,
    kind: Option<Kind>,
) -> Detected {
    if !asked.dates.is_empty() {
        return match two_formats(texts, &asked.dates) {
            Some((one, other)) => {
                let only = |format: &DateFormat| format!("format = \"{}\"", format.text());
                Detected::Ambiguous(only(one), only(other))
            }
            None => Detected::As(Notation::Dates(asked.dates.clone())),
        };
    }
    if !matches!(kind, Some(Kind::Date | Kind::Text | Kind::Boolean)) {
        match numbers(&texts, asked) {
            Detected::Plain => {}
            found => return found,
        }
    }
    if !matches!(kind, None | Some(Kind::Date)) {
        return Detected::Plain;
    }
    match dates(texts.clone()) {
        Detected::Plain if !all_iso(texts.clone()) => match named::named(&texts) {
            Detected::Plain => named::short_years(&texts),
            found => found,
        },
        found => found,
    }
}

/// Whether every text is a date as programs write them.
fn all_iso<'a>(mut texts: impl Iterator<Item = &'a str>) -> bool {
    texts.all(|text| Kind::Date.fits(text))
}

/// Two of the formats that read some text as different days: which of them is meant there is not for us to say.
fn two_formats<'a, 'f>(
    texts: impl Iterator<Item = &'a str>,
    formats: &'f [DateFormat],
) -> Option<(&'f DateFormat, &'f DateFormat)> {
    if formats.len() < 2 {
        return None;
    }
    for text in texts {
        let mut read = formats
            .iter()
            .filter_map(|format| Some((format, format.plain(text)?)));
        if let Some((one, day)) = read.next()
            && let Some((other, _)) = read.find(|(_, own)| *own != day)
        {
            return Some((one, other));
        }
    }
    None
}

/// The first of `texts` that keeps them from being values of this kind, written as asked or in any way that is known.
pub fn unreadable<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    asked: &AskedNotation,
    kind: Kind,
) -> Option<&'a str> {
    let alone = |text: &&str| {
        let one = std::iter::once(*text);
        !kind.fits(text) && detect(one, asked, Some(kind)) == Detected::Plain
    };
    let first = texts.clone().find(alone);
    first.or_else(|| match kind {
        Kind::Integer | Kind::Decimal => ways(texts, asked).err(),
        _ => None,
    })
}

/// One way of reading numbers for each combination of marks that reads all of them, the plainest first; else the first text that none
/// of those before can read.
fn ways<'a>(
    texts: impl Iterator<Item = &'a str> + Clone,
    asked: &AskedNotation,
) -> Result<Vec<NumberNotation>, &'a str> {
    let Some(first) = texts.clone().next() else {
        return Ok(Vec::new());
    };
    let unit = unit_of(first, asked.unit.as_deref())?;
    let mut ways: Vec<NumberNotation> = Vec::new();
    for thousands in std::iter::once(None).chain(GROUPING.map(Some)) {
        for decimal in ['.', ','] {
            let said = asked.decimal.is_none_or(|mark| mark == decimal)
                && (asked.thousands.is_none() || asked.thousands == thousands);
            if said && thousands != Some(decimal) {
                ways.push(NumberNotation {
                    decimal,
                    thousands,
                    unit: unit.clone(),
                });
            }
        }
    }
    for text in texts {
        ways.retain(|way| way.plain(text).is_some());
        if ways.is_empty() {
            return Err(text);
        }
    }
    Ok(ways)
}

fn numbers<'a>(texts: &(impl Iterator<Item = &'a str> + Clone), asked: &AskedNotation) -> Detected {
    let ways = ways(texts.clone(), asked).unwrap_or_default();
    let Some(best) = ways.first().cloned() else {
        return Detected::Plain;
    };
    // Two ways are one where they read the same numbers.
    let differs = |other: &&NumberNotation| {
        let mut texts = texts.clone();
        texts.any(|text| best.plain(text) != other.plain(text))
    };
    if let Some(other) = ways[1..].iter().find(differs) {
        return Detected::Ambiguous(in_words(&best), in_words(other));
    }
    if best.is_plain() {
        return Detected::Plain;
    }
    Detected::As(Notation::Number(best))
}

/// How a way of writing numbers is said in a policy.
fn in_words(way: &NumberNotation) -> String {
    match way.thousands {
        None => format!("decimal = \"{}\"", way.decimal),
        Some(mark) => format!("decimal = \"{}\", thousands = \"{mark}\"", way.decimal),
    }
}

/// The unit of a value; the error is the text when something stands there that is no unit, or not the one that was asked for.
fn unit_of<'a>(text: &'a str, asked: Option<&str>) -> Result<Option<Unit>, &'a str> {
    let is_digit = |c: char| c.is_ascii_digit();
    let (start, end) = (
        text.find(is_digit).ok_or(text)?,
        text.rfind(is_digit).ok_or(text)? + 1,
    );
    let start = if text[..start].ends_with('-') {
        start - 1
    } else {
        start
    };
    let spaces = [' ', '\u{a0}', '\u{202f}'];
    let known = |word: &str| asked.map_or_else(|| UNITS.contains(&word), |asked| asked == word);
    let (before, behind) = (&text[..start], &text[end..]);
    let unit = match (before.is_empty(), behind.is_empty()) {
        (true, true) if asked.is_none() => return Ok(None),
        (true, false) => (
            behind.trim_start_matches(spaces),
            false,
            behind.starts_with(spaces),
        ),
        (false, true) => (
            before.trim_end_matches(spaces),
            true,
            before.ends_with(spaces),
        ),
        _ => return Err(text),
    };
    let (word, before, spaced) = unit;
    // `s1` and `4m` are names more often than amounts: only money stands in front, and letters stand apart unless a policy says so.
    let is_money = CURRENCIES.contains(&word);
    let is_clear = if before {
        is_money
    } else {
        spaced || is_money || !word.chars().all(char::is_alphabetic)
    };
    if !known(word) || asked.is_none() && !is_clear {
        return Err(text);
    }
    Ok(Some(Unit {
        text: word.to_owned(),
        before,
        spaced,
    }))
}

/// The orders of year, month and day that are tried, by the letter between them.
const ORDERS: [(char, &str, &str); 3] = [
    ('.', "DD.MM.YYYY", "D.M.YYYY"),
    ('/', "DD/MM/YYYY", "D/M/YYYY"),
    ('-', "DD-MM-YYYY", "D-M-YYYY"),
];

/// What is seen of the dates with one letter between their numbers, day or month first.
#[derive(Default)]
struct Seen {
    /// Some text can only be read with the day first.
    only_days: bool,
    /// Some text can only be read with the month first.
    only_months: bool,
    /// A zero stands before a number below ten somewhere, or nowhere is a number below ten.
    padded: bool,
    /// A number below ten stands alone.
    bare: bool,
}

fn dates<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Detected {
    let mut seen: BTreeMap<char, Seen> = BTreeMap::new();
    // Every form of the column, by how many of its values have it.
    let mut forms: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut all_plain = true;
    for text in texts {
        let Some((date, time)) = cut(text) else {
            return Detected::Plain;
        };
        let Some(letter) = date.chars().find(|c| !c.is_ascii_digit()) else {
            return Detected::Plain;
        };
        let year_first = date.find(letter) == Some(4);
        let form = if year_first {
            let form = format!("YYYY{letter}MM{letter}DD");
            if !matches!(letter, '-' | '/' | '.') || !reads(&form, date) {
                return Detected::Plain;
            }
            all_plain &= letter == '-' && date.len() == 10;
            form
        } else {
            all_plain = false;
            let Some((_, days, _)) = ORDERS.iter().find(|order| order.0 == letter) else {
                return Detected::Plain;
            };
            let months = days.replacen("DD", "XX", 1).replacen("MM", "DD", 1);
            let months = months.replacen("XX", "MM", 1);
            let (day, month) = (reads(days, date), reads(&months, date));
            if !day && !month {
                return Detected::Plain;
            }
            let own = seen.entry(letter).or_default();
            own.only_days |= !month;
            own.only_months |= !day;
            let mut numbers = date.split(letter);
            let bare = numbers.clone().take(2).any(|number| number.len() == 1);
            own.bare |= bare;
            own.padded |= numbers.any(|number| number.starts_with('0'));
            days.to_string()
        };
        let Some(clock) = clock(time) else {
            return Detected::Plain;
        };
        *forms.entry((form, clock)).or_default() += 1;
    }
    if forms.is_empty() || all_plain && forms.keys().all(|(_, clock)| is_iso(clock)) {
        return Detected::Plain;
    }
    let mut read: Vec<(usize, String)> = Vec::new();
    for ((form, clock), count) in forms {
        let mut form = form;
        let letter = form.chars().find(|c| !c.is_ascii_alphabetic());
        if let (false, Some(own)) = (form.starts_with("YYYY"), letter.and_then(|l| seen.get(&l))) {
            let order = ORDERS.iter().find(|order| Some(order.0) == letter);
            let Some((letter, padded, bare)) = order else {
                return Detected::Plain;
            };
            let days = if own.bare && !own.padded {
                bare
            } else {
                padded
            };
            let months = swapped(days);
            form = match (own.only_days, own.only_months) {
                // Some can only be read one way and some only the other: these are no dates of one column.
                (true, true) => return Detected::Plain,
                (false, true) => months,
                // Nobody writes the month first before a point.
                (false, false) if *letter != '.' => {
                    return Detected::Ambiguous(
                        format!("format = \"{days}{clock}\""),
                        format!("format = \"{months}{clock}\""),
                    );
                }
                _ => (*days).to_owned(),
            };
        }
        read.push((count, format!("{form}{clock}")));
    }
    // The commonest is the one that is written.
    read.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let formats: Vec<DateFormat> = read
        .iter()
        .filter_map(|(_, form)| DateFormat::parse(form).ok())
        .collect();
    if formats.len() == read.len() {
        Detected::As(Notation::Dates(formats))
    } else {
        Detected::Plain
    }
}

/// Date and time of day of a text that may be both; `None` when it begins with no digit.
fn cut(text: &str) -> Option<(&str, &str)> {
    if !text.as_bytes().first()?.is_ascii_digit() || text.len() > 40 {
        return None;
    }
    match text.find([' ', 'T', ',']) {
        Some(at) => Some((&text[..at], &text[at..])),
        None => Some((text, "")),
    }
}

/// The format of what stands behind a date: nothing, or a time of day with what is before it.
fn clock(text: &str) -> Option<String> {
    if text.is_empty() {
        return Some(String::new());
    }
    let lead = ["T", ", ", " "]
        .into_iter()
        .find(|lead| text.starts_with(lead))?;
    let time = &text[lead.len()..];
    let hours = if time.find(':') == Some(1) { "h" } else { "hh" };
    ["mm:ss", "mm", "mm:ss AM", "mm AM", "mm:ssAM", "mmAM"]
        .into_iter()
        .map(|rest| format!("{lead}{hours}:{rest}"))
        .find(|form| reads(&format!("YYYY-MM-DD{form}"), &format!("2000-01-01{text}")))
}

/// Whether a time of day is as a program writes it, so that the text is plain already.
fn is_iso(clock: &str) -> bool {
    matches!(clock, "" | "Thh:mm" | "Thh:mm:ss" | " hh:mm" | " hh:mm:ss")
}

fn reads(format: &str, text: &str) -> bool {
    DateFormat::parse(format).is_ok_and(|format| format.plain(text).is_some())
}

/// The same format with day and month exchanged.
fn swapped(format: &str) -> String {
    let exchange = |letter| match letter {
        'D' => 'M',
        'M' => 'D',
        other => other,
    };
    format.chars().map(exchange).collect()
}

/// Texts that stand for a missing value in many files.
const CODES: &[&str] = &[
    "NA",
    "N/A",
    "n/a",
    "na",
    "n.a.",
    "N.A.",
    "#N/A",
    "#NV",
    "NaN",
    "nan",
    "NULL",
    "null",
    "None",
    "none",
    "nil",
    ".",
    "-",
    "--",
    "?",
    "unknown",
    "Unknown",
    "missing",
    "k.A.",
    "k. A.",
    "kA",
    "keine Angabe",
    "unbekannt",
    "fehlt",
    "n.b.",
    "inconnu",
    "non renseigné",
    "NR",
    "s.o.",
    "desconocido",
    "sin dato",
];

/// Numbers that stand for a missing value where no other is below zero.
const NUMBERS: &[&str] = &["-9", "-99", "-999", "-9999", "-1"];

/// Share of records that must be numbers or dates before a text among them is taken for "missing".
const MOSTLY: f64 = 0.8;

/// Codes that seem to stand for a missing value in a column of numbers or dates: `values` are its distinct texts, each with how many
/// records have it. Only words of a fixed list are found, never a text of the column's own.
pub fn missing_codes<'a>(
    values: impl Iterator<Item = (&'a str, usize)> + Clone,
) -> Vec<&'static str> {
    let total: usize = values.clone().map(|(_, count)| count).sum();
    let code = |text: &str| CODES.iter().find(|code| **code == text).copied();
    let rest = values.clone().filter(|(text, _)| code(text).is_none());
    let typed: usize = rest.clone().map(|(_, count)| count).sum();
    if total == 0 || (typed as f64) < MOSTLY * total as f64 || typed == 0 {
        return Vec::new();
    }
    let texts = rest.clone().map(|(text, _)| text);
    let notation = match detect(texts.clone(), &AskedNotation::default(), None) {
        Detected::As(notation) => Some(notation),
        Detected::Ambiguous(..) => return words(values, code),
        Detected::Plain => None,
    };
    let kind = match &notation {
        Some(Notation::Dates(_)) => Kind::Date,
        Some(Notation::Number(_)) => Kind::Decimal,
        None => Kind::of(texts.clone()),
    };
    match kind {
        Kind::Text => mixed_dates(values, code),
        Kind::Boolean | Kind::Date => words(values, code),
        Kind::Integer | Kind::Decimal => {
            let mut found = words(values, code);
            let negative: Vec<&str> = texts.clone().filter(|text| text.starts_with('-')).collect();
            let many = texts.clone().count() > 3;
            // One negative number among many that are none, and seen more than once, is a code.
            if let [only] = negative[..]
                && let Some(number) = NUMBERS.iter().find(|number| **number == only)
                && many
                && rest.clone().any(|(text, count)| text == only && count > 1)
            {
                found.push(number);
            }
            found
        }
    }
}

/// Codes among dates, where a number such as `-9` stands for "missing" as well.
fn mixed_dates<'a>(
    values: impl Iterator<Item = (&'a str, usize)> + Clone,
    code: impl Fn(&str) -> Option<&'static str>,
) -> Vec<&'static str> {
    let number = |text: &str| NUMBERS.iter().find(|number| **number == text).copied();
    let dated = values.clone().map(|(text, _)| text);
    let dated = dated.filter(|text| code(text).is_none() && number(text).is_none());
    let are_dates = match detect(dated.clone(), &AskedNotation::default(), None) {
        Detected::As(Notation::Dates(_)) => true,
        Detected::Plain => Kind::of(dated) == Kind::Date,
        _ => false,
    };
    if are_dates {
        words(values, |text| code(text).or_else(|| number(text)))
    } else {
        Vec::new()
    }
}

fn words<'a>(
    values: impl Iterator<Item = (&'a str, usize)>,
    code: impl Fn(&str) -> Option<&'static str>,
) -> Vec<&'static str> {
    values.filter_map(|(text, _)| code(text)).collect()
}

#[cfg(test)]
mod tests;
