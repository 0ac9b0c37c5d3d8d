//! What clients are told of an error of the query engine: its kind in our words. Its own text may quote a cell, a path or a plan.

use crate::request::Refusal;
use datafusion::arrow::error::ArrowError;
use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;

/// An error while a statement is read against the governed schema: nothing else is known there, so names may be told.
pub(super) fn planning(error: &DataFusionError) -> Refusal {
    match error.find_root() {
        DataFusionError::SchemaError(schema, _) => match schema.as_ref() {
            SchemaError::FieldNotFound { field, .. } => Refusal::new(
                "42703",
                "column-unknown",
                format!("column {} does not exist", field.quoted_flat_name()),
            ),
            SchemaError::AmbiguousReference { field } => Refusal::new(
                "42702",
                "column-ambiguous",
                format!("column reference {} is ambiguous", field.quoted_flat_name()),
            ),
            _ => Refusal::new("42701", "column-duplicate", "a column name occurs twice"),
        },
        DataFusionError::Plan(text) if text.starts_with("table ") || text.contains("not found") => {
            Refusal::new(
                "42P01",
                "relation-unknown",
                "a relation or function of the query does not exist",
            )
        }
        DataFusionError::Plan(text) if text.contains("nvalid function") => Refusal::new(
            "42883",
            "function-unknown",
            "a function of the query does not exist",
        ),
        DataFusionError::NotImplemented(_) => unsupported(),
        DataFusionError::SQL(..) => Refusal::new(
            "42601",
            "statement-unreadable",
            "the statement cannot be read",
        ),
        _ => Refusal::new(
            "42804",
            "statement-does-not-fit",
            "the statement does not fit the tables: a name, a type or a clause is wrong",
        ),
    }
}

/// An error once raw data may be involved.
pub(super) fn running(error: &DataFusionError) -> Refusal {
    match error.find_root() {
        DataFusionError::ArrowError(arrow, _) => match arrow.as_ref() {
            ArrowError::DivideByZero => {
                Refusal::new("22012", "division-by-zero", "division by zero")
            }
            ArrowError::CastError(_) | ArrowError::ParseError(_) => Refusal::new(
                "22P02",
                "cast-impossible",
                "a value cannot be read as the type asked for",
            ),
            ArrowError::ArithmeticOverflow(_) | ArrowError::ComputeError(_) => {
                Refusal::new("22003", "number-out-of-range", "a number is out of range")
            }
            _ => failed(),
        },
        DataFusionError::ResourcesExhausted(_) => Refusal::new(
            "53200",
            "memory-exhausted",
            "the query needs more memory than the gateway grants",
        ),
        DataFusionError::NotImplemented(_) => unsupported(),
        DataFusionError::Execution(text) if text.contains("more than one row") => Refusal::new(
            "21000",
            "subquery-with-several-rows",
            "more than one row returned by a subquery used as an expression",
        ),
        DataFusionError::Execution(text) if text.to_lowercase().contains("cast") => Refusal::new(
            "22P02",
            "cast-impossible",
            "a value cannot be read as the type asked for",
        ),
        DataFusionError::Plan(_) | DataFusionError::SchemaError(..) => Refusal::new(
            "42804",
            "statement-does-not-fit",
            "the statement does not fit the tables: a name, a type or a clause is wrong",
        ),
        _ => failed(),
    }
}

fn unsupported() -> Refusal {
    Refusal::new(
        "0A000",
        "statement-not-supported",
        "this kind of query is not supported by the embedded backend",
    )
}

pub(super) fn failed() -> Refusal {
    Refusal::new("58000", "query-failed", "the query failed")
}
