//! `denym access check`: a policy before anyone asks.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use denym_gateway::admin::PolicyFile;
use denym_gateway::purpose::{AccessPolicy, Activation, Moment};
use serde_json::{Value, json};

use super::{Outcome, moment, read_moment};
use crate::console::Console;

/// Arguments of `access check`.
#[derive(Args)]
pub(super) struct CheckArgs {
    /// The access policy, a TOML file
    policy: PathBuf,
    /// Exit with 1 when something in the policy has no effect
    #[arg(long)]
    strict: bool,
    /// The moment for active roles and their expiry; now when not given
    #[arg(long, value_name = "TIME", value_parser = read_moment)]
    at: Option<Moment>,
    /// Show the codes by which purposes are compared, as hexadecimal numbers
    #[arg(long)]
    codes: bool,
}

pub(super) fn run(args: &CheckArgs, console: &Console) -> Outcome {
    let file = PolicyFile::read(&args.policy)?;
    let policy = &file.policy;
    let now = moment(args.at);
    let findings = policy.review();
    let users = users(policy, now)?;
    console.document(&json!({
        "holds": findings.is_empty(),
        "findings": findings.iter().map(|finding| {
            let mut value = json!(finding);
            value["message"] = finding.message().into();
            value
        }).collect::<Vec<_>>(),
        "width": policy.purposes.width(),
        "purposes": purposes(policy),
        "roles": policy.roles.names().collect::<Vec<_>>(),
        "tables": policy.tables.keys().collect::<Vec<_>>(),
        "at": now.to_string(),
        "users": users,
    }));
    if args.codes {
        say_codes(policy, console);
    } else {
        say_purposes(policy, console);
    }
    console.say(format!("\nusers at {now} UTC"));
    for user in &users {
        let texts = |key: &str| -> Vec<&str> {
            let list = user[key].as_array();
            list.map_or_else(Vec::new, |list| {
                list.iter().filter_map(Value::as_str).collect()
            })
        };
        let statable = match texts("statable").join(", ") {
            none if none.is_empty() => "nothing".to_owned(),
            some => some,
        };
        console.say(format!(
            "  {:16} may state {statable}",
            user["user"].as_str().unwrap_or_default()
        ));
        for grant in user["active"].as_array().into_iter().flatten() {
            console.say(format!(
                "  {:16} {} is active{}",
                "",
                grant["grant"].as_str().unwrap_or_default(),
                grant["until"]
                    .as_str()
                    .map_or_else(String::new, |until| format!(" until {until}"))
            ));
        }
    }
    console.say("");
    for finding in &findings {
        console.say(format!("finding    {}", finding.message()));
    }
    console.say(match findings.len() {
        0 => "checked    nothing in the policy is without effect".to_owned(),
        1 => "checked    1 finding".to_owned(),
        count => format!("checked    {count} findings"),
    });
    Ok(if args.strict && !findings.is_empty() {
        Console::refused()
    } else {
        ExitCode::SUCCESS
    })
}

/// The rows of Table 2.7.
fn purposes(policy: &AccessPolicy) -> Vec<Value> {
    let tree = &policy.purposes;
    let digits = tree.width().div_ceil(4);
    tree.ids()
        .map(|id| {
            let codes = tree.codes(id);
            json!({
                "purpose": tree.name(id),
                "parent": tree.parent(id).map(|parent| tree.name(parent)),
                "code": codes.code.to_hex(digits),
                "aip_code": codes.aip.to_hex(digits),
                "cip_code": codes.cip.to_hex(digits),
                "pip_code": codes.pip.to_hex(digits),
                "retention_days": tree.retention_days(id),
                "obligations": tree.obligations(id),
            })
        })
        .collect()
}

/// The tree of purposes, with what each asks for.
fn say_purposes(policy: &AccessPolicy, console: &Console) {
    let tree = &policy.purposes;
    console.say("purposes");
    let below = |parent| {
        let children = tree.ids().filter(move |&id| tree.parent(id) == parent);
        let mut children: Vec<_> = children.collect();
        children.reverse();
        children
    };
    let mut open: Vec<_> = below(None).into_iter().map(|id| (id, 1)).collect();
    while let Some((id, depth)) = open.pop() {
        let mut asks = Vec::new();
        if let Some(days) = tree.retention_days(id) {
            asks.push(format!("nothing older than {days} days"));
        }
        asks.extend(tree.obligations(id));
        let name = format!("{}{}", "  ".repeat(depth), tree.name(id));
        let line = format!("{name:32}  {}", asks.join("; "));
        console.say(line.trim_end());
        open.extend(below(Some(id)).into_iter().map(|id| (id, depth + 1)));
    }
}

fn say_codes(policy: &AccessPolicy, console: &Console) {
    let rows = purposes(policy);
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let wide = |key: &str, least: usize| {
        let widths = rows.iter().map(|row| text(&row[key]).chars().count());
        widths.max().unwrap_or(0).max(least)
    };
    let (name, parent, code) = (wide("purpose", 7), wide("parent", 6), wide("pip_code", 8));
    console.say(format!(
        "{:name$}  {:parent$}  {:code$}  {:code$}  {:code$}  {:code$}",
        "purpose", "parent", "code", "aip_code", "cip_code", "pip_code"
    ));
    for row in &rows {
        let line = format!(
            "{:name$}  {:parent$}  {:code$}  {:code$}  {:code$}  {:code$}",
            text(&row["purpose"]),
            text(&row["parent"]),
            text(&row["code"]),
            text(&row["aip_code"]),
            text(&row["cip_code"]),
            text(&row["pip_code"]),
        );
        console.say(line.trim_end());
    }
}

/// Active conditional roles of each user, each with its end, and what the user may state.
fn users(policy: &AccessPolicy, now: Moment) -> Result<Vec<Value>, denym_gateway::purpose::Error> {
    let mut out = Vec::new();
    for user in policy.users.keys() {
        let activation = policy.activate(user, now)?;
        let active: Vec<Value> = activation
            .active
            .iter()
            .map(|place| {
                let grant = &policy.grants[*place];
                json!({
                    "grant": grant.name,
                    "role": grant.role,
                    "until": expiry(policy, &activation, *place, now).map(|then| then.to_string()),
                })
            })
            .collect();
        out.push(json!({
            "user": user,
            "active": active,
            "statable": policy.statable_names(&activation),
            "next_expiry": policy.next_expiry(&activation, now).map(|then| then.to_string()),
        }));
    }
    Ok(out)
}

/// When one active grant ceases to hold.
pub(super) fn expiry(
    policy: &AccessPolicy,
    activation: &Activation,
    grant: usize,
    now: Moment,
) -> Option<Moment> {
    let only = Activation {
        active: vec![grant],
        ..activation.clone()
    };
    policy.next_expiry(&only, now)
}
