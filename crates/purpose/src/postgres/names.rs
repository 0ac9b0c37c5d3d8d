//! The names of a purpose inside PostgreSQL: its schema of views and its login.
//!
//! # Guarantee
//! Two purposes never share a schema or a login, and no name is one that PostgreSQL would cut: it cuts at 63 bytes without a word, and
//! two names that were different are then one.

use super::view::{CELLS, OWN};
use crate::error::Error;
use crate::policy::AccessPolicy;
use crate::tree::PurposeId;
use std::collections::BTreeMap;

/// Longest name that PostgreSQL keeps whole, in bytes.
const LONGEST: usize = 63;

/// A purpose inside PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurposeNames {
    /// The purpose.
    pub id: PurposeId,
    /// Its name in the policy.
    pub purpose: String,
    /// The schema of its views.
    pub schema: String,
    /// The login that reads them.
    pub login: String,
    /// Whether some grant, whatever its condition, lets somebody state it.
    pub is_granted: bool,
}

/// The schema of a purpose's views.
pub fn views_schema(purpose: &str) -> String {
    format!("purpose_{}", folded(purpose))
}

fn folded(purpose: &str) -> String {
    purpose.replace('-', "_")
}

impl AccessPolicy {
    /// The names of all purposes inside PostgreSQL: logins begin with `prefix`; `taken` are names of schemas and roles that are not to be had.
    pub fn postgres_names(&self, prefix: &str, taken: &[&str]) -> Result<Vec<PurposeNames>, Error> {
        let mut out = Vec::new();
        let mut seen: BTreeMap<String, String> = taken
            .iter()
            .map(|name| ((*name).to_owned(), format!("`{name}` itself")))
            .collect();
        for id in self.purposes.ids() {
            let purpose = self.purposes.name(id);
            let schema = views_schema(purpose);
            let login = format!("{prefix}_{}", folded(purpose));
            for (what, name) in [("schema of the views", &schema), ("login", &login)] {
                short(what, name)?;
                let of = format!("the purpose `{purpose}`");
                if let Some(other) = seen.insert(name.clone(), of.clone())
                    && other != of
                {
                    return Err(Error::NamesCollide {
                        name: name.clone(),
                        one: other,
                        other: of,
                    });
                }
            }
            out.push(PurposeNames {
                id,
                purpose: purpose.to_owned(),
                schema,
                login,
                is_granted: self.grants.iter().any(|grant| {
                    let bit = self.purposes.bit(id);
                    grant
                        .purposes
                        .iter()
                        .any(|granted| self.purposes.down(*granted).contains(bit))
                }),
            });
        }
        for table in self.tables.values() {
            short("view", &format!("{CELLS}{}", table.name))?;
            short("raw table", table.relation())?;
            if table.name.starts_with(CELLS) {
                return Err(Error::NameReserved {
                    name: table.name.clone(),
                    prefix: CELLS,
                });
            }
            for column in &table.columns {
                short("column", &column.name)?;
                if column.name.starts_with(OWN) {
                    return Err(Error::NameReserved {
                        name: column.name.clone(),
                        prefix: OWN,
                    });
                }
            }
        }
        Ok(out)
    }
}

fn short(what: &'static str, name: &str) -> Result<(), Error> {
    if name.len() <= LONGEST {
        return Ok(());
    }
    Err(Error::NameTooLong {
        what,
        name: name.to_owned(),
        longest: LONGEST,
    })
}
