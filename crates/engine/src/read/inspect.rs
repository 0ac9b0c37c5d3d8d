//! What a CSV file is: encoding, delimiter, header, and where it can be cut for several threads.
//!
//! The first block tells delimiter and header; a sweep over the whole file ([`super::sweep`]) tells where it can be cut.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use denym_data::Kind;

use super::decode::{byte_order_mark, decode};
use super::preamble::Preamble;
use super::records::{Records, line_at};
use super::stretch::{Place, Stretch};
use super::sweep::Sweep;
use crate::{CsvMistake, Encoding, Error, ReadOptions};

/// Bytes looked at to find delimiter and header.
const HEAD: usize = 1 << 16;

/// A stretch smaller than this is not worth a thread.
const LEAST_STRETCH: usize = 1 << 19;

/// A record beyond this is a mistake: nobody has a cell of a gigabyte.
const MOST_STRETCH: usize = 1 << 30;

/// A CSV file, understood.
#[derive(Debug)]
pub(crate) struct Inspected {
    pub(crate) delimiter: u8,
    pub(crate) encoding: Encoding,
    /// Rows before the header that are no records.
    pub(crate) skip_rows: usize,
    pub(crate) header: Vec<String>,
    /// Whether the header is in the file.
    pub(crate) has_header: bool,
    /// Whether it is told from a record by more than a guess: it was declared, or values below it are of another kind.
    pub(crate) told: bool,
    /// The records, in order; none when there is only a header.
    pub(crate) stretches: Vec<Stretch>,
    /// Bytes before the text proper, and the lines they are.
    skipped: usize,
    lines: usize,
    place: Place,
}

/// Looks through the file at `path`; `parts` is how many stretches are wanted.
pub(crate) fn inspect(
    path: &Path,
    options: &ReadOptions,
    parts: usize,
) -> Result<Inspected, Error> {
    let reading = |error| Error::reading(path, &error);
    let mut file = File::open(path).map_err(reading)?;
    let length = file.metadata().map_err(reading)?.len() as usize;
    let mut head = Vec::with_capacity(HEAD.min(length));
    (&mut file)
        .take(HEAD as u64)
        .read_to_end(&mut head)
        .map_err(reading)?;
    if head.is_empty() {
        return Err(Error::EmptyFile {
            path: path.to_owned(),
        });
    }
    let mark = byte_order_mark(&head);
    let encoding = options.encoding.or(mark.map(|(encoding, _)| encoding));
    let skipped = mark.map_or(
        0,
        |(found, bytes)| {
            if encoding == Some(found) { bytes } else { 0 }
        },
    );
    if encoding.is_none_or(|encoding| encoding == Encoding::UTF_8) {
        let place = Place::File(path.to_owned());
        let found = understand(path, place, head, skipped, length, options, parts)?;
        match found {
            Ok(inspected) => {
                return Ok(Inspected {
                    encoding: Encoding::UTF_8,
                    ..inspected
                });
            }
            Err(at) if encoding.is_some() => {
                let bytes = std::fs::read(path).map_err(reading)?;
                return Err(bad_encoding(path, line_at(&bytes, at), Encoding::UTF_8));
            }
            Err(_) => {}
        }
    }
    // Not UTF-8: decode it whole.
    let encoding = encoding.unwrap_or(Encoding::WINDOWS_1252);
    let bytes = std::fs::read(path).map_err(reading)?;
    let text = decode(bytes.get(skipped..).unwrap_or_default(), encoding)
        .map_err(|text| bad_encoding(path, line_at(text.as_bytes(), text.len()), encoding))?;
    drop(bytes);
    if text.is_empty() {
        return Err(Error::EmptyFile {
            path: path.to_owned(),
        });
    }
    let head = text.as_bytes()[..text.len().min(HEAD)].to_vec();
    let length = text.len();
    let place = Place::Memory(Arc::new(text.into_bytes()));
    let found = understand(path, place, head, 0, length, options, parts)?;
    let inspected = found.map_err(|_| Error::Internal {
        during: "decoding a file",
    })?;
    Ok(Inspected {
        encoding,
        ..inspected
    })
}

