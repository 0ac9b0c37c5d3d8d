//! Parquet files, scanned by `DataFusion`; every column becomes text and is typed as CSV is.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray as _, StringArray};
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::{
    DataType, Field, Float16Type, Float32Type, Float64Type, Schema,
};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::ParquetSource;
use datafusion::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use datafusion::parquet::file::metadata::ParquetMetaData;
use denym_data::Table;

use super::scan::Failed;
use super::store::{Place, Stretch, Stretches};
use super::{projection, same_columns};
use crate::{Engine, Error, ReadOptions};

impl Engine {
    pub(super) fn read_parquet(
        &self,
        source: &Path,
        files: &[PathBuf],
        options: &ReadOptions,
    ) -> Result<Table, Error> {
        let mut schema: Option<Arc<Schema>> = None;
        let mut header: Vec<String> = Vec::new();
        let mut stretches = Vec::new();
        let mut objects = Vec::new();
        for path in files {
            let (found, size) = open(path)?;
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
            // Each row group belongs to the range its start is in: ranges in order are rows in order.
            let ranges = if size < 1 << 20 {
                1
            } else {
                self.threads() as u64
            };
            let name = stretches.len().to_string();
            for part in 0..ranges {
                let (start, end) = (size * part / ranges, size * (part + 1) / ranges);
                let file = PartitionedFile::new(name.clone(), size);
                objects.push(file.with_range(start.cast_signed(), end.cast_signed()));
            }
            stretches.push(Stretch {
                place: Place::File(path.clone()),
                range: 0..size,
            });
        }
        let schema = schema.ok_or(Error::Internal {
            during: "opening Parquet files",
        })?;
        let columns = projection(source, &header, options)?;
        for &column in &columns {
            let field = schema.field(column);
            if !is_scalar(field.data_type()) {
                return Err(Error::UnsupportedType {
                    path: source.to_owned(),
                    column: field.name().clone(),
                    found: words(field.data_type()).into(),
                });
            }
        }
        let rows = Arc::new(ParquetSource::new(schema));
        let parts = self
            .scan(Stretches(stretches), objects, rows, &columns, text, true)
            .map_err(|Failed| Error::Parquet {
                path: source.to_owned(),
            })?;
        let names: Vec<&str> = columns.iter().map(|&at| header[at].as_str()).collect();
        self.merge(source, &names, parts, options)
    }
}

/// Schema and size of a file whose footer is in order.
fn open(path: &Path) -> Result<(Arc<Schema>, u64), Error> {
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
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|_| damaged())?;
    if !is_sound(reader.metadata(), size) {
        return Err(damaged());
    }
    let schema = reader.schema();
    for (second, field) in schema.fields().iter().enumerate() {
        if schema.fields()[..second]
            .iter()
            .any(|other| other.name() == field.name())
        {
            return Err(damaged());
        }
    }
    Ok((Arc::clone(schema), size))
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

fn is_scalar(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => is_scalar(values),
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Date32
        | DataType::Date64
        | DataType::Timestamp(..)
        | DataType::Time32(_)
        | DataType::Time64(_) => true,
        other => other.is_primitive() && other.is_numeric(),
    }
}

fn words(kind: &DataType) -> &'static str {
    match kind {
        DataType::Struct(_) => "structs",
        DataType::Map(..) => "maps",
        kind if kind.is_nested() => "lists",
        DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => "bytes",
        _ => "values of a rare type",
    }
}

/// The values as a person writes them: `2024-01-31`, `12.5`, `true`.
fn text(array: &ArrayRef) -> Result<StringArray, Failed> {
    Ok(match array.data_type() {
        DataType::Utf8 => array.as_string().clone(),
        // Without exponents, and `3` rather than `3.0`.
        DataType::Float64 => floats(array.as_primitive::<Float64Type>().iter()),
        DataType::Float32 => floats(array.as_primitive::<Float32Type>().iter()),
        DataType::Float16 => floats(array.as_primitive::<Float16Type>().iter()),
        DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => {
            let texts = as_text(array)?;
            texts.iter().map(|text| text.map(plain)).collect()
        }
        DataType::Date64 => as_text(&to(array, &DataType::Date32)?)?,
        DataType::Timestamp(unit, Some(_)) => {
            // One moment, one text: in UTC, whatever zone the file prefers to show.
            as_text(&to(
                array,
                &DataType::Timestamp(*unit, Some("+00:00".into())),
            )?)?
        }
        _ => as_text(array)?,
    })
}

fn as_text(array: &ArrayRef) -> Result<StringArray, Failed> {
    Ok(to(array, &DataType::Utf8)?.as_string().clone())
}

/// A cast that fails where a value does not fit, instead of making it missing.
fn to(array: &ArrayRef, kind: &DataType) -> Result<ArrayRef, Failed> {
    let options = CastOptions {
        safe: false,
        ..CastOptions::default()
    };
    cast_with_options(array, kind, &options).map_err(|_| Failed)
}

fn floats(values: impl Iterator<Item = Option<impl ToString>>) -> StringArray {
    values
        .map(|value| value.map(|value| value.to_string()))
        .collect()
}

/// A decimal without the zeros that only its type puts at its end.
fn plain(text: &str) -> &str {
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        text
    }
}
