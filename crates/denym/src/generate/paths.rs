//! The papers' synthetic path tables: wide-form CSV, or the serial form of the reference generators.

use std::io::{self, Write};

use denym_sequences::generate::{Row, metro, scalability, subway, subway_uniform};

use super::Form;

/// Records written between two hand-overs to the output.
const BLOCK: usize = 1 << 16;

/// How many records the papers' table has.
pub(super) fn default_rows(name: &str) -> Option<usize> {
    match name {
        "subway" | "subway-uniform" => Some(20_000),
        "metro" | "scalability" => Some(100_000),
        _ => None,
    }
}

/// The records of a path table; `None` when `name` is none.
pub(super) fn records(name: &str, seed: u64, rows: usize) -> Option<Box<dyn Iterator<Item = Row>>> {
    let rows = rows as u64;
    Some(match name {
        "subway" => Box::new(subway(seed, rows)),
        "subway-uniform" => Box::new(subway_uniform(seed, rows)),
        "scalability" => Box::new(scalability(seed, rows)),
        "metro" => Box::new(metro(seed, rows)),
        _ => return None,
    })
}

/// Writes the records.
pub(super) fn write(
    records: Box<dyn Iterator<Item = Row>>,
    form: Form,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut text = String::with_capacity(2 * BLOCK);
    if form == Form::Csv {
        text.push_str("path,status\n");
    }
    for row in records {
        match form {
            Form::Serial => row.write_serial(&mut text),
            Form::Csv => csv(&row, &mut text),
        }
        if text.len() >= BLOCK {
            out.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    out.write_all(text.as_bytes())
}

/// One record of the wide form: `3@14>7@15,0`.
fn csv(row: &Row, text: &mut String) {
    use std::fmt::Write;
    for (index, (station, hour)) in row.path.iter().enumerate() {
        let separator = if index == 0 { "" } else { ">" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{separator}{station}@{hour}");
    }
    let _ = writeln!(text, ",{}", row.status);
}
