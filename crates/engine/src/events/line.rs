//! One line as a sighting: subject, location, time, sensitive values, by the names of their columns.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use denym_data::sequences::seconds;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};

use super::batch::{Batch, Parts};
use super::{Columns, EventFormat, Mark};

/// Reads lines into a batch; knows where the columns of the current header are.
#[derive(Debug)]
pub struct LineReader {
    columns: Columns,
    format: EventFormat,
    /// Names of the CSV cells.
    header: String,
    width: usize,
    /// Cell of subject, location, time, then of each sensitive attribute.
    cells: Vec<Option<usize>>,
    /// A bit for each of them that is there.
    named: u64,
}

impl LineReader {
    pub(super) fn new(columns: Columns, format: EventFormat) -> Self {
        Self {
            columns,
            format,
            header: String::new(),
            width: 0,
            cells: Vec::new(),
            named: 0,
        }
    }

    /// Takes note of the names of CSV cells.
    pub(super) fn set_header(&mut self, header: &str) {
        if self.header == header {
            return;
        }
        header.clone_into(&mut self.header);
        let names = cells(header).unwrap_or_default();
        self.width = names.len();
        let columns = &self.columns;
        let wanted = [&columns.subject, &columns.location, &columns.time];
        let at = |name: &String| names.iter().position(|known| known.trim() == name);
        self.cells = wanted
            .into_iter()
            .chain(&columns.sensitive)
            .map(at)
            .collect();
        self.named = bits(&self.cells);
    }

    /// Adds a line to the batch: an event, or one that cannot be read.
    pub fn read(&self, line: &[u8], mark: Mark, batch: &mut Batch) {
        let Ok(text) = std::str::from_utf8(line) else {
            batch.push(mark, 0..0, None);
            return;
        };
        let place = batch.add_text(text);
        let values = batch.values();
        let event = match self.format {
            EventFormat::Json => self.read_json(text, batch),
            EventFormat::Csv => self.read_csv(text, place.start, batch),
        };
        if event.is_none() {
            batch.drop_values(values);
        }
        batch.push(mark, place, event);
    }

    /// A whole number as it is; a date and a time of day, or one of them, in seconds; only as the policy says where it does.
    fn time_of(&self, text: &str) -> Option<i64> {
        let text = text.trim();
        match &self.columns.time_format {
            Some(format) => seconds(&format.plain(text)?),
            None => text.parse().ok().or_else(|| seconds(text)),
        }
    }

    fn read_json(&self, text: &str, batch: &mut Batch) -> Option<Parts> {
        let mut reader = serde_json::Deserializer::from_str(text);
        let seen = reader.deserialize_map(Names(&self.columns)).ok()?;
        reader.end().ok()?;
        let named = [&seen.subject, &seen.location, &seen.time];
        batch.note(bits(named.into_iter().chain(&seen.values)));
        let (subject, location) = (seen.subject?, seen.location?);
        let time = self.time_of(&seen.time?)?;
        let first = batch.values();
        if seen.values.iter().any(Option::is_some) {
            for value in &seen.values {
                let range = batch.add_text(value.as_deref().unwrap_or_default());
                batch.add_value(range);
            }
        }
        Some(Parts {
            subject: batch.add_text(&subject),
            location: batch.add_text(&location),
            time,
            sensitive: first..batch.values(),
        })
    }

