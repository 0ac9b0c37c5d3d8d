//! What a draft says beyond the roles of columns: the kind of data, how values generalize, hierarchy files beside the data.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use denym_data::{Decimal, End, Kind, Role, Table};
use denym_engine::Engine;
use denym_measure::profile::{ColumnProfile, GuessedHierarchy, Profile};
use denym_measure::recognize::{Meaning, Pattern};

use crate::hierarchies;
use crate::profile::quoted;

/// Columns beyond which a table is about people rather than about where they were or what they had: attributes go with few of those.
const MOST_COLUMNS: usize = 5;

/// Distinct whole numbers up to which times are hours or steps, not seconds.
const FEW_TIMES: usize = 1000;

/// What the rows of a file are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// People, or records of theirs.
    Table,
    /// Where people were and when: lines of `[data]` that say so.
    Paths(Vec<String>),
    /// Sets of items: lines of `[data]` that say so.
    Transactions(Vec<String>),
    /// Which institutions hold data of somebody.
    Trails,
}

impl Shape {
    /// The shape that names and values tell.
    pub(crate) fn of(profile: &Profile) -> Shape {
        let columns = &profile.columns;
        let few = columns.len() <= MOST_COLUMNS;
        let called = |name: &str| columns.iter().find(|column| column.name == name);
        let about = |meaning: Meaning| {
            columns
                .iter()
                .find(|column| column.recognized.meaning() == Some(meaning))
        };
        let looks = |pattern: Pattern| {
            columns
                .iter()
                .find(|column| column.recognized.pattern == Some(pattern))
        };
        let line = |key: &str, column: &ColumnProfile| {
            (column.name != key).then(|| format!("{key} = {}", quoted(&column.name)))
        };
        // One cell holds all of a person's places or items.
        if let Some(cell) = called("path").or_else(|| looks(Pattern::Path)) {
            let named =
                (cell.name != "path").then(|| format!("path-column = {}", quoted(&cell.name)));
            return Shape::Paths(named.into_iter().collect());
        }
        let mark = |column: &ColumnProfile| match column.recognized.pattern {
            Some(Pattern::ItemList(mark)) => Some(mark),
            _ => None,
        };
        let list = columns.iter().find(|column| mark(column).is_some());
        if let Some(cell) = called("items").or(list.filter(|_| few)) {
            let named =
                (cell.name != "items").then(|| format!("items-column = {}", quoted(&cell.name)));
            let other = mark(cell).filter(|mark| *mark != ';');
            let separator = other.map(|mark| format!("separator = \"{mark}\""));
            return Shape::Transactions(named.into_iter().chain(separator).collect());
        }
        if called("id").is_some() && called("institution").is_some() {
            return Shape::Trails;
        }
        // Several records of each person, one place or item each.
        let subject = called("subject")
            .or_else(|| columns.iter().find(|column| column.role == Role::Subject));
        let Some(subject) = subject.filter(|_| few) else {
            return Shape::Table;
        };
        let place = called("location")
            .or_else(|| about(Meaning::Place))
            .or_else(|| about(Meaning::Institution));
        let point = about(Meaning::Latitude).zip(about(Meaning::Longitude));
        if let Some(time) = called("time").or_else(|| about(Meaning::Time)) {
            let mut lines: Vec<String> = line("subject", subject).into_iter().collect();
            match (point, place) {
                (Some((north, east)), _) => {
                    lines.push(format!("latitude = {}", quoted(&north.name)));
                    lines.push(format!("longitude = {}", quoted(&east.name)));
                    lines.extend(line("time", time));
                    lines.push("grid = { meters = 500 }".to_owned());
                    lines.push("slot = { minutes = 60 }".to_owned());
                }
                (None, Some(place)) => {
                    lines.extend(line("location", place));
                    lines.extend(line("time", time));
                    // Coarse times may have several places, fine ones are cut into hours.
                    if time.kind == Kind::Integer && time.distinct <= FEW_TIMES {
                        lines.push("several-places = true".to_owned());
                    } else {
                        lines.push("slot = { minutes = 60 }".to_owned());
                    }
                }
                (None, None) => return Shape::Table,
            }
            return Shape::Paths(lines);
        }
        match called("item").or_else(|| about(Meaning::Items)) {
            Some(item) => {
                let lines = line("subject", subject)
                    .into_iter()
                    .chain(line("item", item));
                Shape::Transactions(lines.collect())
            }
            None => Shape::Table,
        }
    }

