//! Looks at a table nobody has described yet, and drafts a policy for it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use denym_data::{Kind, Role, Table};
use denym_engine::{Detection, Engine, ReadOptions};
use denym_measure::profile::{ColumnProfile, Profile, profile};

use crate::compare::table_of;
use crate::draft::{self, Shape};
use crate::listener::{Listener, Phase};
use crate::reading::Reading;
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
    profile_source(path, options, threads, listener).map(|(profile, _)| profile)
}

/// What is in the table at `path`, and how it is written; texts that seem to stand for missing values are taken for such.
pub fn profile_source(
    path: &Path,
    options: &ReadOptions,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<(Profile, Reading), Error> {
    profile_and_table(path, options, threads, listener).map(|(found, reading, _)| (found, reading))
}

/// The same with the table itself.
pub(crate) fn profile_and_table(
    path: &Path,
    options: &ReadOptions,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<(Profile, Reading, Table), Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let options = ReadOptions {
        detection: Detection::NotationsAndMissing,
        ..options.clone()
    };
    let table = table_of(&engine, path, &options)?;
    let reading = Reading {
        form: engine.form_of(path),
        asked: options,
    };
    listener.phase(Phase::Auditing);
    if !listener.keep_going() {
        return Err(Error::Stopped);
    }
    let mut found = threads::pool(threads)?.install(|| profile(&table, MOST_COMBINED));
    draft::take_files_beside(&mut found, &table, path, &engine);
    Ok((found, reading, table))
}

/// The kind of data whose columns these are, where it is no table of people, and what its policy says.
pub fn looks_like(profile: &Profile) -> Option<(&'static str, &'static str)> {
    let says = match Shape::of(profile) {
        Shape::Table => return None,
        Shape::Paths(_) => "`kind = \"paths\"` and `knows = { doublets = 2 }`",
        Shape::Transactions(_) => "`kind = \"transactions\"` and `knows = { items = 2 }`",
        Shape::Trails => "`kind = \"trails\"` and `identified = \"people.csv\"`",
    };
    Shape::of(profile).kind().map(|kind| (kind, says))
}

/// A policy for the table at `path`, as `anonymize` accepts it; every guess with its reason beside it, and how the table is read.
pub fn draft_policy(profile: &Profile, path: &str, reading: &Reading) -> String {
    let shape = Shape::of(profile);
    let mut text = format!(
        "# Drafted by `denym profile`. Every role is a guess with its reason beside it: correct them, nobody else can.\n\n\
         [data]\npath = {}\n{}{}",
        quoted(path),
        reading.data_lines(),
        shape.data_lines()
    );
    if let Some(rest) = shape.rest(profile) {
        return text + &rest;
    }
    let profile = &*with_something_known(profile);
    text.push_str("\n[attributes]\n");
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
        let remark = reading.remark(&column.name);
        let reasons: Vec<&str> = column.reasons.iter().map(AsRef::as_ref).collect();
        let reasons = reasons.into_iter().chain(remark.as_deref());
        let mut reason = reasons.collect::<Vec<_>>().join("; ").replace('\n', " ");
        // A column that is not named is not released.
        let mark = match column.left_out {
            Some(why) => {
                why.reason().clone_into(&mut reason);
                "# "
            }
            None => "",
        };
        let _ = writeln!(
            text,
            "{mark}{:width$} = {}   # {reason}",
            key(&column.name),
            reading.attribute(&column.name, &attribute(column, profile.all_numbers, path))
        );
    }
    let k = 5.min(profile.records.max(1));
    let _ = write!(
        text,
        "\n[adversary]\nknows = \"quasi-identifiers\"\n\n[promise]\nk-anonymity = {k}\n"
    );
    // A bound that every table with two or more values can reach.
    let diverse: Vec<String> = sensitive(profile)
        .filter(|column| column.distinct + usize::from(column.missing > 0) > 1)
        .map(|column| {
            let name = quoted(&column.name);
            format!("{{ attribute = {name}, kind = \"distinct\", l = 2 }}")
        })
        .collect();
    match diverse.as_slice() {
        [] => {}
        [one] => text.push_str(&format!("l-diversity = {one}\n")),
        several => {
            text.push_str(&format!(
                "l-diversity = [\n    {},\n]\n",
                several.join(",\n    ")
            ));
        }
    }
    text.push_str("\n[release]\nalgorithm = \"auto\"\ngrain = \"mixed\"   # \"one-per-column\" is easier to count with, and loses more\nranges = \"rounded\"   # \"exact\" shows the smallest and the largest value of each class\nmetric = \"loss\"\nsuppress-at-most = 0   # more loses less detail, and groups that stand out vanish\nformat = \"csv\"\n");
    text
}

/// The profile with a quasi-identifier among what would be published: where nothing could be known to anybody, k-anonymity says nothing, so
/// the draft takes what is not sensitive to be known, or else the attribute that tells most people apart.
fn with_something_known(profile: &Profile) -> Cow<'_, Profile> {
    let published = |column: &ColumnProfile| column.left_out.is_none() && column.distinct > 1;
    let has = |role: Role| {
        let mut columns = profile.columns.iter();
        columns.any(|column| column.role == role && published(column))
    };
    if has(Role::QuasiIdentifier) {
        return Cow::Borrowed(profile);
    }
    let mut profile = profile.clone();
    let mut taken: Vec<&mut ColumnProfile> = if has(Role::Insensitive) {
        let columns = profile.columns.iter_mut();
        let known =
            |column: &&mut ColumnProfile| column.role == Role::Insensitive && published(column);
        columns.filter(known).collect()
    } else {
        let columns = profile.columns.iter_mut();
        let known =
            |column: &&mut ColumnProfile| column.role == Role::Sensitive && published(column);
        let most = columns.filter(known).max_by_key(|column| column.distinct);
        most.into_iter().collect()
    };
    for column in &mut taken {
        column.role = Role::QuasiIdentifier;
        let reason = "nothing else could be known to anybody, so this is taken to be";
        column.reasons.push(reason.to_owned());
    }
    Cow::Owned(profile)
}

fn sensitive(profile: &Profile) -> impl Iterator<Item = &ColumnProfile> {
    profile
        .columns
        .iter()
        .filter(|column| column.role == Role::Sensitive)
}

/// A column's line in the policy, whose data is at `path`. Numbers that are to become means have no hierarchy.
fn attribute(column: &ColumnProfile, all_numbers: bool, path: &str) -> String {
    let role = column.role.name();
    let generalized = column.role == Role::QuasiIdentifier && !all_numbers;
    match draft::hierarchy(&column.hierarchy, path).filter(|_| generalized) {
        None => format!("\"{role}\""),
        // A code of digits is no number to its reader: say so, or the hierarchy would not fit.
        Some(hierarchy) if hierarchy.contains("redact") && column.kind != Kind::Text => {
            format!("{{ role = \"{role}\", type = \"text\", hierarchy = {hierarchy} }}")
        }
        Some(hierarchy) => format!("{{ role = \"{role}\", hierarchy = {hierarchy} }}"),
    }
}

/// A name as a TOML key.
pub(crate) fn key(name: &str) -> String {
    let plain = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if plain { name.to_owned() } else { quoted(name) }
}

/// A text as a TOML string.
pub(crate) fn quoted(text: &str) -> String {
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
