//! Whether a statement is still wanted, asked by its work again and again.
//!
//! # Idea
//! A task of the engine ends when it next gives way. A join of large tables may not do so for minutes: it makes batch after batch out of what
//! it holds, or tries pair after pair that its condition rejects. So every join asks between batches and gives way after a slice of time, and
//! the condition of a join asks each time it is evaluated.

use super::failure::Halt;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use datafusion::optimizer::optimizer::ApplyOrder;
use datafusion::optimizer::{OptimizerConfig, OptimizerRule};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The name of the condition that asks.
pub(super) const ASK: &str = "denym_ask";

/// Seen by the work of a statement.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    stopped: Arc<AtomicBool>,
}

impl Wanted {
    /// An error once nobody waits any more.
    pub(super) fn check(&self) -> Result<()> {
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Halt::Unwanted.into());
        }
        Ok(())
    }
}

/// Held by whoever waits; once it is gone, the work stops.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    wanted: Wanted,
}

impl Waiting {
    /// For the work.
    pub(super) fn wanted(&self) -> Wanted {
        self.wanted.clone()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.wanted.stopped.store(true, Ordering::Relaxed);
    }
}

/// The last rule of the optimizer: conditions of joins ask whether they are wanted.
#[derive(Debug)]
pub(super) struct AskInJoins {
    pub(super) wanted: Wanted,
}

impl OptimizerRule for AskInJoins {
    fn name(&self) -> &'static str {
        "denym_ask_in_joins"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::BottomUp)
    }

    fn supports_rewrite(&self) -> bool {
        true
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Join(mut join) = plan else {
            return Ok(Transformed::no(plan));
        };
        let asks = |expr: &Expr| matches!(expr, Expr::ScalarFunction(call) if call.func.inner().is::<Ask>());
        match join.filter.take() {
            Some(filter) if !asks(&filter) => {
                let ask = Ask {
                    wanted: self.wanted.clone(),
                    signature: Signature::exact(vec![DataType::Boolean], Volatility::Immutable),
                };
                join.filter = Some(ScalarUDF::new_from_impl(ask).call(vec![filter]));
                Ok(Transformed::yes(LogicalPlan::Join(join)))
            }
            filter => {
                join.filter = filter;
                Ok(Transformed::no(LogicalPlan::Join(join)))
            }
        }
    }
}

/// A condition as it is, as long as it is wanted; in no registry, so that no query can name it.
#[derive(Debug)]
struct Ask {
    wanted: Wanted,
    signature: Signature,
}

impl PartialEq for Ask {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.wanted.stopped, &other.wanted.stopped)
    }
}

impl Eq for Ask {}

impl Hash for Ask {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.wanted.stopped).hash(state);
    }
}

impl ScalarUDFImpl for Ask {
    fn name(&self) -> &'static str {
        ASK
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        self.wanted.check()?;
        match args.args.pop() {
            Some(condition) => Ok(condition),
            None => datafusion::common::exec_err!("a condition is missing"),
        }
    }
}
