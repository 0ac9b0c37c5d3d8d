//! The cells of a stretch of CSV text, coded as they are cut.
//!
//! It cuts exactly as [`Records`](super::records::Records) does, at memory speed: a block at a time, the next delimiter or line end
//! found by vector instructions, and no cell copied unless a quote makes it differ from its bytes.

use std::io::Read;

use super::Failed;
use super::coder::Coder;
use super::stretch::Stretch;

/// Bytes read at a time: large enough that a system call is nothing, small enough for the cache.
const BLOCK: usize = 1 << 18;

/// How cells are told apart, and which of them are wanted.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) delimiter: u8,
    pub(crate) quote: u8,
    /// For each column of the file its place among those that are read.
    pub(crate) wanted: Vec<Option<usize>>,
}

/// One cell: where its text is, or that it was put together elsewhere.
enum Cell {
    At(usize, usize),
    Unquoted,
}

impl Layout {
    /// Codes every record of a stretch; fails where a record has another number of cells, or the file was cut short meanwhile.
    pub(crate) fn code(&self, stretch: &Stretch) -> Result<Vec<Coder>, Failed> {
        let mut text = stretch.open().map_err(|_| Failed)?;
        let mut left = stretch.range.end - stretch.range.start;
        let columns = self.wanted.iter().flatten().count();
        let mut coders: Vec<Coder> = (0..columns).map(|_| Coder::new()).collect();
        let mut block: Vec<u8> = Vec::with_capacity(BLOCK * 2);
        let mut wanted = BLOCK;
        loop {
            let asked = left.min(wanted as u64);
            let more = (&mut text).take(asked).read_to_end(&mut block);
            if more.map_err(|_| Failed)? as u64 != asked {
                return Err(Failed);
            }
            left -= asked;
            let ended = left == 0;
            let done = self.records(&block, ended, &mut coders)?;
            if ended {
                return Ok(coders);
            }
            block.drain(..done);
            // A record longer than the block: look at twice as much before it is cut again.
            wanted = if done == 0 {
                block.len().max(BLOCK)
            } else {
                BLOCK
            };
        }
    }

    /// Codes the records that are whole, and the last one too when the text has `ended`; the bytes that were used.
    fn records(&self, text: &[u8], ended: bool, coders: &mut [Coder]) -> Result<usize, Failed> {
        let mut at = 0;
        let mut unquoted = Vec::new();
        let mut cells: Vec<Cell> = Vec::with_capacity(self.wanted.len());
        loop {
            while matches!(text.get(at), Some(b'\n' | b'\r')) {
                at += 1;
            }
            let start = at;
            if at == text.len() {
                return Ok(start);
            }
            cells.clear();
            unquoted.clear();
            loop {
                let Some((cell, end)) = self.cell(text, at, ended, &mut unquoted) else {
                    return if ended { Err(Failed) } else { Ok(start) };
                };
                cells.push(cell);
                at = end + 1;
                if text.get(end) != Some(&self.delimiter) {
                    break;
                }
            }
            at = at.min(text.len());
            if cells.len() != self.wanted.len() {
                return Err(Failed);
            }
            let mut apart = unquoted.iter();
            for (cell, wanted) in cells.iter().zip(&self.wanted) {
                let (bytes, start, end) = match cell {
                    Cell::At(start, end) => (text, *start, *end),
                    Cell::Unquoted => {
                        let bytes: &Vec<u8> = apart.next().ok_or(Failed)?;
                        (bytes.as_slice(), 0, bytes.len())
                    }
                };
                if let Some(place) = wanted {
                    coders[*place].push_cell(bytes, start, end);
                }
            }
        }
    }

