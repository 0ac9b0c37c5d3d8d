//! Time zones of office hours: a fixed offset, or a place with the summer time of Europe or of the United States.
//!
//! # Idea
//!
//! The caller's clock is that of UTC. An attribute of the clock may name a zone, and is then what a clock on the wall there shows. There is
//! no file of all zones here: a place has its offset and one of two rules of summer time, which have been the same since 2007. Of
//! another place a policy says the offset, `+05:30`.

use serde::Serialize;

use crate::attribute::Moment;
use crate::value::{civil, days};

/// A zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Zone {
    /// Minutes east of Greenwich, in winter.
    offset: i64,
    summer: Summer,
}

/// When clocks are an hour ahead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
enum Summer {
    #[default]
    Never,
    /// From the last Sunday of March, 01:00 UTC, to the last of October, 01:00 UTC.
    Europe,
    /// From the second Sunday of March, 2:00 by the clock on the wall, to the first of November, 2:00.
    UnitedStates,
}

/// Places by their offset in minutes and their rule.
const PLACES: &[(i64, Summer, &str)] = &[
    (0, Summer::Never, "UTC Atlantic/Reykjavik"),
    (
        0,
        Summer::Europe,
        "Europe/London Europe/Dublin Europe/Lisbon",
    ),
    (
        60,
        Summer::Europe,
        "Europe/Amsterdam Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Budapest Europe/Copenhagen \
         Europe/Ljubljana Europe/Luxembourg Europe/Madrid Europe/Oslo Europe/Paris Europe/Prague Europe/Rome Europe/Stockholm \
         Europe/Vaduz Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich",
    ),
    (
        120,
        Summer::Europe,
        "Europe/Athens Europe/Bucharest Europe/Helsinki Europe/Riga Europe/Sofia Europe/Tallinn Europe/Vilnius",
    ),
    (
        -300,
        Summer::UnitedStates,
        "America/New_York America/Toronto",
    ),
    (-360, Summer::UnitedStates, "America/Chicago"),
    (-420, Summer::UnitedStates, "America/Denver"),
    (-420, Summer::Never, "America/Phoenix"),
    (
        -480,
        Summer::UnitedStates,
        "America/Los_Angeles America/Vancouver",
    ),
];

impl Zone {
    /// The zone that a policy calls `Europe/Berlin`, `UTC` or `+05:30`.
    pub fn named(name: &str) -> Option<Zone> {
        let place = PLACES
            .iter()
            .find(|(_, _, names)| names.split_whitespace().any(|own| own == name));
        if let Some((offset, summer, _)) = place {
            return Some(Zone {
                offset: *offset,
                summer: *summer,
            });
        }
        let (sign, rest) = match name.as_bytes().first()? {
            b'+' => (1, &name[1..]),
            b'-' => (-1, &name[1..]),
            _ => return None,
        };
        let (hours, minutes) = rest.split_once(':')?;
        let two = |text: &str| {
            let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse::<i64>().ok()).flatten()
        };
        let (hours, minutes) = (two(hours)?, two(minutes)?);
        (hours <= 14 && minutes < 60).then(|| Zone {
            offset: sign * (hours * 60 + minutes),
            summer: Summer::Never,
        })
    }

    /// What a clock on the wall shows at a moment of UTC.
    pub fn wall(self, utc: Moment) -> Moment {
        let ahead = if self.is_summer(utc) { 60 } else { 0 };
        utc.plus(self.offset + ahead)
    }

    fn is_summer(self, utc: Moment) -> bool {
        let (year, _, _) = civil(utc.day);
        let minutes = |day: i64, minute: i64| day * 1440 + minute;
        let now = minutes(utc.day, utc.minute);
        // The Sunday on or before a day, and the one on or after it; 1970-01-01 was a Thursday.
        let sunday_until = |day: i64| day - (day + 4).rem_euclid(7);
        let sunday_from = |day: i64| day + (-(day + 4)).rem_euclid(7);
        let day = |month: i64, day: i64| days(year, month, day).unwrap_or(0);
        let (from, to) = match self.summer {
            Summer::Never => return false,
            Summer::Europe => (
                minutes(sunday_until(day(3, 31)), 60),
                minutes(sunday_until(day(10, 31)), 60),
            ),
            Summer::UnitedStates => (
                minutes(sunday_from(day(3, 8)), 120 - self.offset),
                minutes(sunday_from(day(11, 1)), 60 - self.offset),
            ),
        };
        (from..to).contains(&now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn shows(zone: &str, utc: &str, wall: &str) {
        let zone = Zone::named(zone).expect("a zone");
        let utc = Moment::from_text(utc).expect("a moment");
        assert_eq!(zone.wall(utc).to_string(), wall);
    }

    #[test]
    fn clocks_on_walls_are_ahead_in_summer() {
        shows("Europe/Berlin", "2026-01-15 08:00", "2026-01-15 09:00");
        shows("Europe/Berlin", "2026-07-15 07:00", "2026-07-15 09:00");
        // 29 March and 25 October 2026 are the last Sundays.
        shows("Europe/Berlin", "2026-03-29 00:59", "2026-03-29 01:59");
        shows("Europe/Berlin", "2026-03-29 01:00", "2026-03-29 03:00");
        shows("Europe/Berlin", "2026-10-25 00:59", "2026-10-25 02:59");
        shows("Europe/Berlin", "2026-10-25 01:00", "2026-10-25 02:00");
        shows("Europe/Berlin", "2026-12-31 23:30", "2027-01-01 00:30");
        // 8 March and 1 November 2026 are the days of the United States.
        shows("America/New_York", "2026-03-08 06:59", "2026-03-08 01:59");
        shows("America/New_York", "2026-03-08 07:00", "2026-03-08 03:00");
        shows("America/New_York", "2026-11-01 05:59", "2026-11-01 01:59");
        shows("America/New_York", "2026-11-01 06:00", "2026-11-01 01:00");
        shows("+05:30", "2026-07-15 20:00", "2026-07-16 01:30");
        shows("-03:00", "2026-07-15 02:00", "2026-07-14 23:00");
        shows("UTC", "2026-07-15 02:00", "2026-07-15 02:00");
    }

    #[test]
    fn what_is_no_zone_is_none() {
        for wrong in [
            "",
            "Berlin",
            "europe/berlin",
            "+5:30",
            "+15:00",
            "+05:60",
            "05:30",
            "UTC ",
        ] {
            assert_eq!(Zone::named(wrong), None, "{wrong}");
        }
    }
}
