//! Formats of dates and times: `DD.MM.YYYY`, `MM/DD/YYYY hh:mm AM`, `D. MMMM[de] YYYY`, `DD.MM.YY[1930]`.
//!
//! Two digits of a year say nothing of its century, so a format says it: `YY[1930]` are the years from 1930 to 2029. Names of months
//! have their language: `MMM[en]` is `Aug`, `MMMM[es]` is `agosto`. Words between them stand in quotes: `D 'de' MMMM[es] 'de' YYYY`.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::months::{Tongue, word};
use crate::Date;

/// One part of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    /// `YYYY`.
    Year,
    /// `YY[1930]`: the last two digits of the hundred years from this one on.
    ShortYear { first: u16 },
    /// `MMMM[de]`, or `MMM[de]` where the name is cut short.
    MonthName { tongue: Tongue, short: bool },
    /// `MM`, or `M` where no zero is written before it.
    Month { padded: bool },
    /// `DD` or `D`.
    Day { padded: bool },
    /// `hh` or `h`.
    Hour { padded: bool },
    /// `mm`.
    Minute,
    /// `ss`, with the fraction that may follow it.
    Second,
    /// `AM`, which stands for both halves of the day.
    Half,
    /// Any other letter, as it is.
    Letter(char),
}

/// How a date, and a time of day, is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DateFormat {
    parts: Vec<Part>,
}

/// Why a text is no format of dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DateFormatMistake {
    /// Year, month and day are needed, each once.
    #[error("a format of dates has `YYYY`, `MM` and `DD`, each once")]
    Incomplete,
    /// Two digits do not say the century.
    #[error(
        "`YY` does not say which century a year is in: `YY[1930]` are the years from 1930 to 2029"
    )]
    ShortYear,
    /// A name of a month in no language that is known.
    #[error("names of months need their language: `MMMM[en]`, `MMM[de]`, `MMMM[fr]` or `MMM[es]`")]
    NoTongue,
    /// Minutes without hours, seconds without minutes, or a half of the day without hours.
    #[error("a time of day is `hh:mm`, `hh:mm:ss` or `hh:mm AM`")]
    BadTime,
    /// A letter that stands for nothing.
    #[error("`{0}` stands for no part of a date; minutes are `mm`, months `MM`")]
    Unknown(char),
}

/// A moment as its numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Moment {
    year: u16,
    month: u8,
    day: u8,
    /// Hour and minute, seconds when they are written, and the digits of their fraction.
    time: Option<(u8, u8, Option<(u8, String)>)>,
}

