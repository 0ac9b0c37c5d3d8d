//! Purposes enforced by PostgreSQL itself: roles, masked views, optional indexes and grants, as one script that can be run again.
//!
//! # Idea
//! Three kinds of roles. The *owner* may read the raw tables and owns the views; nobody can log in as it. Each purpose has a *login* of its own
//! that may read the views of that purpose and nothing else: the gateway keeps one pool of connections for each. *Readers* are people's roles
//! that are let in to a purpose's views without the gateway.
//!
//! # Guarantee
//! Whoever has a purpose's login and writes any SQL finds the cells that the purpose may see, and no others: not of a raw table, not of another
//! purpose, not past retention. The script stops, and changes nothing, when the owner or a login is a superuser or has another right
//! that no GRANT takes away. After a change of the policy it is run again: views are made anew in one transaction, and what the
//! policy no longer has loses its views and its login.
//!
//! # Departures
//! A view does not know who asks when: conditions of roles and attributes of users are the gateway's to check. For readers who come without it
//! the script names every condition that nobody checks, and nothing is written to the audit log.

use super::error::Error;
use denym_purpose::{
    AccessPolicy, CONSENT_TABLE, Condition, Operation, PostgresView, PurposeId, PurposeNames,
    Storage, TablePolicy, identifier,
};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

mod roles;

/// What to write.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// One purpose, or all that somebody may state.
    pub purpose: Option<&'a str>,
    /// One table, or all.
    pub table: Option<&'a str>,
    /// The schema of the raw tables and of the consent table.
    pub schema: &'a str,
    /// The role that owns the views.
    pub owner: &'a str,
    /// How the logins begin: `denym` for `denym_marketing`.
    pub logins: &'a str,
    /// SCRAM verifiers by login; a login without keeps its password.
    pub verifiers: &'a BTreeMap<String, String>,
    /// Roles that may read the views without the gateway.
    pub readers: &'a [String],
    /// Also indexes on the masked expressions.
    pub indexes: bool,
    /// Leave out what only conditional grants permit: for readers without the gateway.
    pub unconditional: bool,
}

/// The script and what it cannot do.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// The statements.
    pub sql: String,
    /// What each purpose has.
    pub purposes: Vec<Made>,
    /// Tables that have a view under some purpose.
    pub tables: Vec<String>,
    /// Tables, or columns of them, that cannot be written as SQL, and why.
    pub left_out: Vec<LeftOut>,
    /// Conditions that the views do not check.
    pub unchecked: Vec<String>,
    /// Indexes written.
    pub indexes: usize,
}

/// One purpose inside PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// The purpose.
    pub purpose: String,
    /// The schema of its views.
    pub views: String,
    /// The login that reads them.
    pub login: String,
    /// Tables that have a view there.
    pub tables: Vec<String>,
}

/// What SQL cannot say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The table.
    pub table: String,
    /// The column; all of the table when there is none.
    pub column: Option<String>,
    /// Why.
    pub why: String,
}

/// The names of the purposes, checked against those that the script needs for itself.
pub(crate) fn names(
    policy: &AccessPolicy,
    logins: &str,
    owner: &str,
    schema: &str,
) -> Result<Vec<PurposeNames>, denym_purpose::Error> {
    policy.postgres_names(logins, &[owner, schema, "public"])
}

/// The views that the gateway reads for a purpose, with what their comments must say.
pub(crate) fn expected(
    policy: &AccessPolicy,
    purpose: &str,
    schema: &str,
) -> Vec<(String, String)> {
    let mut out = Vec::new();
    for table in policy.tables.values() {
        let permitted = |place: usize| {
            let column = &table.columns[place].name;
            policy.any_grant_permits(&table.name, column, purpose) == Ok(true)
        };
        let views = policy
            .postgres(&table.name, purpose, schema, &permitted)
            .and_then(|written| written.views());
        // a table that SQL cannot say has no view, and the gateway refuses to ask for it
        if let Ok(views) = views
            && let Some(first) = views.into_iter().next()
        {
            let mark = mark(&first);
            out.push((first.name, mark));
        }
    }
    out
}

