//! Dates: months, quarters and years; and weeks as ISO 8601 counts them, which nest in no month.

use super::ReadyMade;
use crate::{Date, DatePart};

pub(super) const DATES: ReadyMade = ReadyMade {
    name: "dates",
    summary: "dates of the calendar",
    levels: &["month", "quarter", "year"],
    example: "2024-05-17 > 2024-05 > 2024-Q2 > 2024",
    source: "the Gregorian calendar",
    of: dates,
};

pub(super) const WEEKS: ReadyMade = ReadyMade {
    name: "iso-weeks",
    summary: "dates by the week that begins on Monday, and the year that week belongs to",
    levels: &["week", "year of the week"],
    example: "2024-05-17 > 2024-W20 > 2024",
    source: "ISO 8601",
    of: weeks,
};

fn dates(value: &str) -> Option<Vec<String>> {
    let date = Date::parse(value)?;
    let parts = [DatePart::Month, DatePart::Quarter, DatePart::Year];
    Some(parts.map(|part| part.of(date)).to_vec())
}

fn weeks(value: &str) -> Option<Vec<String>> {
    let (year, week) = Date::parse(value)?.week();
    Some(vec![format!("{year:04}-W{week:02}"), format!("{year:04}")])
}
