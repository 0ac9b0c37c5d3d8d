//! Masks in words, for explanations.

use super::{Bound, Mask, Reach, Shape};

impl Mask {
    /// What a conditional value is, in words.
    pub fn describe(&self) -> String {
        match self {
            Self::Null => "NULL".into(),
            Self::Value => "the value itself".into(),
            Self::FirstLetters(1) => "the first letter".into(),
            Self::FirstLetters(count) => format!("the first {count} letters"),
            Self::Characters {
                keep_first,
                keep_last,
                with,
            } => format!(
                "all but the first {keep_first} and last {keep_last} characters as `{with}`"
            ),
            Self::Interval { width, show, .. } => match show {
                Bound::Range => format!("its interval of width {width}"),
                Bound::Lower => format!("the lower end of its interval of width {width}"),
                Bound::Midpoint => format!("the middle of its interval of width {width}"),
            },
            Self::Level {
                hierarchy, level, ..
            } => format!("level {level} of the hierarchy {hierarchy}"),
            Self::Pseudonym { length, reach } => {
                let reach = match reach {
                    Reach::Cell => "per record",
                    Reach::Value => "per value",
                };
                format!("a pseudonym of {length} characters, {reach} and purpose")
            }
            Self::Noise { spread, shape } => {
                let shape = match shape {
                    Shape::Uniform => "uniform",
                    Shape::Laplace => "Laplace",
                };
                format!(
                    "the number with {shape} noise of spread {spread}, fixed per record and purpose"
                )
            }
            Self::Stored { column, .. } => format!("what is stored in column {column}"),
            Self::WhereHidden {
                columns,
                then,
                otherwise,
            } => format!(
                "where {} {} hidden: {}; else: {}",
                columns.join(" and "),
                if columns.len() == 1 { "is" } else { "are" },
                then.describe(),
                otherwise.describe()
            ),
        }
    }
}
