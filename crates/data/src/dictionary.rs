//! The distinct values of a column, in their natural order, each with a code.

use std::cmp::{Ordering, Reverse};

use crate::{Date, Decimal};

/// The position of a value in its column's [`Dictionary`].
pub type Code = u32;

/// What the values of a column are; it fixes their natural order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Anything; ordered by bytes.
    Text,
    /// Whole numbers without leading zeros (a postcode `02139` is text).
    Integer,
    /// Numbers with digits and a point.
    Decimal,
    /// `YYYY-MM-DD`.
    Date,
    /// `true` and `false`.
    Boolean,
}

impl Kind {
    /// The word for this kind in policies and reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Integer => "integer",
            Kind::Decimal => "decimal",
            Kind::Date => "date",
            Kind::Boolean => "boolean",
        }
    }

    /// The kind a policy means by `name`.
    pub fn parse(name: &str) -> Option<Kind> {
        [
            Kind::Text,
            Kind::Integer,
            Kind::Decimal,
            Kind::Date,
            Kind::Boolean,
        ]
        .into_iter()
        .find(|kind| kind.name() == name)
    }

    /// Whether the values have a distance.
    pub fn is_numeric(self) -> bool {
        matches!(self, Kind::Integer | Kind::Decimal | Kind::Date)
    }

    /// Whether `text` is a value of this kind.
    pub fn fits(self, text: &str) -> bool {
        match self {
            Kind::Text => true,
            Kind::Integer => is_integer(text),
            Kind::Decimal => is_plain(text) && Decimal::parse(text).is_some(),
            Kind::Date => Date::parse(text).is_some(),
            Kind::Boolean => matches!(text, "true" | "false" | "TRUE" | "FALSE" | "True" | "False"),
        }
    }

    /// The narrowest kind that fits all `values`; text when there are none.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "an iterator is cloned for each kind that is tried"
    )]
    pub fn of<'a>(values: impl Iterator<Item = &'a str> + Clone) -> Kind {
        if values.clone().next().is_none() {
            return Kind::Text;
        }
        [Kind::Boolean, Kind::Integer, Kind::Decimal, Kind::Date]
            .into_iter()
            .find(|kind| values.clone().all(|value| kind.fits(value)))
            .unwrap_or(Kind::Text)
    }

    /// The value as a number: days for dates, 0 and 1 for booleans, `None` for text.
    pub fn number(self, text: &str) -> Option<f64> {
        match self {
            Kind::Text => None,
            Kind::Integer | Kind::Decimal => Decimal::parse(text).map(Decimal::to_f64),
            Kind::Date => Date::parse(text).map(|date| date.days() as f64),
            Kind::Boolean => Some(f64::from(u8::from(text.eq_ignore_ascii_case("true")))),
        }
    }

    fn compare(self, a: &str, b: &str) -> Ordering {
        let natural = match self {
            Kind::Text => Ordering::Equal,
            Kind::Integer | Kind::Decimal => Decimal::parse(a).cmp(&Decimal::parse(b)),
            Kind::Date => Date::parse(a).cmp(&Date::parse(b)),
            Kind::Boolean => a
                .eq_ignore_ascii_case("true")
                .cmp(&b.eq_ignore_ascii_case("true")),
        };
        natural.then_with(|| self.spelling(a).cmp(&self.spelling(b)))
    }

    /// Whether two texts are one value, however it is spelled: `7` and `7.0`, `true` and `TRUE`. Dates may have times of day and are
    /// one only letter by letter.
    fn same(self, a: &str, b: &str) -> bool {
        a == b
            || match self {
                Kind::Text | Kind::Date => false,
                Kind::Integer | Kind::Decimal => {
                    let number = |text| Decimal::parse(text).filter(|_| self.fits(text));
                    number(a).is_some_and(|a| Some(a) == number(b))
                }
                Kind::Boolean => self.fits(a) && self.fits(b) && a.eq_ignore_ascii_case(b),
            }
    }

    /// Which of several spellings of a value comes first, and is shown: the shortest number, the small letters.
    fn spelling(self, text: &str) -> (usize, Reverse<&str>, &str) {
        match self {
            Kind::Integer | Kind::Decimal => (text.len(), Reverse(""), text),
            Kind::Boolean => (0, Reverse(text), ""),
            Kind::Text | Kind::Date => (0, Reverse(""), text),
        }
    }
}

