//! One client's session: its purpose, its prepared statements, its views, its portals and cursors, and the messages of both protocols.
//!
//! # Guarantee
//! Every statement looks at the user's login, roles and purpose again. Portals and cursors were opened under one purpose, one set of roles and
//! one state of the providers' consent: they are closed when any of them changes, also in the middle of an answer. So are those whose records
//! have a retention when a day ends. A session whose login ended ends, also while it is silent or waits for an answer. Every statement is in the
//! audit log before anything of its answer leaves.

mod command;
mod consent;
mod journal;
mod portal;
mod prepared;
mod query;
mod right;
mod text;
mod view;

use crate::connection::{Connection, Gone};
use crate::frame::Message;
use crate::pools::Holder;
use crate::reply::{self, FieldOut};
use crate::request::Refusal;
use crate::scram::Verifier;
use crate::server::{Backend, Shared};
use crate::statement::{self, Command};
use crate::view::Views;
use denym_purpose::AccessPolicy;
use pgwire::api::Type;
use pgwire::messages::response::TransactionStatus;
use portal::Portal;
use prepared::{Prepared, Values, format_of};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::watch;

/// Whose session it is.
pub(crate) struct Login {
    pub(crate) user: String,
    /// What the user proved to know the password of: with another one the session ends.
    pub(crate) verifier: Verifier,
    /// Tells of changes of the users file and the policy since the login.
    pub(crate) changes: watch::Receiver<u64>,
}

/// One client's session.
pub(crate) struct Session {
    shared: Arc<Shared>,
    connection: Connection,
    user: String,
    verifier: Verifier,
    changes: watch::Receiver<u64>,
    cancels: watch::Receiver<u64>,
    purpose: Option<String>,
    /// The purpose whose obligations the user was told last.
    reminded: Option<String>,
    /// Whether the user was told what figures for that purpose are made of.
    counted: bool,
    /// The policy and the active grants of it at the last look.
    policy: Arc<AccessPolicy>,
    active: Vec<usize>,
    /// How often either changed.
    looks: u64,
    status: TransactionStatus,
    statements: BTreeMap<String, Arc<Prepared>>,
    portals: BTreeMap<String, Portal>,
    views: Views,
    /// Bytes of the texts of views that were made since there were none.
    view_bytes: usize,
    /// After an error of the extended protocol, until the next Sync.
    skips: bool,
    /// Its share of the connections to a PostgreSQL backend.
    holder: Option<Holder>,
}

/// What a session waits for.
enum Came {
    Message(Result<Message, Gone>),
    /// The users file or the policy changed.
    Change,
    /// The gateway stops.
    Stop,
}

