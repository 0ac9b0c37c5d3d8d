//! Functions that make long texts out of short ones, with a bound that is checked before anything is allocated.
//!
//! # Idea
//! From the lengths of its arguments follows how long a result can be: `repeat('x', 2000000000)` needs no trying. So each such call in a plan
//! is replaced by the same function behind a check, `||` becomes a function of ours, and what an aggregate put together is checked
//! before it is used. The engine allocates outside its memory pool there, so this is the only place to stop it.
//!
//! # Guarantee
//! No function makes a text or list above [`LONGEST_MADE`], nor a column of a batch above [`MOST_MADE`].

use super::failure::Halt;
use super::functions::{COLLECTING, LONGEST_MADE, Length, length};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, StringArray, StringBuilder};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, FieldRef, Int64Type};
use datafusion::common::tree_node::{Transformed, TransformedResult as _, TreeNode as _};
use datafusion::common::{Column, ScalarValue, exec_err};
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{
    ColumnarValue, Expr, LogicalPlan, LogicalPlanBuilder, Operator, ReturnFieldArgs,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use std::sync::Arc;

/// The name of `||` as a function of ours.
pub(super) const JOINED: &str = "denym_joined";
/// The name of the check on what an aggregate put together.
pub(super) const CHECKED: &str = "denym_checked";
/// The most that one call may make for one batch, in bytes.
pub(super) const MOST_MADE: usize = 64 << 20;

/// Puts the checks into a plan.
pub(super) fn apply(plan: LogicalPlan) -> Result<LogicalPlan> {
    plan.transform_up_with_subqueries(|node| {
        let names = NamePreserver::new(&node);
        let node = node
            .map_expressions(|expr| {
                let name = names.save(&expr);
                let changed = expr.transform_up(|expr| Ok(behind_check(expr)))?;
                Ok(changed.update_data(|expr| name.restore(expr)))
            })?
            .map_data(LogicalPlan::recompute_schema)?;
        let node = node.data;
        match &node {
            LogicalPlan::Aggregate(aggregate) => {
                // the last columns, one for each
                let first = node.schema().fields().len() - aggregate.aggr_expr.len();
                let places: Vec<usize> = (0..aggregate.aggr_expr.len())
                    .filter(|place| collects(&aggregate.aggr_expr[*place]))
                    .map(|place| first + place)
                    .collect();
                if places.is_empty() {
                    return Ok(Transformed::yes(node));
                }
                Ok(Transformed::yes(checked(node, &places)?))
            }
            _ => Ok(Transformed::yes(node)),
        }
    })
    .data()
}

/// A call that makes long texts, behind its check.
fn behind_check(expr: Expr) -> Transformed<Expr> {
    match expr {
        Expr::BinaryExpr(binary) if binary.op == Operator::StringConcat => {
            let call = ScalarUDF::new_from_impl(Joined::new());
            Transformed::yes(call.call(vec![*binary.left, *binary.right]))
        }
        Expr::ScalarFunction(call)
            if length(call.name()) == Some(Length::Bounded)
                && !call.func.inner().is::<Bounded>()
                && !call.func.inner().is::<Joined>()
                && !call.func.inner().is::<Checked>() =>
        {
            let bounded = ScalarUDF::new_from_impl(Bounded { inner: call.func });
            Transformed::yes(Expr::ScalarFunction(ScalarFunction::new_udf(
                Arc::new(bounded),
                call.args,
            )))
        }
        expr => Transformed::no(expr),
    }
}

fn collects(expr: &Expr) -> bool {
    expr.exists(|expr| {
        Ok(matches!(expr, Expr::AggregateFunction(call) if COLLECTING.contains(&call.func.name())))
    })
    .unwrap_or(true)
}

/// A projection of the same columns on top of an aggregate, those that were put together behind a check.
fn checked(aggregate: LogicalPlan, places: &[usize]) -> Result<LogicalPlan> {
    let columns: Vec<Expr> = aggregate
        .schema()
        .iter()
        .enumerate()
        .map(|(place, (relation, field))| {
            let column = Expr::Column(Column::new(relation.cloned(), field.name()));
            if !places.contains(&place) {
                return column;
            }
            ScalarUDF::new_from_impl(Checked::new())
                .call(vec![column])
                .alias_qualified(relation.cloned(), field.name())
        })
        .collect();
    LogicalPlanBuilder::from(aggregate)
        .project(columns)?
        .build()
}

/// A function of the engine behind a check of its arguments.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Bounded {
    inner: Arc<ScalarUDF>,
}

