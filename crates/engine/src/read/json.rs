//! One JSON object per line, flat, numbers kept as they are written.
//!
//! General readers turn numbers into floats or refuse columns that mix them with text; a person's number must stay
//! what it was, and a mistake must be named by its line. So the lines are read here, by a parser for flat objects.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

use denym_data::Table;

use super::coder::Coder;
use super::projection;
use crate::{CsvMistake, Engine, Error, JsonMistake, ReadOptions};

impl Engine {
    pub(super) fn read_json(
        &self,
        source: &Path,
        files: &[PathBuf],
        options: &ReadOptions,
    ) -> Result<Table, Error> {
        let mut columns = JsonColumns::default();
        for path in files {
            columns.read(path)?;
        }
        let JsonColumns {
            names,
            coders,
            records,
            values,
            ..
        } = columns;
        if records == 0 {
            return Err(Error::NoRecords {
                path: source.to_owned(),
            });
        }
        let positions = projection(source, &names, false, options)?;
        if records.saturating_mul(positions.len()) > CELLS.0.saturating_add(CELLS.1 * values) {
            return Err(Error::Json {
                path: source.to_owned(),
                line: records,
                mistake: JsonMistake::Sparse { keys: names.len() },
            });
        }
        let mut coders: Vec<Option<Coder>> = coders.into_iter().map(Some).collect();
        let part = positions
            .iter()
            .filter_map(|&position| coders[position].take())
            .map(|mut coder| {
                fill(&mut coder, records);
                coder
            })
            .collect();
        let names: Vec<&str> = positions.iter().map(|&at| names[at].as_str()).collect();
        self.merge(source, &names, vec![part], options)
    }
}

/// Cells that a table may have, and how many for each value that is there: objects that have hardly a key in common make a table
/// of empty cells, whose size is the square of what was read.
const CELLS: (usize, usize) = (1 << 24, 64);

/// Columns by key, in order of first appearance.
#[derive(Default)]
struct JsonColumns {
    names: Vec<String>,
    positions: HashMap<String, usize>,
    coders: Vec<Coder>,
    /// The last record that has the key, from 1, and where in it.
    last: Vec<(usize, usize)>,
    records: usize,
    /// Values read.
    values: usize,
    /// Cells that a record without the key leaves empty.
    filled: usize,
}

impl JsonColumns {
    fn read(&mut self, path: &Path) -> Result<(), Error> {
        let reading = |error| Error::reading(path, &error);
        let mut reader = BufReader::with_capacity(1 << 18, File::open(path).map_err(reading)?);
        let mut bytes = Vec::new();
        let mut line = 0;
        let mut any = false;
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(reading)? == 0 {
                break;
            }
            any = true;
            line += 1;
            let text = std::str::from_utf8(&bytes).map_err(|_| Error::Csv {
                path: path.to_owned(),
                line,
                mistake: CsvMistake::BadEncoding { encoding: "utf-8" },
            })?;
            // Some programs start JSON with a byte order mark.
            let text = match text.strip_prefix('\u{FEFF}') {
                Some(rest) if line == 1 => rest,
                _ => text,
            };
            if text.trim_ascii().is_empty() {
                continue;
            }
            self.line(text).map_err(|mistake| Error::Json {
                path: path.to_owned(),
                line,
                mistake,
            })?;
        }
        if any {
            Ok(())
        } else {
            Err(Error::EmptyFile {
                path: path.to_owned(),
            })
        }
    }

    fn line(&mut self, text: &str) -> Result<(), JsonMistake> {
        let mut parser = Parser {
            bytes: text.as_bytes(),
            text,
            at: 0,
        };
        parser.space();
        if parser.peek() != Some(b'{') {
            return Err(JsonMistake::NotAnObject);
        }
        parser.at += 1;
        let mut position = 0;
        parser.space();
        if parser.peek() == Some(b'}') {
            parser.at += 1;
        } else {
            loop {
                parser.space();
                let key = parser.string()?;
                position += 1;
                if key.is_empty() {
                    return Err(JsonMistake::EmptyKey { position });
                }
                let column = self.column(key);
                let (record, first) = self.last[column];
                if record == self.records + 1 {
                    return Err(JsonMistake::DuplicateKey {
                        first,
                        second: position,
                    });
                }
                self.last[column] = (self.records + 1, position);
                parser.space();
                parser.expect(b':')?;
                parser.space();
                let value = parser.value(position)?;
                self.values += 1;
                let coder = &mut self.coders[column];
                self.filled += self.records.saturating_sub(coder.codes.len());
                if self.filled > CELLS.0.saturating_add(CELLS.1 * self.values) {
                    return Err(JsonMistake::Sparse {
                        keys: self.names.len(),
                    });
                }
                fill(coder, self.records);
                self.coders[column].push(value.as_deref());
                parser.space();
                match parser.peek() {
                    Some(b',') => parser.at += 1,
                    _ => break,
                }
            }
            parser.expect(b'}')?;
        }
        parser.space();
        if parser.at < parser.bytes.len() {
            return Err(parser.malformed());
        }
        self.records += 1;
        Ok(())
    }

    fn column(&mut self, key: String) -> usize {
        if let Some(&position) = self.positions.get(&key) {
            return position;
        }
        self.names.push(key.clone());
        self.coders.push(Coder::new());
        self.last.push((0, 0));
        self.positions.insert(key, self.names.len() - 1);
        self.names.len() - 1
    }
}

