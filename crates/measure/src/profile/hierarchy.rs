//! How the values of a column could be generalized, guessed from what they are.

use denym_data::{DatePart, Decimal, Dictionary, End, Kind};

use super::Pattern;

/// A hierarchy that `denym-data` can compute.
#[derive(Debug, Clone, PartialEq)]
pub enum GuessedHierarchy {
    /// Intervals of these widths, each a multiple of the one before.
    Intervals(Vec<Decimal>),
    /// Coarser and coarser parts of a date.
    Dates(Vec<DatePart>),
    /// Characters masked from one end, so many at a time.
    Redaction {
        /// Which end.
        end: End,
        /// Characters per level.
        step: usize,
    },
    /// The value or nothing.
    KeepOrSuppress,
}

/// Widths doubling from about a twentieth of the range, date parts, redaction for codes of one length, else nothing.
pub fn guess_hierarchy(dictionary: &Dictionary, pattern: Option<Pattern>) -> GuessedHierarchy {
    match dictionary.kind() {
        Kind::Date => {
            GuessedHierarchy::Dates(vec![DatePart::Month, DatePart::Year, DatePart::Decade])
        }
        Kind::Integer | Kind::Decimal if pattern != Some(Pattern::Postcode) => {
            intervals(dictionary)
        }
        Kind::Boolean => GuessedHierarchy::KeepOrSuppress,
        Kind::Integer | Kind::Decimal | Kind::Text => {
            let mut lengths = dictionary.values().map(|value| value.chars().count());
            let same = lengths.next().is_some_and(|first| {
                (3..=12).contains(&first) && lengths.all(|length| length == first)
            });
            let codes = dictionary
                .values()
                .all(|value| value.bytes().filter(u8::is_ascii_digit).count() * 2 >= value.len());
            if same && codes && dictionary.values().len() > 10 || pattern == Some(Pattern::Postcode)
            {
                GuessedHierarchy::Redaction {
                    end: End::Right,
                    step: 1,
                }
            } else {
                GuessedHierarchy::KeepOrSuppress
            }
        }
    }
}

/// Four widths, the first a round number near a twentieth of the range; doubled each time, so that they nest.
fn intervals(dictionary: &Dictionary) -> GuessedHierarchy {
    let numbers: Vec<f64> = dictionary.numbers().into_iter().flatten().collect();
    let (Some(&low), Some(&high)) = (numbers.first(), numbers.last()) else {
        return GuessedHierarchy::KeepOrSuppress;
    };
    let range = high - low;
    if numbers.len() < 4 || range <= 0.0 {
        return GuessedHierarchy::KeepOrSuppress;
    }
    let least = if dictionary.kind() == Kind::Integer {
        1.0
    } else {
        1e-6
    };
    let target = (range / 20.0).max(least);
    // The largest of 1, 2, 5 times a power of ten that is not above the target.
    let power = target.log10().floor();
    let base = [5.0, 2.0, 1.0]
        .into_iter()
        .map(|digit| digit * 10_f64.powf(power))
        .find(|width| *width <= target * (1.0 + 1e-9))
        .unwrap_or(least);
    let decimals = usize::try_from((-power).max(0.0) as i64)
        .unwrap_or(0)
        .min(6);
    let widths: Vec<Decimal> = (0..4)
        .map(|step| base * f64::from(1 << step))
        .filter_map(|width| Decimal::parse(&format!("{width:.decimals$}")))
        .collect();
    if widths.len() == 4 {
        GuessedHierarchy::Intervals(widths)
    } else {
        GuessedHierarchy::KeepOrSuppress
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use denym_data::{Hierarchy, Strings};

    fn dictionary(values: &[String]) -> Dictionary {
        let strings: Strings = values.iter().map(String::as_str).collect();
        Dictionary::build(&strings, false, None).0
    }

    #[test]
    fn guesses_build() {
        let ages: Vec<String> = (17..91).map(|age| age.to_string()).collect();
        let ages = dictionary(&ages);
        let GuessedHierarchy::Intervals(widths) = guess_hierarchy(&ages, None) else {
            panic!("ages get intervals");
        };
        assert_eq!(widths[0], Decimal::whole(2));
        assert!(Hierarchy::intervals(&ages, &widths).is_ok());
        let shares: Vec<String> = (0..50).map(|i| format!("0.{i:02}")).collect();
        let shares = dictionary(&shares);
        let GuessedHierarchy::Intervals(widths) = guess_hierarchy(&shares, None) else {
            panic!("shares get intervals");
        };
        assert!(widths[0] < Decimal::whole(1), "{widths:?}");
        assert!(Hierarchy::intervals(&shares, &widths).is_ok(), "{widths:?}");
        let codes: Vec<String> = (0..20).map(|i| format!("021{i:02}")).collect();
        let codes = dictionary(&codes);
        assert_eq!(
            guess_hierarchy(&codes, Some(Pattern::Postcode)),
            GuessedHierarchy::Redaction {
                end: End::Right,
                step: 1
            }
        );
        let colors = dictionary(&["red".to_owned(), "green".to_owned()]);
        assert_eq!(
            guess_hierarchy(&colors, None),
            GuessedHierarchy::KeepOrSuppress
        );
    }
}
