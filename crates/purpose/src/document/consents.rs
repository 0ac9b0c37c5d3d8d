//! Consent of single providers as TOML, for those who write it by hand.
//!
//! ```
//! # let policy = denym_purpose::AccessPolicy::parse("[purposes]\ngeneral = {}\nmarketing = \"general\"\n[tables.customer]\ncolumns = { name = {} }", &|_| None)?;
//! let text = r#"
//! [[consent]]
//! table = "customer"
//! record = 17                       # the record's key
//! columns = ["name"]                # all of the record's columns when left out
//! allowed = ["general"]
//! conditional = ["marketing"]
//! "#;
//! let rows = policy.parse_consent(text)?;
//! assert_eq!(rows[0].intended, "<{general}, {marketing}, {}>");
//! # Ok::<(), denym_purpose::Error>(())
//! ```

use super::Known;
use super::node::{Node, Reader};
use super::tables::read_intended_fields;
use crate::error::Error;
use crate::policy::AccessPolicy;
use crate::storage::IntendedRow;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};

const KEYS: [&str; 7] = [
    "table",
    "record",
    "columns",
    "intended",
    "allowed",
    "conditional",
    "prohibited",
];

impl AccessPolicy {
    /// Reads `[[consent]]` entries into rows of the intended purposes table, checked against this policy; every mistake at once.
    pub fn parse_consent(&self, text: &str) -> Result<Vec<IntendedRow>, Error> {
        let mut reader = Reader::new(text);
        let (document, errors) = DeTable::parse_recoverable(text);
        reader.syntax(document.get_ref(), &errors, &["consent"]);
        let root = DeValue::Table(document.into_inner());
        let mut rows = Vec::new();
        if reader.is_sound() {
            let known = Known {
                tree: Some(self.purposes.clone()),
                attributes: None,
                roles: None,
                hierarchies: BTreeMap::new(),
            };
            let fields = reader.fields(&Node::root(&root), &["consent"]);
            if let Some(node) = reader.need(&fields, "consent") {
                for item in reader.list(&node) {
                    self.read_entry(&mut reader, &item, &known, &mut rows);
                }
            }
        }
        reader.finish()?;
        Ok(rows)
    }

    fn read_entry<'a>(
        &self,
        reader: &mut Reader<'a>,
        item: &Node<'a>,
        known: &Known,
        rows: &mut Vec<IntendedRow>,
    ) {
        let fields = reader.fields(item, &KEYS);
        let node = reader.need(&fields, "table");
        let named = node.and_then(|node| Some((reader.text_of(&node)?, node)));
        let table = named.and_then(|(name, node)| reader.check(&node, self.table(&name)));
        let node = reader.need(&fields, "record");
        let record = node.and_then(|node| reader.scalar(&node));
        let mut columns = Vec::new();
        match fields.get("columns") {
            None => columns.push("*".to_owned()),
            Some(node) => {
                for (item, column) in reader.texts(&node) {
                    if let Some(table) = table {
                        reader.check(&item, table.column(&column));
                    }
                    columns.push(column);
                }
            }
        }
        let intended = read_intended_fields(reader, &fields, known);
        let (Some(table), Some(record), Some(intended)) = (table, record, intended) else {
            return;
        };
        rows.extend(columns.into_iter().map(|column| IntendedRow {
            table: table.name.clone(),
            record: record.clone(),
            column,
            intended: intended.to_text(&self.purposes),
        }));
    }
}
