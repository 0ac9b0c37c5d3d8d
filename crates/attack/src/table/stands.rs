//! Which values a published text may stand for: itself, an interval, a redacted code, a date part, a node of a hierarchy.
//!
//! A missing cell on either side is unknown and contradicts nothing; `*` stands for everything.

use std::collections::{BTreeSet, HashMap, HashSet};

use denym_data::{Dictionary, HierarchyRow, ReadyMade};

use super::Covers;
use crate::Error;

/// The most pairs of a published and an external value that one attribute may have.
const MOST_PAIRS: usize = 1 << 32;

impl Covers {
    /// The relation of the published to the external values of an attribute, whose hierarchy, where there is one, has these `rows`.
    ///
    /// # Errors
    ///
    /// When there are too many pairs of values.
    pub fn of_texts(
        rows: &[HierarchyRow],
        attribute: &str,
        published: &Dictionary,
        external: &Dictionary,
    ) -> Result<Self, Error> {
        if published.len().saturating_mul(external.len()) > MOST_PAIRS {
            return Err(Error::TooManyValues {
                attribute: attribute.to_owned(),
            });
        }
        // Label -> leaves below it, and below a leaf nothing but itself.
        let mut below: HashMap<&str, BTreeSet<&str>> = HashMap::new();
        for row in rows {
            let Some((leaf, labels)) = row.labels.split_first() else {
                continue;
            };
            for label in labels {
                below.entry(label).or_default().insert(leaf);
            }
        }
        let stands: Vec<Stands<'_>> = (0..published.len() as u32)
            .map(|code| {
                let Some(text) = published.text(code) else {
                    return Stands::Anything;
                };
                match below.get(text) {
                    Some(leaves) if external.code_of(text).is_none() || leaves.len() > 1 => {
                        Stands::OneOf(text, leaves)
                    }
                    _ => Stands::of(text),
                }
            })
            .collect();
        let facts = public_facts(published, external);
        let numbers = external.numbers();
        let plain: Vec<Option<f64>> = (0..external.len() as u32)
            .map(|code| {
                numbers[code as usize]
                    .or_else(|| external.text(code).and_then(|text| text.parse().ok()))
            })
            .collect();
        Ok(Self::new(published.len(), external.len(), |p, e| {
            external.text(e).is_none_or(|text| {
                published.text(p) == Some(text)
                    || stands[p as usize].covers(text, plain[e as usize])
                    || facts.get(&p).is_some_and(|covered| covered.contains(&e))
            })
        }))
    }

    /// The relation of the texts of two releases of the same people: whether they may stand for a common value.
    pub fn of_releases(one: &Dictionary, other: &Dictionary) -> Self {
        Self::new(one.len(), other.len(), |a, b| {
            compatible(one.text(a), other.text(b))
        })
    }
}

/// The external values below each published label by ready-made hierarchies, which everybody knows: Germany lies in Western Europe.
///
/// Ranges of numbers speak for themselves.
fn public_facts(published: &Dictionary, external: &Dictionary) -> HashMap<u32, HashSet<u32>> {
    let mut labels: HashMap<&str, u32> = HashMap::new();
    for code in 0..published.len() as u32 {
        if let Some(text) = published.text(code).filter(|text| span(text).is_none()) {
            labels.insert(text, code);
        }
    }
    let mut facts: HashMap<u32, HashSet<u32>> = HashMap::new();
    for (code, text) in (0..).zip(external.values()) {
        for label in ReadyMade::all()
            .iter()
            .filter_map(|ready| ready.labels(text))
            .flatten()
        {
            if let Some(&of) = labels.get(label.as_str()) {
                facts.entry(of).or_default().insert(code);
            }
        }
    }
    facts
}

/// Whether two published texts may stand for a common value; for two releases of the same people.
pub(crate) fn compatible(a: Option<&str>, b: Option<&str>) -> bool {
    let (Some(a), Some(b)) = (a, b) else {
        return true;
    };
    if a == b {
        return true;
    }
    match (Stands::of(a), Stands::of(b)) {
        (Stands::Between(a), Stands::Between(b)) => a.meets(b),
        (x, y) => x.covers(b, b.parse().ok()) || y.covers(a, a.parse().ok()),
    }
}

