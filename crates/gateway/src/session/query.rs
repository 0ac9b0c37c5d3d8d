//! Queries of a session: read against the governed schema, given a purpose, recorded, run, and sent row by row.

use super::portal::{Portal, Rows, Running};
use super::prepared::{
    Plan, Prepared, Pushed, Values, engine_values, fields, format_of, parameter_types,
};
use super::{Session, Stop, day_ended, no_portal, returns, roles_changed, said_types};
use crate::audit::Event;
use crate::connection::Gone;
use crate::language::may_be_declared;
use crate::pools::Holder;
use crate::pushdown::{Names, Pushdown, Rewritten};
use crate::remote::{Value, unreachable_server};
use crate::reply::{self, FieldOut};
use crate::request::{Refusal, Request};
use crate::server::Backend;
use crate::statement::{Command, counts_rows, has_parameters};
use denym_purpose::{AccessPurpose, Operation};
use pgwire::api::Type;
use sqlparser::ast::Statement;
use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::Arc;

impl Session {
    /// Reads a statement against the governed schema.
    pub(super) async fn prepare(
        &mut self,
        command: Option<Command>,
        types: &[u32],
    ) -> Result<Prepared, Stop> {
        self.cancels.mark_unchanged();
        // before anything else looks at it
        let command = command.map(|one| self.expanded(one)).transpose()?;
        let of = |command| Prepared {
            command,
            plan: Plan::Session,
            parameters: Vec::new(),
            fields: None,
            text: "".into(),
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
        let named = Pushdown::tables(&self.shared.policy, statement);
        let is_governed = !named.is_empty();
        let shared = self.shared.clone();
        if let (true, Backend::Postgres { pools, schema, .. }) = (is_governed, &shared.backend) {
            let request = self.request(statement, purpose.as_deref())?;
            if !types.iter().all(|oid| may_be_declared(*oid)) {
                return Err(crate::Error::NotAllowed {
                    what: "a parameter of a type that is not listed".into(),
                }
                .into());
            }
            // a statement without parameters of its own can have its values lifted
            let lifts = types.is_empty() && !has_parameters(statement);
            let rewritten = push(&request, schema, statement, lifts)?;
            let said: Vec<Type> = said_types(types);
            let described = self
                .guarded(None, async {
                    let mut lease = pools
                        .lease(request.purpose.id(), holder(self.holder.as_ref())?)
                        .await?;
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
                parameters: if lifts {
                    Vec::new()
                } else {
                    described.parameters.clone()
                },
                fields: returns(command.as_ref(), fields),
                plan: Plan::Remote(Box::new(Pushed {
                    described,
                    rewritten,
                    policy: request.policy,
                    purpose: request.purpose.id(),
                    active: request.activation.active,
                    lifts,
                })),
                command,
                text: "".into(),
            });
        }
        let user = self.user.clone();
        let deadline = self.deadline();
        let engine = shared.backend.catalogue();
        let planned = self
            .guarded(
                deadline,
                Box::pin(engine.plan(&user, statement, sql, is_governed)),
            )
            .await?;
        // the purpose was found for the tables that are named; the plan reads no other
        if !planned.tables.is_subset(&named) {
            return Err(crate::Error::NotAllowed {
                what: "a governed table under another name".into(),
            }
            .into());
        }
        Ok(Prepared {
            parameters: parameter_types(types, &planned.parameters),
            fields: returns(command.as_ref(), fields(&planned.schema)?),
            plan: Plan::Engine(Box::new(planned)),
            command,
            text: "".into(),
        })
    }

    /// The right of a statement to governed data.
    pub(super) fn request(
        &mut self,
        statement: &Statement,
        stated: Option<&str>,
    ) -> Result<Request, Refusal> {
        let (activation, now) = self.look()?;
        let policy = self.policy.clone();
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

    /// Starts a query: purpose, audit log, consent, backend, in this order. `is_kept` when it may be left running between messages.
    pub(super) async fn start(
        &mut self,
        prepared: &Prepared,
        values: &Values,
        formats: &[i16],
        is_kept: bool,
    ) -> Result<Running, Stop> {
        let Some(Command::Query {
            statement,
            purpose,
            text,
            sql,
            expanded,
        }) = &prepared.command
        else {
            return Err(Refusal::new("58000", "query-failed", "the query failed").into());
        };
        self.cancels.mark_unchanged();
        let shared = self.shared.clone();
        let deadline = self.deadline();
        let is_governed = !Pushdown::tables(&shared.policy, statement).is_empty();
        let request = if is_governed {
            Some(self.request(statement, purpose.as_deref())?)
        } else {
            None
        };
        // the purpose may be another one than when the statement was prepared
        let again = match (&prepared.plan, &request, &shared.backend) {
            (Plan::Remote(pushed), Some(request), Backend::Postgres { schema, .. })
                if !Arc::ptr_eq(&pushed.policy, &request.policy)
                    || pushed.purpose != request.purpose.id()
                    || pushed.active != request.activation.active =>
            {
                Some(push(request, schema, statement, pushed.lifts)?)
            }
            _ => None,
        };
        let event = match &request {
            None => {
                self.executes(prepared, !prepared.text.is_empty()).await?;
                None
            }
            Some(request) => {
                let written_out = expanded.then_some(sql.as_str());
                let read = match &prepared.plan {
                    Plan::Remote(pushed) => {
                        again.as_ref().unwrap_or(&pushed.rewritten).tables.clone()
                    }
                    Plan::Engine(planned) => asked(request, &planned.tables)?,
                    Plan::Session => BTreeMap::new(),
                };
                let mut event = self.access(request, read, text, written_out)?;
                event.parameters = values.shown(&prepared.parameters);
                self.log(event.clone()).await?;
                self.remind(&event, statement);
                Some(event)
            }
        };
        // before the query begins: a change in between ends it
        let tables = Pushdown::tables(&shared.policy, statement);
        let consent = self.consent(tables, is_kept).await?;
        let seen = shared.now();
        let day = request.as_ref().and_then(|request| {
            let retention = request.policy.purposes.retention_days(request.purpose.id());
            retention.map(|_| request.today)
        });
        let rows = match &prepared.plan {
            Plan::Engine(planned) => {
                let values = engine_values(planned, &prepared.parameters, values)?;
                let engine = shared.backend.catalogue();
                let user = self.user.clone();
                let batches = self
                    .guarded(
                        deadline,
                        Box::pin(engine.run(&user, planned, values, request)),
                    )
                    .await?;
                Rows::Engine {
                    batches,
                    current: None,
                }
            }
            Plan::Remote(pushed) => {
                let (Some(request), Backend::Postgres { pools, .. }) = (&request, &shared.backend)
                else {
                    return Err(Refusal::new("58000", "query-failed", "the query failed").into());
                };
                let described = &pushed.described;
                let rewritten = again.as_ref().unwrap_or(&pushed.rewritten);
                let text: Vec<bool> = (0..described.columns.len())
                    .map(|place| format_of(formats, place) == 0)
                    .collect();
                let lifted = rewritten.values.iter().map(|value| Value {
                    bytes: Some(value.clone().into_bytes().into()),
                    is_text: true,
                });
                let own = values.bytes.iter().enumerate().map(|(place, bytes)| Value {
                    bytes: bytes.clone(),
                    is_text: format_of(&values.formats, place) == 0,
                });
                let sent: Vec<Value> = lifted.chain(own).collect();
                let types = &described.parameters;
                let ordered =
                    matches!(&**statement, Statement::Query(query) if query.order_by.is_some());
                let answer = self
                    .guarded(deadline, async {
                        let lease = pools
                            .lease(request.purpose.id(), holder(self.holder.as_ref())?)
                            .await?;
                        lease
                            .run(&rewritten.sql, types, described, &text, sent, ordered)
                            .await
                    })
                    .await?;
                Rows::Remote {
                    answer: Box::new(answer),
                    formats: formats.to_vec(),
                }
            }
            Plan::Session => {
                return Err(Refusal::new("58000", "query-failed", "the query failed").into());
            }
        };
        let fields = match &prepared.plan {
            Plan::Engine(planned) => fields(&planned.schema)?,
            Plan::Remote(pushed) => pushed
                .described
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
            consent,
            day,
            seen,
            deadline,
        })
    }

    /// Tells what the purpose obliges the user to, and what figures are made of, once until another purpose is used: the log is read by
    /// others, and a figure does not show what it leaves out.
    fn remind(&mut self, event: &Event, statement: &Statement) {
        if self.reminded != event.purpose {
            self.counted = false;
        }
        if !self.counted && counts_rows(statement) {
            self.counted = true;
            self.connection.put(&reply::notice(
                "figures are over what this purpose shows: hidden cells are left out, masked cells count as they are shown",
            ));
        }
        if self.reminded == event.purpose {
            return;
        }
        self.reminded.clone_from(&event.purpose);
        for obligation in &event.obligations {
            let text = format!("this purpose obliges you to: {obligation}");
            self.connection.put(&reply::notice(&text));
        }
    }

    /// An access as the audit log has it.
    fn access(
        &self,
        request: &Request,
        tables: BTreeMap<String, Vec<String>>,
        text: &str,
        written_out: Option<&str>,
    ) -> Result<Event, Refusal> {
        let policy = &request.policy;
        let mut obligations = Vec::new();
        for name in tables.keys() {
            let access =
                policy.access(request.activation.clone(), request.purpose.clone(), name)?;
            obligations = access.obligations();
        }
        Ok(Event {
            event: "access".into(),
            at: self.shared.at(),
            user: self.user.clone(),
            roles: self.grant_names(&request.activation),
            purpose: Some(policy.purposes.name(request.purpose.id()).to_owned()),
            statement: Some(text.to_owned()),
            expanded: written_out.map(str::to_owned),
            tables,
            decision: "allowed".into(),
            obligations,
            ..Event::default()
        })
    }

    /// Sends rows of a portal; how many, and whether it was stopped at the count asked for.
    pub(super) async fn pump(
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
            self.log(Event {
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
                expanded: None,
                parameters: Vec::new(),
                tables: BTreeMap::new(),
                obligations: Vec::new(),
                ..event.clone()
            })
            .await?;
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
                if running.day.is_some_and(|day| day != now.day) {
                    return Err(day_ended().into());
                }
                let is_told = self.changes.has_changed().unwrap_or(true);
                if now != running.seen || is_told {
                    running.seen = now;
                    self.changes.mark_unchanged();
                    self.still()?;
                    let before = self.looks;
                    self.look()?;
                    if before != self.looks {
                        return Err(roles_changed().into());
                    }
                }
                self.consented_now_and_then(running).await?;
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

    /// When a statement that begins now must have ended.
    fn deadline(&self) -> Option<tokio::time::Instant> {
        let limit = self.shared.limits.statement?;
        Some(tokio::time::Instant::now() + limit)
    }

    /// Waits for something unless the statement is cancelled, takes too long, or its client is gone.
    async fn guarded<T>(
        &self,
        deadline: Option<tokio::time::Instant>,
        work: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<T, Stop> {
        let mut cancels = self.cancels.clone();
        let ended = self.ended();
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
            refusal = ended => Err(refusal.into()),
            () = late => Err(Refusal::new("57014", "statement-timeout", "canceling statement due to statement timeout").into()),
            gone = self.connection.closed() => Err(gone.into()),
            done = work => Ok(done?),
        }
    }
}

/// This session, as the pools of a PostgreSQL backend know it.
fn holder(kept: Option<&Holder>) -> Result<&Holder, Refusal> {
    kept.ok_or_else(unreachable_server)
}

/// The columns asked for of each table that a plan reads.
fn asked(
    request: &Request,
    tables: &BTreeSet<String>,
) -> Result<BTreeMap<String, Vec<String>>, Refusal> {
    let mut read = BTreeMap::new();
    for name in tables {
        let table = request.policy.table(name)?;
        let columns = request.names.requested(table);
        let columns = columns
            .iter()
            .map(|place| table.columns[*place].name.clone());
        read.insert(name.clone(), columns.collect());
    }
    Ok(read)
}

/// The statement as the PostgreSQL server gets it.
fn push(
    request: &Request,
    schema: &str,
    statement: &Statement,
    lifts: bool,
) -> Result<Rewritten, crate::Error> {
    let pushdown = Pushdown::new(
        &request.policy,
        &request.activation,
        request.purpose.clone(),
        schema,
    );
    if lifts {
        pushdown.rewrite_lifted(statement)
    } else {
        pushdown.rewrite(statement)
    }
}
