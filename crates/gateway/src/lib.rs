//! Purpose-bound SQL, around the engine that runs it: which statements are let in, who may log in, what is recorded, and queries
//! rewritten so that PostgreSQL itself serves masked cells only.
//!
//! [`Gateway`] serves the PostgreSQL protocol. The way of a query: [`statement::parse`] lets it in and takes its purpose; the embedded
//! backend's first analyzer rule, or [`Pushdown::rewrite`] for a PostgreSQL server, replaces every governed table by what the purpose may
//! see of it; and [`audit::AuditLog`] records the access before rows leave.

pub mod admin;
pub mod audit;
mod backend_tls;
mod config;
mod connection;
pub mod consent_file;
mod embedded;
mod error;
mod frame;
mod login;
mod pushdown;
mod remote;
mod reply;
mod request;
mod scope;
pub mod scram;
mod server;
mod session;
pub mod statement;
mod tls;
mod users;
mod view;

pub use config::{Backend, Clock, Config, Limits, Protection, Tls};
/// The rules themselves.
pub use denym_purpose as purpose;
pub use error::Error;
pub use pushdown::{Pushdown, Rewritten};
pub use server::{Gateway, run, serve};
pub use users::{Brake, Users};
pub use view::ViewMistake;
