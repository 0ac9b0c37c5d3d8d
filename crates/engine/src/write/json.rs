//! One JSON object per line; numbers and booleans are bare, everything else is a string.

use std::io::{Result, Write};

use denym_data::{Kind, Table};

use super::{write_lines, written_kind};

pub(super) fn write(table: &Table, writer: &mut impl Write) -> Result<()> {
    let cells: Vec<Vec<Vec<u8>>> = table
        .columns()
        .iter()
        .enumerate()
        .map(|(index, column)| {
            let kind = written_kind(&column.dictionary);
            let mut key = vec![if index == 0 { b'{' } else { b',' }];
            string(&column.name, &mut key);
            key.push(b':');
            (0..column.dictionary.len())
                .map(|code| {
                    let mut bytes = key.clone();
                    value(column.dictionary.text(code as u32), kind, &mut bytes);
                    bytes
                })
                .collect()
        })
        .collect();
    let end: &[u8] = if cells.is_empty() { b"{}\n" } else { b"}\n" };
    write_lines(table, &cells, end, writer)
}

fn value(text: Option<&str>, kind: Kind, out: &mut Vec<u8>) {
    match (text, kind) {
        (None, _) => out.extend_from_slice(b"null"),
        // What fits these kinds is a JSON number as it stands.
        (Some(text), Kind::Integer | Kind::Decimal) => out.extend_from_slice(text.as_bytes()),
        (Some(text), Kind::Boolean) => {
            out.extend_from_slice(text.to_ascii_lowercase().as_bytes());
        }
        (Some(text), Kind::Text | Kind::Date) => string(text, out),
    }
}

fn string(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => out.extend_from_slice(&[
                b'\\',
                b'u',
                b'0',
                b'0',
                HEX[usize::from(byte >> 4)],
                HEX[usize::from(byte & 15)],
            ]),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
