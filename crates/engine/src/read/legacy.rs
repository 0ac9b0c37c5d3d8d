//! What a workbook of the old binary format (`.xls`) would take in memory, before the library below reads it.
//!
//! # Idea
//!
//! Such a file is a small file system (a compound file) with one stream of records. The library holds every sheet as a full rectangle
//! and copies a shared text into each cell that shows it, so a few kilobytes can claim gigabytes. The same chains and records are
//! followed here without keeping anything, and what they would take is added up.
//!
//! # Reference
//!
//! Microsoft, Compound File Binary File Format (MS-CFB) and Excel Binary File Format (MS-XLS).

use std::path::Path;

use super::workbook::{MOST_HELD, OF_A_CELL};
use crate::{Error, SpreadsheetMistake};

/// The first bytes of a compound file.
const SIGNATURE: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// A sector number from here on is none.
const LAST: u32 = 0xffff_fffa;

/// Columns and rows of a sheet of this format.
const SHEET: (u64, u64) = (1 << 8, 1 << 16);

/// Whether `bytes` begin as a compound file.
pub(super) fn is_one(bytes: &[u8]) -> bool {
    bytes.starts_with(&SIGNATURE)
}

/// Refuses a file that is damaged, or would take more memory than its size warrants.
pub(super) fn check(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let wrong = |mistake| Error::Spreadsheet {
        path: path.to_owned(),
        mistake,
    };
    let most = MOST_HELD.0 + MOST_HELD.1 * bytes.len() as u64;
    let stream = workbook_stream(bytes).ok_or_else(|| wrong(SpreadsheetMistake::Damaged))?;
    match held(&stream, most) {
        Some(held) if held <= most => Ok(()),
        Some(_) => Err(wrong(SpreadsheetMistake::Scattered)),
        None => Err(wrong(SpreadsheetMistake::Damaged)),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at + 2)?;
    Some(u16::from_le_bytes([two[0], two[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at + 4)?;
    Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    let words = bytes.chunks_exact(4);
    words.map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
}

/// Sectors of one size and the table of which follows which.
struct Sectors<'b> {
    bytes: &'b [u8],
    size: usize,
    next: Vec<u32>,
}

impl Sectors<'_> {
    fn get(&self, id: u32) -> Option<&[u8]> {
        let start = (id as usize).checked_mul(self.size)?;
        let end = (start + self.size).min(self.bytes.len());
        self.bytes.get(start..end)
    }

    /// The bytes of a chain of sectors, at most `length` of them; `None` where it goes in a circle or leaves the file.
    fn chain(&self, start: u32, length: u64) -> Option<Vec<u8>> {
        let mut found = Vec::new();
        let mut id = start;
        let mut steps = 0;
        while id < LAST && (found.len() as u64) < length {
            found.extend_from_slice(self.get(id)?);
            id = *self.next.get(id as usize)?;
            steps += 1;
            if steps > self.next.len() {
                return None;
            }
        }
        found.truncate(usize::try_from(length).unwrap_or(usize::MAX));
        Some(found)
    }
}

/// The stream of records of a compound file.
fn workbook_stream(bytes: &[u8]) -> Option<Vec<u8>> {
    let size: usize = match u16_at(bytes, 30)? {
        9 => 512,
        12 => 4096,
        _ => return None,
    };
    let mut sectors = Sectors {
        bytes: bytes.get(size..)?,
        size,
        next: Vec::new(),
    };
    // Where the table of sectors stands: 109 numbers in the header, others in a chain of their own.
    let mut places: Vec<u32> = numbers(bytes.get(76..512)?).collect();
    let mut more = u32_at(bytes, 68)?;
    let most = bytes.len() / size + 1;
    for _ in 0..most {
        if more >= LAST {
            break;
        }
        places.extend(numbers(sectors.get(more)?));
        more = places.pop()?;
    }
    if more < LAST {
        return None;
    }
    let places: Vec<u32> = places.into_iter().filter(|&id| id < LAST).collect();
    if places.len() > most {
        return None;
    }
    for id in places {
        let part: Vec<u32> = numbers(sectors.get(id)?).collect();
        sectors.next.extend(part);
    }
    let entries = sectors.chain(u32_at(bytes, 48)?, u64::MAX)?;
    let entries: Vec<(String, u32, u64)> = entries
        .chunks_exact(128)
        .filter_map(|entry| {
            let name: Vec<u16> = entry[..64]
                .chunks_exact(2)
                .map(|two| u16::from_le_bytes([two[0], two[1]]))
                .take_while(|&unit| unit != 0)
                .collect();
            let high = if size == 512 { 0 } else { u32_at(entry, 124)? };
            let length = u64::from(u32_at(entry, 120)?) | u64::from(high) << 32;
            Some((String::from_utf16_lossy(&name), u32_at(entry, 116)?, length))
        })
        .collect();
    let named = |wanted: &str| {
        let mut entries = entries.iter();
        entries.find(|entry| entry.0.eq_ignore_ascii_case(wanted))
    };
    let (_, start, length) = named("Workbook").or_else(|| named("Book"))?;
    // Both are followed, needed or not: the library follows them.
    let root = entries.first()?;
    let small = sectors.chain(root.1, root.2)?;
    let lengths = u64::from(u32_at(bytes, 64)?) * size as u64;
    let next = sectors.chain(u32_at(bytes, 60)?, lengths)?;
    if *length >= 4096 {
        return sectors.chain(*start, *length);
    }
    let small = Sectors {
        bytes: &small,
        size: 64,
        next: numbers(&next).collect(),
    };
    small.chain(*start, *length)
}

/// The records of a stream from `at` on: their types and bytes.
fn records(stream: &[u8], at: usize) -> impl Iterator<Item = (u16, &[u8])> {
    let mut rest = stream.get(at..).unwrap_or_default();
    std::iter::from_fn(move || {
        let kind = u16_at(rest, 0)?;
        let length = usize::from(u16_at(rest, 2)?);
        let data = rest.get(4..4 + length)?;
        rest = &rest[4 + length..];
        Some((kind, data))
    })
}

/// Bytes that all sheets would take; it stops adding beyond `most`. `None` where a record is none.
fn held(stream: &[u8], most: u64) -> Option<u64> {
    let mut sheets = Vec::new();
    let mut shared: Vec<&[u8]> = Vec::new();
    let mut in_shared = false;
    for (kind, data) in records(stream, 0) {
        match kind {
            0x000a => break,
            0x0085 => sheets.push(u32_at(data, 0)? as usize),
            0x00fc => {
                shared = vec![data.get(8..)?];
                in_shared = true;
                continue;
            }
            0x003c if in_shared => {
                shared.push(data);
                continue;
            }
            _ => {}
        }
        in_shared = false;
    }
    let texts = lengths(&shared);
    let mut held = 0_u64;
    for at in sheets {
        held = held.saturating_add(held_by_sheet(stream, at, &texts)?);
        if held > most {
            break;
        }
    }
    Some(held)
}

fn held_by_sheet(stream: &[u8], at: usize, texts: &[u64]) -> Option<u64> {
    let mut held = 0_u64;
    let (mut top, mut left) = (u64::MAX, u64::MAX);
    let (mut bottom, mut right) = (0_u64, 0_u64);
    let mut depth = 0_usize;
    for (kind, data) in records(stream, at) {
        let mut last = None;
        match kind {
            0x0809 => depth += 1,
            0x000a if depth <= 1 => break,
            0x000a => depth -= 1,
            0x0200 => {
                let (rows, columns) = if data.len() == 10 {
                    (u32::from(u16_at(data, 2)?), u16_at(data, 6)?)
                } else {
                    (u32_at(data, 4)?, u16_at(data, 10)?)
                };
                let first = if data.len() == 10 {
                    u32::from(u16_at(data, 0)?)
                } else {
                    u32_at(data, 0)?
                };
                // Room is taken for what this record claims.
                let columns = u64::from(columns);
                if first > rows || u64::from(rows) > SHEET.1 || columns > SHEET.0 {
                    return None;
                }
                continue;
            }
            0x00bd => last = Some(u64::from(u16_at(data, data.len().checked_sub(2)?)?)),
            0x00fd => {
                let text = texts.get(u32_at(data, 6)? as usize);
                held = held.saturating_add(text.copied().unwrap_or(0));
            }
            0x0203 | 0x0204 | 0x00d6 | 0x0205 | 0x027e | 0x0006 => {}
            _ => continue,
        }
        if matches!(kind, 0x0809 | 0x000a) {
            continue;
        }
        let (row, column) = (u64::from(u16_at(data, 0)?), u64::from(u16_at(data, 2)?));
        held = held.saturating_add(data.len() as u64 + OF_A_CELL);
        (top, left) = (top.min(row), left.min(column));
        (bottom, right) = (bottom.max(row), right.max(last.unwrap_or(column)));
    }
    if top <= bottom && left <= right {
        let cells = (bottom - top + 1) * (right - left + 1);
        held = held.saturating_add(cells * OF_A_CELL);
    }
    Some(held)
}

/// What each of the shared texts takes; those that cannot be followed are left out, and no cell can show them.
fn lengths(parts: &[&[u8]]) -> Vec<u64> {
    let mut found = Vec::new();
    let mut parts = parts.iter().copied();
    let Some(mut data) = parts.next() else {
        return found;
    };
    loop {
        if data.is_empty() {
            match parts.next() {
                Some(next) => data = next,
                None => return found,
            }
            continue;
        }
        let (Some(letters), Some(&flags)) = (u16_at(data, 0), data.get(2)) else {
            return found;
        };
        let mut skipped = 3;
        let mut behind = 0_usize;
        if flags & 8 != 0 {
            behind += 4 * usize::from(u16_at(data, skipped).unwrap_or(0));
            skipped += 2;
        }
        if flags & 4 != 0 {
            behind += u32_at(data, skipped).unwrap_or(0) as usize;
            skipped += 4;
        }
        data = data.get(skipped..).unwrap_or_default();
        let mut left = usize::from(letters);
        let mut wide = flags & 1 != 0;
        loop {
            let size = if wide { 2 } else { 1 };
            let here = left.min(data.len() / size);
            left -= here;
            data = &data[here * size..];
            if left == 0 {
                break;
            }
            // The rest stands in the next part, which says anew how wide its letters are.
            match parts.next() {
                Some([flags, next @ ..]) => {
                    wide = flags & 1 != 0;
                    data = next;
                }
                _ => break,
            }
        }
        while behind > 0 {
            let here = behind.min(data.len());
            behind -= here;
            data = &data[here..];
            if behind > 0 {
                match parts.next() {
                    Some(next) => data = next,
                    None => break,
                }
            }
        }
        // A letter takes up to three bytes.
        found.push(3 * u64::from(letters));
    }
}
