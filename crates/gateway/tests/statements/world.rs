//! A table with cells that nobody may see, marked so that any of them is found in whatever comes back.

use crate::support::question::{client, runtime};
use crate::support::{PASSWORD, Plan, Site};
use denym_testkit::postgres::Server;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio_postgres::types::{FromSql, Type};
use tokio_postgres::{AsyncMessage, Client, NoTls, SimpleQueryMessage};

/// Under `care` everything of a retained record can be seen, under `marketing` the first letter of a name.
pub(crate) const POLICY: &str = r#"
[purposes]
general = {}
care = { parent = "general", retention-days = 3650 }
marketing = { parent = "general", retention-days = 3650 }
[roles]
analyst = []
[users]
anna = { roles = ["analyst"] }
ben = { roles = ["analyst"] }
[[grants]]
role = "analyst"
purposes = ["care", "marketing"]
[tables.person]
consent = "none"
collected = "taken"
default = "<{general}, {}, {}>"
[tables.person.columns]
id = { type = "integer" }
name = { default = "<{care}, {marketing}, {}>", mask = { first-letters = 1 } }
age = { type = "integer", default = "<{care}, {marketing}, {}>", mask = { interval = { width = 10, show = "lower" } } }
city = {}
day = { type = "date" }
[tables.orders]
consent = "none"
collected = "taken"
default = "<{general}, {}, {}>"
[tables.orders.columns]
person = { type = "integer" }
item = {}
price = { type = "integer" }
"#;

/// Retained records: number, name, age, city, day. The names end in what `marketing` may not see.
pub(crate) const PEOPLE: [(&str, &str, &str, &str, &str); 6] = [
    ("1", "O'Brien", "7771", "Cork", "2024-01-15"),
    ("2", "Zoë", "7782", "Bern", "2024-02-20"),
    ("3", "back\\slash", "7793", "O'Fallon", "2024-02-21"),
    ("4", "say \"hi\"", "7804", "100%", "2024-03-05"),
    ("5", "x'' OR ''1''=''1", "7815", "a_b", "2023-12-31"),
    ("6", "O''Brien", "7826", "Cork", "2024-02-29"),
];

/// What must never come back, whatever the purpose: cells of unnamed columns and of records past retention, and paths.
const NEVER: [&str; 5] = ["HIDDEN", "1911-11-11", "666001", "denym-postgres", "/tmp/"];
/// The name of the gateway's login to the server. In front of files the catalogue that clients ask has a made-up role of that name.
const LOGIN: &str = "postgres";
/// What must not come back under `marketing`.
const NOT_IN_MARKETING: [&str; 8] = [
    "Brien", "Zoë", "slash", "say", "OR ''1", "7771", "7782", "7793",
];

