//! Expressions: columns that their relation has, types and forms by list.

use super::super::kinds::Kind;
use super::super::names::is_keyword;
use super::super::refused;
use super::super::tree::Expr;
use super::Lift;
use super::call::{plain_call, trim};
use super::literal::{field_word, literal, span};
use super::operator::{is_comparison, operator};
use crate::error::Error;
use sqlparser::ast::{
    self as sql, BinaryOperator, CastKind, CeilFloorKind, DateTimeField, Expr as Sql, UnaryOperator,
};

impl Lift<'_> {
    pub(super) fn exprs(&mut self, list: &[Sql]) -> Result<Vec<Expr>, Error> {
        list.iter().map(|expr| self.expr(expr)).collect()
    }

    pub(super) fn boxed(&mut self, expr: &Sql) -> Result<Box<Expr>, Error> {
        self.expr(expr).map(Box::new)
    }

    pub(super) fn expr(&mut self, expr: &Sql) -> Result<Expr, Error> {
        self.deeper(|lift| lift.expr_here(expr))
    }

    fn expr_here(&mut self, expr: &Sql) -> Result<Expr, Error> {
        let is = |lift: &mut Self, expr: &Sql, test| {
            lift.operand_of(expr).map(|expr| Expr::Is { expr, test })
        };
        Ok(match expr {
            Sql::Nested(inner) => self.expr(inner)?,
            Sql::Identifier(ident) => self.column(ident)?,
            Sql::CompoundIdentifier(parts) => self.qualified(parts)?,
            Sql::Value(value) => literal(&value.value)?,
            Sql::UnaryOp { op, expr } => match op {
                UnaryOperator::Not => Expr::Not(self.boxed(expr)?),
                UnaryOperator::Minus => Expr::Negative(self.boxed(expr)?),
                UnaryOperator::Plus => Expr::Positive(self.boxed(expr)?),
                _ => return Err(refused("an operator that is not listed")),
            },
            Sql::BinaryOp { left, op, right } => self.binary(expr, left, op, right)?,
            Sql::IsNull(of) => is(self, of, "IS NULL")?,
            Sql::IsNotNull(of) => is(self, of, "IS NOT NULL")?,
            Sql::IsTrue(of) => is(self, of, "IS TRUE")?,
            Sql::IsNotTrue(of) => is(self, of, "IS NOT TRUE")?,
            Sql::IsFalse(of) => is(self, of, "IS FALSE")?,
            Sql::IsNotFalse(of) => is(self, of, "IS NOT FALSE")?,
            Sql::IsUnknown(of) => is(self, of, "IS UNKNOWN")?,
            Sql::IsNotUnknown(of) => is(self, of, "IS NOT UNKNOWN")?,
            Sql::IsDistinctFrom(left, right) => Expr::Binary {
                left: self.operand_of(left)?,
                operator: "IS DISTINCT FROM",
                right: self.operand_of(right)?,
            },
            Sql::IsNotDistinctFrom(left, right) => Expr::Binary {
                left: self.operand_of(left)?,
                operator: "IS NOT DISTINCT FROM",
                right: self.operand_of(right)?,
            },
            Sql::InList {
                expr,
                list,
                negated,
            } if !list.is_empty() => Expr::InList {
                expr: self.operand_of(expr)?,
                negated: *negated,
                list: list
                    .iter()
                    .map(|one| self.operand_of(one).map(|one| *one))
                    .collect::<Result<Vec<_>, _>>()?,
            },
            Sql::InSubquery {
                expr,
                subquery,
                negated,
            } => Expr::InQuery {
                expr: self.operand_of(expr)?,
                negated: *negated,
                query: Box::new(self.query(subquery)?.0),
            },
            Sql::Between {
                expr,
                negated,
                low,
                high,
            } => Expr::Between {
                expr: self.boxed(expr)?,
                negated: *negated,
                low: self.boxed(low)?,
                high: self.boxed(high)?,
            },
            Sql::Like {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            } => {
                let operator = if *negated { "NOT LIKE" } else { "LIKE" };
                self.like(expr, operator, "like_escape", pattern, escape_char.as_ref())?
            }
            Sql::ILike {
                negated,
                any: false,
                expr,
                pattern,
                escape_char,
            } => {
                let operator = if *negated { "NOT ILIKE" } else { "ILIKE" };
                self.like(expr, operator, "like_escape", pattern, escape_char.as_ref())?
            }
            Sql::SimilarTo {
                negated,
                expr,
                pattern,
                escape_char,
            } => {
                let operator = if *negated { "!~" } else { "~" };
                self.like(
                    expr,
                    operator,
                    "similar_to_escape",
                    pattern,
                    escape_char.as_ref(),
                )?
            }
            Sql::AnyOp {
                left,
                compare_op,
                right,
                is_some: _,
            } => self.quantified(left, compare_op, right, false)?,
            Sql::AllOp {
                left,
                compare_op,
                right,
            } => self.quantified(left, compare_op, right, true)?,
            Sql::Cast {
                kind: CastKind::Cast | CastKind::DoubleColon,
                expr,
                data_type,
                array: false,
                format: None,
            } => Expr::Cast {
                kind: Kind::of(data_type)?,
                expr: self.boxed(expr)?,
            },
            Sql::TypedString(sql::TypedString {
                data_type,
                value,
                uses_odbc_syntax: false,
            }) => Expr::Cast {
                kind: Kind::of(data_type)?,
                expr: Box::new(match literal(&value.value)? {
                    Expr::Text(text) => Expr::Text(text),
                    _ => return Err(refused("a type before anything but a text")),
                }),
            },
            Sql::Interval(interval) => span(interval)?,
            Sql::AtTimeZone {
                timestamp,
                time_zone,
            } => {
                let args = vec![self.expr(time_zone)?, self.expr(timestamp)?];
                plain_call("timezone", args)
            }
            Sql::Extract {
                field,
                syntax: sql::ExtractSyntax::From,
                expr,
            } => Expr::Extract {
                field: field_word(field)?,
                expr: self.boxed(expr)?,
            },
            Sql::Ceil {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => plain_call("ceil", vec![self.expr(expr)?]),
            Sql::Floor {
                expr,
                field: CeilFloorKind::DateTimeField(DateTimeField::NoDateTime),
            } => plain_call("floor", vec![self.expr(expr)?]),
            Sql::Position { expr, r#in } => {
                let args = vec![self.expr(r#in)?, self.expr(expr)?];
                plain_call("strpos", args)
            }
            Sql::Substring {
                expr,
                substring_from,
                substring_for,
                special: _,
                shorthand: _,
            } => {
                let mut args = vec![self.expr(expr)?];
                match (substring_from, substring_for) {
                    (None, None) => return Err(refused("a substring of nothing")),
                    (Some(from), None) => args.push(self.expr(from)?),
                    (None, Some(count)) => {
                        args.push(Expr::Number("1".into()));
                        args.push(self.expr(count)?);
                    }
                    (Some(from), Some(count)) => {
                        args.push(self.expr(from)?);
                        args.push(self.expr(count)?);
                    }
                }
                plain_call("substring", args)
            }
            Sql::Trim {
                trim_where,
                trim_what,
                expr,
                trim_characters: None,
            } => {
                let mut args = vec![self.expr(expr)?];
                if let Some(what) = trim_what {
                    args.push(self.expr(what)?);
                }
                plain_call(trim(*trim_where), args)
            }
            Sql::Function(function) => self.call(function)?,
            Sql::Case {
                case_token: _,
                end_token: _,
                operand,
                conditions,
                else_result,
            } => Expr::Case {
                operand: operand.as_deref().map(|of| self.boxed(of)).transpose()?,
                branches: conditions
                    .iter()
                    .map(|branch| Ok((self.expr(&branch.condition)?, self.expr(&branch.result)?)))
                    .collect::<Result<Vec<_>, Error>>()?,
                otherwise: else_result
                    .as_deref()
                    .map(|of| self.boxed(of))
                    .transpose()?,
            },
            Sql::Exists { subquery, negated } => {
                let exists = Expr::Exists(Box::new(self.query(subquery)?.0));
                if *negated {
                    Expr::Not(Box::new(exists))
                } else {
                    exists
                }
            }
            Sql::Subquery(query) => Expr::Scalar(Box::new(self.query(query)?.0)),
            Sql::Array(sql::Array { elem, named: true }) => Expr::Array(self.exprs(elem)?),
            Sql::CompoundFieldAccess { .. } => {
                return Err(refused("a field or an element of a value"));
            }
            _ => return Err(refused("an expression that is not listed")),
        })
    }

    /// A bare name: a column of the nearest SELECT that has it.
    fn column(&mut self, ident: &sql::Ident) -> Result<Expr, Error> {
        if is_keyword(ident) {
            return Err(refused("a keyword that tells who asks, where or when"));
        }
        let name = self.name(ident)?;
        for level in self.levels.iter().rev() {
            if let Some(found) = level.bare(&name)? {
                return Ok(Expr::Column {
                    // a bare name in our own text is one that a join merged
                    relation: found.relation.filter(|_| self.is_client()),
                    name,
                });
            }
        }
        Err(Error::Unknown { name })
    }

    /// `relation.column`: the nearest relation of that name must have it.
    fn qualified(&mut self, parts: &[sql::Ident]) -> Result<Expr, Error> {
        let [of, column] = parts else {
            return Err(refused("a column name of more than two parts"));
        };
        let (of, name) = (self.name(of)?, self.name(column)?);
        let seen = self
            .levels
            .iter()
            .rev()
            .flat_map(|level| &level.relations)
            .find(|seen| seen.name == of);
        match seen {
            Some(seen) if seen.columns.contains(&name) => Ok(Expr::Column {
                relation: Some(seen.id),
                name,
            }),
            _ => Err(Error::Unknown { name }),
        }
    }

    /// An operand that may be a row of values.
    pub(super) fn operand_of(&mut self, expr: &Sql) -> Result<Box<Expr>, Error> {
        match expr {
            Sql::Tuple(list) if list.len() > 1 => {
                self.deeper(|lift| Ok(Box::new(Expr::Row(lift.exprs(list)?))))
            }
            expr => self.boxed(expr),
        }
    }

    fn like(
        &mut self,
        expr: &Sql,
        operator: &'static str,
        escapes: &'static str,
        pattern: &Sql,
        escape: Option<&sql::ValueWithSpan>,
    ) -> Result<Expr, Error> {
        let mut right = self.expr(pattern)?;
        let mut args = vec![right];
        if let Some(escape) = escape {
            args.push(literal(&escape.value)?);
        }
        right = if args.len() > 1 || escapes == "similar_to_escape" {
            plain_call(escapes, args)
        } else {
            args.pop().ok_or(Error::Mistrusted)?
        };
        Ok(Expr::Binary {
            left: self.boxed(expr)?,
            operator,
            right: Box::new(right),
        })
    }

    fn quantified(
        &mut self,
        left: &Sql,
        op: &BinaryOperator,
        right: &Sql,
        all: bool,
    ) -> Result<Expr, Error> {
        if !is_comparison(op) {
            return Err(refused("ANY or ALL of this operator"));
        }
        Ok(Expr::Quantified {
            left: self.boxed(left)?,
            operator: operator(op)?,
            all,
            right: self.boxed(right)?,
        })
    }
}
