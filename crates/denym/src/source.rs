//! Reads what a policy speaks of, and the files of a release.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use denym_data::notation::{AskedNotation, Notation, NumberNotation};
use denym_data::{Role, Table};
use denym_engine::formulas::{first_formula, with_formulas, without_formulas};
use denym_engine::notations::{self, Notations};
use denym_engine::{Detection, Encoding, Engine, Format, Names, ReadOptions, WriteOptions};
use serde::Serialize;

use crate::certificate::WrittenForm;
use crate::policy::{
    AttributeSpec, DataKind, Formulas, HierarchySpec, Mistake, Policy, WrittenEncoding,
};
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
    if let Some(held) = &policy.data.held {
        return held.clone();
    }
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
        // The empty cell stays missing, unless nothing is.
        if missing.is_empty() {
            options.missing.clear();
        }
        options.missing.extend(missing.iter().cloned());
    }
    options.skip_rows = data.skip_rows;
    options.sheet.clone_from(&data.sheet);
    (options.decimal, options.thousands) = (data.decimal, data.thousands);
    if data.kind == DataKind::Trails {
        // Ids are compared letter by letter.
        options.detection = Detection::None;
    }
    let unconcerned = policy.release.microdata.unconcerned.iter();
    let compared = unconcerned.map(|spec| spec.attribute.clone());
    let guards = policy.promises.iter();
    let guards = guards.filter_map(|promised| promised.promise.guards().map(str::to_owned));
    options.as_written.extend(compared.chain(guards));
    // A bound on a value, a place or an item would guard nothing where the column were read in another notation than the policy's.
    for promised in &policy.promises {
        if promised.promise.names_values() {
            let named = promised.promise.attribute_name();
            let meant = policy.attributes.iter().filter(|spec| {
                spec.role == Role::Sensitive && named.is_none_or(|name| name == spec.name)
            });
            options
                .as_written
                .extend(meant.map(|spec| spec.name.clone()));
        }
    }
    if let Some(spec) = &policy.sequences {
        let columns = [&spec.columns.location, &spec.columns.cell].into_iter();
        let named = columns.flatten().map(|named| named.name.clone());
        options.as_written.extend(named);
    }
    let own = |spec: &&AttributeSpec| relations::detail_of(policy, &spec.name).is_none();
    for spec in policy.attributes.iter().filter(own) {
        say(&mut options, &spec.name, spec);
    }
    if let Some(format) = &data.time_format {
        let columns = policy.sequences.as_ref().map(|spec| &spec.columns);
        let time = columns.and_then(|columns| columns.time.as_ref());
        let time = time.map_or("time", |named| named.name.as_str());
        let asked = AskedNotation {
            dates: vec![format.clone()],
            ..AskedNotation::default()
        };
        options.notations.insert(time.to_owned(), asked);
    }
    options
}

/// Adds what an attribute says of how the column `name` is written.
pub(crate) fn say(options: &mut ReadOptions, name: &str, spec: &AttributeSpec) {
    if !spec.missing_values.is_empty() {
        let missing = spec.missing_values.clone();
        options.missing_of.insert(name.to_owned(), missing);
    }
    if spec.notation != AskedNotation::default() {
        let notation = spec.notation.clone();
        options.notations.insert(name.to_owned(), notation);
        return;
    }
    // Keys and tokens are made of the letters themselves, and these hierarchies name values as they are written.
    let by_letters = matches!(
        spec.hierarchy,
        HierarchySpec::File(_)
            | HierarchySpec::Ordered(..)
            | HierarchySpec::Priority(..)
            | HierarchySpec::Redaction(..)
    );
    if matches!(spec.role, Role::Identifier | Role::Subject) || by_letters && spec.kind.is_none() {
        options.as_written.insert(name.to_owned());
    }
}

/// Reads columns in the notation that the source has them in.
pub(crate) fn as_the_source(policy: &Policy, engine: &Engine, options: &mut ReadOptions) {
    for (name, notation) in notations_of(policy, engine) {
        options.notations.insert(name, AskedNotation::of(&notation));
    }
}

/// How the columns of the policy's data are written.
fn notations_of(policy: &Policy, engine: &Engine) -> Notations {
    let mut found = engine.form_of(location(policy)).notations;
    for detail in &policy.data.details {
        let form = engine.form_of(policy.resolve(Path::new(&detail.path)));
        let own = form.notations.into_iter();
        found.extend(own.map(|(name, notation)| (format!("{}.{name}", detail.name), notation)));
    }
    found
}

/// How a release is to be written: as the source is where the policy says nothing else, in UTF-8.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writing {
    options: WriteOptions,
    notations: Notations,
    /// How numbers are written that the source has in the plain form.
    numbers: Option<NumberNotation>,
}

