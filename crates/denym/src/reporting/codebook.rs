//! The codebook in words: the file beside the certificate, and the part of the README that explains columns and labels.

use std::fmt::Write as _;

use denym_data::sequences::Grid;
use denym_data::{Column, Table};
use denym_release::codebook::{self, Codebook, CodedColumn, CodedLabel, Meaning, Shows};
use denym_report::Language;
use serde_json::{Map, Value, json};

use crate::certificate::{Altered, Certificate, ColumnRole, PublishedColumn};
use crate::policy::Reach;

/// Labels of one column that a README explains; the file has them all.
const IN_README: usize = 12;

/// The name of the sheet that explains the others.
pub(crate) const SHEET: &str = "codebook";

/// The codebook as a table: a row for each column, then one for each of its labels.
pub(crate) fn sheet(codebook: &Codebook, language: Language) -> Table {
    let (mut names, mut roles, mut labels, mut meanings) = (vec![], vec![], vec![], vec![]);
    for column in &codebook.columns {
        let mut row = |label: Option<String>, meaning: String| {
            names.push(Some(column.name.clone()));
            roles.push(Some(super::role(column.role, language)));
            labels.push(label);
            meanings.push(Some(meaning));
        };
        let mut meaning = shows(column, language);
        if let Some(description) = &column.description {
            meaning = format!("{description}; {meaning}");
        }
        row(None, meaning);
        for label in &column.labels {
            row(label.label.clone(), means(&label.meaning, language));
        }
        if column.more {
            row(None, language.say("codebook.more", &[]));
        }
    }
    let heads = [
        language.say("codebook.sheet.column", &[]),
        language.say("codebook.sheet.role", &[]),
        language.say("codebook.sheet.label", &[]),
        language.say("codebook.sheet.means", &[]),
    ];
    let columns = heads.iter().zip([names, roles, labels, meanings]);
    let columns =
        columns.map(|(name, texts)| Column::from_texts(name, texts.iter().map(Option::as_deref)));
    // Four columns of one length with four names are a table.
    Table::new(columns.collect()).unwrap_or_default()
}

/// The codebook as a document.
pub(crate) fn document(codebook: &Codebook, language: Language) -> Value {
    let columns = codebook.columns.iter();
    json!({
        "form": 1,
        "language": language.name(),
        "columns": columns.map(|column| column_document(column, language)).collect::<Vec<_>>(),
    })
}

fn column_document(column: &CodedColumn, language: Language) -> Value {
    let mut found = Map::new();
    found.insert("file".into(), json!(column.file));
    found.insert("name".into(), json!(column.name));
    found.insert("role".into(), json!(column.role));
    if let Some(description) = &column.description {
        found.insert("description".into(), json!(description));
    }
    found.insert("means".into(), json!(shows(column, language)));
    match column.shows {
        Shows::Cells(meters) => {
            let grid = json!({ "meters": meters, "degrees_per_row": Grid { meters }.height() });
            found.insert("grid".into(), grid);
        }
        Shows::Slots(seconds) => {
            found.insert("slot".into(), json!({ "seconds": seconds }));
        }
        _ => {}
    }
    if !column.labels.is_empty() {
        let labels = column.labels.iter();
        let labels: Vec<Value> = labels
            .map(|label| label_document(label, language))
            .collect();
        found.insert("labels".into(), json!(labels));
    }
    if column.more {
        found.insert("more_labels".into(), json!(true));
    }
    Value::Object(found)
}

fn label_document(label: &CodedLabel, language: Language) -> Value {
    let mut found = match &label.meaning {
        Meaning::Missing => json!({ "kind": "missing" }),
        Meaning::Hidden => json!({ "kind": "hidden" }),
        Meaning::Range { from, to, end_in } => {
            json!({ "kind": "range", "from": from, "to": to, "end_included": end_in })
        }
        Meaning::Period { from, to } => json!({ "kind": "period", "from": from, "to": to }),
        Meaning::Begins(text) => json!({ "kind": "begins", "text": text }),
        Meaning::Ends(text) => json!({ "kind": "ends", "text": text }),
        Meaning::Between { from, to } => json!({ "kind": "between", "from": from, "to": to }),
        Meaning::Cell {
            south,
            west,
            north,
            east,
        } => json!({ "kind": "cell", "south": south, "west": west, "north": north, "east": east }),
        Meaning::Slot { from, to } => {
            let mut slot = json!({ "kind": "slot", "from_second": from, "to_second": to });
            for (key, second) in [("from", *from), ("to", *to)] {
                if let Some(instant) = codebook::instant(second) {
                    slot[key] = json!(instant);
                }
            }
            slot
        }
    };
    found["label"] = json!(label.label);
    found["means"] = json!(means(&label.meaning, language));
    found
}

