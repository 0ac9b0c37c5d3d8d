//! `denym access explain`: the chain from a user to a decision.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym_gateway::admin::{ConsentStore, Error, Found, PolicyFile, key_text};
use denym_gateway::purpose::{
    Access, AccessPolicy, AccessPurpose, Activation, Compliance, Mode, Moment, Operation, Reason,
    RecordConsent, Storage, Value as Cell,
};
use serde_json::{Value, json};

use super::check::expiry;
use super::{Outcome, moment, read_moment};
use crate::console::Console;

/// Arguments of `access explain`.
#[derive(Args)]
pub(super) struct ExplainArgs {
    /// The access policy
    #[arg(long, value_name = "FILE")]
    policy: PathBuf,
    /// Who asks
    #[arg(long, value_name = "NAME")]
    user: String,
    /// What for; inferred when the policy says so and exactly one purpose fits
    #[arg(long, value_name = "NAME")]
    purpose: Option<String>,
    /// The governed table
    #[arg(long, value_name = "NAME")]
    table: String,
    /// One column; all when not given
    #[arg(long, value_name = "NAME")]
    column: Option<String>,
    /// One record, by its key
    #[arg(long, value_name = "KEY")]
    row: Option<String>,
    /// The moment of the request; now when not given
    #[arg(long, value_name = "TIME", value_parser = read_moment)]
    at: Option<Moment>,
    /// The consent table; `consent.csv` beside the policy when not given
    #[arg(long, value_name = "FILE")]
    consent: Option<PathBuf>,
    /// The table's data, to look the record up; the policy's `source` when not given
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// The record's provider group, when its data cannot be looked at
    #[arg(long, value_name = "GROUP")]
    group: Option<String>,
}

/// What is known about the record.
struct Row<'a> {
    group: Option<String>,
    collected: Option<i64>,
    looked_up: bool,
    consent: Option<RecordConsent>,
    key: &'a str,
}

pub(super) fn run(args: &ExplainArgs, console: &Console) -> Outcome {
    let file = PolicyFile::read(&args.policy)?;
    let policy = &file.policy;
    let table = policy.table(&args.table)?;
    let now = moment(args.at);
    let activation = policy.activate(&args.user, now)?;
    // a purpose that the user may not state is explained too: that is the question asked most
    let purpose = match &args.purpose {
        Some(name) => policy.purposes.find(name)?,
        None => policy.find_purpose(&activation, None, Operation::Select, &[&args.table])?,
    };
    let access = policy.access(
        activation.clone(),
        AccessPurpose::new(&policy.purposes, purpose),
        &table.name,
    )?;
    let columns: Vec<usize> = match &args.column {
        Some(name) => vec![table.column(name)?],
        None => (0..table.columns.len()).collect(),
    };
    let row = match &args.row {
        Some(key) => Some(find_row(args, &file, key)?),
        None => None,
    };
    let mut cells = Vec::new();
    for group in groups(&access, args.group.as_deref(), row.as_ref()) {
        for column in &columns {
            cells.push(explain(
                &access,
                *column,
                group.as_deref(),
                row.as_ref(),
                now,
            ));
        }
    }
    let document = document(policy, &access, &activation, row.as_ref(), now, &cells);
    console.document(&document);
    say_head(&document, console);
    if let [cell] = &cells[..] {
        say_cell(cell, console);
    } else {
        say_table(&cells, console);
    }
    Ok(ExitCode::SUCCESS)
}

/// The record in data and consent.
fn find_row<'a>(args: &ExplainArgs, file: &PolicyFile, key: &'a str) -> Result<Row<'a>, Error> {
    let table = file.policy.table(&args.table)?;
    let mut store = ConsentStore::new(file, args.consent.as_deref());
    if let Some(data) = &args.data {
        store = store.with_data(&table.name, data);
    }
    let data = store.data(table);
    let must_look = args.data.is_some()
        || matches!(
            table.storage,
            Storage::Companion { .. } | Storage::RowCode { .. }
        );
    let found = match data {
        Some(data) if must_look || data.exists() => {
            Some(Found::find(table, &file.policy.purposes, &data, key)?)
        }
        None if must_look => {
            return Err(Error::NoData {
                table: table.name.clone(),
            });
        }
        _ => None,
    };
    let consent = if table.storage == Storage::Table {
        store
            .read(Some(&table.name))?
            .book
            .record(&table.name, &key_text(table, key))
            .cloned()
    } else {
        found.as_ref().and_then(|found| found.consent.clone())
    };
    let looked_up = found.is_some();
    let found = found.unwrap_or_default();
    Ok(Row {
        group: args.group.clone().or(found.group),
        collected: found.collected,
        looked_up,
        consent,
        key,
    })
}

