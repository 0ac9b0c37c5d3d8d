//! Arrow columns as the cells that a person would write; files and batches in memory read alike.

use std::path::Path;

use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array as _, ArrayRef, StringArray, cast::AsArray as _};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Schema};

use super::Failed;
use crate::Error;

/// Refuses columns whose values are no cells: lists, structs, bytes.
pub(super) fn only_scalars(source: &Path, schema: &Schema, columns: &[usize]) -> Result<(), Error> {
    for &column in columns {
        let field = schema.field(column);
        if !is_scalar(field.data_type()) {
            return Err(Error::UnsupportedType {
                path: source.to_owned(),
                column: field.name().clone(),
                found: words(field.data_type()).into(),
            });
        }
    }
    Ok(())
}

/// Whether every value of the type is one cell.
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
pub(super) fn text(array: &ArrayRef) -> Result<StringArray, Failed> {
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
