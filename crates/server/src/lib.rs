//! `denym serve`: the work of a data steward in a browser, and the same over HTTP for programs. The only crate that knows HTTP.
//!
//! Every page is made on the server and needs no script; every click changes the `policy.toml` that is shown beside it, and what
//! is published is made by the library from that file, as the command line makes it.

mod answer;
mod api;
mod app;
mod call;
mod connection;
mod editor;
mod examples;
mod gate;
mod jobs;
mod journal;
mod openapi;
mod pages;
mod projects;
mod routes;
mod tasks;
mod unpack;

pub use app::Config;
pub use connection::Server;
