//! Times as people write them, as seconds.

use crate::Date;
use crate::notation::DateFormat;

/// Seconds in a day.
const DAY: i64 = 86_400;

/// Forms of a date and time that can be read in one way only; a column of times in another is brought into the form of ISO 8601
/// where it is read.
const FORMS: [&str; 6] = [
    "YYYY/MM/DD hh:mm:ss",
    "YYYY/MM/DD hh:mm",
    "DD.MM.YYYY hh:mm:ss",
    "DD.MM.YYYY hh:mm",
    "YYYY/MM/DD",
    "DD.MM.YYYY",
];

/// The seconds of a time: a whole number is taken as it is; a date and time counts from 1970, a time of day from midnight.
pub fn seconds(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<i64>() {
        return Some(number);
    }
    let (date, clock) = match text.split_once(['T', ' ']) {
        Some((date, clock)) => (Some(date), clock.trim()),
        None if text.contains(':') => (None, text),
        None => (Some(text), "00:00"),
    };
    let days = match date {
        Some(date) => match Date::parse(date) {
            Some(date) => date.days(),
            None => {
                let mut forms = FORMS.iter().filter_map(|form| DateFormat::parse(form).ok());
                return seconds(&forms.find_map(|form| form.plain(text))?);
            }
        },
        None => 0,
    };
    let clock = clock.trim_end_matches(['Z', 'z']);
    let mut parts = clock.splitn(3, ':');
    let whole = |part: &str, below: i64| {
        let digits =
            part.len() <= 2 && !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        part.parse::<i64>().ok().filter(|n| digits && *n < below)
    };
    let hours = whole(parts.next()?, 24)?;
    let minutes = whole(parts.next()?, 60)?;
    let seconds = match parts.next() {
        None => 0,
        // Fractions of a second are below any slot.
        Some(part) => whole(part.split('.').next()?, 61)?,
    };
    Some(days * DAY + hours * 3600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::seconds;

    #[test]
    fn reads_numbers_dates_and_clocks() {
        assert_eq!(seconds("1213084687"), Some(1_213_084_687));
        assert_eq!(seconds("1970-01-02 01:02:03"), Some(86_400 + 3723));
        assert_eq!(seconds("1970-01-01T00:00:59.5Z"), Some(59));
        assert_eq!(seconds("1970/01/02 01:02:03"), Some(86_400 + 3723));
        assert_eq!(seconds("02.01.1970 01:02"), Some(86_400 + 3720));
        assert_eq!(seconds("08:30"), Some(30_600));
        assert_eq!(seconds("1970-01-02"), Some(86_400));
        for wrong in [
            "",
            "noon",
            "25:00",
            "8:60",
            "1970-13-01 00:00",
            "::",
            "1:2:3:4",
        ] {
            assert_eq!(seconds(wrong), None, "{wrong}");
        }
    }
}
