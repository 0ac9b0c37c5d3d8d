//! A governed table under one purpose, as the query engine reads it: masked cells, and a wall in front of them.
//!
//! The engine plans it apart from the client's query. So no predicate, projection or sort of a client is ever moved to where raw cells are:
//! there is no plan that has both.

use super::contain::{Around, Watch};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::Column;
use datafusion::datasource::TableProvider;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, TableType};
use datafusion::physical_plan::ExecutionPlan;
use std::sync::Arc;

/// A masked table.
pub(super) struct Masked {
    plan: LogicalPlan,
    schema: SchemaRef,
    watch: Watch,
}

impl Masked {
    /// From a plan of its masked cells.
    pub(super) fn new(plan: LogicalPlan, watch: Watch) -> Self {
        Self {
            schema: Arc::new(plan.schema().as_arrow().clone()),
            plan,
            watch,
        }
    }

    /// The table's name in the policy.
    pub(super) fn table(&self) -> &str {
        &self.watch.table
    }
}

impl std::fmt::Debug for Masked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Masked(..)")
    }
}

#[async_trait::async_trait]
impl TableProvider for Masked {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    // filters are not taken: the default says so
    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut plan = LogicalPlanBuilder::from(self.plan.clone());
        if let Some(places) = projection {
            let columns: Vec<Expr> = places
                .iter()
                .map(|place| {
                    let (relation, field) = self.plan.schema().qualified_field(*place);
                    Expr::Column(Column::new(relation.cloned(), field.name()))
                })
                .collect();
            plan = plan.project(columns)?;
        }
        if let Some(limit) = limit {
            plan = plan.limit(0, Some(limit))?;
        }
        let plan = session.create_physical_plan(&plan.build()?).await?;
        Ok(Around::wall(plan, self.watch.clone()))
    }
}
