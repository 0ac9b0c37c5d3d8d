//! A CSV file that can be changed in one cell and is otherwise the same bytes.

use super::error::Error;
use std::path::Path;

/// Header and records; every cell as the file writes it, quotes and all.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    mark: bool,
    delimiter: char,
    newline: &'static str,
    /// Names of the columns, without quotes.
    pub(crate) header: Vec<String>,
    raw_header: Vec<String>,
    records: Vec<Vec<String>>,
}

/// The byte order mark some programs put first.
const MARK: char = '\u{feff}';

impl Sheet {
    /// An empty one.
    pub(crate) fn new(header: Vec<String>) -> Self {
        Self {
            mark: false,
            delimiter: ',',
            newline: "\n",
            raw_header: header.iter().map(|name| quoted(name, ',')).collect(),
            header,
            records: Vec::new(),
        }
    }

    /// Reads a file with a header.
    pub(crate) fn parse(text: &str, what: &'static str, path: &Path) -> Result<Self, Error> {
        let mark = text.starts_with(MARK);
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let delimiter = delimiter(text);
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let mut records = split(text, delimiter).ok_or_else(|| Error::OpenQuote {
            what,
            path: path.to_owned(),
        })?;
        if records.is_empty() {
            records.push(Vec::new());
        }
        let raw_header = records.remove(0);
        if let Some(place) = records.iter().position(|r| r.len() != raw_header.len()) {
            return Err(Error::Ragged {
                what,
                path: path.to_owned(),
                record: place + 1,
            });
        }
        Ok(Self {
            mark,
            delimiter,
            newline,
            header: raw_header.iter().map(|raw| value(raw)).collect(),
            raw_header,
            records,
        })
    }

    /// The values of a file without header and with rows of any length; `None` when a quote is not closed.
    pub(crate) fn values(text: &str) -> Option<Vec<Vec<String>>> {
        let text = text.strip_prefix(MARK).unwrap_or(text);
        let records = split(text, delimiter(text))?;
        let values = |record: &Vec<String>| record.iter().map(|raw| value(raw)).collect();
        Some(records.iter().map(values).collect())
    }

    /// How many records there are.
    pub(crate) fn len(&self) -> usize {
        self.records.len()
    }

    /// The place of a column.
    pub(crate) fn column(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|column| column == name)
    }

    /// A cell, without quotes.
    pub(crate) fn get(&self, record: usize, column: usize) -> String {
        value(&self.records[record][column])
    }

    /// Changes a cell.
    pub(crate) fn set(&mut self, record: usize, column: usize, text: &str) {
        self.records[record][column] = quoted(text, self.delimiter);
    }

    /// Adds a record.
    pub(crate) fn push(&mut self, cells: &[String]) {
        let delimiter = self.delimiter;
        self.records
            .push(cells.iter().map(|cell| quoted(cell, delimiter)).collect());
    }

    /// The file.
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        if self.mark {
            out.push(MARK);
        }
        let between = self.delimiter.to_string();
        for record in std::iter::once(&self.raw_header).chain(&self.records) {
            out.push_str(&record.join(&between));
            out.push_str(self.newline);
        }
        out
    }
}

/// The sign between cells: the most frequent of the usual four in the first line.
fn delimiter(text: &str) -> char {
    let first = text.lines().next().unwrap_or_default();
    let mut best = (',', 0);
    for sign in [',', ';', '\t', '|'] {
        let mut inside = false;
        let mut count = 0;
        for c in first.chars() {
            inside ^= c == '"';
            count += usize::from(c == sign && !inside);
        }
        if count > best.1 {
            best = (sign, count);
        }
    }
    best.0
}

/// Raw cells of all records; lines without any text are left out. `None` when a quote is not closed.
fn split(text: &str, delimiter: char) -> Option<Vec<Vec<String>>> {
    let mut out = Vec::new();
    let mut record = Vec::new();
    let mut cell = String::new();
    let mut inside = false;
    let mut chars = text.chars().peekable();
    let end = |record: &mut Vec<String>, cell: &mut String, out: &mut Vec<Vec<String>>| {
        if !cell.is_empty() || !record.is_empty() {
            record.push(std::mem::take(cell));
            out.push(std::mem::take(record));
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                inside = !inside;
                cell.push(c);
            }
            c if c == delimiter && !inside => record.push(std::mem::take(&mut cell)),
            '\r' if !inside && chars.peek() == Some(&'\n') => {}
            '\n' if !inside => end(&mut record, &mut cell, &mut out),
            c => cell.push(c),
        }
    }
    end(&mut record, &mut cell, &mut out);
    (!inside).then_some(out)
}

/// What a raw cell means.
fn value(raw: &str) -> String {
    match raw.strip_prefix('"').and_then(|r| r.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => raw.to_owned(),
    }
}

/// A cell as it must be written.
fn quoted(text: &str, delimiter: char) -> String {
    let special = |c: char| c == delimiter || matches!(c, '"' | '\n' | '\r');
    if text.contains(special) || text.starts_with(MARK) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_cell_leaves_the_rest_as_it_was() {
        let text = "\u{feff}id;\"a;b\";c\r\n1;\"x \"\"y\"\"\";  2 \r\n2;;\"3\"\r\n";
        let path = Path::new("x.csv");
        let mut sheet = Sheet::parse(text, "data", path).expect("reads");
        assert_eq!(sheet.to_text(), text);
        assert_eq!(sheet.header, ["id", "a;b", "c"]);
        assert_eq!(sheet.get(0, 1), "x \"y\"");
        sheet.set(1, 1, "p;q");
        assert_eq!(sheet.to_text(), text.replace("2;;", "2;\"p;q\";"));
        let codes = |text: &str| {
            Sheet::parse(text, "data", path)
                .map(|_| ())
                .map_err(|e| e.code())
        };
        assert_eq!(codes("a,b\n1\n"), Err("csv-ragged"));
        assert_eq!(codes("a,b\n\"1,2\n"), Err("csv-open-quote"));
        assert_eq!(codes(""), Ok(()));
    }
}
