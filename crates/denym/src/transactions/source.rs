//! From a file of transactions, long or wide, to codes: each distinct text is looked at once.

use std::path::Path;

use denym_data::Sequences;
use denym_data::paths::PathsError;
use denym_data::{Column, Role, Table};
use denym_engine::{Engine, Names, ReadOptions};
use denym_measure::SensitiveAttribute;

use super::TransactionForm;
use crate::Error;
use crate::paths::{attribute, by_subject, described, per_record, sensitive_attributes};
use crate::policy::paths::Named;
use crate::policy::transactions::{SEPARATOR, TransactionColumns};
use crate::policy::{Mistake, Policy, suggest_column};

/// Transactions and how they were laid out.
pub(crate) struct Baskets {
    /// How the release is laid out: as the source.
    pub(crate) form: TransactionForm,
    /// One set per subject, items in the order of their names, with sensitive attributes.
    pub(crate) sets: Sequences,
    /// The sensitive attributes as promises see them.
    pub(crate) sensitive: Vec<SensitiveAttribute>,
    /// Attributes beside the items, a code per record, in the source's order.
    pub(crate) attributes: Vec<Column>,
    /// Every published column in the source's order.
    pub(crate) order: Vec<String>,
}

/// What is read of a file of transactions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wanted {
    /// Columns whose names are not the usual ones.
    pub(crate) columns: TransactionColumns,
    /// What stands between the items of a cell; the usual one when `None`.
    pub(crate) separator: Option<char>,
    /// Sensitive attributes.
    pub(crate) sensitive: Vec<String>,
}

/// Reads the transactions that a policy speaks of.
pub(crate) fn read(policy: &Policy, engine: &Engine) -> Result<Baskets, Error> {
    let Some(spec) = &policy.transactions else {
        return Err(Error::Internal {
            what: "a policy about transactions without their part".into(),
        });
    };
    let wanted = Wanted {
        columns: spec.columns.clone(),
        separator: Some(spec.separator),
        sensitive: policy
            .with_role(Role::Sensitive)
            .map(|spec| spec.name.clone())
            .collect(),
    };
    let mut options = crate::source::read_options(policy);
    options.expected = policy
        .with_role(Role::Identifier)
        .map(|spec| spec.name.clone())
        .collect();
    let location = crate::source::location(policy);
    let mut table =
        read_columns(engine, &location, options, &wanted).map_err(|error| match error {
            Error::Engine(denym_engine::Error::UnknownColumn { known, .. }) => {
                unknown_columns(policy, &spec.columns, &known)
            }
            error => error,
        })?;
    table.sensitive = described(policy, &table.sets, &table.attributes, engine)?;
    Ok(table)
}

/// Reads transactions; an unknown column is the engine's error, with the columns there are.
pub(crate) fn read_columns(
    engine: &Engine,
    path: &Path,
    mut options: ReadOptions,
    wanted: &Wanted,
) -> Result<Baskets, Error> {
    let mut read = |layout: &Layout| {
        options.columns = Some([layout.names(), wanted.sensitive.clone()].concat());
        engine.read(path, &options)
    };
    let mut layout = guess(wanted, None);
    let table = match read(&layout) {
        Err(denym_engine::Error::UnknownColumn { known, .. })
            if guess(wanted, Some(&known)) != layout =>
        {
            layout = guess(wanted, Some(&known));
            read(&layout)?
        }
        table => table?,
    };
    code(path, &table, &layout, &wanted.sensitive)
}

/// A table as transactions, exactly as a release shows them.
pub(crate) fn read_released(
    path: &Path,
    table: &Table,
    form: &TransactionForm,
    sensitive: &[String],
) -> Result<Baskets, Error> {
    let layout = Layout {
        form: form.clone(),
        subject: None,
    };
    let names = layout.names();
    if names
        .iter()
        .chain(sensitive)
        .any(|name| table.column(name).is_none())
    {
        return Err(Error::Bundle {
            what: "the data lacks a column of the certificate",
            path: path.to_owned(),
        });
    }
    code(path, table, &layout, sensitive)
}

