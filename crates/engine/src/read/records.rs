//! CSV text cut into records and cells, with line numbers: for headers, hierarchies and finding out what is wrong.
//!
//! It cuts exactly as the parser of the scan does: a quote counts at the start of a cell only, a doubled quote inside is
//! one quote, `\n`, `\r\n` and `\r` end a record, empty lines are no records.

/// A walk over the records of some text.
#[derive(Debug, Clone)]
pub(crate) struct Records<'a> {
    bytes: &'a [u8],
    at: usize,
    line: usize,
    delimiter: u8,
    quote: u8,
}

/// Where a record was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Found {
    /// Its first line, from 1.
    pub(crate) line: usize,
    /// How many cells it has.
    pub(crate) cells: usize,
    /// Whether its end was seen: a line end, with no quote open.
    pub(crate) complete: bool,
    /// The line of a quote that never closes.
    pub(crate) open_quote: Option<usize>,
}

impl<'a> Records<'a> {
    pub(crate) fn new(bytes: &'a [u8], delimiter: u8, quote: u8) -> Records<'a> {
        Records {
            bytes,
            at: 0,
            line: 1,
            delimiter,
            quote,
        }
    }

    /// The byte after the last record.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Moves over one record; `cell` gets a copy of each cell.
    pub(crate) fn next(&mut self, mut cell: impl FnMut(Vec<u8>)) -> Option<Found> {
        while self.at < self.bytes.len() && is_end(self.bytes[self.at]) {
            self.end_line();
        }
        if self.at == self.bytes.len() {
            return None;
        }
        let mut found = Found {
            line: self.line,
            cells: 0,
            complete: false,
            open_quote: None,
        };
        loop {
            let mut text = Vec::new();
            if self.bytes.get(self.at) == Some(&self.quote) {
                found.open_quote = Some(self.line);
                self.at += 1;
                while let Some(&byte) = self.bytes.get(self.at) {
                    if byte == self.quote {
                        self.at += 1;
                        if self.bytes.get(self.at) != Some(&self.quote) {
                            found.open_quote = None;
                            break;
                        }
                        text.push(byte);
                        self.at += 1;
                    } else if is_end(byte) {
                        let start = self.at;
                        self.end_line();
                        text.extend_from_slice(&self.bytes[start..self.at]);
                    } else {
                        text.push(byte);
                        self.at += 1;
                    }
                }
            }
            let start = self.at;
            while let Some(&byte) = self.bytes.get(self.at) {
                if byte == self.delimiter || is_end(byte) {
                    break;
                }
                self.at += 1;
            }
            text.extend_from_slice(&self.bytes[start..self.at]);
            found.cells += 1;
            cell(text);
            match self.bytes.get(self.at) {
                Some(&byte) if byte == self.delimiter => self.at += 1,
                Some(_) => {
                    self.end_line();
                    found.complete = true;
                    return Some(found);
                }
                None => return Some(found),
            }
        }
    }

    fn end_line(&mut self) {
        let two = self.bytes[self.at] == b'\r' && self.bytes.get(self.at + 1) == Some(&b'\n');
        self.at += 1 + usize::from(two);
        self.line += 1;
    }
}

fn is_end(byte: u8) -> bool {
    byte == b'\n' || byte == b'\r'
}

/// The line that the byte at `offset` is on, from 1.
pub(crate) fn line_at(bytes: &[u8], offset: usize) -> usize {
    let before = &bytes[..offset.min(bytes.len())];
    let feeds = memchr::memchr_iter(b'\n', before).count();
    let returns = memchr::memchr_iter(b'\r', before)
        .filter(|&at| bytes.get(at + 1) != Some(&b'\n'))
        .count();
    1 + feeds + returns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(usize, Vec<String>, bool)> {
        let mut records = Records::new(text.as_bytes(), b',', b'"');
        let mut all = Vec::new();
        loop {
            let mut cells = Vec::new();
            let Some(found) = records.next(|cell| cells.push(String::from_utf8(cell).unwrap()))
            else {
                return all;
            };
            assert_eq!(found.cells, cells.len());
            all.push((found.line, cells, found.open_quote.is_some()));
        }
    }

    #[test]
    fn cuts_as_the_scan_does() {
        let cells = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            cut("a,b\r\n\"x\r\ny\",\"q\"\"q\"\rlast,\n\n,5\" tall"),
            [
                (1, cells(&["a", "b"]), false),
                (2, cells(&["x\r\ny", "q\"q"]), false),
                (4, cells(&["last", ""]), false),
                (6, cells(&["", "5\" tall"]), false),
            ]
        );
        assert_eq!(cut("a,\"b\nc"), [(1, cells(&["a", "b\nc"]), true)]);
        assert_eq!(cut("\"a\"b\"c\",d"), [(1, cells(&["ab\"c\"", "d"]), false)]);
        assert_eq!(cut("\n\r\n"), []);
    }

    #[test]
    fn lines_are_counted_for_every_line_end() {
        let text = b"a\nb\r\nc\rd";
        let lines: Vec<usize> = [0, 2, 5, 7].map(|at| line_at(text, at)).to_vec();
        assert_eq!(lines, [1, 2, 3, 4]);
    }
}
