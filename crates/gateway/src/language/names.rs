//! Names in sight: which relation a column belongs to, which `WITH` query a relation is, and what an unnamed column is called.

use super::kinds::Kind;
use super::refused;
use crate::error::Error;
use crate::statement::folded;
use sqlparser::ast::{Expr as Sql, Ident, Query as SqlQuery, SelectItem, SetExpr};
use std::collections::BTreeSet;

/// PostgreSQL cuts longer names off, and then they are other names.
const LONGEST: usize = 63;

/// A relation in sight.
#[derive(Debug, Clone)]
pub(super) struct Seen {
    /// What the statement calls it.
    pub(super) name: String,
    pub(super) id: usize,
    pub(super) columns: Vec<String>,
}

/// A column of a FROM list, as `*` writes it out; without relation when a join merged it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Starred {
    pub(super) relation: Option<usize>,
    pub(super) name: String,
}

/// The relations of one SELECT.
#[derive(Debug, Clone, Default)]
pub(super) struct Level {
    pub(super) relations: Vec<Seen>,
    /// Names that a join merged.
    pub(super) merged: BTreeSet<String>,
    /// Named windows: what the statement calls them, and ours.
    pub(super) windows: Vec<(String, usize)>,
}

impl Level {
    /// Adds a relation; no two of one SELECT have the same name.
    pub(super) fn add(&mut self, seen: Seen) -> Result<(), Error> {
        if self
            .relations
            .iter()
            .any(|relation| relation.name == seen.name)
        {
            return Err(refused("two relations of one name in a FROM list"));
        }
        self.relations.push(seen);
        Ok(())
    }

    /// Where a bare column name is found: not here, in a merged column, or in a relation.
    pub(super) fn bare(&self, name: &str) -> Result<Option<Starred>, Error> {
        let named = |relation| {
            Some(Starred {
                relation,
                name: name.to_owned(),
            })
        };
        if self.merged.contains(name) {
            return Ok(named(None));
        }
        let mut found = self.relations.iter().flat_map(|relation| {
            let times = relation.columns.iter().filter(|column| *column == name);
            times.map(|_| relation.id)
        });
        match (found.next(), found.next()) {
            (None, _) => Ok(None),
            (Some(id), None) => Ok(named(Some(id))),
            (Some(_), Some(_)) => Err(Error::Ambiguous { name: name.into() }),
        }
    }
}

/// A name that a client gives or uses, as PostgreSQL folds it; ours have a mark that no client's has.
pub(super) fn name(ident: &Ident, is_client: bool) -> Result<String, Error> {
    if !matches!(ident.quote_style, None | Some('"')) {
        return Err(refused("a name in quotes of another dialect"));
    }
    let name = folded(ident);
    if name.is_empty() || name.len() > LONGEST || name.contains('\0') {
        return Err(refused("a name of no or more than 63 bytes"));
    }
    if is_client && own(&name).is_some() {
        return Err(refused("a name that is kept for the gateway"));
    }
    Ok(name)
}

/// The number in a name of ours: `r~1` a relation, `w~1` a `WITH` query, `n~1` a window.
pub(super) fn own(name: &str) -> Option<usize> {
    let (mark, number) = name.split_once('~')?;
    if !matches!(mark, "r" | "w" | "n") {
        return None;
    }
    number.parse().ok()
}

/// A message of the server without our names of relations: the client knows its columns by its own.
pub(crate) fn without_marks(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(at) = rest.find("r~") {
        let (before, marked) = rest.split_at(at);
        let after = marked[2..].trim_start_matches(|sign: char| sign.is_ascii_digit());
        out.push_str(before);
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None => {
                out.push_str("r~");
                rest = &marked[2..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Words that PostgreSQL reads as calls without parentheses: they tell who asks, where and when.
pub(super) fn is_keyword(ident: &Ident) -> bool {
    ident.quote_style.is_none()
        && [
            "current_catalog",
            "current_date",
            "current_role",
            "current_schema",
            "current_time",
            "current_timestamp",
            "current_user",
            "localtime",
            "localtimestamp",
            "session_user",
            "system_user",
            "user",
        ]
        .iter()
        .any(|word| ident.value.eq_ignore_ascii_case(word))
}

/// What PostgreSQL calls a column without a name.
pub(super) fn column_name(expr: &Sql) -> String {
    figure(expr).map_or_else(|| "?column?".to_owned(), |(name, _)| name)
}

/// A name, and whether it is a strong one: a cast or an ELSE keeps those.
fn figure(expr: &Sql) -> Option<(String, bool)> {
    let strong = |name: &str| Some((name.to_owned(), true));
    let weak = |name: &str| Some((name.to_owned(), false));
    match expr {
        Sql::Identifier(ident) => Some((folded(ident), true)),
        Sql::CompoundIdentifier(parts) => parts.last().map(|part| (folded(part), true)),
        Sql::Nested(inner) => figure(inner),
        Sql::Function(function) => {
            let name = function.name.0.last()?.as_ident().map(folded)?;
            Some((name, true))
        }
        Sql::Cast {
            expr, data_type, ..
        } => match figure(expr) {
            Some((name, true)) => Some((name, true)),
            _ => Kind::of(data_type)
                .ok()
                .map(|kind| (kind.column_name().to_owned(), false)),
        },
        Sql::TypedString(typed) => Kind::of(&typed.data_type)
            .ok()
            .map(|kind| (kind.column_name().to_owned(), false)),
        Sql::Interval(_) => weak("interval"),
        Sql::Case { else_result, .. } => match else_result.as_deref().and_then(figure) {
            Some((name, true)) => Some((name, true)),
            _ => weak("case"),
        },
        Sql::Exists { .. } => strong("exists"),
        Sql::Array(_) => strong("array"),
        Sql::Extract { .. } => strong("extract"),
        Sql::Position { .. } => strong("position"),
        Sql::Substring {
            shorthand: true, ..
        } => strong("substr"),
        Sql::Substring { .. } => strong("substring"),
        Sql::Ceil { .. } => strong("ceil"),
        Sql::Floor { .. } => strong("floor"),
        Sql::AtTimeZone { .. } => strong("timezone"),
        Sql::Trim { trim_where, .. } => strong(super::lift::trim(*trim_where)),
        Sql::Subquery(query) => first_name(query),
        _ => None,
    }
}

/// The name of a query's first column.
fn first_name(query: &SqlQuery) -> Option<(String, bool)> {
    let mut body = query.body.as_ref();
    loop {
        match body {
            SetExpr::SetOperation { left, .. } => body = left,
            SetExpr::Query(inner) => body = inner.body.as_ref(),
            SetExpr::Select(select) => {
                return match select.projection.first()? {
                    SelectItem::UnnamedExpr(expr) => figure(expr),
                    SelectItem::ExprWithAlias { alias, .. } => Some((folded(alias), true)),
                    _ => None,
                };
            }
            _ => return None,
        }
    }
}
