//! Lines of one file after the other, or of standard input, from any place on.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

/// How an event is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventFormat {
    /// A JSON object per line.
    Json,
    /// Comma-separated cells, the first line has the names.
    Csv,
}

/// Longest line taken; a longer one is cut there and cannot be read.
const LONGEST: u64 = 1 << 20;

/// Lines with their places. A place counts bytes over all files.
pub struct EventSource {
    files: Vec<PathBuf>,
    format: EventFormat,
    at: usize,
    reader: Option<Box<dyn BufRead>>,
    place: u64,
    /// Bytes still to pass over before the first line.
    skip: u64,
    header: Option<String>,
}

impl std::fmt::Debug for EventSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = self.place;
        f.debug_struct("EventSource")
            .field("place", &place)
            .finish_non_exhaustive()
    }
}

impl EventSource {
    /// Reads `files` in their order from `place` on; `-` is standard input.
    pub fn new(files: Vec<PathBuf>, format: EventFormat, place: u64) -> Self {
        Self {
            files,
            format,
            at: 0,
            reader: None,
            place: 0,
            skip: place,
            header: None,
        }
    }

    /// The place after the last line.
    pub fn place(&self) -> u64 {
        self.place
    }

    /// The names of the columns, as the current file's first line has them.
    pub fn header(&self) -> Option<&str> {
        self.header.as_deref()
    }

    /// The next line without its end, in `line`; `false` at the end of everything.
    pub fn next_line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        loop {
            if self.reader.is_none() && !self.open()? {
                return Ok(false);
            }
            let Some(reader) = &mut self.reader else {
                return Ok(false);
            };
            line.clear();
            let read = read_line(reader, line)?;
            self.place += read;
            if read == 0 {
                self.reader = None;
                self.at += 1;
            } else if line.iter().any(|byte| !byte.is_ascii_whitespace()) {
                return Ok(true);
            }
        }
    }

    /// Opens the next file, behind what is to be skipped.
    fn open(&mut self) -> io::Result<bool> {
        let Some(path) = self.files.get(self.at) else {
            return Ok(false);
        };
        let standard = path.as_os_str() == "-";
        let mut reader: Box<dyn BufRead> = if standard {
            Box::new(BufReader::new(io::stdin()))
        } else {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            if self.skip >= size && self.at + 1 < self.files.len() {
                self.skip -= size;
                self.place += size;
                self.at += 1;
                return self.open();
            }
            Box::new(BufReader::with_capacity(1 << 18, file))
        };
        let mut passed = 0;
        if self.format == EventFormat::Csv {
            let mut names = Vec::new();
            passed = read_line(&mut reader, &mut names)?;
            let names = names.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&names);
            self.header = Some(String::from_utf8_lossy(names).into_owned());
        }
        let skip = std::mem::take(&mut self.skip);
        if skip > passed {
            if standard {
                io::copy(&mut reader.by_ref().take(skip - passed), &mut io::sink())?;
            } else {
                let mut file = File::open(path)?;
                file.seek(SeekFrom::Start(skip))?;
                reader = Box::new(BufReader::with_capacity(1 << 18, file));
            }
            passed = skip;
        }
        self.place += passed;
        self.reader = Some(reader);
        Ok(true)
    }
}

/// Reads up to the end of a line; what is beyond the longest line is passed over.
fn read_line(reader: &mut Box<dyn BufRead>, line: &mut Vec<u8>) -> io::Result<u64> {
    let mut read = reader.by_ref().take(LONGEST).read_until(b'\n', line)? as u64;
    if line.last() != Some(&b'\n') && read == LONGEST {
        let mut rest = Vec::new();
        loop {
            rest.clear();
            let more = reader.by_ref().take(LONGEST).read_until(b'\n', &mut rest)?;
            read += more as u64;
            if more == 0 || rest.last() == Some(&b'\n') {
                break;
            }
        }
    }
    while matches!(line.last(), Some(b'\n' | b'\r')) {
        line.pop();
    }
    Ok(read)
}
