//! Which functions and types a statement may use in the embedded backend, and how long a text each of them can make.
//!
//! # Idea
//! A function is let in when `crate::functions` lists it for files: it only computes on its arguments, and the length of what it makes is known
//! before it is made. Statements on no governed table may also call what clients ask the catalogue with.
//!
//! # Guarantee
//! Default deny, twice: what is not listed is not in the registry, and a plan is searched for it once more, because the engine makes calls
//! out of operators and keywords without asking the registry.

pub(super) use crate::functions::Length;
use crate::functions::{Files, Role, listed};
use crate::request::Refusal;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::expr::WindowFunctionDefinition;
use datafusion::logical_expr::{Expr, LogicalPlan, Operator};

/// The longest text or list that a function may make, in bytes.
pub(super) const LONGEST_MADE: usize = 128 << 10;
/// The longest text that a client may write in a statement or send as a parameter.
pub(super) const LONGEST_LITERAL: usize = 128 << 10;
/// The longest regular expression, and how large it may be once it is compiled.
const LONGEST_PATTERN: usize = 1_000;
const LARGEST_PATTERN: usize = 256 << 10;

/// Functions of ours that the engine's are rewritten to, see `bounded`, and who asks, which clients want to know.
const OWN: [(&str, Length); 4] = [
    (super::bounded::JOINED, Length::Bounded),
    (super::bounded::CHECKED, Length::Bounded),
    ("current_user", Length::Short),
    ("session_user", Length::Short),
];

/// Functions about the catalogue, which statements on no governed table may call too.
const ABOUT_CATALOGUE: [&str; 36] = [
    "array_lower",
    "array_upper",
    "col_description",
    "current_database",
    "current_schema",
    "current_schemas",
    "format_type",
    "has_any_column_privilege",
    "has_database_privilege",
    "has_schema_privilege",
    "has_table_privilege",
    "obj_description",
    "parse_ident",
    "pg_backend_pid",
    "pg_encoding_to_char",
    "pg_function_is_visible",
    "pg_get_constraintdef",
    "pg_get_expr",
    "pg_get_indexdef",
    "pg_get_partition_ancestors",
    "pg_get_partkeydef",
    "pg_get_serial_sequence",
    "pg_get_statisticsobjdef_columns",
    "pg_get_userbyid",
    "pg_get_viewdef",
    "pg_partition_ancestors",
    "pg_relation_is_publishable",
    "pg_relation_size",
    "pg_stat_get_numscans",
    "pg_table_is_visible",
    "pg_total_relation_size",
    "pg_type_is_visible",
    "quote_ident",
    "shobj_description",
    "to_regtype",
    "version",
];

/// Aggregates that put cells together: what they make is checked, and a running one would make the square of its input.
pub(super) const COLLECTING: [&str; 2] = ["array_agg", "string_agg"];

/// Table functions: rows of numbers, made one batch at a time.
const TABLES: [&str; 2] = ["generate_series", "range"];
/// Table functions about the catalogue.
const TABLES_ABOUT_CATALOGUE: [&str; 1] = ["pg_get_keywords"];

/// How long a text the listed function makes; `None` for one that is not listed.
pub(super) fn length(name: &str) -> Option<Length> {
    let own = OWN.iter().find(|(own, _)| *own == name);
    own.map(|(_, length)| *length).or_else(|| {
        listed().iter().find_map(|one| match one.files {
            Files::Makes(length) if one.name == name => Some(length),
            _ => None,
        })
    })
}

fn is_aggregate(name: &str) -> bool {
    is_counted(name, &[Role::Aggregate, Role::Ordered])
}

fn is_window(name: &str) -> bool {
    is_counted(name, &[Role::Window])
}

fn is_counted(name: &str, roles: &[Role]) -> bool {
    let mut listed = listed().iter();
    listed.any(|one| one.name == name && one.files == Files::Counted && roles.contains(&one.role))
}