/// The provider groups to explain for: the record's, the one asked for, or none and all that the policy names.
fn groups(access: &Access<'_>, asked: Option<&str>, row: Option<&Row<'_>>) -> Vec<Option<String>> {
    if let Some(row) = row {
        return vec![row.group.clone()];
    }
    if let Some(group) = asked {
        return vec![Some(group.to_owned())];
    }
    let named = access.table().groups.keys().cloned().map(Some);
    std::iter::once(None).chain(named).collect()
}

fn word(outcome: Compliance) -> &'static str {
    match outcome {
        Compliance::Full => "full",
        Compliance::Conditional => "conditional",
        Compliance::Denied => "nothing",
    }
}

/// One cell: decision and chain.
fn explain(
    access: &Access<'_>,
    column: usize,
    group: Option<&str>,
    row: Option<&Row<'_>>,
    now: Moment,
) -> Value {
    let consent = row.and_then(|row| row.consent.as_ref());
    let decision = access.explain(column, group, consent);
    let policy = &access.table().columns[column];
    let mut chain: Vec<String> = decision.reasons.iter().map(ToString::to_string).collect();
    let mut outcome = decision.outcome;
    let mut dropped = false;
    if let Some(row) = row
        && outcome != Compliance::Denied
        && (row.looked_up || row.collected.is_some())
        && !access.is_retained(row.collected, now.day)
    {
        chain.push("the record is past its retention for this purpose, or its day of collection is not known".into());
        outcome = Compliance::Denied;
        dropped = true;
    }
    if access.table().mode == Mode::Filter && outcome == Compliance::Denied && !dropped {
        chain.push("records are dropped, not masked: a query that asks for this cell does not get the record".into());
        dropped = true;
    }
    let served = match outcome {
        Compliance::Full => "the value".to_owned(),
        Compliance::Conditional => policy.mask.describe(),
        Compliance::Denied if dropped => "no record".to_owned(),
        Compliance::Denied => "NULL".to_owned(),
    };
    json!({
        "column": policy.name,
        "group": group,
        "decision": word(outcome),
        "served": served,
        "because": chain.last(),
        "chain": chain,
        "reasons": decision.reasons,
        "consent": decision.reasons.iter().find_map(|reason| match reason {
            Reason::Consent { level, intended } => Some(json!({"level": level, "intended": intended})),
            _ => None,
        }),
    })
}

fn document(
    policy: &AccessPolicy,
    access: &Access<'_>,
    activation: &Activation,
    row: Option<&Row<'_>>,
    now: Moment,
    cells: &[Value],
) -> Value {
    let roles = activation.roles.iter();
    let roles: Vec<Value> = roles
        .map(|(role, senior)| json!({"role": role, "through": senior}))
        .collect();
    let grants = |places: &[usize], active: bool| -> Vec<Value> {
        let describe = |place: &usize| {
            let grant = &policy.grants[*place];
            let failing = grant
                .condition
                .failing(&policy.attributes, &activation.values);
            let until = active
                .then(|| expiry(policy, activation, *place, now))
                .flatten();
            json!({
                "grant": grant.name,
                "role": grant.role,
                "active": active,
                "condition": grant.condition.to_text(&policy.attributes),
                "failing": if active { Vec::new() } else { failing },
                "until": until.map(|then| then.to_string()),
            })
        };
        places.iter().map(describe).collect()
    };
    let mut all = grants(&activation.active, true);
    all.extend(grants(&activation.inactive, false));
    let day = |day: Option<i64>| day.map(|day| Cell::Date(day).to_string());
    let statable = policy.statable_names(activation);
    json!({
        "user": activation.user,
        "at": now.to_string(),
        "roles": roles,
        "grants": all,
        "purpose": access.purpose_name(),
        "statable": statable,
        "may_state": statable.iter().any(|name| name == access.purpose_name()),
        "table": access.table().name,
        "mode": access.table().mode,
        "first_served_day": day(access.first_served_day(now.day)),
        "obligations": access.obligations(),
        "row": row.map(|row| json!({
            "key": row.key,
            "group": row.group,
            "collected": day(row.collected),
            "looked_up": row.looked_up,
            "own_consent": row.consent.is_some(),
        })),
        "cells": cells,
        "decision": match cells { [cell] => cell["decision"].clone(), _ => Value::Null },
    })
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn items<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value[key].as_array().into_iter().flatten()
}

