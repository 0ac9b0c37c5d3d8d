//! What stands around operators of the query engine: a wall on each governed scan, and bounds where an operator itself knows none.
//!
//! # Idea
//! ```text
//! wall      on a masked scan: no predicate of a client is evaluated below it, and every batch that passes was read from the same file
//! counted   below a window: the engine keeps a window's whole input and counts it nowhere; here it is counted
//! cut       on a window or an unnest: what comes out in one piece is handed on in batches
//! paced     on what makes many batches of few: it gives way after a slice of time, and ends when nobody waits
//! ```

use super::failure::Halt;
use super::stop::Wanted;
use crate::identity::Identity;
use datafusion::arrow::array::RecordBatch;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{
    Transformed, TransformedResult as _, TreeNode as _, TreeNodeRecursion,
};
use datafusion::error::Result;
use datafusion::execution::memory_pool::MemoryConsumer;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::recursive_query::RecursiveQueryExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, ReplaceChildrenOptions,
};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use std::path::PathBuf;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

/// A file that must stay what it was when the statement was planned.
#[derive(Debug, Clone)]
pub(super) struct Watch {
    pub(super) table: String,
    pub(super) path: PathBuf,
    pub(super) identity: Identity,
}

impl Watch {
    /// Whether it is still the same file with the same content.
    fn holds(&self) -> Result<()> {
        match Identity::of(&self.path) {
            Ok(now) if now == self.identity => Ok(()),
            _ => Err(Halt::Changed {
                table: self.table.clone(),
            }
            .into()),
        }
    }
}

#[derive(Debug, Clone)]
enum Kind {
    Wall(Arc<Watch>),
    Counted { results: usize },
    Cut,
    Paced(Wanted),
}

/// How long an operator may go on before it gives way.
const SLICE: Duration = Duration::from_millis(10);

/// An operator with something around it. It lets nothing be moved through: filters, projections and sorts stay on their side.
#[derive(Debug, Clone)]
pub(super) struct Around {
    input: Arc<dyn ExecutionPlan>,
    kind: Kind,
}

impl Around {
    /// A wall on a masked scan.
    pub(super) fn wall(input: Arc<dyn ExecutionPlan>, watch: Watch) -> Arc<dyn ExecutionPlan> {
        Arc::new(Self {
            input,
            kind: Kind::Wall(Arc::new(watch)),
        })
    }

    fn with(&self, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        match (children.pop(), children.is_empty()) {
            (Some(input), true) => Ok(Arc::new(Self {
                input,
                kind: self.kind.clone(),
            })),
            _ => datafusion::common::internal_err!("one operator stands within"),
        }
    }
}

impl DisplayAs for Around {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Around")
    }
}

impl ExecutionPlan for Around {
    fn name(&self) -> &'static str {
        "Around"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn replace_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.with(children)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.with(children)
    }

    /// Parts of a file are read side by side on either side of it.
    fn repartitioned(
        &self,
        partitions: usize,
        config: &ConfigOptions,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        match self.input.repartitioned(partitions, config)? {
            Some(input) => self.with(vec![input]).map(Some),
            None => Ok(None),
        }
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let input = self.input.execute(partition, context.clone())?;
        let schema = self.schema();
        let stream = match &self.kind {
            Kind::Wall(watch) => {
                let watch = watch.clone();
                input
                    .map(move |batch| {
                        let batch = batch?;
                        // after it was read and before anyone sees it
                        watch.holds()?;
                        Ok(batch)
                    })
                    .boxed()
            }
            Kind::Counted { results } => {
                let held = MemoryConsumer::new("window").register(context.memory_pool());
                let results = *results;
                input
                    .map(move |batch| {
                        let batch = batch?;
                        // once as it came, once joined to the others, and the results beside it
                        let cells = batch.get_array_memory_size().saturating_mul(2);
                        let made = batch.num_rows().saturating_mul(64).saturating_mul(results);
                        held.try_grow(cells.saturating_add(made))?;
                        Ok(batch)
                    })
                    .boxed()
            }
            Kind::Cut => {
                let most = context.session_config().batch_size().max(1);
                input
                    .map_ok(move |batch| stream::iter(pieces(&batch, most)))
                    .try_flatten()
                    .boxed()
            }
            Kind::Paced(wanted) => {
                let wanted = wanted.clone();
                let mut input = input;
                let mut since = Instant::now();
                stream::poll_fn(move |cx| {
                    if let Err(error) = wanted.check() {
                        return Poll::Ready(Some(Err(error)));
                    }
                    if since.elapsed() > SLICE {
                        since = Instant::now();
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    input.poll_next_unpin(cx)
                })
                .boxed()
            }
        };
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, stream)))
    }
}

fn pieces(batch: &RecordBatch, most: usize) -> Vec<Result<RecordBatch>> {
    if batch.num_rows() <= most {
        return vec![Ok(batch.clone())];
    }
    (0..batch.num_rows())
        .step_by(most)
        .map(|start| Ok(batch.slice(start, most.min(batch.num_rows() - start))))
        .collect()
}

/// Puts bounds around windows, unnests and joins, after all other rules.
#[derive(Debug)]
pub(super) struct Contain {
    pub(super) wanted: Wanted,
}

impl PhysicalOptimizerRule for Contain {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        plan.transform_up(|node| {
            let cut = |input| -> Arc<dyn ExecutionPlan> {
                Arc::new(Around {
                    input,
                    kind: Kind::Cut,
                })
            };
            let counted = |results: usize| {
                let around = |child: &Arc<dyn ExecutionPlan>| -> Arc<dyn ExecutionPlan> {
                    Arc::new(Around {
                        input: child.clone(),
                        kind: Kind::Counted { results },
                    })
                };
                node.children().into_iter().map(around).collect()
            };
            if let Some(window) = node.downcast_ref::<WindowAggExec>() {
                let children = counted(window.window_expr().len());
                let node = replace_children_if_necessary(node.clone(), children)?;
                return Ok(Transformed::yes(cut(node)));
            }
            if node.downcast_ref::<BoundedWindowAggExec>().is_some() {
                // what a sort below hands over it has counted; without one, a frame may reach as far as it likes
                let is_sorted = node
                    .children()
                    .iter()
                    .all(|child| child.downcast_ref::<SortExec>().is_some());
                if is_sorted {
                    return Ok(Transformed::yes(cut(node)));
                }
                let children = counted(0);
                let node = replace_children_if_necessary(node.clone(), children)?;
                return Ok(Transformed::yes(cut(node)));
            }
            let paced = |input| -> Arc<dyn ExecutionPlan> {
                Arc::new(Around {
                    input,
                    kind: Kind::Paced(self.wanted.clone()),
                })
            };
            if node.downcast_ref::<UnnestExec>().is_some() {
                return Ok(Transformed::yes(paced(cut(node))));
            }
            // joins, and whatever else has several inputs; and what repeats one
            if node.children().len() > 1 || node.downcast_ref::<RecursiveQueryExec>().is_some() {
                return Ok(Transformed::yes(paced(node)));
            }
            Ok(Transformed::no(node))
        })
        .data()
    }

    fn name(&self) -> &'static str {
        "denym_contain"
    }

    fn schema_check(&self) -> bool {
        true
    }
}
