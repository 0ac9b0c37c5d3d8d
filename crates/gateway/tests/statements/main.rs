//! Statements of people who mean no good, thousands of them, and of people who only ask: on both backends, by both protocols.
//!
//! The gateway of these tests logs in to PostgreSQL as a superuser and reads raw tables: what is refused here is refused by the language
//! alone, without the help of the server's rights.

#[path = "../support/mod.rs"]
mod support;

mod generator;
mod holes;
mod literals;
mod ordinary;
mod towers;
mod world;
