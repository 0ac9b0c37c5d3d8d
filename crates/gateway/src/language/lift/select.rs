//! One SELECT: its columns, its conditions, its groups.

use super::super::names::{Starred, column_name, is_keyword};
use super::super::refused;
use super::super::tree::{Distinct, Expr, Group, Item, Select};
use super::Lift;
use crate::error::Error;
use sqlparser::ast::{
    self as sql, GroupByExpr, NamedWindowExpr, SelectFlavor, SelectItem,
    SelectItemQualifiedWildcardKind, WildcardAdditionalOptions,
};

impl Lift<'_> {
    pub(super) fn select(&mut self, select: &sql::Select) -> Result<(Select, Vec<String>), Error> {
        let sql::Select {
            select_token: _,
            optimizer_hints,
            distinct,
            select_modifiers,
            top,
            top_before_distinct: _,
            projection,
            exclude,
            into,
            from,
            lateral_views,
            prewhere,
            selection,
            connect_by,
            group_by,
            cluster_by,
            distribute_by,
            sort_by,
            having,
            named_window,
            qualify,
            window_before_qualify: _,
            value_table_mode,
            flavor,
        } = select;
        if !optimizer_hints.is_empty()
            || select_modifiers.is_some()
            || top.is_some()
            || exclude.is_some()
            || into.is_some()
            || !lateral_views.is_empty()
            || prewhere.is_some()
            || !connect_by.is_empty()
            || !cluster_by.is_empty()
            || !distribute_by.is_empty()
            || !sort_by.is_empty()
            || qualify.is_some()
            || value_table_mode.is_some()
            || *flavor != SelectFlavor::Standard
        {
            return Err(refused("a clause of another dialect, or SELECT INTO"));
        }
        let (from, starred) = self.from(from)?;
        let mut windows = Vec::new();
        for sql::NamedWindowDefinition(ident, window) in named_window {
            let NamedWindowExpr::WindowSpec(spec) = window else {
                return Err(refused("a window that is another one's name"));
            };
            let name = self.name(ident)?;
            let window = self.window(spec)?;
            let id = self.number(&name)?;
            self.level()?.windows.push((name, id));
            windows.push((id, window));
        }
        let items = self.items(projection, &starred)?;
        let outputs: Vec<String> = items.iter().map(|item| item.name.clone()).collect();
        let mut filter = selection.as_ref().map(|expr| self.expr(expr)).transpose()?;
        if self.binds
            && let Some(filter) = &mut filter
        {
            self.bind(filter);
        }
        let group = match group_by {
            GroupByExpr::Expressions(list, modifiers) if modifiers.is_empty() => list
                .iter()
                .map(|expr| self.group(expr, &outputs))
                .collect::<Result<Vec<_>, _>>()?,
            _ => return Err(refused("this GROUP BY")),
        };
        let having = having.as_ref().map(|expr| self.expr(expr)).transpose()?;
        let distinct = match distinct {
            None | Some(sql::Distinct::All) => Distinct::No,
            Some(sql::Distinct::Distinct) => Distinct::Rows,
            Some(sql::Distinct::On(list)) if list.is_empty() => {
                return Err(refused("DISTINCT ON nothing"));
            }
            Some(sql::Distinct::On(list)) => Distinct::On(
                list.iter()
                    .map(|expr| self.named_or(expr, &outputs, true))
                    .collect::<Result<Vec<_>, _>>()?,
            ),
        };
        let select = Select {
            distinct,
            items,
            from,
            filter,
            group,
            having,
            windows,
        };
        Ok((select, outputs))
    }

    fn items(
        &mut self,
        projection: &[SelectItem],
        starred: &[Starred],
    ) -> Result<Vec<Item>, Error> {
        let mut items = Vec::new();
        for item in projection {
            match item {
                SelectItem::UnnamedExpr(expr) => items.push(Item {
                    expr: self.expr(expr)?,
                    name: column_name(expr),
                }),
                SelectItem::ExprWithAlias { expr, alias } => items.push(Item {
                    expr: self.expr(expr)?,
                    name: self.name(alias)?,
                }),
                SelectItem::Wildcard(options) if is_bare(options) => {
                    items.extend(starred.iter().map(item_of));
                }
                SelectItem::QualifiedWildcard(
                    SelectItemQualifiedWildcardKind::ObjectName(of),
                    options,
                ) if is_bare(options) => {
                    let [part] = &of.0[..] else {
                        return Err(refused("a qualified name before .*"));
                    };
                    let ident = part.as_ident().ok_or(Error::Syntax)?;
                    let name = self.name(ident)?;
                    let seen = self
                        .levels
                        .iter()
                        .rev()
                        .flat_map(|level| &level.relations)
                        .find(|seen| seen.name == name)
                        .ok_or(Error::Unknown { name })?;
                    items.extend(seen.columns.iter().map(|name| {
                        item_of(&Starred {
                            relation: Some(seen.id),
                            name: name.clone(),
                        })
                    }));
                }
                _ => return Err(refused("this * or list of names")),
            }
        }
        if items.is_empty() {
            return Err(refused("a SELECT of no columns"));
        }
        Ok(items)
    }

    fn group(&mut self, expr: &sql::Expr, outputs: &[String]) -> Result<Group, Error> {
        let sets = |lift: &mut Self, sets: &[Vec<sql::Expr>]| {
            sets.iter()
                .map(|set| {
                    set.iter()
                        .map(|expr| lift.named_or(expr, outputs, false))
                        .collect()
                })
                .collect::<Result<Vec<Vec<_>>, Error>>()
        };
        Ok(match expr {
            sql::Expr::GroupingSets(list) => Group::Sets(sets(self, list)?),
            sql::Expr::Cube(list) => Group::Cube(sets(self, list)?),
            sql::Expr::Rollup(list) => Group::Rollup(sets(self, list)?),
            expr => Group::By(self.named_or(expr, outputs, false)?),
        })
    }

    /// An expression, or the bare name of a column of the answer: in ORDER BY before the columns of relations, in GROUP BY after them.
    pub(super) fn named_or(
        &mut self,
        expr: &sql::Expr,
        outputs: &[String],
        output_first: bool,
    ) -> Result<Expr, Error> {
        let mut bare = expr;
        while let sql::Expr::Nested(inner) = bare {
            bare = inner;
        }
        if let sql::Expr::Identifier(ident) = bare
            && !is_keyword(ident)
        {
            let name = self.name(ident)?;
            if outputs.contains(&name) && (output_first || self.level()?.bare(&name)?.is_none()) {
                return Ok(Expr::Output(name));
            }
        }
        self.expr(expr)
    }
}

fn is_bare(options: &WildcardAdditionalOptions) -> bool {
    let WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike,
        opt_exclude,
        opt_except,
        opt_replace,
        opt_rename,
        opt_alias,
    } = options;
    opt_ilike.is_none()
        && opt_exclude.is_none()
        && opt_except.is_none()
        && opt_replace.is_none()
        && opt_rename.is_none()
        && opt_alias.is_none()
}

fn item_of(starred: &Starred) -> Item {
    Item {
        expr: Expr::Column {
            relation: starred.relation,
            name: starred.name.clone(),
        },
        name: starred.name.clone(),
    }
}
