//! Detail tables: further records about the people of the person table, joined by declared keys.

use std::collections::HashSet;
use std::path::Path;

use denym_data::{Role, Table};
use denym_engine::Engine;
use denym_measure::relational::{Detail, joined};

use crate::plan::policy_error;
use crate::policy::{DetailSpec, Mistake, Policy, suggest_column};
use crate::{Error, source};

/// The detail table that the attribute `name` belongs to, and its column there.
pub(crate) fn detail_of<'a>(
    policy: &'a Policy,
    name: &'a str,
) -> Option<(&'a DetailSpec, &'a str)> {
    policy.data.details.iter().find_map(|detail| {
        let column = name.strip_prefix(&detail.name)?.strip_prefix('.')?;
        Some((detail, column))
    })
}

/// The person table joined with every detail table; the subject is the key.
pub(crate) fn join(policy: &Policy, person: &Table, engine: &Engine) -> Result<Table, Error> {
    let Some(key) = policy.with_role(Role::Subject).next() else {
        return Err(Error::Internal {
            what: "detail tables without a subject".into(),
        });
    };
    let mistake = |code, message: String, span, help: String| {
        let mistake = Mistake::new(code, span, message, help);
        policy_error(policy, vec![mistake])
    };
    if let Some(keys) = person.column(&key.name) {
        let mut seen = HashSet::new();
        if !keys.codes.iter().all(|code| seen.insert(code)) {
            return Err(mistake(
                "policy-repeated-key",
                format!("`{}` names some people twice", key.name),
                key.span.clone(),
                "the person table needs one record per person; put the others into a detail table"
                    .into(),
            ));
        }
    }
    let mut tables = Vec::new();
    for detail in &policy.data.details {
        let mut options = source::read_options(policy);
        (options.format, options.delimiter) = (None, None);
        (options.skip_rows, options.sheet) = (None, None);
        let mut columns = vec![detail.foreign_key.clone()];
        options.as_written.insert(detail.foreign_key.clone());
        for spec in &policy.attributes {
            if let Some((of, column)) = detail_of(policy, &spec.name)
                && of == detail
                && spec.role != Role::Identifier
            {
                columns.push(column.to_owned());
                if let Some(kind) = spec.kind {
                    options.kinds.insert(column.to_owned(), kind);
                }
                source::say(&mut options, column, spec);
            }
        }
        options.columns = Some(columns);
        let path = policy.resolve(Path::new(&detail.path));
        let table = engine.read(&path, &options).map_err(|error| match error {
            denym_engine::Error::UnknownColumn { column, known, .. } => {
                let known = known.to_show();
                mistake(
                    "policy-unknown-column",
                    format!("`{}` has no column `{column}`", detail.name),
                    detail.span.clone(),
                    suggest_column(&column, &known),
                )
            }
            error => Error::Engine(error),
        })?;
        tables.push(table);
    }
    let details: Vec<Detail<'_>> = policy
        .data
        .details
        .iter()
        .zip(&tables)
        .map(|(spec, table)| Detail {
            name: &spec.name,
            table,
            foreign_key: &spec.foreign_key,
        })
        .collect();
    joined(person, &key.name, &details).map_err(|error| {
        let span = policy.data.details[0].span.clone();
        mistake("policy-detail", error.to_string(), span, error.help())
    })
}
