//! The governed tables that a plan reads, whatever the statement called them: what the audit log says comes from here.

use super::CATALOG;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::LogicalPlan;
use denym_purpose::AccessPolicy;
use std::collections::BTreeSet;

/// The governed tables of a plan, its subqueries included; `None` when the plan cannot be walked.
pub(super) fn read(policy: &AccessPolicy, plan: &LogicalPlan) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    let walked = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            let of = &scan.table_name;
            let is_ours = of.schema().is_none_or(|schema| schema == "public")
                && of.catalog().is_none_or(|catalog| catalog == CATALOG);
            if is_ours && policy.tables.contains_key(of.table()) {
                found.insert(of.table().to_owned());
            }
        }
        Ok(TreeNodeRecursion::Continue)
    });
    walked.ok().map(|_| found)
}
