//! Numbers made less telling column by column: top and bottom coding before the search, one number per class after it.

use std::borrow::Cow;

use denym_data::{Column, Recoding, Role, Summary, Table, clamped, numbers};

use crate::Error;
use crate::certificate::Altered;
use crate::plan::{Plan, policy_error};
use crate::policy::{Mistake, Policy, Reach};

/// The table with numbers beyond `top` and `bottom` replaced by those bounds.
pub(crate) fn coded<'a>(policy: &Policy, table: Cow<'a, Table>) -> Result<Cow<'a, Table>, Error> {
    let mut mistakes = Vec::new();
    let mut columns: Vec<Column> = Vec::new();
    for spec in &policy.attributes {
        let operations = &spec.operations;
        let bounded = operations.top.is_some() || operations.bottom.is_some();
        if !bounded && operations.middle.is_none() {
            continue;
        }
        let Some(column) = table.column(&spec.name) else {
            continue;
        };
        if !numbers::is_numeric(column) {
            let message = format!("`{}` has values that are no numbers", spec.name);
            let help = "remove `top`, `bottom` and `microaggregate`, or list what means missing in `missing-values`";
            let span = spec.span.clone();
            mistakes.push(Mistake::new("policy-not-numeric", span, message, help));
        } else if bounded {
            columns.push(clamped(column, operations.bottom, operations.top));
        }
    }
    if !mistakes.is_empty() {
        return Err(policy_error(policy, mistakes));
    }
    if columns.is_empty() {
        return Ok(table);
    }
    let mut all = table.columns().to_vec();
    for column in columns {
        if let Some(place) = all.iter_mut().find(|other| other.name == column.name) {
            *place = column;
        }
    }
    Ok(Cow::Owned(Table::new(all)?))
}

/// Replaces the labels of quasi-identifiers that are published as the middle of their class.
pub(crate) fn centered(plan: &Plan, table: &Table, summary: &Summary, recoding: &mut Recoding) {
    for (d, spec) in plan.policy.with_role(Role::QuasiIdentifier).enumerate() {
        if let Some(middle) = spec.operations.middle {
            let column = &table.columns()[plan.columns.quasi[d]];
            denym_data::centered(recoding, d, column, summary, middle);
        }
    }
}

/// What the recipient must know about these columns.
pub(crate) fn altered(policy: &Policy) -> Vec<Altered> {
    let mut altered = Vec::new();
    let mut note = |name: &str, method: String| {
        altered.push(Altered {
            columns: vec![name.to_owned()],
            // "50 or more" and tokens hold of every record; the middle of a group does not.
            true_of_records: method != "microaggregation",
            method,
            reproducible: true,
        });
    };
    for spec in &policy.attributes {
        let operations = &spec.operations;
        if let Some(top) = operations.top {
            note(&spec.name, format!("top coding at {}", top.to_f64()));
        }
        if let Some(bottom) = operations.bottom {
            note(&spec.name, format!("bottom coding at {}", bottom.to_f64()));
        }
        if operations.middle.is_some() {
            note(&spec.name, "microaggregation".into());
        }
        if let Some(pseudonym) = &operations.pseudonym {
            let per = match pseudonym.per {
                Reach::Release => "keyed pseudonyms",
                Reach::Class => "keyed pseudonyms, others in every class",
            };
            note(&spec.name, per.into());
        }
    }
    altered
}
