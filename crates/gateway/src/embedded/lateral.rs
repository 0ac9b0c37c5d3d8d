//! What the query engine does not plan: a bound on the rows of each correlated subquery of a `FROM`.
//!
//! # Departures
//! PostgreSQL runs `LATERAL (.. ORDER BY .. LIMIT n)` once per record before it. The engine makes a join of the subquery, and a bound cannot
//! be moved through a join. So it is refused by name, with the window function that says the same.

use crate::request::Refusal;
use sqlparser::ast::{Query, Statement, TableFactor, Visit as _, Visitor};
use std::ops::ControlFlow;

/// Refuses a statement that has a `LIMIT`, `OFFSET` or `FETCH` right within a `LATERAL`.
pub(super) fn unbounded(statement: &Statement) -> Result<(), Refusal> {
    if statement.visit(&mut Bounded).is_continue() {
        return Ok(());
    }
    let mut refusal = Refusal::new(
        "0A000",
        "statement-not-supported",
        "LIMIT within LATERAL is not supported by the embedded backend",
    );
    refusal.hint = Some(
        "number the rows with row_number() OVER (PARTITION BY .. ORDER BY ..) in a subquery and keep those up to the bound".into(),
    );
    Err(refusal)
}

struct Bounded;

impl Visitor for Bounded {
    type Break = ();

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        match factor {
            TableFactor::Derived {
                lateral: true,
                subquery,
                ..
            } if is_bounded(subquery) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

fn is_bounded(query: &Query) -> bool {
    query.limit_clause.is_some() || query.fetch.is_some()
}
