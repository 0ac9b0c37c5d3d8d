//! A purpose enforced by PostgreSQL itself: views, optional indexes, owners and grants, as one script that can be run again.
//!
//! # Idea
//! Each governed table becomes a view in a schema of the purpose; the raw tables stay in a schema that its readers cannot enter. The views belong
//! to a role of their own that may read the raw tables and nothing else.
//!
//! # Guarantee
//! The views show the same cells as the gateway for a user whose grants are all active. The script stops, and changes nothing, when the owner is a superuser
//! or exempt from row security: a view works with its owner's rights, and such an owner would switch the raw tables' own row security off.
//!
//! # Departures
//! A view does not know who asks when: conditions of roles and attributes of users are not checked, so who may use the view must be decided by GRANT, and
//! the script names every condition it cannot check. Nothing is written to the audit log.

use super::error::Error;
use denym_purpose::{
    AccessPolicy, CONSENT_TABLE, Condition, Operation, PurposeId, Storage, TablePolicy, identifier,
};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// What to write.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The purpose.
    pub purpose: &'a str,
    /// One table, or all.
    pub table: Option<&'a str>,
    /// The schema of the raw tables and of the consent table.
    pub schema: &'a str,
    /// The schema of the views; `purpose_<purpose>` when not given.
    pub views: Option<&'a str>,
    /// The role that owns the views.
    pub owner: &'a str,
    /// Roles that may read the views.
    pub readers: &'a [String],
    /// Also indexes on the masked expressions.
    pub indexes: bool,
    /// Leave out what only conditional grants permit.
    pub unconditional: bool,
}

/// The script and what it cannot do.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The statements.
    pub sql: String,
    /// The schema of the views.
    pub views: String,
    /// Tables that have a view.
    pub tables: Vec<String>,
    /// Tables that cannot be written as SQL, and why.
    pub left_out: Vec<(String, String)>,
    /// Conditions that the views do not check.
    pub unchecked: Vec<String>,
    /// Indexes written.
    pub indexes: usize,
}

/// Writes the script.
pub fn script(policy: &AccessPolicy, wanted: &Wanted<'_>) -> Result<Script, Error> {
    let purpose = policy.purposes.find(wanted.purpose)?;
    let tables: Vec<&TablePolicy> = match wanted.table {
        Some(name) => vec![policy.table(name)?],
        None => policy.tables.values().collect(),
    };
    let mut out = Script {
        views: wanted.views.map_or_else(
            || format!("purpose_{}", wanted.purpose.replace('-', "_")),
            str::to_owned,
        ),
        ..Script::default()
    };
    let mut body = String::new();
    let mut raw = Vec::new();
    let mut keeps_rows = false;
    for table in tables {
        match one(policy, wanted, purpose, table, &out.views) {
            Ok((view, indexes)) => {
                out.indexes += indexes.len();
                out.tables.push(table.name.clone());
                raw.push(relation(wanted.schema, table.relation()));
                keeps_rows |= table.storage == Storage::Table;
                body.push_str(&view);
                body.extend(indexes);
            }
            Err(error) if wanted.table.is_some() => return Err(error),
            Err(error) => {
                let why = error.to_string();
                out.left_out.push((table.name.clone(), why));
            }
        }
    }
    if out.tables.is_empty() {
        return Err(Error::NothingInSql {
            why: out.left_out.into_iter().map(|(_, why)| why).collect(),
        });
    }
    out.unchecked = unchecked(policy, wanted, purpose, &out.tables);
    if keeps_rows {
        raw.push(relation(wanted.schema, CONSENT_TABLE));
    }
    out.sql = assemble(policy, wanted, &out, &raw, keeps_rows, &body)?;
    Ok(out)
}

/// The view of one table and its indexes.
fn one(
    policy: &AccessPolicy,
    wanted: &Wanted<'_>,
    purpose: PurposeId,
    table: &TablePolicy,
    views: &str,
) -> Result<(String, Vec<String>), Error> {
    let permitted = |place: usize| {
        let column = &table.columns[place].name;
        granting(policy, wanted, purpose, &table.name, Some(column))
            .next()
            .is_some()
    };
    let written = policy.postgres(&table.name, wanted.purpose, wanted.schema, &permitted)?;
    let name = relation(views, &table.name);
    let view = format!(
        "\nDROP VIEW IF EXISTS {name};\n{}ALTER VIEW {name} OWNER TO {};\n",
        written.view(views)?,
        identifier(wanted.owner)
    );
    let mut indexes = Vec::new();
    if wanted.indexes {
        for (place, column) in table.columns.iter().enumerate() {
            let Some(index) = written.index(place)? else {
                continue;
            };
            let named = index_name(&table.name, &column.name, wanted.purpose);
            let index = index.replacen(
                "CREATE INDEX ON",
                &format!("CREATE INDEX {} ON", identifier(&named)),
                1,
            );
            indexes.push(format!(
                "DROP INDEX IF EXISTS {};\n{index}",
                relation(wanted.schema, &named)
            ));
        }
    }
    Ok((view, indexes))
}