    /// The cell that begins at `at` and where it ends; `None` when the text breaks off within it.
    fn cell(
        &self,
        text: &[u8],
        at: usize,
        ended: bool,
        unquoted: &mut Vec<Vec<u8>>,
    ) -> Option<(Cell, usize)> {
        if text.get(at) != Some(&self.quote) {
            let end = self.end(text, at, ended)?;
            return Some((Cell::At(at, end), end));
        }
        let start = at + 1;
        let close = start + memchr::memchr(self.quote, &text[start..])?;
        match text.get(close + 1) {
            // A closing quote at the very end may be the first of two.
            None if !ended => return None,
            Some(&next) if next == self.delimiter || next == b'\n' || next == b'\r' => {
                return Some((Cell::At(start, close), close + 1));
            }
            None => return Some((Cell::At(start, close), close + 1)),
            Some(_) => {}
        }
        // Doubled quotes, or text behind the closing one.
        let mut cell = text[start..close].to_vec();
        let mut at = close + 1;
        while text.get(at) == Some(&self.quote) {
            let next = at + 1 + memchr::memchr(self.quote, &text[at + 1..])?;
            cell.extend_from_slice(&text[at..next]);
            at = next + 1;
            if at == text.len() && !ended {
                return None;
            }
        }
        let end = self.end(text, at, ended)?;
        cell.extend_from_slice(&text[at..end]);
        unquoted.push(cell);
        Some((Cell::Unquoted, end))
    }

    /// The next delimiter or line end.
    fn end(&self, text: &[u8], at: usize, ended: bool) -> Option<usize> {
        match memchr::memchr3(self.delimiter, b'\n', b'\r', &text[at..]) {
            Some(next) => Some(at + next),
            None => ended.then_some(text.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::records::Records;
    use super::super::stretch::Place;
    use super::*;
    use proptest::prelude::*;

    fn layout(columns: usize) -> Layout {
        Layout {
            delimiter: b',',
            quote: b'"',
            wanted: (0..columns).map(Some).collect(),
        }
    }

    /// The records as the slow walk cuts them; `None` where one has another number of cells or a quote stays open.
    fn slow(text: &str) -> Option<Vec<Vec<String>>> {
        let mut records = Records::new(text.as_bytes(), b',', b'"');
        let mut all: Vec<Vec<String>> = Vec::new();
        loop {
            let mut cells = Vec::new();
            let cut = records.next(|cell| cells.push(String::from_utf8(cell).unwrap_or_default()));
            match cut {
                None => return Some(all),
                Some(found) if found.open_quote.is_some() => return None,
                Some(_) if all.first().is_some_and(|first| first.len() != cells.len()) => {
                    return None;
                }
                Some(_) => all.push(cells),
            }
        }
    }

    fn rows(coders: &[Coder]) -> Vec<Vec<String>> {
        let records = coders.first().map_or(0, |coder| coder.codes.len());
        let cell =
            |coder: &Coder, row: usize| coder.texts.get(coder.codes[row] as usize).to_owned();
        (0..records)
            .map(|row| coders.iter().map(|coder| cell(coder, row)).collect())
            .collect()
    }

    proptest! {
        #[test]
        fn cuts_as_the_slow_walk_does(text in "[a\u{e9},\"\n\r]{0,40}", more in "(aa,\"b\"\"b\"\n){0,3}") {
            let text = format!("{more}{text}");
            let expected = slow(&text);
            let columns = expected.iter().flatten().next().map_or(1, Vec::len);
            let stretch = Stretch {
                range: 0..text.len() as u64,
                place: Place::Memory(Arc::new(text.into_bytes())),
            };
            let found = layout(columns).code(&stretch);
            prop_assert_eq!(found.ok().map(|coders| rows(&coders)), expected);
        }
    }

    #[test]
    fn a_cell_of_megabytes_spans_blocks() {
        let long = "x\"\"\n".repeat(BLOCK);
        let text = format!("a,b\n1,\"{long}\"\n2,c\n");
        let stretch = Stretch {
            range: 0..text.len() as u64,
            place: Place::Memory(Arc::new(text.into_bytes())),
        };
        let found = layout(2).code(&stretch).expect("even records");
        let rows = rows(&found);
        assert_eq!(rows.len(), 3);
        assert_eq!(rows[1][1], "x\"\n".repeat(BLOCK));
        assert_eq!(rows[2], ["2", "c"]);
    }
}
