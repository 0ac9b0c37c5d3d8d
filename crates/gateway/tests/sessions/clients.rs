//! Clients that people use: psql's backslash commands, psycopg and `SQLAlchemy` list tables, prepare and fetch in batches.

use crate::support::generated::both;
use crate::support::{PASSWORD, Site, run_raw};
use denym_testkit::python::python;
use std::path::Path;
use std::process::Command;

#[test]
fn psql_lists_and_describes() {
    both(|backend, site| {
        let say = |sql: &str| {
            let mut command = Command::new("psql");
            command
                .args([
                    "-X",
                    "-h",
                    "127.0.0.1",
                    "-p",
                    &site.address.port().to_string(),
                    "-U",
                    "anna",
                    "-d",
                    "denym",
                ])
                .env("PGPASSWORD", PASSWORD)
                .env_remove("PGOPTIONS");
            run_raw(command, sql)
        };
        let tables = say("\\dt\n");
        for table in ["person", "visit", "member"] {
            assert!(tables.contains(table), "{backend}: {tables}");
        }
        let columns = say("\\d person\n");
        for column in ["id", "name", "age", "city", "income"] {
            assert!(columns.contains(column), "{backend}: {columns}");
        }
        assert!(
            !columns.contains("secret") && !columns.contains("_aip"),
            "{backend}: {columns}"
        );
        // prepared and described, not run
        let described =
            say("SET denym.purpose = 'marketing';\nSELECT id, name FROM person \\gdesc\n");
        assert!(
            described.contains("bigint") && described.contains("text"),
            "{backend}: {described}"
        );
        // fetched in batches by a cursor
        let fetched =
            say("SET denym.purpose = 'marketing';\n\\set FETCH_COUNT 50\nSELECT id FROM person;\n");
        assert!(fetched.contains("(120 rows)"), "{backend}: {fetched}");
    });
}

fn script(python: &Path, site: &Site, text: &str) -> String {
    let output = Command::new(python)
        .arg("-c")
        .arg(text)
        .env("PORT", site.address.port().to_string())
        .env("PGPASSWORD", PASSWORD)
        .env_remove("PGOPTIONS")
        .output()
        .expect("python runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

const PSYCOPG: &str = r#"
import os, psycopg
conn = psycopg.connect(host="127.0.0.1", port=os.environ["PORT"], user="anna", dbname="denym")
conn.execute("SET denym.purpose = 'marketing'")
cur = conn.cursor()
cur.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1")
print(",".join(row[0] for row in cur.fetchall()))
# prepared by the server, with parameters, in text and in binary
for binary in (False, True):
    cur = conn.cursor(binary=binary)
    for least in (0, 40, 80):
        cur.execute("SELECT id, name, age FROM person WHERE age >= %s AND age < %s ORDER BY id", (least, 1000), prepare=True)
        rows = cur.fetchall()
        assert all(row[2] >= least for row in rows), rows
        assert all(row[0] is None or isinstance(row[0], int) for row in rows), rows
        print(len(rows), end=" ")
# a cursor of the server, in batches
sizes = []
with conn.cursor(name="batches") as cur:
    cur.execute("SELECT id, city FROM person ORDER BY id")
    while True:
        rows = cur.fetchmany(50)
        if not rows:
            break
        sizes.append(len(rows))
print(sizes)
conn.commit()
try:
    conn.execute("SELECT secret FROM person")
except psycopg.Error as error:
    print(error.sqlstate)
conn.rollback()
# pipelined messages
with conn.pipeline():
    a = conn.execute("SELECT count(*) FROM person")
    b = conn.execute("SELECT count(*) FROM visit WHERE cost > %s", (-1,))
    c = conn.execute("SELECT 1 AS one")
print(a.fetchone()[0], c.fetchone()[0])
"#;

const SQLALCHEMY: &str = r#"
import os
from sqlalchemy import create_engine, event, inspect, select, MetaData, Table, func
engine = create_engine(f"postgresql+psycopg://anna@127.0.0.1:{os.environ['PORT']}/denym", connect_args={"password": os.environ["PGPASSWORD"]})
@event.listens_for(engine, "connect")
def state(conn, record):
    conn.execute("SET denym.purpose = 'marketing'")
    conn.commit()
with engine.connect() as conn:
    print(",".join(sorted(inspect(conn).get_table_names())))
    print(",".join(column["name"] for column in inspect(conn).get_columns("person")))
    from sqlalchemy import table, column
    person = table("person", column("id"), column("name"), column("age"), column("city"))
    rows = conn.execute(select(person.c.id, person.c.name).where(person.c.age > 30).order_by(person.c.id)).all()
    print(len(rows) > 10)
    groups = conn.execute(select(person.c.city, func.count()).group_by(person.c.city)).all()
    print(sum(row[1] for row in groups))
    result = conn.execution_options(stream_results=True, yield_per=25).execute(select(person.c.id).order_by(person.c.id))
    print([len(part) for part in result.partitions()])
"#;

#[test]
fn psycopg_and_sqlalchemy() {
    let Some(python) = python(&["sqlalchemy==2.0.*", "psycopg[binary]==3.2.*"]) else {
        return;
    };
    both(|backend, site| {
        let told = script(&python, site, PSYCOPG);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[0], "member,person,visit", "{backend}: {told}");
        assert!(lines[1].ends_with("[50, 50, 20]"), "{backend}: {told}");
        assert_eq!(lines[2], "42703", "{backend}: {told}");
        assert_eq!(lines[3], "120 1", "{backend}: {told}");
        let told = script(&python, site, SQLALCHEMY);
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[0], "member,person,visit", "{backend}: {told}");
        assert_eq!(lines[1], "id,name,age,city,income", "{backend}: {told}");
        assert_eq!(
            lines[2..],
            ["True", "120", "[25, 25, 25, 25, 20]"],
            "{backend}: {told}"
        );
    });
}
