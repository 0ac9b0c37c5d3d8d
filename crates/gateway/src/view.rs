//! Session views: queries with a name, written out wherever the name stands before anything else looks at the statement.
//!
//! # Idea
//! `FROM v` becomes `FROM (query of v) AS v` in the statement's tree. What follows, the governed tables, the requested columns, the purpose,
//! the audit log and both backends, sees a statement without views: a view has no rights, no purpose and no rows of its own.
//!
//! # Guarantee
//! A view made under one purpose and read under another has the other's cells. No view has the name of a governed table, none reads itself,
//! and what a statement becomes is bounded as what a client may send is.
//!
//! # Departures
//! As in PostgreSQL a `WITH` name hides a view's; but where it would also catch a name inside the view's query, the statement is refused.
//! A view names its tables when it is read: replacing a view changes those that read it. `ROLLBACK` does not bring an earlier one back.

use crate::error::Error;
use crate::scope::{Scopes, bare};
use crate::statement::{MOST_WORDS, folded, says, shallow, words};
use crate::view_mistake::ViewMistake;
use sqlparser::ast::{
    Ident, ObjectName, Query, Statement, TableAlias, TableAliasColumnDef, TableFactor, VisitMut,
    VisitorMut,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Views of views of views: more is nobody's wish.
const MOST_NESTED: usize = 16;
/// PostgreSQL's longest name, in bytes.
const LONGEST_NAME: usize = 63;

/// A view's definition.
#[derive(Debug, Clone)]
pub(crate) struct View {
    /// Its query, as it came.
    pub(crate) query: Box<Query>,
    /// Names of its columns, the first ones at least.
    pub(crate) columns: Vec<Ident>,
    /// How long it is.
    pub(crate) words: usize,
}

/// The views of a session.
#[derive(Debug, Clone, Default)]
pub(crate) struct Views {
    by_name: BTreeMap<String, View>,
}

impl Views {
    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.by_name.len()
    }

    /// Whether there is one of that name.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.by_name.contains_key(name)
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.by_name.clear();
    }

    /// The views with one more, which can be read.
    pub(crate) fn with(&self, name: &str, view: View, replaces: bool) -> Result<Self, Error> {
        if name.starts_with("pg_") || name.len() > LONGEST_NAME {
            return Err(mistake(name, ViewMistake::Name));
        }
        if self.contains(name) && !replaces {
            return Err(mistake(name, ViewMistake::Exists));
        }
        let mut views = self.clone();
        views.by_name.insert(name.to_owned(), view);
        Expand::new(&views, &mut 0, &[]).body(name)?;
        Ok(views)
    }

    /// Drops views; all of them or none.
    pub(crate) fn drop(
        &mut self,
        names: &[String],
        missing_ok: bool,
        cascades: bool,
    ) -> Result<(), Error> {
        let mut gone: BTreeSet<String> = BTreeSet::new();
        for name in names {
            if self.contains(name) {
                gone.insert(name.clone());
            } else if !missing_ok {
                return Err(mistake(name, ViewMistake::Missing));
            }
        }
        // until no view is left that reads one of them
        loop {
            let reader = self.by_name.keys().find_map(|name| {
                let read = gone.iter().find(|gone| self.reads(name, gone))?;
                (!gone.contains(name)).then(|| (name.clone(), read.clone()))
            });
            match reader {
                None => break,
                Some((name, _)) if cascades => gone.insert(name),
                Some((_, read)) => return Err(mistake(&read, ViewMistake::Needed)),
            };
        }
        self.by_name.retain(|name, _| !gone.contains(name));
        Ok(())
    }

    fn reads(&self, name: &str, other: &str) -> bool {
        let mut words = 0;
        let mut expand = Expand::new(self, &mut words, &[]);
        // one that can no longer be written out keeps nothing from being dropped
        expand.body(name).is_ok() && expand.read.contains(other)
    }

    /// A statement with its views written out, and its text; `None` when it has none.
    pub(crate) fn expand(
        &self,
        statement: &Statement,
        sql: &str,
    ) -> Result<Option<(Statement, String)>, Error> {
        if self.by_name.is_empty() {
            return Ok(None);
        }
        let mut words = words(sql)?;
        let mut expand = Expand::new(self, &mut words, &[]);
        let mut statement = statement.clone();
        expand.all(&mut statement)?;
        if expand.read.is_empty() {
            return Ok(None);
        }
        shallow(&statement)?;
        // a text that would be read as another statement is not given to anybody; the client's own then stands for it
        let written = statement.to_string();
        let sql = if says(&written, &statement) {
            written
        } else {
            sql.to_owned()
        };
        Ok(Some((statement, sql)))
    }
}

