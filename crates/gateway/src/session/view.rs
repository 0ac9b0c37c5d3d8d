//! The views of a session: written out in each statement before it is prepared, checked when they are made.

use super::{Session, Stop};
use crate::pushdown::Pushdown;
use crate::server::Backend;
use crate::statement::{Command, NewView};
use crate::view_mistake::ViewMistake;
use sqlparser::ast::Ident;

impl Session {
    /// A statement as everything that follows sees it.
    pub(super) fn expanded(&self, command: Command) -> Result<Command, crate::Error> {
        Ok(match command {
            Command::Query {
                statement,
                purpose,
                text,
                sql,
                expanded,
            } => match self.views.expand(&statement, &sql)? {
                None => Command::Query {
                    statement,
                    purpose,
                    text,
                    sql,
                    expanded,
                },
                Some((statement, sql)) => Command::Query {
                    statement: Box::new(statement),
                    purpose,
                    text,
                    sql,
                    expanded: true,
                },
            },
            Command::Declare { name, query, hold } => Command::Declare {
                name,
                query: Box::new(self.expanded(*query)?),
                hold,
            },
            other => other,
        })
    }

    /// Makes a view. Its query is checked as if it were asked now, without rows; in front of a PostgreSQL server that takes a purpose, and
    /// without one it is checked when it is first read.
    pub(super) async fn create_view(&mut self, new: &NewView) -> Result<(), Stop> {
        let refused = |mistake| crate::Error::View {
            name: new.name.clone(),
            mistake,
        };
        if self.shared.policy.tables.contains_key(&new.name) {
            return Err(refused(ViewMistake::Governed).into());
        }
        let size = match &new.query {
            Command::Query { text, .. } => text.len(),
            _ => 0,
        };
        if self.views.len() == 0 {
            self.view_bytes = 0;
        }
        let is_long = self.view_bytes + size > self.shared.limits.object_bytes;
        if is_long || !self.views.contains(&new.name) {
            self.bounded(size)?;
        }
        let mut view = new.view.clone();
        // also tells whether it would read itself
        self.views.with(&new.name, view.clone(), new.replaces)?;
        let query = self.expanded(new.query.clone())?;
        if let Some(columns) = self.columns(query).await? {
            if columns.len() < view.columns.len() {
                return Err(refused(ViewMistake::Columns).into());
            }
            // the engine wants all names or none
            if !view.columns.is_empty() {
                let rest = columns.into_iter().skip(view.columns.len());
                view.columns
                    .extend(rest.map(|name| Ident::with_quote('"', name)));
            }
        }
        self.views = self.views.with(&new.name, view, new.replaces)?;
        self.view_bytes += size;
        Ok(())
    }

    /// The names of a query's columns; `None` when only a purpose would tell.
    async fn columns(&mut self, query: Command) -> Result<Option<Vec<String>>, Stop> {
        if let (
            Command::Query {
                statement, purpose, ..
            },
            Backend::Postgres { .. },
        ) = (&query, &self.shared.backend)
            && !Pushdown::tables(&self.shared.policy, statement).is_empty()
        {
            let (statement, purpose) = (statement.clone(), purpose.clone());
            if self.request(&statement, purpose.as_deref()).is_err() {
                return Ok(None);
            }
        }
        let prepared = self.prepare(Some(query), &[]).await?;
        let fields = prepared.fields.unwrap_or_default();
        Ok(Some(fields.into_iter().map(|field| field.name).collect()))
    }
}
