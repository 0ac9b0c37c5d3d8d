//! One client's session: its purpose, its prepared statements, its portals and cursors, and the messages of both protocols.
//!
//! # Guarantee
//! Every statement looks at the user's roles and purpose again. Portals and cursors were opened under one purpose and one set of roles:
//! they are closed when either changes, also in the middle of an answer. An access is in the audit log before its first row leaves.

mod portal;
mod prepared;
mod text;

use crate::audit::Event;
use crate::connection::{Connection, Gone};
use crate::frame::Message;
use crate::pushdown::{Names, Pushdown};
use crate::remote::Value;
use crate::reply::{self, FieldOut};
use crate::request::{Refusal, Request};
use crate::server::{Backend, Shared};
use crate::statement::{self, Command};
use denym_purpose::{AccessPurpose, Moment, Operation};
use pgwire::api::Type;
use pgwire::messages::response::TransactionStatus;
use portal::{Portal, Rows, Running};
use prepared::{Plan, Prepared, Values, engine_values, fields, format_of, parameter_types};
use sqlparser::ast::Statement;
use std::collections::BTreeMap;
use std::future::Future;
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
                    Err(error) => return self.refused_text(error.into(), &query),
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
                    Err(Stop::Refused(refusal)) => return self.refused_text(refusal, &query),
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
    fn refused_text(&mut self, refusal: Refusal, text: &str) -> Result<(), Stop> {
        self.skips = true;
        self.refuse(&refusal, Some(text));
        Ok(())
    }

    fn bounded(&self) -> Result<(), Refusal> {
        if self.statements.len() + self.portals.len() >= self.shared.limits.objects {
            return Err(Refusal::new(
                "54000",
                "too-many-objects",
                "too many prepared statements and portals in this session",
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

    /// Reads a statement against the governed schema.
    async fn prepare(&mut self, command: Option<Command>, types: &[u32]) -> Result<Prepared, Stop> {
        let of = |command| Prepared {
            command,
            plan: Plan::Session,
            parameters: Vec::new(),
            fields: None,
        };
        let query = match &command {
            Some(query @ Command::Query { .. }) => query.clone(),
            Some(Command::Declare { query, .. }) => (**query).clone(),
            Some(Command::ShowPurpose) => {
                return Ok(Prepared {
                    fields: Some(vec![FieldOut {
                        name: "denym.purpose".into(),
                        kind: Type::TEXT,
                    }]),
                    ..of(command)
                });
            }
            _ => return Ok(of(command)),
        };
        let Command::Query {
            statement,
            purpose,
            sql,
            ..
        } = &query
        else {
            return Ok(of(command));
        };
        let is_governed = !Pushdown::tables(&self.shared.policy, statement).is_empty();
        let shared = self.shared.clone();
        if let (true, Backend::Postgres { remote, schema, .. }) = (is_governed, &shared.backend) {
            let request = self.request(statement, purpose.as_deref())?;
            let rewritten = Pushdown::new(
                &request.policy,
                &request.activation,
                request.purpose.clone(),
                schema,
            )
            .rewrite(statement)?;
            let said: Vec<Type> = said_types(types);
            let described = self
                .guarded(None, async {
                    let mut lease = remote.lease().await?;
                    lease.describe(&rewritten.sql, &said).await
                })
                .await?;
            let fields = described
                .columns
                .iter()
                .map(|(name, kind)| FieldOut {
                    name: name.clone(),
                    kind: kind.clone(),
                })
                .collect();
            return Ok(Prepared {
                parameters: described.parameters.clone(),
                fields: returns(command.as_ref(), fields),
                plan: Plan::Remote(described),
                command,
            });
        }
        let planned = shared
            .backend
            .catalogue()
            .plan(&self.user, statement, sql, is_governed)
            .await?;
        Ok(Prepared {
            parameters: parameter_types(types, &planned.parameters),
            fields: returns(command.as_ref(), fields(&planned.schema)?),
            plan: Plan::Engine(Box::new(planned)),
            command,
        })
    }

    /// Looks at the user's roles; portals opened under others are closed.
    fn look(&mut self) -> Result<(denym_purpose::Activation, Moment), Refusal> {
        let now = self.shared.now();
        let activation = self.shared.policy.activate(&self.user, now)?;
        if activation.active != self.active {
            self.portals.clear();
            self.active.clone_from(&activation.active);
        }
        Ok((activation, now))
    }

    /// The right of a statement to governed data.
    fn request(&mut self, statement: &Statement, stated: Option<&str>) -> Result<Request, Refusal> {
        let (activation, now) = self.look()?;
        let policy = self.shared.policy.clone();
        let tables = Pushdown::tables(&policy, statement);
        let names: Vec<&str> = tables.iter().map(String::as_str).collect();
        let stated = stated.or(self.purpose.as_deref());
        let id = policy.find_purpose(&activation, stated, Operation::Select, &names)?;
        Ok(Request {
            purpose: AccessPurpose::new(&policy.purposes, id),
            names: Names::of(statement),
            today: now.day,
            activation,
            policy,
        })
    }

    /// Runs a portal for that many rows, 0 for all; whether it can be run on.
    async fn execute(
        &mut self,
        portal: &mut Portal,
        most: u32,
        is_extended: bool,
    ) -> Result<bool, Stop> {
        let prepared = portal.prepared.clone();
        match &prepared.command {
            None => {
                self.connection.put(&reply::empty());
                return Ok(false);
            }
            Some(Command::Query { .. }) => {
                if portal.has_ended {
                    self.connection.put(&reply::complete("SELECT 0"));
                    return Ok(true);
                }
                if portal.running.is_none() {
                    portal.running = Some(
                        self.start(&prepared, &portal.values, &portal.formats)
                            .await?,
                    );
                } else {
                    // roles may have changed since the last batch
                    let before = self.active.clone();
                    self.look()?;
                    if before != self.active {
                        return Err(roles_changed().into());
                    }
                }
                let formats = portal.formats.clone();
                let (count, has_more) = self.pump(portal, most, &formats).await?;
                if has_more {
                    self.connection.put(&reply::suspended());
                } else {
                    self.connection
                        .put(&reply::complete(&format!("SELECT {count}")));
                }
                return Ok(is_extended);
            }
            Some(Command::ShowPurpose) => {
                let shown = self.purpose.clone().unwrap_or_default();
                let mut rows = Rows::Text(Some(shown));
                rows.encode(&[], &[], 1, &mut self.connection.out).await?;
                self.connection.put(&reply::complete("SHOW"));
            }
            Some(Command::Declare { name, query, hold }) => {
                self.declare(name, query, *hold, &prepared, portal).await?;
                self.connection.put(&reply::complete("DECLARE CURSOR"));
            }
            Some(Command::Fetch { name, rows }) => {
                self.look()?;
                let Some(mut cursor) = self.portals.remove(name).filter(|cursor| cursor.is_cursor)
                else {
                    return Err(Refusal::new("34000", "cursor-missing", "there is no cursor of that name; a change of purpose or role closes cursors").into());
                };
                let formats = portal.formats.clone();
                let count = match rows {
                    Some(0) => 0,
                    _ if cursor.has_ended => 0,
                    rows => self.pump(&mut cursor, rows.unwrap_or(0), &formats).await?.0,
                };
                self.portals.insert(name.clone(), cursor);
                self.connection
                    .put(&reply::complete(&format!("FETCH {count}")));
            }
            Some(command) => {
                let tag = self.command(command)?;
                self.connection.put(&reply::complete(tag));
            }
        }
        Ok(false)
    }

    async fn declare(
        &mut self,
        name: &str,
        query: &Command,
        hold: bool,
        prepared: &Arc<Prepared>,
        portal: &Portal,
    ) -> Result<(), Stop> {
        if !hold && self.status == TransactionStatus::Idle {
            return Err(Refusal::new(
                "25P01",
                "no-transaction",
                "DECLARE CURSOR can only be used in transaction blocks",
            )
            .into());
        }
        self.look()?;
        if self.portals.contains_key(name) {
            return Err(
                Refusal::new("42P03", "cursor-exists", "a cursor of that name exists").into(),
            );
        }
        self.bounded()?;
        let of_query = Arc::new(Prepared {
            command: Some(query.clone()),
            plan: match &prepared.plan {
                Plan::Session => Plan::Session,
                Plan::Engine(planned) => Plan::Engine(planned.clone()),
                Plan::Remote(described) => Plan::Remote(described.clone()),
            },
            parameters: prepared.parameters.clone(),
            fields: None,
        });
        let mut cursor = new_portal(of_query.clone(), portal.values.clone(), Vec::new());
        cursor.running = Some(self.start(&of_query, &portal.values, &[]).await?);
        cursor.is_cursor = true;
        cursor.holds = hold;
        self.portals.insert(name.to_owned(), cursor);
        Ok(())
    }

    /// A statement without rows; its tag.
    fn command(&mut self, command: &Command) -> Result<&'static str, Stop> {
        Ok(match command {
            Command::SetPurpose(purpose) => {
                self.set_purpose(purpose.as_deref())?;
                "SET"
            }
            Command::Begin => {
                if self.status == TransactionStatus::Idle {
                    self.status = TransactionStatus::Transaction;
                } else {
                    self.connection.put(&reply::warning(
                        "25001",
                        "there is already a transaction in progress",
                    ));
                }
                "BEGIN"
            }
            Command::Commit | Command::Rollback => {
                let failed = self.status == TransactionStatus::Error;
                if self.status == TransactionStatus::Idle {
                    self.connection.put(&reply::warning(
                        "25P01",
                        "there is no transaction in progress",
                    ));
                }
                self.status = TransactionStatus::Idle;
                self.portals.retain(|_, portal| portal.holds);
                if failed || matches!(command, Command::Rollback) {
                    "ROLLBACK"
                } else {
                    "COMMIT"
                }
            }
            Command::Savepoint | Command::Release | Command::RollbackTo => {
                if self.status == TransactionStatus::Idle {
                    return Err(Refusal::new(
                        "25P01",
                        "no-transaction",
                        "a savepoint can only be used in transaction blocks",
                    )
                    .into());
                }
                self.status = TransactionStatus::Transaction;
                match command {
                    Command::Savepoint => "SAVEPOINT",
                    Command::Release => "RELEASE",
                    _ => "ROLLBACK",
                }
            }
            Command::DiscardAll => {
                self.portals.clear();
                self.statements.clear();
                if self.purpose.is_some() {
                    self.set_purpose(None)?;
                }
                "DISCARD ALL"
            }
            Command::CloseCursor(None) => {
                self.portals.retain(|_, portal| !portal.is_cursor);
                "CLOSE CURSOR ALL"
            }
            Command::CloseCursor(Some(name)) => {
                if self.portals.remove(name).is_none() {
                    return Err(Refusal::new(
                        "34000",
                        "cursor-missing",
                        "there is no cursor of that name",
                    )
                    .into());
                }
                "CLOSE CURSOR"
            }
            Command::Deallocate(None) => {
                self.statements.clear();
                "DEALLOCATE ALL"
            }
            Command::Deallocate(Some(name)) => {
                if self.statements.remove(name).is_none() {
                    return Err(Refusal::new(
                        "26000",
                        "statement-missing",
                        "there is no prepared statement of that name",
                    )
                    .into());
                }
                "DEALLOCATE"
            }
            Command::Nothing(tag) => tag,
            Command::Query { .. }
            | Command::ShowPurpose
            | Command::Declare { .. }
            | Command::Fetch { .. } => {
                return Err(Refusal::new("58000", "query-failed", "the query failed").into());
            }
        })
    }

    fn set_purpose(&mut self, purpose: Option<&str>) -> Result<(), Stop> {
        let (activation, _) = self.look()?;
        let purpose = match purpose {
            None => None,
            Some(name) => {
                let id = self.shared.policy.state_purpose(&activation, name)?;
                Some(self.shared.policy.purposes.name(id).to_owned())
            }
        };
        let event = Event {
            event: "purpose".into(),
            at: self.shared.at(),
            user: self.user.clone(),
            roles: self.grant_names(&activation),
            purpose: purpose.clone(),
            decision: "allowed".into(),
            ..Event::default()
        };
        self.shared.audit.append(event)?;
        // what was opened under the other purpose keeps its cells: it is closed
        if purpose != self.purpose {
            self.portals.clear();
        }
        self.purpose = purpose;
        Ok(())
    }

    fn grant_names(&self, activation: &denym_purpose::Activation) -> Vec<String> {
        activation
            .active
            .iter()
            .filter_map(|place| self.shared.policy.grants.get(*place))
            .map(|grant| grant.name.clone())
            .collect()
    }

    /// Starts a query: purpose, audit log, backend, in this order.
    async fn start(
        &mut self,
        prepared: &Prepared,
        values: &Values,
        formats: &[i16],
    ) -> Result<Running, Stop> {
        let Some(Command::Query {
            statement,
            purpose,
            text,
            ..
        }) = &prepared.command
        else {
            return Err(Refusal::new("58000", "query-failed", "the query failed").into());
        };
        self.cancels.mark_unchanged();
        let shared = self.shared.clone();
        let deadline = shared
            .limits
            .statement
            .map(|limit| tokio::time::Instant::now() + limit);
        let is_governed = !Pushdown::tables(&shared.policy, statement).is_empty();
        let request = if is_governed {
            Some(self.request(statement, purpose.as_deref())?)
        } else {
            None
        };
        let event = match &request {
            None => None,
            Some(request) => Some(self.record(request, statement, text)?),
        };
        let seen = shared.now();
        let rows = match &prepared.plan {
            Plan::Engine(planned) => {
                let values = engine_values(planned, &prepared.parameters, values)?;
                let engine = shared.backend.catalogue();
                let user = self.user.clone();
                let batches = self
                    .guarded(deadline, engine.run(&user, planned, values, request))
                    .await?;
                Rows::Engine {
                    batches,
                    current: None,
                }
            }
            Plan::Remote(described) => {
                let (Some(request), Backend::Postgres { remote, schema, .. }) =
                    (&request, &shared.backend)
                else {
                    return Err(Refusal::new("58000", "query-failed", "the query failed").into());
                };
                // the purpose may be another one than when the statement was prepared
                let rewritten = Pushdown::new(
                    &request.policy,
                    &request.activation,
                    request.purpose.clone(),
                    schema,
                )
                .rewrite(statement)?;
                let text: Vec<bool> = (0..described.columns.len())
                    .map(|place| format_of(formats, place) == 0)
                    .collect();
                let sent: Vec<Value> = values
                    .bytes
                    .iter()
                    .enumerate()
                    .map(|(place, bytes)| Value {
                        bytes: bytes.clone(),
                        is_text: format_of(&values.formats, place) == 0,
                    })
                    .collect();
                let types = &prepared.parameters;
                let ordered =
                    matches!(&**statement, Statement::Query(query) if query.order_by.is_some());
                let answer = self
                    .guarded(deadline, async {
                        let lease = remote.lease().await?;
                        lease
                            .run(&rewritten.sql, types, described, &text, sent, ordered)
                            .await
                    })
                    .await?;
                Rows::Remote {
                    answer,
                    formats: formats.to_vec(),
                }
            }
            Plan::Session => {
                return Err(Refusal::new("58000", "query-failed", "the query failed").into());
            }
        };
        let fields = match &prepared.plan {
            Plan::Engine(planned) => fields(&planned.schema)?,
            Plan::Remote(described) => described
                .columns
                .iter()
                .map(|(name, kind)| FieldOut {
                    name: name.clone(),
                    kind: kind.clone(),
                })
                .collect(),
            Plan::Session => Vec::new(),
        };
        Ok(Running {
            rows,
            fields,
            event,
            seen,
            deadline,
        })
    }

    /// Writes an access to the audit log; what is written, for the rows that follow.
    fn record(
        &self,
        request: &Request,
        statement: &Statement,
        text: &str,
    ) -> Result<Event, Refusal> {
        let policy = &request.policy;
        let mut tables = BTreeMap::new();
        let mut obligations = Vec::new();
        for name in Pushdown::tables(policy, statement) {
            let table = policy.table(&name)?;
            let columns = request.names.requested(table);
            let columns = columns
                .iter()
                .map(|place| table.columns[*place].name.clone());
            let access =
                policy.access(request.activation.clone(), request.purpose.clone(), &name)?;
            obligations = access.obligations();
            tables.insert(name, columns.collect());
        }
        let event = Event {
            event: "access".into(),
            at: self.shared.at(),
            user: self.user.clone(),
            roles: self.grant_names(&request.activation),
            purpose: Some(policy.purposes.name(request.purpose.id()).to_owned()),
            statement: Some(text.to_owned()),
            tables,
            rows: None,
            decision: "allowed".into(),
            obligations,
        };
        self.shared.audit.append(event.clone())?;
        Ok(event)
    }

    /// Sends rows of a portal; how many, and whether it was stopped at the count asked for.
    async fn pump(
        &mut self,
        portal: &mut Portal,
        most: u32,
        formats: &[i16],
    ) -> Result<(u64, bool), Stop> {
        let Some(mut running) = portal.running.take() else {
            return Err(no_portal().into());
        };
        let mut count = 0;
        let outcome = self
            .pump_rows(&mut running, most, formats, &mut count)
            .await;
        if let Some(event) = &running.event {
            self.shared.audit.append(Event {
                event: "served".into(),
                at: self.shared.at(),
                rows: Some(count),
                decision: if outcome.is_ok() {
                    "allowed"
                } else {
                    "broken-off"
                }
                .into(),
                statement: None,
                tables: BTreeMap::new(),
                obligations: Vec::new(),
                ..event.clone()
            })?;
        }
        let has_more = outcome?;
        portal.has_ended = !has_more;
        if has_more || portal.is_cursor {
            portal.running = Some(running);
        }
        Ok((count, has_more))
    }

    async fn pump_rows(
        &mut self,
        running: &mut Running,
        most: u32,
        formats: &[i16],
        count: &mut u64,
    ) -> Result<bool, Stop> {
        loop {
            let left = if most == 0 {
                usize::MAX
            } else {
                usize::try_from(u64::from(most) - *count).unwrap_or(usize::MAX)
            };
            if left == 0 {
                return Ok(true);
            }
            if running.event.is_some() {
                let now = self.shared.now();
                if now != running.seen {
                    running.seen = now;
                    let activation = self.shared.policy.activate(&self.user, now)?;
                    if activation.active != self.active {
                        self.look()?;
                        return Err(roles_changed().into());
                    }
                }
            }
            let mut out = std::mem::take(&mut self.connection.out);
            let before = out.len();
            let encoded = {
                let encoding = running
                    .rows
                    .encode(&running.fields, formats, left, &mut out);
                self.guarded(running.deadline, encoding).await
            };
            if encoded.is_err() {
                // rows of a chunk that broke off are not counted, so they are not sent
                out.truncate(before);
            }
            self.connection.out = out;
            let encoded = encoded?;
            if encoded == 0 {
                return Ok(false);
            }
            *count += encoded as u64;
            self.connection.send_if_much().await?;
        }
    }

    /// Waits for something unless the statement is cancelled or takes too long.
    async fn guarded<T>(
        &self,
        deadline: Option<tokio::time::Instant>,
        work: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<T, Stop> {
        let mut cancels = self.cancels.clone();
        let late = async {
            match deadline {
                Some(deadline) => tokio::time::sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            changed = cancels.changed() => match changed {
                Ok(()) => Err(Refusal::new("57014", "cancelled", "canceling statement due to user request").into()),
                Err(_) => Err(Gone::Closed.into()),
            },
            () = late => Err(Refusal::new("57014", "statement-timeout", "canceling statement due to statement timeout").into()),
            done = work => Ok(done?),
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