fn is_about_catalogue(name: &str) -> bool {
    ABOUT_CATALOGUE.contains(&name)
}

/// Takes everything out of the registry that is not listed.
pub(super) fn keep_listed(builder: &mut SessionStateBuilder) {
    if let Some(scalars) = builder.scalar_functions() {
        scalars.retain(|one| length(one.name()).is_some() || is_about_catalogue(one.name()));
    }
    if let Some(aggregates) = builder.aggregate_functions() {
        aggregates.retain(|one| is_aggregate(one.name()));
    }
    if let Some(windows) = builder.window_functions() {
        windows.retain(|one| is_window(one.name()));
    }
    if let Some(tables) = builder.table_functions() {
        tables.retain(|name, _| {
            TABLES.contains(&name.as_str()) || TABLES_ABOUT_CATALOGUE.contains(&name.as_str())
        });
    }
    if let Some(lambdas) = builder.higher_order_functions() {
        lambdas.clear();
    }
}

/// Refuses a plan that calls what is not listed, makes what clients cannot read, or has a pattern that is not plain.
pub(super) fn check(plan: &LogicalPlan, governed: bool) -> Result<(), Refusal> {
    let mut refused = None;
    let walked = plan.apply_with_subqueries(|node| {
        for expr in node.expressions() {
            expr.apply(|expr| match refusal(expr, governed) {
                None => Ok(TreeNodeRecursion::Continue),
                Some(refusal) => {
                    refused = Some(refusal);
                    Ok(TreeNodeRecursion::Stop)
                }
            })?;
            if refused.is_some() {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    });
    match (refused, walked) {
        (Some(refusal), _) => Err(refusal),
        (None, Ok(_)) => Ok(()),
        (None, Err(error)) => Err(super::failure::planning(&error)),
    }
}

fn refusal(expr: &Expr, governed: bool) -> Option<Refusal> {
    match expr {
        Expr::ScalarFunction(call) => {
            let name = call.name();
            if length(name).is_none() && (governed || !is_about_catalogue(name)) {
                return Some(unlisted());
            }
            match name {
                name if name.starts_with("regexp_") => pattern(call.args.get(1)),
                "to_char" => format(call.args.get(1)),
                _ => None,
            }
        }
        Expr::AggregateFunction(call) => (!is_aggregate(call.func.name())).then(unlisted),
        Expr::WindowFunction(call) => {
            let is_listed = match &call.fun {
                WindowFunctionDefinition::AggregateUDF(function) => {
                    is_aggregate(function.name()) && !COLLECTING.contains(&function.name())
                }
                WindowFunctionDefinition::WindowUDF(function) => is_window(function.name()),
            };
            (!is_listed).then(unlisted)
        }
        Expr::HigherOrderFunction(_) | Expr::Lambda(_) | Expr::LambdaVariable(_) => {
            Some(unlisted())
        }
        Expr::ScalarVariable(..) => Some(not_allowed("a variable")),
        Expr::Cast(cast) => (!is_plain(cast.field.data_type())).then(unlisted_type),
        Expr::TryCast(cast) => (!is_plain(cast.field.data_type())).then(unlisted_type),
        Expr::Literal(value, _) => long_literal(value),
        Expr::BinaryExpr(binary) => match binary.op {
            Operator::RegexMatch
            | Operator::RegexIMatch
            | Operator::RegexNotMatch
            | Operator::RegexNotIMatch => pattern(Some(&binary.right)),
            _ => None,
        },
        Expr::SimilarTo(like) => pattern(Some(&like.pattern)),
        _ => None,
    }
}

/// A regular expression is written in the statement, short, and small once it is compiled: one that changes from record to record would
/// be compiled for each, and a large one would be tried for minutes on one cell.
fn pattern(expr: Option<&Expr>) -> Option<Refusal> {
    let text = match expr {
        Some(Expr::Literal(value, _)) => match value.try_as_str() {
            Some(Some(text)) => text,
            Some(None) => return None,
            None if value.is_null() => return None,
            None => return Some(bad_pattern()),
        },
        // its value comes with the run, and is looked at then
        Some(Expr::Placeholder(_)) => return None,
        _ => return Some(bad_pattern()),
    };
    let fits = text.len() <= LONGEST_PATTERN
        && regex::RegexBuilder::new(text)
            .size_limit(LARGEST_PATTERN)
            .build()
            .is_ok();
    (!fits).then(bad_pattern)
}

/// A format is written in the statement, in patterns that we know: another would be shown as it is.
fn format(expr: Option<&Expr>) -> Option<Refusal> {
    let is_known = match expr {
        Some(Expr::Literal(value, _)) => match value.try_as_str() {
            // the engine's words, which PostgreSQL's became
            Some(Some(format)) => format.contains('%') || !format.chars().any(char::is_alphabetic),
            _ => value.is_null(),
        },
        Some(Expr::Placeholder(_)) => true,
        _ => false,
    };
    (!is_known).then(|| {
        let mut refusal = Refusal::new(
            "22007",
            "format-not-possible",
            "a format of this statement is not possible here",
        );
        refusal.hint = Some(
            "write it as a constant of YYYY, MM, DD, HH24, MI, SS and the like; names of months and days with FM".into(),
        );
        refusal
    })
}

fn bad_pattern() -> Refusal {
    let mut refusal = Refusal::new(
        "2201B",
        "pattern-not-possible",
        "a regular expression of this statement is not possible here",
    );
    refusal.hint = Some(
        "write it as a constant of at most 1,000 letters, without large counts such as {1000}"
            .into(),
    );
    refusal
}

fn long_literal(value: &ScalarValue) -> Option<Refusal> {
    let length = match value.try_as_str() {
        Some(Some(text)) => text.len(),
        Some(None) => 0,
        None => match value {
            value if is_plain(&value.data_type()) => value.size(),
            _ => return Some(unlisted_type()),
        },
    };
    (length > LONGEST_LITERAL).then(|| {
        Refusal::new(
            "54000",
            "constant-too-long",
            "a constant or parameter of this statement is longer than 131,072 bytes",
        )
    })
}

/// Types of plain values and lists of them: nothing whose size is part of the type.
fn is_plain(kind: &DataType) -> bool {
    match kind {
        DataType::Null
        | DataType::Boolean
        | DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::BinaryView
        | DataType::LargeBinary
        | DataType::Date32
        | DataType::Date64
        | DataType::Time32(_)
        | DataType::Time64(_)
        | DataType::Timestamp(..)
        | DataType::Interval(_)
        | DataType::Duration(_)
        | DataType::Decimal32(..)
        | DataType::Decimal64(..)
        | DataType::Decimal128(..)
        | DataType::Decimal256(..) => true,
        DataType::List(field) => is_plain(field.data_type()),
        kind => kind.is_numeric(),
    }
}

fn not_allowed(what: &str) -> Refusal {
    crate::Error::NotAllowed { what: what.into() }.into()
}

fn unlisted() -> Refusal {
    let mut refusal = not_allowed("a function that is not listed");
    refusal.hint = Some("the guide on the gateway lists the functions".into());
    refusal
}

fn unlisted_type() -> Refusal {
    not_allowed("a type that is not listed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_function_is_one_of_the_engine() {
        let mut builder = SessionStateBuilder::new().with_default_features();
        super::super::names::add(&mut builder);
        keep_listed(&mut builder);
        let state = builder.build();
        for one in listed().iter().filter(|one| one.files != Files::Absent) {
            let is_there = match one.role {
                Role::Scalar | Role::Word => state.scalar_functions().contains_key(one.name),
                Role::Aggregate | Role::Ordered => {
                    state.aggregate_functions().contains_key(one.name)
                }
                Role::Window => state.window_functions().contains_key(one.name),
            };
            assert!(is_there, "{} is listed for files", one.name);
        }
    }
}
