//! Arrow columns as the cells that a person would write; files and batches in memory read alike.

use std::fmt::Write as _;
use std::path::Path;

use arrow_array::builder::StringBuilder;
use arrow_array::temporal_conversions::{as_date, as_datetime, as_time};
use arrow_array::types::{
    ArrowPrimitiveType, Date32Type, Date64Type, Decimal32Type, Decimal64Type, Decimal128Type,
    Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, Time32MillisecondType, Time32SecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array as _, ArrayRef, StringArray, cast::AsArray as _, new_null_array};
use arrow_schema::{DataType, Schema, TimeUnit};

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

/// The values as a person writes them: `2024-01-31`, `12.5`, `true`. A value that the calendar does not have is a failure, never a missing one.
pub(super) fn text(array: &ArrayRef) -> Result<StringArray, Failed> {
    use DataType as T;
    Ok(match array.data_type() {
        T::Utf8 => array.as_string().clone(),
        T::LargeUtf8 => array.as_string::<i64>().iter().collect(),
        T::Utf8View => array.as_string_view().iter().collect(),
        T::Null => new_null_array(&T::Utf8, array.len()).as_string().clone(),
        T::Boolean => {
            let words = array.as_boolean().iter();
            let word = |truth: bool| if truth { "true" } else { "false" };
            words.map(|truth| truth.map(word)).collect()
        }
        T::Int8 => plain::<Int8Type>(array),
        T::Int16 => plain::<Int16Type>(array),
        T::Int32 => plain::<Int32Type>(array),
        T::Int64 => plain::<Int64Type>(array),
        T::UInt8 => plain::<UInt8Type>(array),
        T::UInt16 => plain::<UInt16Type>(array),
        T::UInt32 => plain::<UInt32Type>(array),
        T::UInt64 => plain::<UInt64Type>(array),
        // Without exponents, and `3` rather than `3.0`.
        T::Float64 => plain::<Float64Type>(array),
        T::Float32 => plain::<Float32Type>(array),
        T::Float16 => plain::<Float16Type>(array),
        &T::Decimal32(digits, scale) => decimals::<Decimal32Type>(array, digits, scale),
        &T::Decimal64(digits, scale) => decimals::<Decimal64Type>(array, digits, scale),
        &T::Decimal128(digits, scale) => decimals::<Decimal128Type>(array, digits, scale),
        &T::Decimal256(digits, scale) => decimals::<Decimal256Type>(array, digits, scale),
        T::Date32 => moments::<Date32Type, _>(array, "", as_date::<Date32Type>)?,
        T::Date64 => moments::<Date64Type, _>(array, "", |milliseconds| {
            as_date::<Date32Type>(milliseconds / MILLISECONDS_OF_A_DAY)
        })?,
        T::Time32(TimeUnit::Second) => {
            moments::<Time32SecondType, _>(array, "", as_time::<Time32SecondType>)?
        }
        T::Time32(_) => {
            moments::<Time32MillisecondType, _>(array, "", as_time::<Time32MillisecondType>)?
        }
        T::Time64(TimeUnit::Microsecond) => {
            moments::<Time64MicrosecondType, _>(array, "", as_time::<Time64MicrosecondType>)?
        }
        T::Time64(_) => {
            moments::<Time64NanosecondType, _>(array, "", as_time::<Time64NanosecondType>)?
        }
        T::Timestamp(unit, zone) => {
            // One moment, one text: in UTC, whatever zone the file prefers to show.
            let end = if zone.is_some() { "Z" } else { "" };
            match unit {
                TimeUnit::Second => stamps::<TimestampSecondType>(array, end)?,
                TimeUnit::Millisecond => stamps::<TimestampMillisecondType>(array, end)?,
                TimeUnit::Microsecond => stamps::<TimestampMicrosecondType>(array, end)?,
                TimeUnit::Nanosecond => stamps::<TimestampNanosecondType>(array, end)?,
            }
        }
        T::Dictionary(..) => looked_up(array)?,
        _ => return Err(Failed),
    })
}