/// What the comment of a view says: the query it was made from. The gateway compares it with the policy it has.
fn mark(view: &PostgresView) -> String {
    let mut out = String::from("denym ");
    for byte in &Sha256::digest(view.query.as_bytes())[..16] {
        let _ = write!(out, "{byte:02x}");
    }
    out
}

/// Writes the script.
pub fn script(policy: &AccessPolicy, wanted: &Wanted<'_>) -> Result<Script, Error> {
    let only = wanted
        .purpose
        .map(|name| policy.purposes.find(name))
        .transpose()?;
    let purposes: Vec<PurposeNames> = names(policy, wanted.logins, wanted.owner, wanted.schema)?
        .into_iter()
        .filter(|names| only.map_or(names.is_granted, |only| names.id == only))
        .collect();
    let tables: Vec<&TablePolicy> = match wanted.table {
        Some(name) => vec![policy.table(name)?],
        None => policy.tables.values().collect(),
    };
    let mut out = Script::default();
    let mut body = String::new();
    let mut raw = Vec::new();
    let mut keeps_rows = false;
    for names in &purposes {
        let mut made = Made {
            purpose: names.purpose.clone(),
            views: names.schema.clone(),
            login: names.login.clone(),
            tables: Vec::new(),
        };
        let mut views = String::new();
        let mut all = Vec::new();
        for table in &tables {
            match one(policy, wanted, names, table) {
                Ok(one) => {
                    for (column, why) in one.left_out {
                        out.leave_out(&table.name, Some(column), why);
                    }
                    out.indexes += one.indexes.len();
                    made.tables.push(table.name.clone());
                    let relation = relation(wanted.schema, table.relation());
                    if !raw.contains(&relation) {
                        raw.push(relation);
                    }
                    keeps_rows |= table.storage == Storage::Table;
                    views.push_str(&one.sql);
                    views.extend(one.indexes);
                    all.extend(one.views);
                }
                Err(error) if wanted.table.is_some() => return Err(error),
                Err(error) => out.leave_out(&table.name, None, error.to_string()),
            }
        }
        body.push_str(&roles::schema(wanted, names, &all));
        body.push_str(&views);
        for line in unchecked(policy, wanted, names.id, &made.tables) {
            if !out.unchecked.contains(&line) {
                out.unchecked.push(line);
            }
        }
        for table in &made.tables {
            if !out.tables.contains(table) {
                out.tables.push(table.clone());
            }
        }
        out.purposes.push(made);
    }
    if out.tables.is_empty() {
        return Err(Error::NothingInSql {
            why: out.left_out.into_iter().map(|left| left.why).collect(),
        });
    }
    if keeps_rows {
        raw.push(relation(wanted.schema, CONSENT_TABLE));
    }
    out.sql = assemble(policy, wanted, &out, &purposes, &raw, keeps_rows, &body)?;
    Ok(out)
}

impl Script {
    fn leave_out(&mut self, table: &str, column: Option<String>, why: String) {
        let left = LeftOut {
            table: table.to_owned(),
            column,
            why,
        };
        if !self.left_out.contains(&left) {
            self.left_out.push(left);
        }
    }
}

/// The views of one table and its indexes.
struct One {
    sql: String,
    views: Vec<String>,
    indexes: Vec<String>,
    left_out: Vec<(String, String)>,
}