impl Writing {
    /// What the policy asks for, beside what was found of its data.
    pub(crate) fn of(policy: &Policy, engine: &Engine) -> Writing {
        if policy.release.format != Format::Csv {
            return Writing::default();
        }
        let form = engine.form_of(location(policy));
        let asked = &policy.release.written;
        let mut options = WriteOptions::default();
        let delimiter = asked.delimiter.map(|letter| letter as u8);
        if let Some(delimiter) = delimiter.or(form.delimiter) {
            options.delimiter = delimiter;
        }
        match asked.encoding {
            Some(WrittenEncoding::Named(encoding)) => options.encoding = encoding,
            Some(WrittenEncoding::Source) => {
                options.encoding = form.encoding.unwrap_or(Encoding::UTF_8);
            }
            None => {}
        }
        let mut notations = notations_of(policy, engine);
        let numbers = NumberNotation {
            decimal: asked.decimal.unwrap_or('.'),
            thousands: asked.thousands.flatten(),
            unit: None,
        };
        for notation in notations.values_mut() {
            match notation {
                Notation::Number(number) => {
                    number.decimal = asked.decimal.unwrap_or(number.decimal);
                    number.thousands = asked.thousands.unwrap_or(number.thousands);
                    if number.thousands == Some(number.decimal) {
                        number.thousands = None;
                    }
                }
                Notation::Dates(formats) => {
                    if let (Some(asked), Some(first)) = (&asked.dates, formats.first()) {
                        *formats = vec![asked.with_time_of(first)];
                    } else {
                        formats.truncate(1);
                    }
                }
            }
        }
        notations.retain(|_, notation| !matches!(notation, Notation::Number(n) if n.is_plain()));
        Writing {
            options,
            notations,
            numbers: (!numbers.is_plain()).then_some(numbers),
        }
    }

    /// The notations for the columns of `table`, those of plain numbers included where others are asked for.
    fn notations(&self, table: &Table) -> Notations {
        let mut found = self.notations.clone();
        if let Some(numbers) = &self.numbers {
            for column in table.columns() {
                let is_number =
                    |label: &str| label == "*" || NumberNotation::default().is_label(label);
                if column.dictionary.values().all(is_number) {
                    let number = Notation::Number(numbers.clone());
                    found.entry(column.name.clone()).or_insert(number);
                }
            }
        }
        // A notation that would lose something of a column is not used for it.
        notations::holding(table, &found)
    }
}

/// The data of a release, exactly as it was written.
pub(crate) fn read_release(
    engine: &Engine,
    path: &Path,
    format: Format,
    written: Option<&WrittenForm>,
) -> Result<Table, Error> {
    let broken = |what| Error::Bundle {
        what,
        path: path.to_owned(),
    };
    let mut options = ReadOptions {
        format: Some(format),
        delimiter: Some(b','),
        header: Some(true),
        encoding: Some(Encoding::UTF_8),
        detection: Detection::None,
        ..ReadOptions::default()
    };
    if let Some(form) = written {
        let delimiter = u8::try_from(form.delimiter).ok().filter(u8::is_ascii);
        let delimiter = delimiter.filter(|letter| !b"\"\r\n".contains(letter));
        options.delimiter = Some(
            delimiter.ok_or_else(|| broken("the delimiter of the data is no ASCII character"))?,
        );
        options.encoding = Some(
            Encoding::parse(&form.encoding)
                .ok_or_else(|| broken("the encoding of the data is unknown"))?,
        );
    }
    let mut table = engine.read(path, &options)?;
    if let Some(form) = written {
        table = notations::restored(path, table, &form.notations)?;
    }
    match format {
        Format::Csv => Ok(with_formulas(table)?),
        Format::Parquet | Format::Json | Format::Excel => Ok(table),
    }
}

/// Writes data of a release, with what spreadsheets would run treated as the policy says.
pub(crate) fn write_release(
    engine: &Engine,
    table: &Table,
    format: Format,
    formulas: Formulas,
    path: &Path,
    writing: &Writing,
) -> Result<Option<WrittenForm>, Error> {
    // Only CSV is opened by spreadsheets.
    let table = match formulas {
        Formulas::Escape if format == Format::Csv => without_formulas(table)?,
        Formulas::Refuse if format == Format::Csv => {
            refuse_formulas(table)?;
            Cow::Borrowed(table)
        }
        _ => Cow::Borrowed(table),
    };
    if format != Format::Csv {
        engine.write(&table, format, path)?;
        return Ok(None);
    }
    let held = writing.notations(&table);
    let shown = notations::written(&table, &held)?;
    engine.write_as(&shown, format, path, &writing.options)?;
    let plain = writing.options == WriteOptions::default() && held.is_empty();
    Ok((!plain).then(|| WrittenForm {
        delimiter: char::from(writing.options.delimiter),
        encoding: writing.options.encoding.name().to_owned(),
        notations: held,
    }))
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
    /// Its name.
    pub(crate) file: String,
    /// SHA-256 of its bytes.
    pub(crate) sha256: String,
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
