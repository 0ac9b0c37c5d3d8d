//! The types that may be named: plain values and arrays of them. None reads the catalogue, none is anybody's own.

use super::refused;
use crate::error::Error;
use sqlparser::ast::{ArrayElemTypeDef, CharacterLength, DataType, ExactNumberInfo, TimezoneInfo};
use std::fmt;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Kind {
    scalar: Scalar,
    is_array: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scalar {
    Boolean,
    SmallInt,
    Integer,
    BigInt,
    Numeric(Option<(u16, Option<u16>)>),
    Real,
    Double,
    Text,
    Varchar(Option<u32>),
    Char(Option<u32>),
    Date,
    Time,
    Timestamp,
    TimestampTz,
    Interval,
}

impl Kind {
    /// The type that a client names.
    pub(super) fn of(kind: &DataType) -> Result<Self, Error> {
        let (scalar, is_array) = match kind {
            DataType::Array(
                ArrayElemTypeDef::SquareBracket(element, None)
                | ArrayElemTypeDef::AngleBracket(element),
            ) => (scalar(element)?, true),
            kind => (scalar(kind)?, false),
        };
        Ok(Self { scalar, is_array })
    }

    /// `interval`.
    pub(super) fn interval() -> Self {
        Self {
            scalar: Scalar::Interval,
            is_array: false,
        }
    }

    /// The name that PostgreSQL gives to a column that is cast to it.
    pub(super) fn column_name(&self) -> &'static str {
        match self.scalar {
            Scalar::Boolean => "bool",
            Scalar::SmallInt => "int2",
            Scalar::Integer => "int4",
            Scalar::BigInt => "int8",
            Scalar::Numeric(_) => "numeric",
            Scalar::Real => "float4",
            Scalar::Double => "float8",
            Scalar::Text => "text",
            Scalar::Varchar(_) => "varchar",
            Scalar::Char(_) => "bpchar",
            Scalar::Date => "date",
            Scalar::Time => "time",
            Scalar::Timestamp => "timestamp",
            Scalar::TimestampTz => "timestamptz",
            Scalar::Interval => "interval",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.scalar {
            Scalar::Boolean => f.write_str("boolean"),
            Scalar::SmallInt => f.write_str("smallint"),
            Scalar::Integer => f.write_str("integer"),
            Scalar::BigInt => f.write_str("bigint"),
            Scalar::Numeric(None) => f.write_str("numeric"),
            Scalar::Numeric(Some((precision, None))) => write!(f, "numeric({precision})"),
            Scalar::Numeric(Some((precision, Some(scale)))) => {
                write!(f, "numeric({precision}, {scale})")
            }
            Scalar::Real => f.write_str("real"),
            Scalar::Double => f.write_str("double precision"),
            Scalar::Text => f.write_str("text"),
            Scalar::Varchar(None) => f.write_str("varchar"),
            Scalar::Varchar(Some(length)) => write!(f, "varchar({length})"),
            Scalar::Char(None) => f.write_str("char"),
            Scalar::Char(Some(length)) => write!(f, "char({length})"),
            Scalar::Date => f.write_str("date"),
            Scalar::Time => f.write_str("time"),
            Scalar::Timestamp => f.write_str("timestamp"),
            Scalar::TimestampTz => f.write_str("timestamp with time zone"),
            Scalar::Interval => f.write_str("interval"),
        }?;
        f.write_str(if self.is_array { "[]" } else { "" })
    }
}

fn scalar(kind: &DataType) -> Result<Scalar, Error> {
    Ok(match kind {
        DataType::Bool | DataType::Boolean => Scalar::Boolean,
        DataType::Int2(None) | DataType::SmallInt(None) => Scalar::SmallInt,
        DataType::Int(None) | DataType::Int4(None) | DataType::Integer(None) => Scalar::Integer,
        DataType::Int8(None) | DataType::BigInt(None) => Scalar::BigInt,
        DataType::Numeric(info) | DataType::Decimal(info) | DataType::Dec(info) => {
            Scalar::Numeric(numeric(*info)?)
        }
        DataType::Real | DataType::Float4 => Scalar::Real,
        DataType::DoublePrecision
        | DataType::Float8
        | DataType::Double(ExactNumberInfo::None)
        | DataType::Float(ExactNumberInfo::None) => Scalar::Double,
        DataType::Text => Scalar::Text,
        DataType::Varchar(length)
        | DataType::CharacterVarying(length)
        | DataType::CharVarying(length) => Scalar::Varchar(characters(length.as_ref())?),
        DataType::Char(length) | DataType::Character(length) => {
            Scalar::Char(characters(length.as_ref())?)
        }
        DataType::Date => Scalar::Date,
        DataType::Time(None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => Scalar::Time,
        DataType::Timestamp(None, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => {
            Scalar::Timestamp
        }
        DataType::Timestamp(None, TimezoneInfo::Tz | TimezoneInfo::WithTimeZone) => {
            Scalar::TimestampTz
        }
        DataType::Interval {
            fields: None,
            precision: None,
        } => Scalar::Interval,
        _ => return Err(refused("a type that is not listed")),
    })
}

fn numeric(info: ExactNumberInfo) -> Result<Option<(u16, Option<u16>)>, Error> {
    let small = |number: u64| {
        u16::try_from(number)
            .ok()
            .filter(|number| *number <= 1000)
            .ok_or_else(|| refused("a number of more than 1,000 digits"))
    };
    Ok(match info {
        ExactNumberInfo::None => None,
        ExactNumberInfo::Precision(precision) => Some((small(precision)?, None)),
        ExactNumberInfo::PrecisionAndScale(precision, scale) => {
            let scale = u64::try_from(scale).map_err(|_| refused("a scale below zero"))?;
            Some((small(precision)?, Some(small(scale)?)))
        }
    })
}

/// A longest length, so that nobody pads a text to a gigabyte.
fn characters(length: Option<&CharacterLength>) -> Result<Option<u32>, Error> {
    match length {
        None => Ok(None),
        Some(CharacterLength::IntegerLength { length, unit: None }) if *length <= 10_000 => {
            Ok(u32::try_from(*length).ok())
        }
        Some(_) => Err(refused("a text type of this length")),
    }
}

/// Numbers of the types that a client may declare parameters with: those above and `uuid`, then arrays of them, in the same order.
const PLAIN: [u32; 32] = [
    16, 21, 23, 20, 1700, 700, 701, 25, 1043, 1042, 1082, 1083, 1114, 1184, 1186,
    2950, // values
    1000, 1005, 1007, 1016, 1231, 1021, 1022, 1009, 1015, 1014, 1182, 1183, 1115, 1185, 1187,
    2951, // arrays
];
/// A type that the server finds out by itself.
const UNKNOWN: u32 = 705;

/// Whether a client may declare a parameter so; 0 leaves it to the server.
pub(crate) fn may_be_declared(oid: u32) -> bool {
    oid == 0 || oid == UNKNOWN || PLAIN.contains(&oid)
}