fn one(
    policy: &AccessPolicy,
    wanted: &Wanted<'_>,
    names: &PurposeNames,
    table: &TablePolicy,
) -> Result<One, Error> {
    let permitted = |place: usize| {
        let column = &table.columns[place].name;
        granting(policy, wanted, names.id, &table.name, Some(column))
            .next()
            .is_some()
    };
    let written = policy.postgres(&table.name, &names.purpose, wanted.schema, &permitted)?;
    let mut out = One {
        sql: String::new(),
        views: Vec::new(),
        indexes: Vec::new(),
        left_out: written
            .left_out()
            .into_iter()
            .map(|(column, why)| (column.to_owned(), why.to_string()))
            .collect(),
    };
    for (place, view) in written.views()?.into_iter().enumerate() {
        let name = relation(&names.schema, &view.name);
        let _ = write!(
            out.sql,
            "\nCREATE VIEW {name} WITH (security_barrier) AS {};\n\
             ALTER VIEW {name} OWNER TO {};\n\
             COMMENT ON VIEW {name} IS {};\n\
             REVOKE ALL ON {name} FROM PUBLIC;\n",
            view.query,
            identifier(wanted.owner),
            literal(&mark(&view))
        );
        if place == 0 && names.is_granted {
            let login = identifier(&names.login);
            let _ = writeln!(out.sql, "GRANT SELECT ON {name} TO {login};");
        }
        if view.is_for_people {
            for reader in wanted.readers {
                let reader = identifier(reader);
                let _ = writeln!(out.sql, "GRANT SELECT ON {name} TO {reader};");
            }
        }
        out.views.push(view.name);
    }
    if wanted.indexes {
        for (place, column) in table.columns.iter().enumerate() {
            let Ok(Some(index)) = written.index(place) else {
                continue;
            };
            let named = index_name(&table.name, &column.name, &names.purpose);
            let index = index.replacen(
                "CREATE INDEX ON",
                &format!("CREATE INDEX {} ON", identifier(&named)),
                1,
            );
            out.indexes.push(format!(
                "DROP INDEX IF EXISTS {};\n{index}",
                relation(wanted.schema, &named)
            ));
        }
    }
    Ok(out)
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
                out.push(format!(
                    "{} (role {}): {}",
                    grant.name,
                    grant.role,
                    grant.condition.to_text(&policy.attributes)
                ));
            }
        }
    }
    out
}

fn assemble(
    policy: &AccessPolicy,
    wanted: &Wanted<'_>,
    out: &Script,
    purposes: &[PurposeNames],
    raw: &[String],
    keeps_rows: bool,
    body: &str,
) -> Result<String, Error> {
    let mut sql = String::new();
    let mut note = |text: &str| {
        // a comment must not be able to end
        let _ = writeln!(sql, "-- {}", text.replace(['\n', '\r'], " "));
    };
    note("Purposes as PostgreSQL enforces them; written by `denym access ddl`, can be run again.");
    note(
        "Run it as an administrator, who stays an administrator: the views belong to a role that is none.",
    );
    note(
        "A view works with the rights of its owner, and one owned by a superuser bypasses row security.",
    );
    note(
        "Everybody loses the right to temporary tables in this database; GRANT TEMPORARY gives it back to those who need it.",
    );
    for made in &out.purposes {
        note(&format!("{} reads {}", made.login, made.views));
    }
    for line in &out.unchecked {
        note(&format!(
            "NOT CHECKED by a view, decide by GRANT who may use it without the gateway: {line}"
        ));
    }
    for left in &out.left_out {
        let column = left
            .column
            .as_ref()
            .map_or_else(String::new, |column| format!(" column {column}"));
        note(&format!(
            "left out: table {}{column}: {}",
            left.table, left.why
        ));
    }
    sql.push_str("BEGIN;\n");
    sql.push_str(&roles::roles(wanted, purposes));
    if keeps_rows {
        sql.push_str(&policy.postgres_consent(wanted.schema, &[])?);
    }
    sql.push_str(&roles::raw(wanted, purposes, raw));
    sql.push_str(body);
    if wanted.purpose.is_none() && wanted.table.is_none() {
        sql.push_str(&roles::gone(wanted, purposes));
    }
    sql.push_str("COMMIT;\n");
    Ok(sql)
}

fn relation(schema: &str, name: &str) -> String {
    format!("{}.{}", identifier(schema), identifier(name))
}

fn literal(text: &str) -> String {
    if text.contains('\\') {
        format!("E'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
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
