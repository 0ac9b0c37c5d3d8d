//! Purpose-bound SQL, around the engine that runs it: which statements are let in, who may log in, what is recorded, and queries
//! rewritten so that PostgreSQL itself serves masked cells only.
//!
//! The way of a query: [`statement::parse`] lets it in and takes its purpose, [`Pushdown::rewrite`] replaces every governed table by what the
//! purpose may see of it, and [`audit::AuditLog`] records the access before rows leave.

pub mod admin;
pub mod audit;
pub mod consent_file;
mod error;
mod pushdown;
pub mod scram;
pub mod statement;
mod users;

/// The rules themselves.
pub use denym_purpose as purpose;
pub use error::Error;
pub use pushdown::{Pushdown, Rewritten};
pub use users::{Brake, Users};
