//! A table in memory: what Python hands over and what a release hands back, in Arrow's form.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{
    Array, ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::capsule::{self, Unreadable};
use crate::errors::mistake;

/// Records of a batch beyond which it is cut, so that all threads have work; cutting copies nothing.
const LARGE: usize = 1 << 18;

/// A table in memory, which other libraries read through Arrow's C interface.
#[pyclass(frozen, module = "denym", name = "Table")]
pub(crate) struct Table {
    schema: SchemaRef,
    batches: Arc<Vec<RecordBatch>>,
}

impl Table {
    /// These batches, which have one schema.
    pub(crate) fn new(schema: SchemaRef, batches: Vec<RecordBatch>) -> Table {
        let mut parts = Vec::with_capacity(batches.len());
        for batch in batches {
            let mut at = 0;
            while batch.num_rows() - at > LARGE {
                parts.push(batch.slice(at, LARGE));
                at += LARGE;
            }
            parts.push(batch.slice(at, batch.num_rows() - at));
        }
        Table {
            schema,
            batches: Arc::new(parts),
        }
    }

    /// The table of batches that the library made: there is at least one.
    pub(crate) fn of(batches: Vec<RecordBatch>) -> Option<Table> {
        let schema = batches.first()?.schema();
        Some(Table::new(schema, batches))
    }

    /// The batches, whose memory is shared.
    pub(crate) fn batches(&self) -> Vec<RecordBatch> {
        self.batches.as_ref().clone()
    }
}

fn unreadable(py: Python<'_>) -> PyErr {
    let help =
        "check it with the library that made it, such as `pyarrow.Table.validate(full=True)`";
    let what = "this is no table that Arrow's interface can hand over";
    mistake(py, "DataError", "table-unreadable", what, help)
}

#[pymethods]
impl Table {
    /// The table of a stream of record batches.
    #[staticmethod]
    fn from_stream(py: Python<'_>, stream: &Bound<'_, PyCapsule>) -> PyResult<Table> {
        let read = capsule::from_stream(stream);
        let (schema, batches) = read.map_err(|Unreadable| unreadable(py))?;
        Ok(Table::new(schema, batches))
    }

    /// The table of one array of structs.
    #[staticmethod]
    fn from_array(
        py: Python<'_>,
        schema: &Bound<'_, PyCapsule>,
        array: &Bound<'_, PyCapsule>,
    ) -> PyResult<Table> {
        let read = capsule::from_array(schema, array);
        let (schema, batches) = read.map_err(|Unreadable| unreadable(py))?;
        Ok(Table::new(schema, batches))
    }

    /// The table of columns that are lists of Python's values.
    #[staticmethod]
    fn from_columns(
        py: Python<'_>,
        names: Vec<String>,
        columns: Vec<Bound<'_, PyList>>,
    ) -> PyResult<Table> {
        let mut arrays = Vec::with_capacity(columns.len());
        let mut fields = Vec::with_capacity(columns.len());
        for (name, values) in names.iter().zip(&columns) {
            let array = array(py, name, values)?;
            fields.push(Field::new(name, array.data_type().clone(), true));
            arrays.push(array);
        }
        if arrays.is_empty() {
            let help = "give at least one record with one value";
            return Err(mistake(
                py,
                "DataError",
                "table-without-columns",
                "the table has no columns",
                help,
            ));
        }
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).map_err(|_| {
            let help = "give each record every column, None where nothing is known";
            mistake(
                py,
                "DataError",
                "table-uneven",
                "columns have different lengths",
                help,
            )
        })?;
        Ok(Table::new(schema, vec![batch]))
    }

    /// The names of the columns, in order.
    #[getter]
    fn columns(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.name().clone()).collect()
    }

    /// The types of the columns as Arrow names them, in order.
    #[getter]
    fn types(&self) -> Vec<String> {
        let fields = self.schema.fields().iter();
        fields.map(|field| field.data_type().to_string()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// The columns at these places; nothing is copied.
    fn select(&self, py: Python<'_>, places: Vec<usize>) -> PyResult<Table> {
        let schema = self.schema.project(&places).map_err(|_| unreadable(py))?;
        let batches = self.batches.iter().map(|batch| batch.project(&places));
        let batches: Result<Vec<RecordBatch>, _> = batches.collect();
        Ok(Table {
            schema: Arc::new(schema),
            batches: Arc::new(batches.map_err(|_| unreadable(py))?),
        })
    }

    /// The columns as lists of texts, numbers, truth values and dates.
    fn to_columns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let columns = PyDict::new(py);
        for (at, field) in self.schema.fields().iter().enumerate() {
            let list = PyList::empty(py);
            for batch in self.batches.iter() {
                append(py, &list, batch.column(at))?;
            }
            columns.set_item(field.name(), list)?;
        }
        Ok(columns)
    }

    /// A capsule with a stream of record batches; a wish for other types is not followed.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule::to_stream(py, &self.schema, &self.batches)
    }

    /// A capsule with the names and types of the columns.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::to_schema(py, &self.schema)?.ok_or_else(|| unreadable(py))
    }
}

