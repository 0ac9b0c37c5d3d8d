//! What the values of a column are like, as far as guards care: prose, numbers written as text, numbers that somebody assigned.

use denym_data::{Column, Kind};
use denym_measure::recognize::{self, find_pattern};

/// Whether values are prose, by the same test as in profiles; the name of the column says nothing here, so that a short `note` is no alarm.
pub(super) fn is_prose(column: &Column) -> bool {
    let dictionary = &column.dictionary;
    dictionary.kind() == Kind::Text
        && find_pattern(dictionary).is_none()
        && recognize::is_prose(dictionary, column.codes.len() as u64, false)
}

/// Whether values are measurements: numbers, dates, or texts of digits and the marks of numbers and dates.
pub(super) fn is_measured(column: &Column) -> bool {
    let dictionary = &column.dictionary;
    if dictionary.kind() != Kind::Text {
        return dictionary.kind() != Kind::Boolean;
    }
    // A mark inside tells a number or a date from a code; letters of a unit may follow.
    let number = |text: &&str| {
        let text = text.trim();
        let digits = text.chars().filter(char::is_ascii_digit).count();
        let marks = text
            .chars()
            .filter(|c| ".,:/-+ \u{a0}'%€$£".contains(*c))
            .count();
        let inner = text.trim_matches(|c: char| !c.is_ascii_digit());
        digits > 0
            && digits + marks == text.chars().count()
            && inner.contains(['.', ',', ':', '/', '-'])
    };
    let (mut all, mut fits) = (0, 0);
    for text in dictionary.values().take(1000) {
        all += 1;
        fits += usize::from(number(&text));
    }
    all > 0 && fits * 10 >= all * 9
}

/// Whether whole numbers were assigned one by one: no two are the same, though so many drawn from their range would have met at least
/// `meetings` times.
pub(super) fn is_assigned(column: &Column, meetings: f64) -> bool {
    let dictionary = &column.dictionary;
    if dictionary.kind() != Kind::Integer {
        return false;
    }
    let numbers = dictionary.numbers();
    let mut numbers = numbers.iter().flatten().copied();
    let Some(first) = numbers.next() else {
        return false;
    };
    let (mut least, mut most, mut many) = (first, first, 1.0);
    for number in numbers {
        (least, most) = (least.min(number), most.max(number));
        many += 1.0;
    }
    many * (many - 1.0) / (2.0 * (most - least + 1.0)) >= meetings
}
