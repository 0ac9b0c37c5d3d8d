//! Which `WITH` names a place in a query sees, kept by a visitor on its way through the query.
//!
//! # Idea
//! A visitor meets the queries of a `WITH` in order and before the body. So a counter per query tells where it is: while the third of them
//! is visited, the first two names are seen there, or all with `RECURSIVE`; in the body all are.
//!
//! # Guarantee
//! A name is seen here only where PostgreSQL sees it. A table name that a `WITH` elsewhere in the statement has too stays a table name.

use crate::statement::folded;
use sqlparser::ast::{ObjectName, Query, SetExpr};

/// The `WITH` clauses around a place.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    frames: Vec<Frame>,
}

#[derive(Debug)]
struct Frame {
    names: Vec<String>,
    is_recursive: bool,
    /// How many queries of the clause were visited.
    visited: usize,
}

impl Scopes {
    /// To be called before the parts of a query are visited.
    pub(crate) fn enter(&mut self, query: &Query) {
        let with = query.with.as_ref();
        self.frames.push(Frame {
            names: with
                .into_iter()
                .flat_map(|with| &with.cte_tables)
                .map(|common| folded(&common.alias.name))
                .collect(),
            is_recursive: with.is_some_and(|with| with.recursive),
            visited: 0,
        });
    }

    /// To be called after them.
    pub(crate) fn leave(&mut self) {
        self.frames.pop();
        if let Some(around) = self.frames.last_mut() {
            around.visited = (around.visited + 1).min(around.names.len());
        }
    }

    /// Whether a bare name is one of a `WITH` here.
    pub(crate) fn sees(&self, name: &str) -> bool {
        self.frames.iter().any(|frame| {
            let seen = if frame.is_recursive {
                frame.names.len()
            } else {
                frame.visited
            };
            frame.names[..seen].iter().any(|known| known == name)
        })
    }

    /// The folded name, when it is bare and one of a `WITH` here.
    pub(crate) fn common(&self, name: &ObjectName) -> Option<String> {
        bare(name).filter(|name| self.sees(name))
    }
}

/// A name without schema, folded.
pub(crate) fn bare(name: &ObjectName) -> Option<String> {
    match &name.0[..] {
        [part] => part.as_ident().map(folded),
        _ => None,
    }
}

/// The operands of a query's set operations, or its body alone; what is in parentheses is a query of its own.
pub(crate) fn operands(query: &Query) -> Vec<&SetExpr> {
    let mut found = Vec::new();
    let mut left = vec![query.body.as_ref()];
    while let Some(body) = left.pop() {
        match body {
            SetExpr::SetOperation {
                left: one,
                right: other,
                ..
            } => left.extend([one.as_ref(), other.as_ref()]),
            body => found.push(body),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::ast::{TableFactor, Visit as _, Visitor};
    use sqlparser::dialect::PostgreSqlDialect;
    use sqlparser::parser::Parser;
    use std::ops::ControlFlow;

    #[derive(Default)]
    struct Tables {
        scopes: Scopes,
        found: Vec<String>,
    }

    impl Visitor for Tables {
        type Break = ();

        fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
            self.scopes.enter(query);
            ControlFlow::Continue(())
        }

        fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
            self.scopes.leave();
            ControlFlow::Continue(())
        }

        fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
            if let TableFactor::Table { name, .. } = factor
                && self.scopes.common(name).is_none()
            {
                self.found.push(name.to_string());
            }
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn names_are_seen_where_they_are_in_scope() {
        for (sql, tables) in [
            ("WITH a AS (SELECT 1) SELECT * FROM a", ""),
            ("WITH a AS (SELECT * FROM a) SELECT * FROM a", "a"),
            ("WITH RECURSIVE a AS (SELECT * FROM a) SELECT * FROM a", ""),
            (
                "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT * FROM a, b",
                "b",
            ),
            (
                "WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a",
                "",
            ),
            (
                "SELECT * FROM a WHERE EXISTS (WITH a AS (SELECT 1) SELECT * FROM a)",
                "a",
            ),
            (
                "(WITH a AS (SELECT 1) SELECT * FROM a) UNION SELECT * FROM a",
                "a",
            ),
            (
                "WITH a AS (SELECT 1) SELECT (SELECT max(x) FROM a) FROM c ORDER BY (SELECT 1 FROM a)",
                "c",
            ),
            (
                "WITH a AS (WITH b AS (SELECT 1) SELECT * FROM b) SELECT * FROM a, b",
                "b",
            ),
            (
                "WITH a AS (SELECT (SELECT 1 FROM d), (SELECT 2 FROM b)), b AS (SELECT * FROM a) SELECT * FROM b",
                "d b",
            ),
            (
                "WITH a AS (SELECT 1) SELECT * FROM s.a, \"A\", A",
                "s.a \"A\"",
            ),
        ] {
            let statements = Parser::parse_sql(&PostgreSqlDialect {}, sql).expect(sql);
            let mut visitor = Tables::default();
            let _ = statements.visit(&mut visitor);
            assert_eq!(visitor.found.join(" "), tables, "{sql}");
        }
    }
}
