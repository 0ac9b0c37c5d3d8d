//! PostgreSQL's dialect for the parser, with a bound on the parser's work.
//!
//! The parser tries one reading of a word, and when that fails another: within each other such words double the time at each level, and
//! fifty `NOT` before a mistake would take for ever. So each statement has so many tries, by its length, and the rule that reads the
//! arguments of every call twice is left out.

use sqlparser::ast::Expr;
use sqlparser::dialect::{Dialect, PostgreSqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use std::any::TypeId;
use std::cell::Cell;

/// Tries for each word. Most words take one; a word that begins a name and a type takes a few.
const TRIES: usize = 10;

/// The dialect that one statement is read in.
#[derive(Debug)]
pub(crate) struct ServerDialect {
    left: Cell<usize>,
}

impl ServerDialect {
    /// For a statement of so many words.
    pub(crate) fn new(words: usize) -> Self {
        Self {
            left: Cell::new(1_000 + words * TRIES),
        }
    }
}

const OF: PostgreSqlDialect = PostgreSqlDialect {};

impl Dialect for ServerDialect {
    fn dialect(&self) -> TypeId {
        OF.dialect()
    }

    fn identifier_quote_style(&self, name: &str) -> Option<char> {
        OF.identifier_quote_style(name)
    }

    fn is_delimited_identifier_start(&self, sign: char) -> bool {
        OF.is_delimited_identifier_start(sign)
    }

    fn is_identifier_start(&self, sign: char) -> bool {
        OF.is_identifier_start(sign)
    }

    fn is_identifier_part(&self, sign: char) -> bool {
        OF.is_identifier_part(sign)
    }

    fn is_custom_operator_part(&self, sign: char) -> bool {
        OF.is_custom_operator_part(sign)
    }

    fn is_reserved_for_identifier(&self, word: Keyword) -> bool {
        OF.is_reserved_for_identifier(word)
    }

    fn parse_prefix(&self, _: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
        let left = self.left.get();
        self.left.set(left.saturating_sub(1));
        (left == 0).then_some(Err(ParserError::RecursionLimitExceeded))
    }

    fn get_next_precedence(&self, parser: &Parser<'_>) -> Option<Result<u8, ParserError>> {
        OF.get_next_precedence(parser)
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        OF.prec_value(precedence)
    }

    // a label before an argument is a name, not an expression
    fn supports_named_fn_args_with_expr_name(&self) -> bool {
        false
    }

    fn supports_unicode_string_literal(&self) -> bool {
        true
    }

    fn supports_string_escape_constant(&self) -> bool {
        true
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn allow_extract_custom(&self) -> bool {
        true
    }

    fn allow_extract_single_quotes(&self) -> bool {
        true
    }

    fn supports_explain_with_utility_options(&self) -> bool {
        true
    }

    fn supports_listen_notify(&self) -> bool {
        true
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn supports_comment_on(&self) -> bool {
        true
    }

    fn supports_nested_comments(&self) -> bool {
        true
    }

    fn supports_array_typedef_with_brackets(&self) -> bool {
        true
    }

    fn supports_set_names(&self) -> bool {
        true
    }

    fn supports_notnull_operator(&self) -> bool {
        true
    }

    fn supports_interval_options(&self) -> bool {
        true
    }

    fn supports_comma_separated_trim(&self) -> bool {
        true
    }
}
