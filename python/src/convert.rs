//! JSON documents as Python's values, and back.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use serde_json::{Map, Number, Value};

/// Deepest nesting that is followed: a list that holds itself has no end.
const DEEPEST: usize = 64;

/// A document as dicts, lists, texts and numbers of Python.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(value), _) => value.into_pyobject(py)?.into_any(),
            (None, Some(value)) => value.into_pyobject(py)?.into_any(),
            (None, None) => PyFloat::new(py, number.as_f64().unwrap_or(f64::NAN)).into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(to_python(py, value)?)?;
            }
            list.into_any()
        }
        Value::Object(entries) => {
            let dict = PyDict::new(py);
            for (key, value) in entries {
                dict.set_item(key, to_python(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// What a policy may be made of: mappings, sequences, texts, numbers and truth values.
pub(crate) fn to_json(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    json(value, 0)
}

fn json(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(PyValueError::new_err("the mapping is nested too deeply"));
    }
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(value.extract()?));
    }
    // An enum of texts is a text.
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        let number: i64 = value.extract()?;
        return Ok(Value::Number(number.into()));
    }
    if value.is_instance_of::<PyFloat>() {
        let number = Number::from_f64(value.extract()?);
        return number.map(Value::Number).ok_or_else(|| {
            PyValueError::new_err("a policy has no place for what is not a number")
        });
    }
    if let Ok(entries) = value.cast::<PyMapping>() {
        let mut object = Map::new();
        for entry in entries.items()?.iter() {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = entry.extract()?;
            let key: String = key
                .extract()
                .map_err(|_| PyTypeError::new_err("the keys of a policy are texts"))?;
            // What is None is left out, as in a policy that does not say it.
            if !value.is_none() {
                object.insert(key, json(&value, depth + 1)?);
            }
        }
        return Ok(Value::Object(object));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let values = value.try_iter()?;
        let values = values.map(|value| json(&value?, depth + 1));
        return Ok(Value::Array(values.collect::<PyResult<_>>()?));
    }
    // Decimals and fractions have a nearest float, which is what a policy would write.
    if value.hasattr("__float__")? {
        return json(
            &PyFloat::new(value.py(), value.extract()?).into_any(),
            depth + 1,
        );
    }
    let kind = value.get_type().name()?.to_string();
    Err(PyTypeError::new_err(format!(
        "a policy has no place for a value of type {kind}"
    )))
}
