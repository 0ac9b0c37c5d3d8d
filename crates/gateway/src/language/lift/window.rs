//! Windows, and the order of what is in them or in an aggregate.

use super::super::refused;
use super::super::tree::{Bound, Expr, Frame, Order, Window};
use super::Lift;
use crate::error::Error;
use sqlparser::ast::{self as sql, WindowFrameBound, WindowFrameUnits};

impl Lift<'_> {
    pub(super) fn window(&mut self, spec: &sql::WindowSpec) -> Result<Window, Error> {
        let sql::WindowSpec {
            window_name,
            partition_by,
            order_by,
            window_frame,
        } = spec;
        Ok(Window {
            base: window_name
                .as_ref()
                .map(|ident| self.named_window(ident))
                .transpose()?,
            partition: self.exprs(partition_by)?,
            order: self.inner_orders(order_by)?,
            frame: match window_frame {
                None => None,
                Some(sql::WindowFrame {
                    units,
                    start_bound,
                    end_bound,
                }) => Some(Frame {
                    unit: match units {
                        WindowFrameUnits::Rows => "ROWS",
                        WindowFrameUnits::Range => "RANGE",
                        WindowFrameUnits::Groups => "GROUPS",
                    },
                    start: self.bound(start_bound)?,
                    end: end_bound
                        .as_ref()
                        .map(|bound| self.bound(bound))
                        .transpose()?,
                }),
            },
        })
    }

    pub(super) fn named_window(&mut self, ident: &sql::Ident) -> Result<usize, Error> {
        let name = self.name(ident)?;
        let windows = &self.level()?.windows;
        windows
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, id)| *id)
            .ok_or_else(|| refused("a window that has no definition before it"))
    }

    fn bound(&mut self, bound: &WindowFrameBound) -> Result<Bound, Error> {
        let mut of =
            |expr: &Option<Box<sql::Expr>>| expr.as_deref().map(|expr| self.expr(expr)).transpose();
        Ok(match bound {
            WindowFrameBound::CurrentRow => Bound::Current,
            WindowFrameBound::Preceding(expr) => Bound::Preceding(of(expr)?),
            WindowFrameBound::Following(expr) => Bound::Following(of(expr)?),
        })
    }

    /// An ORDER BY of a window or an aggregate: it names no column of the answer.
    pub(super) fn inner_orders(&mut self, list: &[sql::OrderByExpr]) -> Result<Vec<Order>, Error> {
        list.iter()
            .map(|order| {
                let expr = self.expr(&order.expr)?;
                ordered(order, expr)
            })
            .collect()
    }
}

pub(super) fn ordered(order: &sql::OrderByExpr, expr: Expr) -> Result<Order, Error> {
    let sql::OrderByExpr {
        expr: _,
        options: sql::OrderByOptions { asc, nulls_first },
        with_fill,
    } = order;
    if with_fill.is_some() {
        return Err(refused("this ORDER BY"));
    }
    Ok(Order {
        expr,
        ascending: *asc,
        nulls_first: *nulls_first,
    })
}