const MILLISECONDS_OF_A_DAY: i64 = 24 * 60 * 60 * 1000;

/// Numbers as they are written.
fn plain<T: ArrowPrimitiveType<Native: std::fmt::Display>>(array: &ArrayRef) -> StringArray {
    let mut texts = StringBuilder::new();
    for value in array.as_primitive::<T>() {
        match value {
            // Writing into memory does not fail.
            Some(value) => {
                let _ = write!(texts, "{value}");
                texts.append_value("");
            }
            None => texts.append_null(),
        }
    }
    texts.finish()
}

/// Decimals without the zeros that only their type puts at their end.
fn decimals<T: DecimalType>(array: &ArrayRef, digits: u8, scale: i8) -> StringArray {
    let values = array.as_primitive::<T>().iter();
    values
        .map(|value| {
            let text = T::format_decimal(value?, digits, scale);
            Some(if text.contains('.') {
                text.trim_end_matches('0').trim_end_matches('.').to_owned()
            } else if text.bytes().all(|digit| digit == b'0') {
                "0".to_owned()
            } else {
                text
            })
        })
        .collect()
}

fn stamps<T: ArrowPrimitiveType<Native = i64>>(
    array: &ArrayRef,
    end: &str,
) -> Result<StringArray, Failed> {
    moments::<T, _>(array, end, as_datetime::<T>)
}

/// Dates and times in the form of ISO 8601, with as many thousandths as they have, and `end` behind them.
fn moments<T: ArrowPrimitiveType<Native: Into<i64>>, M: std::fmt::Debug>(
    array: &ArrayRef,
    end: &str,
    moment: impl Fn(i64) -> Option<M>,
) -> Result<StringArray, Failed> {
    let mut texts = StringBuilder::new();
    for value in array.as_primitive::<T>() {
        match value {
            Some(value) => {
                let moment = moment(value.into()).ok_or(Failed)?;
                let _ = write!(texts, "{moment:?}{end}");
                texts.append_value("");
            }
            None => texts.append_null(),
        }
    }
    Ok(texts.finish())
}

