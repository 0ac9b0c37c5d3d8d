//! Drafts a hierarchy for a column: by what the values are, or in a form that is asked for.

use std::path::Path;

use denym_data::{Column, Dictionary, End, Hierarchy, HierarchyMistake, ReadyMade};
use denym_engine::{Engine, ReadOptions};
use denym_measure::profile::{GuessedHierarchy, guess_hierarchy};
use denym_measure::recognize::{Meaning, Recognized, recognize};

use crate::compare::table_of;
use crate::hierarchies::{column_of, csv, ready_made};
use crate::listener::{Listener, Phase};
use crate::profile::key;
use crate::{Error, draft};

/// The form of a drafted hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// What the values suggest.
    Auto,
    /// Ranges of numbers.
    Interval,
    /// Parts of dates.
    Date,
    /// Signs masked from the right.
    Redact,
    /// Neighbors of the natural order grouped by twos.
    Order,
    /// The value and `*`, to be filled in by hand.
    Plain,
    /// One that was written from public facts.
    ReadyMade(&'static str),
}

impl Form {
    /// Every form but those that are ready-made, with the word for it.
    pub const WORDS: [(&'static str, Form); 6] = [
        ("auto", Form::Auto),
        ("interval", Form::Interval),
        ("date", Form::Date),
        ("redact", Form::Redact),
        ("order", Form::Order),
        ("plain", Form::Plain),
    ];

    /// The form that is called so: a word, or the name of a ready-made hierarchy.
    pub fn parse(text: &str) -> Result<Form, Error> {
        let word = Form::WORDS.iter().find(|(word, _)| *word == text);
        let ready = ReadyMade::named(text).map(|ready| Form::ReadyMade(ready.name));
        word.map(|(_, form)| *form).or(ready).ok_or_else(|| {
            let words = Form::WORDS.iter().map(|(word, _)| *word);
            let names = ReadyMade::all().iter().map(|ready| ready.name);
            Error::Argument {
                what: format!("there is no form `{text}` of a hierarchy"),
                help: format!(
                    "use one of {}",
                    words.chain(names).collect::<Vec<_>>().join(", ")
                ),
            }
        })
    }
}

/// A hierarchy that was drafted.
#[derive(Debug, Clone, PartialEq)]
pub struct DraftedHierarchy {
    /// Distinct values that it covers.
    pub values: usize,
    /// Nodes of each level above the values, finest first.
    pub nodes: Vec<usize>,
    /// The line of a policy that makes the same hierarchy without a file, where there is one.
    pub line: Option<String>,
    /// One row per value: the value, then its label at each level.
    rows: Vec<Vec<String>>,
}

impl DraftedHierarchy {
    /// Writes the file, for its owner alone: it holds every value of the column.
    pub fn write(&self, file: &Path) -> Result<(), Error> {
        let rows = self.rows.iter().map(|row| row.iter().map(String::as_str));
        denym_engine::private::write(file, csv(rows).as_bytes())
            .map_err(|error| Error::io("write the hierarchy", file, &error))
    }
}

/// Drafts a hierarchy for `column` of the data at `path`.
pub fn draft_hierarchy(
    path: &Path,
    options: &ReadOptions,
    column: &str,
    form: Form,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<DraftedHierarchy, Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let table = table_of(&engine, path, options)?;
    let column = column_of(&table, column, path)?;
    let recognized = recognize(&column.name, &column.dictionary, table.records() as u64);
    let guess = guessed(&column.dictionary, &recognized, form);
    let built = match &guess {
        Some(guess) => build(column, guess),
        None => grouped(&column.dictionary),
    };
    let hierarchy = built.map_err(|error| Error::Hierarchy {
        attribute: column.name.clone(),
        file: None,
        error,
    })?;
    let labels = |code: usize| -> Vec<String> {
        hierarchy
            .levels()
            .iter()
            .map(|level| {
                let label = level.labels[level.nodes[code] as usize].as_deref();
                label.unwrap_or_default().to_owned()
            })
            .collect()
    };
    let line = guess
        .as_ref()
        .and_then(|guess| draft::hierarchy(guess, ""))
        .map(|text| {
            format!(
                "{} = {{ role = \"quasi\", hierarchy = {text} }}",
                key(&column.name)
            )
        });
    Ok(DraftedHierarchy {
        values: column.dictionary.values().len(),
        nodes: hierarchy.levels()[1..]
            .iter()
            .map(|level| level.labels.len())
            .collect(),
        line,
        rows: (0..column.dictionary.values().len()).map(labels).collect(),
    })
}

/// The guess for a form; `None` for groups of neighbors, which are no guess of a profile.
fn guessed(
    dictionary: &Dictionary,
    recognized: &Recognized,
    form: Form,
) -> Option<GuessedHierarchy> {
    let redaction = GuessedHierarchy::Redaction {
        end: End::Right,
        step: 1,
    };
    Some(match form {
        // Ages have a hierarchy of their own, which also hides the very old.
        Form::Auto if recognized.meaning() == Some(Meaning::Age) && covers("ages", dictionary) => {
            GuessedHierarchy::ReadyMade("ages")
        }
        Form::Auto | Form::Interval | Form::Date => {
            match (form, guess_hierarchy(dictionary, recognized)) {
                (Form::Interval, guess @ GuessedHierarchy::Intervals(_))
                | (Form::Date, guess @ GuessedHierarchy::Dates(_))
                | (Form::Auto, guess) => guess,
                // The form does not fit; building it says why.
                (Form::Interval, _) => {
                    GuessedHierarchy::Intervals(vec![denym_data::Decimal::whole(5)])
                }
                _ => GuessedHierarchy::Dates(vec![denym_data::DatePart::Year]),
            }
        }
        Form::Redact => redaction,
        Form::Order => return None,
        Form::Plain => GuessedHierarchy::KeepOrSuppress,
        Form::ReadyMade(name) => GuessedHierarchy::ReadyMade(name),
    })
}

fn covers(name: &str, dictionary: &Dictionary) -> bool {
    ReadyMade::named(name).is_some_and(|ready| {
        dictionary
            .values()
            .all(|value| ready.labels(value).is_some())
    })
}

fn build(column: &Column, guess: &GuessedHierarchy) -> Result<Hierarchy, denym_data::Error> {
    let dictionary = &column.dictionary;
    match guess {
        GuessedHierarchy::Intervals(widths) => Hierarchy::intervals(dictionary, widths),
        GuessedHierarchy::Dates(parts) => Hierarchy::dates(dictionary, parts),
        GuessedHierarchy::Redaction { end, step } => {
            Hierarchy::redaction(dictionary, *end, *step, None)
        }
        GuessedHierarchy::ReadyMade(name) => ready_made(column, name),
        GuessedHierarchy::File(_) | GuessedHierarchy::KeepOrSuppress => {
            Ok(Hierarchy::flat(dictionary))
        }
    }
}

/// Levels of an order that are drafted: pairs, fours, eights and sixteens.
const MOST_GROUPINGS: u32 = 4;

/// Neighbors in twos, fours and so on, as long as more than two groups are left.
fn grouped(dictionary: &Dictionary) -> Result<Hierarchy, denym_data::Error> {
    let values: Vec<String> = dictionary.values().map(str::to_owned).collect();
    if values.is_empty() {
        return Err(denym_data::Error::Hierarchy {
            line: None,
            mistake: HierarchyMistake::Empty,
        });
    }
    let sizes: Vec<usize> = (1..=MOST_GROUPINGS)
        .take_while(|power| values.len() > 2_usize.pow(*power))
        .map(|_| 2)
        .collect();
    Hierarchy::ordered(dictionary, &values, &sizes)
}
