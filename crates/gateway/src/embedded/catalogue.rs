//! What clients ask the catalogue with: functions that answer for governed tables, and their questions in words the engine understands.

use datafusion::arrow::datatypes::DataType;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility, create_udf,
};
use datafusion::prelude::SessionContext;
use datafusion::scalar::ScalarValue;
use sqlparser::ast::VisitorMut;
use std::ops::ControlFlow;
use std::sync::Arc;

/// What `version()` answers; drivers read the number.
const VERSION: &str = concat!(
    "PostgreSQL 16.6 (Denym gateway ",
    env!("CARGO_PKG_VERSION"),
    ")"
);

/// Adds the functions to a context.
pub(super) fn register(context: &SessionContext) {
    context.register_udf(constant("version", VERSION));
    context.register_udf(to_regtype());
    // what governed tables do not have: constraints, sequences, comments
    for name in [
        "pg_get_constraintdef",
        "pg_get_serial_sequence",
        "obj_description",
        "col_description",
        "shobj_description",
    ] {
        context.register_udf(Fixed::new(name, ScalarValue::Utf8(None)).into());
    }
    for name in ["pg_type_is_visible", "pg_function_is_visible"] {
        context.register_udf(Fixed::new(name, ScalarValue::Boolean(Some(true))).into());
    }
}

/// Takes subqueries for defaults, sequences and collations out of catalogue queries: governed tables have none, and the engine does not
/// plan such correlated subqueries.
pub(super) struct WithoutDefaults;

impl VisitorMut for WithoutDefaults {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &mut sqlparser::ast::Expr) -> ControlFlow<()> {
        if let sqlparser::ast::Expr::Subquery(query) = expr {
            let text = query.to_string();
            if ["pg_attrdef", "pg_sequence", "pg_collation", "typcollation"]
                .iter()
                .any(|name| text.contains(name))
            {
                *expr = sqlparser::ast::Expr::Value(sqlparser::ast::Value::Null.into());
            }
        }
        ControlFlow::Continue(())
    }
}

/// A function without arguments that answers with a constant.
pub(super) fn constant(name: &str, value: &str) -> ScalarUDF {
    let value = value.to_owned();
    create_udf(
        name,
        vec![],
        DataType::Utf8,
        Volatility::Stable,
        Arc::new(move |_: &[ColumnarValue]| {
            Ok(ColumnarValue::Scalar(ScalarValue::Utf8(Some(
                value.clone(),
            ))))
        }),
    )
}

/// A function that answers the same whatever it is asked.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Fixed {
    name: &'static str,
    value: ScalarValue,
    signature: Signature,
}

impl Fixed {
    fn new(name: &'static str, value: ScalarValue) -> Self {
        Self {
            name,
            value,
            signature: Signature::variadic_any(Volatility::Stable),
        }
    }
}

impl ScalarUDFImpl for Fixed {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> datafusion::error::Result<DataType> {
        Ok(self.value.data_type())
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> datafusion::error::Result<ColumnarValue> {
        Ok(ColumnarValue::Scalar(self.value.clone()))
    }
}

/// `to_regtype(name)`: the number of a plain type, NULL for what is not there; drivers ask it for extensions.
fn to_regtype() -> ScalarUDF {
    use datafusion::arrow::array::{AsArray as _, Int32Array};
    use pgwire::api::Type;
    let known = [
        Type::BOOL,
        Type::INT2,
        Type::INT4,
        Type::INT8,
        Type::FLOAT4,
        Type::FLOAT8,
        Type::NUMERIC,
        Type::TEXT,
        Type::VARCHAR,
        Type::DATE,
        Type::TIME,
        Type::TIMESTAMP,
        Type::TIMESTAMPTZ,
    ];
    create_udf(
        "to_regtype",
        vec![DataType::Utf8],
        DataType::Int32,
        Volatility::Stable,
        Arc::new(move |args: &[ColumnarValue]| {
            let arrays = ColumnarValue::values_to_arrays(args)?;
            let found: Int32Array = arrays[0]
                .as_string::<i32>()
                .iter()
                .map(|name| {
                    let kind = known.iter().find(|kind| Some(kind.name()) == name)?;
                    i32::try_from(kind.oid()).ok()
                })
                .collect();
            Ok(ColumnarValue::Array(Arc::new(found)))
        }),
    )
}
