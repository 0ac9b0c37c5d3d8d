//! Synthetic data sets, the same for the same seed on every machine.

pub mod hospital;
mod paths;

use std::io::{self, Write};

/// Every data set that can be generated.
pub const NAMES: &[&str] = &[
    "hospital",
    "subway",
    "subway-uniform",
    "scalability",
    "metro",
];

/// How a data set is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// CSV with a header.
    #[default]
    Csv,
    /// A line per record as the reference generators write it; only for paths.
    Serial,
}

/// How many records the data set called `name` has when nobody says.
pub fn default_rows(name: &str) -> usize {
    paths::default_rows(name).unwrap_or(1000)
}

/// Writes the data set called `name`; `None` when there is none, or not in this form.
pub fn write(
    name: &str,
    seed: u64,
    rows: usize,
    form: Form,
    out: &mut dyn Write,
) -> Option<io::Result<()>> {
    if let Some(records) = paths::records(name, seed, rows) {
        return Some(paths::write(records, form, out));
    }
    match name {
        _ if form == Form::Serial => None,
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
