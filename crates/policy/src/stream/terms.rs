//! In which terms a stream promises: bounds on sensitive values, who fits what is known, and what may be taken back.

use denym_data::Fraction;
use serde::{Deserialize, Serialize};

/// A sensitive value and how sure an adversary may become of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bound {
    /// Attribute name.
    pub attribute: String,
    /// Label of the value.
    pub value: String,
    /// Most that any group may show of it.
    #[serde(with = "as_pair")]
    pub at_most: Fraction,
}

/// How the values of an attribute are spread over the people that a stream is about, as its steward states it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// Attribute name.
    pub attribute: String,
    /// Each value with how many people have it, in their natural order.
    pub values: Vec<(String, u64)>,
}

/// A fraction as a pair of whole numbers.
pub mod as_pair {
    use denym_data::Fraction;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes numerator and denominator.
    pub fn serialize<S: Serializer>(value: &Fraction, to: S) -> Result<S::Ok, S::Error> {
        (value.numerator(), value.denominator()).serialize(to)
    }

    /// Reads them back.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Fraction, D::Error> {
        let (numerator, denominator) = <(u64, u64)>::deserialize(from)?;
        Ok(Fraction::of(numerator, denominator))
    }
}

/// How far back a promise reaches when windows are put together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Horizon {
    /// Any span of as many timestamps as a window has.
    #[default]
    Window,
    /// Any span of so many timestamps.
    Timestamps(u32),
    /// Everything ever published. The state grows with the stream.
    All,
}

/// What may be suppressed when a window slides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Only new doublets: what was published stays, so that windows put together keep the promise.
    KeepPublished {
        /// How far back.
        horizon: Horizon,
    },
    /// Old doublets as well, as ITSA was published. Windows put together may leak.
    Retract,
}

impl Rule {
    /// The name in the list of solvers.
    pub fn name(self) -> &'static str {
        match self {
            Self::KeepPublished { .. } => "keep-published",
            Self::Retract => "retract",
        }
    }

    /// The rule of this name; what was published within a window is kept.
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::default(), Self::Retract];
        all.into_iter().find(|rule| rule.name() == name)
    }
}

impl Default for Rule {
    fn default() -> Self {
        Self::KeepPublished {
            horizon: Horizon::Window,
        }
    }
}

/// The form in which windows leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Each window whole.
    #[default]
    Full,
    /// What changed since the window published before; the first one whole.
    Delta,
}
