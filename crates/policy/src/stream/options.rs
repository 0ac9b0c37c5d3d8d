//! What is asked of a stream: windows, what the adversary knows, what must hold, and the rule of publication.

use denym_data::{Fraction, Matching};
use serde::{Deserialize, Serialize};

use super::terms::{Bound, Form, Horizon, Reference, Rule};
use crate::PromiseSpec;

/// All options of a stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// What else must hold of every group; each about one of the attributes.
    #[serde(default)]
    pub promises: Vec<PromiseSpec>,
    /// How attributes are spread over the people the stream is about, where a promise compares with that.
    #[serde(default)]
    pub reference: Vec<Reference>,
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
            promises: Vec::new(),
            reference: Vec::new(),
            matching: Matching::Covers,
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
    pub fn check(&self) -> Result<(), OptionsError> {
        let positive = [
            ("the window", u64::from(self.window)),
            ("the step", u64::from(self.step)),
            ("l", self.l as u64),
            ("k", self.k),
            ("the longest label", self.longest_label as u64),
        ];
        if let Some((what, _)) = positive.into_iter().find(|(_, value)| *value == 0) {
            return Err(OptionsError::NotPositive { what });
        }
        if self.step > self.window {
            return Err(OptionsError::StepTooLong {
                step: self.step,
                window: self.window,
            });
        }
        if let Some(horizon) = self.span() {
            if horizon < self.window {
                return Err(OptionsError::HorizonTooShort {
                    horizon,
                    window: self.window,
                });
            }
            if self.l > horizon as usize {
                return Err(OptionsError::KnowledgeTooLong { l: self.l, horizon });
            }
        }
        let bounded = self.bounds.iter().map(|bound| &bound.attribute);
        let promised = self.promises.iter().filter_map(|p| p.attribute()?.as_ref());
        let compared = self.reference.iter().map(|own| &own.attribute);
        let mut about = bounded.chain(promised).chain(compared);
        if let Some(attribute) = about.find(|name| !self.attributes.contains(name)) {
            return Err(OptionsError::UnknownAttribute {
                attribute: attribute.clone(),
                known: self.attributes.clone(),
            });
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
    pub fn span(&self) -> Option<u32> {
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

/// Options that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionsError {
    /// A number that must be positive is zero.
    #[error("{what} must be at least 1")]
    NotPositive {
        /// Which option.
        what: &'static str,
    },
    /// Timestamps between two windows would never be published.
    #[error("a step of {step} timestamps leaves gaps between windows of {window}")]
    StepTooLong {
        /// Timestamps from one window to the next.
        step: u32,
        /// Timestamps of a window.
        window: u32,
    },
    /// A subject has at most one doublet per timestamp, so longer knowledge cannot exist.
    #[error("an adversary cannot know {l} doublets within {horizon} timestamps")]
    KnowledgeTooLong {
        /// Asked.
        l: usize,
        /// Timestamps of the horizon.
        horizon: u32,
    },
    /// A horizon below the window would leave sequences of one window unchecked.
    #[error("a horizon of {horizon} timestamps is shorter than the window of {window}")]
    HorizonTooShort {
        /// Asked.
        horizon: u32,
        /// Timestamps of a window.
        window: u32,
    },
    /// A bound names an attribute that events do not carry.
    #[error("no sensitive attribute `{attribute}`")]
    UnknownAttribute {
        /// The name asked for.
        attribute: String,
        /// The names there are.
        known: Vec<String>,
    },
}

impl OptionsError {
    /// A stable name of the mistake.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotPositive { .. } => "stream-not-positive",
            Self::StepTooLong { .. } => "stream-step-too-long",
            Self::KnowledgeTooLong { .. } => "stream-knowledge-too-long",
            Self::HorizonTooShort { .. } => "stream-horizon-too-short",
            Self::UnknownAttribute { .. } => "stream-unknown-attribute",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NotPositive { what } => format!("give {what} a value of 1 or more"),
            Self::StepTooLong { window, .. } => format!("give a step of 1 to {window}"),
            Self::KnowledgeTooLong { horizon, .. } => {
                format!("give l = {horizon} or less, or a longer horizon")
            }
            Self::HorizonTooShort { window, .. } => {
                format!("give a horizon of {window} or more, or \"all\"")
            }
            Self::UnknownAttribute { known, .. } => {
                format!("sensitive attributes are: {}", known.join(", "))
            }
        }
    }
}
