//! The consent that an open answer rests on: when it changes, the answer is broken off and must be asked for again.
//!
//! # Idea
//! A query reads the providers' consent when it begins. Its later rows rest on that reading, so before each batch that is served on, and once
//! a second within a long one, the state of then is compared with that of now.
//!
//! - Files: the consent file as it was read, and, where consent stands in the data itself, the identity of the data's file.
//! - PostgreSQL: the server's own counts of changed rows of the tables that hold consent. The server publishes them when a transaction ends, at the
//!   latest ten seconds later. Only cursors and portals that are left running are watched so; a query that is answered at once is one snapshot of the server.

use super::portal::Running;
use super::{Session, Stop};
use crate::embedded::Mark;
use crate::request::Refusal;
use crate::server::Backend;
use denym_purpose::{CONSENT_TABLE, Storage};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// How often a long answer is looked at.
const EVERY: Duration = Duration::from_secs(1);
/// Longest wait for the server's counts.
const LONGEST_LOOK: Duration = Duration::from_secs(5);

/// The consent of the tables of one answer.
pub(crate) struct Consent {
    tables: BTreeSet<String>,
    /// `None` when nothing needs to be watched.
    state: Option<State>,
    looked: Instant,
}

#[derive(PartialEq)]
enum State {
    Files(Mark),
    Server(String),
}

impl Session {
    /// The consent of now, for an answer from these tables that begins.
    pub(super) async fn consent(
        &self,
        tables: BTreeSet<String>,
        is_kept: bool,
    ) -> Result<Consent, Stop> {
        let is_watched =
            !tables.is_empty() && (is_kept || matches!(self.shared.backend, Backend::Embedded(_)));
        let state = if is_watched {
            Some(self.state_of(&tables).await?)
        } else {
            None
        };
        Ok(Consent {
            tables,
            state,
            looked: Instant::now(),
        })
    }

    /// Whether an answer still rests on the consent of now.
    pub(super) async fn consented(&self, running: &Running) -> Result<(), Stop> {
        let consent = &running.consent;
        let Some(state) = &consent.state else {
            return Ok(());
        };
        if self.state_of(&consent.tables).await? == *state {
            return Ok(());
        }
        Err(Refusal {
            hint: Some("ask again".into()),
            ..Refusal::new(
                "40001",
                "consent-changed",
                "the providers' consent changed since this answer began, so what was open is closed",
            )
        }
        .into())
    }

    /// The same within a long answer.
    pub(super) async fn consented_now_and_then(&self, running: &mut Running) -> Result<(), Stop> {
        if running.consent.looked.elapsed() < EVERY {
            return Ok(());
        }
        self.consented(running).await?;
        running.consent.looked = Instant::now();
        Ok(())
    }

    async fn state_of(&self, tables: &BTreeSet<String>) -> Result<State, Stop> {
        match &self.shared.backend {
            Backend::Embedded(engine) => Ok(State::Files(engine.mark(tables)?)),
            Backend::Postgres { pools, schema, .. } => {
                let mut names = BTreeSet::new();
                for name in tables {
                    match &self.shared.policy.table(name)?.storage {
                        Storage::None => {}
                        Storage::Table => {
                            names.insert(CONSENT_TABLE);
                        }
                        Storage::Companion { .. } | Storage::RowCode { .. } => {
                            names.insert(name.as_str());
                        }
                    }
                }
                let names: Vec<&str> = names.into_iter().collect();
                let counts = &self.shared.counts;
                let counts = timeout(LONGEST_LOOK, counts.ask(pools.beside(), schema, &names));
                let counts = counts.await.map_err(|_| unwatched())??;
                Ok(State::Server(counts.ok_or_else(unwatched)?))
            }
        }
    }
}

/// Without the server's counts nobody can tell whether consent was withdrawn.
fn unwatched() -> Refusal {
    Refusal {
        hint: Some("ask without a cursor; the steward looks at track_counts and the load of the PostgreSQL server".into()),
        ..Refusal::new(
            "58000",
            "consent-unwatched",
            "the PostgreSQL server does not tell whether consent changed, so no cursor is served from it",
        )
    }
}
