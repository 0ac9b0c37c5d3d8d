//! What stands in a CSV file before its header: a line that names the delimiter, and titles.
//!
//! Spreadsheets write `sep=;` as a first line, and people write titles above their tables. A title is skipped without being asked
//! only where it is clear: rows with at most one filled cell, and below them a row of at least three names over rows of as many cells,
//! none of which has such a name in its place. Lists of items below the name of their only column have that.

use std::collections::HashSet;

use denym_data::Kind;

use super::records::Records;
use crate::{Detection, ReadOptions};

/// Rows that are looked at to tell titles from records.
const LOOKED_AT: usize = 50;

/// Title rows that are skipped without being asked.
const MOST_TITLES: usize = 10;

/// A row of fewer names than these is no clear header.
const FEWEST_NAMES: usize = 3;

/// Rows that must follow a header below a title.
const FEWEST_RECORDS: usize = 2;

/// The beginning of a file that is no part of its table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Preamble {
    /// Its length.
    pub(super) bytes: usize,
    /// Its lines.
    pub(super) lines: usize,
    /// Its rows without the line that names the delimiter.
    pub(super) rows: usize,
    /// The delimiter that it names or tells.
    pub(super) delimiter: Option<u8>,
}

impl Preamble {
    /// Looks at the beginning of a file.
    pub(super) fn of(head: &[u8], options: &ReadOptions, whole_seen: bool) -> Preamble {
        let mut found = Preamble::default();
        // A release begins with its header, whatever that is.
        if options.detection == Detection::None && options.skip_rows.is_none() {
            return found;
        }
        if let Some((delimiter, bytes)) = named_delimiter(head) {
            found.delimiter = Some(delimiter);
            found.bytes = bytes;
            found.lines = 1;
        }
        if let Some(rows) = options.skip_rows {
            found.rows = rows;
            for _ in 0..rows {
                let Some(bytes) = line(&head[found.bytes..]) else {
                    break;
                };
                found.bytes += bytes;
                found.lines += 1;
            }
            return found;
        }
        // Who says that there is no header, or what the delimiter is not, has looked.
        if options.header == Some(false) {
            return found;
        }
        let asked = options.delimiter.or(found.delimiter);
        let tried: Vec<u8> = asked.map_or_else(|| b",;\t|".to_vec(), |one| vec![one]);
        let text = &head[found.bytes..];
        // Where one delimiter cuts every row from the first on, another that finds a title there is wrong.
        let cuts = |&delimiter: &u8| starts_at_once(text, delimiter, options.quote, whole_seen);
        if tried.iter().any(cuts) {
            return found;
        }
        let titles = tried
            .into_iter()
            .filter_map(|delimiter| titles(text, delimiter, options.quote, whole_seen))
            .max_by_key(|titles| titles.names);
        if let Some(titles) = titles {
            let lines = super::records::line_at(text, titles.bytes) - 1;
            found.bytes += titles.bytes;
            found.lines += lines;
            found.rows = lines;
            found.delimiter = Some(titles.delimiter);
        }
        found
    }
}

/// The delimiter of a first line `sep=;` and the length of that line.
fn named_delimiter(head: &[u8]) -> Option<(u8, usize)> {
    let bytes = line(head)?;
    let text = head[..bytes].trim_ascii_end();
    // A tab at the end of the line is the delimiter it names.
    let text = if head[..bytes].starts_with(b"sep=\t") {
        &head[..5]
    } else {
        text
    };
    match text {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] if delimiter.is_ascii() => {
            Some((*delimiter, bytes))
        }
        _ => None,
    }
}

/// The length of the first line, its end included; `None` when there is no end.
fn line(text: &[u8]) -> Option<usize> {
    let end = memchr::memchr2(b'\n', b'\r', text)?;
    let two = text[end] == b'\r' && text.get(end + 1) == Some(&b'\n');
    Some(end + 1 + usize::from(two))
}

/// Whether all rows have equally many cells, at least two, and the first has more than one that is filled.
fn starts_at_once(text: &[u8], delimiter: u8, quote: u8, whole_seen: bool) -> bool {
    let mut records = Records::new(text, delimiter, quote);
    let mut filled = 0;
    let Some(first) = records.next(|cell| filled += usize::from(!cell.trim_ascii().is_empty()))
    else {
        return false;
    };
    if first.cells < 2 || filled < 2 {
        return false;
    }
    for _ in 0..LOOKED_AT {
        match records.next(drop) {
            None => break,
            Some(found) if !found.complete && !whole_seen => break,
            Some(found) if found.cells != first.cells => return false,
            Some(_) => {}
        }
    }
    true
}