/// What a published text may stand for.
enum Stands<'a> {
    Anything,
    /// The text itself or one of the leaves below it.
    OneOf(&'a str, &'a BTreeSet<&'a str>),
    Between(Span),
    /// Characters that are kept, `*` for those that are not; the stars at an end may stand for fewer characters.
    Redacted(&'a str),
    /// A date, or the part of one.
    DatePart(&'a str),
    /// One of several texts in braces.
    Set(Vec<&'a str>),
    Itself(&'a str),
}

/// A range of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Span {
    low: f64,
    high: f64,
    high_open: bool,
}

impl Span {
    fn holds(self, number: f64) -> bool {
        number >= self.low && (number < self.high || !self.high_open && number <= self.high)
    }

    fn meets(self, other: Span) -> bool {
        let below = |a: Span, b: Span| a.low < b.high || !b.high_open && a.low <= b.high;
        below(self, other) && below(other, self)
    }
}

impl<'a> Stands<'a> {
    fn of(text: &'a str) -> Stands<'a> {
        if text == "*" {
            return Stands::Anything;
        }
        if let Some(span) = span(text) {
            return Stands::Between(span);
        }
        if let Some(inner) = text.strip_prefix('{').and_then(|t| t.strip_suffix('}')) {
            return Stands::Set(inner.split(',').map(str::trim).collect());
        }
        if text.contains('*') {
            return Stands::Redacted(text);
        }
        let digits = |part: &str| part.len() >= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        let is_date_part = match text.split_once('-') {
            None => {
                let year = text.strip_suffix('s').unwrap_or(text);
                year.len() == 4 && digits(year)
            }
            Some((year, rest)) => {
                year.len() == 4
                    && digits(year)
                    && (rest.starts_with(['Q', 'W']) || digits(rest) && rest.len() == 2)
            }
        };
        if is_date_part {
            return Stands::DatePart(text);
        }
        Stands::Itself(text)
    }

    fn covers(&self, text: &str, number: Option<f64>) -> bool {
        match self {
            Stands::Anything => true,
            Stands::OneOf(own, leaves) => *own == text || leaves.contains(text),
            Stands::Between(span) => match number {
                Some(number) => span.holds(number),
                // A range of years covers the dates in them.
                None => denym_data::Date::parse(text)
                    .is_some_and(|date| span.holds(f64::from(date.year))),
            },
            Stands::Redacted(pattern) => redacts(pattern, text),
            Stands::DatePart(part) => *part == text || date_in(part, text),
            Stands::Set(texts) => texts.contains(&text),
            Stands::Itself(own) => {
                *own == text
                    || own
                        .parse::<f64>()
                        .ok()
                        .zip(number)
                        .is_some_and(|(a, b)| a.total_cmp(&b).is_eq())
            }
        }
    }
}

/// `[20, 30)`, `[20-30[`, `[20-30)`, `20-29`, `[20-29]`, `>=20`, `<30`: the papers' and the tools' ways to write a range.
fn span(text: &str) -> Option<Span> {
    let number = |part: &str| part.trim().parse::<f64>().ok().filter(|n| n.is_finite());
    let half = |prefix: &str| text.strip_prefix(prefix).and_then(number);
    if let Some(low) = half(">=") {
        return Some(Span {
            low,
            high: f64::INFINITY,
            high_open: false,
        });
    }
    if let Some(low) = half(">") {
        return Some(Span {
            low: low.next_up(),
            high: f64::INFINITY,
            high_open: false,
        });
    }
    if let Some(high) = half("<=") {
        return Some(Span {
            low: f64::NEG_INFINITY,
            high,
            high_open: false,
        });
    }
    if let Some(high) = half("<") {
        return Some(Span {
            low: f64::NEG_INFINITY,
            high,
            high_open: true,
        });
    }
    let (inner, bracketed) = match text.strip_prefix('[') {
        Some(rest) => (rest, true),
        None => (text, false),
    };
    let (inner, high_open) = if bracketed {
        match (inner.strip_suffix(']'), inner.strip_suffix([')', '['])) {
            (Some(inner), _) => (inner, false),
            (None, Some(inner)) => (inner, true),
            _ => return None,
        }
    } else {
        (inner, false)
    };
    // The separator is a comma, or the first minus that has a number before it.
    let (low, high) = inner.split_once(',').or_else(|| {
        let at = inner[1..].find(['-', '–']).map(|at| at + 1)?;
        let after = inner[at..].chars().next()?.len_utf8();
        Some((&inner[..at], &inner[at + after..]))
    })?;
    // A date such as 2024-05 is no range from 2024 down to 5; a month is written with two digits.
    let (low, high) = (number(low)?, number(high)?);
    (low <= high).then_some(Span {
        low,
        high,
        high_open,
    })
}

/// Whether `text` could be what `pattern` hides: kept characters agree, a run of stars hides as many characters or fewer.
fn redacts(pattern: &str, text: &str) -> bool {
    let kept: Vec<&str> = pattern.split('*').filter(|part| !part.is_empty()).collect();
    let hidden = pattern.matches('*').count();
    match kept[..] {
        [] => true,
        [part] => {
            let rest = if pattern.starts_with('*') {
                text.strip_suffix(part)
            } else {
                text.strip_prefix(part)
            };
            rest.is_some_and(|rest| rest.chars().count() <= hidden)
        }
        _ => {
            pattern.chars().count() == text.chars().count()
                && pattern
                    .chars()
                    .zip(text.chars())
                    .all(|(p, t)| p == '*' || p == t)
        }
    }
}

/// Whether the date `text` (YYYY-MM-DD) lies in `part` (a decade, a year, a quarter, a month).
fn date_in(part: &str, text: &str) -> bool {
    let Some(date) = denym_data::Date::parse(text) else {
        return false;
    };
    denym_data::DatePart::ALL
        .iter()
        .any(|(_, kind)| kind.of(date) == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(published: &str, covered: &[&str], not: &[&str]) {
        let stands = Stands::of(published);
        for text in covered {
            assert!(stands.covers(text, text.parse().ok()), "{published} {text}");
        }
        for text in not {
            assert!(
                !stands.covers(text, text.parse().ok()),
                "{published} {text}"
            );
        }
    }

    #[test]
    fn published_texts_cover_what_they_stand_for() {
        check("*", &["x", "1"], &[]);
        check("30-34", &["30", "34", "31.5"], &["35", "29", "x"]);
        check("[30, 35)", &["30", "34.9"], &["35"]);
        check("[30-35[", &["30"], &["35"]);
        check("[35-40]", &["35", "40"], &["41"]);
        check("[-10, 0)", &["-10", "-1"], &["0"]);
        check(">=60", &["60", "99"], &["59"]);
        check("<20", &["19"], &["20"]);
        check("101**", &["10115", "101"], &["10215", "101155"]);
        check("***15", &["10115"], &["10116"]);
        check("2024-05", &["2024-05-31", "2024-05"], &["2024-06-01"]);
        check("2024", &["2024-05-31", "2024"], &["2023-05-31"]);
        check(
            "2020-2024",
            &["2024-05-31", "2020-01-01", "2022"],
            &["2025-01-01", "x"],
        );
        check("2020s", &["2029-05-31"], &["2019-12-31"]);
        check("{a, b}", &["a", "b"], &["c"]);
        check("flu", &["flu"], &["cancer"]);
        check("1.0", &["1"], &["2"]);
    }

    #[test]
    fn labels_of_ready_made_hierarchies_need_no_file() {
        let texts =
            |texts: &[&str]| Dictionary::build(&texts.iter().copied().collect(), false, None).0;
        let published = texts(&[
            "Western Europe",
            "000**",
            "90+",
            "I20-I25 ischemic heart disease",
        ]);
        let external = texts(&["DE", "Japan", "03601", "02139", "93", "I21.0", "I30"]);
        let covers = Covers::of_texts(&[], "x", &published, &external).expect("few values");
        let found: Vec<(&str, &str)> = published
            .values()
            .zip(0..)
            .flat_map(|(label, p)| {
                external
                    .values()
                    .zip(0..)
                    .map(move |(value, e)| (label, p, value, e))
            })
            .filter(|&(_, p, _, e)| covers.covers(p, e))
            .map(|(label, _, value, _)| (label, value))
            .collect();
        assert_eq!(
            found,
            [
                ("000**", "03601"),
                ("90+", "93"),
                ("I20-I25 ischemic heart disease", "I21.0"),
                ("Western Europe", "DE"),
            ]
        );
    }

    #[test]
    fn nodes_of_a_hierarchy_cover_their_leaves() {
        let row = |labels: &[&str]| HierarchyRow {
            line: 1,
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
        };
        let rows = [
            row(&["Engineer", "Professional", "*"]),
            row(&["Lawyer", "Professional", "*"]),
            row(&["Writer", "Artist", "*"]),
        ];
        let column =
            |texts: &[&str]| denym_data::Column::from_texts("job", texts.iter().map(|t| Some(*t)));
        let published = column(&["Professional", "Writer"]);
        let external = column(&["Engineer", "Lawyer", "Writer", "Dancer"]);
        let relation =
            Covers::of_texts(&rows, "job", &published.dictionary, &external.dictionary).unwrap();
        let covers = |p: &str, e: &str| {
            relation.covers(
                published.dictionary.code_of(p).unwrap(),
                external.dictionary.code_of(e).unwrap(),
            )
        };
        assert!(covers("Professional", "Engineer") && covers("Professional", "Lawyer"));
        assert!(!covers("Professional", "Writer") && !covers("Professional", "Dancer"));
        assert!(covers("Writer", "Writer") && !covers("Writer", "Dancer"));
    }

    #[test]
    fn ranges_of_two_releases_may_overlap() {
        assert!(compatible(Some("20-29"), Some("[25, 50)")));
        assert!(!compatible(Some("20-29"), Some("[30, 50)")));
        assert!(compatible(Some("101**"), Some("10115")));
        assert!(compatible(None, Some("x")) && !compatible(Some("y"), Some("x")));
    }
}