impl DateFormat {
    /// Reads `DD.MM.YYYY` and the like; `hh:mm:ss` and `AM` stand for a time of day.
    pub fn parse(text: &str) -> Result<DateFormat, DateFormatMistake> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let run = rest.chars().take_while(|&c| c == first).count();
            let behind = &rest[first.len_utf8() * run..];
            let (part, used) = match (first, run) {
                ('Y' | 'y', 4) => (Part::Year, 4),
                ('Y' | 'y', 2) => {
                    let year = bracketed(behind).filter(|year| year.len() == 4);
                    let first = year.and_then(|year| year.parse().ok());
                    // The hundred years end with four digits as well.
                    let first = first.filter(|first| (1000..=9900).contains(first));
                    let first = first.ok_or(DateFormatMistake::ShortYear)?;
                    (Part::ShortYear { first }, 2 + 6)
                }
                ('Y' | 'y', _) => return Err(DateFormatMistake::ShortYear),
                ('M', 3 | 4) => {
                    let tongue = bracketed(behind).and_then(Tongue::named);
                    let tongue = tongue.ok_or(DateFormatMistake::NoTongue)?;
                    let short = run == 3;
                    (Part::MonthName { tongue, short }, run + 4)
                }
                ('\'', 1) if behind.contains('\'') => {
                    let quoted = behind.split('\'').next().unwrap_or_default();
                    parts.extend(quoted.chars().map(Part::Letter));
                    rest = &behind[quoted.len() + 1..];
                    continue;
                }
                ('M', 1 | 2) => (Part::Month { padded: run == 2 }, run),
                ('D' | 'd', 1 | 2) => (Part::Day { padded: run == 2 }, run),
                ('h' | 'H', 1 | 2) => (Part::Hour { padded: run == 2 }, run),
                ('m', 2) => (Part::Minute, 2),
                ('s' | 'S', 2) => (Part::Second, 2),
                ('A' | 'a', 1) if rest[1..].starts_with(['M', 'm']) => (Part::Half, 2),
                ('T', 1) => (Part::Letter('T'), 1),
                (letter, _) if letter.is_alphanumeric() => {
                    return Err(DateFormatMistake::Unknown(letter));
                }
                (letter, _) => (Part::Letter(letter), letter.len_utf8()),
            };
            parts.push(part);
            rest = &rest[used..];
        }
        let count = |wanted: fn(&Part) -> bool| parts.iter().filter(|part| wanted(part)).count();
        let dates = [
            count(|part| matches!(part, Part::Year | Part::ShortYear { .. })),
            count(|part| matches!(part, Part::Month { .. } | Part::MonthName { .. })),
            count(|part| matches!(part, Part::Day { .. })),
        ];
        if dates != [1, 1, 1] {
            return Err(DateFormatMistake::Incomplete);
        }
        let times = [
            count(|part| matches!(part, Part::Hour { .. })),
            count(|part| matches!(part, Part::Minute)),
            count(|part| matches!(part, Part::Second)),
            count(|part| matches!(part, Part::Half)),
        ];
        match times {
            [0, 0, 0, 0] | [1, 1, 0 | 1, 0 | 1] => Ok(DateFormat { parts }),
            _ => Err(DateFormatMistake::BadTime),
        }
    }

    /// The format as it is written in a policy.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut in_quotes = false;
        for part in &self.parts {
            let is_word =
                matches!(part, Part::Letter(letter) if letter.is_alphanumeric() && *letter != 'T');
            if is_word != in_quotes {
                text.push('\'');
                in_quotes = is_word;
            }
            match part {
                Part::Year => text.push_str("YYYY"),
                Part::ShortYear { first } => text.push_str(&format!("YY[{first}]")),
                Part::MonthName { tongue, short } => {
                    let name = if *short { "MMM" } else { "MMMM" };
                    text.push_str(&format!("{name}[{}]", tongue.letters()));
                }
                Part::Month { padded } => text.push_str(if *padded { "MM" } else { "M" }),
                Part::Day { padded } => text.push_str(if *padded { "DD" } else { "D" }),
                Part::Hour { padded } => text.push_str(if *padded { "hh" } else { "h" }),
                Part::Minute => text.push_str("mm"),
                Part::Second => text.push_str("ss"),
                Part::Half => text.push_str("AM"),
                Part::Letter(letter) => text.push(*letter),
            }
        }
        if in_quotes {
            text.push('\'');
        }
        text
    }

    /// Whether a time of day is part of it.
    pub fn has_time(&self) -> bool {
        self.parts.iter().any(|part| of_time(*part))
    }

    /// `YYYY-MM-DD`, with `Thh:mm:ss` where there is a time, of a date written so; `None` when it is not, or the calendar has no such day.
    pub fn plain(&self, text: &str) -> Option<String> {
        self.moment(text).and_then(|moment| moment.plain())
    }

    /// A plain date in this format; without its time where it has none, and the month alone of `YYYY-MM`.
    pub fn written(&self, plain: &str) -> Option<String> {
        if let Some((year, month)) = year_and_month(plain) {
            let moment = Moment {
                year,
                month,
                ..Moment::default()
            };
            return self.without_day().write(&moment);
        }
        let moment = Moment::of_plain(plain)?;
        let format = match (&moment.time, self.has_time()) {
            (None, true) => self.without_time(),
            // A time that the format does not write would be lost.
            (Some(_), false) => return None,
            (Some((_, _, seconds)), true) if seconds.is_some() != self.has(Part::Second) => {
                return None;
            }
            _ => self.clone(),
        };
        format.write(&moment)
    }

    /// What [`DateFormat::written`] was given.
    pub fn restored(&self, text: &str) -> Option<String> {
        let whole = self.plain(text);
        let day = || {
            let without = self.has_time().then(|| self.without_time())?;
            without.plain(text)
        };
        let month = || {
            let moment = self.without_day().moment(text)?;
            (1..=12)
                .contains(&moment.month)
                .then(|| format!("{:04}-{:02}", moment.year, moment.month))
        };
        whole.or_else(day).or_else(month)
    }

    /// The same date with the time of day that `other` writes.
    #[must_use]
    pub fn with_time_of(&self, other: &DateFormat) -> DateFormat {
        if self.has_time() || !other.has_time() {
            return self.clone();
        }
        let from = other.parts.iter().position(|&part| of_time(part));
        let mut parts = self.parts.clone();
        parts.push(Part::Letter(' '));
        parts.extend(
            other.parts[from.unwrap_or_default()..]
                .iter()
                .copied()
                .filter(|&part| of_time(part) || matches!(part, Part::Letter(':' | ' '))),
        );
        while parts.last() == Some(&Part::Letter(' ')) {
            parts.pop();
        }
        DateFormat { parts }
    }

    fn has(&self, wanted: Part) -> bool {
        self.parts.contains(&wanted)
    }

    /// The parts of the date, with the letters between them.
    fn without_time(&self) -> DateFormat {
        let is_date = |part: &Part| of_date(*part);
        let first = self.parts.iter().position(is_date).unwrap_or(0);
        let last = self.parts.iter().rposition(is_date).unwrap_or(0);
        DateFormat {
            parts: self.parts[first..=last].to_vec(),
        }
    }

    /// Year and month, in their order and with the letter that stands before the second of them.
    fn without_day(&self) -> DateFormat {
        let mut parts: Vec<Part> = Vec::new();
        let date = self.without_time();
        let mut between = Vec::new();
        let mut last_is_letter = false;
        for part in date.parts {
            match part {
                Part::Day { .. } => last_is_letter = false,
                Part::Letter(_) => {
                    if !last_is_letter {
                        between.clear();
                    }
                    between.push(part);
                    last_is_letter = true;
                }
                part => {
                    if !parts.is_empty() {
                        parts.append(&mut between);
                    }
                    parts.push(part);
                    last_is_letter = false;
                }
            }
        }
        DateFormat { parts }
    }

    fn moment(&self, text: &str) -> Option<Moment> {
        let mut found = Moment::default();
        let (mut hour, mut minute, mut second, mut half) = (None, None, None, None);
        let mut rest = text;
        for (at, part) in self.parts.iter().enumerate() {
            match part {
                Part::Letter(letter) => rest = rest.strip_prefix(*letter)?,
                Part::Half => {
                    let word = rest.get(..2)?.to_ascii_uppercase();
                    half = Some(match word.as_str() {
                        "AM" => 0,
                        "PM" => 12,
                        _ => return None,
                    });
                    rest = &rest[2..];
                }
                Part::MonthName { tongue, short } => {
                    let word = word(rest);
                    found.month = tongue.month(word, *short)?;
                    rest = &rest[word.len()..];
                    // `Aug. 1992` and `Aug 1992` are one date.
                    let dotted = self.parts.get(at + 1) == Some(&Part::Letter('.'));
                    if *short && !dotted {
                        rest = rest.strip_prefix('.').unwrap_or(rest);
                    }
                }
                part => {
                    let most = if *part == Part::Year { 4 } else { 2 };
                    let digits = rest
                        .bytes()
                        .take(most)
                        .take_while(u8::is_ascii_digit)
                        .count();
                    // Without a letter behind it a number has all its digits.
                    let next = self.parts.get(at + 1);
                    let alone = next.is_none_or(|next| matches!(next, Part::Letter(_)));
                    let least = match part {
                        Part::Year => 4,
                        Part::Minute | Part::Second | Part::ShortYear { .. } => 2,
                        _ if alone => 1,
                        _ => 2,
                    };
                    if digits < least {
                        return None;
                    }
                    let number: u16 = rest[..digits].parse().ok()?;
                    rest = &rest[digits..];
                    let small = number as u8;
                    match part {
                        Part::Year => found.year = number,
                        Part::ShortYear { first } => {
                            found.year = first + (number + 100 - first % 100) % 100;
                        }
                        Part::Month { .. } => found.month = small,
                        Part::Day { .. } => found.day = small,
                        Part::Hour { .. } => hour = Some(small),
                        Part::Minute => minute = Some(small),
                        _ => {
                            let fraction = rest.strip_prefix(['.', ',']).map_or(0, |digits| {
                                digits.bytes().take_while(u8::is_ascii_digit).count()
                            });
                            let mut digits = String::new();
                            if fraction > 0 {
                                digits.push_str(&rest[1..=fraction]);
                                rest = &rest[1 + fraction..];
                            }
                            second = Some((small, digits));
                        }
                    }
                }
            }
        }
        if !rest.is_empty() {
            return None;
        }
        if let (Some(mut hour), Some(minute)) = (hour, minute) {
            if let Some(half) = half {
                if !(1..=12).contains(&hour) {
                    return None;
                }
                hour = hour % 12 + half;
            }
            let whole = hour < 24 && minute < 60;
            if !whole || second.as_ref().is_some_and(|(second, _)| *second > 60) {
                return None;
            }
            found.time = Some((hour, minute, second));
        }
        Some(found)
    }

    /// `None` where the format has no room for the year.
    fn write(&self, moment: &Moment) -> Option<String> {
        let mut text = String::new();
        let number = |text: &mut String, number: u8, padded: bool| {
            text.push_str(&if padded {
                format!("{number:02}")
            } else {
                number.to_string()
            });
        };
        let (hour, minute, second) = moment.time.clone().unwrap_or_default();
        let halved = self.has(Part::Half);
        for part in &self.parts {
            match part {
                Part::Year => text.push_str(&format!("{:04}", moment.year)),
                Part::ShortYear { first } => {
                    if !(*first..first + 100).contains(&moment.year) {
                        return None;
                    }
                    text.push_str(&format!("{:02}", moment.year % 100));
                }
                Part::MonthName { tongue, short } => {
                    text.push_str(tongue.written(moment.month, *short)?);
                }
                Part::Month { padded } => number(&mut text, moment.month, *padded),
                Part::Day { padded } => number(&mut text, moment.day, *padded),
                Part::Hour { padded } => {
                    let hour = if halved { (hour + 11) % 12 + 1 } else { hour };
                    number(&mut text, hour, *padded);
                }
                Part::Minute => number(&mut text, minute, true),
                Part::Second => {
                    let (second, fraction) = second.clone().unwrap_or_default();
                    number(&mut text, second, true);
                    if !fraction.is_empty() {
                        text.push('.');
                        text.push_str(&fraction);
                    }
                }
                Part::Half => text.push_str(if hour < 12 { "AM" } else { "PM" }),
                Part::Letter(letter) => text.push(*letter),
            }
        }
        Some(text)
    }
}

