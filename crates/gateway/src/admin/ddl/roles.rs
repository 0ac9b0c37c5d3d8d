//! The roles of the script: an owner nobody logs in as, one login for each purpose, and what all of them may not.

use super::{Wanted, literal};
use denym_purpose::{PurposeNames, identifier};
use std::fmt::Write as _;

/// Connections that a login may have at one time: those of two gateways.
const CONNECTIONS: usize = 64;

/// The mark of a schema of views.
const SCHEMA_MARK: &str = "denym views of a purpose";

/// Makes the roles, or finds them fit.
pub(super) fn roles(wanted: &Wanted<'_>, purposes: &[PurposeNames]) -> String {
    let mut out = block(&format!(
        "{}{}",
        made(wanted.owner),
        unfit(
            wanted.owner,
            "rolsuper OR rolbypassrls OR rolcanlogin",
            "the owner of the views must be neither superuser nor exempt from row security, and nobody may log in as it",
        )
    ));
    for names in purposes.iter().filter(|names| names.is_granted) {
        let (name, login) = (&names.login, identifier(&names.login));
        let mark = literal(&format!("denym login {} ", wanted.logins));
        out.push_str(&block(&format!(
            "{}{}  \
             FOR held IN SELECT g.rolname AS role, b.rolname AS giver FROM pg_auth_members m JOIN pg_roles g ON g.oid = m.roleid \
             JOIN pg_roles b ON b.oid = m.grantor WHERE m.member = (SELECT oid FROM pg_roles WHERE rolname = {literal})\n  \
             LOOP EXECUTE format('REVOKE %I FROM %I GRANTED BY %I', held.role, {literal}, held.giver); END LOOP;\n  \
             EXECUTE format('COMMENT ON ROLE %I IS %L', {literal}, {mark} || current_database());\n",
            made(name),
            unfit(
                name,
                "rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication",
                "a login of the gateway must be neither superuser nor exempt from row security, and may make no roles, databases or replicas",
            ),
            literal = literal(name),
        )));
        let _ = writeln!(
            out,
            "ALTER ROLE {login} LOGIN NOINHERIT CONNECTION LIMIT {CONNECTIONS};"
        );
        for setting in [
            "default_transaction_read_only = on",
            "search_path = pg_catalog",
            "statement_timeout = '15min'",
            "idle_in_transaction_session_timeout = '1min'",
            "lock_timeout = '10s'",
        ] {
            let _ = writeln!(out, "ALTER ROLE {login} SET {setting};");
        }
        if let Some(verifier) = wanted.verifiers.get(name) {
            let _ = writeln!(out, "ALTER ROLE {login} PASSWORD {};", literal(verifier));
        }
    }
    out
}

/// Takes the raw tables from everybody but the owner.
pub(super) fn raw(wanted: &Wanted<'_>, purposes: &[PurposeNames], raw: &[String]) -> String {
    let (schema, owner) = (identifier(wanted.schema), identifier(wanted.owner));
    let raw = raw.join(", ");
    let mut out = block(
        "  EXECUTE format('REVOKE TEMPORARY, CREATE ON DATABASE %I FROM PUBLIC', current_database());\n  \
         IF EXISTS (SELECT FROM pg_namespace WHERE nspname = 'public') THEN REVOKE CREATE ON SCHEMA public FROM PUBLIC; END IF;\n",
    );
    let _ = write!(
        out,
        "REVOKE ALL ON SCHEMA {schema} FROM PUBLIC;\n\
         REVOKE ALL ON {raw} FROM PUBLIC;\n\
         GRANT USAGE ON SCHEMA {schema} TO {owner};\n\
         GRANT SELECT ON {raw} TO {owner};\n"
    );
    let logins: Vec<String> = purposes
        .iter()
        .filter(|names| names.is_granted)
        .map(|names| identifier(&names.login))
        .collect();
    if !logins.is_empty() {
        let logins = logins.join(", ");
        let _ = write!(
            out,
            "REVOKE ALL ON SCHEMA {schema} FROM {logins};\n\
             REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM {logins};\n"
        );
    }
    out
}