/// A whole number of at most 18 digits, written as a person would: no leading zero, no plus.
fn is_integer(text: &str) -> bool {
    is_plain(text) && !text.contains('.') && Decimal::parse(text).is_some()
}

/// No leading zero before another digit, no plus sign: codes such as `007` are text.
fn is_plain(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).as_bytes();
    match digits {
        [b'0', b'0'..=b'9', ..] => false,
        [b'0'..=b'9', ..] => digits.last().is_some_and(u8::is_ascii_digit),
        _ => false,
    }
}

/// Many short strings in one buffer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Strings {
    bytes: String,
    ends: Vec<usize>,
}

impl Strings {
    /// No strings yet.
    pub fn new() -> Self {
        Strings::default()
    }

    /// Appends one string.
    pub fn push(&mut self, text: &str) {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
    }

    /// The string at `index`.
    ///
    /// # Panics
    ///
    /// When `index` is out of range.
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl<'a> FromIterator<&'a str> for Strings {
    fn from_iter<I: IntoIterator<Item = &'a str>>(texts: I) -> Self {
        let mut strings = Strings::new();
        for text in texts {
            strings.push(text);
        }
        strings
    }
}

/// The distinct values of a column in natural order; a missing value, when there is one, has the last code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dictionary {
    kind: Kind,
    values: Strings,
    missing: bool,
    /// Whether the values are in the natural order of their kind.
    natural: bool,
}

impl Dictionary {
    /// Sorts distinct `values` and gives each its code; returns also, for each input position, the code it got.
    ///
    /// Spellings of one number or truth value share a code: a promise that counts values, or people, counts each once.
    ///
    /// `kind` is found from the values when it is `None`. Values that do not fit a given kind stay, ordered by bytes
    /// after those that fit: call [`Kind::fits`] first where that must be refused.
    pub fn build(values: &Strings, missing: bool, kind: Option<Kind>) -> (Dictionary, Vec<Code>) {
        let kind = kind.unwrap_or_else(|| Kind::of(values.iter()));
        let mut order: Vec<u32> = (0..values.len() as u32).collect();
        let text = |index: u32| values.get(index as usize);
        if kind == Kind::Integer {
            // The common case of many numbers: parse each once instead of at every comparison.
            order.sort_by_cached_key(|&i| (Decimal::parse(text(i)), kind.spelling(text(i))));
        } else {
            order.sort_by(|&a, &b| kind.compare(text(a), text(b)));
        }
        let mut codes = vec![0; values.len()];
        let mut sorted = Strings::new();
        for &index in &order {
            let last = sorted.len().checked_sub(1).map(|last| sorted.get(last));
            if !last.is_some_and(|last| kind.same(last, text(index))) {
                sorted.push(text(index));
            }
            codes[index as usize] = sorted.len() as Code - 1;
        }
        (
            Dictionary {
                kind,
                values: sorted,
                missing,
                natural: true,
            },
            codes,
        )
    }

    /// Distinct values in the order given, whatever their kind: codes are positions.
    pub fn in_order(values: Strings, missing: bool) -> Dictionary {
        let kind = Kind::of(values.iter());
        Dictionary {
            kind,
            values,
            missing,
            natural: false,
        }
    }

    /// What the values are.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// Number of codes, the missing value included.
    pub fn len(&self) -> usize {
        self.values.len() + usize::from(self.missing)
    }

    /// Whether there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of the missing value, if any record misses this column.
    pub fn missing(&self) -> Option<Code> {
        self.missing.then_some(self.values.len() as Code)
    }

    /// The text of `code`; `None` for the missing value.
    pub fn text(&self, code: Code) -> Option<&str> {
        ((code as usize) < self.values.len()).then(|| self.values.get(code as usize))
    }