/// Titles above a header.
struct Titles {
    bytes: usize,
    names: usize,
    delimiter: u8,
}

fn titles(text: &[u8], delimiter: u8, quote: u8, whole_seen: bool) -> Option<Titles> {
    let mut records = Records::new(text, delimiter, quote);
    let mut bytes = 0;
    let mut header: Vec<String> = Vec::new();
    let mut above = 0;
    loop {
        let mut cells = Vec::new();
        let found = records.next(|cell| cells.push(String::from_utf8_lossy(&cell).into_owned()))?;
        let filled = cells.iter().filter(|cell| !cell.trim().is_empty()).count();
        if !found.complete {
            return None;
        }
        if filled <= 1 {
            above += 1;
            if above > MOST_TITLES {
                return None;
            }
            bytes = records.position();
            continue;
        }
        header.extend(cells);
        break;
    }
    let mut seen = HashSet::new();
    let is_name = |name: &String| {
        let typed = [Kind::Integer, Kind::Decimal, Kind::Date];
        !name.trim().is_empty() && !typed.iter().any(|kind| kind.fits(name))
    };
    let names = header
        .iter()
        .all(|name| is_name(name) && seen.insert(name.clone()));
    if above == 0 || header.len() < FEWEST_NAMES || !names {
        return None;
    }
    let mut rows = 0;
    while rows < LOOKED_AT {
        let mut place = 0;
        let mut named = false;
        let found = records.next(|cell| {
            let name = header.get(place).map(String::as_bytes);
            named |= name.is_some_and(|name| name == cell.as_slice());
            place += 1;
        });
        match found {
            Some(found) if !found.complete && !whole_seen => break,
            Some(found) if found.cells != header.len() => return None,
            Some(_) if named => return None,
            Some(_) => rows += 1,
            None => break,
        }
    }
    (rows >= FEWEST_RECORDS).then_some(Titles {
        bytes,
        names: header.len(),
        delimiter,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Preamble {
        Preamble::of(text.as_bytes(), &ReadOptions::default(), true)
    }

    #[test]
    fn the_line_that_names_the_delimiter_is_no_row() {
        let preamble = found("sep=;\r\na;b\r\n1;2\r\n");
        assert_eq!((preamble.bytes, preamble.lines, preamble.rows), (7, 1, 0));
        assert_eq!(preamble.delimiter, Some(b';'));
        assert_eq!(found("sep=\t\na\tb\n").delimiter, Some(b'\t'));
        assert_eq!(found("separator\n1\n"), Preamble::default());
    }

    #[test]
    fn clear_titles_are_skipped() {
        let preamble = found("Export 2024;;;\n\na;b;c;d\n1;2;3;4\n5;6;7;8\n");
        assert_eq!((preamble.bytes, preamble.rows), (15, 1));
        assert_eq!(preamble.delimiter, Some(b';'));
        let preamble = found("Ward 3, all patients\na,b,c\n1,2,3\n5,6,7\n");
        assert_eq!(
            preamble,
            Preamble::default(),
            "two filled cells are no title"
        );
        let preamble = found("Ward 3\na,b,c\n1,2,3\n5,6,7\n");
        assert_eq!((preamble.bytes, preamble.rows), (7, 1));
    }

    #[test]
    fn what_is_not_clear_stays() {
        for text in [
            "a;b;c\n1;2;3\n4;5;6\n",
            "name\nx\ny\n",
            "name\nAnn, Bob\nEve, Max\nJim, Joe\n",
            "title\n1;2;3\n4;5;6\n7;8;9\n",
            "title\na;b;c\n1;2;3\n",
            "title\na;b;c\n1;2;3\n4;5\n",
            "who,items\n1,a;b;c\n2,a;b;c\n3,a;b;c\n",
            "items\neggs;beer;soap\nmilk;tea;soap\nmilk;beer;salt\n",
            "",
        ] {
            assert_eq!(found(text), Preamble::default(), "{text:?}");
        }
    }

    #[test]
    fn so_many_rows_are_skipped_as_asked() {
        let options = ReadOptions {
            skip_rows: Some(2),
            ..ReadOptions::default()
        };
        let text = b"sep=;\nx;y\nz\na;b\n1;2\n";
        let preamble = Preamble::of(text, &options, true);
        assert_eq!((preamble.bytes, preamble.lines, preamble.rows), (12, 3, 2));
    }
}
