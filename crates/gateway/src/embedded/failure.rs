//! What clients are told of an error of the query engine: its kind in our words. Its own text may quote a cell, a path or a plan.

use crate::request::Refusal;
use datafusion::arrow::error::ArrowError;
use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use thiserror::Error;

/// Why we stop a statement ourselves, on its way through the engine.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(super) enum Halt {
    /// A function would make a text or list that is too long.
    #[error("a function would make too long a text")]
    Long,
    /// The statement needs more memory than one may have.
    #[error("too much memory")]
    Memory,
    /// Nobody waits for it any more.
    #[error("nobody waits")]
    Unwanted,
    /// A table's file is not what it was when the statement began.
    #[error("the file of table `{table}` changed")]
    Changed {
        /// The table.
        table: String,
    },
}

impl From<Halt> for DataFusionError {
    fn from(halt: Halt) -> Self {
        Self::External(Box::new(halt))
    }
}

impl From<&Halt> for Refusal {
    fn from(halt: &Halt) -> Self {
        let (mut refusal, hint) = match halt {
            Halt::Long => (
                Self::new(
                    "54000",
                    "text-too-long",
                    "a function of this statement would make a text or list of more than 131,072 bytes",
                ),
                "make shorter texts, or put them together in the client",
            ),
            Halt::Memory => (
                exhausted(),
                "ask for fewer columns or records at a time; the one who runs the gateway can grant more with --memory",
            ),
            Halt::Unwanted => (
                Self::new(
                    "57014",
                    "cancelled",
                    "canceling statement due to user request",
                ),
                "ask again",
            ),
            Halt::Changed { table } => (
                Self::new(
                    "55000",
                    "data-changed",
                    format!("table `{table}`: its file changed while it was read"),
                ),
                "ask again",
            ),
        };
        refusal.hint = Some(hint.into());
        refusal
    }
}

fn exhausted() -> Refusal {
    Refusal::new(
        "53200",
        "memory-exhausted",
        "the query needs more memory than the gateway grants",
    )
}

/// The reason, when we stopped it ourselves.
fn halted(error: &DataFusionError) -> Option<Refusal> {
    match error {
        DataFusionError::External(inner) => {
            let halt = inner.downcast_ref::<Halt>().map(Refusal::from);
            halt.or_else(|| inner.downcast_ref::<DataFusionError>().and_then(halted))
        }
        DataFusionError::ArrowError(arrow, _) => match arrow.as_ref() {
            ArrowError::ExternalError(inner) => {
                let halt = inner.downcast_ref::<Halt>().map(Refusal::from);
                halt.or_else(|| inner.downcast_ref::<DataFusionError>().and_then(halted))
            }
            _ => None,
        },
        DataFusionError::Context(_, inner) | DataFusionError::Diagnostic(_, inner) => halted(inner),
        DataFusionError::Shared(inner) => halted(inner),
        DataFusionError::Collection(several) => several.first().and_then(halted),
        _ => None,
    }
}

/// An error while a statement is read against the governed schema: nothing else is known there, so names may be told.
pub(super) fn planning(error: &DataFusionError) -> Refusal {
    if let Some(refusal) = halted(error) {
        return refusal;
    }
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
            let message = match relation(text) {
                Some(name) => format!("relation \"{name}\" does not exist"),
                None => "a relation or function of the query does not exist".into(),
            };
            Refusal::new("42P01", "relation-unknown", message)
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

/// The relation that the engine looked for, as the client wrote it: `table 'catalogue.schema.name' not found`.
fn relation(text: &str) -> Option<&str> {
    let quoted = text.strip_prefix("table '")?.split_once("' not found")?.0;
    quoted.rsplit('.').next().filter(|name| !name.is_empty())
}

/// An error once raw data may be involved.
pub(super) fn running(error: &DataFusionError) -> Refusal {
    if let Some(refusal) = halted(error) {
        return refusal;
    }
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
        DataFusionError::ResourcesExhausted(_) => Refusal::from(&Halt::Memory),
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