/// The schema of a purpose, empty of what the script made before.
pub(super) fn schema(wanted: &Wanted<'_>, names: &PurposeNames, views: &[String]) -> String {
    let schema = identifier(&names.schema);
    let list: Vec<String> = views.iter().map(|view| literal(view)).collect();
    let whole = if wanted.table.is_none() {
        "c.relkind = 'v' AND obj_description(c.oid, 'pg_class') LIKE 'denym %' OR "
    } else {
        ""
    };
    let mut out = format!(
        "\nCREATE SCHEMA IF NOT EXISTS {schema};\n\
         COMMENT ON SCHEMA {schema} IS {};\n\
         REVOKE ALL ON SCHEMA {schema} FROM PUBLIC;\n\
         GRANT USAGE, CREATE ON SCHEMA {schema} TO {};\n",
        literal(SCHEMA_MARK),
        identifier(wanted.owner)
    );
    let lost = if wanted.table.is_none() {
        lose(&format!("n.nspname = {}", literal(&names.schema)), wanted)
    } else {
        String::new()
    };
    // all at once: one is made from another, and nothing that others made from them is dropped in silence
    out.push_str(&block(&format!(
        "  SELECT string_agg(format('%I.%I', n.nspname, c.relname), ', ') AS views INTO held FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE n.nspname = {} AND ({whole}c.relname IN ({}));\n  \
         IF held.views IS NOT NULL THEN EXECUTE 'DROP VIEW ' || held.views; END IF;\n  \
         {lost}",
        literal(&names.schema),
        list.join(", "),
    )));
    if names.is_granted {
        let _ = writeln!(
            out,
            "GRANT USAGE ON SCHEMA {schema} TO {};",
            identifier(&names.login)
        );
    }
    for reader in wanted.readers {
        let _ = writeln!(
            out,
            "GRANT USAGE ON SCHEMA {schema} TO {};",
            identifier(reader)
        );
    }
    out
}

/// What the policy no longer has: schemas lose their views, logins cannot log in.
pub(super) fn gone(wanted: &Wanted<'_>, purposes: &[PurposeNames]) -> String {
    let list = |of: &dyn Fn(&PurposeNames) -> String| -> String {
        let names: Vec<String> = purposes.iter().map(|names| literal(&of(names))).collect();
        names.join(", ")
    };
    let schemas = list(&|names| names.schema.clone());
    let logins = list(&|names| names.login.clone());
    let stale = format!(
        "obj_description(n.oid, 'pg_namespace') = {} AND n.nspname NOT IN ({schemas})",
        literal(SCHEMA_MARK)
    );
    let mark = literal(&format!("denym login {} ", wanted.logins));
    format!(
        "\n{}",
        block(&format!(
            "  SELECT string_agg(format('%I.%I', n.nspname, c.relname), ', ') AS views INTO held FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE {stale} AND c.relkind = 'v' AND obj_description(c.oid, 'pg_class') LIKE 'denym %';\n  \
             IF held.views IS NOT NULL THEN EXECUTE 'DROP VIEW ' || held.views; END IF;\n  \
             {}  \
             FOR held IN SELECT rolname AS login FROM pg_roles \
             WHERE shobj_description(oid, 'pg_authid') = {mark} || current_database() AND rolname NOT IN ({logins})\n  \
             LOOP EXECUTE format('ALTER ROLE %I NOLOGIN PASSWORD NULL', held.login); END LOOP;\n",
            lose(&stale, wanted)
        ))
    )
}

/// All logins of this script lose a schema and everything in it; who is to have it gets it again afterwards.
fn lose(which: &str, wanted: &Wanted<'_>) -> String {
    let mark = literal(&format!("denym login {} ", wanted.logins));
    format!(
        "FOR held IN SELECT n.nspname AS schema, r.rolname AS login FROM pg_namespace n, pg_roles r \
         WHERE {which} AND shobj_description(r.oid, 'pg_authid') = {mark} || current_database()\n  \
         LOOP EXECUTE format('REVOKE ALL ON SCHEMA %I FROM %I', held.schema, held.login); \
         EXECUTE format('REVOKE ALL ON ALL TABLES IN SCHEMA %I FROM %I', held.schema, held.login); END LOOP;\n"
    )
}

fn made(role: &str) -> String {
    format!(
        "  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {}) THEN CREATE ROLE {} NOLOGIN; END IF;\n",
        literal(role),
        identifier(role)
    )
}

fn unfit(role: &str, attributes: &str, message: &str) -> String {
    format!(
        "  IF (SELECT {attributes} FROM pg_roles WHERE rolname = {}) THEN\n    RAISE EXCEPTION {} USING DETAIL = {};\n  END IF;\n",
        literal(role),
        literal(message),
        literal(&format!("the role is {role}"))
    )
}

/// A block of statements whose quotes no name in it can close.
fn block(body: &str) -> String {
    let mut tag = String::from("$denym$");
    while body.contains(&tag) {
        tag.insert(tag.len() - 1, '_');
    }
    format!("DO {tag} DECLARE held record; BEGIN\n{body}END {tag};\n")
}
