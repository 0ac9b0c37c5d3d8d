//! Statements of a session that are no queries: purpose, transactions, cursors, views; and the run of a portal, whatever it holds.

use super::portal::{Portal, Rows};
use super::prepared::{Plan, Prepared};
use super::{Session, Stop, new_portal, roles_changed};
use crate::audit::Event;
use crate::reply;
use crate::request::Refusal;
use crate::statement::Command;
use pgwire::messages::response::TransactionStatus;
use std::sync::Arc;

impl Session {
    /// Runs a portal for that many rows, 0 for all; whether it can be run on.
    pub(super) async fn execute(
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
                if let Some(running) = &portal.running {
                    // roles may have changed since the last batch
                    let before = self.looks;
                    self.look()?;
                    if before != self.looks {
                        return Err(roles_changed().into());
                    }
                    self.consented(running).await?;
                } else {
                    if most > 0 {
                        self.bounded_running()?;
                    }
                    let (values, formats) = (&portal.values, &portal.formats);
                    let running = self.start(&prepared, values, formats, most > 0).await?;
                    portal.running = Some(running);
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
                self.executes(&prepared, is_extended).await?;
                let shown = self.purpose.clone().unwrap_or_default();
                let mut rows = Rows::Text(Some(shown));
                rows.encode(&[], &[], 1, &mut self.connection.out).await?;
                self.connection.put(&reply::complete("SHOW"));
            }
            Some(Command::Declare { name, query, hold }) => {
                self.declare(name, query, *hold, &prepared, portal).await?;
                self.connection.put(&reply::complete("DECLARE CURSOR"));
            }
            Some(Command::CreateView(new)) => {
                self.executes(&prepared, is_extended).await?;
                self.create_view(new).await?;
                self.connection.put(&reply::complete("CREATE VIEW"));
            }
            Some(Command::Fetch { name, rows }) => {
                self.executes(&prepared, is_extended).await?;
                self.look()?;
                let Some(mut cursor) = self.portals.remove(name).filter(|cursor| cursor.is_cursor)
                else {
                    return Err(Refusal::new("34000", "cursor-missing", "there is no cursor of that name; a change of purpose or role closes cursors, and so does a long silence").into());
                };
                if let Some(running) = &cursor.running {
                    self.consented(running).await?;
                }
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
                self.executes(&prepared, is_extended).await?;
                let tag = self.command(command).await?;
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
        self.bounded(portal.values.size())?;
        self.bounded_running()?;
        let of_query = Arc::new(Prepared {
            command: Some(query.clone()),
            plan: match &prepared.plan {
                Plan::Session => Plan::Session,
                Plan::Engine(planned) => Plan::Engine(planned.clone()),
                Plan::Remote(pushed) => Plan::Remote(pushed.clone()),
            },
            parameters: prepared.parameters.clone(),
            fields: None,
            text: prepared.text.clone(),
        });
        let mut cursor = new_portal(of_query.clone(), portal.values.clone(), Vec::new());
        cursor.running = Some(self.start(&of_query, &portal.values, &[], true).await?);
        cursor.is_cursor = true;
        cursor.holds = hold;
        self.portals.insert(name.to_owned(), cursor);
        Ok(())
    }

    /// A statement without rows; its tag.
    async fn command(&mut self, command: &Command) -> Result<&'static str, Stop> {
        Ok(match command {
            Command::SetPurpose(purpose) => {
                self.set_purpose(purpose.as_deref()).await?;
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
                self.views.clear();
                if self.purpose.is_some() {
                    self.set_purpose(None).await?;
                }
                "DISCARD ALL"
            }
            Command::DiscardViews => {
                self.views.clear();
                "DISCARD TEMP"
            }
            Command::DropView {
                names,
                missing_ok,
                cascades,
            } => {
                self.views.drop(names, *missing_ok, *cascades)?;
                "DROP VIEW"
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
            | Command::CreateView(_)
            | Command::Declare { .. }
            | Command::Fetch { .. } => {
                return Err(Refusal::new("58000", "query-failed", "the query failed").into());
            }
        })
    }

    async fn set_purpose(&mut self, purpose: Option<&str>) -> Result<(), Stop> {
        let (activation, _) = self.look()?;
        let purpose = match purpose {
            None => None,
            Some(name) => {
                let id = self.policy.state_purpose(&activation, name)?;
                Some(self.policy.purposes.name(id).to_owned())
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
        self.log(event).await?;
        // what was opened under the other purpose keeps its cells: it is closed
        if purpose != self.purpose {
            self.portals.clear();
        }
        self.purpose = purpose;
        Ok(())
    }

    pub(super) fn grant_names(&self, activation: &denym_purpose::Activation) -> Vec<String> {
        activation
            .active
            .iter()
            .filter_map(|place| self.policy.grants.get(*place))
            .map(|grant| grant.name.clone())
            .collect()
    }
}
