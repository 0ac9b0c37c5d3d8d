//! The PostgreSQL backend: rewritten statements forwarded to a real server over a few pooled connections.
//!
//! # Idea
//! [`Pushdown`](crate::Pushdown) makes the text; PostgreSQL does the work. A client that wants text gets PostgreSQL's own text: without
//! parameters by the simple protocol, with parameters by a cast around the statement. Nothing is decoded on the way.
//!
//! # Guarantee
//! Errors of the server are told by their SQLSTATE and in our words, because its own may quote a cell or name a raw column.

use crate::backend_tls::Protect;
use crate::pools::{Gate, Place, Pools};
use crate::request::Refusal;
use bytes::{BufMut as _, Bytes, BytesMut};
use denym_purpose::PurposeId;
use futures::{StreamExt as _, pin_mut};
use hashbrown::HashMap;
use pgwire::api::Type;
use std::error::Error as StdError;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::sync::{Mutex, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql};
use tokio_postgres::{Client, Config, RowStream, SimpleQueryMessage, SimpleQueryStream, Statement};

/// Prepared statements kept per connection; all are forgotten when there are more.
const KEPT: usize = 200;

/// Longest pause between two fetches while others wait for a connection.
const PAUSE_WHEN_PRESSED: Duration = Duration::from_secs(2);

/// A connection.
pub(crate) struct Link {
    client: Client,
    statements: HashMap<(String, Vec<u32>), Statement>,
    is_parallel: bool,
}

/// A connection for one statement's use; it goes back when the statement has ended in order.
pub(crate) struct Lease {
    link: Option<Link>,
    pools: Arc<Pools>,
    purpose: PurposeId,
    place: Place,
}

/// What a statement returns and takes.
#[derive(Debug, Clone)]
pub(crate) struct Described {
    /// Parameter types.
    pub(crate) parameters: Vec<Type>,
    /// Names and types of the columns.
    pub(crate) columns: Vec<(String, Type)>,
}

impl Link {
    /// Logs in. Nothing is found by search path from then on, and nothing can be written.
    pub(crate) async fn open(
        config: &Config,
        protect: &Protect,
    ) -> Result<Self, tokio_postgres::Error> {
        let (client, connection) = config.connect(protect.clone()).await?;
        tokio::spawn(async move {
            // its end is seen by the client half
            let _ = connection.await;
        });
        client
            .batch_execute(
                "SET search_path = pg_catalog; SET default_transaction_read_only = on; SET standard_conforming_strings = on; \
                 SET extra_float_digits = 1; SET datestyle = ISO; SET intervalstyle = postgres; SET bytea_output = hex; SET timezone = 'UTC'",
            )
            .await?;
        Ok(Self {
            client,
            statements: HashMap::new(),
            is_parallel: true,
        })
    }

    /// To ask it directly.
    pub(crate) fn client(&self) -> &Client {
        &self.client
    }
}

impl Lease {
    /// For a connection of a purpose.
    pub(crate) fn new(link: Link, pools: Arc<Pools>, purpose: PurposeId, place: Place) -> Self {
        Self {
            link: Some(link),
            pools,
            purpose,
            place,
        }
    }

    fn link(&mut self) -> Result<&mut Link, Refusal> {
        self.link.as_mut().ok_or_else(unreachable_server)
    }

    async fn prepare(&mut self, sql: &str, types: &[Type]) -> Result<Statement, Refusal> {
        let link = self.link()?;
        let key = (sql.to_owned(), types.iter().map(Type::oid).collect());
        if let Some(statement) = link.statements.get(&key) {
            return Ok(statement.clone());
        }
        let statement = link
            .client
            .prepare_typed(sql, types)
            .await
            .map_err(|error| refusal(&error))?;
        if link.statements.len() >= KEPT {
            link.statements.clear();
        }
        link.statements.insert(key, statement.clone());
        Ok(statement)
    }

