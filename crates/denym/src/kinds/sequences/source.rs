//! From the file that a policy speaks of to sequences as codes.

use std::path::Path;

use denym_data::sequences::{Form, SequenceTable, Wanted};
use denym_data::{Role, Sequences, Table};
use denym_engine::{Engine, Names, ReadOptions};
use denym_measure::SensitiveAttribute;
use denym_release::sequences::sensitive_attributes;

use crate::Error;
use crate::policy::sequences::SequencesSpec;
use crate::policy::{HierarchySpec, Mistake, Policy};

/// Sequences, and their sensitive attributes as promises see them.
pub(crate) struct Source {
    /// As they were laid out.
    pub(crate) table: SequenceTable,
    /// With their distribution and, where the policy names one, their taxonomy.
    pub(crate) sensitive: Vec<SensitiveAttribute>,
}

/// What only a policy about sequences says.
pub(crate) fn spec(policy: &Policy) -> Result<&SequencesSpec, Error> {
    policy.sequences.as_ref().ok_or_else(|| Error::Internal {
        what: "a policy about paths or transactions without their part".into(),
    })
}

/// The names of the columns with a role.
pub(crate) fn names(policy: &Policy, role: Role) -> Vec<String> {
    let columns = policy.with_role(role);
    columns.map(|spec| spec.name.clone()).collect()
}

/// What a policy reads of its data.
pub(crate) fn wanted(policy: &Policy, spec: &SequencesSpec) -> Wanted {
    Wanted {
        columns: spec.named(),
        keep_repeats: spec.keep_repeats,
        several_places: spec.several_places,
        grid: spec.grid,
        slot: spec.slot,
        sensitive: names(policy, Role::Sensitive),
        quasi: names(policy, Role::QuasiIdentifier),
        other: names(policy, Role::Insensitive),
    }
}

/// Reads the sequences that a policy speaks of.
pub(crate) fn read(policy: &Policy, engine: &Engine) -> Result<Source, Error> {
    let spec = spec(policy)?;
    let mut options = crate::source::read_options(policy);
    options.expected = names(policy, Role::Identifier);
    let location = crate::source::location(policy);
    let table = read_columns(engine, &location, options, &wanted(policy, spec));
    let table = table.map_err(|error| match error {
        Error::Engine(denym_engine::Error::UnknownColumn { known, .. }) => {
            unknown_columns(policy, spec, &known)
        }
        error => error,
    })?;
    let mut sensitive = sensitive_attributes(&table.sequences);
    for own in &mut sensitive {
        let spec = policy.attributes.iter().find(|spec| spec.name == own.name);
        let column = table.attributes.iter().find(|c| c.name == own.name);
        if let (Some(spec), Some(column)) = (spec, column)
            && spec.hierarchy != HierarchySpec::Flat
        {
            let tree = crate::plan::hierarchy(policy, spec, column, engine);
            own.taxonomy = Some(tree.map_err(Error::several)?);
        }
    }
    Ok(Source { table, sensitive })
}

/// Reads sequences; an unknown column is the engine's error, with the columns there are.
pub(crate) fn read_columns(
    engine: &Engine,
    path: &Path,
    mut options: ReadOptions,
    wanted: &Wanted,
) -> Result<SequenceTable, Error> {
    let mut read = |form: &Form| {
        options.columns = Some(wanted.names(form));
        // Places and people are told apart by their letters; times have an order.
        options.as_written.extend(match form {
            Form::Long {
                subject, location, ..
            } => vec![subject.clone(), location.clone()],
            Form::Wide { cell, .. } => vec![cell.clone()],
        });
        engine.read(path, &options)
    };
    let mut form = wanted.columns.form(None);
    let table = match read(&form) {
        Err(denym_engine::Error::UnknownColumn { known, .. })
            if wanted.columns.form(Some(&known)) != form =>
        {
            form = wanted.columns.form(Some(&known));
            read(&form)?
        }
        table => table?,
    };
    coded(path, &table, &form, wanted)
}

/// A table as sequences, exactly as a release shows them.
pub(crate) fn read_released(
    path: &Path,
    table: &Table,
    form: &Form,
    sensitive: &[String],
    quasi: &[String],
) -> Result<Sequences, Error> {
    let wanted = Wanted::released(sensitive, quasi);
    if (wanted.names(form).iter()).any(|name| table.column(name).is_none()) {
        return Err(Error::Bundle {
            what: "the data lacks a column of the certificate",
            path: path.to_owned(),
        });
    }
    Ok(coded(path, table, form, &wanted)?.sequences)
}

fn coded(path: &Path, table: &Table, form: &Form, wanted: &Wanted) -> Result<SequenceTable, Error> {
    wanted.code(table, form).map_err(|error| Error::Paths {
        place: path.to_owned(),
        error,
    })
}

/// Every column of the policy that the data does not have.
fn unknown_columns(policy: &Policy, spec: &SequencesSpec, known: &Names) -> Error {
    let names = known.to_show();
    let columns = &spec.columns;
    let given = [
        &columns.subject,
        &columns.location,
        &columns.time,
        &columns.cell,
        &columns.latitude,
        &columns.longitude,
    ];
    let given = given.into_iter().flatten().map(|n| (&n.name, &n.span));
    let others = policy.attributes.iter().map(|a| (&a.name, &a.span));
    let mut mistakes: Vec<Mistake> = given
        .chain(others)
        .filter(|(name, _)| !known.contains(name))
        .map(|(name, span)| Mistake::no_column(name, span.clone(), &names))
        .collect();
    if mistakes.is_empty() {
        let (usual, key, example) = match (spec.separator, &columns.cell) {
            (Some(_), _) => (
                "a column `items` nor columns `subject` and `item`",
                "items-column",
                "basket",
            ),
            (None, cell) => (
                "a column `path` nor columns `subject`, `location`, `time`",
                if cell.is_some() {
                    "path-column"
                } else {
                    "subject"
                },
                "card",
            ),
        };
        mistakes.push(Mistake::new(
            "policy-unknown-column",
            policy.data.span.clone(),
            format!("the data has neither {usual}"),
            format!(
                "name the columns in `[data]`, such as `{key} = \"{}\"`",
                names.first().copied().unwrap_or(example)
            ),
        ));
    }
    mistakes.sort_by_key(|mistake| mistake.span.start);
    Error::Policy {
        file: policy.file.clone(),
        text: policy.text.clone(),
        mistakes,
    }
}
