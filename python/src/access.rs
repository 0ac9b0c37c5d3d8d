//! What somebody may see for a purpose: the decision of `denym-purpose` on each column of a governed table.
//!
//! Records are not looked up: the decision is that of the policy and of a provider group, before anybody's own consent.

use std::path::{Path, PathBuf};

use denym::ReadOptions;
use denym_purpose::{
    Access, AccessPolicy, AccessPurpose, Compliance, Error, Mistake, Mode, Moment, Operation,
};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::convert::to_python;
use crate::errors::{document, mistake};

/// What `user` sees of `table` at the moment `at`, column by column, and why; `asked` are the purpose, the column and the group.
#[pyfunction]
pub(crate) fn access_decide<'py>(
    py: Python<'py>,
    text: &str,
    file: PathBuf,
    user: &str,
    table: &str,
    at: &str,
    asked: (Option<String>, Option<String>, Option<String>),
) -> PyResult<Bound<'py, PyAny>> {
    let (purpose, column, group) = &asked;
    let (purpose, column, group) = (purpose.as_deref(), column.as_deref(), group.as_deref());
    let policy = AccessPolicy::parse(text, &|name| hierarchy(&file, name));
    let policy = policy.map_err(|mistakes| wrong(py, text, &file, &mistakes))?;
    let now = Moment::from_text(at).ok_or_else(|| {
        let help = "write it like 2026-03-02T09:30 or 2026-03-02 (UTC)";
        mistake(py, "ArgumentError", "argument", "`at` is no moment", help)
    })?;
    let decided = decide(&policy, user, table, now, purpose, column, group);
    let decided = decided.map_err(|error| {
        let location = error.location();
        let parts = json!({
            "code": error.code(), "message": error.to_string(), "location": location, "help": error.help(),
        });
        document(py, "AccessError", &parts)
    })?;
    to_python(py, &decided)
}

/// The values of a hierarchy file that an access policy names, a row each.
fn hierarchy(policy: &Path, name: &str) -> Option<Vec<Vec<String>>> {
    let options = ReadOptions {
        header: Some(false),
        ..ReadOptions::default()
    };
    let path = policy
        .parent()
        .map_or_else(|| PathBuf::from(name), |parent| parent.join(name));
    let table = denym::table(&path, &options).ok()?;
    let row = |row: usize| {
        let columns = table.columns().iter();
        columns
            .map(|column| column.text(row).unwrap_or_default().to_owned())
            .collect()
    };
    Some((0..table.records()).map(row).collect())
}

fn wrong(py: Python<'_>, text: &str, file: &Path, mistakes: &[Mistake]) -> PyErr {
    let one = |mistake: &Mistake| {
        json!({
            "code": mistake.code,
            "message": mistake.message,
            "location": format!("{}:{}", file.display(), mistake.line(text)),
            "help": mistake.help,
        })
    };
    let all: Vec<Value> = mistakes.iter().map(one).collect();
    let mut first = all.first().cloned().unwrap_or_default();
    first["mistakes"] = Value::Array(all);
    document(py, "PolicyError", &first)
}

fn decide(
    policy: &AccessPolicy,
    user: &str,
    table: &str,
    now: Moment,
    purpose: Option<&str>,
    column: Option<&str>,
    group: Option<&str>,
) -> Result<Value, Error> {
    let governed = policy.table(table)?;
    let activation = policy.activate(user, now)?;
    let purpose = match purpose {
        Some(name) => policy.purposes.find(name)?,
        None => policy.find_purpose(&activation, None, Operation::Select, &[table])?,
    };
    let purpose = AccessPurpose::new(&policy.purposes, purpose);
    let access = policy.access(activation.clone(), purpose, &governed.name)?;
    let columns: Vec<usize> = match column {
        Some(name) => vec![governed.column(name)?],
        None => (0..governed.columns.len()).collect(),
    };
    let groups: Vec<Option<&str>> = match group {
        Some(group) => vec![Some(group)],
        None => {
            let named = governed.groups.keys().map(|name| Some(name.as_str()));
            std::iter::once(None).chain(named).collect()
        }
    };
    let mut cells = Vec::new();
    for group in groups {
        cells.extend(columns.iter().map(|&at| cell(&access, at, group)));
    }
    let statable = policy.statable_names(&activation);
    Ok(json!({
        "user": activation.user,
        "at": now.to_string(),
        "purpose": access.purpose_name(),
        "statable": statable,
        "may_state": statable.iter().any(|name| name == access.purpose_name()),
        "table": access.table().name,
        "obligations": access.obligations(),
        "cells": cells,
    }))
}

fn cell(access: &Access<'_>, column: usize, group: Option<&str>) -> Value {
    let decision = access.explain(column, group, None);
    let policy = &access.table().columns[column];
    let dropped = access.table().mode == Mode::Filter;
    let (word, served) = match decision.outcome {
        Compliance::Full => ("full", "the value".to_owned()),
        Compliance::Conditional => ("conditional", policy.mask.describe()),
        Compliance::Denied if dropped => ("nothing", "no record".to_owned()),
        Compliance::Denied => ("nothing", "NULL".to_owned()),
    };
    let chain: Vec<String> = decision.reasons.iter().map(ToString::to_string).collect();
    json!({
        "column": policy.name, "group": group, "decision": word, "served": served, "chain": chain,
    })
}
