//! The rewrite for the PostgreSQL backend: governed tables become masked subqueries, and PostgreSQL does the work.
//!
//! # Idea
//! The client's query is read into a small language of ours (`language`), in which every reference to a governed table is
//! `(masked cells of the table) AS name`. Predicates, joins, grouping, ordering and windows of the query then work on masked values only;
//! PostgreSQL pulls the subquery up, so that indexes on the masked expressions serve.
//!
//! # Guarantee
//! Default deny: a relation that is neither governed nor a CTE of the query, an expression, a literal, a function, a type or an operator
//! that is not listed is refused before anything reaches the server. No text of the client's is sent: what is sent is written from the tree,
//! and read back. So no catalogue, no raw table, no function that reads files, settings or runs SQL.
//!
//! # Departures
//! In `filter` mode the requested cells are the columns of the table that are named anywhere in the query, or all of them with `*`: a column
//! name counts for every governed table of the query that has it. That drops more records than needed, never fewer.

use crate::error::Error;
use crate::language::{Governed, translate};
use crate::statement::folded;
use denym_purpose::{AccessPolicy, AccessPurpose, Activation, PostgresTable, TablePolicy};
use sqlparser::ast::{
    Expr, JoinConstraint, JoinOperator, ObjectName, Select, SelectItem, Statement, TableFactor,
    TableWithJoins, Visit, Visitor,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// One user's access under one purpose, for rewriting queries.
pub struct Pushdown<'a> {
    policy: &'a AccessPolicy,
    activation: &'a Activation,
    purpose: AccessPurpose,
    schema: &'a str,
}

/// A query that may be sent to PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// Its text.
    pub sql: String,
    /// Values of `$1`, `$2`, .. that were lifted out of it, as text.
    pub values: Vec<String>,
    /// The columns asked for of each governed table.
    pub tables: BTreeMap<String, Vec<String>>,
}

impl<'a> Pushdown<'a> {
    /// For raw tables and the consent table in `schema`.
    pub fn new(
        policy: &'a AccessPolicy,
        activation: &'a Activation,
        purpose: AccessPurpose,
        schema: &'a str,
    ) -> Self {
        Self {
            policy,
            activation,
            purpose,
            schema,
        }
    }

    /// The governed tables a query names, in order: what the purpose is inferred from.
    pub fn tables(policy: &AccessPolicy, statement: &Statement) -> BTreeSet<String> {
        Names::of(statement)
            .relations
            .into_iter()
            .filter(|name| policy.tables.contains_key(name))
            .collect()
    }

    /// Rewrites a query.
    pub fn rewrite(&self, statement: &Statement) -> Result<Rewritten, Error> {
        self.rewrite_as(statement, false)
    }

    /// Rewrites a query without parameters so that queries that differ in a compared value have one text: PostgreSQL plans it once.
    pub fn rewrite_lifted(&self, statement: &Statement) -> Result<Rewritten, Error> {
        self.rewrite_as(statement, true)
    }

    fn rewrite_as(&self, statement: &Statement, lifts: bool) -> Result<Rewritten, Error> {
        let Statement::Query(query) = statement else {
            return Err(Error::Syntax);
        };
        let names = Names::of(statement);
        let mut governed = BTreeMap::new();
        for name in Self::tables(self.policy, statement) {
            let (sql, columns) = self.masked(&name, &names)?;
            governed.insert(name, Governed { columns, sql });
        }
        let sent = translate(query, &governed, lifts)?;
        Ok(Rewritten {
            tables: sent
                .tables
                .into_iter()
                .filter_map(|name| governed.remove(&name).map(|table| (name, table.columns)))
                .collect(),
            sql: sent.sql,
            values: sent.values,
        })
    }

    /// The masked subquery of a table, and the columns it serves.
    fn masked(&self, name: &str, names: &Names) -> Result<(String, Vec<String>), Error> {
        let table = self.policy.table(name)?;
        let access =
            self.policy
                .access(self.activation.clone(), self.purpose.clone(), &table.name)?;
        let purpose = self.policy.purposes.name(self.purpose.id());
        let postgres: PostgresTable<'_> =
            self.policy.postgres(name, purpose, self.schema, &|place| {
                access.is_permitted(place)
            })?;
        let requested = names.requested(table);
        let sql = postgres.select(&requested)?;
        let columns = requested
            .iter()
            .map(|place| table.columns[*place].name.clone())
            .collect();
        Ok((sql, columns))
    }
}

/// The folded name of a relation: bare, or in the schema `public`.
pub(crate) fn relation(name: &ObjectName) -> Option<String> {
    let parts: Vec<String> = name
        .0
        .iter()
        .map(|part| part.as_ident().map(folded))
        .collect::<Option<_>>()?;
    match &parts[..] {
        [name] => Some(name.clone()),
        [schema, name] if schema == "public" => Some(name.clone()),
        _ => None,
    }
}

/// Collects the names of a query: relations and every identifier.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    relations: BTreeSet<String>,
    words: BTreeSet<String>,
    /// A wildcard, a whole-row reference or a join by common names asks for everything.
    everything: bool,
}

impl Names {
    /// The names of a statement.
    pub(crate) fn of(statement: &Statement) -> Self {
        let mut names = Self::default();
        // the visitor never breaks
        let _ = statement.visit(&mut names);
        names
    }

    /// Places of the columns of a governed table that the query asks for.
    pub(crate) fn requested(&self, table: &TablePolicy) -> Vec<usize> {
        (0..table.columns.len())
            .filter(|place| self.everything || self.words.contains(&table.columns[*place].name))
            .collect()
    }
}

impl Visitor for Names {
    type Break = ();

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        self.everything |= select.projection.iter().any(|item| {
            matches!(
                item,
                SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)
            )
        });
        self.everything |= select.from.iter().any(joins_by_name);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Table { name, alias, .. } => {
                if let Some(name) = relation(name) {
                    self.relations.insert(name);
                }
                // renamed columns hide which ones are used
                self.everything |= alias
                    .as_ref()
                    .is_some_and(|alias| !alias.columns.is_empty());
            }
            TableFactor::NestedJoin {
                table_with_joins, ..
            } => self.everything |= joins_by_name(table_with_joins),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Identifier(ident) => {
                self.words.insert(folded(ident));
            }
            Expr::CompoundIdentifier(parts) => {
                self.words.extend(parts.last().map(folded));
            }
            Expr::CompoundFieldAccess { .. } => self.everything = true,
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// USING and NATURAL compare columns without an expression.
fn joins_by_name(from: &TableWithJoins) -> bool {
    from.joins.iter().any(|join| match &join.join_operator {
        JoinOperator::Join(constraint)
        | JoinOperator::Inner(constraint)
        | JoinOperator::Left(constraint)
        | JoinOperator::LeftOuter(constraint)
        | JoinOperator::Right(constraint)
        | JoinOperator::RightOuter(constraint)
        | JoinOperator::FullOuter(constraint)
        | JoinOperator::CrossJoin(constraint) => {
            !matches!(constraint, JoinConstraint::On(_) | JoinConstraint::None)
        }
        // other joins may compare whatever they like
        _ => true,
    })
}