    /// Its name in a policy.
    pub(crate) fn kind(&self) -> Option<&'static str> {
        match self {
            Shape::Table => None,
            Shape::Paths(_) => Some("paths"),
            Shape::Transactions(_) => Some("transactions"),
            Shape::Trails => Some("trails"),
        }
    }

    /// What `[data]` says of it, below the path.
    pub(crate) fn data_lines(&self) -> String {
        let (Shape::Paths(lines) | Shape::Transactions(lines)) = self else {
            return String::new();
        };
        let mut text = format!("kind = \"{}\"\n", self.kind().unwrap_or_default());
        for line in lines {
            let _ = writeln!(text, "{line}");
        }
        text
    }

    /// The policy below `[data]` where rows are no table; an adversary who knows two places or items of everybody.
    pub(crate) fn rest(&self, profile: &Profile) -> Option<String> {
        let (known, what) = match self {
            Shape::Paths(_) => ("doublets", "any two places with their times"),
            Shape::Transactions(_) => ("items", "any two items"),
            Shape::Table | Shape::Trails => return None,
        };
        let people = profile
            .columns
            .iter()
            .filter(|column| column.role == Role::Subject)
            .map(|column| column.distinct as u64)
            .next()
            .unwrap_or(profile.records);
        let k = 5.min(people.max(1));
        Some(format!(
            "\n[adversary]\nknows = {{ {known} = 2 }}   # {what}\n\n[promise]\nk-anonymity = {k}\n\n[release]\nalgorithm = \"auto\"\n"
        ))
    }
}

/// How a column generalizes, as a policy writes it; `None` when it is kept or suppressed. `data` is where the policy finds the data:
/// hierarchy files lie beside it.
pub(crate) fn hierarchy(guess: &GuessedHierarchy, data: &str) -> Option<String> {
    Some(match guess {
        GuessedHierarchy::KeepOrSuppress => return None,
        GuessedHierarchy::Intervals(widths) => {
            let text =
                |width: &Decimal| Decimal::format(width.scaled(width.scale()), width.scale());
            let texts: Vec<String> = widths.iter().map(text).collect();
            format!("{{ interval = [{}] }}", texts.join(", "))
        }
        GuessedHierarchy::Dates(parts) => {
            let names = parts.iter().filter_map(|part| {
                denym_data::DatePart::ALL
                    .iter()
                    .find(|entry| entry.1 == *part)
            });
            let texts: Vec<String> = names.map(|entry| quoted(entry.0)).collect();
            format!("{{ date = [{}] }}", texts.join(", "))
        }
        GuessedHierarchy::Redaction { end, step } => {
            let end = if *end == End::Right { "right" } else { "left" };
            format!("{{ redact = \"{end}\", step = {step} }}")
        }
        GuessedHierarchy::ReadyMade(name) => format!("{{ ready-made = \"{name}\" }}"),
        GuessedHierarchy::File(name) => {
            let beside = Path::new(data).parent().map(|parent| parent.join(name));
            quoted(&beside.unwrap_or_else(|| name.into()).display().to_string())
        }
    })
}

/// Takes hierarchy files that lie beside the data for the columns they cover (`age.csv`, `adult_hierarchy_age.csv`, there or in
/// `hierarchies/`).
pub(crate) fn take_files_beside(
    profile: &mut Profile,
    table: &Table,
    data: &Path,
    engine: &Engine,
) {
    let Some(directory) = data.parent().filter(|_| data.is_file()) else {
        return;
    };
    let directory = if directory.as_os_str().is_empty() {
        Path::new(".")
    } else {
        directory
    };
    let places: Vec<(&str, Vec<PathBuf>)> = ["", "hierarchies"]
        .into_iter()
        .filter_map(|within| Some((within, hierarchies::files_in(&directory.join(within)).ok()?)))
        .collect();
    for (column, values) in profile.columns.iter_mut().zip(table.columns()) {
        let beside = places.iter().find_map(|(within, files)| {
            let file = hierarchies::choose(files, &column.name).ok()?;
            let name = file.file_name()?.to_str()?.to_owned();
            // The data itself may be called as one of its columns; values and `*` alone are no hierarchy.
            let fits = file.file_name() != data.file_name()
                && hierarchies::from_file(engine, values, &file)
                    .is_ok_and(|found| found.height() > 2);
            fits.then(|| Path::new(within).join(name).display().to_string())
        });
        if let Some(file) = beside {
            column.reasons.push(format!("`{file}` generalizes it"));
            column.hierarchy = GuessedHierarchy::File(file);
        }
    }
}
