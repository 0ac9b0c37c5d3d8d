//! What a CSV file is: encoding, delimiter, header, and where it can be cut for several threads.
//!
//! # Idea
//!
//! The first block tells delimiter and header. Then the whole file is swept once at memory speed: bytes that no text may
//! hold, quotes, and line ends outside quotes. Outside quotes the byte before a quote tells whether it opens a cell, so
//! everything between two quotes is skipped without looking at single bytes.
//!
//! # Guarantee
//!
//! After a sweep without an error the text is UTF-8, has no NUL byte, every quote closes, and every cut is the start of
//! a record.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use bytes::Bytes;
use denym_data::Kind;

use super::decode::{byte_order_mark, decode};
use super::records::{Records, line_at};
use super::store::{Place, Stretch};
use crate::{CsvMistake, Encoding, Error, ReadOptions};

/// Bytes looked at to find delimiter and header.
const HEAD: usize = 1 << 16;

/// Bytes swept at a time.
const BLOCK: usize = 1 << 18;

/// A stretch smaller than this is not worth a thread.
const LEAST_STRETCH: usize = 1 << 19;

/// The parser counts the bytes of a column in 31 bits, so no stretch may come near that.
const MOST_STRETCH: usize = 1 << 30;

/// A CSV file, understood.
#[derive(Debug)]
pub(crate) struct Inspected {
    pub(crate) delimiter: u8,
    pub(crate) header: Vec<String>,
    /// Whether the header is in the file.
    pub(crate) has_header: bool,
    /// The records, in order; none when there is only a header.
    pub(crate) stretches: Vec<Stretch>,
    /// Bytes before the text proper.
    skipped: usize,
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
    if matches!(encoding, None | Some(Encoding::Utf8)) {
        let place = Place::File(path.to_owned());
        let found = understand(path, place, head, skipped, length, options, parts)?;
        match found {
            Ok(inspected) => return Ok(inspected),
            Err(at) if encoding.is_some() => {
                let bytes = std::fs::read(path).map_err(reading)?;
                return Err(bad_encoding(path, line_at(&bytes, at), Encoding::Utf8));
            }
            Err(_) => {}
        }
    }
    // Not UTF-8: decode it whole.
    let encoding = encoding.unwrap_or(Encoding::Windows1252);
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
    let place = Place::Memory(Bytes::from(text));
    understand(path, place, head, 0, length, options, parts)?.map_err(|_| Error::Internal {
        during: "decoding a file",
    })
}

