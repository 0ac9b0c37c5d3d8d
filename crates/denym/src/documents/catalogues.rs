//! What there is to choose from, for programs.

use serde_json::{Value, json};

use crate::{FINDINGS, METRICS, PROMISES, Standing};

/// Every promise: the answer of `denym promises`.
pub fn promises() -> Value {
    json!({"promises": PROMISES.iter().map(|entry| json!({
        "name": entry.name,
        "description": entry.description,
        "parameters": entry.all_parameters().map(|one| (one.name.to_owned(), json!(one.meaning))).collect::<serde_json::Map<_, _>>(),
        "formula": entry.formula,
        "limits": entry.limits,
        "policy": entry.in_policy(),
        "monotone": entry.monotone.with_admitted,
        "monotone_with_suppression": entry.monotone.with_any,
        "reference": entry.reference,
    })).collect::<Vec<_>>()})
}

/// Which promise can be made of which kind of data: the answer of `denym promises --kinds`.
pub fn kinds_of_promises() -> Value {
    let all = crate::promise_kinds();
    json!({"promises": all.iter().map(|(promise, cells)| json!({
        "name": promise.name,
        "kinds": cells.iter().map(|cell| json!({
            "data": cell.knowledge.data,
            "knows": cell.knowledge.knows,
            "algorithms": cell.solvers,
            "others": cell.others,
            "lacks": cell.lacks,
        })).collect::<Vec<_>>(),
    })).collect::<Vec<_>>()})
}

/// Every metric: the answer of `denym metrics`.
pub fn metrics() -> Value {
    json!({"metrics": METRICS.iter().map(|entry| json!({
        "name": entry.name,
        "description": entry.description,
        "formula": entry.formula,
        "range": entry.range,
        "reference": entry.reference,
    })).collect::<Vec<_>>()})
}

/// Every algorithm: the answer of `denym algorithms`.
pub fn algorithms() -> Value {
    let algorithms = crate::catalogue::algorithms();
    json!({"algorithms": algorithms.iter().map(|entry| json!({
        "name": entry.name, "data": entry.data, "summary": entry.summary, "reference": entry.reference,
        "program": {
            "sizes": standing(entry.verdict.sizes), "values": standing(entry.verdict.values),
        },
    })).collect::<Vec<_>>()})
}

/// How one kind of promise stands, with the people of a thousand for whom it is exceeded; null where it is not promised.
fn standing(standing: Standing) -> Value {
    match standing {
        Standing::Holds => json!({"standing": "holds"}),
        Standing::Exceeded { per_mille } => {
            json!({"standing": "exceeded", "beyond_per_mille": per_mille})
        }
        Standing::NotPromised => Value::Null,
    }
}

/// Every finding: the answer of `denym findings`.
pub fn all_findings() -> Value {
    let when = |before: bool| if before { "before" } else { "after" };
    json!({"findings": FINDINGS.iter().map(|entry| json!({
        "name": entry.name,
        "severity": entry.severity.name(),
        "summary": entry.summary,
        "help": entry.advice,
        "limits": entry.limits,
        "found": when(entry.is_before()),
        "recipient": entry.recipient,
    })).collect::<Vec<_>>()})
}
