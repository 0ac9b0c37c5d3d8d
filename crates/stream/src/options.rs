//! What is asked of a stream: windows, what the adversary knows, what must hold, and the rule of publication.

use denym_data::Fraction;
use serde::{Deserialize, Serialize};

use crate::error::Error;

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

/// A fraction as a pair of whole numbers.
pub(crate) mod as_pair {
    use denym_data::Fraction;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(value: &Fraction, to: S) -> Result<S::Ok, S::Error> {
        (value.numerator(), value.denominator()).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Fraction, D::Error> {
        let (numerator, denominator) = <(u64, u64)>::deserialize(from)?;
        Ok(Fraction::of(numerator, denominator))
    }
}

/// Which records an adversary with some doublets cannot rule out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Matching {
    /// Records that show every known doublet; an absence means "no change" in a stream.
    #[default]
    Covers,
    /// Also none that shows another place at the time of a doublet that was suppressed everywhere.
    Consistent,
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

/// All options of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Timestamps of a window: N.
    pub window: u32,
    /// Timestamps from one window to the next, 1 to N.
    pub step: u32,
    /// Most doublets the adversary knows: L, 1 to N (or to the horizon).
    pub l: usize,
    /// Fewest subjects in a group: K.
    pub k: u64,
    /// Names of the sensitive attributes, in the order of the values of an event.
    pub attributes: Vec<String>,
    /// Sensitive values with their bounds: C.
    pub bounds: Vec<Bound>,
    /// Which records an adversary cannot rule out.
    pub matching: Matching,
    /// What may be suppressed.
    pub rule: Rule,
    /// Timestamps an event may come after the latest one seen and still be taken.
    pub lateness: u32,
    /// A timestamp at which a window begins; by default the earliest of the first window's events.
    pub origin: Option<i64>,
    /// Most timestamps an event may be ahead of the latest one seen; no limit by default.
    pub ahead: Option<u32>,
    /// Longest label taken, in bytes.
    pub longest_label: usize,
    /// The form in which windows leave.
    pub form: Form,
}

impl Options {
    /// Windows of `window` timestamps that slide by one; any `l` doublets lead to `k` subjects or more.
    pub fn new(window: u32, l: usize, k: u64) -> Self {
        Self {
            window,
            step: 1,
            l,
            k,
            attributes: Vec::new(),
            bounds: Vec::new(),
            matching: Matching::default(),
            rule: Rule::default(),
            lateness: 0,
            origin: None,
            ahead: None,
            longest_label: 1024,
            form: Form::default(),
        }
    }

    /// Adds a sensitive value; its attribute too, if it is new.
    #[must_use]
    pub fn with_bound(mut self, attribute: &str, value: &str, at_most: Fraction) -> Self {
        if !self.attributes.iter().any(|known| known == attribute) {
            self.attributes.push(attribute.to_owned());
        }
        self.bounds.push(Bound {
            attribute: attribute.to_owned(),
            value: value.to_owned(),
            at_most,
        });
        self
    }

    /// Checks what needs no data.
    pub fn check(&self) -> Result<(), Error> {
        let positive = [
            ("the window", u64::from(self.window)),
            ("the step", u64::from(self.step)),
            ("l", self.l as u64),
            ("k", self.k),
            ("the longest label", self.longest_label as u64),
        ];
        if let Some((what, _)) = positive.into_iter().find(|(_, value)| *value == 0) {
            return Err(Error::NotPositive { what });
        }
        if self.step > self.window {
            return Err(Error::StepTooLong {
                step: self.step,
                window: self.window,
            });
        }
        if let Some(horizon) = self.span() {
            if horizon < self.window {
                return Err(Error::HorizonTooShort {
                    horizon,
                    window: self.window,
                });
            }
            if self.l > horizon as usize {
                return Err(Error::KnowledgeTooLong { l: self.l, horizon });
            }
        }
        for bound in &self.bounds {
            if !self.attributes.contains(&bound.attribute) {
                return Err(Error::UnknownAttribute {
                    attribute: bound.attribute.clone(),
                    known: self.attributes.clone(),
                });
            }
        }
        Ok(())
    }

    /// What a reader of the windows must be warned of, if anything.
    pub fn warning(&self) -> Option<&'static str> {
        (self.rule == Rule::Retract).then_some(
            "retract: what one window shows the next may hide, so windows put together may break the promise",
        )
    }

    /// Timestamps of the horizon; `None` is all.
    pub(crate) fn span(&self) -> Option<u32> {
        match self.rule {
            Rule::Retract
            | Rule::KeepPublished {
                horizon: Horizon::Window,
            } => Some(self.window),
            Rule::KeepPublished {
                horizon: Horizon::Timestamps(span),
            } => Some(span),
            Rule::KeepPublished {
                horizon: Horizon::All,
            } => None,
        }
    }
}
