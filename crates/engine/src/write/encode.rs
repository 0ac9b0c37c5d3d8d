//! Text on its way into a file in another encoding than UTF-8.

use std::io::{self, Write};
use std::path::Path;

use denym_data::Table;

use crate::{Encoding, Error};

/// Refuses a table with characters that the encoding has no bytes for.
pub(super) fn check(table: &Table, encoding: Encoding, path: &Path) -> Result<(), Error> {
    if is_unicode(encoding) {
        return Ok(());
    }
    let fits = |text: &str| !encoding.tables().encode(text).2;
    let refused = |place: String| Error::Unencodable {
        path: path.to_owned(),
        place,
        encoding: encoding.name(),
    };
    for (at, column) in (1..).zip(table.columns()) {
        if !fits(&column.name) {
            return Err(refused(format!("the name of column {at}")));
        }
        if !column.dictionary.values().all(fits) {
            return Err(refused(format!("column {at}")));
        }
    }
    Ok(())
}

fn is_unicode(encoding: Encoding) -> bool {
    [Encoding::UTF_8, Encoding::UTF_16LE, Encoding::UTF_16BE].contains(&encoding)
}

/// Encodes what is written to it; every write holds whole characters of a text that was checked before.
pub(super) struct Encoded<W: Write> {
    writer: W,
    encoding: Encoding,
}

impl<W: Write> Encoded<W> {
    /// Begins the file, with a byte order mark where the encoding cannot be told without one.
    pub(super) fn new(mut writer: W, encoding: Encoding) -> io::Result<Self> {
        if encoding == Encoding::UTF_16LE {
            writer.write_all(&[0xFF, 0xFE])?;
        } else if encoding == Encoding::UTF_16BE {
            writer.write_all(&[0xFE, 0xFF])?;
        }
        Ok(Encoded { writer, encoding })
    }
}

impl<W: Write> Write for Encoded<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.encoding == Encoding::UTF_8 {
            self.writer.write_all(bytes)?;
            return Ok(bytes.len());
        }
        let text =
            str::from_utf8(bytes).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
        if is_unicode(self.encoding) {
            let low_first = self.encoding == Encoding::UTF_16LE;
            let unit = |unit: u16| {
                if low_first {
                    unit.to_le_bytes()
                } else {
                    unit.to_be_bytes()
                }
            };
            let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
            self.writer.write_all(&bytes)?;
        } else {
            let (bytes, _, unmappable) = self.encoding.tables().encode(text);
            if unmappable {
                return Err(io::ErrorKind::InvalidData.into());
            }
            self.writer.write_all(&bytes)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}
