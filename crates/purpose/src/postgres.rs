//! A table under one purpose as PostgreSQL text: the masked query with literal bits, views, expression indexes, the consent table.
//!
//! # Idea
//! The decision for a cell is a CASE over stored bits and literal masks of the purpose, in the order PIP, CIP, AIP; the value, the mask or NULL
//! follows from it. PostgreSQL does the work, and an index on the identical expression serves predicates on masked values.
//!
//! # Guarantee
//! The same cells as [`Access::view`](crate::Access::view), or an error: what cannot be said in plain SQL (keyed pseudonyms and noise, whose key
//! must not be readable in a catalogue; compact record codes; numbers with a fraction shown as text) is refused, not approximated.
//!
//! # Departures
//! A view does not know which columns a query asks for, so `filter` mode in a view asks for all its columns.
//!
//! # Cost
//! Literal bits cost about 1.3 times a raw lookup and 3 times a raw scan; a setting read per row would cost 14 times, and users could set it.

use crate::consent::{Mode, Storage, TablePolicy};
use crate::error::Error;
use crate::intended::{AccessPurpose, Compliance, IntendedPurpose};
use crate::mask::{Bound, Mask, whole};
use crate::policy::AccessPolicy;
use crate::storage::IntendedRow;
use crate::value::Kind;
use std::fmt::Write as _;

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
    permitted: Vec<bool>,
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
        let permitted = (0..table.columns.len())
            .map(|place| {
                permitted(place) && !table.always_prohibited_of(place).meets(purpose.related())
            })
            .collect();
        let name = table.relation();
        Ok(PostgresTable {
            policy: self,
            table,
            purpose,
            source: format!("{}.{}", identifier(schema), identifier(name)),
            consent_schema: schema.to_owned(),
            permitted,
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
        let bit = self.purposes.bit(self.purposes.find(purpose)?);
        Ok(self.grants.iter().any(|grant| {
            grant.operations.contains(&crate::role::Operation::Select)
                && grant.objects.covers(table, column)
                && grant
                    .purposes
                    .iter()
                    .any(|granted| self.purposes.down(*granted).contains(bit))
        }))
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
    /// `SELECT .. FROM ..` with the requested columns (by place) as this purpose sees them.
    pub fn select(&self, requested: &[usize]) -> Result<String, Error> {
        let mut cells = Vec::new();
        for place in requested {
            let column = &self.table.columns[*place];
            cells.push(format!(
                "{} AS {}",
                self.cell(*place, "t.")?,
                identifier(&column.name)
            ));
        }
        if cells.is_empty() {
            // a query that counts records asks for no cell
            cells.push("NULL AS nothing".into());
        }
        let mut out = format!("SELECT {} FROM {} t", cells.join(", "), self.source);
        out.push_str(&self.joins());
        let mut conditions = Vec::new();
        if let Some(days) = self.policy.purposes.retention_days(self.purpose.id()) {
            conditions.push(match &self.table.collected {
                Some(collected) => format!("t.{} >= CURRENT_DATE - {days}", identifier(collected)),
                None => "false".into(),
            });
        }
        if self.table.mode == Mode::Filter {
            for place in requested {
                match self.decision(*place, "t.") {
                    Decision::Always(Compliance::Denied) => conditions.push("false".into()),
                    Decision::Always(_) => {}
                    Decision::Sql(sql) => conditions.push(format!("{sql} <> 0")),
                }
            }
        }
        if !conditions.is_empty() {
            let _ = write!(out, " WHERE {}", conditions.join(" AND "));
        }
        Ok(out)
    }

    /// A view over all columns, in a schema of its own.
    pub fn view(&self, schema: &str) -> Result<String, Error> {
        let all: Vec<usize> = (0..self.table.columns.len()).collect();
        Ok(format!(
            "CREATE VIEW {}.{} WITH (security_barrier) AS {};\n",
            identifier(schema),
            identifier(&self.table.name),
            self.select(&all)?
        ))
    }

    /// An index on the masked expression of a column, so that a predicate on the masked value finds it; `None` where the expression needs
    /// another table or is the same for all records.
    pub fn index(&self, place: usize) -> Result<Option<String>, Error> {
        if self.table.storage == Storage::Table || self.permitted.get(place) != Some(&true) {
            return Ok(None);
        }
        if matches!(
            self.decision(place, ""),
            Decision::Always(Compliance::Denied)
        ) {
            return Ok(None);
        }
        let cell = self.cell(place, "")?;
        // the text of a day depends on the session's settings in PostgreSQL's eyes, so it takes no index
        if cell.contains("to_char(") {
            return Ok(None);
        }
        Ok(Some(format!(
            "CREATE INDEX ON {} (({cell}));\n",
            self.source
        )))
    }

    /// The cell as this purpose sees it; `alias` is put before every column.
    pub fn cell(&self, place: usize, alias: &str) -> Result<String, Error> {
        let column = &self.table.columns[place];
        let visible = column.visible_kind();
        let raw = format!("{alias}{}", identifier(&column.name));
        let full = self.shown(&raw, column.kind, visible)?;
        let null = format!("NULL::{}", type_name(visible));
        Ok(match self.decision(place, alias) {
            Decision::Always(Compliance::Denied) => null,
            Decision::Always(Compliance::Full) => full,
            Decision::Always(Compliance::Conditional) => {
                self.mask(&column.mask, &raw, column.kind, visible, alias)?
            }
            Decision::Sql(decision) => {
                let masked = self.mask(&column.mask, &raw, column.kind, visible, alias)?;
                format!("CASE {decision} WHEN 2 THEN {full} WHEN 1 THEN {masked} ELSE {null} END")
            }
        })
    }

    /// 0 denied, 1 conditional, 2 full: the record's own consent, else its group's, else the defaults.
    fn decision(&self, place: usize, alias: &str) -> Decision {
        if !self.permitted[place] {
            return Decision::Always(Compliance::Denied);
        }
        let check = |consent: Option<&IntendedPurpose>| {
            consent.map_or(Compliance::Denied, |ip| ip.check(&self.purpose))
        };
        let fallback = check(self.table.consent(place, None, None).1);
        let mut rest = number(fallback).to_string();
        let mut constant = true;
        if let Some(group) = &self.table.group
            && !self.table.groups.is_empty()
        {
            constant = false;
            let mut sql = format!("CASE {alias}{}::text", identifier(group));
            for name in self.table.groups.keys() {
                let decision = check(self.table.consent(place, Some(name), None).1);
                let _ = write!(sql, " WHEN {} THEN {}", literal(name), number(decision));
            }
            rest = format!("{sql} ELSE {rest} END");
        }
        match (&self.table.storage, &self.table.key) {
            (
                Storage::Companion {
                    allowed,
                    conditional,
                    prohibited,
                },
                _,
            ) => {
                let name = &self.table.columns[place].name;
                let [a, c, p] = [allowed, conditional, prohibited]
                    .map(|suffix| format!("{alias}{}", identifier(&format!("{name}{suffix}"))));
                Decision::Sql(format!("COALESCE({}, {rest})", self.own(&a, &c, &p)))
            }
            (Storage::Table, Some(key)) => {
                let join = |name: &str| {
                    self.own(
                        &format!("{name}.aip"),
                        &format!("{name}.cip"),
                        &format!("{name}.pip"),
                    )
                };
                Decision::Sql(format!(
                    "CASE WHEN {alias}{} IS NULL THEN 0 ELSE COALESCE({}, {}, {rest}) END",
                    identifier(key),
                    join(&format!("c{place}")),
                    join("call")
                ))
            }
            _ if constant => Decision::Always(fallback),
            _ => Decision::Sql(rest),
        }
    }

    /// The check with literal bits; NULL when there is no own consent, 0 when a number is negative and so no code.
    fn own(&self, a: &str, c: &str, p: &str) -> String {
        let (up, related) = (self.up, self.related);
        format!(
            "CASE WHEN {a} IS NULL AND {c} IS NULL AND {p} IS NULL THEN NULL WHEN {a} < 0 OR {c} < 0 OR {p} < 0 THEN 0 \
             WHEN {p} & {related} <> 0 THEN 0 WHEN {c} & {up} <> 0 THEN 1 WHEN {a} & {up} <> 0 THEN 2 ELSE 0 END"
        )
    }

    /// Joins to the consent table: one for the record, one for each column.
    fn joins(&self) -> String {
        let (Storage::Table, Some(key)) = (&self.table.storage, &self.table.key) else {
            return String::new();
        };
        let consent = format!("{}.{CONSENT_TABLE}", identifier(&self.consent_schema));
        let mut out = String::new();
        let columns = self.table.columns.iter().map(|column| column.name.as_str());
        let names = std::iter::once(("call".to_owned(), "*")).chain(
            columns
                .enumerate()
                .map(|(place, name)| (format!("c{place}"), name)),
        );
        for (alias, column) in names {
            let _ = write!(
                out,
                " LEFT JOIN {consent} {alias} ON {alias}.table_name = {} AND {alias}.record = t.{}::text AND {alias}.column_name = {}",
                literal(&self.table.name),
                identifier(key),
                literal(column)
            );
        }
        out
    }

    /// An expression of one kind shown in a column of another: itself, or its text.
    fn shown(&self, sql: &str, kind: Kind, visible: Kind) -> Result<String, Error> {
        match (kind, visible) {
            (a, b) if a == b => Ok(sql.to_owned()),
            (Kind::Integer | Kind::Boolean, Kind::Text) => Ok(format!("({sql})::text")),
            (Kind::Date, Kind::Text) => Ok(format!("to_char({sql}, 'YYYY-MM-DD')")),
            _ => Err(self.refuse("numbers with a fraction shown as text")),
        }
    }

    fn refuse(&self, what: &'static str) -> Error {
        Error::NotInSql {
            table: self.table.name.clone(),
            what,
        }
    }

    fn mask(
        &self,
        mask: &Mask,
        raw: &str,
        kind: Kind,
        visible: Kind,
        alias: &str,
    ) -> Result<String, Error> {
        Ok(match mask {
            Mask::Null => format!("NULL::{}", type_name(visible)),
            Mask::Value => self.shown(raw, kind, visible)?,
            Mask::FirstLetters(count) => format!("left({raw}, {count})"),
            Mask::Characters {
                keep_first,
                keep_last,
                with,
            } => {
                let with = literal(&with.to_string());
                format!(
                    "CASE WHEN char_length({raw}) <= {both} THEN repeat({with}, char_length({raw})) ELSE left({raw}, {keep_first}) || \
                     repeat({with}, char_length({raw}) - {both}) || right({raw}, {keep_last}) END",
                    both = keep_first + keep_last
                )
            }
            Mask::Interval {
                width,
                origin,
                show,
            } => self.interval(raw, kind, visible, (*width, *origin, *show))?,
            Mask::Level { levels, level, .. } => {
                let mut sql = format!("CASE {}", self.shown(raw, kind, Kind::Text)?);
                for (value, general) in levels.pairs(*level) {
                    let _ = write!(sql, " WHEN {} THEN {}", literal(value), literal(general));
                }
                if levels.pairs(*level).next().is_none() {
                    return Ok("NULL::text".into());
                }
                format!("{sql} END")
            }
            Mask::Pseudonym { .. } | Mask::Noise { .. } => {
                return Err(self.refuse("keyed pseudonyms and noise"));
            }
            Mask::Stored { column, kind } => {
                self.shown(&format!("{alias}{}", identifier(column)), *kind, visible)?
            }
            Mask::WhereHidden {
                columns,
                then,
                otherwise,
            } => {
                let mut conditions = Vec::new();
                for name in columns {
                    conditions.push(match self.decision(self.table.column(name)?, alias) {
                        Decision::Always(Compliance::Full) => "false".into(),
                        Decision::Always(_) => "true".into(),
                        Decision::Sql(sql) => format!("{sql} <> 2"),
                    });
                }
                format!(
                    "CASE WHEN {} THEN {} ELSE {} END",
                    conditions.join(" AND "),
                    self.mask(then, raw, kind, visible, alias)?,
                    self.mask(otherwise, raw, kind, visible, alias)?
                )
            }
        })
    }

    fn interval(
        &self,
        raw: &str,
        kind: Kind,
        visible: Kind,
        (width, origin, show): (f64, f64, Bound),
    ) -> Result<String, Error> {
        if kind == Kind::Float {
            if visible == Kind::Text {
                return Err(self.refuse("numbers with a fraction shown as text"));
            }
            let low = format!(
                "(floor(({raw} - ({origin:?}::float8)) / ({width:?}::float8)) * ({width:?}::float8) + ({origin:?}::float8))"
            );
            return Ok(match show {
                Bound::Midpoint => format!("({low} + ({:?}::float8))", width / 2.0),
                _ => low,
            });
        }
        let (Some(width), Some(origin)) = (whole(width), whole(origin)) else {
            return Err(self.refuse("an interval of whole numbers with a fraction"));
        };
        // numeric: no overflow at either end of the type
        let low = format!(
            "({raw}::numeric - mod(mod({raw}::numeric - ({origin}), {width}) + {width}, {width}))"
        );
        // beyond the type the mask answers NULL: an error would tell which records are near its ends
        let fits = |sql: String| {
            let (least, most) = (i64::MIN, i64::MAX);
            format!("CASE WHEN {sql} BETWEEN ({least}) AND {most} THEN ({sql})::bigint END")
        };
        Ok(match show {
            Bound::Range => format!("({low})::text || '-' || ({low} + {width})::text"),
            Bound::Lower => self.shown(&fits(low), Kind::Integer, visible)?,
            Bound::Midpoint => self.shown(
                &fits(format!("({low} + {})", width / 2)),
                Kind::Integer,
                visible,
            )?,
        })
    }
}

enum Decision {
    Always(Compliance),
    Sql(String),
}

fn number(compliance: Compliance) -> u8 {
    match compliance {
        Compliance::Denied => 0,
        Compliance::Conditional => 1,
        Compliance::Full => 2,
    }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Integer => "bigint",
        Kind::Float => "float8",
        Kind::Boolean => "boolean",
        Kind::Date => "date",
    }
}

/// A name in double quotes.
pub fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// A text in single quotes, safe whatever `standard_conforming_strings` says.
fn literal(text: &str) -> String {
    if text.contains('\\') {
        format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}
