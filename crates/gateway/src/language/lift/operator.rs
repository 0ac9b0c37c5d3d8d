//! Operators by list: chains that are written from left to right, and the others.

use super::super::refused;
use super::super::tree::Expr;
use super::Lift;
use crate::error::Error;
use sqlparser::ast::{BinaryOperator, Expr as Sql};

impl Lift<'_> {
    pub(super) fn binary(
        &mut self,
        whole: &Sql,
        left: &Sql,
        op: &BinaryOperator,
        right: &Sql,
    ) -> Result<Expr, Error> {
        if let Some((rank, _)) = chained(op) {
            // from the top of the left spine down, then up again
            let mut rest = Vec::new();
            let mut first = whole;
            while let Sql::BinaryOp { left, op, right } = first
                && let Some((same, word)) = chained(op)
                && same == rank
            {
                rest.push((word, right.as_ref()));
                first = left;
            }
            let first = self.boxed(first)?;
            let mut lifted = Vec::with_capacity(rest.len());
            for (word, right) in rest.into_iter().rev() {
                lifted.push((word, self.expr(right)?));
            }
            return Ok(flat(*first, lifted, rank));
        }
        Ok(Expr::Binary {
            operator: operator(op)?,
            left: self.operand_of(left)?,
            right: self.operand_of(right)?,
        })
    }
}

/// A chain in which no left end is a chain of the same rank, however it was written.
fn flat(first: Expr, mut more: Vec<(&'static str, Expr)>, rank: u8) -> Expr {
    match first {
        Expr::Chain { first, mut rest }
            if rest.first().map(|(word, _)| rank_of(word)) == Some(rank) =>
        {
            rest.append(&mut more);
            Expr::Chain { first, rest }
        }
        first => Expr::Chain {
            first: Box::new(first),
            rest: more,
        },
    }
}

/// Operators that are written from left to right without parentheses between them, by rank.
fn chained(op: &BinaryOperator) -> Option<(u8, &'static str)> {
    let word = match op {
        BinaryOperator::Or => "OR",
        BinaryOperator::And => "AND",
        BinaryOperator::Plus => "+",
        BinaryOperator::Minus => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::StringConcat => "||",
        _ => return None,
    };
    Some((rank_of(word), word))
}

fn rank_of(word: &str) -> u8 {
    match word {
        "OR" => 1,
        "AND" => 2,
        "||" => 3,
        "+" | "-" => 4,
        _ => 5,
    }
}

/// The other operators; PostgreSQL's own, which only compute.
pub(super) fn operator(op: &BinaryOperator) -> Result<&'static str, Error> {
    Ok(match op {
        BinaryOperator::Eq => "=",
        BinaryOperator::NotEq => "<>",
        BinaryOperator::Lt => "<",
        BinaryOperator::LtEq => "<=",
        BinaryOperator::Gt => ">",
        BinaryOperator::GtEq => ">=",
        BinaryOperator::PGExp => "^",
        BinaryOperator::BitwiseAnd => "&",
        BinaryOperator::BitwiseOr => "|",
        BinaryOperator::PGBitwiseXor => "#",
        BinaryOperator::PGBitwiseShiftLeft => "<<",
        BinaryOperator::PGBitwiseShiftRight => ">>",
        BinaryOperator::PGRegexMatch => "~",
        BinaryOperator::PGRegexIMatch => "~*",
        BinaryOperator::PGRegexNotMatch => "!~",
        BinaryOperator::PGRegexNotIMatch => "!~*",
        _ => return Err(refused("an operator that is not listed")),
    })
}

pub(super) fn is_comparison(op: &BinaryOperator) -> bool {
    matches!(
        op,
        BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
    )
}
