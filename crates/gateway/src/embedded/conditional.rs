//! Conditional values for whole columns: [`Mask`] as a function of the query engine, with fast ways for the masks that scans meet most.

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Date32Array, Float64Array, Int64Array, StringArray,
    StringBuilder,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Date32Type, Float64Type, Int64Type};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use denym_purpose::{Bound, Cell, Compliance, Kind, Mask, MaskKey, Value};
use hashbrown::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::source::arrow_type;

/// What a mask function knows beside its arguments.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) mask: Mask,
    pub(super) kind: Kind,
    pub(super) visible: Kind,
    pub(super) table: String,
    pub(super) column: String,
    pub(super) purpose: String,
    pub(super) key: MaskKey,
}

/// `mask(value, record?)`; in no registry, so that no query can name it.
#[derive(Debug)]
pub(super) struct Conditional {
    known: Arc<Known>,
    signature: Signature,
}

impl Conditional {
    pub(super) fn new(known: Known) -> Self {
        Self {
            known: Arc::new(known),
            signature: Signature::variadic_any(Volatility::Immutable),
        }
    }
}

impl PartialEq for Conditional {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.known, &other.known)
    }
}

impl Eq for Conditional {}

impl Hash for Conditional {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.known).hash(state);
    }
}

impl ScalarUDFImpl for Conditional {
    fn name(&self) -> &'static str {
        "denym_conditional"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(arrow_type(self.known.visible))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let mut arrays = args
            .args
            .iter()
            .map(|value| value.to_array(rows))
            .collect::<Result<Vec<ArrayRef>>>()?
            .into_iter();
        let Some(value) = arrays.next() else {
            return datafusion::common::exec_err!("a mask needs a value");
        };
        let record = match arrays.next() {
            Some(array) => Some(cast(&array, &DataType::Utf8)?),
            None => None,
        };
        let record = record.as_ref().map(AsArray::as_string::<i32>);
        Ok(ColumnarValue::Array(self.known.apply(&value, record)))
    }
}

impl Known {
    fn apply(&self, array: &ArrayRef, record: Option<&StringArray>) -> ArrayRef {
        match (&self.mask, self.kind) {
            (Mask::FirstLetters(count), Kind::Text) => Arc::new(
                array
                    .as_string::<i32>()
                    .iter()
                    .map(|text| text.map(|text| first_letters(text, *count)))
                    .collect::<StringArray>(),
            ),
            // many records, few intervals or values: each is worked out once
            (
                Mask::Interval {
                    show: Bound::Range,
                    width,
                    origin,
                },
                Kind::Integer,
            ) if width.fract().abs() < f64::EPSILON
                && origin.fract().abs() < f64::EPSILON
                && *width >= 1.0
                && width.abs() < 1e15
                && origin.abs() < 1e15 =>
            {
                self.integer_ranges(
                    array.as_primitive::<Int64Type>(),
                    *width as i64,
                    *origin as i64,
                )
            }
            (Mask::Level { .. }, Kind::Text) => self.by_value(array.as_string::<i32>()),
            _ => self.cell_by_cell(array, record),
        }
    }

    /// Ranges of whole numbers, one text per interval.
    fn integer_ranges(&self, numbers: &Int64Array, width: i64, origin: i64) -> ArrayRef {
        let mut seen: HashMap<i64, Option<String>> = HashMap::new();
        let mut out = StringBuilder::with_capacity(numbers.len(), numbers.len() * 8);
        for number in numbers {
            let text = number.and_then(|number| {
                let shifted = i128::from(number) - i128::from(origin);
                let interval = shifted.div_euclid(i128::from(width)) as i64;
                seen.entry(interval)
                    .or_insert_with(|| self.one(&Value::Integer(number), "").to_text())
                    .as_deref()
            });
            out.append_option(text);
        }
        Arc::new(out.finish())
    }

    /// One answer per distinct value.
    fn by_value(&self, texts: &StringArray) -> ArrayRef {
        let mut seen: HashMap<&str, Option<String>> = HashMap::new();
        let mut out = StringBuilder::with_capacity(texts.len(), texts.len() * 8);
        for text in texts {
            let shown = text.and_then(|text| {
                seen.entry(text)
                    .or_insert_with(|| self.one(&Value::Text(text.to_owned()), "").to_text())
                    .as_deref()
            });
            out.append_option(shown);
        }
        Arc::new(out.finish())
    }

    fn cell_by_cell(&self, array: &ArrayRef, record: Option<&StringArray>) -> ArrayRef {
        let cells = (0..array.len()).map(|row| {
            let key = record
                .filter(|record| record.is_valid(row))
                .map_or("", |record| record.value(row));
            self.one(&value_at(array, self.kind, row), key)
        });
        column(cells, self.visible)
    }

    /// The slow and obvious meaning of the mask.
    fn one(&self, value: &Value, record: &str) -> Value {
        let cell = Cell {
            key: &self.key,
            table: &self.table,
            column: &self.column,
            purpose: &self.purpose,
            record,
            // stored alternatives and conditions across columns are expressions of their own
            raw: &|_| Value::Null,
            served: &|_| Compliance::Denied,
        };
        self.mask.apply(value, &cell).shown_as(self.visible)
    }
}

fn first_letters(text: &str, count: usize) -> &str {
    text.char_indices()
        .nth(count)
        .map_or(text, |(end, _)| &text[..end])
}

fn value_at(array: &ArrayRef, kind: Kind, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match kind {
        Kind::Text => Value::Text(array.as_string::<i32>().value(row).to_owned()),
        Kind::Integer => Value::Integer(array.as_primitive::<Int64Type>().value(row)),
        Kind::Float => Value::Float(array.as_primitive::<Float64Type>().value(row)),
        Kind::Boolean => Value::Boolean(array.as_boolean().value(row)),
        Kind::Date => Value::Date(array.as_primitive::<Date32Type>().value(row).into()),
    }
}

/// Values as an Arrow column; one of another type than the column shows becomes NULL.
fn column(values: impl Iterator<Item = Value>, kind: Kind) -> ArrayRef {
    macro_rules! collect {
        ($array:ty, $variant:path, $convert:expr) => {
            Arc::new(
                values
                    .map(|value| match value {
                        $variant(value) => $convert(value),
                        _ => None,
                    })
                    .collect::<$array>(),
            )
        };
    }
    match kind {
        Kind::Text => collect!(StringArray, Value::Text, Some),
        Kind::Integer => collect!(Int64Array, Value::Integer, Some),
        Kind::Float => collect!(Float64Array, Value::Float, Some),
        Kind::Boolean => collect!(BooleanArray, Value::Boolean, Some),
        Kind::Date => collect!(Date32Array, Value::Date, |day: i64| i32::try_from(day).ok()),
    }
}
