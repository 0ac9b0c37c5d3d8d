//! Conditions of conditional roles: comparisons over declared attributes, joined by and, or, not.
//!
//! # Idea
//! `experience > 10 and hour >= 9 and hour <= 17` is read once, checked against the declared domains and then only compares
//! whole numbers. Evaluation is total: it always answers true or false.
//!
//! # Guarantee
//! A comparison with a missing attribute is false, **also under `not`**: `not (x > 3)` means `x <= 3`, which a missing `x` does not
//! fulfil. So a value that goes missing can only take a role away, never give one. (The same as three-valued logic that
//! counts "unknown" as false at the end.)
//!
//! # Reference
//! M. E. Kabir, "Access control management and privacy-preserving", doctoral thesis, University of Southern Queensland 2010: Definitions 3.3.2 to 3.3.4.
//!
//! # Departures
//! The definition lists NOT but its recursion does not use it; we do. A disjunction stays one condition.
//!
//! # Cost
//! One comparison per leaf.

mod parse;
mod satisfy;

use crate::attribute::{Attributes, Values};
use crate::error::Error;
use std::cmp::Ordering;

/// How two values are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// =
    Equal,
    /// !=
    Unequal,
    /// <
    Less,
    /// <=
    AtMost,
    /// >
    Greater,
    /// >=
    AtLeast,
}

impl Comparison {
    fn holds(self, order: Ordering) -> bool {
        match self {
            Self::Equal => order.is_eq(),
            Self::Unequal => order.is_ne(),
            Self::Less => order.is_lt(),
            Self::AtMost => order.is_le(),
            Self::Greater => order.is_gt(),
            Self::AtLeast => order.is_ge(),
        }
    }

    fn needs_order(self) -> bool {
        !matches!(self, Self::Equal | Self::Unequal)
    }

    /// The sign as written.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::Unequal => "!=",
            Self::Less => "<",
            Self::AtMost => "<=",
            Self::Greater => ">",
            Self::AtLeast => ">=",
        }
    }
}

/// A condition, checked against the declared attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// Holds always: a role without condition.
    Always,
    /// Attribute (by place), comparison, code of the value.
    Compare(usize, Comparison, i64),
    /// All hold.
    All(Vec<Condition>),
    /// At least one holds.
    Any(Vec<Condition>),
    /// Does not hold (and no attribute that decides it is missing).
    Not(Box<Condition>),
}

impl Condition {
    /// Reads and checks a condition.
    pub fn parse(text: &str, attributes: &Attributes) -> Result<Self, Error> {
        parse::parse(text, attributes)
    }

    /// Whether the condition holds for these values.
    pub fn holds(&self, values: &Values) -> bool {
        self.decide(values) == Some(true)
    }

    /// Three-valued: `None` when missing attributes leave it open.
    pub(crate) fn decide(&self, values: &Values) -> Option<bool> {
        match self {
            Self::Always => Some(true),
            Self::Compare(attribute, comparison, value) => {
                let found = values.get(*attribute).copied().flatten()?;
                Some(comparison.holds(found.cmp(value)))
            }
            Self::All(parts) => fold(parts, values, false),
            Self::Any(parts) => fold(parts, values, true),
            Self::Not(part) => part.decide(values).map(|holds| !holds),
        }
    }

    /// Values of the still missing attributes that make the condition hold, or `None` when there are none in the declared domains.
    pub fn satisfy(&self, attributes: &Attributes, fixed: &Values) -> Option<Values> {
        satisfy::satisfy(self, attributes, fixed)
    }

    /// The comparisons that are false or undecided for these values, as text: why a condition does not hold.
    pub fn failing(&self, attributes: &Attributes, values: &Values) -> Vec<String> {
        let mut out = Vec::new();
        self.collect_failing(attributes, values, true, &mut out);
        out
    }

    fn collect_failing(
        &self,
        attributes: &Attributes,
        values: &Values,
        wanted: bool,
        out: &mut Vec<String>,
    ) {
        if self.decide(values) == Some(wanted) {
            return;
        }
        match self {
            Self::Always => {}
            Self::Compare(..) => {
                let text = self.to_text(attributes);
                out.push(if wanted { text } else { format!("not {text}") });
            }
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.collect_failing(attributes, values, wanted, out);
                }
            }
            Self::Not(part) => part.collect_failing(attributes, values, !wanted, out),
        }
    }

    /// The condition as text that [`parse`](Self::parse) reads back.
    pub fn to_text(&self, attributes: &Attributes) -> String {
        let join = |parts: &[Condition], word: &str| {
            parts
                .iter()
                .map(|part| match part {
                    Self::All(_) | Self::Any(_) => format!("({})", part.to_text(attributes)),
                    _ => part.to_text(attributes),
                })
                .collect::<Vec<_>>()
                .join(word)
        };
        match self {
            Self::Always => "always".into(),
            Self::Compare(place, comparison, value) => {
                let attribute = &attributes.list()[*place];
                let value = attribute.domain.text(*value);
                let plain = value
                    .chars()
                    .all(|c| c.is_alphanumeric() || "-_:".contains(c));
                let quote = if plain { "" } else { "'" };
                format!(
                    "{} {} {quote}{value}{quote}",
                    attribute.name,
                    comparison.sign()
                )
            }
            Self::All(parts) => join(parts, " and "),
            Self::Any(parts) => join(parts, " or "),
            Self::Not(part) => format!("not ({})", part.to_text(attributes)),
        }
    }

    /// Calls `visit` for each comparison.
    pub(crate) fn each_comparison(&self, visit: &mut impl FnMut(usize, Comparison, i64)) {
        match self {
            Self::Always => {}
            Self::Compare(attribute, comparison, value) => visit(*attribute, *comparison, *value),
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.each_comparison(visit);
                }
            }
            Self::Not(part) => part.each_comparison(visit),
        }
    }
}

/// And (`short` false) or or (`short` true) over three values: one `short` decides, else one open part leaves it open.
fn fold(parts: &[Condition], values: &Values, short: bool) -> Option<bool> {
    let mut open = false;
    for part in parts {
        match part.decide(values) {
            Some(value) if value == short => return Some(short),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(!short)
}

impl Condition {
    /// The condition with comparisons over the given attributes taken as false, in whatever polarity; `None` when nothing is left
    /// that could hold.
    pub(crate) fn without(&self, missing: &[usize]) -> Option<Self> {
        self.positive(missing, true)
    }

    /// Negation pushed to the comparisons, missing ones dropped.
    fn positive(&self, missing: &[usize], wanted: bool) -> Option<Self> {
        match self {
            Self::Always => wanted.then_some(Self::Always),
            Self::Compare(attribute, ..) if missing.contains(attribute) => None,
            Self::Compare(..) if wanted => Some(self.clone()),
            Self::Compare(..) => Some(Self::Not(Box::new(self.clone()))),
            Self::Not(part) => part.positive(missing, !wanted),
            Self::All(parts) if wanted => Self::every(parts, missing, true),
            Self::Any(parts) if !wanted => Self::every(parts, missing, false),
            Self::All(parts) | Self::Any(parts) => {
                let left: Vec<Self> = parts
                    .iter()
                    .filter_map(|part| part.positive(missing, wanted))
                    .collect();
                (!left.is_empty()).then_some(Self::Any(left))
            }
        }
    }

    fn every(parts: &[Self], missing: &[usize], wanted: bool) -> Option<Self> {
        parts
            .iter()
            .map(|part| part.positive(missing, wanted))
            .collect::<Option<Vec<Self>>>()
            .map(Self::All)
    }
}
