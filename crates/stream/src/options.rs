//! What is asked of a stream: windows, what the adversary knows, what must hold, and the rule of publication.

use denym_data::Fraction;
use denym_release::certificate::Program;
use denym_release::windows::{
    Asked, Bound, Claims, Horizon, Matching, PromiseSpec, Reference, Rule, columns,
};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::verdict::rule_entry;

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

    /// What is promised of every window.
    pub fn claims(&self) -> Claims {
        Claims {
            l: self.l,
            k: self.k,
            confidence: self.bounds.clone(),
            promises: self.promises.clone(),
            reference: self.reference.clone(),
            matching: self.matching,
            rule: self.rule,
            window: self.window,
            step: self.step,
            columns: columns(&self.attributes),
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
        let bounded = self.bounds.iter().map(|bound| &bound.attribute);
        let promised = self.promises.iter().filter_map(|p| p.attribute()?.as_ref());
        let compared = self.reference.iter().map(|own| &own.attribute);
        let mut about = bounded.chain(promised).chain(compared);
        if let Some(attribute) = about.find(|name| !self.attributes.contains(name)) {
            return Err(Error::UnknownAttribute {
                attribute: attribute.clone(),
                known: self.attributes.clone(),
            });
        }
        Ok(())
    }

    /// What must hold of every group.
    pub fn asked(&self) -> Asked<'_> {
        Asked {
            l: self.l,
            k: self.k,
            bounds: &self.bounds,
            promises: &self.promises,
            reference: &self.reference,
        }
    }

    /// What a reader of the windows must be warned of, if anything.
    pub fn warning(&self) -> Option<&'static str> {
        (self.rule == Rule::Retract).then_some(
            "retract: what one window shows the next may hide, so windows put together may break the promise",
        )
    }

    /// How the windows stand against somebody who knows the program.
    pub fn program(&self) -> Program {
        let verdict = rule_entry(self.rule).verdict;
        let on_values = !self.bounds.is_empty() || !self.promises.is_empty();
        Program::new(false, Some(verdict.standing(on_values)))
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
