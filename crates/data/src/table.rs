//! A table of records, column by column, as dictionary codes.

use std::sync::Arc;

use crate::{Code, Dictionary, Error, Kind, Strings};

/// One attribute of every record.
#[derive(Debug, Clone)]
pub struct Column {
    /// The header.
    pub name: String,
    /// The distinct values.
    pub dictionary: Arc<Dictionary>,
    /// One code per record.
    pub codes: Vec<Code>,
}

impl Column {
    /// Codes one text per record; `None` is missing.
    pub fn from_texts<'a>(name: &str, texts: impl IntoIterator<Item = Option<&'a str>>) -> Column {
        let mut seen = std::collections::HashMap::new();
        let mut values = Strings::new();
        let mut raw = Vec::new();
        for text in texts {
            raw.push(text.map(|text| {
                *seen.entry(text).or_insert_with(|| {
                    values.push(text);
                    values.len() - 1
                })
            }));
        }
        let missing = raw.iter().any(Option::is_none);
        let (dictionary, order) = Dictionary::build(&values, missing, None);
        let last = dictionary.missing().unwrap_or_default();
        let codes = raw
            .into_iter()
            .map(|index| index.map_or(last, |index| order[index]))
            .collect();
        Column {
            name: name.to_owned(),
            dictionary: Arc::new(dictionary),
            codes,
        }
    }

    /// The text of record `row`; `None` when it is missing.
    pub fn text(&self, row: usize) -> Option<&str> {
        self.dictionary.text(self.codes[row])
    }
}

/// Two columns over one dictionary.
pub fn over_one_dictionary(one: &Column, other: &Column, kind: Option<Kind>) -> (Column, Column) {
    let mut texts: Strings = one.dictionary.values().collect();
    for text in other.dictionary.values() {
        if one.dictionary.code_of(text).is_none() {
            texts.push(text);
        }
    }
    let missing = one.dictionary.missing().is_some() || other.dictionary.missing().is_some();
    let dictionary = Arc::new(Dictionary::build(&texts, missing, kind).0);
    let recoded = |column: &Column| {
        let map: Vec<Code> = (0..column.dictionary.len() as Code)
            .map(|code| {
                let found = match column.dictionary.text(code) {
                    Some(text) => dictionary.code_of(text),
                    None => dictionary.missing(),
                };
                found.unwrap_or_default()
            })
            .collect();
        Column {
            name: column.name.clone(),
            dictionary: Arc::clone(&dictionary),
            codes: column
                .codes
                .iter()
                .map(|&code| map[code as usize])
                .collect(),
        }
    };
    (recoded(one), recoded(other))
}

/// Records as columns of equal length.
#[derive(Debug, Clone, Default)]
pub struct Table {
    columns: Vec<Column>,
    records: usize,
}

impl Table {
    /// Puts `columns` side by side; they must be equally long and differently named.
    pub fn new(columns: Vec<Column>) -> Result<Table, Error> {
        let records = columns.first().map_or(0, |column| column.codes.len());
        let mut names = std::collections::HashSet::new();
        for column in &columns {
            if column.codes.len() != records {
                return Err(Error::UnevenColumns {
                    column: column.name.clone(),
                    expected: records,
                    found: column.codes.len(),
                });
            }
            if !names.insert(&column.name) {
                return Err(Error::DuplicateColumn {
                    column: column.name.clone(),
                });
            }
        }
        Ok(Table { columns, records })
    }

    /// The table and further columns without the records `gone`.
    pub fn without(&self, gone: &[usize], further: &[Column]) -> Result<Table, Error> {
        let mut keep = vec![true; self.records];
        for &row in gone {
            keep[row] = false;
        }
        let columns = self.columns.iter().chain(further).map(|column| Column {
            name: column.name.clone(),
            dictionary: Arc::clone(&column.dictionary),
            codes: column
                .codes
                .iter()
                .zip(&keep)
                .filter(|&(_, &keep)| keep)
                .map(|(&code, _)| code)
                .collect(),
        });
        Table::new(columns.collect())
    }

    /// The table with one column made anew.
    pub fn with_column(&self, position: usize, column: Column) -> Result<Table, Error> {
        let mut columns = self.columns.clone();
        columns[position] = column;
        Table::new(columns)
    }

    /// How many records there are.
    pub fn records(&self) -> usize {
        self.records
    }

    /// The columns in order.
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column called `name`.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The position of the column called `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}
