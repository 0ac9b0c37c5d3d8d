//! How the values of a column could be generalized, guessed from what they are.

use denym_data::{DatePart, Decimal, Dictionary, End, Kind, ReadyMade};

use crate::recognize::{Meaning, Pattern, Recognized};

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
    /// One that was written from public facts, by its name.
    ReadyMade(&'static str),
    /// A file that lies beside the data, by its name.
    File(String),
    /// The value or nothing.
    KeepOrSuppress,
}

/// Widths and parts that people use, redaction for postal codes and for codes of one length, else nothing.
pub fn guess_hierarchy(dictionary: &Dictionary, recognized: &Recognized) -> GuessedHierarchy {
    let postal = recognized.pattern == Some(Pattern::Postcode)
        || recognized.meaning() == Some(Meaning::PostalCode);
    let redaction = GuessedHierarchy::Redaction {
        end: End::Right,
        step: 1,
    };
    if let Some(name) = ready_made(dictionary, recognized) {
        return GuessedHierarchy::ReadyMade(name);
    }
    match dictionary.kind() {
        Kind::Date => dates(dictionary, recognized.meaning() == Some(Meaning::Birth)),
        Kind::Boolean => GuessedHierarchy::KeepOrSuppress,
        _ if postal && longest(dictionary) <= LONGEST_POSTCODE => redaction,
        Kind::Integer | Kind::Decimal => intervals(dictionary),
        Kind::Text if dictionary.values().len() > 10 && are_codes(dictionary) => redaction,
        Kind::Text => GuessedHierarchy::KeepOrSuppress,
    }
}

/// The ready-made hierarchy for what the column is about, when it covers every value.
fn ready_made(dictionary: &Dictionary, recognized: &Recognized) -> Option<&'static str> {
    let name = match (recognized.meaning(), recognized.pattern) {
        (Some(Meaning::Country | Meaning::Origin), _) => "countries",
        (Some(Meaning::Occupation), _) => "isco-08",
        (Some(Meaning::Health), _) | (_, Some(Pattern::DiagnosisCode)) => "icd-10",
        _ => return None,
    };
    let ready = ReadyMade::named(name)?;
    let covers = dictionary.values().len() > 0
        && dictionary
            .values()
            .all(|value| ready.labels(value).is_some());
    covers.then_some(name)
}

/// Signs of the longest postal code that anybody writes (`12345-6789`, `AB12 3CD` with a country before it).
const LONGEST_POSTCODE: usize = 12;

fn longest(dictionary: &Dictionary) -> usize {
    let lengths = dictionary.values().map(|value| value.chars().count());
    lengths.max().unwrap_or(0)
}

/// Whether all values have one length of three to twelve signs, at least half of them digits.
fn are_codes(dictionary: &Dictionary) -> bool {
    let mut lengths = dictionary.values().map(|value| value.chars().count());
    let same = lengths
        .next()
        .is_some_and(|first| (3..=12).contains(&first) && lengths.all(|length| length == first));
    same && dictionary
        .values()
        .all(|value| value.bytes().filter(u8::is_ascii_digit).count() * 2 >= value.len())
}

/// Days of three years: shorter spans have no use for decades, longer ones none for quarters.
const THREE_YEARS: f64 = 3.0 * 365.25;

/// Month, quarter and year for what happened lately; years, five years and decades for births and long spans.
fn dates(dictionary: &Dictionary, birth: bool) -> GuessedHierarchy {
    let days: Vec<f64> = dictionary.numbers().into_iter().flatten().collect();
    let span = days
        .last()
        .zip(days.first())
        .map_or(0.0, |(last, first)| last - first);
    GuessedHierarchy::Dates(if birth || span > THREE_YEARS {
        vec![
            DatePart::Month,
            DatePart::Year,
            DatePart::FiveYears,
            DatePart::Decade,
        ]
    } else {
        vec![DatePart::Month, DatePart::Quarter, DatePart::Year]
    })
}

/// Ranges that a column is cut into at the first width, about.
const RANGES: f64 = 20.0;

