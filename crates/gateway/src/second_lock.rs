//! The second lock: what a purpose's login may do at the PostgreSQL server, asked of the server itself.
//!
//! # Idea
//! The gateway lets no statement through that names anything but governed tables. Should that ever fail, the login that runs the statement
//! cannot see more either: it may read the views of its purpose. Whether that is so is not taken on trust: PostgreSQL's own functions
//! say what the login has a right to, whoever gave it (the login, PUBLIC, a role it is a member of).
//!
//! # Guarantee
//! Each right beyond the views of the purpose is named with the statement that takes it away. Views that were made from another policy are
//! found by the mark that `denym access ddl` leaves on them.

use crate::error::Finding;
use tokio_postgres::Client;

/// What a login is to find.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    /// The purpose.
    pub(crate) purpose: String,
    /// The login.
    pub(crate) login: String,
    /// The schema of the purpose's views.
    pub(crate) schema: String,
    /// The schema of the raw tables.
    pub(crate) raw: String,
    /// The views with their marks.
    pub(crate) views: Vec<(String, String)>,
}

/// What the server says about a login.
#[derive(Debug, Clone, Default)]
pub(crate) struct Report {
    /// Rights beyond its purpose.
    pub(crate) findings: Vec<Finding>,
    /// The first view that is not as the policy has it.
    pub(crate) differs: Option<String>,
}

impl Report {
    pub(crate) fn is_good(&self) -> bool {
        self.findings.is_empty() && self.differs.is_none()
    }
}

/// Rights that no single object is about. They come first: to a superuser everything else is open too.
const ATTRIBUTES: &str = "
WITH me AS (SELECT * FROM pg_roles WHERE rolname = current_user)
SELECT 'is a superuser', format('ALTER ROLE %I NOSUPERUSER', rolname) FROM me WHERE rolsuper
UNION ALL SELECT 'is exempt from row security', format('ALTER ROLE %I NOBYPASSRLS', rolname) FROM me WHERE rolbypassrls
UNION ALL SELECT 'may make roles', format('ALTER ROLE %I NOCREATEROLE', rolname) FROM me WHERE rolcreaterole
UNION ALL SELECT 'may make databases', format('ALTER ROLE %I NOCREATEDB', rolname) FROM me WHERE rolcreatedb
UNION ALL SELECT 'may replicate the server', format('ALTER ROLE %I NOREPLICATION', rolname) FROM me WHERE rolreplication
UNION ALL SELECT format('is a member of %I', r.rolname), format('REVOKE %I FROM %I', r.rolname, me.rolname)
  FROM me JOIN pg_auth_members m ON m.member = me.oid JOIN pg_roles r ON r.oid = m.roleid
UNION ALL SELECT 'acts as another role than it logs in as', format('ALTER ROLE %I RESET role', session_user) WHERE session_user <> current_user
UNION ALL SELECT format('is not %I', $1::text), format('log in as %I', $1::text) WHERE session_user <> $1::text::name
LIMIT 12";