/// What a label means, in words.
pub(crate) fn means(meaning: &Meaning, language: Language) -> String {
    match meaning {
        Meaning::Missing => language.say("codebook.missing", &[]),
        Meaning::Hidden => language.say("codebook.hidden", &[]),
        Meaning::Range { from, to, end_in } => {
            let ends = [("from", from.as_str()), ("to", to.as_str())];
            if *end_in {
                language.say("codebook.range", &ends)
            } else {
                language.say("codebook.range-open", &ends)
            }
        }
        Meaning::Period { from, to } => {
            language.say("codebook.period", &[("from", from), ("to", to)])
        }
        Meaning::Begins(text) => language.say("codebook.begins", &[("text", text)]),
        Meaning::Ends(text) => language.say("codebook.ends", &[("text", text)]),
        Meaning::Between { from, to } => {
            language.say("codebook.between", &[("from", from), ("to", to)])
        }
        Meaning::Cell {
            south,
            west,
            north,
            east,
        } => language.say(
            "codebook.cell",
            &[
                ("south", south),
                ("west", west),
                ("north", north),
                ("east", east),
            ],
        ),
        Meaning::Slot { from, to } => match codebook::instant(*from).zip(codebook::instant(*to)) {
            Some((from, to)) => {
                language.say("codebook.slot-dated", &[("from", &from), ("to", &to)])
            }
            None => {
                let (from, to) = (from.to_string(), to.to_string());
                language.say("codebook.slot", &[("from", &from), ("to", &to)])
            }
        },
    }
}

/// What stands in the cells of a column, in words.
pub(crate) fn shows(column: &CodedColumn, language: Language) -> String {
    // What a change of every number leaves of ranges and values is told by the change alone.
    let altered = |altered: &Altered| in_words(altered, language);
    if !column.altered.is_empty() && column.role != ColumnRole::Pseudonym {
        let told: Vec<String> = column.altered.iter().map(altered).collect();
        return told.join("; ");
    }
    match column.shows {
        Shows::Values => language.say("codebook.shows.values", &[]),
        Shows::ValuesOrNothing => language.say("codebook.shows.values-or-nothing", &[]),
        Shows::Ranges => language.say("codebook.shows.ranges", &[]),
        Shows::Periods => language.say("codebook.shows.periods", &[]),
        Shows::PartsOfTexts => language.say("codebook.shows.parts-of-texts", &[]),
        Shows::Groups => language.say("codebook.shows.groups", &[]),
        Shows::Tokens(Reach::Release) => language.say("codebook.shows.tokens", &[]),
        Shows::Tokens(Reach::Class) => language.say("codebook.shows.tokens-of-class", &[]),
        Shows::People(Reach::Release) => language.say("codebook.shows.people", &[]),
        Shows::People(Reach::Class) => language.say("codebook.shows.people-of-class", &[]),
        Shows::GroupNumbers => language.say("codebook.shows.group-numbers", &[]),
        Shows::Counts => language.say("codebook.shows.counts", &[]),
        Shows::Paths => language.say("codebook.shows.paths", &[]),
        Shows::Places => language.say("codebook.shows.places", &[]),
        Shows::Cells(meters) => {
            let height = format!("{:.9}", Grid { meters }.height());
            let meters = meters.to_string();
            language.say(
                "codebook.shows.cells",
                &[("meters", &meters), ("height", &height)],
            )
        }
        Shows::Times => language.say("codebook.shows.times", &[]),
        Shows::Slots(seconds) => {
            let seconds = seconds.to_string();
            language.say("codebook.shows.slots", &[("seconds", &seconds)])
        }
        Shows::Items(None) => language.say("codebook.shows.items", &[]),
        Shows::Items(Some(separator)) => {
            let separator = separator.to_string();
            language.say("codebook.shows.items-in-cell", &[("separator", &separator)])
        }
        Shows::Institutions => language.say("codebook.shows.institutions", &[]),
    }
}

/// How a column was changed, in words.
fn in_words(altered: &Altered, language: Language) -> String {
    let method = altered.method.as_str();
    let what = match method.split_once(" coding at ") {
        Some(("top", bound)) => language.say("codebook.altered.top", &[("bound", bound)]),
        Some((_, bound)) => language.say("codebook.altered.bottom", &[("bound", bound)]),
        None if method == "microaggregation" => {
            language.say("codebook.altered.microaggregation", &[])
        }
        None if altered.true_of_records => {
            language.say("codebook.altered.other-true", &[("method", method)])
        }
        None => language.say("codebook.altered.other", &[("method", method)]),
    };
    if altered.reproducible {
        what
    } else {
        format!("{what}; {}", language.say("codebook.altered.drawn", &[]))
    }
}

/// The part of a README that explains columns and labels.
pub(crate) fn readme(codebook: &Codebook, certificate: &Certificate, language: Language) -> String {
    let mut text = format!("\n# {}\n\n", language.say("codebook.heading", &[]));
    let several = certificate.files().count() > 1;
    for column in &codebook.columns {
        let _ = write!(text, "- `{}`", column.name);
        if several {
            let _ = write!(text, " (`{}`)", column.file);
        }
        let _ = write!(text, ", {}", super::role(column.role, language));
        let published = PublishedColumn {
            name: column.name.clone(),
            role: column.role,
        };
        if !certificate.is_judged(&published) {
            let _ = write!(text, ", {}", language.say("codebook.unjudged", &[]));
        }
        if let Some(description) = &column.description {
            let _ = write!(text, ": {}", description.trim_end_matches('.'));
        }
        let _ = writeln!(text, ": {}.", shows(column, language));
        for label in column.labels.iter().take(IN_README) {
            let name = match &label.label {
                Some(label) => format!("`{label}`"),
                None => "``".to_owned(),
            };
            let _ = writeln!(text, "  - {name}: {}", means(&label.meaning, language));
        }
        if column.more || column.labels.len() > IN_README {
            let _ = writeln!(text, "  - {}", language.say("codebook.more", &[]));
        }
    }
    let all = language.say("codebook.all", &[("file", codebook::FILE)]);
    let _ = writeln!(text, "\n{all}.");
    text
}