/// The half of the answer that no cell changes.
fn say_head(document: &Value, console: &Console) {
    console.say(format!(
        "user       {} at {} UTC",
        text(document, "user"),
        text(document, "at")
    ));
    for role in items(document, "roles") {
        let through = role["through"].as_str();
        let through = through.map_or_else(String::new, |senior| format!(", through {senior}"));
        console.say(format!("role       {}{through}", text(role, "role")));
    }
    for grant in items(document, "grants") {
        let (name, role) = (text(grant, "grant"), text(grant, "role"));
        if grant["active"] == true {
            let until = grant["until"].as_str();
            let until = until.map_or_else(String::new, |until| format!(" (until {until})"));
            console.say(format!(
                "active     {name} for role {role}: {}{until}",
                text(grant, "condition")
            ));
        } else {
            let failing: Vec<&str> = items(grant, "failing").filter_map(Value::as_str).collect();
            console.say(format!(
                "inactive   {name} for role {role}: does not hold: {}",
                failing.join("; ")
            ));
        }
    }
    let statable: Vec<&str> = items(document, "statable")
        .filter_map(Value::as_str)
        .collect();
    let permitted = if document["may_state"] == true {
        "permitted".to_owned()
    } else if statable.is_empty() {
        "NOT permitted: this user may state no purpose now".to_owned()
    } else {
        format!("NOT permitted: this user may state {}", statable.join(", "))
    };
    console.say(format!(
        "purpose    {}: {permitted}",
        text(document, "purpose")
    ));
    let mode = if document["mode"] == "filter" {
        "records with a prohibited cell among those asked for are dropped"
    } else {
        "prohibited cells are NULL"
    };
    console.say(format!("table      {}: {mode}", text(document, "table")));
    if let Some(day) = document["first_served_day"].as_str() {
        console.say(format!(
            "retention  nothing collected before {day} is served"
        ));
    }
    for obligation in items(document, "obligations").filter_map(Value::as_str) {
        console.say(format!("obligation {obligation}"));
    }
    if !document["row"].is_null() {
        let row = &document["row"];
        let mut parts = Vec::new();
        if let Some(group) = row["group"].as_str() {
            parts.push(format!("provider group {group}"));
        }
        if let Some(day) = row["collected"].as_str() {
            parts.push(format!("collected {day}"));
        }
        parts.push(if row["own_consent"] == true {
            "with consent of its own".into()
        } else {
            "without consent of its own".into()
        });
        if row["looked_up"] != true {
            parts.push("not looked up in the data".into());
        }
        console.say(format!("record     {}", parts.join(", ")));
    }
}

fn say_cell(cell: &Value, console: &Console) {
    console.say(format!("column     {}", text(cell, "column")));
    for (place, link) in items(cell, "chain").filter_map(Value::as_str).enumerate() {
        console.say(format!("{:>9}. {link}", place + 1));
    }
    console.say(format!(
        "decision   {}: {}",
        text(cell, "decision"),
        text(cell, "served")
    ));
}

fn say_table(cells: &[Value], console: &Console) {
    let wide = |key: &str, least: usize| {
        let widths = cells.iter().map(|cell| text(cell, key).chars().count());
        widths.max().unwrap_or(0).max(least)
    };
    let grouped = cells.iter().any(|cell| !cell["group"].is_null());
    let (column, group, served) = (wide("column", 6), wide("group", 7), wide("served", 6));
    let line = |cells: [&str; 5]| {
        let [name, of, decision, what, why] = cells;
        if grouped {
            format!("{of:group$}  {name:column$}  {decision:11}  {what:served$}  {why}")
        } else {
            format!("{name:column$}  {decision:11}  {what:served$}  {why}")
        }
    };
    console.say("");
    console.say(line(["column", "group", "decision", "served", "because"]));
    for cell in cells {
        console.say(line([
            text(cell, "column"),
            cell["group"].as_str().unwrap_or("(none)"),
            text(cell, "decision"),
            text(cell, "served"),
            text(cell, "because"),
        ]));
    }
}
