//! The server's messages, as one line each.

use crate::request::Refusal;
use bytes::Bytes;
use pgwire::api::Type;
use pgwire::messages::PgWireBackendMessage as Out;
use pgwire::messages::data::{FieldDescription, NoData, ParameterDescription, RowDescription};
use pgwire::messages::extendedquery::{
    BindComplete, CloseComplete, ParseComplete, PortalSuspended,
};
use pgwire::messages::response::{
    CommandComplete, EmptyQueryResponse, ErrorResponse, NoticeResponse, ReadyForQuery,
    TransactionStatus,
};
use pgwire::messages::startup::{Authentication, BackendKeyData, ParameterStatus, SecretKey};

/// A column as clients are told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldOut {
    pub(crate) name: String,
    pub(crate) kind: Type,
}

pub(crate) fn sasl() -> Out {
    Out::Authentication(Authentication::SASL(vec!["SCRAM-SHA-256".into()]))
}

pub(crate) fn sasl_continue(text: &str) -> Out {
    Out::Authentication(Authentication::SASLContinue(Bytes::copy_from_slice(
        text.as_bytes(),
    )))
}

pub(crate) fn sasl_final(text: &str) -> Out {
    Out::Authentication(Authentication::SASLFinal(Bytes::copy_from_slice(
        text.as_bytes(),
    )))
}

pub(crate) fn authenticated() -> Out {
    Out::Authentication(Authentication::Ok)
}

pub(crate) fn status(name: &str, value: &str) -> Out {
    Out::ParameterStatus(ParameterStatus::new(name.into(), value.into()))
}

pub(crate) fn key_data(process: i32, secret: i32) -> Out {
    Out::BackendKeyData(BackendKeyData::new(process, SecretKey::I32(secret)))
}

pub(crate) fn ready(status: TransactionStatus) -> Out {
    Out::ReadyForQuery(ReadyForQuery::new(status))
}

pub(crate) fn complete(tag: &str) -> Out {
    Out::CommandComplete(CommandComplete::new(tag.into()))
}

pub(crate) fn empty() -> Out {
    Out::EmptyQueryResponse(EmptyQueryResponse::new())
}

pub(crate) fn parsed() -> Out {
    Out::ParseComplete(ParseComplete::new())
}

pub(crate) fn bound() -> Out {
    Out::BindComplete(BindComplete::new())
}

pub(crate) fn closed() -> Out {
    Out::CloseComplete(CloseComplete::new())
}

pub(crate) fn suspended() -> Out {
    Out::PortalSuspended(PortalSuspended::new())
}

pub(crate) fn no_data() -> Out {
    Out::NoData(NoData::new())
}

pub(crate) fn parameters(types: &[Type]) -> Out {
    Out::ParameterDescription(ParameterDescription::new(
        types.iter().map(Type::oid).collect(),
    ))
}

/// Columns with the format of each.
pub(crate) fn columns(fields: &[FieldOut], format: impl Fn(usize) -> i16) -> Out {
    let fields = fields
        .iter()
        .enumerate()
        .map(|(place, field)| {
            let size = match field.kind {
                Type::BOOL | Type::CHAR => 1,
                Type::INT2 => 2,
                Type::INT4 | Type::FLOAT4 | Type::DATE | Type::OID => 4,
                Type::INT8 | Type::FLOAT8 | Type::TIMESTAMP | Type::TIMESTAMPTZ | Type::TIME => 8,
                _ => -1,
            };
            FieldDescription::new(
                field.name.clone(),
                0,
                0,
                field.kind.oid(),
                size,
                -1,
                format(place),
            )
        })
        .collect();
    Out::RowDescription(RowDescription::new(fields))
}

pub(crate) fn error(refusal: &Refusal) -> Out {
    let severity = if refusal.fatal { "FATAL" } else { "ERROR" };
    let mut fields = vec![
        (b'S', severity.to_owned()),
        (b'V', severity.to_owned()),
        (b'C', refusal.state.to_owned()),
        (b'M', refusal.message.clone()),
    ];
    if let Some(hint) = &refusal.hint {
        fields.push((b'H', hint.clone()));
    }
    Out::ErrorResponse(ErrorResponse::new(fields))
}

pub(crate) fn warning(state: &str, text: &str) -> Out {
    told("WARNING", state, text)
}

/// What a person should know beside the answer.
pub(crate) fn notice(text: &str) -> Out {
    told("NOTICE", "00000", text)
}

fn told(severity: &str, state: &str, text: &str) -> Out {
    Out::NoticeResponse(NoticeResponse::new(vec![
        (b'S', severity.to_owned()),
        (b'V', severity.to_owned()),
        (b'C', state.to_owned()),
        (b'M', text.to_owned()),
    ]))
}