/// Names what the scan stumbled over, by cutting the file into records one by one.
pub(crate) fn diagnose(path: &Path, inspected: &Inspected, quote: u8) -> Option<Error> {
    let bytes = inspected.place.bytes().ok()?;
    let text = bytes.get(inspected.skipped..)?;
    let mut records = Records::new(text, inspected.delimiter, quote);
    let expected = inspected.header.len();
    while let Some(found) = records.next(drop) {
        if found.cells != expected {
            let mistake = CsvMistake::Ragged {
                expected,
                found: found.cells,
            };
            return Some(csv(path, inspected.lines + found.line, mistake));
        }
    }
    None
}

fn bad_encoding(path: &Path, line: usize, encoding: Encoding) -> Error {
    let encoding = encoding.name();
    csv(path, line, CsvMistake::BadEncoding { encoding })
}

fn csv(path: &Path, line: usize, mistake: CsvMistake) -> Error {
    Error::Csv {
        path: path.to_owned(),
        line,
        mistake,
    }
}

/// `Ok(Err(offset))` when the bytes at `offset` are not UTF-8.
fn understand(
    path: &Path,
    place: Place,
    head: Vec<u8>,
    skipped: usize,
    length: usize,
    options: &ReadOptions,
    parts: usize,
) -> Result<Result<Inspected, usize>, Error> {
    let quote = options.quote;
    let whole_seen = head.len() == length;
    let mut head = head;
    let before = Preamble::of(&head[skipped..], options, whole_seen);
    let skipped = skipped + before.bytes;
    let delimiter = options
        .delimiter
        .or(before.delimiter)
        .unwrap_or_else(|| find_delimiter(&head[skipped..], quote, whole_seen));
    let target = (length / parts.max(1)).clamp(LEAST_STRETCH, MOST_STRETCH / 2);
    let sweep = Sweep::over(&place, length, delimiter, quote, target, skipped)
        .map_err(|error| Error::reading(path, &error))?;
    if let Some(at) = sweep.invalid {
        return Ok(Err(at));
    }
    let all = || {
        let bytes = place.bytes();
        bytes.map_err(|error| Error::reading(path, &error))
    };
    if let Some(at) = sweep.nul {
        return Err(csv(path, line_at(&all()?, at), CsvMistake::NulByte));
    }
    if let Some(at) = sweep.open {
        return Err(csv(path, line_at(&all()?, at), CsvMistake::UnclosedQuote));
    }

    // The first record must be whole; a cell of megabytes may reach beyond the head.
    let mut records = Records::new(&head[skipped..], delimiter, quote);
    let mut first = Vec::new();
    let mut found = records.next(|cell| first.push(cell));
    if !whole_seen && !found.is_some_and(|found| found.complete) {
        head = all()?.to_vec();
        records = Records::new(&head[skipped..], delimiter, quote);
        first.clear();
        found = records.next(|cell| first.push(cell));
    }
    let Some(found) = found else {
        return Err(Error::EmptyFile {
            path: path.to_owned(),
        });
    };
    let first: Vec<String> = first
        .into_iter()
        .map(|cell| String::from_utf8_lossy(&cell).into_owned())
        .collect();
    let guessed = || looks_like_header(&first, records.clone(), options);
    let (has_header, told) = options.header.map_or_else(guessed, |said| (said, true));
    let (header, start) = if has_header {
        check_names(path, before.lines + found.line, &first)?;
        (first, skipped + records.position())
    } else {
        let names = (1..=first.len()).map(|number| format!("column{number}"));
        (names.collect(), skipped)
    };
    let mut starts = vec![start];
    starts.extend(
        sweep
            .cuts
            .iter()
            .copied()
            .filter(|&cut| cut > start && cut < length),
    );
    let ends = starts[1..].iter().copied().chain([length]);
    let mut stretches = Vec::with_capacity(starts.len());
    for (&start, end) in starts.iter().zip(ends) {
        if end - start > MOST_STRETCH {
            let mistake = CsvMistake::TooLarge {
                limit: MOST_STRETCH,
            };
            return Err(csv(path, line_at(&all()?, start), mistake));
        }
        if end > start {
            stretches.push(Stretch {
                place: place.clone(),
                range: start as u64..end as u64,
            });
        }
    }
    Ok(Ok(Inspected {
        delimiter,
        encoding: Encoding::UTF_8,
        skip_rows: before.rows,
        lines: before.lines,
        header,
        has_header,
        told,
        stretches,
        skipped,
        place,
    }))
}

