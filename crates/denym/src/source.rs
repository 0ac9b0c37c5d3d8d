//! Reads what a policy speaks of, and the files of a release.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use denym_data::{Role, Table};
use denym_engine::formulas::{first_formula, with_formulas, without_formulas};
use denym_engine::{Encoding, Engine, Format, Names, ReadOptions};
use serde::Serialize;

use crate::policy::{AttributeSpec, Formulas, Mistake, Policy};
use crate::{Error, relations};

/// The columns of the policy's data; identifiers are looked for but not read.
///
/// With detail tables, their join with the person table.
pub(crate) fn read(policy: &Policy, engine: &Engine) -> Result<Table, Error> {
    let table = read_person(policy, engine)?;
    if policy.data.details.is_empty() {
        Ok(table)
    } else {
        relations::join(policy, &table, engine)
    }
}

fn read_person(policy: &Policy, engine: &Engine) -> Result<Table, Error> {
    let mut options = read_options(policy);
    let path = location(policy);
    let named = |identifiers: bool| {
        let specs = policy
            .attributes
            .iter()
            .filter(move |spec| is_dropped(spec) == identifiers)
            .filter(|spec| relations::detail_of(policy, &spec.name).is_none());
        specs.map(|spec| spec.name.clone()).collect::<Vec<String>>()
    };
    options.expected = named(true);
    let guards = policy
        .promises
        .iter()
        .filter_map(|promised| promised.promise.guards())
        .map(str::to_owned);
    // Who does not mind is read even when it is not published.
    let unconcerned = policy.release.microdata.unconcerned.iter();
    let mut columns: Vec<String> = named(false).into_iter().chain(guards).collect();
    for spec in unconcerned {
        options.expected.retain(|name| *name != spec.attribute);
        if !columns.contains(&spec.attribute) {
            columns.push(spec.attribute.clone());
        }
    }
    options.columns = Some(columns);
    options.kinds = policy
        .attributes
        .iter()
        .filter(|spec| !is_dropped(spec))
        .filter(|spec| relations::detail_of(policy, &spec.name).is_none())
        .filter_map(|spec| spec.kind.map(|kind| (spec.name.clone(), kind)))
        .collect();
    engine.read(&path, &options).map_err(|error| match error {
        denym_engine::Error::UnknownColumn { known, .. } => unknown_columns(policy, &known),
        error => Error::Engine(error),
    })
}

/// Identifiers are dropped, unless a pseudonym takes their place.
fn is_dropped(spec: &AttributeSpec) -> bool {
    spec.role == Role::Identifier && spec.operations.pseudonym.is_none()
}

/// Every column of the policy that the data does not have.
fn unknown_columns(policy: &Policy, names: &Names) -> Error {
    let known = names.to_show();
    let mistakes: Vec<Mistake> = policy
        .attributes
        .iter()
        .filter(|spec| !names.contains(&spec.name))
        .filter(|spec| relations::detail_of(policy, &spec.name).is_none())
        .map(|spec| (spec.name.as_str(), spec.span.clone()))
        .chain(policy.promises.iter().filter_map(|promised| {
            let guards = promised.promise.guards()?;
            let absent = !names.iter().any(|name| name == guards);
            absent.then(|| (guards, promised.span.clone()))
        }))
        .chain(
            policy
                .release
                .microdata
                .unconcerned
                .iter()
                .filter_map(|spec| {
                    let absent = !names.contains(&spec.attribute);
                    absent.then(|| (spec.attribute.as_str(), spec.span.clone()))
                }),
        )
        .map(|(name, span)| Mistake::no_column(name, span, &known))
        .collect();
    Error::Policy {
        file: policy.file.clone(),
        text: policy.text.clone(),
        mistakes,
    }
}

/// Where the policy's data is, as seen from the policy's file.
pub(crate) fn location(policy: &Policy) -> PathBuf {
    policy.resolve(Path::new(&policy.data.path))
}

/// How the policy's files are to be read.
pub(crate) fn read_options(policy: &Policy) -> ReadOptions {
    let data = &policy.data;
    let mut options = ReadOptions {
        format: data.format,
        delimiter: data.delimiter.map(|letter| letter as u8),
        header: data.header,
        encoding: data.encoding,
        ..ReadOptions::default()
    };
    if let Some(quote) = data.quote {
        options.quote = quote as u8;
    }
    if let Some(missing) = &data.missing_values {
        options.missing.clone_from(missing);
    }
    options
}

/// The data of a release, exactly as it was written.
pub(crate) fn read_release(engine: &Engine, path: &Path, format: Format) -> Result<Table, Error> {
    let options = ReadOptions {
        format: Some(format),
        delimiter: Some(b','),
        header: Some(true),
        encoding: Some(Encoding::Utf8),
        ..ReadOptions::default()
    };
    let table = engine.read(path, &options)?;
    match format {
        Format::Csv => Ok(with_formulas(table)?),
        Format::Parquet | Format::Json => Ok(table),
    }
}

/// Writes data of a release, with what spreadsheets would run treated as the policy says.
pub(crate) fn write_release(
    engine: &Engine,
    table: &Table,
    format: Format,
    formulas: Formulas,
    path: &Path,
) -> Result<(), Error> {
    // Only CSV is opened by spreadsheets.
    let table = match formulas {
        Formulas::Escape if format == Format::Csv => without_formulas(table)?,
        Formulas::Refuse if format == Format::Csv => {
            refuse_formulas(table)?;
            Cow::Borrowed(table)
        }
        _ => Cow::Borrowed(table),
    };
    Ok(engine.write(&table, format, path)?)
}

/// Refuses a release that a spreadsheet would run something of.
fn refuse_formulas(table: &Table) -> Result<(), Error> {
    let Some((position, name, cells)) = first_formula(table) else {
        return Ok(());
    };
    let what = if name {
        "a name".to_owned()
    } else {
        format!("{cells} different cells")
    };
    Err(Error::Infeasible {
        what: format!(
            "column {position} of the release has {what} that a spreadsheet would run as formulas"
        ),
        code: "formula-cells",
        help:
            "correct them in the source, publish another `format`, or say `formulas = \"escape\"`"
                .to_owned(),
    })
}

/// A file of the source and its fingerprint.
#[derive(Debug, Serialize)]
pub(crate) struct SourceFile {
    file: String,
    sha256: String,
}

/// The files of the source with their sizes and last changes, as they are now.
pub(crate) fn stamps(policy: &Policy, engine: &Engine) -> Result<Vec<Stamp>, Error> {
    let format = policy.data.format;
    let files = engine.files(location(policy), format)?.into_iter();
    Ok(files
        .map(|path| {
            let found = std::fs::metadata(&path).ok();
            let state = found.map(|found| (found.len(), found.modified().ok()));
            (path, state)
        })
        .collect())
}

/// A file with its size and last change.
pub(crate) type Stamp = (PathBuf, Option<(u64, Option<SystemTime>)>);

/// The fingerprints of the source's files, which are still as they were when they were read; they stay with the steward.
pub(crate) fn fingerprints(
    policy: &Policy,
    engine: &Engine,
    read: &[Stamp],
) -> Result<Vec<SourceFile>, Error> {
    let format = policy.data.format;
    let prints = engine.fingerprints(location(policy), format)?.into_iter();
    if stamps(policy, engine)? != read {
        return Err(Error::SourceChanged {
            path: location(policy),
        });
    }
    Ok(prints
        .map(|(file, sha256)| SourceFile { file, sha256 })
        .collect())
}
