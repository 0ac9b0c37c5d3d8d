//! Attributes of roles and of the system, each over a declared finite domain.

use crate::error::Error;
use crate::zone::Zone;
use denym_data::nearest;
use serde::Serialize;

/// The values an attribute can have. Every value has a whole-number code, so that conditions compare numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Domain {
    /// Whole numbers from the least to the most.
    Integer {
        /// Smallest value.
        least: i64,
        /// Largest value.
        most: i64,
    },
    /// Names in ascending order: all comparisons apply.
    Levels(Vec<String>),
    /// Names without order: only = and != apply.
    Names(Vec<String>),
    /// True or false.
    Truth,
    /// Minutes since midnight, written `09:30`.
    TimeOfDay,
}

impl Domain {
    /// The code of a value written as text; `None` when it is outside the domain.
    pub fn code(&self, text: &str) -> Option<i64> {
        let code = match self {
            Self::Integer { .. } => text.parse().ok()?,
            Self::Levels(names) | Self::Names(names) => {
                i64::try_from(names.iter().position(|name| name == text)?).ok()?
            }
            Self::Truth => match text {
                "true" => 1,
                "false" => 0,
                _ => return None,
            },
            Self::TimeOfDay => {
                let (hours, minutes) = text.split_once(':')?;
                if minutes.len() != 2 {
                    return None;
                }
                let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
                if !(0..24).contains(&hours) || !(0..60).contains(&minutes) {
                    return None;
                }
                hours * 60 + minutes
            }
        };
        let (least, most) = self.bounds();
        (least..=most).contains(&code).then_some(code)
    }

    /// The value of a code, as text.
    pub fn text(&self, code: i64) -> String {
        match self {
            Self::Integer { .. } => code.to_string(),
            Self::Levels(names) | Self::Names(names) => usize::try_from(code)
                .ok()
                .and_then(|index| names.get(index))
                .cloned()
                .unwrap_or_default(),
            Self::Truth => (code == 1).to_string(),
            Self::TimeOfDay => format!("{:02}:{:02}", code / 60, code % 60),
        }
    }

    /// Smallest and largest code.
    pub fn bounds(&self) -> (i64, i64) {
        match self {
            Self::Integer { least, most } => (*least, *most),
            Self::Levels(names) | Self::Names(names) => {
                (0, i64::try_from(names.len()).unwrap_or(i64::MAX) - 1)
            }
            Self::Truth => (0, 1),
            Self::TimeOfDay => (0, 24 * 60 - 1),
        }
    }

    /// Whether < and > mean something.
    pub fn is_ordered(&self) -> bool {
        !matches!(self, Self::Names(_) | Self::Truth)
    }

    /// The domain in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Integer { least, most } => format!("the whole numbers {least} to {most}"),
            Self::Levels(names) => format!("the levels {}", names.join(" < ")),
            Self::Names(names) => format!("one of {}", names.join(", ")),
            Self::Truth => "true or false".into(),
            Self::TimeOfDay => "a time of day, 00:00 to 23:59".into(),
        }
    }
}

/// A part of the clock that a system attribute follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockPart {
    /// 0 to 23.
    Hour,
    /// Minutes since midnight.
    TimeOfDay,
    /// mon, tue, wed, thu, fri, sat, sun.
    Weekday,
}

/// Who supplies the value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The user who activates a role (Definition 3.3.2).
    Role,
    /// The system (Definition 3.3.3).
    System,
    /// The system's clock, as a clock on the wall of a place shows it.
    Clock(ClockPart, Zone),
}

/// One declared attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Who supplies the value.
    pub scope: Scope,
    /// Its values.
    pub domain: Domain,
}

/// A moment as the clock attributes see it. The caller reads the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Days since 1970-01-01.
    pub day: i64,
    /// Minutes since midnight.
    pub minute: i64,
}

