//! Relations of a FROM list: governed tables, `WITH` queries, subqueries, rows of numbers; and the joins between them.

use super::super::names::{Seen, Starred};
use super::super::refused;
use super::super::tree::{Expr, From, Join, JoinKind, On, Relation, Source};
use super::{Lift, Tables, renamed};
use crate::error::Error;
use crate::pushdown::relation;
use crate::scope::bare;
use crate::view::is_plain;
use sqlparser::ast::{
    self as sql, FunctionArg, FunctionArgExpr, JoinConstraint, JoinOperator, ObjectName,
    TableAlias, TableFactor, TableWithJoins,
};

impl Lift<'_> {
    /// A FROM list, and the columns that `*` stands for.
    pub(super) fn from(
        &mut self,
        list: &[TableWithJoins],
    ) -> Result<(Vec<From>, Vec<Starred>), Error> {
        let mut from = Vec::new();
        let mut starred = Vec::new();
        for tables in list {
            let (tree, columns) = self.joined(tables)?;
            from.push(tree);
            starred.extend(columns);
        }
        Ok((from, starred))
    }

    fn joined(&mut self, tables: &TableWithJoins) -> Result<(From, Vec<Starred>), Error> {
        let TableWithJoins { relation, joins } = tables;
        let (mut left, mut columns) = self.factor(relation)?;
        for join in joins {
            let sql::Join {
                relation,
                global,
                join_operator,
            } = join;
            if *global {
                return Err(refused("a join of another dialect"));
            }
            let (right, more) = self.factor(relation)?;
            let (kind, constraint) = match join_operator {
                JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => {
                    (JoinKind::Inner, constraint)
                }
                JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => {
                    (JoinKind::Left, constraint)
                }
                JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => {
                    (JoinKind::Right, constraint)
                }
                JoinOperator::FullOuter(constraint) => (JoinKind::Full, constraint),
                JoinOperator::CrossJoin(constraint) => (JoinKind::Cross, constraint),
                _ => return Err(refused("a join of another dialect")),
            };
            let (on, both) = self.on(kind, constraint, columns, more)?;
            columns = both;
            left = From::Join(Box::new(Join {
                left,
                right,
                kind,
                on,
            }));
        }
        Ok((left, columns))
    }

    /// The condition of a join, and the columns of its result.
    fn on(
        &mut self,
        kind: JoinKind,
        constraint: &JoinConstraint,
        left: Vec<Starred>,
        right: Vec<Starred>,
    ) -> Result<(On, Vec<Starred>), Error> {
        let names = match (constraint, kind) {
            (JoinConstraint::None, JoinKind::Cross) => {
                return Ok((On::Nothing, left.into_iter().chain(right).collect()));
            }
            (_, JoinKind::Cross) | (JoinConstraint::None, _) => {
                return Err(refused(
                    "a join without condition, or a cross join with one",
                ));
            }
            (JoinConstraint::On(condition), _) => {
                let condition = self.expr(condition)?;
                return Ok((
                    On::Condition(condition),
                    left.into_iter().chain(right).collect(),
                ));
            }
            (JoinConstraint::Natural, _) => left
                .iter()
                .filter(|column| right.iter().any(|other| other.name == column.name))
                .map(|column| column.name.clone())
                .collect::<Vec<_>>(),
            (JoinConstraint::Using(names), _) => names
                .iter()
                .map(|of| match &of.0[..] {
                    [part] => self.name(part.as_ident().ok_or(Error::Syntax)?),
                    _ => Err(refused("a qualified name in USING")),
                })
                .collect::<Result<Vec<_>, _>>()?,
        };
        if names.is_empty() {
            // a natural join of tables that share no name
            return Ok((
                On::Condition(Expr::Boolean(true)),
                left.into_iter().chain(right).collect(),
            ));
        }
        for name in &names {
            let is_in = |side: &[Starred]| side.iter().any(|column| column.name == *name);
            if !is_in(&left) || !is_in(&right) {
                return Err(Error::Unknown { name: name.clone() });
            }
        }
        let merged = names.iter().map(|name| Starred {
            relation: None,
            name: name.clone(),
        });
        let rest = left
            .into_iter()
            .chain(right)
            .filter(|column| !names.contains(&column.name));
        let both = merged.chain(rest).collect();
        self.level()?.merged.extend(names.iter().cloned());
        Ok((On::Using(names), both))
    }

    fn factor(&mut self, factor: &TableFactor) -> Result<(From, Vec<Starred>), Error> {
        self.deeper(|lift| match factor {
            TableFactor::NestedJoin {
                table_with_joins,
                alias: None,
            } => lift.joined(table_with_joins),
            factor => lift.relation(factor),
        })
    }

    fn relation(&mut self, factor: &TableFactor) -> Result<(From, Vec<Starred>), Error> {
        let (source, columns, alias, name) = match factor {
            TableFactor::Table {
                name,
                alias,
                args: None,
                ..
            } => {
                if !is_plain(factor) {
                    return Err(refused("a clause at a table"));
                }
                let (source, columns, own) = self.table(name)?;
                (source, columns, alias, own)
            }
            TableFactor::Table {
                name,
                alias,
                args:
                    Some(sql::TableFunctionArgs {
                        args,
                        settings: None,
                    }),
                with_hints,
                version: None,
                with_ordinality: false,
                partitions,
                json_path: None,
                sample: None,
                index_hints,
            } if with_hints.is_empty() && partitions.is_empty() && index_hints.is_empty() => {
                self.function(name, args, alias.as_ref())?.with_alias(alias)
            }
            TableFactor::Function {
                lateral: _,
                name,
                args,
                with_ordinality: false,
                alias,
            } => self.function(name, args, alias.as_ref())?.with_alias(alias),
            TableFactor::UNNEST {
                alias,
                array_exprs,
                with_offset: false,
                with_offset_alias: None,
                with_ordinality: false,
            } => {
                let [array] = &array_exprs[..] else {
                    return Err(refused("unnest of several arrays"));
                };
                let source = Source::Unnest(Box::new(self.expr(array)?));
                let name = self.function_column("unnest", alias.as_ref())?;
                (source, vec![name], alias, "unnest".to_owned())
            }
            TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample: None,
            } => {
                let (source, columns) = self.derived(*lateral, subquery)?;
                let Some(_) = alias else {
                    return Err(refused("a subquery in FROM without a name"));
                };
                (source, columns, alias, String::new())
            }
            _ => {
                return Err(refused(
                    "a table function, or a table expression of another dialect",
                ));
            }
        };
        let (name, columns) = match alias {
            None => (name, columns),
            Some(alias) => {
                let (name, given) = self.alias(alias)?;
                (name, renamed(columns, given)?)
            }
        };
        let id = self.number(&name)?;
        self.level()?.add(Seen {
            name,
            id,
            columns: columns.clone(),
        })?;
        let starred = columns
            .iter()
            .map(|name| Starred {
                relation: Some(id),
                name: name.clone(),
            })
            .collect();
        Ok((
            From::Relation(Relation {
                id,
                columns,
                source,
            }),
            starred,
        ))
    }

    /// A governed table or a `WITH` query: its source, its columns and what it is called without an alias.
    fn table(&mut self, name: &ObjectName) -> Result<(Source, Vec<String>, String), Error> {
        if let Some(bare) = bare(name)
            && let Some(seen) = self.common.iter().rev().find(|seen| seen.name == bare)
        {
            return Ok((Source::Common(seen.id), seen.columns.clone(), bare));
        }
        if let Tables::Named(governed) = &self.tables
            && let Some(name) = relation(name)
            && let Some(table) = governed.get(&name)
        {
            self.read.insert(name.clone());
            return Ok((Source::Governed(name.clone()), table.columns.clone(), name));
        }
        // what only a WITH elsewhere is called would be looked for in the server's own catalogue
        Err(refused("a relation that is not governed"))
    }

    fn derived(
        &mut self,
        lateral: bool,
        subquery: &sql::Query,
    ) -> Result<(Source, Vec<String>), Error> {
        if let Tables::Written(masked) = &self.tables
            && let Some((table, (_, columns))) =
                masked.iter().find(|(_, (query, _))| query == subquery)
        {
            return Ok((Source::Governed(table.clone()), columns.clone()));
        }
        // only LATERAL sees its neighbours
        let hidden = if lateral {
            None
        } else {
            Some(std::mem::take(self.level()?))
        };
        let done = self.query(subquery);
        if let Some(hidden) = hidden {
            *self.level()? = hidden;
        }
        let (query, columns) = done?;
        let query = Box::new(query);
        Ok((Source::Derived { lateral, query }, columns))
    }

    fn function(
        &mut self,
        name: &ObjectName,
        args: &[FunctionArg],
        alias: Option<&TableAlias>,
    ) -> Result<FromFunction, Error> {
        let name = match &super::call::function_name(name)?[..] {
            "generate_series" if (2..=3).contains(&args.len()) => "generate_series",
            "unnest" if args.len() == 1 => "unnest",
            _ => return Err(refused("a table function")),
        };
        let mut exprs = args
            .iter()
            .map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => self.expr(expr),
                _ => Err(refused("an argument with a name")),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let source = match (name, exprs.pop(), exprs.is_empty()) {
            ("unnest", Some(array), true) => Source::Unnest(Box::new(array)),
            ("unnest", ..) => return Err(refused("unnest of several arrays")),
            (_, last, _) => {
                exprs.extend(last);
                Source::Series(exprs)
            }
        };
        Ok(FromFunction {
            source,
            column: self.function_column(name, alias)?,
            name,
        })
    }

    /// The one column of a function in FROM is called as its alias is.
    fn function_column(&self, name: &str, alias: Option<&TableAlias>) -> Result<String, Error> {
        match alias {
            None => Ok(name.to_owned()),
            Some(alias) => self.name(&alias.name),
        }
    }
}

struct FromFunction {
    source: Source,
    column: String,
    name: &'static str,
}

impl FromFunction {
    #[expect(clippy::ref_option, reason = "as the parser has it")]
    fn with_alias(
        self,
        alias: &Option<TableAlias>,
    ) -> (Source, Vec<String>, &Option<TableAlias>, String) {
        (self.source, vec![self.column], alias, self.name.to_owned())
    }
}
