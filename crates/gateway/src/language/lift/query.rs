//! Queries: `WITH`, bodies and their unions, ORDER BY and LIMIT.

use super::super::names::Level;
use super::super::refused;
use super::super::tree::{Body, Common, Expr, Order, Query, SetOperator};
use super::window::ordered;
use super::{Lift, SeenCommon, Tables, renamed};
use crate::error::Error;
use sqlparser::ast::{
    self as sql, CteAsMaterialized, LimitClause, OrderByKind, SetExpr, SetQuantifier,
};
use std::collections::BTreeSet;

impl Lift<'_> {
    /// A query and the names of its columns.
    pub(super) fn query(&mut self, query: &sql::Query) -> Result<(Query, Vec<String>), Error> {
        self.deeper(|lift| {
            let (common, levels) = (lift.common.len(), lift.levels.len());
            let done = lift.query_here(query);
            lift.common.truncate(common);
            lift.levels.truncate(levels);
            done
        })
    }

    fn query_here(&mut self, query: &sql::Query) -> Result<(Query, Vec<String>), Error> {
        let sql::Query {
            with,
            body,
            order_by,
            limit_clause,
            fetch,
            locks,
            for_clause,
            settings,
            format_clause,
            pipe_operators,
        } = query;
        if !locks.is_empty()
            || for_clause.is_some()
            || settings.is_some()
            || format_clause.is_some()
            || !pipe_operators.is_empty()
        {
            return Err(refused("a clause of another dialect, or a locking clause"));
        }
        let (recursive, common) = self.with(with.as_ref())?;
        let (body, outputs) = self.body(body)?;
        let order = match order_by {
            None => Vec::new(),
            Some(sql::OrderBy {
                kind: OrderByKind::Expressions(list),
                interpolate: None,
            }) => self.orders(list, &outputs, matches!(body, Body::Select(_)))?,
            Some(_) => return Err(refused("this ORDER BY")),
        };
        let (mut limit, offset) = match limit_clause {
            None => (None, None),
            Some(LimitClause::LimitOffset {
                limit,
                offset,
                limit_by,
            }) if limit_by.is_empty() => (
                limit.as_ref().map(|limit| self.expr(limit)).transpose()?,
                offset
                    .as_ref()
                    .map(|offset| self.expr(&offset.value))
                    .transpose()?,
            ),
            Some(_) => return Err(refused("this LIMIT")),
        };
        let mut ties = false;
        if let Some(sql::Fetch {
            with_ties,
            percent,
            quantity,
        }) = fetch
        {
            if *percent || limit.is_some() {
                return Err(refused("this FETCH"));
            }
            ties = *with_ties;
            limit = Some(match quantity {
                None => Expr::Number("1".into()),
                Some(quantity) => self.expr(quantity)?,
            });
        }
        let query = Query {
            recursive,
            common,
            body,
            order,
            limit,
            ties,
            offset,
        };
        Ok((query, outputs))
    }

    fn with(&mut self, with: Option<&sql::With>) -> Result<(bool, Vec<Common>), Error> {
        let Some(sql::With {
            with_token: _,
            recursive,
            cte_tables,
        }) = with
        else {
            return Ok((false, Vec::new()));
        };
        let mut common = Vec::new();
        let mut names = BTreeSet::new();
        for table in cte_tables {
            let sql::Cte {
                alias,
                query,
                from,
                materialized,
                closing_paren_token: _,
            } = table;
            if from.is_some() {
                return Err(refused("a WITH clause of another dialect"));
            }
            let (name, given) = self.alias(alias)?;
            if !names.insert(name.clone()) {
                return Err(refused("two WITH queries of one name"));
            }
            if let Tables::Named(governed) = &self.tables
                && governed.contains_key(&name)
            {
                // it would hide the governed table of that name in some parts of the query and not in others
                return Err(refused("a WITH query with the name of a governed table"));
            }
            let id = self.number(&name)?;
            if *recursive {
                let columns = self.first_columns(query, &given)?;
                self.common.push(SeenCommon {
                    name: name.clone(),
                    id,
                    columns,
                });
            }
            let (query, outputs) = self.query(query)?;
            let columns = renamed(outputs, given)?;
            if *recursive {
                self.common.pop();
            }
            self.common.push(SeenCommon {
                name,
                id,
                columns: columns.clone(),
            });
            common.push(Common {
                id,
                columns,
                materialized: match materialized {
                    None => None,
                    Some(CteAsMaterialized::Materialized) => Some(true),
                    Some(CteAsMaterialized::NotMaterialized) => Some(false),
                },
                query,
            });
        }
        Ok((*recursive, common))
    }

    /// The columns that a recursive query sees of itself: those of its first operand.
    fn first_columns(
        &mut self,
        query: &sql::Query,
        given: &[String],
    ) -> Result<Vec<String>, Error> {
        let mut first = query.body.as_ref();
        while let SetExpr::SetOperation { left, .. } = first {
            first = left;
        }
        if std::ptr::eq(first, query.body.as_ref()) {
            // not recursive: it does not see itself
            return Ok(Vec::new());
        }
        // tried only for its names: what it did is forgotten
        let (ids, values, read) = (self.ids, self.values.len(), self.read.clone());
        let (common, levels) = (self.common.len(), self.levels.len());
        let outputs = self
            .with(query.with.as_ref())
            .and_then(|_| self.body(first));
        self.common.truncate(common);
        self.levels.truncate(levels);
        (self.ids, self.read) = (ids, read);
        self.values.truncate(values);
        renamed(outputs?.1, given.to_vec())
    }

    /// A body and the names of its columns. A SELECT leaves its level in place, for the ORDER BY that follows.
    fn body(&mut self, body: &SetExpr) -> Result<(Body, Vec<String>), Error> {
        match body {
            SetExpr::Select(select) => {
                self.levels.push(Level::default());
                let (select, outputs) = self.select(select)?;
                Ok((Body::Select(Box::new(select)), outputs))
            }
            SetExpr::Query(query) => {
                let (query, outputs) = self.query(query)?;
                Ok((Body::Nested(Box::new(query)), outputs))
            }
            SetExpr::Values(sql::Values {
                explicit_row: false,
                value_keyword: false,
                rows,
            }) => self.values(rows),
            SetExpr::SetOperation { .. } => self.sets(body),
            _ => Err(refused("anything but SELECT, VALUES and their unions")),
        }
    }

    fn values(
        &mut self,
        rows: &[sql::Parens<Vec<sql::Expr>>],
    ) -> Result<(Body, Vec<String>), Error> {
        let width = rows.first().map_or(0, |row| row.content.len());
        if width == 0 || rows.iter().any(|row| row.content.len() != width) {
            return Err(refused("VALUES of different lengths"));
        }
        let rows = rows
            .iter()
            .map(|row| self.exprs(&row.content))
            .collect::<Result<Vec<_>, _>>()?;
        let names = (1..=width).map(|place| format!("column{place}")).collect();
        Ok((Body::Values(rows), names))
    }

    fn sets(&mut self, body: &SetExpr) -> Result<(Body, Vec<String>), Error> {
        let mut rest = Vec::new();
        let mut left = body;
        while let SetExpr::SetOperation {
            left: inner,
            op,
            set_quantifier,
            right,
        } = left
        {
            let word = match op {
                sql::SetOperator::Union => "UNION",
                sql::SetOperator::Except => "EXCEPT",
                sql::SetOperator::Intersect => "INTERSECT",
                sql::SetOperator::Minus => return Err(refused("MINUS")),
            };
            let all = match set_quantifier {
                SetQuantifier::All => true,
                SetQuantifier::None | SetQuantifier::Distinct => false,
                _ => return Err(refused("a union by name")),
            };
            rest.push((SetOperator { word, all }, right.as_ref()));
            left = inner;
        }
        rest.reverse();
        let (first, outputs) = self.operand(left)?;
        let rest = rest
            .into_iter()
            .map(|(operator, right)| {
                // what binds tighter than its left neighbour is a chain of its own
                Ok((operator, self.operand(right)?.0))
            })
            .collect::<Result<Vec<_>, Error>>()?;
        Ok((
            Body::Sets {
                first: Box::new(first),
                rest,
            },
            outputs,
        ))
    }

    /// An operand of a union: its relations are its own.
    fn operand(&mut self, body: &SetExpr) -> Result<(Body, Vec<String>), Error> {
        self.deeper(|lift| {
            let levels = lift.levels.len();
            let done = lift.body(body);
            lift.levels.truncate(levels);
            let (body, outputs) = done?;
            Ok(match body {
                // written in parentheses, it is a query
                Body::Sets { .. } => {
                    let query = Query {
                        recursive: false,
                        common: Vec::new(),
                        body,
                        order: Vec::new(),
                        limit: None,
                        ties: false,
                        offset: None,
                    };
                    (Body::Nested(Box::new(query)), outputs)
                }
                body => (body, outputs),
            })
        })
    }

    /// An ORDER BY of a query: after a union only columns of the answer can be named.
    pub(super) fn orders(
        &mut self,
        list: &[sql::OrderByExpr],
        outputs: &[String],
        of_select: bool,
    ) -> Result<Vec<Order>, Error> {
        if !of_select {
            // no relation of an operand is in sight here
            self.levels.push(Level::default());
        }
        list.iter()
            .map(|order| {
                let expr = self.named_or(&order.expr, outputs, true)?;
                ordered(order, expr)
            })
            .collect()
    }
}