/// The texts that the keys of a dictionary stand for.
fn looked_up(array: &ArrayRef) -> Result<StringArray, Failed> {
    let dictionary = array.as_any_dictionary();
    let values = text(dictionary.values())?;
    if values.is_empty() {
        let missing = new_null_array(&DataType::Utf8, array.len());
        return Ok(missing.as_string().clone());
    }
    let keys = dictionary.normalized_keys().into_iter().enumerate();
    let cell = |(record, key): (usize, usize)| {
        let is_missing = dictionary.keys().is_null(record) || values.is_null(key);
        (!is_missing).then(|| values.value(key))
    };
    Ok(keys.map(cell).collect())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{
        BooleanArray, Date32Array, Date64Array, Decimal128Array, DictionaryArray, Float16Array,
        Float64Array, Int32Array, Int64Array, LargeStringArray, NullArray, PrimitiveArray,
        StringViewArray, Time32SecondArray, Time64NanosecondArray, TimestampMicrosecondArray,
        TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray, UInt64Array,
    };

    use super::*;

    #[track_caller]
    fn check(array: impl arrow_array::Array + 'static, expected: &[Option<&str>]) {
        let array: ArrayRef = Arc::new(array);
        let Ok(texts) = text(&array) else {
            panic!("no texts of {}", array.data_type());
        };
        let found: Vec<Option<&str>> = texts.iter().collect();
        assert_eq!(found, expected, "{}", array.data_type());
    }

    #[test]
    fn numbers_are_written_without_exponents_and_needless_zeros() {
        check(
            Int64Array::from(vec![Some(i64::MIN), None, Some(0), Some(-7)]),
            &[Some("-9223372036854775808"), None, Some("0"), Some("-7")],
        );
        check(
            UInt64Array::from(vec![u64::MAX]),
            &[Some("18446744073709551615")],
        );
        check(
            Float64Array::from(vec![Some(3.0), Some(0.1), Some(1e21), Some(-2.5e-7), None]),
            &[
                Some("3"),
                Some("0.1"),
                Some("1000000000000000000000"),
                Some("-0.00000025"),
                None,
            ],
        );
        let half: Float16Array = [3.0, 0.5]
            .map(|value: f32| PrimitiveArray::<Float16Type>::from_value(half(value), 1).value(0))
            .into_iter()
            .map(Some)
            .collect();
        check(half, &[Some("3"), Some("0.5")]);
        let decimals = |scale, values: Vec<Option<i128>>| {
            Decimal128Array::from(values)
                .with_precision_and_scale(20, scale)
                .expect("a scale")
        };
        check(
            decimals(3, vec![Some(12_500), Some(-1), Some(7_000), None, Some(0)]),
            &[Some("12.5"), Some("-0.001"), Some("7"), None, Some("0")],
        );
        check(
            decimals(-2, vec![Some(12), Some(0)]),
            &[Some("1200"), Some("0")],
        );
    }

    /// A half-precision number, through the type that Arrow has for it.
    fn half(value: f32) -> <Float16Type as ArrowPrimitiveType>::Native {
        <Float16Type as ArrowPrimitiveType>::Native::from_f32(value)
    }

    #[test]
    fn dates_and_times_are_written_as_iso_8601() {
        check(
            Date32Array::from(vec![Some(19_753), Some(-1), Some(2_932_897), None]),
            &[
                Some("2024-01-31"),
                Some("1969-12-31"),
                Some("+10000-01-01"),
                None,
            ],
        );
        check(
            Date64Array::from(vec![Some(1_706_659_200_000), None]),
            &[Some("2024-01-31"), None],
        );
        check(
            Time32SecondArray::from(vec![Some(45_296), None]),
            &[Some("12:34:56"), None],
        );
        check(
            Time64NanosecondArray::from(vec![Some(45_296_000_001_000), Some(1)]),
            &[Some("12:34:56.000001"), Some("00:00:00.000000001")],
        );
        check(
            TimestampSecondArray::from(vec![Some(1_706_704_496), Some(-1)]),
            &[Some("2024-01-31T12:34:56"), Some("1969-12-31T23:59:59")],
        );
        check(
            TimestampMillisecondArray::from(vec![1_706_704_496_120]),
            &[Some("2024-01-31T12:34:56.120")],
        );
        check(
            TimestampMicrosecondArray::from(vec![Some(1_706_704_496_000_000), None])
                .with_timezone("America/New_York"),
            &[Some("2024-01-31T12:34:56Z"), None],
        );
        check(
            TimestampNanosecondArray::from(vec![1_706_704_496_000_000_007]).with_timezone("+02:00"),
            &[Some("2024-01-31T12:34:56.000000007Z")],
        );
        let beyond: ArrayRef = Arc::new(Date32Array::from(vec![i32::MAX]));
        assert!(
            text(&beyond).is_err(),
            "a day that no calendar has is not taken for a missing one"
        );
    }

    #[test]
    fn words_and_dictionaries_are_their_texts() {
        check(
            BooleanArray::from(vec![Some(true), None, Some(false)]),
            &[Some("true"), None, Some("false")],
        );
        check(NullArray::new(2), &[None, None]);
        check(
            LargeStringArray::from(vec![Some("a"), None]),
            &[Some("a"), None],
        );
        check(
            StringViewArray::from(vec![Some("longer than twelve bytes"), Some("")]),
            &[Some("longer than twelve bytes"), Some("")],
        );
        let keys = Int32Array::from(vec![Some(1), None, Some(0), Some(2)]);
        let values = Arc::new(Float64Array::from(vec![Some(3.0), Some(0.5), None]));
        check(
            DictionaryArray::new(keys, values),
            &[Some("0.5"), None, Some("3"), None],
        );
        let none = Arc::new(StringViewArray::new_null(0));
        check(
            DictionaryArray::new(Int32Array::from(vec![None, None]), none),
            &[None, None],
        );
    }
}
