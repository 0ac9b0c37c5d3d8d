//! Who is in a release: keyed tokens of people, the class that each of their records stands in, and what is shown beside it.
//!
//! # Guarantee
//!
//! A token is a keyed hash: without the key nobody can be looked up, and nothing of an identifier is here. What people's records show
//! *is* here, as in the release itself: the file is the steward's (mode 0600), and whoever has it and the key knows who is what.
//!
//! # Form
//!
//! One line of JSON (columns with their values, number of records), then for each record 16 bytes of token, four of its class and
//! four for each column, little-endian, in the order of tokens.

use std::sync::Arc;

use denym_data::{Code, Column, Dictionary, Strings, Table};
use serde::{Deserialize, Serialize};

/// The token of a person.
pub type Token = [u8; 16];

/// The name of the column of people in [`Members::table`]; no column of a release has it by accident.
pub const PEOPLE: &str = "\u{1}people";

/// Who is in a release, a row for each record.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Members {
    columns: Vec<Shown>,
    /// Ascending; a person has as many rows as records.
    tokens: Vec<Token>,
    classes: Vec<u32>,
    /// For each column, the code of each row.
    codes: Vec<Vec<Code>>,
}

/// A column that people's records show beside their quasi-identifiers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Shown {
    name: String,
    values: Vec<Option<String>>,
}

#[derive(Serialize, Deserialize)]
struct Head {
    form: u32,
    records: usize,
    columns: Vec<Shown>,
}

/// The version of the form.
const FORM: u32 = 1;

impl Members {
    /// The members of a release: for each record whose it is, its class, and what `columns` show of it.
    pub fn new(tokens: &[Token], classes: &[u32], columns: &[&Column]) -> Members {
        let mut order: Vec<usize> = (0..tokens.len()).collect();
        let codes_of = |row: usize| columns.iter().map(move |column| column.codes[row]);
        // Equal rows are alike in everything: the order of the source is not left.
        order.sort_by(|&a, &b| {
            let own = (tokens[a], classes[a]).cmp(&(tokens[b], classes[b]));
            own.then_with(|| codes_of(a).cmp(codes_of(b)))
        });
        let shown = columns.iter().map(|column| Shown {
            name: column.name.clone(),
            values: (0..column.dictionary.len() as Code)
                .map(|code| column.dictionary.text(code).map(str::to_owned))
                .collect(),
        });
        Members {
            columns: shown.collect(),
            tokens: order.iter().map(|&row| tokens[row]).collect(),
            classes: order.iter().map(|&row| classes[row]).collect(),
            codes: columns
                .iter()
                .map(|column| order.iter().map(|&row| column.codes[row]).collect())
                .collect(),
        }
    }

    /// The token of each record, ascending.
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// The class of each record.
    pub fn classes(&self) -> &[u32] {
        &self.classes
    }

    /// How many people there are.
    pub fn people(&self) -> u64 {
        self.tokens.chunk_by(|a, b| a == b).count() as u64
    }

    /// The same without the people of `held`, which is sorted.
    #[must_use]
    pub fn without(&self, held: &[Token]) -> Members {
        let kept: Vec<usize> = (0..self.tokens.len())
            .filter(|&row| held.binary_search(&self.tokens[row]).is_err())
            .collect();
        Members {
            columns: self.columns.clone(),
            tokens: kept.iter().map(|&row| self.tokens[row]).collect(),
            classes: kept.iter().map(|&row| self.classes[row]).collect(),
            codes: self
                .codes
                .iter()
                .map(|codes| kept.iter().map(|&row| codes[row]).collect())
                .collect(),
        }
    }

    /// What records show, with their people as the last column.
    pub fn table(&self) -> Result<Table, denym_data::Error> {
        let mut columns = Vec::with_capacity(self.columns.len() + 1);
        for (shown, codes) in self.columns.iter().zip(&self.codes) {
            let texts: Vec<Option<&str>> = shown.values.iter().map(Option::as_deref).collect();
            let own = codes.iter().map(|&code| texts[code as usize]);
            columns.push(Column::from_texts(&shown.name, own));
        }
        let mut person = 0;
        let people: Vec<Code> = (0..self.tokens.len())
            .map(|row| {
                person += u32::from(row > 0 && self.tokens[row] != self.tokens[row - 1]);
                person
            })
            .collect();
        let names: Vec<String> = (0..self.people())
            .map(|number| number.to_string())
            .collect();
        let names: Strings = names.iter().map(String::as_str).collect();
        columns.push(Column {
            name: PEOPLE.to_owned(),
            dictionary: Arc::new(Dictionary::in_order(names, false)),
            codes: people,
        });
        Table::new(columns)
    }

    /// The file of these members.
    pub fn bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        let head = Head {
            form: FORM,
            records: self.tokens.len(),
            columns: self.columns.clone(),
        };
        let mut bytes = serde_json::to_vec(&head)?;
        bytes.push(b'\n');
        for row in 0..self.tokens.len() {
            bytes.extend(self.tokens[row]);
            bytes.extend(self.classes[row].to_le_bytes());
            for codes in &self.codes {
                bytes.extend(codes[row].to_le_bytes());
            }
        }
        Ok(bytes)
    }

    /// Reads such a file.
    pub fn read(bytes: &[u8]) -> Result<Members, &'static str> {
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let end = end.ok_or("has no head")?;
        let head: Head =
            serde_json::from_slice(&bytes[..end]).map_err(|_| "has a head that cannot be read")?;
        if head.form != FORM {
            return Err("has a form that this version does not know");
        }
        let body = &bytes[end + 1..];
        let width = 20 + 4 * head.columns.len();
        if head.records.checked_mul(width) != Some(body.len()) {
            return Err("is not as long as its head says");
        }
        let mut members = Members {
            tokens: Vec::with_capacity(head.records),
            classes: Vec::with_capacity(head.records),
            codes: vec![Vec::with_capacity(head.records); head.columns.len()],
            columns: head.columns,
        };
        let word = |four: &[u8]| four.try_into().map_or(0, u32::from_le_bytes);
        for row in body.chunks_exact(width) {
            let mut token = [0; 16];
            token.copy_from_slice(&row[..16]);
            members.tokens.push(token);
            members.classes.push(word(&row[16..20]));
            for (at, codes) in members.codes.iter_mut().enumerate() {
                let code = word(&row[20 + 4 * at..24 + 4 * at]);
                if code as usize >= members.columns[at].values.len() {
                    return Err("has a code without a value");
                }
                codes.push(code);
            }
        }
        if !members.tokens.is_sorted() {
            return Err("is not in the order of tokens");
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_read_as_they_were_written_and_nothing_else_is() {
        let ill = Column::from_texts("ill", [Some("flu"), None, Some("hiv"), Some("flu")]);
        let tokens = [[9; 16], [1; 16], [4; 16], [1; 16]];
        let members = Members::new(&tokens, &[0, 1, 1, 0], &[&ill]);
        assert_eq!(members.people(), 3);
        let bytes = members.bytes().expect("bytes");
        assert_eq!(Members::read(&bytes).expect("members"), members);
        let table = members.table().expect("a table");
        let own = table.column("ill").expect("a column");
        let shown: Vec<_> = (0..4).map(|row| own.text(row)).collect();
        // The first two rows are the person 1, by class.
        assert_eq!(shown, [Some("flu"), None, Some("hiv"), Some("flu")]);
        for end in 0..bytes.len() {
            assert!(Members::read(&bytes[..end]).is_err(), "cut at {end}");
        }
        let held = members.without(&[[1; 16]]);
        assert_eq!((held.people(), held.tokens().len()), (2, 2));
    }
}
