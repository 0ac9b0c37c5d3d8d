//! What the catalogue shows of a governed table: its name and its masked schema. Scanned as it is, it answers with an error.

use super::source::arrow_type;
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::Session;
use datafusion::common::plan_err;
use datafusion::datasource::TableProvider;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use denym_purpose::TablePolicy;
use std::sync::Arc;

/// A governed table in the catalogue.
#[derive(Debug)]
pub(crate) struct Governed {
    /// Its name in the policy.
    pub(crate) name: String,
    schema: SchemaRef,
}

impl Governed {
    /// The columns that the policy names, in the types everyone sees.
    pub(crate) fn new(table: &TablePolicy) -> Self {
        let fields: Vec<Field> = table
            .columns
            .iter()
            .map(|column| Field::new(&column.name, arrow_type(column.visible_kind()), true))
            .collect();
        Self {
            name: table.name.clone(),
            schema: Arc::new(Schema::new(fields)),
        }
    }
}

#[async_trait::async_trait]
impl TableProvider for Governed {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        _: &dyn Session,
        _: Option<&Vec<usize>>,
        _: &[Expr],
        _: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        // whatever escapes the rewrite ends here
        plan_err!("a governed table is read under a purpose only")
    }
}