/// The delimiter that cuts the first records into equally many cells, as many as possible.
fn find_delimiter(head: &[u8], quote: u8, whole_seen: bool) -> u8 {
    let mut best = (false, 0, b',');
    for delimiter in *b",;\t|" {
        let mut records = Records::new(head, delimiter, quote);
        let mut counts = Vec::new();
        while let Some(found) = records.next(drop) {
            // The last record of the head may be cut off.
            if found.complete || whole_seen || counts.is_empty() {
                counts.push(found.cells);
            }
            if counts.len() == 100 {
                break;
            }
        }
        let first = counts.first().copied().unwrap_or(0);
        let even = first > 1 && counts.iter().all(|&count| count == first);
        if (even, first) > (best.0, best.1) && first > 1 {
            best = (even, first, delimiter);
        }
    }
    best.2
}

/// Words that stand for a missing value in many files.
const ABSENT: [&str; 8] = [
    "nan",
    "none",
    "null",
    "nil",
    "unknown",
    "missing",
    "not available",
    "not known",
];

/// Whether the first record names the columns rather than being one of them.
///
/// It does when some column holds numbers, dates or booleans below it but not in it; it does not when it holds a number
/// or a date itself. Text above text is taken for a header, but only kinds that differ tell it from a record for sure: what is
/// said of a file may not repeat its first line otherwise.
fn looks_like_header(
    first: &[String],
    mut records: Records<'_>,
    options: &ReadOptions,
) -> (bool, bool) {
    let mut below: Vec<Vec<String>> = vec![Vec::new(); first.len()];
    for _ in 0..100 {
        let mut column = 0;
        let found = records.next(|cell| {
            let text = String::from_utf8_lossy(&cell).into_owned();
            if let Some(texts) = below.get_mut(column)
                && !options.missing.contains(&text)
            {
                texts.push(text);
            }
            column += 1;
        });
        if !found.is_some_and(|found| found.complete) {
            break;
        }
    }
    let stands_out = |(name, texts): &(&String, &Vec<String>)| {
        let kind = Kind::of(texts.iter().map(String::as_str));
        kind != Kind::Text && !kind.fits(name)
    };
    let differs = first.iter().zip(&below).any(|pair| stands_out(&pair));
    // A text such as `n/a` above numbers is a missing value as likely as a name.
    let a_word = |name: &str| {
        let name = name.to_lowercase();
        name.chars().filter(|c| c.is_alphabetic()).count() > 2 && !ABSENT.contains(&name.as_str())
    };
    let surely = first
        .iter()
        .zip(&below)
        .any(|pair| stands_out(&pair) && a_word(pair.0) && !options.missing.contains(pair.0));
    let typed = |text: &String| {
        [Kind::Integer, Kind::Decimal, Kind::Date]
            .iter()
            .any(|kind| kind.fits(text))
    };
    let none_typed = !first.iter().any(typed);
    let has_header = differs || none_typed;
    // Names made up by us are no cells.
    (has_header, !has_header || (surely && none_typed))
}

fn check_names(path: &Path, line: usize, names: &[String]) -> Result<(), Error> {
    let mut seen = HashMap::new();
    for (second, name) in names.iter().enumerate() {
        if name.is_empty() {
            let column = second + 1;
            return Err(csv(path, line, CsvMistake::UnnamedColumn { column }));
        }
        if let Some(first) = seen.insert(name, second) {
            let mistake = CsvMistake::DuplicateColumn {
                first: first + 1,
                second: second + 1,
            };
            return Err(csv(path, line, mistake));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_told_by_evenness() {
        let find = |text: &str| find_delimiter(text.as_bytes(), b'"', true);
        assert_eq!(find("a;b\n1,5;2\n3;4\n"), b';');
        assert_eq!(find("a\tb\n1\t2\n"), b'\t');
        assert_eq!(find("a|b\n"), b'|');
        assert_eq!(find("name\nx\n"), b',');
        assert_eq!(find("a,b\n\"1;2\",3\n"), b',');
    }
}