/// Whether a text holds what may not be seen, and what.
pub(crate) fn leaked(text: &str, purpose: &str) -> Option<&'static str> {
    let more: &[&'static str] = if purpose == "marketing" {
        &NOT_IN_MARKETING
    } else {
        &[]
    };
    NEVER
        .iter()
        .chain(more)
        .find(|mark| text.contains(**mark))
        .copied()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn tables() -> (String, [(&'static str, String); 2]) {
    let mut sql = "CREATE SCHEMA raw; CREATE TABLE raw.person (id int8, name text, age int8, city text, day date, taken date, secret text);\
                   CREATE TABLE raw.orders (person int8, item text, price int8, taken date, note text);"
        .to_owned();
    let mut person = "id,name,age,city,day,taken,secret\n".to_owned();
    let mut orders = "person,item,price,taken,note\n".to_owned();
    let mut record = |cells: [&str; 7]| {
        let values: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
        sql.push_str(&format!(
            "INSERT INTO raw.person VALUES ({});",
            values.join(", ")
        ));
        let values: Vec<String> = cells.iter().map(|cell| crate::support::csv(cell)).collect();
        person.push_str(&format!("{}\n", values.join(",")));
    };
    for (id, name, age, city, day) in PEOPLE {
        record([id, name, age, city, day, "2999-01-01", "HIDDEN-secret"]);
    }
    for id in ["901", "902"] {
        record([
            id,
            "HIDDEN-name",
            "666001",
            "HIDDEN-city",
            "1911-11-11",
            "1990-01-01",
            "HIDDEN-secret",
        ]);
    }
    for (person, item, price) in [("1", "tea", "5"), ("1", "cup", "7"), ("2", "tea", "6")] {
        sql.push_str(&format!(
            "INSERT INTO raw.orders VALUES ({person}, '{item}', {price}, '2999-01-01', 'HIDDEN-note');"
        ));
        orders.push_str(&format!("{person},{item},{price},2999-01-01,HIDDEN-note\n"));
    }
    (sql, [("person", person), ("orders", orders)])
}

/// Both backends over these tables, PostgreSQL with a login that may read everything; only the files where there is no PostgreSQL.
pub(crate) fn both(check: impl Fn(&str, &Site, Option<&Server>)) {
    with(&Plan::unlocked, check);
}

/// The same with the logins that a steward sets up.
pub(crate) fn both_as_set_up(check: impl Fn(&str, &Site, Option<&Server>)) {
    with(&Plan::postgres, check);
}

fn with(postgres: &dyn Fn(&str, &Server) -> Plan, check: impl Fn(&str, &Site, Option<&Server>)) {
    let (sql, files) = tables();
    check("files", &Plan::embedded(POLICY, &files, None).run(), None);
    if let Some(server) = Server::start() {
        server.query(&sql).expect("sets up");
        check("postgres", &postgres(POLICY, &server).run(), Some(&server));
    }
}

/// A client that keeps every notice.
pub(crate) struct Asker {
    runtime: tokio::runtime::Runtime,
    client: Client,
    notices: Arc<Mutex<String>>,
    purpose: &'static str,
}

/// The bytes of a cell, whatever its type.
struct Bytes(Vec<u8>);

impl<'a> FromSql<'a> for Bytes {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Self(raw.to_vec()))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// What came of a statement: everything the client could read.
pub(crate) struct Heard {
    pub(crate) is_answered: bool,
    pub(crate) text: String,
}

impl Asker {
    pub(crate) fn new(site: &Site, purpose: &'static str) -> Self {
        let runtime = runtime();
        let notices = Arc::new(Mutex::new(String::new()));
        let kept = notices.clone();
        let text = format!(
            "host=127.0.0.1 port={} user=anna password='{PASSWORD}' dbname=denym",
            site.address.port()
        );
        let client = runtime.block_on(async {
            let (client, mut connection) = tokio_postgres::connect(&text, NoTls)
                .await
                .expect("logs in");
            tokio::spawn(async move {
                while let Some(Ok(message)) =
                    std::future::poll_fn(|cx| connection.poll_message(cx)).await
                {
                    if let AsyncMessage::Notice(notice) = message {
                        kept.lock()
                            .expect("never poisoned")
                            .push_str(&format!("{notice:?}"));
                    }
                }
            });
            client
                .batch_execute(&format!("SET denym.purpose = '{purpose}'"))
                .await
                .expect("permitted");
            client
        });
        Self {
            runtime,
            client,
            notices,
            purpose,
        }
    }

    fn heard(&self, outcome: Result<String, tokio_postgres::Error>) -> Heard {
        let mut text = std::mem::take(&mut *self.notices.lock().expect("never poisoned"));
        let is_answered = outcome.is_ok();
        match outcome {
            Ok(rows) => text.push_str(&rows),
            Err(error) => text.push_str(&format!("{error:?}")),
        }
        Heard { is_answered, text }
    }

    /// By the simple protocol, as psql asks.
    pub(crate) fn simple(&self, sql: &str) -> Heard {
        let outcome = self.runtime.block_on(async {
            let messages = self.client.simple_query(sql).await?;
            let mut out = String::new();
            for message in messages {
                match message {
                    SimpleQueryMessage::Row(row) => {
                        for place in 0..row.len() {
                            out.push_str(row.get(place).unwrap_or("\u{2400}"));
                            out.push('|');
                        }
                        out.push('\n');
                    }
                    SimpleQueryMessage::RowDescription(columns) => {
                        for column in columns.iter() {
                            out.push_str(column.name());
                            out.push(';');
                        }
                        out.push('\n');
                    }
                    _ => {}
                }
            }
            Ok(out)
        });
        self.heard(outcome)
    }

    /// By the extended protocol: parsed with these types, described, bound to NULLs and run.
    pub(crate) fn extended(&self, sql: &str, types: &[Type]) -> Heard {
        let outcome = self.runtime.block_on(async {
            let statement = self.client.prepare_typed(sql, types).await?;
            let nulls = vec![Nothing; statement.params().len()];
            let rows = self.client.query_raw(&statement, nulls).await?;
            let mut rows = std::pin::pin!(rows);
            let mut out = format!("{:?}\n", statement.columns());
            while let Some(row) = futures::StreamExt::next(&mut rows).await {
                let row = row?;
                for place in 0..row.len() {
                    let cell: Option<Bytes> = row.try_get(place)?;
                    let cell = cell.map_or_else(String::new, |cell| {
                        String::from_utf8_lossy(&cell.0).into_owned()
                    });
                    out.push_str(&cell);
                    out.push('|');
                }
                out.push('\n');
            }
            Ok(out)
        });
        self.heard(outcome)
    }

    /// Asks by both protocols; panics when anything comes back that may not be seen, or when the gateway doubts itself.
    pub(crate) fn ask_both(&self, backend: &str, sql: &str) -> [bool; 2] {
        [self.simple(sql), self.extended(sql, &[])].map(|heard| {
            self.judge(backend, sql, &heard);
            heard.is_answered
        })
    }

    pub(crate) fn judge(&self, backend: &str, sql: &str, heard: &Heard) {
        if let Some(mark) = leaked(&heard.text, self.purpose) {
            panic!("{backend}: {mark} comes back to\n{sql}\n{}", heard.text);
        }
        assert!(
            backend == "files" || sql.contains(LOGIN) || !heard.text.contains(LOGIN),
            "{backend}: the login comes back to\n{sql}\n{}",
            heard.text
        );
        assert!(
            !heard.text.contains("XX000"),
            "{backend}: the gateway does not trust what it wrote for\n{sql}\n{}",
            heard.text
        );
        assert!(
            !self.client.is_closed(),
            "{backend}: the session ended at\n{sql}"
        );
    }
}

/// Somebody who keeps asking ordinary questions while another does his worst.
pub(crate) struct Others {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<usize, String>>,
}

/// The longest that an ordinary question may take beside everything else that this machine does.
const PATIENCE: Duration = Duration::from_mins(1);
/// Questions that are asked at least, after the worst is over where it was short.
const LEAST: usize = 12;

impl Others {
    /// Starts asking, in a session of his own.
    pub(crate) fn ask(site: &Site) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let ends = stop.clone();
        let runtime = runtime();
        let client = client(&runtime, site, "ben");
        let thread = std::thread::spawn(move || {
            let questions = [
                ("SELECT count(*) FROM person", "6"),
                ("SELECT name FROM person WHERE age = 7782", "Zoë"),
                ("SELECT sum(price) FROM orders WHERE item = 'tea'", "11"),
                (
                    "SELECT max(p.city) FROM person p JOIN orders o ON o.person = p.id",
                    "Cork",
                ),
            ];
            let mut asked = 0;
            runtime.block_on(async {
                let ask = async |sql: &str| {
                    let asking = client.simple_query(sql);
                    let answer = tokio::time::timeout(PATIENCE, asking).await;
                    answer.map(|answer| answer.map(shown))
                };
                ask("SET denym.purpose = 'care'")
                    .await
                    .expect("in time")
                    .expect("permitted");
                while asked < LEAST || !ends.load(Ordering::Relaxed) {
                    let (sql, expected) = questions[asked % questions.len()];
                    match ask(sql).await {
                        Ok(Ok(rows)) if rows == format!("{expected}|\n") => asked += 1,
                        other => return Err(format!("{sql} after {asked} answers: {other:?}")),
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
                Ok(asked)
            })
        });
        Self { stop, thread }
    }

    /// Panics unless every answer was right.
    pub(crate) fn were_served(self, backend: &str) {
        self.stop.store(true, Ordering::Relaxed);
        match self.thread.join().expect("asks to the end") {
            Ok(asked) => assert!(
                asked >= LEAST,
                "{backend}: only {asked} questions were asked"
            ),
            Err(wrong) => panic!("{backend}: somebody else was not served: {wrong}"),
        }
    }
}

/// The cells of an answer to the simple protocol.
fn shown(messages: Vec<SimpleQueryMessage>) -> String {
    let mut out = String::new();
    for message in messages {
        if let SimpleQueryMessage::Row(row) = message {
            for place in 0..row.len() {
                out.push_str(row.get(place).unwrap_or("\u{2400}"));
                out.push('|');
            }
            out.push('\n');
        }
    }
    out
}

/// NULL, as a parameter of any type.
#[derive(Debug, Clone)]
struct Nothing;

impl tokio_postgres::types::ToSql for Nothing {
    fn to_sql(
        &self,
        _: &Type,
        _: &mut bytes::BytesMut,
    ) -> Result<tokio_postgres::types::IsNull, Box<dyn std::error::Error + Sync + Send>> {
        Ok(tokio_postgres::types::IsNull::Yes)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    tokio_postgres::types::to_sql_checked!();
}
