//! Parquet with typed columns; no clock, no random numbers, so the same table gives the same bytes.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

use denym_data::Table;
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::batches::Batches;
use crate::Error;

pub(super) fn write(table: &Table, path: &Path, file: File) -> Result<(), Error> {
    let failed = |error: ParquetError| match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => Error::writing(path, &error),
            Err(_) => Error::Internal {
                during: "writing a Parquet file",
            },
        },
        _ => Error::Internal {
            during: "writing a Parquet file",
        },
    };
    let batches = Batches::of(table);
    let properties = WriterProperties::builder()
        .set_created_by("denym".into())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true);
    let buffered = BufWriter::with_capacity(super::BLOCK, file);
    let mut writer =
        ArrowWriter::try_new_with_options(buffered, Arc::clone(batches.schema()), options)
            .map_err(failed)?;
    for batch in batches.iter() {
        let batch = batch.ok_or(Error::Internal {
            during: "writing a Parquet file",
        })?;
        writer.write(&batch).map_err(failed)?;
    }
    let mut file = writer.into_inner().map_err(failed)?;
    file.flush().map_err(|error| Error::writing(path, &error))
}
