//! Moments as people write them: `2026-03-02 09:30`, and back.

use crate::attribute::Moment;
use crate::value::{Value, days};
use std::fmt;

impl Moment {
    /// Reads `2026-03-02`, `2026-03-02 09:30` or `2026-03-02T09:30`, with optional seconds (dropped) and an optional `Z`; a day alone is
    /// its midnight.
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_suffix('Z').unwrap_or(text);
        let (date, time) = match text.split_once(['T', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let mut parts = date.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        if parts.next().is_some() || year.len() != 4 {
            return None;
        }
        let day = days(
            digits(year, 4)?,
            digits(month, 2).filter(|month| (1..=12).contains(month))?,
            digits(day, 2).filter(|day| (1..=31).contains(day))?,
        )?;
        let minute = match time {
            Some(time) => Self::minute_from_text(time)?,
            None => 0,
        };
        Some(Self { day, minute })
    }

    /// Minutes since midnight of `09:30` or `09:30:15`.
    pub fn minute_from_text(text: &str) -> Option<i64> {
        let mut parts = text.split(':');
        let hour = digits(parts.next()?, 2).filter(|hour| *hour < 24)?;
        let minute = digits(parts.next()?, 2).filter(|minute| *minute < 60)?;
        if let Some(seconds) = parts.next() {
            digits(seconds, 2).filter(|second| *second < 60)?;
        }
        parts.next().is_none().then_some(hour * 60 + minute)
    }
}

/// A number of exactly or, for hours and days, up to `width` digits.
fn digits(text: &str, width: usize) -> Option<i64> {
    let plain = (1..=width).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    plain.then(|| text.parse().ok()).flatten()
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hour, minute) = (self.minute / 60, self.minute % 60);
        write!(f, "{} {hour:02}:{minute:02}", Value::Date(self.day))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_read_back() {
        // the years 53 to 4160: all have four digits
        for day in (-700_000..800_000).step_by(97) {
            let then = Moment {
                day,
                minute: day.rem_euclid(1440),
            };
            let text = then.to_string();
            assert_eq!(Moment::from_text(&text), Some(then), "{text}");
        }
        let noon = Some(Moment {
            day: 19782,
            minute: 12 * 60 + 5,
        });
        for text in [
            "2024-02-29 12:05",
            "2024-02-29T12:05:59Z",
            " 2024-02-29T12:05",
        ] {
            assert_eq!(Moment::from_text(text), noon);
        }
        for text in [
            "",
            "today",
            "2023-02-29",
            "2024-13-01",
            "2024-04-31",
            "2024-1-1-1",
            "24-01-01",
            "2024-01-01 24:00",
            "2024-01-01 9",
            "2024-01-01 09:60",
            "2024-01-01 -9:00",
            "2024-01-01 09:00:00:00",
        ] {
            assert_eq!(Moment::from_text(text), None, "{text}");
        }
    }
}
