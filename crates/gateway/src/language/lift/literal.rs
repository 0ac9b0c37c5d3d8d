//! Literals by their value, and compared values that become parameters.

use super::super::kinds::Kind;
use super::super::refused;
use super::super::tree::Expr;
use super::Lift;
use crate::error::Error;
use sqlparser::ast::{self as sql, DateTimeField, Expr as Sql, Value};

impl Lift<'_> {
    /// Lifts values out of comparisons with a column: whole numbers and texts, whose type follows from the column.
    pub(super) fn bind(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Chain { first, rest } if rest.iter().all(|(word, _)| is_logical(word)) => {
                self.bind(first);
                for (_, operand) in rest {
                    self.bind(operand);
                }
            }
            Expr::Binary {
                left,
                operator: "=" | "<>" | "<" | "<=" | ">" | ">=",
                right,
            } if matches!(**left, Expr::Column { .. }) => {
                let value = match &**right {
                    // nine digits are within the bounds of every whole number's type
                    Expr::Number(digits)
                        if digits.len() <= 9 && digits.bytes().all(|b| b.is_ascii_digit()) =>
                    {
                        digits
                    }
                    Expr::Text(text) => text,
                    _ => return,
                };
                let Ok(place) = u16::try_from(self.values.len() + 1) else {
                    return;
                };
                self.values.push(value.clone());
                **right = Expr::Parameter(place);
            }
            _ => {}
        }
    }
}

fn is_logical(word: &str) -> bool {
    matches!(word, "AND" | "OR")
}

/// A literal by its value. Texts in other spellings became plain ones when the statement was read.
pub(super) fn literal(value: &Value) -> Result<Expr, Error> {
    Ok(match value {
        Value::SingleQuotedString(text) | Value::EscapedStringLiteral(text) => text_of(text)?,
        Value::Number(digits, false) => Expr::Number(number(digits)?),
        Value::Boolean(truth) => Expr::Boolean(*truth),
        Value::Null => Expr::Null,
        Value::Placeholder(name) => {
            let place = name
                .strip_prefix('$')
                .filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))
                .and_then(|digits| digits.parse().ok())
                .filter(|place| *place > 0);
            Expr::Parameter(place.ok_or_else(|| refused("a parameter that is not $1, $2, .."))?)
        }
        _ => return Err(refused("a literal that is not listed")),
    })
}

fn text_of(text: &str) -> Result<Expr, Error> {
    if text.contains('\0') {
        return Err(refused("a text with a zero byte"));
    }
    Ok(Expr::Text(text.to_owned()))
}

/// Digits with a point and an exponent, as PostgreSQL reads them.
fn number(text: &str) -> Result<String, Error> {
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        None => (text, None),
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_exponent = exponent.is_none_or(|exponent| {
        let bare = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !bare.is_empty() && bare.len() <= 4 && digits(bare)
    });
    if !digits(whole)
        || !digits(fraction)
        || (whole.is_empty() && fraction.is_empty())
        || !is_exponent
        || text.len() > 1000
    {
        return Err(refused("a number that is not listed"));
    }
    Ok(if whole.is_empty() {
        format!("0{text}")
    } else {
        text.to_owned()
    })
}

/// `INTERVAL '1 day'`, or `INTERVAL '1' DAY`.
pub(super) fn span(interval: &sql::Interval) -> Result<Expr, Error> {
    let sql::Interval {
        value,
        leading_field,
        leading_precision: None,
        last_field: None,
        fractional_seconds_precision: None,
    } = interval
    else {
        return Err(refused("this INTERVAL"));
    };
    let Sql::Value(value) = value.as_ref() else {
        return Err(refused("an INTERVAL of anything but a text"));
    };
    let Expr::Text(mut text) = literal(&value.value)? else {
        return Err(refused("an INTERVAL of anything but a text"));
    };
    if let Some(field) = leading_field {
        let unit = match field {
            DateTimeField::Year => "year",
            DateTimeField::Month => "month",
            DateTimeField::Day => "day",
            DateTimeField::Hour => "hour",
            DateTimeField::Minute => "minute",
            DateTimeField::Second => "second",
            _ => return Err(refused("this INTERVAL")),
        };
        let bare = text.strip_prefix('-').unwrap_or(&text);
        if bare.is_empty() || !bare.bytes().all(|b| b.is_ascii_digit()) {
            return Err(refused("this INTERVAL"));
        }
        text = format!("{text} {unit}");
    }
    Ok(Expr::Cast {
        expr: Box::new(Expr::Text(text)),
        kind: Kind::interval(),
    })
}

/// The parts of a moment that can be taken out of it.
pub(super) fn field_word(field: &DateTimeField) -> Result<&'static str, Error> {
    Ok(match field {
        DateTimeField::Century => "century",
        DateTimeField::Day => "day",
        DateTimeField::Decade => "decade",
        DateTimeField::Dow => "dow",
        DateTimeField::Doy => "doy",
        DateTimeField::Epoch => "epoch",
        DateTimeField::Hour => "hour",
        DateTimeField::Isodow => "isodow",
        DateTimeField::Isoyear => "isoyear",
        DateTimeField::Minute => "minute",
        DateTimeField::Month => "month",
        DateTimeField::Quarter => "quarter",
        DateTimeField::Second => "second",
        DateTimeField::Week(None) => "week",
        DateTimeField::Year => "year",
        _ => return Err(refused("EXTRACT of this part")),
    })
}
