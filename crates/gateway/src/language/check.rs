//! The lock behind the printer: the text to be sent is read again, must be made of nothing but what we write, and must give the same tree.

use super::Governed;
use super::lift::{Masked, of_sent};
use super::tree::Query;
use crate::error::Error;
use crate::statement::ServerDialect;
use sqlparser::ast::{self as sql, Statement};
use sqlparser::parser::Parser;
use std::collections::BTreeMap;

/// Deeper than any tree of ours is written: each of its levels takes a few of the parser's.
const DEEPEST: usize = 1_000;

/// Demands that a text says what the tree says.
pub(super) fn same(
    text: &str,
    tree: &Query,
    governed: &BTreeMap<String, Governed>,
) -> Result<(), Error> {
    if !is_quoted_well(text) {
        return Err(Error::Mistrusted);
    }
    let mut masked = Masked::new();
    for (name, table) in governed {
        masked.insert(name.clone(), (read(&table.sql)?, table.columns.clone()));
    }
    let again = of_sent(&read(text)?, &masked).map_err(|_| Error::Mistrusted)?;
    if again == *tree {
        Ok(())
    } else {
        Err(Error::Mistrusted)
    }
}

/// The one query in a text.
fn read(text: &str) -> Result<sql::Query, Error> {
    // our own texts have no word that is read in several ways: more tries than bytes are never needed
    let statements = Parser::new(&ServerDialect::new(text.len()))
        .with_recursion_limit(DEEPEST)
        .try_with_sql(text)
        .and_then(|mut parser| parser.parse_statements())
        .map_err(|_| Error::Mistrusted)?;
    match <[Statement; 1]>::try_from(statements) {
        Ok([Statement::Query(query)]) => Ok(*query),
        _ => Err(Error::Mistrusted),
    }
}

/// Whether a text has, outside of its quotes, only the signs that we write: no comment, no second statement, no dollar quote. This does not
/// rest on the parser, which is not PostgreSQL's.
fn is_quoted_well(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut place = 0;
    while let Some(byte) = bytes.get(place) {
        let next = bytes.get(place + 1).copied().unwrap_or(b' ');
        match byte {
            quote @ (b'"' | b'\'') => {
                // an E of its own makes backslashes count; any other letter before a quote, or U&, makes another kind of literal
                let before = place.checked_sub(1).map_or(b' ', |at| bytes[at]);
                let ahead = place.checked_sub(2).map_or(b' ', |at| bytes[at]);
                let escapes = *quote == b'\'' && before == b'E' && !is_word(ahead);
                if (is_word(before) || before == b'&') && !escapes {
                    return false;
                }
                match quoted(bytes, place + 1, *quote, escapes) {
                    Some(end) => place = end,
                    None => return false,
                }
            }
            b'-' if next == b'-' => return false,
            b'/' if next == b'*' => return false,
            b'$' if !next.is_ascii_digit() => return false,
            b' ' | b'.' | b',' | b'(' | b')' | b'[' | b']' | b'=' | b'<' | b'>' | b'+' | b'-'
            | b'*' | b'/' | b'%' | b'^' | b'|' | b'&' | b'#' | b'~' | b'!' | b'$' | b':' => {}
            byte if is_word(*byte) => {}
            _ => return false,
        }
        place += 1;
    }
    true
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The place of the quote that ends what began before `place`.
fn quoted(bytes: &[u8], mut place: usize, quote: u8, escapes: bool) -> Option<usize> {
    while let Some(byte) = bytes.get(place) {
        if *byte == quote {
            if bytes.get(place + 1) != Some(&quote) {
                return Some(place);
            }
            place += 1;
        } else if *byte == b'\\' && quote == b'\'' {
            // we write a backslash only where it counts, and then twice
            if !escapes || bytes.get(place + 1) != Some(&b'\\') {
                return None;
            }
            place += 1;
        }
        place += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_we_never_write_is_not_sent() {
        for good in [
            "SELECT 1",
            "SELECT 'O''Brien', \"a\"\"b\", E'\\\\''', $1",
            "SELECT (- (- 1)), '--', '/*', ';', \"--\"",
        ] {
            assert!(is_quoted_well(good), "{good}");
        }
        for bad in [
            "SELECT 1 --",
            "SELECT /* */ 1",
            "SELECT 1; SELECT 2",
            "SELECT N'x'",
            "SELECT U&'x'",
            "SELECT E'\\''",
            "SELECT '\\'",
            "SELECT 'x",
            "SELECT \"x",
            "SELECT $$x$$",
            "SELECT $a$x$a$",
            "SELECT é",
            "SELECT 1\n",
            "SELECT \u{a0}1",
        ] {
            assert!(!is_quoted_well(bad), "{bad}");
        }
    }
}
