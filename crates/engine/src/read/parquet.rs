//! Parquet files, a row group at a time on every thread; every column becomes text and is typed as CSV is.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{Field, Schema};
use denym_data::Table;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::file::metadata::ParquetMetaData;
use rayon::prelude::*;

use super::coder::Coder;
use super::values::{only_scalars, text};
use super::{Failed, projection, same_columns};
use crate::panics::caught;
use crate::{Engine, Error, ReadOptions};

/// Records decoded at a time.
const BATCH: usize = 8192;

impl Engine {
    pub(super) fn read_parquet(
        &self,
        source: &Path,
        files: &[PathBuf],
        options: &ReadOptions,
    ) -> Result<Table, Error> {
        let mut schema: Option<Arc<Schema>> = None;
        let mut header: Vec<String> = Vec::new();
        // Row groups in order are rows in order.
        let mut groups = Vec::new();
        for path in files {
            let metadata = open(path)?;
            let found = Arc::clone(metadata.schema());
            let names: Vec<String> = found.fields().iter().map(|f| f.name().clone()).collect();
            if let Some(schema) = &schema {
                same_columns(&files[0], &header, path, &names)?;
                // A scan has one schema: types that differ between files would be cast behind our back.
                let same = |(a, b): (&Arc<Field>, &Arc<Field>)| a.data_type() == b.data_type();
                if !schema.fields().iter().zip(found.fields()).all(same) {
                    return Err(Error::MixedColumns {
                        path: path.clone(),
                        first: files[0].clone(),
                    });
                }
            } else {
                header = names;
                schema = Some(found);
            }
            let count = metadata.metadata().num_row_groups();
            groups.extend((0..count).map(|group| (path, metadata.clone(), group)));
        }
        let schema = schema.ok_or(Error::Internal {
            during: "opening Parquet files",
        })?;
        let columns = projection(source, &header, true, options)?;
        only_scalars(source, &schema, &columns)?;
        let parts: Result<Vec<Vec<Coder>>, Failed> = self.on_threads(|| {
            let parts = groups.par_iter().with_max_len(1);
            parts
                .map(|(path, metadata, group)| {
                    // Damaged pages make the library panic, not only fail.
                    let code = || code(path, metadata, *group, &columns);
                    caught(code).unwrap_or(Err(Failed))
                })
                .collect()
        });
        let parts = parts.map_err(|Failed| Error::Parquet {
            path: source.to_owned(),
        })?;
        let names: Vec<&str> = columns.iter().map(|&at| header[at].as_str()).collect();
        self.merge(source, &names, parts, options)
    }
}

/// The coded columns of one row group.
fn code(
    path: &Path,
    metadata: &ArrowReaderMetadata,
    group: usize,
    columns: &[usize],
) -> Result<Vec<Coder>, Failed> {
    let file = File::open(path).map_err(|_| Failed)?;
    let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone());
    let mask = ProjectionMask::roots(reader.parquet_schema(), columns.iter().copied());
    let rows = metadata.metadata().row_group(group).num_rows();
    let batches = reader
        .with_row_groups(vec![group])
        .with_projection(mask)
        .with_batch_size(BATCH.min(usize::try_from(rows).map_err(|_| Failed)?.max(1)))
        .build()
        .map_err(|_| Failed)?;
    let mut coders: Vec<Coder> = columns.iter().map(|_| Coder::new()).collect();
    for batch in batches {
        let batch = batch.map_err(|_| Failed)?;
        for (coder, array) in coders.iter_mut().zip(batch.columns()) {
            coder.extend(&text(array)?);
        }
    }
    Ok(coders)
}

/// What the footer of a file says, if it is in order.
fn open(path: &Path) -> Result<ArrowReaderMetadata, Error> {
    let reading = |error| Error::reading(path, &error);
    let file = File::open(path).map_err(reading)?;
    let size = file.metadata().map_err(reading)?.len();
    if size == 0 {
        return Err(Error::EmptyFile {
            path: path.to_owned(),
        });
    }
    let damaged = || Error::Parquet {
        path: path.to_owned(),
    };
    // A damaged schema makes the library panic, not only fail.
    let load = || ArrowReaderMetadata::load(&file, ArrowReaderOptions::default()).ok();
    let metadata = caught(load).flatten().ok_or_else(damaged)?;
    if !is_sound(metadata.metadata(), size) {
        return Err(damaged());
    }
    let mut names = HashSet::new();
    let mut fields = metadata.schema().fields().iter();
    if !fields.all(|field| names.insert(field.name())) {
        return Err(damaged());
    }
    Ok(metadata)
}

/// Whether every column chunk lies within the file: the scan takes the footer's word for it.
fn is_sound(metadata: &ParquetMetaData, size: u64) -> bool {
    metadata.row_groups().iter().all(|group| {
        group.num_rows() >= 0
            && group.columns().iter().all(|chunk| {
                let data = chunk.data_page_offset();
                let start = chunk.dictionary_page_offset().unwrap_or(data);
                let length = chunk.compressed_size();
                let end = start.checked_add(length);
                start >= 0
                    && data >= start
                    && length > 0
                    && chunk.num_values() >= 0
                    && end.is_some_and(|end| end.cast_unsigned() <= size && end >= data)
            })
    })
}