    /// The values that are present, in code order; the missing one is not among them.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &str> + Clone {
        self.values.iter()
    }

    /// The code of `text`, or of the value that it is another spelling of.
    pub fn code_of(&self, text: &str) -> Option<Code> {
        if !self.natural {
            return self
                .values
                .iter()
                .position(|value| value == text)
                .map(|code| code as Code);
        }
        let (mut low, mut high) = (0, self.values.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let value = self.values.get(middle);
            if self.kind.same(value, text) {
                return Some(middle as Code);
            }
            match self.kind.compare(value, text) {
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
                Ordering::Equal => return Some(middle as Code),
            }
        }
        None
    }

    /// Each code as a number (days for dates); `None` for text and for the missing value.
    pub fn numbers(&self) -> Vec<Option<f64>> {
        let mut numbers: Vec<Option<f64>> =
            self.values().map(|text| self.kind.number(text)).collect();
        if self.missing {
            numbers.push(None);
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(values: &[&str]) -> (Dictionary, Vec<Code>) {
        Dictionary::build(&values.iter().copied().collect(), false, None)
    }

    #[test]
    fn kinds_are_found_from_the_values() {
        let kind = |values: &[&str]| build(values).0.kind();
        assert_eq!(kind(&["3", "10", "-2"]), Kind::Integer);
        assert_eq!(kind(&["3", "1.5"]), Kind::Decimal);
        assert_eq!(kind(&["02139", "10115"]), Kind::Text);
        assert_eq!(kind(&["2024-01-31", "1999-12-01"]), Kind::Date);
        assert_eq!(kind(&["true", "false"]), Kind::Boolean);
        assert_eq!(kind(&["NaN", "1"]), Kind::Text);
        assert_eq!(kind(&["1."]), Kind::Text);
        assert_eq!(kind(&[]), Kind::Text);
    }

    #[test]
    fn codes_follow_the_natural_order() {
        let (dictionary, codes) = build(&["10", "9", "-1"]);
        assert_eq!(codes, [2, 1, 0]);
        assert_eq!(dictionary.values().collect::<Vec<_>>(), ["-1", "9", "10"]);
        for (code, text) in dictionary.values().enumerate() {
            assert_eq!(dictionary.code_of(text), Some(code as Code));
        }
        assert_eq!(dictionary.code_of("8"), None);
        assert_eq!(dictionary.numbers(), [Some(-1.0), Some(9.0), Some(10.0)]);
    }

    #[test]
    fn spellings_of_one_value_share_a_code() {
        let (numbers, codes) = build(&["7.00", "8", "7", "-0.5", "7.0", "-0.50"]);
        assert_eq!(numbers.values().collect::<Vec<_>>(), ["-0.5", "7", "8"]);
        assert_eq!(codes, [1, 2, 1, 0, 1, 0]);
        assert_eq!(numbers.code_of("7.000"), Some(1));
        let (zero, _) = build(&["-0", "0"]);
        assert_eq!(zero.values().collect::<Vec<_>>(), ["0"]);
        let (truth, codes) = build(&["TRUE", "false", "true", "True"]);
        assert_eq!(truth.values().collect::<Vec<_>>(), ["false", "true"]);
        assert_eq!(codes, [1, 0, 1, 1]);
        // Codes, texts and times of day are what they are.
        for apart in [
            ["007", "7"],
            ["Flu", "flu"],
            ["2024-01-05", "2024-01-05 10:00"],
        ] {
            assert_eq!(build(&apart).0.len(), 2, "{apart:?}");
        }
        // What is no number stays apart although none of it is one.
        let texts: Strings = ["x", "y", "7", "7.0"].into_iter().collect();
        let (mixed, _) = Dictionary::build(&texts, true, Some(Kind::Decimal));
        assert_eq!((mixed.len(), mixed.missing()), (4, Some(3)));
    }

    #[test]
    fn missing_is_a_value_of_its_own() {
        let (dictionary, _) = Dictionary::build(&["b", "a"].into_iter().collect(), true, None);
        assert_eq!(dictionary.len(), 3);
        assert_eq!(dictionary.missing(), Some(2));
        assert_eq!(dictionary.text(2), None);
        assert_eq!(dictionary.text(0), Some("a"));
    }
}
