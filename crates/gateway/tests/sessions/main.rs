//! The gateway as its clients meet it: logins, sessions, answers, refusals, on both backends. One program, because each links the query engine.

#[path = "../support/mod.rs"]
mod support;

mod backend_tls;
mod changes;
mod clients;
mod escapes;
mod goldens;
mod hostile;
mod journal;
mod live;
mod logins;
mod oracles;
mod pools;
mod pushdown;
mod queries;
mod rights;
mod second_lock;
mod session_views;
mod view;
