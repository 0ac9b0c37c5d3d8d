//! A first look at data: its profile, its first rows, and how the values of each column are spread.

use std::path::{Path, PathBuf};

use denym_data::Kind;
use denym_engine::ReadOptions;
use denym_measure::profile::Profile;
use denym_report::{Chart, Language, values_chart};
use rayon::prelude::*;

use crate::listener::Listener;
use crate::policy::Policy;
use crate::profile::profile_and_table;
use crate::reading::Reading;
use crate::reporting::counts;
use crate::{Error, source};

/// What a steward sees of data before anything is done to it. It has raw cells: for a screen of the steward's, never for a log.
#[derive(Debug, Clone)]
pub struct Look {
    /// What is in it.
    pub profile: Profile,
    /// How it was read.
    pub reading: Reading,
    /// The first rows, a text for each cell that has one.
    pub rows: Vec<Vec<Option<String>>>,
    /// How the values of each column are spread.
    pub charts: Vec<Chart>,
}

/// Looks at the table at `path` and shows so many of its rows.
pub fn look_at(
    path: &Path,
    options: &ReadOptions,
    rows: usize,
    language: Language,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<Look, Error> {
    let (profile, reading, table) = profile_and_table(path, options, threads, listener)?;
    let shown = 0..table.records().min(rows);
    let cell = |column: &denym_data::Column, row: usize| column.text(row).map(str::to_owned);
    let rows = shown
        .map(|row| table.columns().iter().map(|one| cell(one, row)).collect())
        .collect();
    let charts = table
        .columns()
        .par_iter()
        .map(|column| {
            let ordered = column.dictionary.kind() != Kind::Text;
            values_chart(&column.name, ordered, &counts(column), language)
        })
        .collect();
    Ok(Look {
        profile,
        reading,
        rows,
        charts,
    })
}

/// Where the data of `policy` is, and how it is read.
pub fn data_of(policy: &Policy) -> (PathBuf, ReadOptions) {
    (source::location(policy), source::read_options(policy))
}