    /// Describes a rewritten statement.
    pub(crate) async fn describe(
        &mut self,
        sql: &str,
        types: &[Type],
    ) -> Result<Described, Refusal> {
        let statement = self.prepare(sql, types).await?;
        Ok(Described {
            parameters: statement.params().to_vec(),
            columns: statement
                .columns()
                .iter()
                .map(|column| (column.name().to_owned(), column.type_().clone()))
                .collect(),
        })
    }

    /// Runs a rewritten statement; `text` says for each column whether the client wants text.
    pub(crate) async fn run(
        mut self,
        sql: &str,
        types: &[Type],
        described: &Described,
        text: &[bool],
        values: Vec<Value>,
        ordered: bool,
    ) -> Result<Answer, Refusal> {
        let wants = |place: usize| text.get(place).copied().unwrap_or(true);
        let all_text = (0..described.columns.len()).all(wants);
        if values.is_empty() && all_text {
            let stream = self
                .link()?
                .client
                .simple_query_raw(sql)
                .await
                .map_err(|error| refusal(&error))?;
            return Ok(Answer::new(Running {
                rows: Rows::Simple(Box::pin(stream)),
                lease: self,
                convert: Vec::new(),
            }));
        }
        let mut convert = Vec::new();
        let mut casts = Vec::new();
        for (place, (_, kind)) in described.columns.iter().enumerate() {
            let text = wants(place);
            // the text of a truth value is one letter, the cast's is a word
            convert.push(text && *kind == Type::BOOL);
            casts.push(if text && *kind != Type::BOOL {
                format!("q.c{place}::pg_catalog.text")
            } else {
                format!("q.c{place}")
            });
        }
        let whole = if casts.iter().any(|cast| cast.contains("::")) {
            let names: Vec<String> = (0..casts.len()).map(|place| format!("c{place}")).collect();
            format!(
                "SELECT {} FROM ({sql}) AS q({})",
                casts.join(", "),
                names.join(", ")
            )
        } else {
            sql.to_owned()
        };
        // the order of a subquery is only kept when no worker gathers it again
        let link = self.link()?;
        if ordered && link.is_parallel && whole != sql {
            link.client
                .batch_execute("SET max_parallel_workers_per_gather = 0")
                .await
                .map_err(|error| refusal(&error))?;
            link.is_parallel = false;
        }
        let parameters: Vec<Type> = if types.is_empty() {
            Vec::new()
        } else {
            types.to_vec()
        };
        let statement = self.prepare(&whole, &parameters).await?;
        let stream = self
            .link()?
            .client
            .query_raw(&statement, values)
            .await
            .map_err(|error| refusal(&error))?;
        Ok(Answer::new(Running {
            rows: Rows::Extended(Box::pin(stream)),
            lease: self,
            convert,
        }))
    }
}

enum Rows {
    Simple(Pin<Box<SimpleQueryStream>>),
    Extended(Pin<Box<RowStream>>),
    Ended,
}

/// Rows of a running statement. Nobody who stops fetching keeps a connection for ever.
pub(crate) struct Answer {
    running: Arc<Mutex<Option<Running>>>,
    has_ended: bool,
    fetched: watch::Sender<Instant>,
    guard: JoinHandle<()>,
}

impl Answer {
    fn new(running: Running) -> Self {
        let lease = &running.lease;
        let longest = lease.pools.longest_pause();
        let gates = [lease.place.user.clone(), lease.place.all.clone()];
        let running = Arc::new(Mutex::new(Some(running)));
        let (fetched, last) = watch::channel(Instant::now());
        Self {
            guard: tokio::spawn(watch_over(Arc::downgrade(&running), last, gates, longest)),
            has_ended: false,
            running,
            fetched,
        }
    }

