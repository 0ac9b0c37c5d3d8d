//! Compares two data sets: how much of the first is left in the second.

use std::path::Path;

use denym_data::{Column, Kind, Table, numbers};
use denym_engine::{Engine, ReadOptions};
use denym_measure::metrics::{Comparison, compare};
use denym_microdata::Matrix;
use denym_microdata::tables::ChangedColumn;
use denym_microdata::utility::{MomentChange, kolmogorov_smirnov, moment_change};

use crate::anonymize::Measures;
use crate::attack::is_bundle;
use crate::certificate::ColumnRole;
use crate::kinds::microdata::measures;
use crate::listener::{Listener, Phase};
use crate::{Error, threads, verify, windows};

/// What the table in `after` kept of the table in `before`.
pub fn compare_tables(
    before: &Path,
    after: &Path,
    options: &ReadOptions,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<Comparison, Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let first = table_of(&engine, before, options)?;
    let second = table_of(&engine, after, options)?;
    let shared = |column: &Column| second.column(&column.name).is_some();
    if !first.columns().iter().any(shared) {
        return Err(Error::Argument {
            what: "the two have no column in common, so nothing can be compared".into(),
            help: "give both in one layout; what a release of paths or transactions lost is in its steward/plan.json, and `denym explore` says what each bound costs".into(),
        });
    }
    listener.phase(Phase::Auditing);
    let mut found = threads::pool(threads)?.install(|| compare(&first, &second));
    let codes = codes(&first, &second, after)?;
    let is_code = |name: &String| codes.contains(name);
    for column in found
        .columns
        .iter_mut()
        .filter(|column| is_code(&column.name))
    {
        column.moments = None;
    }
    found
        .correlations
        .retain(|(one, other, ..)| !is_code(one) && !is_code(other));
    Ok(found)
}

/// Columns whose numbers measure nothing, so that a mean of them means nothing: numbers of people, codes, running numbers.
fn codes(first: &Table, second: &Table, after: &Path) -> Result<Vec<String>, Error> {
    let mut roles = Vec::new();
    if is_bundle(after) {
        let certificate = verify::read_certificate(&verify::public_half(after)?)?;
        roles = certificate
            .files()
            .flat_map(|file| file.columns.clone())
            .collect();
    }
    let numbered = |name: &str| {
        let mut roles = roles.iter().filter(|column| column.name == name);
        roles.any(|column| {
            matches!(
                column.role,
                ColumnRole::SubjectNumber | ColumnRole::Pseudonym | ColumnRole::Group
            )
        })
    };
    let both = first.columns().iter().filter_map(|column| {
        let other = second.column(&column.name)?;
        let redacted = |column: &Column| {
            let mut labels = column.dictionary.values();
            labels.any(|label| label.len() > 1 && label.ends_with('*'))
        };
        let code = numbered(&column.name)
            || is_called_a_code(&column.name)
            || redacted(other)
            || runs(column);
        code.then(|| column.name.clone())
    });
    Ok(both.collect())
}

/// Whether a column is called what people call codes.
fn is_called_a_code(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "id",
        "zip",
        "zipcode",
        "plz",
        "postcode",
        "postal",
        "postleitzahl",
        "code",
        "nr",
        "no",
        "number",
        "nummer",
        "key",
        "phone",
        "telefon",
        "tel",
        "iban",
        "cp",
    ];
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric());
    words.any(|word| WORDS.contains(&word))
}

/// Whether the numbers of a column run on, nearly one for each record: then they count, and measure nothing.
fn runs(column: &Column) -> bool {
    if column.dictionary.kind() != Kind::Integer {
        return false;
    }
    let distinct = column.dictionary.len() as f64;
    let numbers = column.dictionary.numbers();
    let known = || numbers.iter().flatten().copied();
    let low = known().fold(f64::INFINITY, f64::min);
    let high = known().fold(f64::NEG_INFINITY, f64::max);
    // Ages and heights run on too, but there are not that many of them, and many share each.
    distinct > 100.0 && 2.0 * distinct > column.codes.len() as f64 && high - low < 1.2 * distinct
}

/// The table that `path` is or, where it is a bundle or the directory of a stream, publishes.
pub(crate) fn table_of(
    engine: &Engine,
    path: &Path,
    options: &ReadOptions,
) -> Result<Table, Error> {
    if windows::is_stream(path) {
        return windows::table(path);
    }
    if !is_bundle(path) {
        return Ok(engine.read(path, options)?);
    }
    let half = verify::public_half(path)?;
    let certificate = verify::read_certificate(&half)?;
    verify::read(engine, &half, &certificate.data)
}

/// How the numbers of two data sets differ.
#[derive(Debug, Clone, PartialEq)]
pub struct NumberComparison {
    /// The columns that are numbers without gaps in both, each with the largest gap of the two distribution functions
    /// (Kolmogorov-Smirnov) and its approximate p-value.
    pub columns: Vec<(String, f64, f64)>,
    /// The change of means, covariances, correlations and eigenvalues over these columns.
    pub moments: MomentChange,
    /// Everything that needs pairs of records, when they are paired.
    pub measures: Option<Measures>,
}

/// How the numbers of `after` differ from those of `before`; `None` when no column is numbers in both.
///
/// With `paired`, the n-th record of the one is the n-th of the other.
pub fn compare_numbers(
    before: &Path,
    after: &Path,
    options: &ReadOptions,
    paired: bool,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<Option<NumberComparison>, Error> {
    let engine = Engine::new(threads)?;
    listener.phase(Phase::Reading);
    let first = table_of(&engine, before, options)?;
    let second = table_of(&engine, after, options)?;
    listener.phase(Phase::Auditing);
    if paired && first.records() != second.records() {
        return Err(Error::Argument {
            what: format!(
                "{} records before and {} after cannot be paired",
                first.records(),
                second.records()
            ),
            help: "compare without `--paired`: distributions need no pairs".into(),
        });
    }
    let complete = |column| {
        numbers::is_numeric(column)
            .then(|| {
                numbers::of(column)
                    .into_iter()
                    .collect::<Option<Vec<f64>>>()
            })
            .flatten()
    };
    let mut changed = Vec::new();
    let codes = codes(&first, &second, after)?;
    for column in first.columns() {
        if codes.contains(&column.name) {
            continue;
        }
        let Some(other) = second.column(&column.name) else {
            continue;
        };
        if let (Some(before), Some(after)) = (complete(column), complete(other)) {
            changed.push(ChangedColumn {
                name: column.name.clone(),
                before,
                after,
            });
        }
    }
    if changed.is_empty() || first.records() == 0 || second.records() == 0 {
        return Ok(None);
    }
    threads::pool(threads)?.install(|| {
        let side = |of: fn(&ChangedColumn) -> &Vec<f64>| {
            Matrix::from_columns(&changed.iter().map(of).collect::<Vec<_>>())
        };
        let (one, two) = (side(|c| &c.before)?, side(|c| &c.after)?);
        let columns = changed.iter().map(|column| {
            let (gap, p) = kolmogorov_smirnov(&column.before, &column.after)?;
            Ok((column.name.clone(), gap, p))
        });
        Ok(Some(NumberComparison {
            columns: columns.collect::<Result<_, Error>>()?,
            moments: moment_change(&one, &two)?,
            measures: if paired {
                measures(&changed, None)?
            } else {
                None
            },
        }))
    })
}
