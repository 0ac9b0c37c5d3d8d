//! One `DataFusion` scan over stretches, every stretch coded by the thread that parses it.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, StringArray};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, FileSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::object_store::ObjectStore;
use datafusion::physical_plan::ExecutionPlan;
use futures::StreamExt as _;

use super::coder::Coder;
use super::store::Stretches;
use crate::Engine;

/// Why a scan ended early. What the library said is not kept, since it may quote cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failed;

/// Text of a column of a batch.
pub(crate) type ToText = fn(&ArrayRef) -> Result<StringArray, Failed>;

impl Engine {
    /// For each stretch (or range of one) the coded columns, `files` in order.
    pub(crate) fn scan(
        &self,
        store: Stretches,
        files: Vec<PartitionedFile>,
        source: Arc<dyn FileSource>,
        projection: &[usize],
        to_text: ToText,
        null_is_missing: bool,
    ) -> Result<Vec<Vec<Coder>>, Failed> {
        let url = format!("stretches://scan{}", self.next_scan());
        let url = ObjectStoreUrl::parse(url).map_err(|_| Failed)?;
        let task = self.task();
        let store: Arc<dyn ObjectStore> = Arc::new(store);
        task.runtime_env()
            .register_object_store(url.as_ref(), store);
        let count = files.len();
        let groups = files
            .into_iter()
            .map(|file| FileGroup::new(vec![file]))
            .collect();
        // Without `preserve_order` a partition takes over stretches of another, and records change places.
        let config = FileScanConfigBuilder::new(url.clone(), source)
            .with_preserve_order(true)
            .with_file_groups(groups)
            .with_projection_indices(Some(projection.to_vec()))
            .map_err(|_| Failed)?
            .build();
        let plan = DataSourceExec::from_data_source(config);
        let width = projection.len();
        let parts = self.runtime().block_on(async {
            let tasks: Vec<_> = (0..count)
                .map(|partition| {
                    let plan = Arc::clone(&plan);
                    let task = Arc::clone(&task);
                    tokio::spawn(async move {
                        let mut coders: Vec<Coder> = (0..width).map(|_| Coder::new()).collect();
                        let mut stream = plan.execute(partition, task).map_err(|_| Failed)?;
                        while let Some(batch) = stream.next().await {
                            let batch = batch.map_err(|_| Failed)?;
                            for (coder, array) in coders.iter_mut().zip(batch.columns()) {
                                coder.extend(&to_text(array)?, null_is_missing);
                            }
                        }
                        Ok(coders)
                    })
                })
                .collect();
            let mut parts = Vec::with_capacity(count);
            for task in tasks {
                parts.push(task.await.unwrap_or(Err(Failed)));
            }
            parts
        });
        let _ = task.runtime_env().deregister_object_store(url.as_ref());
        parts.into_iter().collect()
    }
}