/// The folded name when it can be a view's: bare, or in the session's own schema.
pub(crate) fn view_name(name: &ObjectName) -> Option<String> {
    match &name.0[..] {
        [schema, name] if schema.as_ident().map(folded).as_deref() == Some("pg_temp") => {
            name.as_ident().map(folded)
        }
        _ => bare(name),
    }
}

fn mistake(name: &str, mistake: ViewMistake) -> Error {
    Error::View {
        name: name.to_owned(),
        mistake,
    }
}

/// Writes views out in one statement or in one view's query.
struct Expand<'a> {
    views: &'a Views,
    /// Length of the whole statement so far.
    words: &'a mut usize,
    /// The views around this place.
    within: Vec<String>,
    scopes: Scopes,
    /// Views that were read.
    read: BTreeSet<String>,
    /// Bare names that are neither views nor in a `WITH`: tables.
    tables: BTreeSet<String>,
}

impl<'a> Expand<'a> {
    fn new(views: &'a Views, words: &'a mut usize, within: &[String]) -> Self {
        Self {
            views,
            words,
            within: within.to_vec(),
            scopes: Scopes::default(),
            read: BTreeSet::new(),
            tables: BTreeSet::new(),
        }
    }

    fn all(&mut self, tree: &mut impl VisitMut) -> Result<(), Error> {
        match tree.visit(self) {
            ControlFlow::Break(error) => Err(error),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    /// The query of a view, written out: nothing of what is around the view's name is seen in it.
    fn body(&mut self, name: &str) -> Result<Query, Error> {
        let Some(view) = self.views.by_name.get(name) else {
            return Err(mistake(name, ViewMistake::Missing));
        };
        if self.within.iter().any(|around| around == name) {
            return Err(mistake(name, ViewMistake::Recursive));
        }
        if self.within.len() >= MOST_NESTED {
            return Err(mistake(name, ViewMistake::Nested));
        }
        *self.words += view.words;
        if *self.words > MOST_WORDS {
            return Err(mistake(name, ViewMistake::Long));
        }
        let mut within = self.within.clone();
        within.push(name.to_owned());
        let mut query = (*view.query).clone();
        let mut inner = Expand::new(self.views, self.words, &within);
        inner.all(&mut query)?;
        let Expand { read, tables, .. } = inner;
        if tables.iter().any(|table| self.scopes.sees(table)) {
            return Err(mistake(name, ViewMistake::Caught));
        }
        self.read.extend(read);
        self.tables.extend(tables);
        Ok(query)
    }

    fn factor(&mut self, factor: &mut TableFactor) -> Result<(), Error> {
        let TableFactor::Table {
            name: of,
            alias,
            args: None,
            ..
        } = &*factor
        else {
            return Ok(());
        };
        if self.scopes.common(of).is_some() {
            return Ok(());
        }
        let Some(name) = view_name(of) else {
            return Ok(());
        };
        let Some(view) = self.views.by_name.get(&name) else {
            self.tables.extend(bare(of));
            return Ok(());
        };
        if !is_plain(factor) {
            return Err(mistake(&name, ViewMistake::Clause));
        }
        let mut alias = alias.clone().unwrap_or_else(|| TableAlias {
            explicit: true,
            name: Ident::with_quote('"', &name),
            columns: Vec::new(),
            at: None,
        });
        // names at the place of use come before those of the definition
        let own = view.columns.iter().skip(alias.columns.len()).cloned();
        alias.columns.extend(own.map(|name| TableAliasColumnDef {
            name,
            data_type: None,
        }));
        let subquery = Box::new(self.body(&name)?);
        self.read.insert(name);
        *factor = TableFactor::Derived {
            lateral: false,
            subquery,
            alias: Some(alias),
            sample: None,
        };
        Ok(())
    }
}

impl VisitorMut for Expand<'_> {
    type Break = Error;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Error> {
        self.scopes.enter(query);
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Error> {
        self.scopes.leave();
        ControlFlow::Continue(())
    }

    // after its parts were visited, so that what is put in its place is not looked into again
    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        match self.factor(factor) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }
}

/// A table name with nothing but an alias.
pub(crate) fn is_plain(factor: &TableFactor) -> bool {
    matches!(
        factor,
        TableFactor::Table {
            args: None,
            with_hints,
            version: None,
            with_ordinality: false,
            partitions,
            json_path: None,
            sample: None,
            index_hints,
            ..
        } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty()
    )
}

#[cfg(test)]
mod tests;
