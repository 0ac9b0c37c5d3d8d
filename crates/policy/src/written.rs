//! How values and files are written: the keys of `[data]`, of attributes and of `[release]` about marks, formats and encodings.

use denym_data::notation::{AskedNotation, DateFormat};
use denym_data::{Encoding, Format, Kind};

use super::reader::{Node, Section};

/// The keys of an attribute about how its values are written.
pub(super) const OF_VALUES: [&str; 5] =
    ["format", "decimal", "thousands", "unit", "missing-values"];

/// The keys of `[release]` about how a CSV file is written.
pub(super) const OF_FILES: [&str; 5] = [
    "delimiter",
    "encoding",
    "decimal",
    "thousands",
    "date-format",
];

/// The word for the encoding of the source.
const SOURCE: &str = "source";

/// How the release is written where the policy says so; else as the source is, in UTF-8.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WrittenSpec {
    /// The character between two cells.
    pub delimiter: Option<char>,
    /// The encoding.
    pub encoding: Option<WrittenEncoding>,
    /// The decimal mark of every column of numbers.
    pub decimal: Option<char>,
    /// The mark between thousands of every column of numbers; `Some(None)` for none.
    pub thousands: Option<Option<char>>,
    /// The format of every column of dates.
    pub dates: Option<DateFormat>,
}

/// The encoding of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WrittenEncoding {
    /// This one.
    Named(Encoding),
    /// That of the source.
    Source,
}

/// One ASCII character under `key`.
pub(super) fn character(section: &Section<'_, '_>, key: &str) -> Option<char> {
    let node = section.get(key)?;
    let text = node.string(";")?;
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (Some(letter), None) if letter.is_ascii() => Some(letter),
        _ => {
            node.mistake(
                "policy-wrong-type",
                format!("`{}` must be one ASCII character", node.key),
                "write for example \";\"",
            );
            None
        }
    }
}

/// An encoding by any of its labels.
pub(super) fn encoding(node: &Node<'_, '_>) -> Option<Encoding> {
    let name = node.string("utf-8")?;
    let found = Encoding::parse(name);
    if found.is_none() {
        node.mistake(
            "policy-unknown-value",
            format!("`{}` is no encoding that is known", node.key),
            format!(
                "write one of {}, or another label of the WHATWG list",
                Encoding::KNOWN.map(|name| format!("`{name}`")).join(", ")
            ),
        );
    }
    found
}

/// The marks of numbers that a section gives; a mark between thousands may be none, written as an empty text.
#[allow(
    clippy::option_option,
    reason = "nothing said, and none asked for, are different"
)]
pub(super) fn marks(section: &Section<'_, '_>) -> (Option<char>, Option<Option<char>>) {
    let decimal = section
        .get("decimal")
        .and_then(|node| node.choice(&[(".", '.'), (",", ',')]));
    let thousands = section.get("thousands").and_then(|node| {
        node.choice(&[
            ("", None),
            (".", Some('.')),
            (",", Some(',')),
            (" ", Some(' ')),
            ("'", Some('\'')),
            ("\u{a0}", Some('\u{a0}')),
            ("\u{202f}", Some('\u{202f}')),
        ])
    });
    if let (Some(decimal), Some(Some(thousands)), Some(node)) =
        (decimal, thousands, section.get("thousands"))
        && decimal == thousands
    {
        node.mistake(
            "policy-contradiction",
            "one mark cannot stand for decimals and for thousands",
            "write for example `decimal = \",\"` and `thousands = \".\"`",
        );
    }
    (decimal, thousands)
}

/// A format of dates.
pub(super) fn date_format(node: &Node<'_, '_>, text: &str) -> Option<DateFormat> {
    match DateFormat::parse(text) {
        Ok(format) => Some(format),
        Err(mistake) => {
            node.mistake(
                "policy-date-format",
                mistake.to_string(),
                "write for example `format = \"DD.MM.YYYY\"` or `\"MM/DD/YYYY hh:mm AM\"`",
            );
            None
        }
    }
}

/// What an attribute says of how its values are written, and which of them mean "missing".
pub(super) fn of_values(
    section: &Section<'_, '_>,
    kind: Option<Kind>,
) -> (AskedNotation, Vec<String>) {
    let (decimal, thousands) = marks(section);
    let mut asked = AskedNotation {
        decimal,
        thousands: thousands.flatten(),
        ..AskedNotation::default()
    };
    if let Some(node) = section.get("format") {
        let texts = node.texts("DD.MM.YYYY");
        if texts.is_empty() && node.is_array() {
            node.some("[\"DD.MM.YYYY\"]");
        }
        let formats = texts
            .into_iter()
            .filter_map(|(node, text)| date_format(&node, text));
        asked.dates = formats.collect();
    }
    if let Some(node) = section.get("unit") {
        let text = node.string("kg").map(str::trim);
        let begins = |text: &str| text.starts_with(['=', '+', '-', '@']);
        match text {
            Some(text) if text.is_empty() || begins(text) || text.contains(char::is_control) => {
                node.mistake(
                    "policy-wrong-type",
                    format!(
                        "`{}` must be a word or a sign such as `kg` or `€`",
                        node.key
                    ),
                    "write for example `unit = \"kg\"`",
                );
            }
            text => asked.unit = text.map(str::to_owned),
        }
    }
    let numbers = ["decimal", "thousands", "unit"];
    let of_numbers = numbers.into_iter().find_map(|key| section.get(key));
    let clash = match (section.get("format"), of_numbers, kind) {
        (Some(dates), Some(_), _) => Some((dates, "a column has dates or numbers, not both")),
        (Some(dates), _, Some(kind)) if kind != Kind::Date => Some((
            dates,
            "`format` is for dates, and the `type` says otherwise",
        )),
        (_, Some(number), Some(kind)) if !matches!(kind, Kind::Integer | Kind::Decimal) => {
            Some((number, "this is for numbers, and the `type` says otherwise"))
        }
        _ => None,
    };
    if let Some((node, because)) = clash {
        node.mistake("policy-contradiction", because, "keep one of them");
    }
    let missing = section.get("missing-values");
    let missing = missing.and_then(|node| node.some_strings("NA"));
    (asked, missing.unwrap_or_default())
}

/// What `[release]` says of how the file is written.
pub(super) fn of_files(section: &Section<'_, '_>, format: Format) -> WrittenSpec {
    if format != Format::Csv {
        for node in OF_FILES.into_iter().filter_map(|key| section.get(key)) {
            node.mistake(
                "policy-unused-key",
                format!("`{}` has no effect on a {} file", node.key, format.name()),
                "remove it, or write `format = \"csv\"`",
            );
        }
        return WrittenSpec::default();
    }
    let (decimal, thousands) = marks(section);
    WrittenSpec {
        delimiter: character(section, "delimiter"),
        encoding: section.get("encoding").and_then(|node| {
            if node.is_text(SOURCE) {
                return Some(WrittenEncoding::Source);
            }
            encoding(&node).map(WrittenEncoding::Named)
        }),
        decimal,
        thousands,
        dates: section
            .get("date-format")
            .and_then(|node| date_format(&node, node.string("YYYY-MM-DD")?)),
    }
}
