//! Names that PostgreSQL has for functions which the query engine calls otherwise, and `mod`, which it has as an operator only.

use datafusion::arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, Operator, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};
use std::sync::Arc;

/// Adds them to a registry.
pub(super) fn add(builder: &mut SessionStateBuilder) {
    if let Some(scalars) = builder.scalar_functions() {
        for (own, other) in [("signum", "sign"), ("ceil", "ceiling")] {
            if let Some(found) = scalars.iter().position(|one| one.name() == own) {
                let named = scalars[found].as_ref().clone().with_aliases([other]);
                scalars[found] = Arc::new(named);
            }
        }
        scalars.push(Arc::new(ScalarUDF::new_from_impl(Modulo {
            signature: Signature::numeric(2, Volatility::Immutable),
        })));
    }
    if let Some(aggregates) = builder.aggregate_functions()
        && let Some(found) = aggregates.iter().position(|one| one.name() == "bool_and")
    {
        let named = aggregates[found].as_ref().clone().with_aliases(["every"]);
        aggregates[found] = Arc::new(named);
    }
}

/// `mod(a, b)`, which becomes `a % b`.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Modulo {
    signature: Signature,
}

impl ScalarUDFImpl for Modulo {
    fn name(&self) -> &'static str {
        "mod"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [kind, _] => Ok(kind.clone()),
            _ => datafusion::common::plan_err!("mod takes two numbers"),
        }
    }

    fn simplify(&self, mut args: Vec<Expr>, _: &SimplifyContext) -> Result<ExprSimplifyResult> {
        match (args.pop(), args.pop(), args.is_empty()) {
            (Some(right), Some(left), true) => {
                Ok(ExprSimplifyResult::Simplified(Expr::BinaryExpr(
                    BinaryExpr::new(Box::new(left), Operator::Modulo, Box::new(right)),
                )))
            }
            _ => datafusion::common::plan_err!("mod takes two numbers"),
        }
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        datafusion::common::internal_err!("mod is an operator by now")
    }
}