impl Moment {
    /// The moment `minutes` later.
    #[must_use]
    pub fn plus(self, minutes: i64) -> Self {
        let total = self.day * 1440 + self.minute + minutes;
        Self {
            day: total.div_euclid(1440),
            minute: total.rem_euclid(1440),
        }
    }

    /// The code of a clock part; 1970-01-01 was a Thursday.
    pub fn part(self, part: ClockPart) -> i64 {
        match part {
            ClockPart::Hour => self.minute / 60,
            ClockPart::TimeOfDay => self.minute,
            ClockPart::Weekday => (self.day + 3).rem_euclid(7),
        }
    }
}

/// All declared attributes, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes {
    list: Vec<Attribute>,
}

/// One value per declared attribute, by its code; `None` is missing.
pub type Values = Vec<Option<i64>>;

impl Attributes {
    /// From declarations; names are unique (the policy reader sees to it, the first one counts).
    pub fn new(list: Vec<Attribute>) -> Self {
        Self { list }
    }

    /// The declarations.
    pub fn list(&self) -> &[Attribute] {
        &self.list
    }

    /// The place of an attribute.
    pub fn find(&self, name: &str) -> Result<usize, Error> {
        self.list
            .iter()
            .position(|attribute| attribute.name == name)
            .ok_or_else(|| Error::AttributeUnknown {
                name: name.to_owned(),
                nearest: nearest(name, self.list.iter().map(|a| a.name.as_str()))
                    .map(str::to_owned),
            })
    }

    /// The codes of named values; what is not named is missing.
    pub fn values<'a>(
        &self,
        named: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Values, Error> {
        let mut out = vec![None; self.list.len()];
        for (name, text) in named {
            let index = self.find(name)?;
            let domain = &self.list[index].domain;
            let code = domain.code(text).ok_or_else(|| Error::OutsideDomain {
                name: name.to_owned(),
                domain: domain.describe(),
            })?;
            out[index] = Some(code);
        }
        Ok(out)
    }

    /// Sets the clock attributes to a moment.
    pub fn set_clock(&self, values: &mut Values, now: Moment) {
        values.resize(self.list.len(), None);
        for (attribute, value) in self.list.iter().zip(values) {
            if let Scope::Clock(part, zone) = attribute.scope {
                *value = Some(zone.wall(now).part(part));
            }
        }
    }

    /// What a condition sees: role attributes from the user, all others from the system. Neither side can set the other's.
    pub fn join(&self, user: &Values, system: &Values) -> Values {
        self.list
            .iter()
            .enumerate()
            .map(|(index, attribute)| {
                let source = if attribute.scope == Scope::Role {
                    user
                } else {
                    system
                };
                source.get(index).copied().flatten()
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_texts_are_inverse() {
        let domains = [
            Domain::Integer { least: -3, most: 4 },
            Domain::Levels(vec!["low".into(), "high".into()]),
            Domain::Names(vec!["x".into(), "y".into(), "z".into()]),
            Domain::Truth,
            Domain::TimeOfDay,
        ];
        for domain in domains {
            let (least, most) = domain.bounds();
            for code in least..=most {
                assert_eq!(domain.code(&domain.text(code)), Some(code));
            }
            assert_eq!(domain.code("nothing of that kind"), None);
        }
        assert_eq!(Domain::Integer { least: 0, most: 9 }.code("10"), None);
        assert_eq!(Domain::TimeOfDay.code("24:00"), None);
        assert_eq!(Domain::TimeOfDay.code("9:5"), None);
    }

    #[test]
    fn the_clock_knows_its_weekday() {
        // 2024-02-29 was a Thursday and day 19782.
        let now = Moment {
            day: 19782,
            minute: 23 * 60 + 30,
        };
        assert_eq!(now.part(ClockPart::Weekday), 3);
        assert_eq!(now.part(ClockPart::Hour), 23);
        let later = now.plus(45);
        assert_eq!((later.day, later.minute), (19783, 15));
        assert_eq!(later.part(ClockPart::Weekday), 4);
    }
}
