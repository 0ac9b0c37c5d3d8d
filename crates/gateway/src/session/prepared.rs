//! A statement that was read and checked: what it takes, what it returns, how it will run.

use crate::embedded::Planned;
use crate::pushdown::Rewritten;
use crate::remote::Described;
use crate::reply::FieldOut;
use crate::statement::Command;
use arrow_pg::datatypes::{field_into_pg_type, into_pg_type};
use bytes::Bytes;
use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::ParamValues;
use denym_purpose::{AccessPolicy, PurposeId};
use pgwire::api::Type;
use pgwire::api::portal::Portal as WirePortal;
use pgwire::api::stmt::StoredStatement;
use pgwire::messages::extendedquery::Bind;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::request::Refusal;

/// A statement that was read and checked.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// What it is; `None` for an empty text.
    pub(crate) command: Option<Command>,
    /// How it runs.
    pub(crate) plan: Plan,
    /// Parameter types.
    pub(crate) parameters: Vec<Type>,
    /// What it returns, if rows.
    pub(crate) fields: Option<Vec<FieldOut>>,
    /// Its text as it came in a message of its own.
    pub(crate) text: Arc<str>,
}

/// How a statement runs.
#[derive(Debug)]
pub(crate) enum Plan {
    /// By the session itself.
    Session,
    /// By the query engine.
    Engine(Box<Planned>),
    /// By the PostgreSQL server.
    Remote(Box<Pushed>),
}

/// A statement as the PostgreSQL server gets it, under the purpose and roles it was prepared with.
#[derive(Debug, Clone)]
pub(crate) struct Pushed {
    pub(crate) described: Described,
    pub(crate) rewritten: Rewritten,
    pub(crate) policy: Arc<AccessPolicy>,
    pub(crate) purpose: PurposeId,
    pub(crate) active: Vec<usize>,
    /// Whether compared values were lifted out of the text.
    pub(crate) lifts: bool,
}

/// Types whose binary form is their text.
const TEXTS: [Type; 4] = [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME];

/// The parameters of a bound statement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    pub(crate) formats: Vec<i16>,
    pub(crate) bytes: Vec<Option<Bytes>>,
}

impl Values {
    /// Bytes of all of them.
    pub(crate) fn size(&self) -> usize {
        self.bytes.iter().flatten().map(Bytes::len).sum()
    }

    /// The same as texts, for the audit log: texts and whole numbers as people read them, anything else as hexadecimal digits.
    pub(crate) fn shown(&self, types: &[Type]) -> Vec<Option<String>> {
        let shown = |(place, bytes): (usize, &Option<Bytes>)| {
            let bytes = bytes.as_ref()?;
            let is_text = format_of(&self.formats, place) == 0;
            let kind = types.get(place);
            let is_text = is_text || kind.is_none_or(|kind| TEXTS.contains(kind));
            let text = std::str::from_utf8(bytes).ok().filter(|_| is_text);
            let number = match *bytes.as_ref() {
                [a, b] if kind == Some(&Type::INT2) => Some(i16::from_be_bytes([a, b]).into()),
                [a, b, c, d] if kind == Some(&Type::INT4) => {
                    Some(i32::from_be_bytes([a, b, c, d]).into())
                }
                [a, b, c, d, e, f, g, h] if kind == Some(&Type::INT8) => {
                    Some(i64::from_be_bytes([a, b, c, d, e, f, g, h]))
                }
                _ => None,
            };
            Some(match (text, number) {
                (Some(text), _) => text.to_owned(),
                (None, Some(number)) => number.to_string(),
                (None, None) => {
                    let mut out = String::from("\\x");
                    for byte in bytes {
                        let _ = write!(out, "{byte:02x}");
                    }
                    out
                }
            })
        };
        self.bytes.iter().enumerate().map(shown).collect()
    }
}

/// The format of one column or parameter among the codes a client sent.
pub(crate) fn format_of(codes: &[i16], place: usize) -> i16 {
    match codes {
        [] => 0,
        [one] => *one,
        many => many.get(place).copied().unwrap_or(0),
    }
}

/// Columns of a schema as clients are told of them.
pub(crate) fn fields(schema: &SchemaRef) -> Result<Vec<FieldOut>, Refusal> {
    schema
        .fields()
        .iter()
        .map(|field| {
            let kind = field_into_pg_type(field).map_err(|_| {
                Refusal::new(
                    "0A000",
                    "type-not-supported",
                    "a column of the answer has a type that clients cannot read",
                )
            })?;
            Ok(FieldOut {
                name: field.name().clone(),
                // what has no type is text to clients
                kind: if kind == Type::UNKNOWN {
                    Type::TEXT
                } else {
                    kind
                },
            })
        })
        .collect()
}

/// Parameter types: what the client says, else what the plan tells, else text.
pub(crate) fn parameter_types(said: &[u32], planned: &[Option<DataType>]) -> Vec<Type> {
    (0..said.len().max(planned.len()))
        .map(|place| {
            let said = said
                .get(place)
                .filter(|oid| **oid != 0)
                .and_then(|oid| Type::from_oid(*oid))
                .filter(|kind| *kind != Type::UNKNOWN);
            let planned = planned.get(place).and_then(Option::as_ref);
            said.or_else(|| planned.and_then(|kind| into_pg_type(kind).ok()))
                .filter(|kind| *kind != Type::UNKNOWN)
                .unwrap_or(Type::TEXT)
        })
        .collect()
}

/// Parameter values for the query engine.
pub(crate) fn engine_values(
    planned: &Planned,
    types: &[Type],
    values: &Values,
) -> Result<ParamValues, Refusal> {
    let wrong = || {
        Refusal::new(
            "22P02",
            "parameter-unreadable",
            "a parameter cannot be read as its type",
        )
    };
    let statement =
        StoredStatement::new(String::new(), (), types.iter().cloned().map(Some).collect());
    let bind = Bind::new(
        None,
        None,
        values.formats.clone(),
        values.bytes.clone(),
        Vec::new(),
    );
    let portal = WirePortal::try_new(&bind, Arc::new(statement)).map_err(|_| wrong())?;
    let planned: Vec<Option<&DataType>> = planned.parameters.iter().map(Option::as_ref).collect();
    arrow_pg::datatypes::df::deserialize_parameters(&portal, &planned).map_err(|_| wrong())
}
