//! What the values of a column look like: e-mail addresses, telephone numbers, postcodes and other shapes.

use denym_data::{Date, Dictionary};

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
        }
    }

    /// Whether a value of this shape names a person by itself.
    pub fn identifies(self) -> bool {
        !matches!(self, Pattern::Date | Pattern::Postcode)
    }
}

/// The test of a shape.
type Test = fn(&str) -> bool;

/// Most telling shapes first: a payment card is also a string of digits.
const TESTS: [(Pattern, Test); 10] = [
    (Pattern::Email, is_email),
    (Pattern::Url, is_url),
    (Pattern::Uuid, is_uuid),
    (Pattern::Iban, is_iban),
    (Pattern::SocialSecurity, is_social_security),
    (Pattern::Date, is_date),
    (Pattern::IpAddress, is_ip_address),
    (Pattern::PaymentCard, is_payment_card),
    (Pattern::Phone, is_phone),
    (Pattern::Postcode, is_postcode),
];

/// Values looked at; more change nothing.
const SAMPLE: usize = 1000;

/// The shape of at least nine in ten of the (first thousand) values; `None` when there is none or no value.
pub fn find_pattern(dictionary: &Dictionary) -> Option<Pattern> {
    let values: Vec<&str> = dictionary.values().take(SAMPLE).collect();
    if values.is_empty() {
        return None;
    }
    TESTS
        .iter()
        .find(|(_, fits)| {
            let fitting = values.iter().filter(|value| fits(value.trim())).count();
            fitting * 10 >= values.len() * 9
        })
        .map(|&(pattern, _)| pattern)
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
}

fn is_social_security(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    parts.iter().map(|part| part.len()).eq([3, 2, 4])
        && parts.iter().all(|part| digits(part) == part.len())
}

fn is_date(text: &str) -> bool {
    Date::parse(text).is_some()
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

/// Seven to fifteen digits with the marks that telephone numbers have, at least one of them.
fn is_phone(text: &str) -> bool {
    let marks = text.chars().filter(|c| "+-()/. ".contains(*c)).count();
    (7..=15).contains(&digits(text)) && marks > 0 && digits(text) + marks == text.chars().count()
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
        check(&["2024-01-31"], Some(Pattern::Date));
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
        check(&[], None);
        check(&["é", "+", "-"], None);
    }
}
