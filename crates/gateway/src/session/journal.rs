//! What a session tells the audit log: every statement as it came, and what became of it.

use super::Session;
use super::prepared::Prepared;
use crate::audit::Event;
use crate::connection::Gone;
use crate::frame::Message;
use crate::reply;
use crate::request::Refusal;
use pgwire::messages::response::TransactionStatus;
use std::sync::Arc;

impl Session {
    /// Enters an event; nothing is sent before it is on the disk.
    pub(super) async fn log(&mut self, event: Event) -> Result<(), Refusal> {
        let entry = self.shared.audit.append(event)?;
        if entry.is_behind {
            entry.written().await?;
        }
        self.connection.hold(entry);
        Ok(())
    }

    fn event(&self, kind: &str, text: Option<&str>, decision: &str) -> Event {
        Event {
            event: kind.into(),
            at: self.shared.at(),
            user: self.user.clone(),
            purpose: self.purpose.clone(),
            statement: text.map(str::to_owned),
            decision: decision.into(),
            ..Event::default()
        }
    }

    /// Enters a text before it is read.
    pub(super) async fn came(&mut self, text: &str, how: &str) -> Result<(), Refusal> {
        let event = self.event("statement", Some(text), how);
        self.log(event).await
    }

    /// Enters the run of a statement that has no access of its own to enter. A simple query was entered when it came.
    pub(super) async fn executes(
        &mut self,
        prepared: &Prepared,
        is_extended: bool,
    ) -> Result<(), Refusal> {
        if is_extended {
            self.came(&prepared.text.clone(), "executed").await?;
        }
        Ok(())
    }

    /// The text that a message is about, for a refusal.
    pub(super) fn text_of(&self, message: &Message) -> Option<Arc<str>> {
        match message {
            Message::Parse { query, .. } => Some(query.as_str().into()),
            Message::Bind { statement, .. } => {
                self.statements.get(statement).map(|one| one.text.clone())
            }
            Message::Execute { portal, .. } => self
                .portals
                .get(portal)
                .map(|one| one.prepared.text.clone()),
            _ => None,
        }
    }

    /// Tells the client why not, once the audit log has it. Without the log the client learns no more than that: an error can tell something too.
    pub(super) async fn refuse(
        &mut self,
        refusal: &Refusal,
        text: Option<&str>,
    ) -> Result<(), Gone> {
        if self.status == TransactionStatus::Transaction {
            self.status = TransactionStatus::Error;
        }
        let kind = if refusal.fatal {
            "session-ended"
        } else {
            "refused"
        };
        let event = self.event(kind, text, refusal.code);
        match self.log(event).await {
            Ok(()) => self.connection.put(&reply::error(refusal)),
            Err(unlogged) => self.connection.put(&reply::error(&Refusal {
                fatal: refusal.fatal,
                ..unlogged
            })),
        }
        if refusal.fatal {
            return Err(Gone::Ended);
        }
        Ok(())
    }
}
