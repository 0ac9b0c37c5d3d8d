//! An error of the library as the Python exception of its family, with `code`, `location`, `help` and all mistakes.

use denym::Error;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::Value;

use crate::convert::to_python;

/// The class in `denym.errors` that an error is shown as.
fn family(error: &Error) -> &'static str {
    match (error.exit_code(), error) {
        (3, _) => "InternalError",
        (1, _) => "RefusedError",
        (_, Error::Policy { .. }) => "PolicyError",
        (_, Error::Io { .. } | Error::Exists { .. }) => "FileError",
        (_, Error::Argument { .. } | Error::Attack { .. } | Error::UnknownColumn { .. }) => {
            "ArgumentError"
        }
        (_, Error::Bundle { .. } | Error::Release(_)) => "BundleError",
        (_, Error::Stream(_) | Error::Checkpoint { .. } | Error::NothingReadable { .. }) => {
            "StreamError"
        }
        (_, Error::Stopped) => "StoppedError",
        _ => "DataError",
    }
}

/// The exception that `error` is raised as.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    let document = denym::documents::error(error);
    let made = raised(py, family(error), &document["error"], None);
    made.unwrap_or_else(|error| error)
}

/// A run that was refused, with its whole account.
pub(crate) fn refused(py: Python<'_>, account: &Value) -> PyErr {
    let made = raised(py, "RefusedError", &account["error"], Some(account));
    made.unwrap_or_else(|error| error)
}

/// A mistake in what Python handed over, in the words of the library's errors.
pub(crate) fn mistake(
    py: Python<'_>,
    family: &str,
    code: &str,
    message: &str,
    help: &str,
) -> PyErr {
    let document = serde_json::json!({
        "code": code, "message": message, "location": Value::Null, "help": help,
    });
    self::document(py, family, &document)
}

/// The exception of `family` that these parts are raised as.
pub(crate) fn document(py: Python<'_>, family: &str, error: &Value) -> PyErr {
    raised(py, family, error, None).unwrap_or_else(|error| error)
}

fn raised(py: Python<'_>, family: &str, error: &Value, account: Option<&Value>) -> PyResult<PyErr> {
    let class = py.import("denym.errors")?.getattr(family)?;
    let words = PyDict::new(py);
    for key in ["code", "location", "help", "mistakes"] {
        words.set_item(key, to_python(py, &error[key])?)?;
    }
    if let Some(account) = account {
        words.set_item("account", to_python(py, account)?)?;
    }
    let message = error["message"].as_str().unwrap_or_default();
    Ok(PyErr::from_value(class.call((message,), Some(&words))?))
}
