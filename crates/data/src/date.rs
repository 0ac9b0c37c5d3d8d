//! Calendar dates and the coarser parts they generalize to.

/// A date of the proleptic Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// 0 to 9999.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

/// A part of a date that a hierarchy level can keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DatePart {
    /// `2024-03-07`, without its time of day.
    Day,
    /// `2024-W10`, the week of ISO 8601; it lies in two months or years, so no part is coarser.
    Week,
    /// `2024-03`.
    Month,
    /// `2024-Q1`.
    Quarter,
    /// `2024`.
    Year,
    /// `2020-2024`.
    FiveYears,
    /// `2020s`.
    Decade,
    /// `1900s` as `20th century` would be read differently in different places, so `2000-2099`.
    Century,
}

impl Date {
    /// Reads `YYYY-MM-DD`, with a time after `T` or a space ignored; `None` when it is no date of the calendar, or something else follows.
    pub fn parse(text: &str) -> Option<Date> {
        let (text, time) = text.split_once(['T', ' ']).unwrap_or((text, ""));
        let of_time = |c: char| c.is_ascii_digit() || ":.,+- ZUTC".contains(c);
        if !time.chars().all(of_time) {
            return None;
        }
        let bytes = text.as_bytes();
        if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
            return None;
        }
        let number = |range: std::ops::Range<usize>| -> Option<u16> {
            let digits = text.get(range)?;
            if digits.bytes().all(|b| b.is_ascii_digit()) {
                digits.parse().ok()
            } else {
                None
            }
        };
        let (year, month, day) = (number(0..4)?, number(5..7)? as u8, number(8..10)? as u8);
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if leap => 29,
            2 => 28,
            _ => return None,
        };
        (1..=days)
            .contains(&day)
            .then_some(Date { year, month, day })
    }

    /// Days since 1970-01-01 (Howard Hinnant's civil calendar arithmetic).
    pub fn days(self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era * 146_097 + day_of_era - 719_468
    }
}

impl Date {
    /// The week as ISO 8601 counts it, and the year that it belongs to: the one of its Thursday.
    pub fn week(self) -> (u16, u8) {
        let day_of_week = (self.days() + 3).rem_euclid(7);
        let thursday = self.days() - day_of_week + 3;
        let first = |year: u16| {
            Date {
                year,
                month: 1,
                day: 1,
            }
            .days()
        };
        let year = if thursday < first(self.year) {
            self.year.saturating_sub(1)
        } else if thursday >= first(self.year + 1) {
            self.year + 1
        } else {
            self.year
        };
        // Between 1 and 53.
        let week = u8::try_from((thursday - first(year)) / 7 + 1).unwrap_or(1);
        (year, week)
    }
}

impl DatePart {
    /// Every part with the word a policy uses, finest first.
    pub const ALL: [(&'static str, DatePart); 8] = [
        ("day", DatePart::Day),
        ("week", DatePart::Week),
        ("month", DatePart::Month),
        ("quarter", DatePart::Quarter),
        ("year", DatePart::Year),
        ("five-years", DatePart::FiveYears),
        ("decade", DatePart::Decade),
        ("century", DatePart::Century),
    ];

    /// The part a policy means by `name`.
    pub fn parse(name: &str) -> Option<DatePart> {
        DatePart::ALL
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, part)| *part)
    }

    /// What is left of `date` at this part.
    pub fn of(self, date: Date) -> String {
        let Date { year, month, day } = date;
        match self {
            DatePart::Day => format!("{year:04}-{month:02}-{day:02}"),
            DatePart::Week => {
                let (year, week) = date.week();
                format!("{year:04}-W{week:02}")
            }
            DatePart::Month => format!("{year:04}-{month:02}"),
            DatePart::Quarter => format!("{year:04}-Q{}", (month - 1) / 3 + 1),
            DatePart::Year => format!("{year:04}"),
            DatePart::FiveYears => format!("{}-{}", year / 5 * 5, year / 5 * 5 + 4),
            DatePart::Decade => format!("{}s", year / 10 * 10),
            DatePart::Century => format!("{}-{}", year / 100 * 100, year / 100 * 100 + 99),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_calendar() {
        assert_eq!(Date::parse("1970-01-01").unwrap().days(), 0);
        assert_eq!(Date::parse("2000-03-01").unwrap().days(), 11_017);
        assert_eq!(Date::parse("1969-12-31").unwrap().days(), -1);
        assert!(Date::parse("2024-02-29").is_some());
        assert!(Date::parse("2024-02-29T10:00").is_some());
        for bad in [
            "2023-02-29",
            "2024-13-01",
            "2024-1-01",
            "20240101",
            "",
            "abcd-ef-gh",
            "2024-00-10",
            "é024-01-01",
        ] {
            assert!(Date::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn weeks_begin_on_monday_and_belong_to_the_year_of_their_thursday() {
        let week = |text: &str| Date::parse(text).unwrap().week();
        assert_eq!(week("2021-01-03"), (2020, 53));
        assert_eq!(week("2021-01-04"), (2021, 1));
        assert_eq!(week("2024-12-30"), (2025, 1));
        assert_eq!(week("2024-05-17"), (2024, 20));
        assert_eq!(week("1970-01-01"), (1970, 1));
    }

    #[test]
    fn parts_are_coarser_and_coarser() {
        let date = Date::parse("2024-05-17").unwrap();
        let parts: Vec<String> = DatePart::ALL
            .iter()
            .map(|(_, part)| part.of(date))
            .collect();
        assert_eq!(
            parts,
            [
                "2024-05-17",
                "2024-W20",
                "2024-05",
                "2024-Q2",
                "2024",
                "2020-2024",
                "2020s",
                "2000-2099"
            ]
        );
    }
}
