//! Policies as Python has them: a text, and the file that its paths are relative to.

use std::path::{Path, PathBuf};

use denym::{Error, Policy};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::convert::{to_json, to_python};
use crate::errors::{exception, mistake};

/// Reads a policy; every mistake is in the exception.
pub(crate) fn read(py: Python<'_>, text: &str, file: &Path) -> PyResult<Policy> {
    denym::parse_policy(text, file).map_err(|mistakes| wrong(py, text, file, mistakes))
}

fn wrong(py: Python<'_>, text: &str, file: &Path, mistakes: Vec<denym::Mistake>) -> PyErr {
    let error = Error::Policy {
        file: file.to_owned(),
        text: text.to_owned(),
        mistakes,
    };
    exception(py, &error)
}

/// What a policy says of itself, in a few words; every mistake of it is in the exception.
#[pyfunction]
pub(crate) fn check_policy<'py>(
    py: Python<'py>,
    text: &str,
    file: PathBuf,
) -> PyResult<Bound<'py, PyAny>> {
    let policy = read(py, text, &file)?;
    let attributes = policy.attributes.iter();
    let attributes = attributes.map(|spec| (spec.name.clone(), json!(spec.role.name())));
    let about = json!({
        "path": policy.data.path,
        "kind": policy.data.kind.word(),
        "algorithm": policy.release.algorithm.name,
        "metric": policy.release.metric.name(),
        "attributes": attributes.collect::<serde_json::Map<String, Value>>(),
        "promises": policy.promises.iter().map(|one| one.promise.name()).collect::<Vec<_>>(),
    });
    to_python(py, &about)
}

/// A TOML text as dicts and lists.
#[pyfunction]
pub(crate) fn from_toml<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let value: Value = toml::from_str(text).map_err(|_| {
        mistake(
            py,
            "PolicyError",
            "policy-syntax",
            "the text is no TOML",
            "check quotes and brackets",
        )
    })?;
    to_python(py, &value)
}

/// Dicts and lists as a TOML text.
#[pyfunction]
pub(crate) fn to_toml(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let value = to_json(value)?;
    toml::to_string(&value).map_err(|_| {
        let help = "give a mapping of sections, such as {\"data\": {\"path\": \"people.csv\"}}";
        mistake(py, "PolicyError", "policy-none", "this is no policy", help)
    })
}
