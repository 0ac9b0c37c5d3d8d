//! The shape of a CSV file: its header, its delimiter, and whether its cells have line ends.

use std::io::{BufRead as _, BufReader};
use std::path::Path;

/// What a CSV file looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CsvShape {
    /// Names of its columns, in order.
    pub(super) header: Vec<String>,
    pub(super) delimiter: u8,
    /// Whether a quoted cell has a line end.
    pub(super) lines_in_cells: bool,
}

/// Reads the whole file for its shape; `None` when there is no header.
pub(super) fn shape(path: &Path) -> std::io::Result<Option<CsvShape>> {
    let (first, lines_in_cells) = first_line(path, true)?;
    Ok(read_header(&first).map(|(header, delimiter)| CsvShape {
        header,
        delimiter,
        lines_in_cells,
    }))
}

/// Reads only the header and its delimiter.
pub(super) fn header(path: &Path) -> std::io::Result<Option<(Vec<String>, u8)>> {
    let (first, _) = first_line(path, false)?;
    Ok(read_header(&first))
}

/// The first line, and whether a quoted cell anywhere has a line end.
fn first_line(path: &Path, whole: bool) -> std::io::Result<(Vec<u8>, bool)> {
    let mut reader = BufReader::with_capacity(1 << 20, std::fs::File::open(path)?);
    let mut first = Vec::new();
    let mut quoted = false;
    let mut in_header = true;
    let mut lines_in_cells = false;
    loop {
        let bytes = reader.fill_buf()?;
        if bytes.is_empty() {
            break;
        }
        let length = bytes.len();
        for byte in bytes {
            match byte {
                b'"' => quoted = !quoted,
                b'\n' if quoted => lines_in_cells = true,
                b'\n' => in_header = false,
                _ => {}
            }
            if in_header {
                first.push(*byte);
            }
        }
        reader.consume(length);
        if !in_header && !whole {
            break;
        }
    }
    Ok((first, lines_in_cells))
}

fn read_header(first: &[u8]) -> Option<(Vec<String>, u8)> {
    let line = std::str::from_utf8(first).ok()?;
    let line = line.trim_start_matches('\u{feff}').trim_end_matches('\r');
    let delimiter = [b',', b';', b'\t', b'|']
        .into_iter()
        .max_by_key(|one| {
            (
                line.bytes().filter(|byte| byte == one).count(),
                *one == b',',
            )
        })
        .unwrap_or(b',');
    let mut header = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            c if c as u32 == u32::from(delimiter) && !quoted => header.push(String::new()),
            c => {
                if let Some(last) = header.last_mut() {
                    last.push(c);
                }
            }
        }
    }
    let empty = header.iter().any(|name| name.trim().is_empty());
    (!empty).then_some((header, delimiter))
}
