//! Lines of one file after the other, or of standard input, from any place on.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::batch::Batch;
use super::line::LineReader;
use super::{EventFormat, Lag, Mark};
use crate::Error;

/// A reader that knows what it holds.
trait FollowedLines: BufRead + Send {
    /// Whether the next line is there without waiting.
    fn has_line(&self) -> bool;
}

impl<R: Read + Send> FollowedLines for BufReader<R> {
    fn has_line(&self) -> bool {
        memchr::memchr(b'\n', self.buffer()).is_some()
    }
}

/// Longest line taken; a longer one is cut there and cannot be read.
const LONGEST: u64 = 1 << 20;

/// Lines with their places. A place counts bytes over all files.
pub(super) struct FileSource {
    files: Vec<PathBuf>,
    format: EventFormat,
    at: usize,
    reader: Option<Box<dyn FollowedLines>>,
    place: u64,
    /// Bytes still to pass over before the first line.
    skip: u64,
    header: Option<String>,
    /// Bytes of all files; none where there is standard input.
    total: Option<u64>,
    line: Vec<u8>,
}

impl std::fmt::Debug for FileSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let place = self.place;
        f.debug_struct("FileSource")
            .field("place", &place)
            .finish_non_exhaustive()
    }
}

impl FileSource {
    /// Reads `files` in their order from `place` on; `-` is standard input.
    pub(super) fn new(files: Vec<PathBuf>, format: EventFormat, place: u64) -> Self {
        let size = |path: &PathBuf| path.metadata().ok().map(|found| found.len());
        let total = files.iter().map(size).sum();
        Self {
            files,
            format,
            at: 0,
            reader: None,
            place: 0,
            skip: place,
            header: None,
            total,
            line: Vec::new(),
        }
    }

    /// Reads lines until the batch is full, or nothing more is there at the moment; `false` at the end of everything.
    pub(super) fn fill(
        &mut self,
        lines: &mut LineReader,
        batch: &mut Batch,
    ) -> Result<bool, Error> {
        let filled = self.try_fill(lines, batch);
        let left = |total: u64| Lag::Bytes(total.saturating_sub(self.place));
        batch.lag = self.total.map(left);
        filled.map_err(|error| {
            let none = PathBuf::from("-");
            let path = self.files.get(self.at).unwrap_or(&none);
            Error::reading(path, &error)
        })
    }

    fn try_fill(&mut self, lines: &mut LineReader, batch: &mut Batch) -> io::Result<bool> {
        while !batch.is_full() {
            if self.reader.is_none() {
                if !self.open()? {
                    return Ok(false);
                }
                if let Some(header) = &self.header {
                    lines.set_header(header);
                }
            }
            let Some(reader) = &mut self.reader else {
                return Ok(false);
            };
            // A reader of a pipe gets what is there; it does not wait for a full batch.
            if self.total.is_none() && !batch.is_empty() && !reader.has_line() {
                return Ok(true);
            }
            self.line.clear();
            let read = read_line(reader.as_mut(), &mut self.line)?;
            self.place += read;
            if read == 0 {
                self.reader = None;
                self.at += 1;
            } else if self.line.iter().any(|byte| !byte.is_ascii_whitespace()) {
                let mark = Mark {
                    part: 0,
                    offset: self.place,
                    line: 0,
                };
                lines.read(&self.line, mark, batch);
            }
        }
        Ok(true)
    }

    /// Opens the next file, behind what is to be skipped.
    fn open(&mut self) -> io::Result<bool> {
        let Some(path) = self.files.get(self.at) else {
            return Ok(false);
        };
        let standard = path.as_os_str() == "-";
        let mut reader: Box<dyn FollowedLines> = if standard {
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
            passed = read_line(reader.as_mut(), &mut names)?;
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
fn read_line(reader: &mut dyn FollowedLines, line: &mut Vec<u8>) -> io::Result<u64> {
    let mut read = (&mut *reader).take(LONGEST).read_until(b'\n', line)? as u64;
    if line.last() != Some(&b'\n') && read == LONGEST {
        let mut rest = Vec::new();
        loop {
            rest.clear();
            let more = (&mut *reader).take(LONGEST).read_until(b'\n', &mut rest)?;
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
