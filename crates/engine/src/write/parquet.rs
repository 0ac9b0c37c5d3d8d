//! Parquet with typed columns; no clock, no random numbers, so the same table gives the same bytes.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::UInt32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int64Array, RecordBatch,
    StringArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Schema};
use denym_data::{Column, Date, Decimal, Kind, Table};
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::written_kind;
use crate::Error;

/// Records turned into arrays at a time.
const BATCH: usize = 1 << 16;

/// Digits of a decimal column: twice what a value can have.
const PRECISION: u8 = 38;

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
    let forms: Vec<ParquetForm> = table.columns().iter().map(ParquetForm::new).collect();
    let fields: Vec<Field> = table
        .columns()
        .iter()
        .zip(&forms)
        .map(|(column, form)| Field::new(&column.name, form.data_type(), true))
        .collect();
    let schema = Arc::new(Schema::new(fields));
    let properties = WriterProperties::builder()
        .set_created_by("denym".into())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let options = ArrowWriterOptions::new()
        .with_properties(properties)
        .with_skip_arrow_metadata(true);
    let buffered = BufWriter::with_capacity(super::BLOCK, file);
    let mut writer = ArrowWriter::try_new_with_options(buffered, Arc::clone(&schema), options)
        .map_err(failed)?;
    for start in (0..table.records()).step_by(BATCH) {
        let end = table.records().min(start + BATCH);
        let arrays = table
            .columns()
            .iter()
            .zip(&forms)
            .map(|(column, form)| form.array(&column.codes[start..end]))
            .collect::<Option<Vec<ArrayRef>>>();
        let batch =
            arrays.and_then(|arrays| RecordBatch::try_new(Arc::clone(&schema), arrays).ok());
        let batch = batch.ok_or(Error::Internal {
            during: "writing a Parquet file",
        })?;
        writer.write(&batch).map_err(failed)?;
    }
    let mut file = writer.into_inner().map_err(failed)?;
    file.flush().map_err(|error| Error::writing(path, &error))
}

/// The values of a column, once per code, in the type they are written as.
enum ParquetForm {
    Text(ArrayRef, Option<u32>),
    Integer(Vec<Option<i64>>),
    Decimal(Vec<Option<i128>>, u32),
    Date(Vec<Option<i32>>),
    Boolean(Vec<Option<bool>>),
}

impl ParquetForm {
    fn new(column: &Column) -> ParquetForm {
        let dictionary = &column.dictionary;
        let texts = || (0..dictionary.len()).map(|code| dictionary.text(code as u32));
        match written_kind(dictionary) {
            Kind::Integer => ParquetForm::Integer(
                texts()
                    .map(|text| text.and_then(|text| text.parse().ok()))
                    .collect(),
            ),
            Kind::Decimal => {
                let numbers = || texts().map(|text| text.and_then(Decimal::parse));
                let scale = numbers().flatten().map(Decimal::scale).max().unwrap_or(0);
                let scaled = numbers().map(|number| number.map(|number| number.scaled(scale)));
                ParquetForm::Decimal(scaled.collect(), scale)
            }
            // A time after the date would be lost.
            Kind::Date if dictionary.values().all(|text| text.len() == 10) => ParquetForm::Date(
                texts()
                    .map(|text| text.and_then(Date::parse).map(|date| date.days() as i32))
                    .collect(),
            ),
            Kind::Boolean => ParquetForm::Boolean(
                texts()
                    .map(|text| text.map(|text| text.eq_ignore_ascii_case("true")))
                    .collect(),
            ),
            Kind::Text | Kind::Date => {
                let values: StringArray = dictionary.values().map(Some).collect();
                ParquetForm::Text(Arc::new(values), dictionary.missing())
            }
        }
    }

    fn data_type(&self) -> DataType {
        match self {
            ParquetForm::Text(..) => {
                DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8))
            }
            ParquetForm::Integer(_) => DataType::Int64,
            ParquetForm::Decimal(_, scale) => DataType::Decimal128(PRECISION, *scale as i8),
            ParquetForm::Date(_) => DataType::Date32,
            ParquetForm::Boolean(_) => DataType::Boolean,
        }
    }

    fn array(&self, codes: &[u32]) -> Option<ArrayRef> {
        Some(match self {
            ParquetForm::Text(values, missing) => {
                let keys: UInt32Array = codes
                    .iter()
                    .map(|&code| (Some(code) != *missing).then_some(code))
                    .collect();
                let array =
                    DictionaryArray::<UInt32Type>::try_new(keys, Arc::clone(values)).ok()?;
                Arc::new(array)
            }
            ParquetForm::Integer(values) => Arc::new(pick(codes, values).collect::<Int64Array>()),
            ParquetForm::Decimal(values, scale) => {
                let array: Decimal128Array = pick(codes, values).collect();
                Arc::new(
                    array
                        .with_precision_and_scale(PRECISION, *scale as i8)
                        .ok()?,
                )
            }
            ParquetForm::Date(values) => Arc::new(pick(codes, values).collect::<Date32Array>()),
            ParquetForm::Boolean(values) => Arc::new(pick(codes, values).collect::<BooleanArray>()),
        })
    }
}

fn pick<'a, T: Copy>(
    codes: &'a [u32],
    values: &'a [Option<T>],
) -> impl Iterator<Item = Option<T>> + 'a {
    codes.iter().map(|&code| values[code as usize])
}
