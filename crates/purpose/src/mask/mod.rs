//! Masks: what "conditionally" means for a column, as a small expression, and its evaluation on plain values.
//!
//! # Idea
//! A provider allows a purpose "with conditions": the age as a range, the first letter of the name, the income only where the
//! name is hidden. Each column declares one such [`Mask`]. The gateway compiles it to expressions of its query engine; the
//! evaluator here is the slow and obvious meaning of it.
//!
//! # Guarantee
//! A mask is total: every value has an answer, and what cannot be masked as asked becomes NULL. NULL stays NULL (but a stored
//! alternative is what is stored). Pseudonyms and noise repeat for the same cell, value and purpose, and only then.
//!
//! # Reference
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: section 2.3.1 (CIP) and Table 2.5.
//!
//! # Departures
//! Kabir 2010 stores every conditional value (`stored`); the others are computed. Noise drawn afresh per query averages out;
//! ours is keyed.

mod keyed;
mod words;

use crate::intended::Compliance;
use crate::value::{Kind, Value};
pub use keyed::MaskKey;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A value hierarchy: for each value its generalizations, level 1 first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Levels {
    rows: BTreeMap<String, Vec<String>>,
}

impl Levels {
    /// From rows of value, level 1, level 2, ...; the first row of a value counts.
    pub fn new(rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let mut out = BTreeMap::new();
        for mut row in rows {
            if !row.is_empty() {
                let value = row.remove(0);
                out.entry(value).or_insert(row);
            }
        }
        Self { rows: out }
    }

    /// The generalization of a value; `None` when the hierarchy misses it.
    pub fn at(&self, value: &str, level: usize) -> Option<&str> {
        self.rows
            .get(value)?
            .get(level.checked_sub(1)?)
            .map(String::as_str)
    }

    /// All values with their generalization to a level, in order.
    pub fn pairs(&self, level: usize) -> impl Iterator<Item = (&str, &str)> {
        self.rows.iter().filter_map(move |(value, row)| {
            Some((value.as_str(), row.get(level.checked_sub(1)?)?.as_str()))
        })
    }

    /// The highest level that every value has.
    pub fn height(&self) -> usize {
        self.rows.values().map(Vec::len).min().unwrap_or(0)
    }
}

/// How an interval is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// `30000-40000`, text.
    Range,
    /// 30000, a number of the column's type.
    Lower,
    /// 35000, a number of the column's type (rounded down for whole numbers).
    Midpoint,
}

/// How far a pseudonym reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// Another pseudonym in every record.
    Cell,
    /// Equal values have equal pseudonyms under one purpose: they can be counted and joined.
    Value,
}

/// The shape of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// Evenly between -spread and +spread.
    Uniform,
    /// Laplace with scale = spread.
    Laplace,
}

/// The conditional value of a column.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mask {
    /// NULL.
    Null,
    /// The value itself; useful below [`Mask::WhereHidden`].
    Value,
    /// The first letters of the text.
    FirstLetters(usize),
    /// All characters but the first and last few replaced.
    Characters {
        /// Characters kept at the beginning.
        keep_first: usize,
        /// Characters kept at the end.
        keep_last: usize,
        /// What the others become.
        with: char,
    },
    /// The interval of a number.
    Interval {
        /// Width, above 0.
        width: f64,
        /// Where one interval begins.
        origin: f64,
        /// What is shown of it.
        show: Bound,
    },
    /// A level of a hierarchy; values the hierarchy misses become NULL.
    Level {
        /// The hierarchy's name, for explanations.
        hierarchy: String,
        /// The hierarchy.
        #[serde(skip)]
        levels: Arc<Levels>,
        /// The level, from 1.
        level: usize,
    },
    /// A keyed pseudonym of hexadecimal characters.
    Pseudonym {
        /// Characters, 8 to 64.
        length: usize,
        /// Same value, same pseudonym?
        reach: Reach,
    },
    /// The number plus keyed noise.
    Noise {
        /// How far, above 0.
        spread: f64,
        /// Which distribution.
        shape: Shape,
    },
    /// The alternative stored in another column of the same record.
    Stored {
        /// That column.
        column: String,
        /// Its type.
        kind: Kind,
    },
    /// One mask where all the named columns are hidden in this record under this purpose, another where they are not.
    WhereHidden {
        /// The columns; hidden means not served in full.
        columns: Vec<String>,
        /// If hidden.
        then: Box<Mask>,
        /// If not.
        otherwise: Box<Mask>,
    },
}