    fn read_csv(&self, text: &str, start: u32, batch: &mut Batch) -> Option<Parts> {
        // Most lines have no quote: their cells are parts of the line that is in the batch already.
        let mut ranges: [Range<u32>; CELLS] = std::array::from_fn(|_| 0..0);
        let mut many = Vec::new();
        let quoted = memchr::memchr(b'"', text.as_bytes()).is_some();
        let found: &[Range<u32>] = if quoted {
            for cell in cells(text)? {
                many.push(batch.add_text(&cell));
            }
            &many
        } else {
            let mut from = start;
            let commas = memchr::memchr_iter(b',', text.as_bytes());
            let ends = commas.chain(std::iter::once(text.len()));
            let mut count = 0;
            for end in ends {
                let range = from..start + end as u32;
                from = range.end + 1;
                if let Some(slot) = ranges.get_mut(count) {
                    *slot = range;
                } else {
                    if many.is_empty() {
                        many.extend_from_slice(&ranges);
                    }
                    many.push(range);
                }
                count += 1;
            }
            if many.is_empty() {
                &ranges[..count]
            } else {
                &many
            }
        };
        if found.len() != self.width {
            return None;
        }
        batch.note(self.named);
        let cell = |at: usize| Some(found[self.cells[at]?].clone());
        let (subject, location, time) = (cell(0)?, cell(1)?, cell(2)?);
        let time = self.time_of(batch.text_of(&time))?;
        let first = batch.values();
        let attributes = self.cells.len() - 3;
        if (0..attributes).any(|at| self.cells[3 + at].is_some()) {
            for at in 0..attributes {
                let range = cell(3 + at).unwrap_or(0..0);
                batch.add_value(range);
            }
        }
        Some(Parts {
            subject,
            location,
            time,
            sensitive: first..batch.values(),
        })
    }
}

/// A bit for each entry that is there; the first 64 are told apart.
fn bits<'a, T: 'a>(entries: impl IntoIterator<Item = &'a Option<T>>) -> u64 {
    let there = entries.into_iter().zip(0_u32..64);
    there.fold(0, |bits, (entry, at)| {
        bits | u64::from(entry.is_some()) << at
    })
}

/// Cells of a line that need no memory of their own.
const CELLS: usize = 16;

/// The labels of a JSON object that are asked for.
struct LineFields<'a> {
    subject: Option<Cow<'a, str>>,
    location: Option<Cow<'a, str>>,
    time: Option<Cow<'a, str>>,
    values: Vec<Option<Cow<'a, str>>>,
}

/// Reads an object, passing over every key that is not asked for; a key that comes twice is refused.
struct Names<'c>(&'c Columns);

impl<'de> Visitor<'de> for Names<'_> {
    type Value = LineFields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<LineFields<'de>, A::Error> {
        let columns = self.0;
        let mut seen = LineFields {
            subject: None,
            location: None,
            time: None,
            values: vec![None; columns.sensitive.len()],
        };
        while let Some(key) = map.next_key_seed(Key)? {
            let sensitive = columns.sensitive.iter().position(|name| *name == key);
            // One column may say several things, as a place that is sensitive too.
            let wanted = [
                (key == columns.subject).then_some(&mut seen.subject),
                (key == columns.location).then_some(&mut seen.location),
                (key == columns.time).then_some(&mut seen.time),
                sensitive.map(|at| &mut seen.values[at]),
            ];
            let mut wanted = wanted.into_iter().flatten().peekable();
            if wanted.peek().is_none() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let label = map.next_value_seed(Label)?;
            for slot in wanted {
                if slot.is_some() {
                    return Err(A::Error::custom("a key comes twice"));
                }
                slot.clone_from(&label);
            }
        }
        Ok(seen)
    }
}

/// A key, borrowed where it can be.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        let label = from.deserialize_str(Label)?;
        label.ok_or_else(|| D::Error::custom("a key is text"))
    }
}

/// A text, a number or a truth value as a label; `None` for anything else.
struct Label;

impl<'de> DeserializeSeed<'de> for Label {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Label {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(if value { "true" } else { "false" })))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(number.to_string())))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(
            serde_json::Value::from(number).to_string(),
        )))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// The cells of a line; `None` if a quote is left open.
