//! The parameters of a plan: how many there are, and their types as far as the plan tells.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan};
use std::collections::BTreeMap;

/// The types of `$1`, `$2`, .. as far as the plan tells them.
pub(super) fn parameters(plan: &LogicalPlan) -> Vec<Option<DataType>> {
    let mut found: BTreeMap<usize, Option<DataType>> = BTreeMap::new();
    let mut note = |id: &str, kind: Option<&DataType>| {
        if let Ok(place) = id.trim_start_matches('$').parse::<usize>()
            && (1..=65_535).contains(&place)
        {
            let entry = found.entry(place).or_default();
            if entry.is_none() {
                *entry = kind.cloned();
            }
        }
    };
    let walked = plan.apply_with_subqueries(|node| {
        for expr in node.expressions() {
            let _ = expr.apply(|expr| {
                match expr {
                    Expr::Placeholder(place) => {
                        note(
                            &place.id,
                            place.field.as_ref().map(|field| field.data_type()),
                        );
                    }
                    Expr::Cast(cast) => {
                        if let Expr::Placeholder(place) = cast.expr.as_ref() {
                            note(&place.id, Some(cast.field.data_type()));
                        }
                    }
                    _ => {}
                }
                Ok(TreeNodeRecursion::Continue)
            });
        }
        // a limit keeps its expressions apart
        Ok(TreeNodeRecursion::Continue)
    });
    if walked.is_err() {
        return Vec::new();
    }
    let count = found.keys().last().copied().unwrap_or(0);
    (1..=count)
        .map(|place| found.get(&place).cloned().flatten())
        .collect()
}
