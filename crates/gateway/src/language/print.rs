//! The tree as text: every expression that is not a single word in parentheses, so that nothing it stands beside can change its meaning.
//!
//! Texts go through [`literal`], names through [`identifier`]: nothing else that a client wrote gets here, and numbers are digits.

use super::Governed;
use super::tree::{
    Args, Body, Bound, Call, Common, Distinct, Expr, Frame, From, Group, JoinKind, On, Order, Over,
    Query, Relation, Select, Source, Window,
};
use denym_purpose::{identifier, literal};
use std::collections::BTreeMap;

/// The text of a query; governed tables are written as the queries that mask them.
pub(super) fn print(query: &Query, governed: &BTreeMap<String, Governed>) -> String {
    let mut print = Print {
        out: String::new(),
        governed,
    };
    print.query(query);
    print.out
}

struct Print<'a> {
    out: String,
    governed: &'a BTreeMap<String, Governed>,
}

impl Print<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Items with commas between them.
    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (place, item) in items.iter().enumerate() {
            if place > 0 {
                self.put(", ");
            }
            write(self, item);
        }
    }

    fn name(&mut self, name: &str) {
        self.put(&identifier(name));
    }

    /// A name of ours.
    fn own(&mut self, mark: char, id: usize) {
        self.put(&identifier(&format!("{mark}~{id}")));
    }

    fn names(&mut self, names: &[String]) {
        if !names.is_empty() {
            self.put("(");
            self.list(names, |print, name| print.name(name));
            self.put(")");
        }
    }

    fn query(&mut self, query: &Query) {
        if !query.common.is_empty() {
            self.put(if query.recursive {
                "WITH RECURSIVE "
            } else {
                "WITH "
            });
            self.list(&query.common, Self::common);
            self.put(" ");
        }
        self.body(&query.body);
        self.order(" ORDER BY ", &query.order);
        if let Some(limit) = &query.limit
            && !query.ties
        {
            self.put(" LIMIT ");
            self.expr(limit);
        }
        if let Some(offset) = &query.offset {
            self.put(" OFFSET ");
            self.expr(offset);
        }
        if let Some(limit) = &query.limit
            && query.ties
        {
            self.put(" FETCH FIRST ");
            self.expr(limit);
            self.put(" ROWS WITH TIES");
        }
    }

    fn common(&mut self, common: &Common) {
        self.own('w', common.id);
        self.names(&common.columns);
        self.put(match common.materialized {
            None => " AS (",
            Some(true) => " AS MATERIALIZED (",
            Some(false) => " AS NOT MATERIALIZED (",
        });
        self.query(&common.query);
        self.put(")");
    }

    fn body(&mut self, body: &Body) {
        match body {
            Body::Select(select) => self.select(select),
            Body::Values(rows) => {
                self.put("VALUES ");
                self.list(rows, |print, row| {
                    print.put("(");
                    print.list(row, Self::expr);
                    print.put(")");
                });
            }
            Body::Nested(query) => {
                self.put("(");
                self.query(query);
                self.put(")");
            }
            Body::Sets { first, rest } => {
                self.body(first);
                for (operator, body) in rest {
                    self.put(" ");
                    self.put(operator.word);
                    self.put(if operator.all { " ALL " } else { " " });
                    self.body(body);
                }
            }
        }
    }

    fn select(&mut self, select: &Select) {
        self.put("SELECT ");
        match &select.distinct {
            Distinct::No => {}
            Distinct::Rows => self.put("DISTINCT "),
            Distinct::On(list) => {
                self.put("DISTINCT ON (");
                self.list(list, Self::expr);
                self.put(") ");
            }
        }
        self.list(&select.items, |print, item| {
            print.expr(&item.expr);
            print.put(" AS ");
            print.name(&item.name);
        });
        if !select.from.is_empty() {
            self.put(" FROM ");
            self.list(&select.from, Self::from);
        }
        self.clause(" WHERE ", select.filter.as_ref());
        if !select.group.is_empty() {
            self.put(" GROUP BY ");
            self.list(&select.group, Self::group);
        }
        self.clause(" HAVING ", select.having.as_ref());
        if !select.windows.is_empty() {
            self.put(" WINDOW ");
            self.list(&select.windows, |print, (id, window)| {
                print.own('n', *id);
                print.put(" AS ");
                print.window(window);
            });
        }
    }

    fn clause(&mut self, word: &str, expr: Option<&Expr>) {
        if let Some(expr) = expr {
            self.put(word);
            self.expr(expr);
        }
    }

    fn group(&mut self, group: &Group) {
        let (word, sets) = match group {
            Group::By(expr) => return self.expr(expr),
            Group::Sets(sets) => ("GROUPING SETS (", sets),
            Group::Cube(sets) => ("CUBE (", sets),
            Group::Rollup(sets) => ("ROLLUP (", sets),
        };
        self.put(word);
        self.list(sets, |print, set| {
            print.put("(");
            print.list(set, Self::expr);
            print.put(")");
        });
        self.put(")");
    }

    fn from(&mut self, from: &From) {
        match from {
            From::Relation(relation) => self.relation(relation),
            From::Join(join) => {
                self.from(&join.left);
                self.put(match join.kind {
                    JoinKind::Inner => " JOIN ",
                    JoinKind::Left => " LEFT JOIN ",
                    JoinKind::Right => " RIGHT JOIN ",
                    JoinKind::Full => " FULL JOIN ",
                    JoinKind::Cross => " CROSS JOIN ",
                });
                // joins go from left to right by themselves
                let is_joined = matches!(join.right, From::Join(_));
                self.put(if is_joined { "(" } else { "" });
                self.from(&join.right);
                self.put(if is_joined { ")" } else { "" });
                match &join.on {
                    On::Nothing => {}
                    On::Condition(condition) => {
                        self.put(" ON ");
                        self.expr(condition);
                    }
                    On::Using(names) => {
                        self.put(" USING ");
                        self.names(names);
                    }
                }
            }
        }
    }

    fn relation(&mut self, relation: &Relation) {
        match &relation.source {
            Source::Governed(table) => {
                self.put("(");
                if let Some(governed) = self.governed.get(table) {
                    self.put(&governed.sql);
                }
                self.put(")");
            }
            Source::Common(id) => self.own('w', *id),
            Source::Derived { lateral, query } => {
                self.put(if *lateral { "LATERAL (" } else { "(" });
                self.query(query);
                self.put(")");
            }
            Source::Series(args) => {
                self.put("generate_series(");
                self.list(args, Self::expr);
                self.put(")");
            }
            Source::Unnest(array) => {
                self.put("unnest(");
                self.expr(array);
                self.put(")");
            }
        }
        self.put(" AS ");
        self.own('r', relation.id);
        self.names(&relation.columns);
    }

    fn order(&mut self, word: &str, list: &[Order]) {
        if list.is_empty() {
            return;
        }
        self.put(word);
        self.list(list, |print, order| {
            print.expr(&order.expr);
            print.put(match order.ascending {
                None => "",
                Some(true) => " ASC",
                Some(false) => " DESC",
            });
            print.put(match order.nulls_first {
                None => "",
                Some(true) => " NULLS FIRST",
                Some(false) => " NULLS LAST",
            });
        });
    }

    fn window(&mut self, window: &Window) {
        self.put("(");
        if let Some(id) = window.base {
            self.own('n', id);
        }
        if !window.partition.is_empty() {
            self.put(" PARTITION BY ");
            self.list(&window.partition, Self::expr);
        }
        self.order(" ORDER BY ", &window.order);
        if let Some(frame) = &window.frame {
            self.frame(frame);
        }
        self.put(")");
    }

    fn frame(&mut self, frame: &Frame) {
        self.put(" ");
        self.put(frame.unit);
        match &frame.end {
            None => {
                self.put(" ");
                self.bound(&frame.start);
            }
            Some(end) => {
                self.put(" BETWEEN ");
                self.bound(&frame.start);
                self.put(" AND ");
                self.bound(end);
            }
        }
    }

    fn bound(&mut self, bound: &Bound) {
        let (expr, word) = match bound {
            Bound::Current => return self.put("CURRENT ROW"),
            Bound::Preceding(expr) => (expr, " PRECEDING"),
            Bound::Following(expr) => (expr, " FOLLOWING"),
        };
        match expr {
            None => self.put("UNBOUNDED"),
            Some(expr) => self.expr(expr),
        }
        self.put(word);
    }

    /// An expression: one word, a call, or something in parentheses.
    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Column { relation, name } => {
                if let Some(id) = relation {
                    self.own('r', *id);
                    self.put(".");
                }
                self.name(name);
            }
            Expr::Output(name) => self.name(name),
            Expr::Text(text) => self.put(&literal(text)),
            Expr::Number(digits) => self.put(digits),
            Expr::Boolean(truth) => self.put(if *truth { "true" } else { "false" }),
            Expr::Null => self.put("NULL"),
            Expr::Parameter(place) => self.put(&format!("${place}")),
            Expr::Call(call) => self.call(call),
            Expr::Cast { expr, kind } => {
                self.put("CAST(");
                self.expr(expr);
                self.put(&format!(" AS {kind})"));
            }
            Expr::Extract { field, expr } => {
                self.put("EXTRACT(");
                self.put(field);
                self.put(" FROM ");
                self.expr(expr);
                self.put(")");
            }
            Expr::Array(list) => {
                self.put("ARRAY[");
                self.list(list, Self::expr);
                self.put("]");
            }
            Expr::Row(list) => {
                self.put("(");
                self.list(list, Self::expr);
                self.put(")");
            }
            Expr::Scalar(query) => {
                self.put("(");
                self.query(query);
                self.put(")");
            }
            expr => {
                self.put("(");
                self.open(expr);
                self.put(")");
            }
        }
    }

    /// What stands in the parentheses.
    fn open(&mut self, expr: &Expr) {
        match expr {
            Expr::Not(expr) => {
                self.put("NOT ");
                self.expr(expr);
            }
            Expr::Negative(expr) => {
                self.put("- ");
                self.expr(expr);
            }
            Expr::Positive(expr) => {
                self.put("+ ");
                self.expr(expr);
            }
            Expr::Chain { first, rest } => {
                self.expr(first);
                for (word, operand) in rest {
                    self.infix(word);
                    self.expr(operand);
                }
            }
            Expr::Binary {
                left,
                operator,
                right,
            } => {
                self.expr(left);
                self.infix(operator);
                self.expr(right);
            }
            Expr::Is { expr, test } => {
                self.expr(expr);
                self.put(" ");
                self.put(test);
            }
            Expr::InList {
                expr,
                negated,
                list,
            } => {
                self.expr(expr);
                self.put(if *negated { " NOT IN (" } else { " IN (" });
                self.list(list, Self::expr);
                self.put(")");
            }
            Expr::InQuery {
                expr,
                negated,
                query,
            } => {
                self.expr(expr);
                self.put(if *negated { " NOT IN (" } else { " IN (" });
                self.query(query);
                self.put(")");
            }
            Expr::Between {
                expr,
                negated,
                low,
                high,
            } => {
                self.expr(expr);
                self.put(if *negated {
                    " NOT BETWEEN "
                } else {
                    " BETWEEN "
                });
                self.expr(low);
                self.put(" AND ");
                self.expr(high);
            }
            Expr::Quantified {
                left,
                operator,
                all,
                right,
            } => {
                self.expr(left);
                self.infix(operator);
                self.put(if *all { "ALL " } else { "ANY " });
                // a query brings its own parentheses
                let is_query = matches!(**right, Expr::Scalar(_));
                self.put(if is_query { "" } else { "(" });
                self.expr(right);
                self.put(if is_query { "" } else { ")" });
            }
            Expr::Case {
                operand,
                branches,
                otherwise,
            } => {
                self.put("CASE");
                if let Some(operand) = operand {
                    self.put(" ");
                    self.expr(operand);
                }
                for (condition, result) in branches {
                    self.put(" WHEN ");
                    self.expr(condition);
                    self.put(" THEN ");
                    self.expr(result);
                }
                if let Some(otherwise) = otherwise {
                    self.put(" ELSE ");
                    self.expr(otherwise);
                }
                self.put(" END");
            }
            Expr::Exists(query) => {
                self.put("EXISTS (");
                self.query(query);
                self.put(")");
            }
            // single words and calls, which need none
            expr => self.expr(expr),
        }
    }

    fn infix(&mut self, word: &str) {
        self.put(" ");
        self.put(word);
        self.put(" ");
    }

    fn call(&mut self, call: &Call) {
        // words of PostgreSQL's grammar or of the parser's have no schema
        if !matches!(
            call.name,
            "ceil" | "coalesce" | "floor" | "greatest" | "least" | "nullif" | "substring"
        ) {
            self.put("pg_catalog.");
        }
        self.put(call.name);
        self.put("(");
        self.put(if call.distinct { "DISTINCT " } else { "" });
        match &call.args {
            Args::All => self.put("*"),
            Args::These(args) => self.list(args, Self::expr),
        }
        self.order(" ORDER BY ", &call.order);
        self.put(")");
        if !call.within.is_empty() {
            self.put(" WITHIN GROUP (");
            self.order("ORDER BY ", &call.within);
            self.put(")");
        }
        if let Some(filter) = &call.filter {
            self.put(" FILTER (WHERE ");
            self.expr(filter);
            self.put(")");
        }
        match &call.over {
            None => {}
            Some(Over::Named(id)) => {
                self.put(" OVER ");
                self.own('n', *id);
            }
            Some(Over::Window(window)) => {
                self.put(" OVER ");
                self.window(window);
            }
        }
    }
}
