//! Consent of single providers as TOML, for those who write it by hand.
//!
//! ```
//! # let policy = denym_purpose::AccessPolicy::parse("[purposes]\ngeneral = {}\nmarketing = \"general\"\n[tables.customer]\ncolumns = { name = {} }", &|_| None).expect("no mistake");
//! let text = r#"
//! [[consent]]
//! table = "customer"
//! record = 17                       # the record's key
//! columns = ["name"]                # all of the record's columns when left out
//! allowed = ["general"]
//! conditional = ["marketing"]
//! "#;
//! let rows = policy.parse_consent(text).expect("a list without mistakes");
//! assert_eq!(rows[0].intended, "<{general}, {marketing}, {}>");
//! ```

use super::tables::read_intended_fields;
use super::{Known, check, read_text};
use crate::policy::AccessPolicy;
use crate::storage::IntendedRow;
use denym_policy::Mistake;
use denym_policy::reader::Node;
use std::collections::BTreeMap;

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
    pub fn parse_consent(&self, text: &str) -> Result<Vec<IntendedRow>, Vec<Mistake>> {
        let known = Known {
            tree: Some(self.purposes.clone()),
            attributes: None,
            roles: None,
            hierarchies: BTreeMap::new(),
        };
        read_text(text, &["consent"], |root| {
            let help = "add `[[consent]]` with `table` and `record`";
            let node = root.need("consent", help)?;
            let mut rows = Vec::new();
            for item in node.list("[{ table = \"customer\", record = 17 }]")? {
                self.read_entry(&item, &known, &mut rows);
            }
            Some(rows)
        })
    }

    fn read_entry(
        &self,
        item: &Node<'_, '_>,
        known: &Known,
        rows: &mut Vec<IntendedRow>,
    ) -> Option<()> {
        let fields = item.section(&KEYS, "{ table = \"customer\", record = 17 }")?;
        let node = fields.need("table", "add `table = \"NAME\"`");
        let named = node.and_then(|node| Some((node.string("customer")?, node)));
        let table = named.and_then(|(name, node)| check(&node, self.table(name)));
        let node = fields.need("record", "add `record = KEY`, the key of the record");
        let record = node.and_then(|node| node.scalar("17"));
        let columns = match fields.get("columns") {
            None => vec!["*".to_owned()],
            Some(node) => {
                let texts = node.texts("name");
                if let Some(table) = table {
                    for (item, column) in &texts {
                        check(item, table.column(column));
                    }
                }
                texts
                    .iter()
                    .map(|(_, column)| (*column).to_owned())
                    .collect()
            }
        };
        let intended = read_intended_fields(&fields, known);
        let (table, record, intended) = (table?, record?, intended?);
        rows.extend(columns.into_iter().map(|column| IntendedRow {
            table: table.name.clone(),
            record: record.clone(),
            column,
            intended: intended.to_text(&self.purposes),
        }));
        Some(())
    }
}