/// What stands in the brackets that `text` begins with.
fn bracketed(text: &str) -> Option<&str> {
    text.strip_prefix('[')?
        .split_once(']')
        .map(|(inner, _)| inner)
}

fn of_date(part: Part) -> bool {
    matches!(
        part,
        Part::Year
            | Part::ShortYear { .. }
            | Part::Month { .. }
            | Part::MonthName { .. }
            | Part::Day { .. }
    )
}

fn of_time(part: Part) -> bool {
    matches!(
        part,
        Part::Hour { .. } | Part::Minute | Part::Second | Part::Half
    )
}

/// `YYYY-MM` and nothing else.
fn year_and_month(text: &str) -> Option<(u16, u8)> {
    let (year, month) = text.split_once('-')?;
    let digits = |text: &str, count: usize| {
        text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !digits(year, 4) || !digits(month, 2) {
        return None;
    }
    let month = month
        .parse()
        .ok()
        .filter(|month| (1..=12).contains(month))?;
    Some((year.parse().ok()?, month))
}

impl Moment {
    fn plain(&self) -> Option<String> {
        let date = format!("{:04}-{:02}-{:02}", self.year, self.month, self.day);
        Date::parse(&date)?;
        Some(match &self.time {
            None => date,
            Some((hour, minute, None)) => format!("{date}T{hour:02}:{minute:02}"),
            Some((hour, minute, Some((second, fraction)))) => {
                let dot = if fraction.is_empty() { "" } else { "." };
                format!("{date}T{hour:02}:{minute:02}:{second:02}{dot}{fraction}")
            }
        })
    }

    /// Reads what [`Moment::plain`] writes.
    fn of_plain(text: &str) -> Option<Moment> {
        let (date, time) = match text.split_once('T') {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let found = Date::parse(date).filter(|_| date.len() == 10)?;
        let mut moment = Moment {
            year: found.year,
            month: found.month,
            day: found.day,
            time: None,
        };
        if let Some(time) = time {
            let mut parts = time.splitn(3, ':');
            let two = |part: Option<&str>| {
                part.filter(|part| part.len() == 2)
                    .and_then(|part| part.parse::<u8>().ok())
            };
            let (hour, minute) = (two(parts.next())?, two(parts.next())?);
            let second = match parts.next() {
                None => None,
                Some(part) => {
                    let (whole, fraction) = part.split_once('.').unwrap_or((part, ""));
                    Some((two(Some(whole))?, fraction.to_owned()))
                }
            };
            moment.time = Some((hour, minute, second));
        }
        (moment.plain().as_deref() == Some(text)).then_some(moment)
    }
}

impl TryFrom<String> for DateFormat {
    type Error = DateFormatMistake;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        DateFormat::parse(&text)
    }
}

impl From<DateFormat> for String {
    fn from(format: DateFormat) -> String {
        format.text()
    }
}

#[cfg(test)]
mod tests;
