//! The rewrite for the PostgreSQL backend: governed tables become masked subqueries with literal bits, and PostgreSQL does the work.
//!
//! # Idea
//! In the client's query every reference to a governed table is replaced by `(SELECT masked cells FROM raw table) AS name`. Predicates, joins,
//! grouping, ordering and windows of the query then work on masked values only; PostgreSQL pulls the subquery up, so that indexes
//! on the masked expressions serve.
//!
//! # Guarantee
//! Default deny: a relation that is neither governed nor a CTE of the query, a function, a type or an operator that is not listed is
//! refused before anything reaches the server. So no catalogue, no raw table, no function that reads files, settings or runs SQL.
//!
//! # Departures
//! In `filter` mode the requested cells are the columns of the table that are named anywhere in the query, or all of them with `*`: a column
//! name counts for every governed table of the query that has it. That drops more records than needed, never fewer.

use crate::error::Error;
use crate::scope::{Scopes, operands};
use crate::statement::folded;
use crate::view::is_plain;
use denym_purpose::{AccessPolicy, AccessPurpose, Activation, PostgresTable, TablePolicy};
use sqlparser::ast::{
    BinaryOperator, DataType, Expr, Ident, ObjectName, Query, Select, SelectItem, SetExpr,
    Statement, TableAlias, TableFactor, TableWithJoins, Value, Visit, VisitMut, Visitor,
    VisitorMut,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

/// Functions that only compute on their arguments.
const FUNCTIONS: [&str; 74] = [
    "abs",
    "array_agg",
    "avg",
    "bool_and",
    "bool_or",
    "btrim",
    "ceil",
    "ceiling",
    "char_length",
    "coalesce",
    "concat",
    "concat_ws",
    "corr",
    "count",
    "covar_pop",
    "covar_samp",
    "cume_dist",
    "date_part",
    "date_trunc",
    "dense_rank",
    "every",
    "exp",
    "extract",
    "first_value",
    "floor",
    "generate_series",
    "greatest",
    "initcap",
    "lag",
    "last_value",
    "lead",
    "least",
    "left",
    "length",
    "ln",
    "log",
    "lower",
    "lpad",
    "ltrim",
    "max",
    "min",
    "mod",
    "mode",
    "nth_value",
    "ntile",
    "nullif",
    "percent_rank",
    "percentile_cont",
    "percentile_disc",
    "position",
    "power",
    "rank",
    "replace",
    "reverse",
    "right",
    "round",
    "row_number",
    "rpad",
    "rtrim",
    "sign",
    "split_part",
    "sqrt",
    "starts_with",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "string_agg",
    "strpos",
    "substr",
    "substring",
    "sum",
    "to_char",
    "trunc",
    "upper",
];

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
        let names = Names::of(statement);
        let mut check = OnlyKnown {
            policy: self.policy,
            scopes: Scopes::default(),
        };
        if let ControlFlow::Break(what) = statement.visit(&mut check) {
            return Err(Error::NotAllowed { what });
        }
        let mut rewritten = statement.clone();
        let mut lifted = Lift::default();
        if lifts {
            let _ = VisitMut::visit(&mut rewritten, &mut lifted);
        }
        let mut replace = Replace {
            pushdown: self,
            names: &names,
            tables: BTreeMap::new(),
        };
        if let ControlFlow::Break(error) = VisitMut::visit(&mut rewritten, &mut replace) {
            return Err(error);
        }
        Ok(Rewritten {
            tables: replace.tables,
            sql: rewritten.to_string(),
            values: lifted.values,
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
fn relation(name: &ObjectName) -> Option<String> {
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
    from.joins.iter().any(|join| {
        let text = join.to_string().to_uppercase();
        text.contains("NATURAL") || text.contains("USING")
    })
}

/// Finds what is not on the lists.
struct OnlyKnown<'a> {
    policy: &'a AccessPolicy,
    scopes: Scopes,
}

impl Visitor for OnlyKnown<'_> {
    type Break = String;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<String> {
        self.scopes.enter(query);
        if operands(query)
            .iter()
            .any(|body| matches!(body, SetExpr::Table(_)))
        {
            return ControlFlow::Break("TABLE".into());
        }
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            // it would hide the governed table of that name in some parts of the query and not in others
            if self.policy.tables.contains_key(&folded(&cte.alias.name)) {
                return ControlFlow::Break("a WITH query with the name of a governed table".into());
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<String> {
        self.scopes.leave();
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<String> {
        match factor {
            TableFactor::Table { name, args, .. } => {
                if let Some(args) = args {
                    let text = name.to_string().to_lowercase();
                    return if text == "generate_series" && args.settings.is_none() {
                        ControlFlow::Continue(())
                    } else {
                        ControlFlow::Break("a table function".into())
                    };
                }
                if !is_plain(factor) {
                    return ControlFlow::Break("a clause at a table".into());
                }
                // what only a WITH elsewhere is called would be looked for in the server's own catalogue
                let is_governed =
                    relation(name).is_some_and(|name| self.policy.tables.contains_key(&name));
                if is_governed || self.scopes.common(name).is_some() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break("a relation that is not governed".into())
                }
            }
            TableFactor::Derived { .. }
            | TableFactor::NestedJoin { .. }
            | TableFactor::UNNEST { .. } => ControlFlow::Continue(()),
            _ => ControlFlow::Break("a table expression of another dialect".into()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<String> {
        match expr {
            Expr::Function(function) => {
                let name = function.name.to_string().to_lowercase();
                let name = name.strip_prefix("pg_catalog.").unwrap_or(&name);
                if FUNCTIONS.contains(&name) {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break("a function that is not listed".into())
                }
            }
            Expr::Cast { data_type, .. } if !plain(data_type) => {
                ControlFlow::Break("a type that is not listed".into())
            }
            Expr::TypedString(typed) if !plain(&typed.data_type) => {
                ControlFlow::Break("a type that is not listed".into())
            }
            Expr::BinaryOp {
                op: BinaryOperator::PGCustomBinaryOperator(_) | BinaryOperator::Custom(_),
                ..
            } => ControlFlow::Break("an operator that is not listed".into()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Types without a look into the catalogue behind them.
fn plain(kind: &DataType) -> bool {
    match kind {
        DataType::Array(_) | DataType::Custom(..) | DataType::Regclass => false,
        other => {
            let text = other.to_string().to_lowercase();
            let word = text.split(['(', ' ']).next().unwrap_or("");
            matches!(
                word,
                "text"
                    | "varchar"
                    | "character"
                    | "char"
                    | "int"
                    | "integer"
                    | "int2"
                    | "int4"
                    | "int8"
                    | "smallint"
                    | "bigint"
                    | "numeric"
                    | "decimal"
                    | "real"
                    | "double"
                    | "float"
                    | "float4"
                    | "float8"
                    | "boolean"
                    | "bool"
                    | "date"
                    | "time"
                    | "timestamp"
                    | "timestamptz"
                    | "interval"
            )
        }
    }
}

/// Lifts values out of comparisons with a column in WHERE: whole numbers and texts, whose type follows from the column.
#[derive(Default)]
struct Lift {
    values: Vec<String>,
}

impl VisitorMut for Lift {
    type Break = ();

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<()> {
        if let Some(condition) = &mut select.selection {
            self.lift(condition);
        }
        ControlFlow::Continue(())
    }
}

impl Lift {
    fn lift(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Nested(inner) => self.lift(inner),
            Expr::BinaryOp {
                left,
                op: BinaryOperator::And | BinaryOperator::Or,
                right,
            } => {
                self.lift(left);
                self.lift(right);
            }
            Expr::BinaryOp {
                left,
                op:
                    BinaryOperator::Eq
                    | BinaryOperator::NotEq
                    | BinaryOperator::Lt
                    | BinaryOperator::LtEq
                    | BinaryOperator::Gt
                    | BinaryOperator::GtEq,
                right,
            } if matches!(**left, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) => {
                let Expr::Value(value) = right.as_mut() else {
                    return;
                };
                let text = match &value.value {
                    // eighteen digits are within every whole number's bounds
                    Value::Number(digits, false)
                        if digits.len() <= 18 && digits.bytes().all(|b| b.is_ascii_digit()) =>
                    {
                        digits.clone()
                    }
                    Value::SingleQuotedString(text) => text.clone(),
                    _ => return,
                };
                self.values.push(text);
                value.value = Value::Placeholder(format!("${}", self.values.len()));
            }
            _ => {}
        }
    }
}

/// Replaces governed tables.
struct Replace<'a> {
    pushdown: &'a Pushdown<'a>,
    names: &'a Names,
    tables: BTreeMap<String, Vec<String>>,
}

impl VisitorMut for Replace<'_> {
    type Break = Error;

    // after its parts were visited, so that the masked subquery itself is not looked into
    fn post_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Error> {
        let TableFactor::Table {
            name: name_of,
            alias: alias_of,
            args: None,
            ..
        } = factor
        else {
            return ControlFlow::Continue(());
        };
        let Some(name) = relation(name_of) else {
            return ControlFlow::Break(Error::Syntax);
        };
        if !self.pushdown.policy.tables.contains_key(&name) {
            // a CTE: everything else was refused before
            return ControlFlow::Continue(());
        }
        let (sql, columns) = match self.pushdown.masked(&name, self.names) {
            Ok(masked) => masked,
            Err(error) => return ControlFlow::Break(error),
        };
        self.tables.insert(name.clone(), columns);
        let alias = alias_of.clone().unwrap_or_else(|| TableAlias {
            explicit: true,
            name: Ident::with_quote('"', name),
            columns: Vec::new(),
            at: None,
        });
        // a name without quotes is written as it is: our own text, which need not be parsed to be written again
        *name_of = ObjectName::from(vec![Ident::new(format!("({sql})"))]);
        *alias_of = Some(alias);
        ControlFlow::Continue(())
    }
}