    /// Appends the messages of up to `most` rows to `out`; how many, fewer only at the end.
    pub(crate) async fn fetch(
        &mut self,
        most: usize,
        out: &mut BytesMut,
    ) -> Result<usize, Refusal> {
        if self.has_ended {
            return Ok(0);
        }
        let mut count = 0;
        {
            let mut kept = self.running.lock().await;
            let Some(running) = kept.as_mut() else {
                return Err(paused_too_long());
            };
            while count < most {
                let next = running.next(out).await;
                if !matches!(next, Ok(true)) {
                    self.has_ended = true;
                    // what has ended gives its connection back
                    *kept = None;
                    return next.map(|_| count);
                }
                count += 1;
            }
        }
        self.fetched.send_replace(Instant::now());
        Ok(count)
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        self.guard.abort();
    }
}

/// Ends a statement that nobody fetches from: after a long pause, or a short one when others wait.
async fn watch_over(
    running: Weak<Mutex<Option<Running>>>,
    fetched: watch::Receiver<Instant>,
    gates: [Arc<Gate>; 2],
    longest: Duration,
) {
    loop {
        let last = *fetched.borrow();
        let bound = tokio::select! {
            () = tokio::time::sleep_until(last + longest) => longest,
            () = gates[0].bell.notified() => PAUSE_WHEN_PRESSED.min(longest),
            () = gates[1].bell.notified() => PAUSE_WHEN_PRESSED.min(longest),
        };
        let last = *fetched.borrow();
        if last.elapsed() < bound {
            continue;
        }
        let Some(running) = running.upgrade() else {
            return;
        };
        // who is just fetching has it
        if let Ok(mut running) = running.try_lock() {
            *running = None;
            return;
        }
    }
}

/// A statement that runs. Dropped before its end, it cancels the statement and the connection is not used again.
struct Running {
    rows: Rows,
    lease: Lease,
    convert: Vec<bool>,
}

impl Running {
    /// Appends the next row's message to `out`; `false` at the end.
    async fn next(&mut self, out: &mut BytesMut) -> Result<bool, Refusal> {
        match &mut self.rows {
            Rows::Ended => Ok(false),
            Rows::Simple(stream) => loop {
                match stream.next().await {
                    Some(Ok(SimpleQueryMessage::Row(row))) => {
                        let cells = (0..row.len())
                            .map(|place| row.try_get(place).ok().flatten().map(str::as_bytes));
                        data_row(out, row.len(), cells);
                        return Ok(true);
                    }
                    Some(Ok(_)) => {}
                    Some(Err(error)) => {
                        self.rows = Rows::Ended;
                        self.give_back();
                        return Err(refusal(&error));
                    }
                    None => {
                        self.rows = Rows::Ended;
                        self.give_back();
                        return Ok(false);
                    }
                }
            },
            Rows::Extended(stream) => match stream.next().await {
                Some(Ok(row)) => {
                    let convert = &self.convert;
                    let cells = (0..row.len()).map(|place| {
                        let raw: Option<Raw<'_>> = row.try_get(place).ok().flatten();
                        raw.map(|raw| {
                            if convert.get(place) == Some(&true) {
                                if raw.0 == [1] { &b"t"[..] } else { &b"f"[..] }
                            } else {
                                raw.0
                            }
                        })
                    });
                    data_row(out, row.len(), cells);
                    Ok(true)
                }
                Some(Err(error)) => {
                    self.rows = Rows::Ended;
                    self.give_back();
                    Err(refusal(&error))
                }
                None => {
                    self.rows = Rows::Ended;
                    self.give_back();
                    Ok(false)
                }
            },
        }
    }

    fn give_back(&mut self) {
        self.lease.give_back();
    }
}

