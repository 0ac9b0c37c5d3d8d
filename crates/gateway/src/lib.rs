//! Purpose-bound SQL, around the engine that runs it: which statements are let in, who may log in, what is recorded, and queries
//! rewritten so that PostgreSQL itself serves masked cells only.
//!
//! [`Gateway`] serves the PostgreSQL protocol. The way of a query: [`statement::parse`] lets it in and takes its purpose; the embedded
//! backend's first analyzer rule, or [`Pushdown::rewrite`] for a PostgreSQL server, replaces every governed table by what the purpose may
//! see of it; and [`audit::AuditLog`] records the access before rows leave.
//!
//! Without the feature `server` there is [`admin`] alone, the files behind a gateway: no query engine, no asynchronous runtime.

#![cfg_attr(
    not(feature = "server"),
    allow(
        dead_code,
        reason = "the steward's half uses a part of what the server needs"
    )
)]

pub mod admin;
pub mod audit;
#[cfg(feature = "server")]
mod backend_tls;
#[cfg(feature = "server")]
mod brake;
#[cfg(feature = "server")]
mod config;
#[cfg(feature = "server")]
mod connection;
#[cfg(feature = "server")]
mod consent_counts;
pub mod consent_file;
#[cfg(feature = "server")]
mod decoys;
#[cfg(feature = "server")]
mod embedded;
mod error;
#[cfg(feature = "server")]
mod frame;
#[cfg(feature = "server")]
mod functions;
mod identity;
#[cfg(feature = "server")]
mod language;
#[cfg(feature = "server")]
mod login;
mod passwords;
#[cfg(feature = "server")]
mod pools;
#[cfg(feature = "server")]
mod pushdown;
mod random;
#[cfg(feature = "server")]
mod remote;
#[cfg(feature = "server")]
mod reply;
#[cfg(feature = "server")]
mod request;
#[cfg(feature = "server")]
mod rights;
#[cfg(feature = "server")]
mod scope;
pub mod scram;
#[cfg(feature = "server")]
mod second_lock;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod session;
#[cfg(feature = "server")]
pub mod statement;
#[cfg(feature = "server")]
mod tls;
mod users;
#[cfg(feature = "server")]
mod view;
mod view_mistake;

#[cfg(feature = "server")]
pub use brake::{Brake, Outcome};
#[cfg(feature = "server")]
pub use config::{Backend, Clock, Config, Limits, Logins, Protection, Tls};
/// The rules themselves.
pub use denym_purpose as purpose;
pub use error::{Error, Finding};
#[cfg(feature = "server")]
pub use pushdown::{Pushdown, Rewritten};
#[cfg(feature = "server")]
pub use server::{Gateway, run, serve};
pub use users::Users;
pub use view_mistake::ViewMistake;