/// The columns of a file, and in the wide form perhaps whose the items are.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Layout {
    form: TransactionForm,
    subject: Option<String>,
}

impl Layout {
    fn names(&self) -> Vec<String> {
        match &self.form {
            TransactionForm::Long { subject, item } => vec![subject.clone(), item.clone()],
            TransactionForm::Wide { items, .. } => std::iter::once(items)
                .chain(&self.subject)
                .cloned()
                .collect(),
        }
    }
}

/// The layout by the names given, else by the usual ones; `known` are the columns of the file once they are known.
fn guess(wanted: &Wanted, known: Option<&[String]>) -> Layout {
    let given = &wanted.columns;
    let name = |named: &Option<Named>, usual: &str| {
        named
            .as_ref()
            .map_or_else(|| usual.to_owned(), |named| named.name.clone())
    };
    let usual = |column: &str| known.is_none_or(|known| known.iter().any(|name| name == column));
    if given.items.is_some() || (given.item.is_none() && usual("items")) {
        return Layout {
            form: TransactionForm::Wide {
                items: name(&given.items, "items"),
                separator: wanted.separator.unwrap_or(SEPARATOR),
            },
            subject: given.subject.as_ref().map(|named| named.name.clone()),
        };
    }
    Layout {
        form: TransactionForm::Long {
            subject: name(&given.subject, "subject"),
            item: name(&given.item, "item"),
        },
        subject: None,
    }
}

/// Every column of the policy that the data does not have.
fn unknown_columns(policy: &Policy, columns: &TransactionColumns, known: &Names) -> Error {
    let names = known.to_show();
    let given = [&columns.subject, &columns.item, &columns.items];
    let named = given.into_iter().flatten().map(|n| (&n.name, &n.span));
    let others = policy
        .attributes
        .iter()
        .map(|spec| (&spec.name, &spec.span));
    let mut mistakes: Vec<Mistake> = named
        .chain(others)
        .filter(|(name, _)| !known.contains(name))
        .map(|(name, span)| Mistake {
            code: "policy-unknown-column",
            message: format!("the data has no column `{name}`"),
            span: span.clone(),
            help: suggest_column(name, &names),
        })
        .collect();
    if mistakes.is_empty() {
        mistakes.push(Mistake {
            code: "policy-unknown-column",
            message: "the data has neither a column `items` nor columns `subject` and `item`"
                .into(),
            span: policy.data.span.clone(),
            help: format!(
                "name the columns in `[data]`, such as `items-column = \"{}\"`",
                names.first().copied().unwrap_or("basket")
            ),
        });
    }
    mistakes.sort_by_key(|mistake| mistake.span.start);
    Error::Policy {
        file: policy.file.clone(),
        text: policy.text.clone(),
        mistakes,
    }
}

/// Codes a table.
fn code(
    path: &Path,
    table: &Table,
    layout: &Layout,
    sensitive: &[String],
) -> Result<Baskets, Error> {
    let column = |name: &str| {
        table.column(name).ok_or_else(|| Error::Internal {
            what: "a column that was asked for is not there".into(),
        })
    };
    let mut order: Vec<String> = table.columns().iter().map(|c| c.name.clone()).collect();
    let beside = table.columns().iter();
    let beside = beside.filter(|column| sensitive.contains(&column.name));
    let (mut sets, attributes) = match &layout.form {
        TransactionForm::Wide { items, separator } => {
            if let Some(subject) = &layout.subject {
                order.retain(|name| name != subject);
                crate::paths::one_record_each(path, column(subject)?)?;
            }
            let sets = wide(column(items)?, *separator)?;
            (sets, beside.cloned().collect())
        }
        TransactionForm::Long { subject, item } => {
            let (starts, rows) = by_subject(column(subject)?);
            let sets = long(path, column(subject)?, column(item)?, &starts, &rows)?;
            let attributes = beside.map(|column| per_record(path, column, &starts, &rows));
            (sets, attributes.collect::<Result<Vec<Column>, Error>>()?)
        }
    };
    for name in sensitive {
        let own = attributes.iter().find(|column| column.name == *name);
        let own = own.ok_or_else(|| Error::Internal {
            what: "an attribute that was asked for is not there".into(),
        })?;
        sets = sets.with_sensitive(attribute(own))?;
    }
    Ok(Baskets {
        form: layout.form.clone(),
        sensitive: sensitive_attributes(&sets),
        sets,
        attributes,
        order,
    })
}