fn cells(line: &str) -> Option<Vec<String>> {
    if !line.contains('"') {
        return Some(line.split(',').map(str::to_owned).collect());
    }
    let (mut all, mut cell, mut quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                cell.push('"');
                letters.next();
            }
            '"' => quoted = !quoted,
            ',' if !quoted => all.push(std::mem::take(&mut cell)),
            _ => cell.push(letter),
        }
    }
    all.push(cell);
    (!quoted).then_some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Subject, location, time, values of a line; `None` if it is no event.
    type Found = Option<(String, String, i64, Vec<String>)>;

    fn read(line: &[u8], format: EventFormat, header: &str) -> Found {
        let columns = Columns {
            subject: "card".into(),
            location: "station".into(),
            time: "hour".into(),
            time_format: None,
            sensitive: vec!["status".into(), "age".into()],
        };
        let mut reader = LineReader::new(columns, format);
        reader.set_header(header);
        let mut batch = Batch::default();
        let mark = Mark {
            part: 0,
            offset: 1,
            line: 0,
        };
        reader.read(line, mark, &mut batch);
        let line = batch.lines().next().expect("a line");
        let mut values = Vec::new();
        line.sensitive(&mut values);
        let found = line.sighting()?;
        Some((
            found.subject.to_owned(),
            found.location.to_owned(),
            found.time,
            values.into_iter().map(str::to_owned).collect(),
        ))
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "it is compared with what may be none"
    )]
    fn sighting(values: &[&str]) -> Found {
        let values = values.iter().map(|s| (*s).to_owned()).collect();
        Some(("7".into(), "King's, Cross".into(), 14, values))
    }

    #[test]
    fn both_forms_say_the_same() {
        let csv = |line: &str, header| read(line.as_bytes(), EventFormat::Csv, header);
        let header = "hour,card,station,status,age";
        assert_eq!(
            csv(r#"14,7,"King's, Cross",ill,30"#, header),
            sighting(&["ill", "30"])
        );
        let header = "hour,card,x,station,status";
        assert_eq!(
            csv(r#"14,7,,"King's, Cross",ill"#, header),
            sighting(&["ill", ""])
        );
        assert_eq!(
            csv(r#"14,7,"King's, Cross""#, "hour,card,station"),
            sighting(&[])
        );
        let many = "hour,card,station,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q";
        let plain = csv("14,7,Kew,a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q", many);
        assert_eq!(plain, Some(("7".into(), "Kew".into(), 14, Vec::new())));

        let json = |line: &str| read(line.as_bytes(), EventFormat::Json, "");
        assert_eq!(
            json(
                r#"{"card": 7, "station": "King's, Cross", "hour": 14, "status": "ill", "age": 30, "x": [{}]}"#
            ),
            sighting(&["ill", "30"])
        );
        assert_eq!(
            json(
                r#"{"x": {"card": 1}, "card": "7", "station": "King's\u002c Cross", "hour": "14"}"#
            ),
            sighting(&[])
        );
        assert_eq!(
            json(
                r#"{"age": null, "status": true, "card": "7", "station": "King's, Cross", "hour": 14}"#
            ),
            sighting(&["true", ""])
        );
    }

    #[test]
    fn what_is_no_event_is_none() {
        let header = "hour,card,station,status";
        let csv: [&[u8]; 5] = [
            b"14,7,x",
            b"NaN,7,x,y",
            b"1e3,7,x,y",
            b"14,7,\"x,y",
            b"\xff,7,x,y",
        ];
        for line in csv {
            assert_eq!(read(line, EventFormat::Csv, header), None);
        }
        assert_eq!(read(b"14,7,x", EventFormat::Csv, "hour,card,place"), None);
        let json: [&[u8]; 9] = [
            b"{",
            b"[]",
            b"7",
            b"{\"card\": 7, \"station\": \"x\"}",
            b"{\"card\": null, \"station\": \"x\", \"hour\": 1}",
            b"{\"card\": 7, \"station\": \"x\", \"hour\": 1.5}",
            b"{\"card\": 7, \"station\": \"x\", \"hour\": NaN}",
            b"{\"card\": 7, \"station\": \"x\", \"hour\": 1} {}",
            b"{\"card\": 7, \"card\": 8, \"station\": \"x\", \"hour\": 1}",
        ];
        for line in json {
            assert_eq!(read(line, EventFormat::Json, ""), None);
        }
    }
}
