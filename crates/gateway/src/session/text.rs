//! Rows in text format, written straight from Arrow columns as PostgreSQL writes them; the types that most answers consist of.

use bytes::{BufMut as _, BytesMut};
use datafusion::arrow::array::{
    Array, AsArray as _, BooleanArray, Date32Array, Float64Array, Int32Array, Int64Array,
    RecordBatch, StringArray, StringViewArray,
};
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type, Int32Type, Int64Type};
use denym_purpose::Value;
use std::fmt::Write as _;

/// A column that can be written here.
enum Column<'a> {
    Text(&'a StringArray),
    View(&'a StringViewArray),
    Integer(&'a Int64Array),
    Small(&'a Int32Array),
    Float(&'a Float64Array),
    Truth(&'a BooleanArray),
    Date(&'a Date32Array),
}

/// The columns of a batch; `None` when one has another type.
fn columns(batch: &RecordBatch) -> Option<Vec<Column<'_>>> {
    batch
        .columns()
        .iter()
        .zip(batch.schema_ref().fields())
        .map(|(array, field)| {
            // catalogue columns say by metadata that they are more than their type
            if !field.metadata().is_empty() {
                return None;
            }
            Some(match array.data_type() {
                DataType::Utf8 => Column::Text(array.as_string()),
                DataType::Utf8View => Column::View(array.as_string_view()),
                DataType::Int64 => Column::Integer(array.as_primitive::<Int64Type>()),
                DataType::Int32 => Column::Small(array.as_primitive::<Int32Type>()),
                DataType::Float64 => Column::Float(array.as_primitive::<Float64Type>()),
                DataType::Boolean => Column::Truth(array.as_boolean()),
                DataType::Date32 => Column::Date(array.as_primitive::<Date32Type>()),
                _ => return None,
            })
        })
        .collect()
}

/// Appends the rows of a batch; `false`, with nothing written, when a column has another type.
pub(super) fn write(batch: &RecordBatch, start: usize, count: usize, out: &mut BytesMut) -> bool {
    let Some(columns) = columns(batch) else {
        return false;
    };
    let mut number = String::with_capacity(32);
    for row in start..start + count {
        let begin = out.len();
        out.put_u8(b'D');
        out.put_u32(0);
        out.put_u16(u16::try_from(columns.len()).unwrap_or(u16::MAX));
        for column in &columns {
            number.clear();
            let cell = match column {
                Column::Text(array) => array.is_valid(row).then(|| array.value(row)),
                Column::View(array) => array.is_valid(row).then(|| array.value(row)),
                Column::Truth(array) => array
                    .is_valid(row)
                    .then(|| if array.value(row) { "t" } else { "f" }),
                Column::Integer(array) => array.is_valid(row).then(|| {
                    let _ = write!(number, "{}", array.value(row));
                    number.as_str()
                }),
                Column::Small(array) => array.is_valid(row).then(|| {
                    let _ = write!(number, "{}", array.value(row));
                    number.as_str()
                }),
                Column::Float(array) => array.is_valid(row).then(|| {
                    float(array.value(row), &mut number);
                    number.as_str()
                }),
                Column::Date(array) => array.is_valid(row).then(|| {
                    let _ = write!(number, "{}", Value::Date(array.value(row).into()));
                    number.as_str()
                }),
            };
            match cell {
                None => out.put_i32(-1),
                Some(text) => {
                    out.put_u32(text.len() as u32);
                    out.put_slice(text.as_bytes());
                }
            }
        }
        let length = (out.len() - begin - 1) as u32;
        out[begin + 1..begin + 5].copy_from_slice(&length.to_be_bytes());
    }
    true
}

/// The shortest text that reads back, with an exponent where PostgreSQL writes one.
fn float(number: f64, out: &mut String) {
    if number.is_nan() {
        out.push_str("NaN");
        return;
    }
    if number.is_infinite() {
        out.push_str(if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        });
        return;
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..15).contains(&exponent) {
        let _ = write!(out, "{number}");
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{mantissa}e{sign}{:02}", exponent.abs());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_as_postgresql_writes_them() {
        for (number, expected) in [
            (41.0, "41"),
            (-0.5, "-0.5"),
            (0.1, "0.1"),
            (1e14, "100000000000000"),
            (1e15, "1e+15"),
            (1.234_567_890_123_456_8e17, "1.2345678901234568e+17"),
            (0.0001, "0.0001"),
            (0.000_01, "1e-05"),
            (1e300, "1e+300"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
            (0.0, "0"),
            (-0.0, "-0"),
        ] {
            let mut out = String::new();
            float(number, &mut out);
            assert_eq!(out, expected);
        }
    }
}
