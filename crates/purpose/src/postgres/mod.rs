//! A table under one purpose as PostgreSQL text: the masked views, what a user's query reads of them, expression indexes, the consent table.
//!
//! # Idea
//! Two texts, for two hands. The *view* of a purpose is made by the steward (`denym access ddl`): the decision for a cell is a CASE over stored
//! bits and literal masks of the purpose, in the order PIP, CIP, AIP, and the value, the mask or NULL follows from it. The *select* of a user is
//! what the gateway sends: it names the view and nothing else, and takes away what this user's roles do not permit. So the login that sends it
//! needs no right to a raw table.
//!
//! # Guarantee
//! Both together show the same cells as [`Access::view`](crate::Access::view), or there is an error: what cannot be said in plain SQL (keyed pseudonyms and noise,
//! whose key must not be readable in a catalogue; compact record codes; numbers with a fraction shown as text) is refused, not approximated.
//! A cell that may not be seen is NULL inside the view, and records past retention are left out behind a security barrier: nothing that
//! a query computes, and no error of it, can depend on them.
//!
//! # Departures
//! A view does not know which columns a query asks for. In `filter` mode it has a condition beside each column, by which the select drops
//! records; people who read the view themselves get those records that show all their cells.
//!
//! # Cost
//! Literal bits cost about 1.3 times a raw lookup and 3 times a raw scan; a setting read per row would cost 14 times, and users could set it.

mod cell;
mod names;
mod view;

use crate::consent::{Mode, Storage, TablePolicy};
use crate::error::Error;
use crate::intended::{AccessPurpose, IntendedPurpose};
use crate::policy::AccessPolicy;
use crate::storage::IntendedRow;
use crate::tree::PurposeId;
use cell::type_name;
pub use names::{PurposeNames, views_schema};
use std::fmt::Write as _;
pub use view::PostgresView;

/// The table that holds the consent of single records in PostgreSQL.
pub const CONSENT_TABLE: &str = "denym_consent";

/// A governed table under one purpose, to be written as SQL.
pub struct PostgresTable<'a> {
    policy: &'a AccessPolicy,
    table: &'a TablePolicy,
    purpose: AccessPurpose,
    /// The raw table as SQL writes it, such as `raw.customer_info`.
    source: String,
    /// The schema of the consent table.
    consent_schema: String,
    /// Columns that the asker may see in some form.
    permitted: Vec<bool>,
    /// Columns that anybody may see in some form for the purpose.
    granted: Vec<bool>,
    up: i64,
    related: i64,
}

