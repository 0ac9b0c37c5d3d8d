//! The language that a PostgreSQL server is spoken to in: a small tree of what we know, and the one place where text is made of it.
//!
//! # Idea
//! A client's statement never travels as text. [`lift`] builds a [`tree`] out of the parsed statement by allow-lists whose default is to
//! refuse: kinds of expressions, literals, types, operators, functions with their shapes, joins and clauses. Every name is resolved on the
//! way: a column is one that its relation has, and relations, `WITH` queries and windows get names of our own. [`print`] writes the tree with
//! every expression in parentheses, literals and names through the two functions of `denym-purpose` that quote. [`check`] reads the text to
//! be sent again and demands the same tree.
//!
//! # Guarantee
//! Nothing is sent that has no place in the tree. A name that is no column of a relation in sight is refused here, because PostgreSQL would
//! take it for a whole row, and with a dot before it for a call of a function.
//!
//! # Departures
//! `*` is written out, each column of an answer gets the name that PostgreSQL would give it, `NATURAL` becomes `USING`; `WITH RECURSIVE`
//! sees itself and what comes before it, not what follows.

mod check;
mod functions;
mod kinds;
mod lift;
mod names;
mod print;
mod tree;

pub(crate) use kinds::may_be_declared;
pub(crate) use names::without_marks;

use crate::error::Error;
use sqlparser::ast::Query;
use std::collections::BTreeMap;

/// A governed table as a statement may read it.
#[derive(Debug, Clone)]
pub(crate) struct Governed {
    /// The names of the columns that were asked for.
    pub(crate) columns: Vec<String>,
    /// The query that gives them, masked: our own text.
    pub(crate) sql: String,
}

/// The text for a client's query, and what was lifted out of it.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    /// The text.
    pub(crate) sql: String,
    /// Values of `$1`, `$2`, .. that were lifted out.
    pub(crate) values: Vec<String>,
    /// The governed tables that it reads.
    pub(crate) tables: Vec<String>,
}

/// Writes a client's query in our language. `governed` gives the tables by name; with `binds` compared values become parameters.
pub(crate) fn translate(
    query: &Query,
    governed: &BTreeMap<String, Governed>,
    binds: bool,
) -> Result<Sent, Error> {
    let lifted = lift::of_client(query, governed, binds)?;
    let sql = print::print(&lifted.query, governed);
    check::same(&sql, &lifted.query, governed)?;
    Ok(Sent {
        sql,
        values: lifted.values,
        tables: lifted.tables.into_iter().collect(),
    })
}

/// Refuses by name.
fn refused(what: &str) -> Error {
    Error::NotAllowed { what: what.into() }
}

#[cfg(test)]
mod tests;
