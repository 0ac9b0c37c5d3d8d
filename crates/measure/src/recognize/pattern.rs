//! What the values of a column look like: e-mail addresses, telephone numbers, postcodes and other shapes.

use std::collections::HashSet;

use denym_data::{Date, Decimal, Dictionary, Kind};

use super::official;

/// A shape of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// `a@b.c`.
    Email,
    /// A telephone number.
    Phone,
    /// A web address.
    Url,
    /// An address of the Internet, version 4 or 6.
    IpAddress,
    /// A calendar date.
    Date,
    /// A postcode: digits, or letters and digits, of one short form.
    Postcode,
    /// A universally unique identifier.
    Uuid,
    /// A number with a valid check digit of payment cards.
    PaymentCard,
    /// An international bank account number.
    Iban,
    /// A social security number as written in the United States.
    SocialSecurity,
    /// A number of an authority or an insurer whose check digit is right.
    OfficialNumber,
    /// A code of ICD-10, such as `I21.0`.
    DiagnosisCode,
    /// Degrees north and east in one cell.
    Coordinates,
    /// A sequence of places, such as `a1>d2>b3`.
    Path,
    /// Several items in one cell with this mark between them, such as `bread;milk`.
    ItemList(char),
}

impl Pattern {
    /// The shape in words.
    pub fn name(self) -> &'static str {
        match self {
            Pattern::Email => "e-mail addresses",
            Pattern::Phone => "telephone numbers",
            Pattern::Url => "web addresses",
            Pattern::IpAddress => "Internet addresses",
            Pattern::Date => "dates",
            Pattern::Postcode => "postcodes",
            Pattern::Uuid => "unique identifiers",
            Pattern::PaymentCard => "payment card numbers",
            Pattern::Iban => "bank account numbers",
            Pattern::SocialSecurity => "social security numbers",
            Pattern::OfficialNumber => "official numbers, check digits and all",
            Pattern::DiagnosisCode => "codes of diagnoses",
            Pattern::Coordinates => "coordinates",
            Pattern::Path => "paths",
            Pattern::ItemList(_) => "lists of items",
        }
    }

    /// Whether a value of this shape names a person by itself.
    pub fn identifies(self) -> bool {
        !matches!(
            self,
            Pattern::Date
                | Pattern::Postcode
                | Pattern::DiagnosisCode
                | Pattern::Coordinates
                | Pattern::Path
                | Pattern::ItemList(_)
        )
    }
}

/// The test of a shape.
type Test = fn(&str) -> bool;

/// Most telling shapes first: a payment card is also a string of digits.
const TESTS: [(Pattern, Test); 13] = [
    (Pattern::Email, is_email),
    (Pattern::Url, is_url),
    (Pattern::Uuid, is_uuid),
    (Pattern::Iban, is_iban),
    (Pattern::SocialSecurity, is_social_security),
    (Pattern::Date, is_date),
    (Pattern::IpAddress, is_ip_address),
    (Pattern::OfficialNumber, official::is_official),
    (Pattern::PaymentCard, is_payment_card),
    (Pattern::Coordinates, is_coordinates),
    (Pattern::DiagnosisCode, is_diagnosis_code),
    (Pattern::Phone, is_phone),
    (Pattern::Postcode, is_postcode),
];

/// Values looked at; more change nothing.
const SAMPLE: usize = 1000;

/// Up to a thousand values, evenly taken from all: neighbors in the order of a column are too much alike.
fn sample(dictionary: &Dictionary) -> Vec<&str> {
    let step = dictionary.values().len().div_ceil(SAMPLE).max(1);
    let codes = (0..dictionary.values().len()).step_by(step);
    codes
        .filter_map(|code| dictionary.text(code as u32))
        .map(str::trim)
        .collect()
}

