//! A coded table as Arrow record batches with typed columns: what a Parquet file of it holds.

use std::sync::Arc;

use arrow_array::types::UInt32Type;
use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, DictionaryArray, Int64Array, RecordBatch,
    StringArray, UInt32Array,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use denym_data::{Column, Date, Decimal, Kind, Table};

use super::written_kind;
use crate::Error;

/// Records turned into arrays at a time.
const BATCH: usize = 1 << 16;

/// Digits of a decimal column: twice what a value can have.
const PRECISION: u8 = 38;

/// `table` as record batches, at least one of them, so that names and types are known of an empty table too.
pub fn batches(table: &Table) -> Result<Vec<RecordBatch>, Error> {
    let all = Batches::of(table);
    let mut found: Vec<RecordBatch> = all.iter().collect::<Option<_>>().ok_or(Error::Internal {
        during: "making record batches",
    })?;
    if found.is_empty() {
        found.push(RecordBatch::new_empty(Arc::clone(all.schema())));
    }
    Ok(found)
}

/// A table and the types that its columns are written in.
pub(super) struct Batches<'a> {
    table: &'a Table,
    forms: Vec<Form>,
    schema: SchemaRef,
}

impl<'a> Batches<'a> {
    pub(super) fn of(table: &'a Table) -> Batches<'a> {
        let forms: Vec<Form> = table.columns().iter().map(Form::new).collect();
        let columns = table.columns().iter().zip(&forms);
        let fields = columns.map(|(column, form)| Field::new(&column.name, form.data_type(), true));
        let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        Batches {
            table,
            forms,
            schema,
        }
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The records in order, so many at a time; `None` in place of what cannot be.
    pub(super) fn iter(&self) -> impl Iterator<Item = Option<RecordBatch>> {
        let records = self.table.records();
        (0..records).step_by(BATCH).map(move |start| {
            let end = records.min(start + BATCH);
            let columns = self.table.columns().iter().zip(&self.forms);
            let arrays = columns
                .map(|(column, form)| form.array(&column.codes[start..end]))
                .collect::<Option<Vec<ArrayRef>>>()?;
            RecordBatch::try_new(Arc::clone(&self.schema), arrays).ok()
        })
    }
}

/// The values of a column, once per code, in the type they are written as.
enum Form {
    Text(ArrayRef, Option<u32>),
    Integer(Vec<Option<i64>>),
    Decimal(Vec<Option<i128>>, u32),
    Date(Vec<Option<i32>>),
    Boolean(Vec<Option<bool>>),
}

impl Form {
    fn new(column: &Column) -> Form {
        let dictionary = &column.dictionary;
        let texts = || (0..dictionary.len()).map(|code| dictionary.text(code as u32));
        match written_kind(dictionary) {
            Kind::Integer => Form::Integer(
                texts()
                    .map(|text| text.and_then(|text| text.parse().ok()))
                    .collect(),
            ),
            Kind::Decimal => {
                let numbers = || texts().map(|text| text.and_then(Decimal::parse));
                let scale = numbers().flatten().map(Decimal::scale).max().unwrap_or(0);
                let scaled = numbers().map(|number| number.map(|number| number.scaled(scale)));
                Form::Decimal(scaled.collect(), scale)
            }
            // A time after the date would be lost.
            Kind::Date if dictionary.values().all(|text| text.len() == 10) => Form::Date(
                texts()
                    .map(|text| text.and_then(Date::parse).map(|date| date.days() as i32))
                    .collect(),
            ),
            Kind::Boolean => Form::Boolean(
                texts()
                    .map(|text| text.map(|text| text.eq_ignore_ascii_case("true")))
                    .collect(),
            ),
            Kind::Text | Kind::Date => {
                let values: StringArray = dictionary.values().map(Some).collect();
                Form::Text(Arc::new(values), dictionary.missing())
            }
        }
    }

    fn data_type(&self) -> DataType {
        match self {
            Form::Text(..) => {
                DataType::Dictionary(Box::new(DataType::UInt32), Box::new(DataType::Utf8))
            }
            Form::Integer(_) => DataType::Int64,
            Form::Decimal(_, scale) => DataType::Decimal128(PRECISION, *scale as i8),
            Form::Date(_) => DataType::Date32,
            Form::Boolean(_) => DataType::Boolean,
        }
    }

    fn array(&self, codes: &[u32]) -> Option<ArrayRef> {
        Some(match self {
            Form::Text(values, missing) => {
                let keys: UInt32Array = codes
                    .iter()
                    .map(|&code| (Some(code) != *missing).then_some(code))
                    .collect();
                let array =
                    DictionaryArray::<UInt32Type>::try_new(keys, Arc::clone(values)).ok()?;
                Arc::new(array)
            }
            Form::Integer(values) => Arc::new(pick(codes, values).collect::<Int64Array>()),
            Form::Decimal(values, scale) => {
                let array: Decimal128Array = pick(codes, values).collect();
                Arc::new(
                    array
                        .with_precision_and_scale(PRECISION, *scale as i8)
                        .ok()?,
                )
            }
            Form::Date(values) => Arc::new(pick(codes, values).collect::<Date32Array>()),
            Form::Boolean(values) => Arc::new(pick(codes, values).collect::<BooleanArray>()),
        })
    }
}

fn pick<'a, T: Copy>(
    codes: &'a [u32],
    values: &'a [Option<T>],
) -> impl Iterator<Item = Option<T>> + 'a {
    codes.iter().map(|&code| values[code as usize])
}
