//! One statement's right to data: who asks, with which roles, for which purpose, when; and refusals as clients see them.

use crate::error::Error;
use crate::pushdown::Names;
use denym_purpose::{AccessPolicy, AccessPurpose, Activation};
use std::sync::Arc;

/// One statement under one purpose.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    /// The policy.
    pub(crate) policy: Arc<AccessPolicy>,
    /// The user's active roles.
    pub(crate) activation: Activation,
    /// The purpose.
    pub(crate) purpose: AccessPurpose,
    /// The names in the statement.
    pub(crate) names: Names,
    /// The day, for retention.
    pub(crate) today: i64,
}

/// Why a client does not get what it asked for: never with a cell of data in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// SQLSTATE.
    pub(crate) state: &'static str,
    /// Our stable code, for the audit log.
    pub(crate) code: &'static str,
    /// What.
    pub(crate) message: String,
    /// What to do.
    pub(crate) hint: Option<String>,
    /// Whether the session ends.
    pub(crate) fatal: bool,
}

impl Refusal {
    pub(crate) fn new(state: &'static str, code: &'static str, message: impl Into<String>) -> Self {
        Self {
            state,
            code,
            message: message.into(),
            hint: None,
            fatal: false,
        }
    }

    pub(crate) fn fatal(state: &'static str, code: &'static str, message: &str) -> Self {
        Self {
            fatal: true,
            ..Self::new(state, code, message)
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self {
            state: error.sqlstate(),
            code: error.code(),
            message: error.to_string(),
            hint: Some(error.help()),
            fatal: false,
        }
    }
}

impl From<denym_purpose::Error> for Refusal {
    fn from(error: denym_purpose::Error) -> Self {
        Error::from(error).into()
    }
}
