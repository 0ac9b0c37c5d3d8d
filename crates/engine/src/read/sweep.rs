//! One look at every byte of a CSV file: is it text, where do quotes open and close, and where can it be cut for several threads?
//!
//! # Idea
//!
//! A file without a single quote is looked at by all cores, and cut at any line end. Otherwise one thread goes through it at memory
//! speed: bytes that no text may hold, quotes, and line ends outside quotes. Outside quotes the byte before a quote tells whether it
//! opens a cell, so everything between two quotes is skipped without looking at single bytes.
//!
//! # Guarantee
//!
//! After a sweep without an error the text is UTF-8, has no NUL byte, every quote closes, and every cut is the start of
//! a record.

use std::io::{self, Read};

use rayon::prelude::*;

use super::stretch::{Place, Stretch};

/// Bytes swept at a time.
const BLOCK: usize = 1 << 18;

/// Bytes that one thread looks at for all cores.
const SHARE: usize = 1 << 21;

/// What one pass over all bytes finds; offsets are from the start of the file.
#[derive(Debug)]
pub(super) struct Sweep {
    delimiter: u8,
    quote: u8,
    target: usize,
    next_cut: usize,
    quoted: bool,
    /// A quote ended the last block inside a quoted cell: it closes the cell unless another follows.
    pending: bool,
    last: u8,
    pub(super) cuts: Vec<usize>,
    pub(super) nul: Option<usize>,
    pub(super) invalid: Option<usize>,
    pub(super) open: Option<usize>,
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

    /// Sweeps all of `place`, `length` bytes of which the first `skipped` are left out.
    pub(super) fn over(
        place: &Place,
        length: usize,
        delimiter: u8,
        quote: u8,
        target: usize,
        skipped: usize,
    ) -> io::Result<Sweep> {
        let mut sweep = Sweep::new(delimiter, quote, target);
        if is_plain(place, length, quote)? {
            let mut from = skipped + target;
            while let Some(cut) = line_after(place, from, length)? {
                sweep.cuts.push(cut);
                from = cut + target;
            }
            return Ok(sweep);
        }
        let whole = Stretch {
            place: place.clone(),
            range: 0..length as u64,
        };
        sweep.run(&mut whole.open()?, skipped)?;
        Ok(sweep)
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

/// Whether the text is UTF-8 without NUL bytes and without quotes, asked of all cores.
fn is_plain(place: &Place, length: usize, quote: u8) -> io::Result<bool> {
    let shares: Vec<usize> = (0..length).step_by(SHARE).collect();
    let is_plain = |&start: &usize| -> io::Result<bool> {
        // A character that a share cuts belongs to the share that it starts in.
        let end = (start + SHARE).min(length);
        let bytes = read(place, start, (end + 3).min(length))?;
        let inside = |at: usize| (at..at + 3).find(|&at| !is_inside(bytes.get(at)));
        let first = if start == 0 {
            0
        } else {
            inside(0).unwrap_or(3)
        };
        let last = inside(end - start).unwrap_or(bytes.len()).min(bytes.len());
        let share = bytes.get(first..last).unwrap_or_default();
        Ok(memchr::memchr2(0, quote, share).is_none() && std::str::from_utf8(share).is_ok())
    };
    let all: io::Result<Vec<bool>> = shares.par_iter().map(is_plain).collect();
    Ok(all?.into_iter().all(|plain| plain))
}

/// Whether a byte goes on with a character that began before it.
fn is_inside(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000)
}

/// The start of the first line that begins after the line end at or behind `from`.
fn line_after(place: &Place, from: usize, length: usize) -> io::Result<Option<usize>> {
    let mut at = from;
    while at < length {
        let bytes = read(place, at, length.min(at + BLOCK))?;
        if let Some(found) = memchr::memchr(b'\n', &bytes) {
            return Ok(Some(at + found + 1));
        }
        at += bytes.len();
    }
    Ok(None)
}

fn read(place: &Place, start: usize, end: usize) -> io::Result<Vec<u8>> {
    let stretch = Stretch {
        place: place.clone(),
        range: start as u64..end as u64,
    };
    let mut bytes = vec![0; end - start];
    stretch.open()?.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::records::Records;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_character_across_two_shares_is_text_and_half_of_one_is_not() {
        let plain = |bytes: Vec<u8>| {
            let length = bytes.len();
            is_plain(&Place::Memory(Arc::new(bytes)), length, b'"').expect("memory can be read")
        };
        for before in SHARE - 4..SHARE + 2 {
            let mut text = vec![b'a'; before];
            text.extend("é€😀".bytes());
            assert!(plain(text.clone()), "{before}");
            text.extend(b"tail");
            assert!(plain(text.clone()), "{before}");
            for bad in [&b"\x80"[..], b"\x80\x80\x80\x80", b"\xF0\x9F", b"\"", b"\0"] {
                let mut text = vec![b'a'; before];
                text.extend(bad);
                assert!(!plain(text.clone()), "{before} {bad:?}");
                text.extend(b"tail");
                assert!(!plain(text), "{before} {bad:?}");
            }
        }
    }

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
}
