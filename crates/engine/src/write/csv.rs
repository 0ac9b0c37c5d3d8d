//! CSV as RFC 4180 has it: commas or another delimiter, a header, quotes where needed; lines end in `\n`.

use std::io::{Result, Write};

use denym_data::Table;

use super::write_lines;

pub(super) fn write(table: &Table, delimiter: u8, writer: &mut impl Write) -> Result<()> {
    let columns = table.columns();
    // An empty line would be no record: the only cell of a row is quoted when it is empty.
    let alone = columns.len() == 1;
    let mut header = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            header.push(delimiter);
        }
        cell(Some(&column.name), alone, delimiter, &mut header);
    }
    header.push(b'\n');
    writer.write_all(&header)?;
    let cells: Vec<Vec<Vec<u8>>> = columns
        .iter()
        .enumerate()
        .map(|(index, column)| {
            (0..column.dictionary.len())
                .map(|code| {
                    let mut bytes = Vec::new();
                    if index > 0 {
                        bytes.push(delimiter);
                    }
                    let text = column.dictionary.text(code as u32);
                    cell(text, alone, delimiter, &mut bytes);
                    bytes
                })
                .collect()
        })
        .collect();
    write_lines(table, &cells, b"\n", writer)
}

fn cell(text: Option<&str>, alone: bool, delimiter: u8, out: &mut Vec<u8>) {
    let text = text.unwrap_or_default();
    let special = |byte| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    if text.bytes().any(special) || (alone && text.is_empty()) {
        out.push(b'"');
        for byte in text.bytes() {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
