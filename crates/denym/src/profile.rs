//! Looks at a table nobody has described yet, and drafts a policy for it.

use std::fmt::Write as _;
use std::path::Path;

use denym_data::{DatePart, Decimal, End, Kind, Role};
use denym_engine::{Engine, ReadOptions};
use denym_measure::profile::{ColumnProfile, GuessedHierarchy, Profile, profile};

use crate::compare::table_of;
use crate::listener::{Listener, Phase};
use crate::{Error, threads};

/// Combinations of up to this many quasi-identifiers are compared.
const MOST_COMBINED: usize = 3;

/// Letters of a name beyond which other lines of a draft are not moved to the right.
const WIDEST: usize = 60;

/// What is in the table at `path`.
pub fn profile_table(
    path: &Path,
    options: &ReadOptions,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<Profile, Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let table = table_of(&engine, path, options)?;
    listener.phase(Phase::Auditing);
    Ok(threads::pool(threads)?.install(|| profile(&table, MOST_COMBINED)))
}

/// The kind of data whose columns these are, where it is no table of people, and what its policy says.
pub fn looks_like(profile: &Profile) -> Option<(&'static str, &'static str)> {
    let has = |name: &str| profile.columns.iter().any(|column| column.name == name);
    if has("path") || has("subject") && has("location") && has("time") {
        Some(("paths", "`kind = \"paths\"` and `knows = { doublets = 2 }`"))
    } else if has("items") || has("subject") && has("item") {
        Some((
            "transactions",
            "`kind = \"transactions\"` and `knows = { items = 2 }`",
        ))
    } else if has("id") && has("institution") {
        Some((
            "trails",
            "`kind = \"trails\"` and `identified = \"people.csv\"`",
        ))
    } else {
        None
    }
}

/// A policy for the table at `path`, as `anonymize` accepts it; every guess with its reason beside it.
pub fn draft_policy(profile: &Profile, path: &str) -> String {
    let mut text = format!(
        "# Drafted by `denym profile`. Every role is a guess with its reason beside it: correct them, nobody else can.\n\n\
         [data]\npath = {}\n\n[attributes]\n",
        quoted(path)
    );
    if let Some((kind, says)) = looks_like(profile) {
        let line = format!(
            "# These look like {kind}, which a policy for a table does not protect: its policy has {says}.\n"
        );
        text.insert_str(0, &line);
    }
    let width = profile
        .columns
        .iter()
        .map(|column| key(&column.name).len())
        .max()
        .unwrap_or(0)
        .min(WIDEST);
    for column in &profile.columns {
        let reason = column.reasons.join("; ").replace('\n', " ");
        let _ = writeln!(
            text,
            "{:width$} = {}   # {reason}",
            key(&column.name),
            attribute(column)
        );
    }
    let k = 5.min(profile.records.max(1));
    let _ = write!(
        text,
        "\n[adversary]\nknows = \"quasi-identifiers\"\n\n[promise]\nk-anonymity = {k}\n"
    );
    for column in sensitive(profile) {
        // A bound that every table with two or more values can reach.
        let l = 2.min(column.distinct + usize::from(column.missing > 0));
        if l == 2 {
            let _ = writeln!(
                text,
                "# l-diversity = {{ attribute = {}, kind = \"distinct\", l = {l} }}",
                quoted(&column.name)
            );
        }
    }
    text.push_str("\n[release]\nalgorithm = \"auto\"\nmetric = \"loss\"\nsuppress-at-most = 0.05\nformat = \"csv\"\n");
    text
}

fn sensitive(profile: &Profile) -> impl Iterator<Item = &ColumnProfile> {
    profile
        .columns
        .iter()
        .filter(|column| column.role == Role::Sensitive)
}

/// A column's line in the policy.
fn attribute(column: &ColumnProfile) -> String {
    let role = column.role.name();
    let hierarchy = match &column.hierarchy {
        _ if column.role != Role::QuasiIdentifier => None,
        GuessedHierarchy::KeepOrSuppress => None,
        GuessedHierarchy::Intervals(widths) => {
            let scale = widths.iter().map(|width| width.scale()).max().unwrap_or(0);
            let texts: Vec<String> = widths
                .iter()
                .map(|width| Decimal::format(width.scaled(scale), scale))
                .collect();
            Some(format!("{{ interval = [{}] }}", texts.join(", ")))
        }
        GuessedHierarchy::Dates(parts) => {
            let names = parts
                .iter()
                .filter_map(|part| DatePart::ALL.iter().find(|entry| entry.1 == *part));
            let texts: Vec<String> = names.map(|entry| quoted(entry.0)).collect();
            Some(format!("{{ date = [{}] }}", texts.join(", ")))
        }
        GuessedHierarchy::Redaction { end, step } => {
            let end = if *end == End::Right { "right" } else { "left" };
            Some(format!("{{ redact = \"{end}\", step = {step} }}"))
        }
    };
    match hierarchy {
        None => format!("\"{role}\""),
        // A code of digits is no number to its reader: say so, or the hierarchy would not fit.
        Some(hierarchy) if hierarchy.contains("redact") && column.kind != Kind::Text => {
            format!("{{ role = \"{role}\", type = \"text\", hierarchy = {hierarchy} }}")
        }
        Some(hierarchy) => format!("{{ role = \"{role}\", hierarchy = {hierarchy} }}"),
    }
}

/// A name as a TOML key.
fn key(name: &str) -> String {
    let plain = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if plain { name.to_owned() } else { quoted(name) }
}

/// A text as a TOML string.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(letter);
            }
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", letter as u32);
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