/// The shape of at least nine in ten of a sample of the values; `None` when there is none or no value.
pub fn find_pattern(dictionary: &Dictionary) -> Option<Pattern> {
    let values = sample(dictionary);
    if values.is_empty() {
        return None;
    }
    // Single digits and small numbers have no shape, and most columns of numbers are spared the tests.
    let most = |fits: &dyn Fn(&str) -> bool, needed: usize| {
        let mut wrong = 0;
        values.iter().all(|value| {
            wrong += usize::from(!fits(value));
            wrong * 10 <= values.len() * (10 - needed)
        })
    };
    let found = TESTS
        .iter()
        .find(|(_, fits)| most(fits, 9))
        .map(|&(pattern, _)| pattern);
    match found {
        // One check digit in ten is right by chance.
        Some(Pattern::OfficialNumber) if dictionary.kind() == Kind::Integer && values.len() < 3 => {
            None
        }
        // A letter and two digits may be a seat; the point behind them is what tells a diagnosis.
        Some(Pattern::DiagnosisCode) if !values.iter().any(|value| value.contains('.')) => None,
        // Five digits are an income as well; a zero in front or a letter is what tells a postcode.
        Some(Pattern::Postcode)
            if dictionary.kind() != Kind::Text
                || !values
                    .iter()
                    .any(|v| v.starts_with('0') || digits(v) != v.len()) =>
        {
            None
        }
        None if most(&is_path, 5) => Some(Pattern::Path),
        None => mark_of_lists(&values).map(Pattern::ItemList),
        found => found,
    }
}

/// Words of a cell from which on it is a sentence rather than a label.
const SENTENCE: usize = 5;

/// Whether the values are prose: three in ten have five words or more, and they hardly come back. Where the `name` of the column says
/// so, two words in the mean suffice.
pub fn is_prose(dictionary: &Dictionary, records: u64, name: bool) -> bool {
    let values = sample(dictionary);
    if values.is_empty() {
        return false;
    }
    let words: Vec<usize> = values
        .iter()
        .map(|value| {
            value
                .split_whitespace()
                .filter(|w| w.chars().any(char::is_alphabetic))
                .count()
        })
        .collect();
    let distinct = dictionary.values().len();
    let sentences = words.iter().filter(|&&count| count >= SENTENCE).count();
    let varied = distinct > 50 || distinct as u64 * 10 > records * 3;
    let wordy = words.iter().sum::<usize>() * 10 >= values.len() * 15;
    sentences * 10 >= values.len() * 3 && varied || name && (wordy || distinct > 50)
}

fn digits(text: &str) -> usize {
    text.bytes().filter(u8::is_ascii_digit).count()
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty()
            && !host.contains('@')
            && host
                .split_once('.')
                .is_some_and(|(name, end)| !name.is_empty() && !end.is_empty())
            && !text.contains(char::is_whitespace)
    })
}

