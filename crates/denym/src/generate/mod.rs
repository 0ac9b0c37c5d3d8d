//! Synthetic data sets, the same for the same seed on every machine.

pub mod hospital;

use std::io::{self, Write};

/// Every data set that can be generated.
pub const NAMES: &[&str] = &["hospital"];

/// Writes the data set called `name` as CSV; `None` when there is none.
pub fn write(name: &str, seed: u64, rows: usize, out: &mut dyn Write) -> Option<io::Result<()>> {
    match name {
        "hospital" => Some(csv(&hospital::HEADER, hospital::hospital(seed, rows), out)),
        _ => None,
    }
}

fn csv<R: AsRef<[String]>>(
    header: &[&str],
    rows: impl IntoIterator<Item = R>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "{}", header.join(","))?;
    for row in rows {
        for (index, cell) in row.as_ref().iter().enumerate() {
            if index > 0 {
                out.write_all(b",")?;
            }
            if cell.contains([',', '"', '\n', '\r']) {
                write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
            } else {
                out.write_all(cell.as_bytes())?;
            }
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}