/// Why a message is not answered.
enum Stop {
    Refused(Refusal),
    Gone(Gone),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Gone> for Stop {
    fn from(gone: Gone) -> Self {
        Self::Gone(gone)
    }
}

impl From<crate::Error> for Stop {
    fn from(error: crate::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl From<denym_purpose::Error> for Stop {
    fn from(error: denym_purpose::Error) -> Self {
        Self::Refused(error.into())
    }
}

impl Session {
    pub(crate) fn new(
        shared: Arc<Shared>,
        connection: Connection,
        login: Login,
        cancels: watch::Receiver<u64>,
    ) -> Self {
        let holder = match &shared.backend {
            Backend::Postgres { pools, .. } => Some(pools.holder(&login.user)),
            Backend::Embedded(_) => None,
        };
        Self {
            holder,
            policy: shared.policy.clone(),
            shared,
            connection,
            user: login.user,
            verifier: login.verifier,
            changes: login.changes,
            cancels,
            purpose: None,
            reminded: None,
            counted: false,
            active: Vec::new(),
            looks: 0,
            status: TransactionStatus::Idle,
            statements: BTreeMap::new(),
            portals: BTreeMap::new(),
            views: Views::default(),
            view_bytes: 0,
            skips: false,
        }
    }

    /// Answers messages until the client or the gateway ends it.
    pub(crate) async fn run(
        mut self,
        process: i32,
        secret: i32,
        application: &str,
        mut stopped: watch::Receiver<bool>,
    ) {
        let statuses = [
            ("server_version", "16.6"),
            ("server_encoding", "UTF8"),
            ("client_encoding", "UTF8"),
            ("application_name", application),
            ("is_superuser", "off"),
            ("session_authorization", &self.user),
            ("DateStyle", "ISO, YMD"),
            ("IntervalStyle", "postgres"),
            ("TimeZone", "UTC"),
            ("integer_datetimes", "on"),
            ("standard_conforming_strings", "on"),
            ("default_transaction_read_only", "on"),
            ("in_hot_standby", "off"),
        ];
        for (name, value) in statuses {
            self.connection.put(&reply::status(name, value));
        }
        self.connection.put(&reply::key_data(process, secret));
        self.connection.put(&reply::ready(self.status));
        match self.connection.send().await {
            Ok(()) => {}
            Err(Gone::Unlogged) => return self.unlogged().await,
            Err(_) => return,
        }
        loop {
            let stop = async {
                let _ = stopped.wait_for(|stop| *stop).await;
            };
            let (patience, closes_cursors) = self.patience();
            let came = tokio::select! {
                message = self.connection.message(patience) => Came::Message(message),
                _ = self.changes.changed() => Came::Change,
                () = stop => Came::Stop,
            };
            let handled = match came {
                Came::Stop => {
                    return self
                        .farewell("57P01", "stopping", "the gateway is stopping")
                        .await;
                }
                Came::Change => self.changed().await,
                Came::Message(Ok(message)) => self.handle(message).await,
                Came::Message(Err(Gone::Late)) if closes_cursors => {
                    self.close_running();
                    Ok(())
                }
                Came::Message(Err(gone)) => Err(gone),
            };
            match handled {
                Ok(()) => {}
                Err(Gone::Closed) => return,
                Err(Gone::Ended) => return self.connection.close().await,
                Err(Gone::Unlogged) => return self.unlogged().await,
                Err(Gone::Late) => {
                    return self
                        .farewell(
                            "57P05",
                            "idle",
                            "the session was idle, or did not read, for too long",
                        )
                        .await;
                }
                Err(Gone::Malformed) => {
                    return self
                        .farewell(
                            "08P01",
                            "malformed",
                            "this is no message of the PostgreSQL protocol",
                        )
                        .await;
                }
            }
        }
    }

    async fn unlogged(self) {
        let text = "the audit log cannot be written, and nothing is answered without it";
        self.farewell("53100", "audit-not-written", text).await;
    }

    async fn farewell(mut self, state: &'static str, code: &'static str, text: &str) {
        self.connection
            .put(&reply::error(&Refusal::fatal(state, code, text)));
        self.connection.close().await;
    }

    async fn handle(&mut self, message: Message) -> Result<(), Gone> {
        match message {
            Message::Query(text) => {
                self.skips = false;
                self.simple(&text).await?;
                self.end_implicit();
                self.connection.put(&reply::ready(self.status));
                self.connection.send().await
            }
            Message::Sync => {
                self.skips = false;
                self.end_implicit();
                self.connection.put(&reply::ready(self.status));
                self.connection.send().await
            }
            Message::Flush => self.connection.send().await,
            Message::Terminate => Err(Gone::Closed),
            Message::Secret(_) => Err(Gone::Malformed),
            Message::Copy => Ok(()),
            extended => {
                if self.skips {
                    return Ok(());
                }
                let text = self.text_of(&extended);
                match Box::pin(self.extended(extended)).await {
                    Ok(()) => Ok(()),
                    Err(Stop::Gone(gone)) => Err(gone),
                    Err(Stop::Refused(refusal)) => {
                        self.skips = true;
                        self.refuse(&refusal, text.as_deref()).await
                    }
                }
            }
        }
    }

    /// Outside a transaction a portal ends with its series of messages.
    fn end_implicit(&mut self) {
        if self.status == TransactionStatus::Idle {
            self.portals.retain(|_, portal| portal.holds);
        }
    }

    async fn simple(&mut self, text: &str) -> Result<(), Gone> {
        match self.simple_all(text).await {
            Ok(()) => Ok(()),
            Err(Stop::Gone(gone)) => Err(gone),
            Err(Stop::Refused(refusal)) => self.refuse(&refusal, Some(text)).await,
        }
    }

    async fn simple_all(&mut self, text: &str) -> Result<(), Stop> {
        // before anything reads it
        self.came(text, "received").await?;
        self.still()?;
        let commands = statement::parse(text)?;
        if commands.is_empty() {
            self.connection.put(&reply::empty());
        }
        for command in commands {
            self.still()?;
            Box::pin(self.simple_one(command)).await?;
        }
        Ok(())
    }

    async fn simple_one(&mut self, command: Command) -> Result<(), Stop> {
        self.allowed_now(Some(&command))?;
        let prepared = Arc::new(self.prepare(Some(command), &[]).await?);
        if !prepared.parameters.is_empty() {
            return Err(Refusal::new(
                "42P02",
                "parameter-missing",
                "there is no parameter in a simple query",
            )
            .into());
        }
        let mut portal = new_portal(prepared, Values::default(), Vec::new());
        if let Some(fields) = self.described(&portal.prepared) {
            self.connection.put(&reply::columns(&fields, |_| 0));
        }
        self.execute(&mut portal, 0, false).await?;
        Ok(())
    }

    /// In a failed transaction only its end is allowed.
    fn allowed_now(&self, command: Option<&Command>) -> Result<(), Refusal> {
        if self.status == TransactionStatus::Error
            && !matches!(
                command,
                Some(Command::Commit | Command::Rollback | Command::RollbackTo)
            )
        {
            return Err(Refusal::new(
                "25P02",
                "transaction-failed",
                "current transaction is aborted, commands ignored until end of transaction block",
            ));
        }
        Ok(())
    }

    async fn extended(&mut self, message: Message) -> Result<(), Stop> {
        match message {
            Message::Parse { name, query, types } => {
                self.came(&query, "prepared").await?;
                self.still()?;
                if !name.is_empty() && self.statements.contains_key(&name) {
                    return Err(Refusal::new(
                        "42P05",
                        "statement-exists",
                        "a prepared statement of that name exists",
                    )
                    .into());
                }
                self.bounded(query.len())?;
                let mut commands = statement::parse(&query)?;
                if commands.len() > 1 {
                    return Err(Refusal::new(
                        "42601",
                        "statement-unreadable",
                        "cannot insert multiple commands into a prepared statement",
                    )
                    .into());
                }
                let command = commands.pop();
                self.allowed_now(command.as_ref())?;
                let mut prepared = self.prepare(command, &types).await?;
                prepared.text = query.into();
                self.statements.insert(name, Arc::new(prepared));
                self.connection.put(&reply::parsed());
            }
            Message::Bind {
                portal,
                statement,
                formats,
                parameters,
                results,
            } => {
                let prepared = self.statement(&statement)?;
                self.allowed_now(prepared.command.as_ref())?;
                if parameters.len() != prepared.parameters.len() {
                    return Err(Refusal::new(
                        "08P01",
                        "parameter-count",
                        "the number of parameters is not what the statement takes",
                    )
                    .into());
                }
                if !portal.is_empty() && self.portals.contains_key(&portal) {
                    return Err(Refusal::new(
                        "42P03",
                        "cursor-exists",
                        "a portal of that name exists",
                    )
                    .into());
                }
                let values = Values {
                    formats,
                    bytes: parameters,
                };
                self.bounded(values.size())?;
                self.portals
                    .insert(portal, new_portal(prepared, values, results));
                self.connection.put(&reply::bound());
            }
            Message::Describe {
                statement: true,
                name,
            } => {
                let prepared = self.statement(&name)?;
                self.connection
                    .put(&reply::parameters(&prepared.parameters));
                match self.described(&prepared) {
                    Some(fields) => self.connection.put(&reply::columns(&fields, |_| 0)),
                    None => self.connection.put(&reply::no_data()),
                }
            }
            Message::Describe {
                statement: false,
                name,
            } => {
                let portal = self.portals.get(&name).ok_or_else(no_portal)?;
                let formats = portal.formats.clone();
                let described = match &portal.running {
                    Some(running) => Some(running.fields.clone()),
                    None => self.described(&portal.prepared),
                };
                match described {
                    Some(fields) => self
                        .connection
                        .put(&reply::columns(&fields, |place| format_of(&formats, place))),
                    None => self.connection.put(&reply::no_data()),
                }
            }
            Message::Execute { portal: name, rows } => {
                self.still()?;
                let mut portal = self.portals.remove(&name).ok_or_else(no_portal)?;
                self.allowed_now(portal.prepared.command.as_ref())?;
                let kept = self.execute(&mut portal, rows, true).await?;
                if kept {
                    self.portals.insert(name, portal);
                }
            }
            Message::Close { statement, name } => {
                if statement {
                    self.statements.remove(&name);
                } else {
                    self.portals.remove(&name);
                }
                self.connection.put(&reply::closed());
            }
            _ => {}
        }
        self.connection.send_if_much().await?;
        Ok(())
    }

    /// Whether one more thing of that size can be kept.
    fn bounded(&self, bytes: usize) -> Result<(), Refusal> {
        let kept = self.statements.len() + self.portals.len() + self.views.len();
        let texts = self.statements.values().map(|one| one.text.len());
        let values = self.portals.values().map(|portal| portal.values.size());
        let size = texts.chain(values).sum::<usize>() + self.view_bytes + bytes;
        if kept >= self.shared.limits.objects || size > self.shared.limits.object_bytes {
            return Err(Refusal::new(
                "54000",
                "too-many-objects",
                "too many prepared statements, portals and views in this session",
            ));
        }
        Ok(())
    }

    /// Whether one more query can be left running.
    fn bounded_running(&self) -> Result<(), Refusal> {
        let running = self.portals.values().filter(|one| one.running.is_some());
        if running.count() >= self.shared.limits.open {
            return Err(Refusal::new(
                "54000",
                "too-many-cursors",
                "too many open cursors and portals in this session; close some",
            ));
        }
        Ok(())
    }

    fn statement(&self, name: &str) -> Result<Arc<Prepared>, Refusal> {
        self.statements.get(name).cloned().ok_or_else(|| {
            Refusal::new(
                "26000",
                "statement-missing",
                "there is no prepared statement of that name",
            )
        })
    }

    /// What a statement returns now; a FETCH returns what its cursor does.
    fn described(&self, prepared: &Prepared) -> Option<Vec<FieldOut>> {
        match &prepared.command {
            Some(Command::Fetch { name, .. }) => self
                .portals
                .get(name)
                .and_then(|portal| portal.running.as_ref())
                .map(|running| running.fields.clone()),
            _ => prepared.fields.clone(),
        }
    }
}

fn new_portal(prepared: Arc<Prepared>, values: Values, formats: Vec<i16>) -> Portal {
    Portal {
        prepared,
        values,
        formats,
        running: None,
        has_ended: false,
        is_cursor: false,
        holds: false,
    }
}

/// A DECLARE has a query but returns nothing itself.
fn returns(command: Option<&Command>, fields: Vec<FieldOut>) -> Option<Vec<FieldOut>> {
    matches!(command, Some(Command::Query { .. })).then_some(fields)
}

/// Types a client said for a PostgreSQL backend; what it did not say, the server infers.
fn said_types(types: &[u32]) -> Vec<Type> {
    types
        .iter()
        .map(|oid| Type::from_oid(*oid).unwrap_or(Type::UNKNOWN))
        .collect()
}

fn no_portal() -> Refusal {
    Refusal::new(
        "34000",
        "cursor-missing",
        "there is no portal of that name; a change of purpose or role closes portals, and so does a long silence",
    )
}

/// Records of an answer may have become too old since it began.
fn day_ended() -> Refusal {
    Refusal {
        hint: Some("ask again".into()),
        ..Refusal::new(
            "40001",
            "day-ended",
            "a new day began since this answer did, and some of its records may now be past their retention: what was open is closed",
        )
    }
}

fn roles_changed() -> Refusal {
    Refusal::new(
        "42501",
        "roles-changed",
        "your active roles changed; what was open is closed",
    )
}
