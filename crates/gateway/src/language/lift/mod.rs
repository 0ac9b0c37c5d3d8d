//! From a parsed statement to the tree: everything that is not named here is refused.
//!
//! Structures of the parser are taken apart field by field, without `..`, so that a field that a later version of the parser adds stops
//! the build here instead of passing unseen.

mod call;
mod expr;
mod from;
mod literal;
mod operator;
mod query;
mod select;
mod window;

pub(super) use call::trim;

use super::names::{Level, name};
use super::tree::Query;
use super::{Governed, refused};
use crate::error::Error;
use sqlparser::ast as sql;
use std::collections::{BTreeMap, BTreeSet};

/// Parts within parts. Long chains of AND, OR, + or UNION are no depth.
const DEEPEST: usize = 100;

/// A query of our language.
#[derive(Debug)]
pub(super) struct Lifted {
    pub(super) query: Query,
    /// Values of parameters that stand for compared values.
    pub(super) values: Vec<String>,
    /// Governed tables that are read.
    pub(super) tables: BTreeSet<String>,
}

/// The queries that mask the governed tables, and their columns.
pub(super) type Masked = BTreeMap<String, (sql::Query, Vec<String>)>;

/// The tree of a client's query.
pub(super) fn of_client(
    query: &sql::Query,
    governed: &BTreeMap<String, Governed>,
    binds: bool,
) -> Result<Lifted, Error> {
    lift(query, Tables::Named(governed), binds)
}

/// The tree of a text of ours: governed tables are the queries of ours in it.
pub(super) fn of_sent(query: &sql::Query, masked: &Masked) -> Result<Query, Error> {
    lift(query, Tables::Written(masked), false).map(|lifted| lifted.query)
}

fn lift(query: &sql::Query, tables: Tables<'_>, binds: bool) -> Result<Lifted, Error> {
    let mut lift = Lift {
        tables,
        binds,
        ids: 0,
        depth: 0,
        levels: Vec::new(),
        common: Vec::new(),
        values: Vec::new(),
        read: BTreeSet::new(),
    };
    let (query, _) = lift.query(query)?;
    Ok(Lifted {
        query,
        values: lift.values,
        tables: lift.read,
    })
}

/// How governed tables stand in what is read.
enum Tables<'a> {
    /// In a client's words: by name.
    Named(&'a BTreeMap<String, Governed>),
    /// In ours: as the queries that mask them.
    Written(&'a Masked),
}

/// A `WITH` query in sight.
struct SeenCommon {
    name: String,
    id: usize,
    columns: Vec<String>,
}

struct Lift<'a> {
    tables: Tables<'a>,
    binds: bool,
    ids: usize,
    depth: usize,
    /// The SELECTs around this place, the innermost last.
    levels: Vec<Level>,
    common: Vec<SeenCommon>,
    values: Vec<String>,
    read: BTreeSet<String>,
}

impl Lift<'_> {
    fn is_client(&self) -> bool {
        matches!(self.tables, Tables::Named(_))
    }

    /// A name of the statement.
    fn name(&self, ident: &sql::Ident) -> Result<String, Error> {
        name(ident, self.is_client())
    }

    /// The number of a relation, `WITH` query or window: a new one for a client's name, the one in ours.
    fn number(&mut self, name: &str) -> Result<usize, Error> {
        if self.is_client() {
            self.ids += 1;
            Ok(self.ids)
        } else {
            super::names::own(name).ok_or(Error::Mistrusted)
        }
    }

    /// Does something one level deeper.
    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.depth >= DEEPEST {
            return Err(refused("a statement nested deeper than 100 levels"));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    fn level(&mut self) -> Result<&mut Level, Error> {
        self.levels.last_mut().ok_or(Error::Mistrusted)
    }

    /// The name and the columns of an alias.
    fn alias(&self, alias: &sql::TableAlias) -> Result<(String, Vec<String>), Error> {
        let sql::TableAlias {
            explicit: _,
            name,
            columns,
            at,
        } = alias;
        if at.is_some() || columns.iter().any(|column| column.data_type.is_some()) {
            return Err(refused("an alias with types"));
        }
        let columns = columns
            .iter()
            .map(|column| self.name(&column.name))
            .collect::<Result<Vec<_>, _>>()?;
        Ok((self.name(name)?, columns))
    }
}

/// The columns of a relation, the first ones under the names that an alias gives.
fn renamed(mut columns: Vec<String>, given: Vec<String>) -> Result<Vec<String>, Error> {
    if given.len() > columns.len() {
        return Err(refused("more names than columns"));
    }
    for (column, name) in columns.iter_mut().zip(given) {
        *column = name;
    }
    Ok(columns)
}
