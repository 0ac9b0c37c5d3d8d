//! One spelling for each thing: texts in every way of quoting become plain ones, and a tree that is too deep to be walked is refused.

use crate::error::Error;
use sqlparser::ast::{
    Expr, Fetch, LimitClause, Query, SetExpr, Statement, Value, ValueWithSpan, Visit as _,
    VisitMut as _, Visitor, VisitorMut,
};
use std::ops::ControlFlow;

/// How deep a statement's tree may be: it is copied, compared and dropped by functions that call themselves.
const DEEPEST: usize = 600;

/// How many WITH may stand within each other: the query engine looks at each of them twice, and so at the innermost for ever.
const MOST_WITHS: usize = 8;

/// Makes plain texts of `E'..'`, `N'..'`, `U&'..'` and `$$..$$`, whose value the tokenizer found out, writes LIKE's patterns with the
/// backslash for their ESCAPE, and `FETCH FIRST` as `LIMIT`.
pub(super) fn plain(statement: &mut Statement) {
    // the visitor never breaks
    let _ = statement.visit(&mut Plain);
}

struct Plain;

impl VisitorMut for Plain {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        // FETCH FIRST n ROWS ONLY is LIMIT n
        if let Some(Fetch {
            with_ties: false,
            percent: false,
            quantity,
        }) = &query.fetch
        {
            let rows = quantity
                .clone()
                .unwrap_or_else(|| Expr::Value(Value::Number("1".into(), false).into()));
            match &mut query.limit_clause {
                Some(LimitClause::LimitOffset { limit, .. }) if limit.is_none() => {
                    *limit = Some(rows);
                }
                clause @ None => {
                    *clause = Some(LimitClause::LimitOffset {
                        limit: Some(rows),
                        offset: None,
                        limit_by: Vec::new(),
                    });
                }
                Some(_) => return ControlFlow::Continue(()),
            }
            query.fetch = None;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &mut ValueWithSpan) -> ControlFlow<()> {
        let text = match &mut value.value {
            Value::EscapedStringLiteral(text)
            | Value::NationalStringLiteral(text)
            | Value::UnicodeStringLiteral(text) => std::mem::take(text),
            Value::DollarQuotedString(quoted) => std::mem::take(&mut quoted.value),
            _ => return ControlFlow::Continue(()),
        };
        value.value = Value::SingleQuotedString(text);
        ControlFlow::Continue(())
    }

    // after its parts, so that they are plain already
    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::Like {
            pattern,
            escape_char,
            ..
        }
        | Expr::ILike {
            pattern,
            escape_char,
            ..
        } = expr
            && let Some(escape) = escape_char.as_ref().and_then(text)
            && let Expr::Value(value) = pattern.as_mut()
            && let Some(written) = text(value).and_then(|text| with_backslash(text, escape))
        {
            value.value = Value::SingleQuotedString(written);
            *escape_char = None;
        }
        ControlFlow::Continue(())
    }
}

fn text(value: &ValueWithSpan) -> Option<&str> {
    match &value.value {
        Value::SingleQuotedString(text) => Some(text),
        _ => None,
    }
}

/// A pattern whose escape is the backslash; `None` when the escape is no single character, or has nothing to escape.
fn with_backslash(pattern: &str, escape: &str) -> Option<String> {
    let mut signs = escape.chars();
    let escape = signs.next();
    if signs.next().is_some() {
        return None;
    }
    let mut out = String::with_capacity(pattern.len());
    let mut pattern = pattern.chars();
    while let Some(sign) = pattern.next() {
        if Some(sign) == escape {
            out.push('\\');
            out.push(pattern.next()?);
        } else {
            if sign == '\\' {
                out.push('\\');
            }
            out.push(sign);
        }
    }
    Some(out)
}

/// Refuses a tree that is too deep.
pub(crate) fn shallow(statement: &Statement) -> Result<(), Error> {
    match statement.visit(&mut Depth::default()) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(what) => Err(Error::NotAllowed { what: what.into() }),
    }
}

#[derive(Default)]
struct Depth {
    levels: usize,
    withs: usize,
}

impl Depth {
    fn enter(&mut self, levels: usize) -> ControlFlow<&'static str> {
        self.levels += levels;
        if self.levels > DEEPEST {
            ControlFlow::Break("a statement nested deeper than 600 levels")
        } else if self.withs > MOST_WITHS {
            ControlFlow::Break("more than 8 WITH within each other")
        } else {
            ControlFlow::Continue(())
        }
    }

    fn leave(&mut self, levels: usize) {
        self.levels = self.levels.saturating_sub(levels);
    }
}

/// A chain of unions is as deep as it is long.
fn unions(query: &Query) -> usize {
    let mut count = 1;
    let mut body = query.body.as_ref();
    while let SetExpr::SetOperation { left, .. } = body {
        count += 1;
        body = left;
    }
    count
}

impl Visitor for Depth {
    type Break = &'static str;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
        self.withs += usize::from(query.with.is_some());
        self.enter(unions(query))
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
        self.withs -= usize::from(query.with.is_some());
        self.leave(unions(query));
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<Self::Break> {
        self.enter(1)
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<Self::Break> {
        self.leave(1);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_becomes_the_backslash() {
        for (pattern, escape, expected) in [
            ("50!%", "!", Some("50\\%")),
            ("a!!b", "!", Some("a\\!b")),
            ("a\\b", "!", Some("a\\\\b")),
            ("a\\b", "", Some("a\\\\b")),
            ("a\\%", "\\", Some("a\\%")),
            ("a!", "!", None),
            ("a", "!!", None),
        ] {
            let found = with_backslash(pattern, escape);
            assert_eq!(found.as_deref(), expected, "{pattern} {escape}");
        }
    }
}