/// Rights to objects. System relations and functions are judged by what PostgreSQL gave to everybody when the cluster was made.
const OBJECTS: &str = "
WITH me AS (SELECT oid, rolname FROM pg_roles WHERE rolname = current_user)
(SELECT format('may read or write %I.%I', n.nspname, c.relname), format('REVOKE %s ON %I.%I FROM PUBLIC, %I', CASE WHEN n.nspname = $1::text AND c.relkind = 'v' AND c.relname::text = ANY ($2::text[])
    THEN 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER' ELSE 'ALL' END, n.nspname, c.relname, current_user)
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f', 'S') AND n.nspname !~ '^pg_(toast|temp_|toast_temp_)'
  AND (n.nspname IN ('pg_catalog', 'information_schema', $1::text, $3::text) OR has_schema_privilege(n.oid, 'USAGE'))
  AND CASE
    WHEN c.oid < 16384 THEN has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES') AND c.oid <> 'pg_settings'::regclass OR has_table_privilege(c.oid, 'DELETE, TRUNCATE, TRIGGER')
      OR has_any_column_privilege(c.oid, 'SELECT') AND n.nspname <> 'information_schema' AND NOT EXISTS (SELECT FROM pg_init_privs i, aclexplode(i.initprivs) a
        WHERE i.objoid = c.oid AND i.classoid = 'pg_class'::regclass AND a.grantee = 0 AND a.privilege_type = 'SELECT')
    WHEN n.nspname = $1::text AND c.relkind = 'v' AND c.relname::text = ANY ($2::text[])
      THEN has_any_column_privilege(c.oid, 'INSERT, UPDATE, REFERENCES') OR has_table_privilege(c.oid, 'DELETE, TRUNCATE, TRIGGER')
    ELSE has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES') OR has_table_privilege(c.oid, 'DELETE, TRUNCATE, TRIGGER')
  END ORDER BY n.nspname <> $3::text, 1 LIMIT 6)
UNION ALL
(SELECT format('may make things in the schema %I', nspname), format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC, %I', nspname, current_user)
  FROM pg_namespace WHERE has_schema_privilege(oid, 'CREATE') ORDER BY 1 LIMIT 3)
UNION ALL
(SELECT format('may enter the schema %I of the raw tables', nspname), format('REVOKE ALL ON SCHEMA %I FROM PUBLIC, %I', nspname, current_user)
  FROM pg_namespace WHERE nspname = $3::text AND has_schema_privilege(oid, 'USAGE'))
UNION ALL
SELECT 'may make schemas', format('REVOKE CREATE ON DATABASE %I FROM PUBLIC, %I', current_database(), current_user)
  WHERE has_database_privilege(current_database(), 'CREATE')
UNION ALL
SELECT 'may make temporary tables and functions', format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC, %I', current_database(), current_user)
  WHERE has_database_privilege(current_database(), 'TEMPORARY')
UNION ALL
(SELECT format(CASE WHEN p.prosecdef THEN 'may run %s, which works with the rights of its owner' ELSE 'may run %s, which PostgreSQL does not hold to its rights' END, p.oid::regprocedure),
  format('REVOKE ALL ON FUNCTION %s FROM PUBLIC, %I', p.oid::regprocedure, current_user)
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
  WHERE p.prokind <> 'p' AND has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(n.oid, 'USAGE') AND CASE
    WHEN p.oid < 16384 THEN EXISTS (SELECT FROM pg_init_privs i WHERE i.objoid = p.oid AND i.classoid = 'pg_proc'::regclass)
      AND NOT EXISTS (SELECT FROM pg_init_privs i, aclexplode(i.initprivs) a
        WHERE i.objoid = p.oid AND i.classoid = 'pg_proc'::regclass AND a.grantee = 0 AND a.privilege_type = 'EXECUTE')
    WHEN p.prosecdef THEN true
    WHEN l.lanpltrusted THEN false
    ELSE NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
      AND e.extname = ANY ($4::text[]))
  END ORDER BY p.oid >= 16384 AND NOT p.prosecdef, p.oid::regprocedure::text LIMIT 6)
UNION ALL
(SELECT format('may run the procedure %s, which works with the rights of its owner', p.oid::regprocedure),
  format('REVOKE ALL ON PROCEDURE %s FROM PUBLIC, %I', p.oid::regprocedure, current_user)
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
  WHERE p.prokind = 'p' AND (p.prosecdef OR NOT l.lanpltrusted) AND has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(n.oid, 'USAGE')
  ORDER BY 1 LIMIT 3)
UNION ALL
(SELECT format('may use the foreign server %I', srvname), format('REVOKE USAGE ON FOREIGN SERVER %I FROM PUBLIC, %I', srvname, current_user)
  FROM pg_foreign_server WHERE has_server_privilege(oid, 'USAGE') ORDER BY 1 LIMIT 3)