/// What a mask needs to know about the cell.
pub struct Cell<'a> {
    /// The secret key.
    pub key: &'a MaskKey,
    /// The table's name.
    pub table: &'a str,
    /// The column's name.
    pub column: &'a str,
    /// The purpose's name.
    pub purpose: &'a str,
    /// The text of the record's key; it tells cells of equal value apart.
    pub record: &'a str,
    /// Other raw cells of the record, by column.
    pub raw: &'a dyn Fn(&str) -> Value,
    /// What is served of other columns of the record under this purpose.
    pub served: &'a dyn Fn(&str) -> Compliance,
}

impl Mask {
    /// The type of the conditional value for a column of type `kind`, or why the mask does not fit it.
    pub fn kind(&self, kind: Kind) -> Result<Kind, &'static str> {
        match self {
            Self::Null | Self::Value => Ok(kind),
            Self::FirstLetters(_) | Self::Characters { .. } => {
                if kind == Kind::Text {
                    Ok(Kind::Text)
                } else {
                    Err("it needs a text column")
                }
            }
            Self::Level { .. } | Self::Pseudonym { .. } => Ok(Kind::Text),
            Self::Interval {
                width,
                origin,
                show,
            } => {
                if !kind.is_number() {
                    return Err("it needs a number column");
                }
                if kind == Kind::Integer && (whole(*width).is_none() || whole(*origin).is_none()) {
                    return Err("a whole-number column needs a whole width and origin");
                }
                Ok(if *show == Bound::Range {
                    Kind::Text
                } else {
                    kind
                })
            }
            Self::Noise { .. } => {
                if kind.is_number() {
                    Ok(kind)
                } else {
                    Err("it needs a number column")
                }
            }
            Self::Stored { kind: stored, .. } => Ok(*stored),
            Self::WhereHidden {
                then, otherwise, ..
            } => {
                let (a, b) = (then.kind(kind)?, otherwise.kind(kind)?);
                // NULL fits whatever the other half is
                if a == b || **otherwise == Self::Null {
                    Ok(a)
                } else if **then == Self::Null {
                    Ok(b)
                } else {
                    Ok(Kind::Text)
                }
            }
        }
    }

    /// The type a column shows to everyone: its own, or text when full and conditional values differ in type.
    pub fn visible_kind(&self, kind: Kind) -> Kind {
        if *self == Self::Null {
            return kind;
        }
        match self.kind(kind) {
            Ok(masked) if masked == kind => kind,
            _ => Kind::Text,
        }
    }

    /// The conditional value of one cell.
    pub fn apply(&self, value: &Value, cell: &Cell<'_>) -> Value {
        match (self, value) {
            (
                Self::WhereHidden {
                    columns,
                    then,
                    otherwise,
                },
                _,
            ) => {
                let hidden = columns
                    .iter()
                    .all(|column| (cell.served)(column) != Compliance::Full);
                (if hidden { then } else { otherwise }).apply(value, cell)
            }
            (Self::Stored { column, .. }, _) => (cell.raw)(column),
            (Self::Null, _) | (_, Value::Null) => Value::Null,
            (Self::Value, _) => value.clone(),
            (Self::FirstLetters(count), Value::Text(text)) => {
                Value::Text(text.chars().take(*count).collect())
            }
            (
                Self::Characters {
                    keep_first,
                    keep_last,
                    with,
                },
                Value::Text(text),
            ) => {
                let length = text.chars().count();
                // what is kept from both ends never shows the whole text
                if keep_first + keep_last >= length {
                    return Value::Text(with.to_string().repeat(length));
                }
                let masked = text
                    .chars()
                    .enumerate()
                    .map(|(i, c)| {
                        if i < *keep_first || i >= length - keep_last {
                            c
                        } else {
                            *with
                        }
                    })
                    .collect();
                Value::Text(masked)
            }
            (
                Self::Interval {
                    width,
                    origin,
                    show,
                },
                Value::Integer(number),
            ) => integer_interval(*number, *width, *origin, *show),
            (
                Self::Interval {
                    width,
                    origin,
                    show,
                },
                Value::Float(number),
            ) => {
                let low = ((number - origin) / width).floor() * width + origin;
                if !low.is_finite() {
                    return Value::Null;
                }
                match show {
                    Bound::Range => Value::Text(format!("{low:?}-{:?}", low + width)),
                    Bound::Lower => Value::Float(low),
                    Bound::Midpoint => Value::Float(low + width / 2.0),
                }
            }
            (Self::Level { levels, level, .. }, _) => levels
                .at(&value.to_string(), *level)
                .map_or(Value::Null, |general| Value::Text(general.to_owned())),
            (Self::Pseudonym { length, reach }, _) => {
                let text = value.to_string();
                let record = if *reach == Reach::Cell {
                    cell.record
                } else {
                    ""
                };
                let fields = [
                    "pseudonym",
                    cell.table,
                    cell.column,
                    cell.purpose,
                    record,
                    &text,
                ];
                Value::Text(cell.key.hex(&fields, *length))
            }
            (Self::Noise { spread, shape }, Value::Integer(number)) => {
                let noise = draw_noise(*spread, *shape, &value.to_string(), cell).round();
                // a cast of a float saturates, so this cannot overflow
                Value::Integer(number.saturating_add(noise as i64))
            }
            (Self::Noise { spread, shape }, Value::Float(number)) => {
                Value::Float(number + draw_noise(*spread, *shape, &value.to_string(), cell))
            }
            // a mask on a value of another type than declared: nothing is served
            _ => Value::Null,
        }
    }
}