fn is_url(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://") || text.starts_with("www.")
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && parts
            .iter()
            .all(|part| part.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_iban(text: &str) -> bool {
    let bytes: Vec<u8> = text.bytes().filter(|b| *b != b' ').collect();
    (15..=34).contains(&bytes.len())
        && bytes[..2].iter().all(u8::is_ascii_uppercase)
        && bytes[2..4].iter().all(u8::is_ascii_digit)
        && bytes[4..].iter().all(u8::is_ascii_alphanumeric)
        && official::is_right_iban(&bytes)
}

fn is_social_security(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([3, 2, 4])
        && parts.iter().all(|part| digits(part) == part.len())
}

/// A date as people write it: `2024-01-31`, `31.01.2024`, `1/31/24`, with or without a time behind it.
fn is_date(text: &str) -> bool {
    if Date::parse(text).is_some() {
        return true;
    }
    let day = text.split_once([' ', 'T']).map_or(
        text,
        |(day, time)| {
            if time.contains(':') { day } else { text }
        },
    );
    let Some(mark) = day.chars().find(|c| !c.is_ascii_digit()) else {
        return false;
    };
    let parts: Vec<&str> = day.split(mark).collect();
    let [first, second, third] = parts[..] else {
        return false;
    };
    let number = |part: &str, most: usize| {
        let fits = (1..=most).contains(&part.len()) && digits(part) == part.len();
        fits.then(|| part.parse::<u32>().unwrap_or(0))
    };
    let is_day = |a: Option<u32>, b: Option<u32>| matches!((a, b), (Some(a @ 1..), Some(b @ 1..)) if a <= 31 && b <= 12 || b <= 31 && a <= 12);
    let last = is_day(number(first, 2), number(second, 2))
        && matches!(third.len(), 2 | 4)
        && number(third, 4).is_some();
    let first_year = first.len() == 4
        && number(first, 4).is_some()
        && is_day(number(second, 2), number(third, 2));
    matches!(mark, '.' | '/' | '-') && (last || first_year)
}

fn is_ip_address(text: &str) -> bool {
    text.parse::<std::net::IpAddr>().is_ok()
}

/// Thirteen to nineteen digits whose check digit is right (Luhn).
fn is_payment_card(text: &str) -> bool {
    let digits: Vec<u32> = text.chars().filter_map(|c| c.to_digit(10)).collect();
    let others = text
        .chars()
        .any(|c| !c.is_ascii_digit() && c != ' ' && c != '-');
    if others || !(13..=19).contains(&digits.len()) {
        return false;
    }
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, &digit)| match (at % 2, digit * 2) {
            (0, _) => digit,
            (_, twice) => twice / 10 + twice % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Seven to fifteen digits with the marks that telephone numbers have, at least one of them; no number with a point, and none with
/// marks between thousands.
fn is_phone(text: &str) -> bool {
    let marks = text.chars().filter(|c| "+-()/. ".contains(*c)).count();
    let groups: Vec<&str> = text.split(['.', ' ']).collect();
    let thousands = !text.starts_with(['0', '+'])
        && groups[0].len() <= 3
        && groups.len() > 1
        && groups[1..].iter().all(|group| group.len() == 3);
    (7..=15).contains(&digits(text))
        && marks > 0
        && digits(text) + marks == text.chars().count()
        && Decimal::parse(text).is_none()
        && !thousands
}

/// A letter, two digits (the second may be an A or B), and after a point up to four signs more, as ICD-10 has them.
fn is_diagnosis_code(text: &str) -> bool {
    let text = text.trim_end_matches(['*', '+', '!', '†', '-']);
    let (category, rest) = text.split_once('.').unwrap_or((text, ""));
    let bytes = category.as_bytes();
    bytes.len() == 3
        && bytes[0].is_ascii_alphabetic()
        && bytes[1].is_ascii_digit()
        && (bytes[2].is_ascii_digit() || matches!(bytes[2], b'A' | b'B' | b'a' | b'b'))
        && rest.len() <= 4
        && rest.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Degrees north and east with fractions: `52.5163, 13.3777`.
fn is_coordinates(text: &str) -> bool {
    let inner = text.trim_start_matches('(').trim_end_matches(')');
    let degrees = |part: &str, most: f64| {
        let part = part.trim();
        part.contains('.')
            && Decimal::parse(part).is_some_and(|number| number.to_f64().abs() <= most)
    };
    inner
        .split_once([',', ';', ' '])
        .is_some_and(|(north, east)| degrees(north, 90.0) && degrees(east, 180.0))
}

/// Places with `>` between them.
fn is_path(text: &str) -> bool {
    let steps: Vec<&str> = text.split('>').collect();
    steps.len() > 1 && steps.iter().all(|step| !step.trim().is_empty())
}

/// The mark between items where half of the values are lists, and items come back in other lists.
fn mark_of_lists(values: &[&str]) -> Option<char> {
    [';', '|', ','].into_iter().find(|&mark| {
        let lists = values.iter().filter(|value| value.contains(mark)).count();
        let items = || {
            values
                .iter()
                .flat_map(|value| value.split(mark))
                .map(str::trim)
        };
        let short = items().all(|item| item.split_whitespace().count() <= 3);
        let total = items().count();
        let distinct: HashSet<&str> = items().collect();
        values.len() >= 4 && lists * 2 >= values.len() && short && distinct.len() * 3 <= total
    })
}

/// Four to six digits, or the British and Canadian forms of letters and digits.
fn is_postcode(text: &str) -> bool {
    let length = text.len();
    let short_number = (4..=6).contains(&length) && digits(text) == length && text.starts_with('0');
    let plus_four = length == 10 && digits(text) == 9 && text.as_bytes()[5] == b'-';
    let mixed = (5..=8).contains(&length)
        && text
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b' ')
        && text.contains(' ')
        && digits(text) >= 2
        && text.as_bytes()[0].is_ascii_uppercase();
    let five = length == 5 && digits(text) == 5;
    short_number || plus_four || mixed || five
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[&str], expect: Option<Pattern>) {
        let strings = values.iter().copied().collect();
        let (dictionary, _) = Dictionary::build(&strings, false, None);
        assert_eq!(find_pattern(&dictionary), expect, "{values:?}");
    }

    #[test]
    fn shapes_are_recognized() {
        check(&["a@b.org", "x.y@z.com"], Some(Pattern::Email));
        check(&["+49 30 1234567", "(030) 765-4321"], Some(Pattern::Phone));
        check(&["02139", "10115"], Some(Pattern::Postcode));
        check(&["SW1A 1AA", "M1 1AE"], Some(Pattern::Postcode));
        check(&["SW1A 1AA", "K1A 0B1"], Some(Pattern::Postcode));
        check(&["2024-01-31"], Some(Pattern::Date));
        check(&["26.08.1992", "1.2.70"], Some(Pattern::Date));
        check(
            &["26/08/1992 10:30", "08/26/1992 11:00"],
            Some(Pattern::Date),
        );
        check(&["2008/06/08 23:40:39"], Some(Pattern::Date));
        check(
            &["I21.0", "E11.90", "c50.9", "Z3A.20"],
            Some(Pattern::DiagnosisCode),
        );
        check(
            &["52.5163, 13.3777", "48.1, 11.5"],
            Some(Pattern::Coordinates),
        );
        check(&["a1>d2>b3", "d2>f6", "a1"], Some(Pattern::Path));
        check(
            &["bread;milk", "milk;eggs", "bread;eggs", "milk;bread;eggs"],
            Some(Pattern::ItemList(';')),
        );
        check(&["10.0.0.1", "::1"], Some(Pattern::IpAddress));
        check(&["123-45-6789"], Some(Pattern::SocialSecurity));
        check(&["4111111111111111"], Some(Pattern::PaymentCard));
        check(&["DE89370400440532013000"], Some(Pattern::Iban));
        check(
            &["123e4567-e89b-12d3-a456-426614174000"],
            Some(Pattern::Uuid),
        );
        check(&["https://example.org"], Some(Pattern::Url));
        check(&["red", "green"], None);
        check(&["1", "2"], None);
        // False friends: seats, incomes, thousands, coordinates, versions, double names.
        check(&["A12", "B07", "C33"], None);
        check(&["52000", "48500", "61200"], None);
        let incomes: Vec<String> = (0..40).map(|i| (9_700 + i * 311).to_string()).collect();
        check(
            &incomes.iter().map(String::as_str).collect::<Vec<_>>(),
            None,
        );
        check(&["1.234.567", "2.345.678"], None);
        check(&["1 234 567", "12 345 678"], None);
        check(&["52.5200081", "13.4049541"], None);
        check(&["32.13.1992", "45.67.89"], None);
        check(&["Doe, Jane", "Roe, Ann", "Poe, Edgar", "Low, Ada"], None);
        check(&["Never-married", "Married-civ-spouse"], None);
        check(&["DE89370400440532013001"], None);
        check(&[], None);
        check(&["é", "+", "-"], None);
    }
}
