//! Plain cell values, for evaluating masks in process.

use serde::Serialize;
use std::fmt;

/// The type of a column, as a policy declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Text.
    Text,
    /// Whole numbers.
    Integer,
    /// Numbers.
    Float,
    /// True or false.
    Boolean,
    /// A day.
    Date,
}

impl Kind {
    /// All kinds with their names in policies.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("text", Self::Text),
        ("integer", Self::Integer),
        ("float", Self::Float),
        ("boolean", Self::Boolean),
        ("date", Self::Date),
    ];

    /// Whether arithmetic applies.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Float)
    }
}

/// One cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing, or withheld.
    Null,
    /// Text.
    Text(String),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// True or false.
    Boolean(bool),
    /// Days since 1970-01-01.
    Date(i64),
}

impl Value {
    /// Text of a value; `None` for nothing.
    pub fn to_text(&self) -> Option<String> {
        match self {
            Self::Null => None,
            other => Some(other.to_string()),
        }
    }

    /// The value as a column of that kind shows it: itself, or its text in a text column.
    #[must_use]
    pub fn shown_as(self, kind: Kind) -> Self {
        match (&self, kind) {
            (Self::Null | Self::Text(_), _) => self,
            (_, Kind::Text) => Self::Text(self.to_string()),
            _ => self,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Text(text) => f.write_str(text),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Boolean(truth) => write!(f, "{truth}"),
            Self::Date(day) => {
                let (year, month, day) = civil(*day);
                write!(f, "{year:04}-{month:02}-{day:02}")
            }
        }
    }
}

/// Year, month and day of a day number (proleptic Gregorian; the usual era arithmetic with years from March).
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The day number of a date; `None` for a day that its month does not have.
pub(crate) fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let from_march = year - i64::from(month <= 2);
    let era = from_march.div_euclid(400);
    let year_of_era = from_march.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    let number = era * 146_097 + of_era - 719_468;
    (civil(number) == (year, month, day)).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_read_as_people_write_them() {
        for (day, text) in [
            (0, "1970-01-01"),
            (19782, "2024-02-29"),
            (-1, "1969-12-31"),
            (11016, "2000-02-29"),
        ] {
            assert_eq!(Value::Date(day).to_string(), text);
        }
    }
}