UNION ALL
(SELECT format('may use the foreign-data wrapper %I', fdwname), format('REVOKE USAGE ON FOREIGN DATA WRAPPER %I FROM PUBLIC, %I', fdwname, current_user)
  FROM pg_foreign_data_wrapper WHERE has_foreign_data_wrapper_privilege(oid, 'USAGE') ORDER BY 1 LIMIT 3)
UNION ALL
(SELECT format('may read or write the large object %s', m.oid), format('REVOKE ALL ON LARGE OBJECT %s FROM PUBLIC, %I', m.oid, current_user)
  FROM pg_largeobject_metadata m, me
  WHERE m.lomowner = me.oid OR EXISTS (SELECT FROM aclexplode(m.lomacl) a WHERE a.grantee IN (0, me.oid)) ORDER BY 1 LIMIT 3)
UNION ALL
SELECT 'may read all large objects', 'ALTER SYSTEM SET lo_compat_privileges = off' WHERE current_setting('lo_compat_privileges') = 'on'";

/// The views as they are.
const VIEWS: &str = "
SELECT c.relname::text, coalesce(obj_description(c.oid, 'pg_class'), ''), coalesce(c.reloptions::text[] @> ARRAY['security_barrier=true'], false)
  AND NOT coalesce(c.reloptions::text[] && ARRAY['security_invoker=true', 'security_invoker=on'], false),
  r.rolsuper OR r.rolbypassrls OR r.rolcanlogin, has_table_privilege(c.oid, 'SELECT')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_roles r ON r.oid = c.relowner WHERE n.nspname = $1::text AND c.relkind = 'v'";

/// Extensions whose functions in C only compute: those that PostgreSQL lets owners of databases install.
const HARMLESS: [&str; 21] = [
    "btree_gin",
    "btree_gist",
    "citext",
    "cube",
    "dict_int",
    "fuzzystrmatch",
    "hstore",
    "intarray",
    "isn",
    "lo",
    "ltree",
    "pg_trgm",
    "pgcrypto",
    "plpgsql",
    "seg",
    "tablefunc",
    "tcn",
    "tsm_system_rows",
    "tsm_system_time",
    "unaccent",
    "uuid-ossp",
];

/// Asks the server what the login of a connection may do.
pub(crate) async fn ask(
    client: &Client,
    expected: &Expected,
) -> Result<Report, tokio_postgres::Error> {
    let mut report = Report::default();
    let found = |rows: Vec<tokio_postgres::Row>| -> Vec<Finding> {
        rows.iter()
            .map(|row| Finding {
                what: row.get(0),
                mend: row.get(1),
            })
            .collect()
    };
    report.findings = found(client.query(ATTRIBUTES, &[&expected.login]).await?);
    if !report.findings.is_empty() {
        return Ok(report);
    }
    let views: Vec<&str> = expected
        .views
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    let harmless: Vec<&str> = HARMLESS.to_vec();
    let rows = client
        .query(
            OBJECTS,
            &[&expected.schema, &views, &expected.raw, &harmless],
        )
        .await?;
    report.findings = found(rows);
    let rows = client.query(VIEWS, &[&expected.schema]).await?;
    report.differs = expected.views.iter().find_map(|(name, mark)| {
        let Some(row) = rows.iter().find(|row| row.get::<_, &str>(0) == name) else {
            return Some(format!("there is no view `{name}`"));
        };
        let wrong = if row.get::<_, &str>(1) != mark {
            "was made from another policy"
        } else if !row.get::<_, bool>(2) {
            "has no security barrier"
        } else if row.get::<_, bool>(3) {
            "belongs to a role that can log in, is a superuser or is exempt from row security"
        } else if !row.get::<_, bool>(4) {
            "is not open to its login"
        } else {
            return None;
        };
        Some(format!("the view `{name}` {wrong}"))
    });
    Ok(report)
}