impl Lease {
    fn give_back(&mut self) {
        if let Some(link) = self.link.take()
            && !link.client.is_closed()
        {
            self.pools.give_back(self.purpose, link);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !matches!(self.rows, Rows::Ended)
            && let Some(link) = self.lease.link.take()
        {
            let token = link.client.cancel_token();
            let protect = self.lease.pools.protect.clone();
            // best effort; the connection itself is dropped with `link`
            tokio::spawn(async move {
                let cancel = token.cancel_query(protect);
                pin_mut!(cancel);
                let _ = tokio::time::timeout(std::time::Duration::from_secs(5), cancel).await;
                drop(link);
            });
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        // only described, or ended in order
        self.give_back();
    }
}

fn data_row<'a>(out: &mut BytesMut, columns: usize, cells: impl Iterator<Item = Option<&'a [u8]>>) {
    let start = out.len();
    out.put_u8(b'D');
    out.put_u32(0);
    out.put_u16(u16::try_from(columns).unwrap_or(u16::MAX));
    for cell in cells {
        match cell {
            None => out.put_i32(-1),
            Some(bytes) => {
                out.put_u32(bytes.len() as u32);
                out.put_slice(bytes);
            }
        }
    }
    let length = (out.len() - start - 1) as u32;
    out[start + 1..start + 5].copy_from_slice(&length.to_be_bytes());
}

/// A cell's bytes as they came.
struct Raw<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Raw<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// A parameter's bytes as they came.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// The bytes; `None` for NULL.
    pub(crate) bytes: Option<Bytes>,
    /// Whether they are text.
    pub(crate) is_text: bool,
}

impl ToSql for Value {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match &self.bytes {
            None => Ok(IsNull::Yes),
            Some(bytes) => {
                out.put_slice(bytes);
                Ok(IsNull::No)
            }
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, _: &Type) -> Format {
        if self.is_text {
            Format::Text
        } else {
            Format::Binary
        }
    }

    tokio_postgres::types::to_sql_checked!();
}

fn paused_too_long() -> Refusal {
    Refusal::new(
        "57P05",
        "paused-too-long",
        "the portal or cursor was closed because nothing was fetched from it for too long",
    )
}

/// What clients are told when the server is not there.
pub(crate) fn unreachable_server() -> Refusal {
    Refusal::new(
        "08006",
        "backend-unreachable",
        "the PostgreSQL server behind the gateway does not answer",
    )
}

/// What clients are told of an error of the server.
pub(crate) fn refusal(error: &tokio_postgres::Error) -> Refusal {
    let Some(database) = error.as_db_error() else {
        return unreachable_server();
    };
    let message = crate::language::without_marks(database.message());
    match database.code().code() {
        // these name what the client wrote
        "42703" => Refusal::new("42703", "column-unknown", message),
        "42702" => Refusal::new("42702", "column-ambiguous", message),
        "42803" => Refusal::new("42803", "grouping-wrong", message),
        "42883" => Refusal::new("42883", "function-unknown", message),
        "42804" => Refusal::new("42804", "statement-does-not-fit", message),
        "42601" => Refusal::new(
            "42601",
            "statement-unreadable",
            "the statement cannot be read",
        ),
        "42P01" => Refusal::new(
            "42P01",
            "relation-unknown",
            "a relation of the query does not exist",
        ),
        "22012" => Refusal::new("22012", "division-by-zero", "division by zero"),
        "22003" | "22008" => {
            Refusal::new("22003", "number-out-of-range", "a number is out of range")
        }
        "22P02" | "22007" | "22P03" => Refusal::new(
            "22P02",
            "cast-impossible",
            "a value cannot be read as the type asked for",
        ),
        "21000" => Refusal::new(
            "21000",
            "subquery-with-several-rows",
            "more than one row returned by a subquery used as an expression",
        ),
        "57014" => Refusal::new(
            "57014",
            "cancelled",
            "canceling statement due to user request",
        ),
        "0A000" => Refusal::new(
            "0A000",
            "statement-not-supported",
            "this kind of query is not supported by the server",
        ),
        code if code.starts_with("42") => Refusal::new(
            "42000",
            "statement-does-not-fit",
            "the statement does not fit the tables: a name, a type or a clause is wrong",
        ),
        _ => Refusal::new("58000", "query-failed", "the query failed"),
    }
}