/// The kinds of values that a list may hold.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Bool,
    Int,
    /// Whole numbers that are too large for a machine's word.
    Large,
    Float,
    Text,
    Date,
    /// What is written by its own text: decimals and moments.
    Written,
}

/// Python's value without the wrapper of a numeric library around it.
fn plain(value: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let py = value.py();
    if value.is_none() {
        return Ok(value);
    }
    let name = value.get_type().name()?.to_string();
    if name == "NaTType" || name == "NAType" {
        return Ok(py.None().into_bound(py));
    }
    let value = if value.hasattr("dtype")? && value.hasattr("item")? {
        value.call_method0("item")?
    } else {
        value
    };
    // Not a number is what pandas writes for a missing one.
    if value.is_instance_of::<PyFloat>() && value.extract::<f64>()?.is_nan() {
        return Ok(py.None().into_bound(py));
    }
    Ok(value)
}

fn kind_of(value: &Bound<'_, PyAny>) -> PyResult<Option<Kind>> {
    if value.is_instance_of::<PyBool>() {
        return Ok(Some(Kind::Bool));
    }
    if value.is_instance_of::<PyInt>() {
        let fits = value.extract::<i64>().is_ok();
        return Ok(Some(if fits { Kind::Int } else { Kind::Large }));
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Some(Kind::Float));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(Some(Kind::Text));
    }
    // Looked at by name: abi3 has no types of dates before 3.12 that could be asked for.
    let name = value.get_type().name()?.to_string();
    Ok(match name.as_str() {
        "date" => Some(Kind::Date),
        "datetime" | "Timestamp" | "time" | "Decimal" => Some(Kind::Written),
        _ => None,
    })
}

/// One kind for all values of a column.
fn joined(one: Kind, other: Kind) -> Option<Kind> {
    use Kind::{Float, Int, Large};
    match (one, other) {
        (one, other) if one == other => Some(one),
        (Int, Float) | (Float, Int) => Some(Float),
        (Int, Large) | (Large, Int) => Some(Large),
        _ => None,
    }
}

/// A list of Python's values as an Arrow array; a mistake names the column and no value.
fn array(py: Python<'_>, name: &str, values: &Bound<'_, PyList>) -> PyResult<ArrayRef> {
    let refuse =
        |what: String, help: &str| mistake(py, "DataError", "unsupported-type", &what, help);
    let mut kind = None;
    let mut cells = Vec::with_capacity(values.len());
    for value in values.iter() {
        let value = plain(value)?;
        if value.is_none() {
            cells.push(None);
            continue;
        }
        let Some(own) = kind_of(&value)? else {
            let of = value.get_type().name()?.to_string();
            let what = format!("the column `{name}` has values of type {of}");
            return Err(refuse(
                what,
                "give texts, numbers, truth values or dates; a nested column must be taken apart first",
            ));
        };
        let all = kind.map_or(Some(own), |kind| joined(kind, own));
        let Some(all) = all else {
            let what = format!("the column `{name}` has values of several types");
            return Err(refuse(what, "make them all texts, or all numbers"));
        };
        kind = Some(all);
        cells.push(Some(value));
    }
    let texts = |write: &dyn Fn(&Bound<'_, PyAny>) -> PyResult<String>| -> PyResult<ArrayRef> {
        let texts: PyResult<StringArray> = cells
            .iter()
            .map(|cell| cell.as_ref().map(write).transpose())
            .collect();
        Ok(Arc::new(texts?))
    };
    Ok(match kind {
        Some(Kind::Bool) => {
            let values = cells
                .iter()
                .map(|cell| cell.as_ref().map(PyAnyMethods::extract::<bool>).transpose());
            Arc::new(values.collect::<PyResult<BooleanArray>>()?)
        }
        Some(Kind::Int) => {
            let values = cells
                .iter()
                .map(|cell| cell.as_ref().map(PyAnyMethods::extract::<i64>).transpose());
            Arc::new(values.collect::<PyResult<Int64Array>>()?)
        }
        Some(Kind::Float) => {
            let values = cells
                .iter()
                .map(|cell| cell.as_ref().map(PyAnyMethods::extract::<f64>).transpose());
            Arc::new(values.collect::<PyResult<Float64Array>>()?)
        }
        Some(Kind::Date) => {
            let values = cells.iter().map(|cell| -> PyResult<Option<i32>> {
                let days = cell.as_ref().map(|cell| cell.call_method0("toordinal"));
                let days = days
                    .transpose()?
                    .map(|days| days.extract::<i32>())
                    .transpose()?;
                // Python counts days from the year 1, Arrow from 1970.
                Ok(days.map(|days| days - 719_163))
            });
            Arc::new(values.collect::<PyResult<Date32Array>>()?)
        }
        Some(Kind::Written) => texts(&|cell| written(cell))?,
        Some(Kind::Large) => texts(&|cell| cell.str()?.extract())?,
        Some(Kind::Text) | None => texts(&|cell| cell.extract())?,
    })
}

