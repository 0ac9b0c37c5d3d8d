//! One client's session: its purpose, its prepared statements, its views, its portals and cursors, and the messages of both protocols.
//!
//! # Guarantee
//! Every statement looks at the user's roles and purpose again. Portals and cursors were opened under one purpose and one set of roles:
//! they are closed when either changes, also in the middle of an answer. An access is in the audit log before its first row leaves.

mod command;
mod portal;
mod prepared;
mod query;
mod text;
mod view;

use crate::audit::Event;
use crate::connection::{Connection, Gone};
use crate::frame::Message;
use crate::reply::{self, FieldOut};
use crate::request::Refusal;
use crate::server::Shared;
use crate::statement::{self, Command};
use crate::view::Views;
use pgwire::api::Type;
use pgwire::messages::response::TransactionStatus;
use portal::Portal;
use prepared::{Prepared, Values, format_of};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::watch;

/// One client's session.
pub(crate) struct Session {
    shared: Arc<Shared>,
    connection: Connection,
    user: String,
    cancels: watch::Receiver<u64>,
    purpose: Option<String>,
    /// Active grants at the last look.
    active: Vec<usize>,
    status: TransactionStatus,
    statements: BTreeMap<String, Arc<Prepared>>,
    portals: BTreeMap<String, Portal>,
    views: Views,
    /// After an error of the extended protocol, until the next Sync.
    skips: bool,
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
        user: String,
        cancels: watch::Receiver<u64>,
    ) -> Self {
        Self {
            shared,
            connection,
            user,
            cancels,
            purpose: None,
            active: Vec::new(),
            status: TransactionStatus::Idle,
            statements: BTreeMap::new(),
            portals: BTreeMap::new(),
            views: Views::default(),
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
        if self.connection.send().await.is_err() {
            return;
        }
        loop {
            let stop = async {
                let _ = stopped.wait_for(|stop| *stop).await;
            };
            let message = tokio::select! {
                message = self.connection.message(self.shared.limits.idle) => Some(message),
                () = stop => None,
            };
            let handled = match message {
                None => {
                    return self
                        .farewell("57P01", "stopping", "the gateway is stopping")
                        .await;
                }
                Some(Ok(message)) => self.handle(message).await,
                Some(Err(gone)) => Err(gone),
            };
            match handled {
                Ok(()) => {}
                Err(Gone::Closed) => return,
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
                match self.extended(extended).await {
                    Ok(()) => Ok(()),
                    Err(Stop::Gone(gone)) => Err(gone),
                    Err(Stop::Refused(refusal)) => {
                        self.skips = true;
                        self.refuse(&refusal, None);
                        Ok(())
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

    fn refuse(&mut self, refusal: &Refusal, text: Option<&str>) {
        self.connection.put(&reply::error(refusal));
        if self.status == TransactionStatus::Transaction {
            self.status = TransactionStatus::Error;
        }
        let event = Event {
            event: "refused".into(),
            at: self.shared.at(),
            user: self.user.clone(),
            purpose: self.purpose.clone(),
            statement: text.map(str::to_owned),
            decision: refusal.code.into(),
            ..Event::default()
        };
        // nothing leaves on a refusal, so one that cannot be written harms nobody
        let _ = self.shared.audit.append(event);
    }

    async fn simple(&mut self, text: &str) -> Result<(), Gone> {
        let commands = match statement::parse(text) {
            Ok(commands) => commands,
            Err(error) => {
                self.refuse(&error.into(), Some(text));
                return Ok(());
            }
        };
        if commands.is_empty() {
            self.connection.put(&reply::empty());
        }
        for command in commands {
            match self.simple_one(command).await {
                Ok(()) => {}
                Err(Stop::Gone(gone)) => return Err(gone),
                Err(Stop::Refused(refusal)) => {
                    self.refuse(&refusal, Some(text));
                    return Ok(());
                }
            }
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
                if !name.is_empty() && self.statements.contains_key(&name) {
                    return Err(Refusal::new(
                        "42P05",
                        "statement-exists",
                        "a prepared statement of that name exists",
                    )
                    .into());
                }
                self.bounded()?;
                let mut commands = match statement::parse(&query) {
                    Ok(commands) => commands,
                    Err(error) => {
                        self.refused_text(&error.into(), &query);
                        return Ok(());
                    }
                };
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
                let prepared = match self.prepare(command, &types).await {
                    Ok(prepared) => prepared,
                    Err(Stop::Refused(refusal)) => {
                        self.refused_text(&refusal, &query);
                        return Ok(());
                    }
                    Err(gone) => return Err(gone),
                };
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
                self.bounded()?;
                let values = Values {
                    formats,
                    bytes: parameters,
                };
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

    /// Refuses with the statement's text in the audit log.
    fn refused_text(&mut self, refusal: &Refusal, text: &str) {
        self.skips = true;
        self.refuse(refusal, Some(text));
    }

    fn bounded(&self) -> Result<(), Refusal> {
        let kept = self.statements.len() + self.portals.len() + self.views.len();
        if kept >= self.shared.limits.objects {
            return Err(Refusal::new(
                "54000",
                "too-many-objects",
                "too many prepared statements, portals and views in this session",
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
        "there is no portal of that name; a change of purpose or role closes portals",
    )
}

fn roles_changed() -> Refusal {
    Refusal::new(
        "42501",
        "roles-changed",
        "your active roles changed; what was open is closed",
    )
}