/// Names what the scan stumbled over, by cutting the file into records one by one.
pub(crate) fn diagnose(path: &Path, inspected: &Inspected, quote: u8) -> Option<Error> {
    let bytes = match &inspected.place {
        Place::Memory(bytes) => bytes.clone(),
        Place::File(path) => Bytes::from(std::fs::read(path).ok()?),
    };
    let text = bytes.get(inspected.skipped..)?;
    let mut records = Records::new(text, inspected.delimiter, quote);
    let expected = inspected.header.len();
    while let Some(found) = records.next(drop) {
        if found.cells != expected {
            let mistake = CsvMistake::Ragged {
                expected,
                found: found.cells,
            };
            return Some(csv(path, found.line, mistake));
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
    let delimiter = options
        .delimiter
        .unwrap_or_else(|| find_delimiter(&head[skipped..], quote, whole_seen));
    let target = (length / parts.max(1)).clamp(LEAST_STRETCH, MOST_STRETCH / 2);
    let mut sweep = Sweep::new(delimiter, quote, target);
    let swept = match &place {
        Place::File(file) => File::open(file).and_then(|mut file| sweep.run(&mut file, skipped)),
        Place::Memory(bytes) => sweep.run(&mut &bytes[..], skipped),
    };
    swept.map_err(|error| Error::reading(path, &error))?;
    if let Some(at) = sweep.invalid {
        return Ok(Err(at));
    }
    let all = || match &place {
        Place::File(file) => std::fs::read(file)
            .map(Bytes::from)
            .map_err(|error| Error::reading(path, &error)),
        Place::Memory(bytes) => Ok(bytes.clone()),
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
    let has_header = options
        .header
        .unwrap_or_else(|| looks_like_header(&first, records.clone(), options));
    let (header, start) = if has_header {
        check_names(path, found.line, &first)?;
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
        header,
        has_header,
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

/// Whether the first record names the columns rather than being one of them.
///
/// It does when some column holds numbers, dates or booleans below it but not in it; it does not when it holds a number
/// or a date itself. Text above text is taken for a header.
fn looks_like_header(first: &[String], mut records: Records<'_>, options: &ReadOptions) -> bool {
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
    let differs = first.iter().zip(&below).any(|(name, texts)| {
        let kind = Kind::of(texts.iter().map(String::as_str));
        kind != Kind::Text && !kind.fits(name)
    });
    let typed = |text: &String| {
        [Kind::Integer, Kind::Decimal, Kind::Date]
            .iter()
            .any(|kind| kind.fits(text))
    };
    differs || !first.iter().any(typed)
}

fn check_names(path: &Path, line: usize, names: &[String]) -> Result<(), Error> {
    for (second, name) in names.iter().enumerate() {
        if name.is_empty() {
            let column = second + 1;
            return Err(csv(path, line, CsvMistake::UnnamedColumn { column }));
        }
        if let Some(first) = names[..second].iter().position(|other| other == name) {
            let mistake = CsvMistake::DuplicateColumn {
                first: first + 1,
                second: second + 1,
            };
            return Err(csv(path, line, mistake));
        }
    }
    Ok(())
}

/// What one pass over all bytes finds; offsets are from the start of the file.
#[derive(Debug)]
struct Sweep {
    delimiter: u8,
    quote: u8,
    target: usize,
    next_cut: usize,
    quoted: bool,
    /// A quote ended the last block inside a quoted cell: it closes the cell unless another follows.
    pending: bool,
    last: u8,
    cuts: Vec<usize>,
    nul: Option<usize>,
    invalid: Option<usize>,
    open: Option<usize>,
}

impl Sweep {
    fn new(delimiter: u8, quote: u8, target: usize) -> Sweep {
        Sweep {
            delimiter,
            quote,
            target,
            next_cut: target,
            quoted: false,
            pending: false,
            last: b'\n',
            cuts: Vec::new(),
            nul: None,
            invalid: None,
            open: None,
        }
    }

    /// Sweeps `reader`, the first `skipped` bytes left out. Stops at the first bytes that are not UTF-8.
    fn run(&mut self, reader: &mut impl Read, skipped: usize) -> std::io::Result<()> {
        let mut buffer = vec![0; BLOCK];
        // Bytes of a character that the last block cut.
        let mut carried = 0;
        let mut offset = 0;
        loop {
            let got = reader.read(&mut buffer[carried..])?;
            let filled = carried + got;
            if filled == 0 {
                break;
            }
            let block = &buffer[..filled];
            let valid = match std::str::from_utf8(block) {
                Ok(_) => filled,
                Err(error) if error.error_len().is_none() && got > 0 => error.valid_up_to(),
                Err(error) => {
                    self.invalid = Some(offset + error.valid_up_to());
                    return Ok(());
                }
            };
            let skip = skipped.saturating_sub(offset).min(valid);
            self.block(&block[skip..valid], offset + skip);
            buffer.copy_within(valid..filled, 0);
            carried = filled - valid;
            offset += valid;
        }
        // A quote at the very end closes.
        if !self.quoted || self.pending {
            self.open = None;
        }
        Ok(())
    }

    fn block(&mut self, block: &[u8], offset: usize) {
        if self.nul.is_none() {
            self.nul = memchr::memchr(0, block).map(|at| offset + at);
        }
        let mut at = 0;
        while at < block.len() {
            if self.quoted {
                if self.pending {
                    self.pending = false;
                    if block[at] == self.quote {
                        at += 1;
                    } else {
                        self.quoted = false;
                        self.last = self.quote;
                    }
                    continue;
                }
                match memchr::memchr(self.quote, &block[at..]) {
                    Some(next) => {
                        at += next + 1;
                        self.pending = true;
                    }
                    None => return,
                }
            } else {
                let next = memchr::memchr(self.quote, &block[at..]);
                let end = next.map_or(block.len(), |next| at + next);
                self.cut(&block[at..end], offset + at);
                let before = if end > at { block[end - 1] } else { self.last };
                self.last = before;
                if next.is_none() {
                    return;
                }
                if before == self.delimiter || before == b'\n' || before == b'\r' {
                    self.quoted = true;
                    self.open = Some(offset + end);
                } else {
                    self.last = self.quote;
                }
                at = end + 1;
            }
        }
    }

    /// Notes the first line end at or after the next wanted cut.
    fn cut(&mut self, text: &[u8], offset: usize) {
        while offset + text.len() > self.next_cut {
            let from = self.next_cut.saturating_sub(offset);
            let Some(at) = memchr::memchr(b'\n', &text[from..]) else {
                return;
            };
            let cut = offset + from + at + 1;
            self.cuts.push(cut);
            self.next_cut = cut + self.target;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_cut_starts_a_record(text in "[a,\"\n\r]{0,60}", target in 1_usize..8) {
            let mut sweep = Sweep::new(b',', b'"', target);
            sweep.run(&mut text.as_bytes(), 0).unwrap();
            let mut records = Records::new(text.as_bytes(), b',', b'"');
            let mut ends = vec![];
            let mut open = false;
            while let Some(found) = records.next(drop) {
                ends.push(records.position());
                open |= found.open_quote.is_some();
            }
            prop_assert_eq!(sweep.open.is_some(), open, "{:?}", text);
            if !open {
                for cut in sweep.cuts {
                    // Empty lines may lie between the end of a record and a cut.
                    let before = ends.iter().copied().filter(|&end| end <= cut).max().unwrap_or(0);
                    prop_assert!(text.as_bytes()[before..cut].iter().all(|&b| b == b'\n' || b == b'\r'), "{:?} {}", text, cut);
                }
            }
        }
    }

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
