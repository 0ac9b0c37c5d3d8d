//! How large a statement becomes before it is planned: `WITH` queries are written out wherever their names stand, and `CUBE` is every subset.
//!
//! Ten words of `WITH b AS (SELECT a.x FROM a, a a2)` double the one before. Planning walks all of it, on memory that nobody counts and
//! in time that nobody can stop; so it is counted first.

use crate::request::Refusal;
use crate::statement::folded;
use sqlparser::ast::{
    Expr, GroupByExpr, Query, Select, Statement, TableFactor, Visit as _, Visitor,
};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Relations of a statement once its `WITH` queries are written out.
const MOST_RELATIONS: u64 = 500;
/// Sets of one `GROUP BY`.
const MOST_SETS: u64 = 64;

/// Refuses a statement that would become too large.
pub(super) fn check(statement: &Statement) -> Result<(), Refusal> {
    let mut weigh = Weigh::default();
    let over = statement.visit(&mut weigh);
    let what = match over {
        ControlFlow::Break(what) => what,
        ControlFlow::Continue(()) if weigh.total > MOST_RELATIONS => {
            "more than 500 relations once its WITH queries are written out"
        }
        ControlFlow::Continue(()) => return Ok(()),
    };
    let mut refusal = Refusal::new(
        "54001",
        "statement-too-complex",
        format!("the statement has {what}"),
    );
    refusal.hint = Some("ask for it in parts".into());
    Err(refusal)
}

#[derive(Default)]
struct Weigh {
    frames: Vec<Frame>,
    total: u64,
}

#[derive(Default)]
struct Frame {
    /// The queries of its `WITH` by their place in memory, which tells them apart.
    names: BTreeMap<usize, String>,
    weights: BTreeMap<String, u64>,
    weight: u64,
}

fn place(query: &Query) -> usize {
    std::ptr::from_ref(query).addr()
}

impl Visitor for Weigh {
    type Break = &'static str;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
        let names = query
            .with
            .iter()
            .flat_map(|with| &with.cte_tables)
            .map(|common| (place(&common.query), folded(&common.alias.name)))
            .collect();
        self.frames.push(Frame {
            names,
            ..Frame::default()
        });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<Self::Break> {
        let Some(frame) = self.frames.pop() else {
            return ControlFlow::Continue(());
        };
        match self.frames.last_mut() {
            None => self.total = self.total.saturating_add(frame.weight),
            // one of the `WITH` weighs where it is named
            Some(around) => match around.names.get(&place(query)) {
                Some(name) => {
                    around.weights.insert(name.clone(), frame.weight.max(1));
                }
                None => around.weight = around.weight.saturating_add(frame.weight),
            },
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Self::Break> {
        let TableFactor::Table { name, .. } = factor else {
            return ControlFlow::Continue(());
        };
        let common = crate::scope::bare(name);
        let weight = common
            .and_then(|name| {
                let mut frames = self.frames.iter().rev();
                frames.find_map(|frame| frame.weights.get(&name)).copied()
            })
            .unwrap_or(1);
        if let Some(frame) = self.frames.last_mut() {
            frame.weight = frame.weight.saturating_add(weight);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Self::Break> {
        if sets(&select.group_by) > MOST_SETS {
            return ControlFlow::Break("more than 64 grouping sets");
        }
        ControlFlow::Continue(())
    }
}

/// The sets of a `GROUP BY`: those of its parts multiplied.
fn sets(group_by: &GroupByExpr) -> u64 {
    let (exprs, modifiers) = match group_by {
        GroupByExpr::All(modifiers) => return if modifiers.is_empty() { 1 } else { u64::MAX },
        GroupByExpr::Expressions(exprs, modifiers) => (exprs, modifiers),
    };
    let subsets = |count: usize| {
        1u64.checked_shl(u32::try_from(count).unwrap_or(64))
            .unwrap_or(u64::MAX)
    };
    let mut all = exprs.iter().fold(1u64, |all, expr| {
        all.saturating_mul(match expr {
            Expr::Cube(sets) => subsets(sets.len()),
            Expr::Rollup(sets) => sets.len() as u64 + 1,
            Expr::GroupingSets(sets) => sets.len() as u64,
            _ => 1,
        })
    });
    if !modifiers.is_empty() {
        all = all.saturating_mul(subsets(exprs.len()));
    }
    all
}