/// Widths of 5, 10, 20, 100 or 1, 2, 10, 20 and the same with zeros, so that the first cuts the bulk of the values into about
/// twenty ranges. Outliers on either side do not count.
fn intervals(dictionary: &Dictionary) -> GuessedHierarchy {
    let numbers: Vec<f64> = dictionary.numbers().into_iter().flatten().collect();
    let last = numbers.len().saturating_sub(1);
    let (Some(&low), Some(&high)) = (numbers.get(last / 20), numbers.get(last * 19 / 20)) else {
        return GuessedHierarchy::KeepOrSuppress;
    };
    let range = high - low;
    if numbers.len() < 4 || range <= 0.0 {
        return GuessedHierarchy::KeepOrSuppress;
    }
    let whole = dictionary.kind() == Kind::Integer;
    let target = range / RANGES;
    let mut power = target.log10().floor().clamp(-6.0, 14.0) as i32;
    let digit = target / 10_f64.powi(power);
    // The nearest of 1, 5 and 10 by ratio.
    let steps: [i64; 4] = if digit < 5_f64.sqrt() {
        [1, 2, 10, 20]
    } else if digit < 50_f64.sqrt() {
        [5, 10, 20, 100]
    } else {
        power += 1;
        [1, 2, 10, 20]
    };
    let least = if whole && range < 10.0 {
        2.0
    } else if whole {
        5.0
    } else {
        0.0
    };
    let widths = |steps: &[i64], power: i32| -> Vec<Decimal> {
        let scale = u32::try_from(-power).unwrap_or(0);
        let zeros = 10_i64.pow(u32::try_from(power).unwrap_or(0));
        steps
            .iter()
            .map(|step| step * zeros)
            .filter(|&width| {
                let width = width as f64 / 10_f64.powi((-power).max(0));
                width >= least && width < range
            })
            .filter_map(|width| Decimal::parse(&Decimal::format(i128::from(width), scale)))
            .collect()
    };
    let found = widths(&steps, power);
    match found.is_empty() {
        false if !(whole && (power < 0 || power == 0 && steps[0] == 1)) => {
            GuessedHierarchy::Intervals(found)
        }
        // Whole numbers over a short range: pairs and fours, or fives and tens.
        _ if whole => {
            let short = if range < 10.0 {
                widths(&[2, 4], 0)
            } else {
                widths(&[5, 10, 20], 0)
            };
            if short.is_empty() {
                GuessedHierarchy::KeepOrSuppress
            } else {
                GuessedHierarchy::Intervals(short)
            }
        }
        _ => GuessedHierarchy::KeepOrSuppress,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recognize::recognize;
    use denym_data::{Hierarchy, Strings};

    fn dictionary(values: &[String]) -> Dictionary {
        let strings: Strings = values.iter().map(String::as_str).collect();
        Dictionary::build(&strings, false, None).0
    }

    fn guess(name: &str, dictionary: &Dictionary) -> GuessedHierarchy {
        guess_hierarchy(dictionary, &recognize(name, dictionary, 1000))
    }

    /// The widths for these values; they build.
    fn widths(values: impl Iterator<Item = String>) -> String {
        let dictionary = dictionary(&values.collect::<Vec<_>>());
        match guess("x", &dictionary) {
            GuessedHierarchy::Intervals(widths) => {
                assert!(
                    Hierarchy::intervals(&dictionary, &widths).is_ok(),
                    "{widths:?}"
                );
                let texts: Vec<String> = widths
                    .iter()
                    .map(|width| Decimal::format(width.scaled(width.scale()), width.scale()))
                    .collect();
                texts.join(" ")
            }
            GuessedHierarchy::KeepOrSuppress => "-".into(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn intervals_are_those_that_people_use() {
        assert_eq!(widths((17..91).map(|age| age.to_string())), "5 10 20");
        assert_eq!(widths((1950..2006).map(|year| year.to_string())), "5 10 20");
        assert_eq!(widths((150..200).map(|cm| cm.to_string())), "5 10 20");
        assert_eq!(widths((0..16).map(|years| years.to_string())), "5 10");
        assert_eq!(widths((0..7).map(|children| children.to_string())), "2 4");
        assert_eq!(
            widths((0..300).map(|i| (i * 10).to_string())),
            "100 200 1000 2000"
        );
        assert_eq!(
            widths((0..100).map(|i| (900 + i * 10).to_string())),
            "50 100 200"
        );
        assert_eq!(
            widths((0..50).map(|i| format!("0.{i:02}"))),
            "0.01 0.02 0.1 0.2"
        );
        assert_eq!(
            widths((0..90).map(|i| format!("{}.{i:02}", i % 7))),
            "0.5 1 2"
        );
        // A few rich people do not make everybody else one range.
        let incomes = (0..200).map(|i| (i * 200).to_string());
        assert_eq!(
            widths(incomes.chain(["9000000".into()])),
            "1000 2000 10000 20000"
        );
        assert_eq!(widths((0..3).map(|i| i.to_string())), "-");
    }

    #[test]
    fn dates_codes_and_categories_have_their_own() {
        let days: Vec<String> = (1..13).map(|m| format!("2023-{m:02}-11")).collect();
        let parts = |name: &str| match guess(name, &dictionary(&days)) {
            GuessedHierarchy::Dates(parts) => parts.len(),
            other => panic!("{other:?}"),
        };
        assert_eq!((parts("admission"), parts("Geburtsdatum")), (3, 4));
        let codes: Vec<String> = (0..20).map(|i| format!("021{i:02}")).collect();
        let redaction = GuessedHierarchy::Redaction {
            end: End::Right,
            step: 1,
        };
        assert_eq!(guess("x", &dictionary(&codes)), redaction);
        // Whole numbers, but the name knows better.
        let numbers: Vec<String> = (10115..10160).map(|i| i.to_string()).collect();
        assert_eq!(guess("PLZ", &dictionary(&numbers)), redaction);
        let countries = dictionary(&["DE", "France", "Österreich"].map(str::to_owned));
        assert_eq!(
            guess("Land", &countries),
            GuessedHierarchy::ReadyMade("countries")
        );
        assert_eq!(guess("x", &countries), GuessedHierarchy::KeepOrSuppress);
        let codes = dictionary(&["I21.0", "E11.90", "C50.9"].map(str::to_owned));
        assert_eq!(guess("x", &codes), GuessedHierarchy::ReadyMade("icd-10"));
        let colors = dictionary(&["red".to_owned(), "green".to_owned()]);
        assert_eq!(guess("zip", &colors), redaction);
        assert_eq!(guess("color", &colors), GuessedHierarchy::KeepOrSuppress);
    }
}
