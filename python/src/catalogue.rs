//! The library's lists of what a policy may name.

use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::convert::to_python;

/// What there is of `what`, each with a name and a summary.
#[pyfunction]
pub(crate) fn catalogue<'py>(py: Python<'py>, what: &str) -> PyResult<Bound<'py, PyAny>> {
    let entry = |name: &str, summary: &str, data: &str| json!({"name": name, "summary": summary, "data": data});
    let list: Vec<Value> = match what {
        "algorithms" => {
            let all = denym::catalogue::algorithms().into_iter();
            all.map(|one| entry(one.name, one.summary, one.data))
                .collect()
        }
        "promises" => {
            let all = denym::PROMISES.iter();
            all.map(|one| {
                let mut shown = entry(one.name, one.description, "");
                shown["key"] = json!(one.in_policy.map(|(key, _)| key));
                shown["example"] = json!(one.in_policy.map(|(_, example)| example));
                shown
            })
            .collect()
        }
        "metrics" => {
            let all = denym::METRICS.iter();
            all.map(|one| entry(one.name, one.description, ""))
                .collect()
        }
        "attacks" => {
            let all = denym::attack::CATALOGUE.iter();
            all.map(|one| entry(one.name, one.summary, one.shape.words()))
                .collect()
        }
        "findings" => {
            let all = denym::FINDINGS.iter();
            all.map(|one| entry(one.name, one.summary, "")).collect()
        }
        "generators" => {
            let all = denym::generate::NAMES.iter();
            all.map(|name| entry(name, "", "")).collect()
        }
        "hierarchies" => {
            let all = denym::ReadyMade::all().iter();
            all.map(|one| entry(one.name, one.summary, "")).collect()
        }
        _ => Vec::new(),
    };
    to_python(py, &Value::Array(list))
}