/// A decimal without an exponent; a moment as Arrow's are read: in UTC, with a `Z`, where it has a zone.
fn written(cell: &Bound<'_, PyAny>) -> PyResult<String> {
    if cell.get_type().name()? == "Decimal" {
        return cell.call_method1("__format__", ("f",))?.extract();
    }
    let zone = cell.getattr("tzinfo")?;
    if zone.is_none() || !cell.hasattr("astimezone")? {
        return cell.call_method0("isoformat")?.extract();
    }
    let utc = cell
        .py()
        .import("datetime")?
        .getattr("timezone")?
        .getattr("utc")?;
    let cell = cell.call_method1("astimezone", (utc,))?;
    let text: String = cell.call_method0("isoformat")?.extract()?;
    Ok(text.replace("+00:00", "Z"))
}

/// Adds the values of `array` to `list`, in Python's types.
fn append(py: Python<'_>, list: &Bound<'_, PyList>, array: &ArrayRef) -> PyResult<()> {
    if let DataType::Dictionary(..) = array.data_type() {
        let any = array.as_any_dictionary();
        let values = PyList::empty(py);
        append(py, &values, any.values())?;
        // A column of missing values alone may have no value that a key could stand for.
        let keys = match values.len() {
            0 => vec![0; array.len()],
            _ => any.normalized_keys(),
        };
        for (row, key) in keys.into_iter().enumerate() {
            if array.is_null(row) {
                list.append(py.None())?;
            } else {
                list.append(values.get_item(key)?)?;
            }
        }
        return Ok(());
    }
    macro_rules! each {
        ($values:expr, $of:expr) => {
            for value in $values {
                match value {
                    Some(value) => list.append($of(value)?)?,
                    None => list.append(py.None())?,
                }
            }
        };
    }
    match array.data_type() {
        DataType::Int64 => each!(
            array.as_primitive::<arrow_array::types::Int64Type>(),
            |value: i64| value.into_pyobject(py)
        ),
        DataType::Float64 => each!(
            array.as_primitive::<arrow_array::types::Float64Type>(),
            |value: f64| value.into_pyobject(py)
        ),
        DataType::Boolean => each!(array.as_boolean(), |value: bool| -> PyResult<_> {
            Ok(PyBool::new(py, value).to_owned())
        }),
        DataType::Utf8 => each!(array.as_string::<i32>(), |value: &str| -> PyResult<_> {
            Ok(PyString::new(py, value))
        }),
        DataType::Date32 => {
            let date = py.import("datetime")?.getattr("date")?;
            each!(
                array.as_primitive::<arrow_array::types::Date32Type>(),
                |days: i32| date.call_method1("fromordinal", (days + 719_163,))
            );
        }
        DataType::Decimal128(..) => {
            let decimal = py.import("decimal")?.getattr("Decimal")?;
            let values = array.as_primitive::<arrow_array::types::Decimal128Type>();
            for row in 0..values.len() {
                if values.is_null(row) {
                    list.append(py.None())?;
                } else {
                    list.append(decimal.call1((values.value_as_string(row),))?)?;
                }
            }
        }
        _ => return Err(unreadable(py)),
    }
    Ok(())
}