/// The number as an i64 when it is whole and exact.
pub(crate) fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract().abs() < f64::EPSILON && number.abs() <= EXACT).then_some(number as i64)
}

fn integer_interval(number: i64, width: f64, origin: f64, show: Bound) -> Value {
    let (Some(width), Some(origin)) = (whole(width), whole(origin)) else {
        return Value::Null;
    };
    if width <= 0 {
        return Value::Null;
    }
    let (wide, w, o) = (i128::from(number), i128::from(width), i128::from(origin));
    let low = wide - (wide - o).rem_euclid(w);
    match show {
        Bound::Range => Value::Text(format!("{low}-{}", low + w)),
        Bound::Lower => i64::try_from(low).map_or(Value::Null, Value::Integer),
        Bound::Midpoint => i64::try_from(low + w / 2).map_or(Value::Null, Value::Integer),
    }
}

fn draw_noise(spread: f64, shape: Shape, value: &str, cell: &Cell<'_>) -> f64 {
    let unit = cell.key.unit(&[
        "noise",
        cell.table,
        cell.column,
        cell.purpose,
        cell.record,
        value,
    ]);
    match shape {
        Shape::Uniform => (2.0 * unit - 1.0) * spread,
        Shape::Laplace => {
            // inverse distribution; the largest draw is bounded because unit has 53 bits
            let centered = unit - 0.5 + 0.5 / (1u64 << 53) as f64;
            -spread * centered.signum() * (1.0 - 2.0 * centered.abs()).max(1e-16).ln()
        }
    }
}

#[cfg(test)]
mod tests;