/// The grants that permit a table, or a column of it, for the purpose.
fn granting<'a>(
    policy: &'a AccessPolicy,
    wanted: &'a Wanted<'_>,
    purpose: PurposeId,
    table: &'a str,
    column: Option<&'a str>,
) -> impl Iterator<Item = &'a denym_purpose::Grant> {
    let bit = policy.purposes.bit(purpose);
    policy.grants.iter().filter(move |grant| {
        let covered = column.map_or_else(
            || grant.objects.touches(table),
            |column| grant.objects.covers(table, column),
        );
        covered
            && grant.operations.contains(&Operation::Select)
            && !(wanted.unconditional && grant.condition != Condition::Always)
            && grant
                .purposes
                .iter()
                .any(|granted| policy.purposes.down(*granted).contains(bit))
    })
}

fn unchecked(
    policy: &AccessPolicy,
    wanted: &Wanted<'_>,
    purpose: PurposeId,
    tables: &[String],
) -> Vec<String> {
    let mut out = Vec::new();
    for table in tables {
        for grant in granting(policy, wanted, purpose, table, None) {
            if grant.condition != Condition::Always {
                let line = format!(
                    "{} (role {}): {}",
                    grant.name,
                    grant.role,
                    grant.condition.to_text(&policy.attributes)
                );
                if !out.contains(&line) {
                    out.push(line);
                }
            }
        }
    }
    out
}

fn assemble(
    policy: &AccessPolicy,
    wanted: &Wanted<'_>,
    out: &Script,
    raw: &[String],
    keeps_rows: bool,
    body: &str,
) -> Result<String, Error> {
    let (schema, views) = (identifier(wanted.schema), identifier(&out.views));
    let owner = identifier(wanted.owner);
    let mut sql = String::new();
    let mut note = |text: &str| {
        // a comment must not be able to end
        let _ = writeln!(sql, "-- {}", text.replace(['\n', '\r'], " "));
    };
    note(&format!(
        "The purpose `{}` as PostgreSQL sees it; written by `denym access ddl`, can be run again.",
        wanted.purpose
    ));
    note(
        "Run it as an administrator, who stays an administrator: the views belong to a role that is none.",
    );
    note(
        "A view works with the rights of its owner, and one owned by a superuser bypasses row security.",
    );
    note("Readers need USAGE on the views' schema and nothing on the raw one.");
    for line in &out.unchecked {
        note(&format!(
            "NOT CHECKED by a view, decide by GRANT who may use it: {line}"
        ));
    }
    for (table, why) in &out.left_out {
        note(&format!("left out: table {table}: {why}"));
    }
    let _ = write!(
        sql,
        "BEGIN;\n\
         DO $denym$ BEGIN\n  \
           IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {name}) THEN CREATE ROLE {owner} NOLOGIN; END IF;\n  \
           IF (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = {name}) THEN\n    \
             RAISE EXCEPTION 'the owner of the views must be neither superuser nor exempt from row security';\n  \
           END IF;\n\
         END $denym$;\n\
         CREATE SCHEMA IF NOT EXISTS {views};\n\
         REVOKE ALL ON SCHEMA {schema} FROM PUBLIC;\n\
         REVOKE ALL ON SCHEMA {views} FROM PUBLIC;\n",
        name = literal(wanted.owner),
    );
    if keeps_rows {
        sql.push_str(&policy.postgres_consent(wanted.schema, &[])?);
    }
    let raw = raw.join(", ");
    let _ = write!(
        sql,
        "REVOKE ALL ON {raw} FROM PUBLIC;\n\
         GRANT USAGE ON SCHEMA {schema} TO {owner};\n\
         GRANT SELECT ON {raw} TO {owner};\n\
         GRANT USAGE, CREATE ON SCHEMA {views} TO {owner};\n"
    );
    sql.push_str(body);
    for reader in wanted.readers {
        let reader = identifier(reader);
        let _ = write!(sql, "\nGRANT USAGE ON SCHEMA {views} TO {reader};\n");
        for table in &out.tables {
            let view = relation(&out.views, table);
            let _ = writeln!(sql, "GRANT SELECT ON {view} TO {reader};");
        }
    }
    sql.push_str("COMMIT;\n");
    Ok(sql)
}

fn relation(schema: &str, name: &str) -> String {
    format!("{}.{}", identifier(schema), identifier(name))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// A name for an index that fits PostgreSQL's 63 bytes and differs for different cells.
fn index_name(table: &str, column: &str, purpose: &str) -> String {
    let full = format!("denym_{table}_{column}_{purpose}").replace('-', "_");
    if full.len() <= 63 {
        return full;
    }
    let digest = Sha256::digest(full.as_bytes());
    let mut end = 46;
    while !full.is_char_boundary(end) {
        end -= 1;
    }
    let mut out = full[..end].to_owned();
    for byte in &digest[..8] {
        let _ = write!(out, "{byte:02x}");
    }
    out
}