impl ScalarUDFImpl for Bounded {
    fn name(&self) -> &str {
        self.inner.name()
    }

    fn aliases(&self) -> &[String] {
        self.inner.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.inner.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.inner.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.inner.return_field_from_args(args)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(types)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        fits(self.inner.name(), &args.args, args.number_rows)?;
        self.inner.invoke_with_args(args)
    }
}

/// `left || right`: NULL when either is.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Joined {
    signature: Signature,
}

impl Joined {
    fn new() -> Self {
        Self {
            signature: Signature::user_defined(Volatility::Immutable),
        }
    }
}

impl ScalarUDFImpl for Joined {
    fn name(&self) -> &'static str {
        JOINED
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        if types.iter().any(DataType::is_nested) || types.len() != 2 {
            return datafusion::common::plan_err!("|| joins texts");
        }
        Ok(vec![DataType::Utf8; 2])
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = &args.args[..] else {
            return exec_err!("|| joins two texts");
        };
        // two constants are one text, whatever the number of rows
        let is_constant = args
            .args
            .iter()
            .all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if is_constant { 1 } else { args.number_rows };
        fits(JOINED, &args.args, rows)?;
        let (left, right) = (left.to_array(rows)?, right.to_array(rows)?);
        let (left, right): (&StringArray, &StringArray) = (left.as_string(), right.as_string());
        let bytes =
            left.value_data().len().min(MOST_MADE) + right.value_data().len().min(MOST_MADE);
        let mut out = StringBuilder::with_capacity(rows, bytes);
        let mut joined = String::new();
        for row in 0..rows {
            if left.is_null(row) || right.is_null(row) {
                out.append_null();
            } else {
                joined.clear();
                joined.push_str(left.value(row));
                joined.push_str(right.value(row));
                out.append_value(&joined);
            }
        }
        let out: ArrayRef = Arc::new(out.finish());
        Ok(if is_constant {
            ColumnarValue::Scalar(ScalarValue::try_from_array(&out, 0)?)
        } else {
            ColumnarValue::Array(out)
        })
    }
}

/// Passes on what is not too long.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    signature: Signature,
}

impl Checked {
    fn new() -> Self {
        Self {
            signature: Signature::any(1, Volatility::Immutable),
        }
    }
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &'static str {
        CHECKED
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [kind] => Ok(kind.clone()),
            _ => datafusion::common::plan_err!("one value is checked"),
        }
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        fits(CHECKED, &args.args, args.number_rows)?;
        match args.args.pop() {
            Some(value) => Ok(value),
            None => exec_err!("one value is checked"),
        }
    }
}

/// What a call would make, row by row, is within the bounds.
fn fits(name: &str, args: &[ColumnarValue], rows: usize) -> Result<()> {
    let is_constant = args
        .iter()
        .all(|value| matches!(value, ColumnarValue::Scalar(_)));
    let rows = if is_constant { 1 } else { rows };
    let args = args
        .iter()
        .map(|value| match value {
            // one is enough: it is the same in every row
            ColumnarValue::Scalar(value) => Ok((value.to_array()?, true)),
            ColumnarValue::Array(array) => Ok((array.clone(), false)),
        })
        .collect::<Result<Vec<(ArrayRef, bool)>>>()?;
    let args = args
        .iter()
        .map(|(array, is_constant)| Argument::new(array, *is_constant))
        .collect::<Result<Vec<Argument<'_>>>>()?;
    let mut total = 0usize;
    for row in 0..rows {
        let made = bound(name, &args, row);
        total = total.saturating_add(made);
        if made > LONGEST_MADE || total > MOST_MADE {
            return Err(Halt::Long.into());
        }
    }
    Ok(())
}