impl AccessPolicy {
    /// Prepares a table for a purpose. `permitted` says for each column whether a grant permits it; raw table and consent table are in `schema`.
    pub fn postgres<'a>(
        &'a self,
        table: &str,
        purpose: &str,
        schema: &str,
        permitted: &dyn Fn(usize) -> bool,
    ) -> Result<PostgresTable<'a>, Error> {
        let table = self.table(table)?;
        let purpose = AccessPurpose::new(&self.purposes, self.purposes.find(purpose)?);
        let unsupported = || Error::NotInSql {
            table: table.name.clone(),
            what: "more than 63 purposes",
        };
        if matches!(table.storage, Storage::RowCode { .. }) {
            return Err(Error::NotInSql {
                table: table.name.clone(),
                what: "consent as a compact record code",
            });
        }
        let up = purpose.up().to_i64().ok_or_else(unsupported)?;
        let related = purpose.related().to_i64().ok_or_else(unsupported)?;
        let id = purpose.id();
        let seen = |by: &dyn Fn(usize) -> bool| -> Vec<bool> {
            let never = |place| table.always_prohibited_of(place).meets(purpose.related());
            (0..table.columns.len())
                .map(|place| by(place) && !never(place))
                .collect()
        };
        let granted = seen(&|place| {
            self.granting(id, &table.name, &table.columns[place].name)
                .next()
                .is_some()
        });
        let permitted = seen(permitted);
        let name = table.relation();
        Ok(PostgresTable {
            policy: self,
            table,
            purpose,
            source: format!("{}.{}", identifier(schema), identifier(name)),
            consent_schema: schema.to_owned(),
            permitted,
            granted,
            up,
            related,
        })
    }

    /// Whether any grant, whatever its condition, permits a column for a purpose: what a view for the purpose may show.
    pub fn any_grant_permits(
        &self,
        table: &str,
        column: &str,
        purpose: &str,
    ) -> Result<bool, Error> {
        let id = self.purposes.find(purpose)?;
        Ok(self.granting(id, table, column).next().is_some())
    }

    /// The grants, active or not, that permit a column for a purpose.
    fn granting<'a>(
        &'a self,
        purpose: PurposeId,
        table: &'a str,
        column: &'a str,
    ) -> impl Iterator<Item = &'a crate::role::Grant> {
        self.serving(purpose)
            .filter(move |grant| grant.objects.covers(table, column))
    }

    /// The grants, active or not, that let somebody read something for a purpose.
    fn serving(&self, purpose: PurposeId) -> impl Iterator<Item = &crate::role::Grant> {
        let bit = self.purposes.bit(purpose);
        self.grants.iter().filter(move |grant| {
            grant.operations.contains(&crate::role::Operation::Select)
                && grant
                    .purposes
                    .iter()
                    .any(|granted| self.purposes.down(*granted).contains(bit))
        })
    }

    /// The consent table of single records, created and filled.
    pub fn postgres_consent(&self, schema: &str, rows: &[IntendedRow]) -> Result<String, Error> {
        let table = format!("{}.{CONSENT_TABLE}", identifier(schema));
        let mut out = format!(
            "CREATE TABLE IF NOT EXISTS {table} (table_name text, record text, column_name text, aip bigint NOT NULL, \
             cip bigint NOT NULL, pip bigint NOT NULL, PRIMARY KEY (table_name, record, column_name));\n"
        );
        for (place, row) in rows.iter().enumerate() {
            let bad = || Error::BadCode {
                record: place + 1,
                column: "intended".into(),
            };
            let ip = IntendedPurpose::from_text(&self.purposes, &row.intended).ok_or_else(bad)?;
            let code = |set: &crate::PurposeSet| set.to_i64().ok_or_else(bad);
            let _ = writeln!(
                out,
                "INSERT INTO {table} VALUES ({}, {}, {}, {}, {}, {}) ON CONFLICT (table_name, record, column_name) \
                 DO UPDATE SET aip = EXCLUDED.aip, cip = EXCLUDED.cip, pip = EXCLUDED.pip;",
                literal(&row.table),
                literal(&row.record),
                literal(&row.column),
                code(&ip.allowed)?,
                code(&ip.conditional)?,
                code(&ip.prohibited)?
            );
        }
        Ok(out)
    }
}

impl PostgresTable<'_> {
    /// `SELECT .. FROM ..` with the requested columns (by place) as the asker sees them: from the purpose's view, never from the raw table.
    pub fn select(&self, requested: &[usize]) -> Result<String, Error> {
        let mut cells = Vec::new();
        for place in requested {
            let column = &self.table.columns[*place];
            self.in_sql(*place)?;
            let name = identifier(&column.name);
            cells.push(if self.permitted[*place] {
                format!("t.{} AS {name}", identifier(&self.column_for(*place)?))
            } else {
                format!("NULL::{} AS {name}", type_name(column.visible_kind()))
            });
        }
        if cells.is_empty() {
            // a query that counts records asks for no cell
            cells.push("NULL AS nothing".into());
        }
        let (schema, view) = (views_schema(self.purpose_name()), self.cells_view()?);
        let mut out = format!(
            "SELECT {} FROM {}.{} t",
            cells.join(", "),
            identifier(&schema),
            identifier(&view)
        );
        if self.table.mode == Mode::Filter && !requested.is_empty() {
            let conditions: Vec<String> = requested
                .iter()
                .map(|place| {
                    if self.permitted[*place] {
                        format!("t.{}", identifier(&view::shown_column(*place)))
                    } else {
                        "false".into()
                    }
                })
                .collect();
            let _ = write!(out, " WHERE {}", conditions.join(" AND "));
        }
        Ok(out)
    }

    fn purpose_name(&self) -> &str {
        self.policy.purposes.name(self.purpose.id())
    }
}

/// A name in double quotes.
pub fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in single quotes, safe whatever `standard_conforming_strings` says.
pub fn literal(text: &str) -> String {
    if text.contains('\\') {
        format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}