/// Records that lack the key miss the value.
fn fill(coder: &mut Coder, records: usize) {
    while coder.codes.len() < records {
        coder.push(None);
    }
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn malformed(&self) -> JsonMistake {
        JsonMistake::Malformed {
            column: self.at + 1,
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), JsonMistake> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.malformed())
        }
    }

    /// The text of a scalar; `None` for null.
    fn value(&mut self, position: usize) -> Result<Option<String>, JsonMistake> {
        match self.peek() {
            Some(b'"') => self.string().map(Some),
            Some(b'{' | b'[') => Err(JsonMistake::Nested { position }),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null").map(|_| None),
            _ => self.number().map(Some),
        }
    }

    fn word(&mut self, word: &'static str) -> Result<Option<String>, JsonMistake> {
        if self.bytes[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(Some(word.to_owned()))
        } else {
            Err(self.malformed())
        }
    }

    /// A number as it is written; an exponent is written out where the result is exact and short.
    fn number(&mut self) -> Result<String, JsonMistake> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let whole = self.digits()?;
        if whole > 1 && self.bytes[self.at - whole] == b'0' {
            return Err(self.malformed());
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        let mut exponent = false;
        if matches!(self.peek(), Some(b'e' | b'E')) {
            exponent = true;
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        let text = &self.text[start..self.at];
        match text.parse::<f64>() {
            Ok(number) if exponent && number.is_finite() && number.abs() < 1e18 => {
                Ok(number.to_string())
            }
            _ => Ok(text.to_owned()),
        }
    }

    fn digits(&mut self) -> Result<usize, JsonMistake> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at == start {
            return Err(self.malformed());
        }
        Ok(self.at - start)
    }

    fn string(&mut self) -> Result<String, JsonMistake> {
        self.expect(b'"')?;
        let mut out = String::new();
        loop {
            let start = self.at;
            while let Some(byte) = self.peek() {
                if byte == b'"' || byte == b'\\' || byte < 0x20 {
                    break;
                }
                self.at += 1;
            }
            out.push_str(&self.text[start..self.at]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    let char = self.escape()?;
                    out.push(char);
                }
                _ => return Err(self.malformed()),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonMistake> {
        let byte = self.peek().ok_or_else(|| self.malformed())?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.unit()?;
                let mut units = vec![unit];
                if (0xD800..0xDC00).contains(&unit) {
                    self.expect(b'\\')?;
                    self.expect(b'u')?;
                    units.push(self.unit()?);
                }
                match char::decode_utf16(units).next() {
                    Some(Ok(char)) => char,
                    _ => return Err(self.malformed()),
                }
            }
            _ => return Err(self.malformed()),
        })
    }

    fn unit(&mut self) -> Result<u16, JsonMistake> {
        let digits = self
            .bytes
            .get(self.at..self.at + 4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .ok_or_else(|| self.malformed())?;
        let unit = u16::from_str_radix(digits, 16).map_err(|_| self.malformed())?;
        self.at += 4;
        Ok(unit)
    }
}