/// Names in order, and the rank of each of `texts` among them.
fn ranked(texts: &[&str]) -> (Vec<String>, Vec<u32>) {
    let mut names: Vec<&str> = texts.to_vec();
    names.sort_unstable();
    names.dedup();
    let rank = |text: &&str| names.partition_point(|name| name < text) as u32;
    let ranks = texts.iter().map(rank).collect();
    (names.iter().map(|&name| name.to_owned()).collect(), ranks)
}

/// The wide form: each distinct cell is split once.
fn wide(column: &Column, separator: char) -> Result<Sequences, Error> {
    let mut texts: Vec<&str> = Vec::new();
    let mut ends = vec![0];
    for cell in column.dictionary.values() {
        let pieces = cell.split(separator).map(str::trim);
        texts.extend(pieces.filter(|piece| !piece.is_empty()));
        ends.push(texts.len());
    }
    let (items, ranks) = ranked(&texts);
    let mut cells: Vec<Vec<u32>> = ends
        .windows(2)
        .map(|pair| ranks[pair[0]..pair[1]].to_vec())
        .collect();
    // The missing value has the code after all others: nothing is known.
    cells.resize(column.dictionary.len().max(cells.len()), Vec::new());
    for set in &mut cells {
        set.sort_unstable();
        set.dedup();
    }
    assemble(
        items,
        column.codes.iter().map(|&code| &cells[code as usize][..]),
    )
}

/// The long form: a subject has the items of its rows; a row without an item adds none.
fn long(
    path: &Path,
    subject: &Column,
    item: &Column,
    starts: &[u32],
    rows: &[u32],
) -> Result<Sequences, Error> {
    let missing = subject.dictionary.missing();
    if let Some(row) = subject.codes.iter().position(|&code| Some(code) == missing) {
        return Err(Error::PathCell {
            place: path.to_owned(),
            column: subject.name.clone(),
            row: row + 1,
            what: "is missing",
            help: "every item belongs to a subject; drop the row, or fill it",
        });
    }
    let texts: Vec<&str> = item.dictionary.values().collect();
    let (items, ranks) = ranked(&texts);
    let sets: Vec<Vec<u32>> = starts
        .windows(2)
        .map(|pair| {
            let own = &rows[pair[0] as usize..pair[1] as usize];
            let codes = own.iter().map(|&row| item.codes[row as usize] as usize);
            let mut set: Vec<u32> = codes.filter_map(|code| ranks.get(code).copied()).collect();
            set.sort_unstable();
            set.dedup();
            set
        })
        .collect();
    assemble(items, sets.iter().map(Vec::as_slice))
}

fn assemble<'a>(
    items: Vec<String>,
    sets: impl Iterator<Item = &'a [u32]>,
) -> Result<Sequences, Error> {
    let (mut starts, mut codes) = (vec![0], Vec::new());
    for set in sets {
        codes.extend_from_slice(set);
        let end = u32::try_from(codes.len());
        starts.push(end.map_err(|_| PathsError::TooMany { what: "items" })?);
    }
    Ok(Sequences::of_items(items, starts, codes)?)
}
