//! PostgreSQL's patterns of `to_char` for days and times, in the words of the engine; so that both backends answer alike.

use crate::error::Error;
use sqlparser::ast::{
    Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Statement, Value, VisitMut,
    VisitorMut,
};
use std::ops::ControlFlow;

/// PostgreSQL's word and the engine's; where one is the beginning of another, the longer stands first.
const WORDS: [(&str, &str); 24] = [
    ("FMMonth", "%B"),
    ("FMDay", "%A"),
    ("FMMM", "%-m"),
    ("FMDD", "%-d"),
    ("FMHH24", "%-H"),
    ("HH24", "%H"),
    ("HH12", "%I"),
    ("HH", "%I"),
    ("MI", "%M"),
    ("MS", "%3f"),
    ("MM", "%m"),
    ("Mon", "%b"),
    ("SS", "%S"),
    ("US", "%6f"),
    ("IYYY", "%G"),
    ("IW", "%V"),
    ("ID", "%u"),
    ("YYYY", "%Y"),
    ("YY", "%y"),
    ("DDD", "%j"),
    ("DD", "%d"),
    ("Dy", "%a"),
    ("AM", "%p"),
    ("PM", "%p"),
];

/// Rewrites the patterns of a statement; one that the engine has no words for is refused.
pub(super) fn adapt(statement: &mut Statement) -> Result<(), Error> {
    match statement.visit(&mut Patterns) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(error) => Err(error),
    }
}

struct Patterns;

impl VisitorMut for Patterns {
    type Break = Error;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Error> {
        if let Expr::Function(function) = expr
            && let Some(pattern) = pattern_of(function)
            // the engine's own words
            && !pattern.contains('%')
        {
            match written(pattern) {
                Some(written) => *pattern = written,
                None => {
                    return ControlFlow::Break(Error::NotAllowed {
                        what: "a pattern of to_char that is not listed".into(),
                    });
                }
            }
        }
        ControlFlow::Continue(())
    }
}

/// The pattern of a `to_char`, when it is a text.
fn pattern_of(function: &mut Function) -> Option<&mut String> {
    let name = function.name.0.last()?.as_ident()?;
    if !name.value.eq_ignore_ascii_case("to_char") {
        return None;
    }
    let FunctionArguments::List(list) = &mut function.args else {
        return None;
    };
    let [
        _,
        FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Value(value))),
    ] = &mut list.args[..]
    else {
        return None;
    };
    match &mut value.value {
        Value::SingleQuotedString(text) => Some(text),
        _ => None,
    }
}

fn written(pattern: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some(sign) = rest.chars().next() {
        if let Some((word, own)) = WORDS.iter().find(|(word, _)| rest.starts_with(word)) {
            out.push_str(own);
            rest = &rest[word.len()..];
        } else if sign == '"' {
            // in double quotes everything is itself
            let (inside, after) = rest[1..].split_once('"')?;
            out.push_str(inside);
            rest = after;
        } else if sign.is_alphabetic() {
            return None;
        } else {
            out.push(sign);
            rest = &rest[sign.len_utf8()..];
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_in_the_engines_words() {
        for (pattern, expected) in [
            ("YYYY-MM-DD", Some("%Y-%m-%d")),
            ("DD.MM.YY HH24:MI:SS", Some("%d.%m.%y %H:%M:%S")),
            ("\"week\" IW", Some("week %V")),
            ("FMDD. FMMonth", Some("%-d. %B")),
            ("YYYY Q", None),
            ("\"open", None),
        ] {
            assert_eq!(written(pattern).as_deref(), expected, "{pattern}");
        }
    }
}
