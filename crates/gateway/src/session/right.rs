//! A session's right to go on: its login, its roles, its patience with a silent client.

use super::Session;
use crate::connection::Gone;
use crate::request::Refusal;
use denym_purpose::{AccessPolicy, Activation, Moment};
use std::sync::Arc;
use std::time::Duration;

impl Session {
    /// Whether the login is still one: the user is in both files, with the password of then.
    pub(super) fn still(&self) -> Result<(), Refusal> {
        let rights = self.shared.rights.now();
        let Some(users) = &rights.users else {
            return Err(Refusal::new(
                "58000",
                "users-unreadable",
                "the users file cannot be read, and nothing is answered without it",
            ));
        };
        if users.has(&self.user, &self.verifier) && rights.policy.users.contains_key(&self.user) {
            return Ok(());
        }
        Err(Refusal::fatal(
            "57P01",
            "login-ended",
            "this login was removed, or its password changed: the session ends",
        ))
    }

    /// Looks at the user's roles; portals opened under others are closed.
    pub(super) fn look(&mut self) -> Result<(Activation, Moment), Refusal> {
        let now = self.shared.now();
        let rights = self.shared.rights.now();
        let policy = match rights.served() {
            Ok(policy) => policy,
            Err(error) => {
                self.portals.clear();
                return Err(error.into());
            }
        };
        let activation = policy.activate(&self.user, now)?;
        if activation.active != self.active || !is_same_for(&self.user, policy, &self.policy) {
            self.portals.clear();
            self.active.clone_from(&activation.active);
            self.looks += 1;
        }
        self.policy = policy.clone();
        Ok((activation, now))
    }

    /// What a change of the users file or the policy means for a silent session.
    pub(super) async fn changed(&mut self) -> Result<(), Gone> {
        self.changes.mark_unchanged();
        match self.still() {
            Err(refusal) if refusal.fatal => {
                self.refuse(&refusal, None).await?;
                Err(Gone::Ended)
            }
            _ => {
                // closes what was opened under other roles; what cannot be told now is told at the next statement
                let _ = self.look();
                Ok(())
            }
        }
    }

    /// Waits until the login ends.
    pub(super) async fn ended(&self) -> Refusal {
        let mut changes = self.changes.clone();
        loop {
            if changes.changed().await.is_err() {
                return std::future::pending().await;
            }
            if let Err(refusal) = self.still()
                && refusal.fatal
            {
                return refusal;
            }
        }
    }

    /// How long a silence may be, and whether it then costs the open cursors or the session.
    pub(super) fn patience(&self) -> (Option<Duration>, bool) {
        let limits = &self.shared.limits;
        let is_open = self.portals.values().any(|one| one.running.is_some());
        if is_open && limits.idle.is_none_or(|idle| limits.open_idle < idle) {
            (Some(limits.open_idle), true)
        } else {
            (limits.idle, false)
        }
    }

    /// Closes what keeps a query running.
    pub(super) fn close_running(&mut self) {
        self.portals.retain(|_, portal| portal.running.is_none());
    }
}

/// Whether two policies say the same about one user's roles.
fn is_same_for(user: &str, one: &Arc<AccessPolicy>, other: &Arc<AccessPolicy>) -> bool {
    Arc::ptr_eq(one, other)
        || (one.users.get(user) == other.users.get(user)
            && one.grants == other.grants
            && one.roles == other.roles
            && one.attributes == other.attributes
            && one.system == other.system
            && one.purpose_mode == other.purpose_mode)
}