/// An upper bound of the bytes that a call makes of one row.
fn bound(name: &str, args: &[Argument<'_>], row: usize) -> usize {
    let length = |place: usize| args.get(place).map_or(0, |arg| arg.length(row));
    let all = || (0..args.len()).map(length).fold(0, usize::saturating_add);
    match name {
        "repeat" => {
            let times = args.get(1).map_or(0, |arg| arg.number(row));
            length(0).saturating_mul(times)
        }
        // as many letters, of up to four bytes
        "lpad" | "rpad" => args
            .get(1)
            .map_or(0, |arg| arg.number(row))
            .saturating_mul(4),
        "concat_ws" => all().saturating_add(length(0).saturating_mul(args.len())),
        "replace" => {
            let (text, from, to) = (length(0), length(1), length(2));
            if from >= to && from > 0 {
                return text;
            }
            // exactly, because a text is mostly not full of what is replaced
            let found = match (args.first(), args.get(1)) {
                (Some(text), Some(from)) => text.occurrences(from, row),
                _ => text + 1,
            };
            text.saturating_add(found.saturating_mul(to))
        }
        "regexp_replace" => {
            let (text, to) = (length(0), length(2));
            let is_global = args.get(3).is_some_and(|flags| flags.contains("g", row));
            let times = if is_global { text + 1 } else { 1 };
            // every reference may stand for the whole of what was found
            let references = args.get(2).map_or(0, |to| to.count(&['\\', '$'], row));
            text.saturating_add(to.saturating_mul(times))
                .saturating_add(references.saturating_mul(text))
        }
        "regexp_match" => {
            let groups = args.get(1).map_or(0, |pattern| pattern.count(&['('], row));
            (length(0) + 16).saturating_mul(groups + 1)
        }
        // a letter of a format stands for a name of a month at most
        "to_char" => length(1).saturating_mul(32).saturating_add(64),
        "array_to_string" => {
            let between = length(1).saturating_add(length(2)).saturating_add(32);
            let elements = args.first().map_or(0, |list| list.elements(row));
            length(0).saturating_add(elements.saturating_mul(between))
        }
        _ => all(),
    }
}

/// An argument, or a constant that is the same for every row.
struct Argument<'a> {
    array: &'a ArrayRef,
    numbers: Option<ArrayRef>,
    is_constant: bool,
}

impl<'a> Argument<'a> {
    fn new(array: &'a ArrayRef, is_constant: bool) -> Result<Self> {
        let numbers = if array.data_type().is_numeric() {
            Some(cast(array, &DataType::Int64)?)
        } else {
            None
        };
        Ok(Self {
            array,
            numbers,
            is_constant,
        })
    }

    fn place(&self, row: usize) -> usize {
        if self.is_constant { 0 } else { row }
    }

    fn text(&self, row: usize) -> Option<&str> {
        let row = self.place(row);
        if self.array.is_null(row) {
            return None;
        }
        Some(match self.array.data_type() {
            DataType::Utf8 => self.array.as_string::<i32>().value(row),
            DataType::LargeUtf8 => self.array.as_string::<i64>().value(row),
            DataType::Utf8View => self.array.as_string_view().value(row),
            _ => return None,
        })
    }

    /// Bytes of a text, or of the elements of a list.
    fn length(&self, row: usize) -> usize {
        let place = self.place(row);
        if self.array.is_null(place) {
            return 0;
        }
        match self.array.data_type() {
            DataType::List(_) => {
                let list = self.array.as_list::<i32>();
                let elements = list.value(place);
                match elements.data_type() {
                    DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
                        let elements = Argument {
                            array: &elements,
                            numbers: None,
                            is_constant: false,
                        };
                        (0..elements.array.len())
                            .map(|one| elements.length(one) + 8)
                            .sum()
                    }
                    DataType::List(_) => LONGEST_MADE + 1,
                    _ => elements.len().saturating_mul(16),
                }
            }
            DataType::Binary => self.array.as_binary::<i32>().value(place).len(),
            // numbers and days as text
            _ => self.text(row).map_or(64, str::len),
        }
    }

    fn elements(&self, row: usize) -> usize {
        let place = self.place(row);
        match self.array.data_type() {
            DataType::List(_) if self.array.is_valid(place) => {
                usize::try_from(self.array.as_list::<i32>().value_length(place)).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// A number, 0 when there is none or it is negative.
    fn number(&self, row: usize) -> usize {
        let place = self.place(row);
        match &self.numbers {
            Some(numbers) if numbers.is_valid(place) => {
                usize::try_from(numbers.as_primitive::<Int64Type>().value(place)).unwrap_or(0)
            }
            _ => 0,
        }
    }

    fn occurrences(&self, of: &Self, row: usize) -> usize {
        match (self.text(row), of.text(row)) {
            (Some(text), Some(of)) => text.matches(of).count(),
            _ => 0,
        }
    }

    fn contains(&self, letter: &str, row: usize) -> bool {
        self.text(row).is_some_and(|text| text.contains(letter))
    }

    fn count(&self, letters: &[char], row: usize) -> usize {
        self.text(row)
            .map_or(0, |text| text.matches(letters).count())
    }
}
