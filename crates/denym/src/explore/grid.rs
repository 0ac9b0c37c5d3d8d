//! Every combination of bounds that is to be tried, and the policy at each of them.

use denym_data::Fraction;

use super::ExploreRequest;
use crate::Error;
use crate::pipeline::Kind;
use crate::policy::{Given, Knowledge, Policy, PromiseSpec, Promised};

/// What can vary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// The bound of k-anonymity.
    K,
    /// The bound of l-diversity.
    L,
    /// The bound of t-closeness.
    T,
    /// The bound of confidence.
    Confidence,
    /// The largest share of suppressed records.
    Suppress,
    /// How many doublets are known.
    Doublets,
    /// How many items are known.
    Items,
}

/// How trials are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// As a frontier: only what varies is named, the loosest first, and where the line bends is marked.
    Frontier,
    /// As in the figures of the papers: every bound is named, in the order that was asked for.
    Figure,
}

impl Setting {
    /// The axes from the slowest to the fastest; k comes last, so that points along k stand together.
    const AXES: [Setting; 7] = [
        Setting::Suppress,
        Setting::Items,
        Setting::Doublets,
        Setting::Confidence,
        Setting::T,
        Setting::L,
        Setting::K,
    ];

    /// The name in documents, headings and flags.
    pub(super) fn name(self) -> &'static str {
        match self {
            Setting::K => "k",
            Setting::L => "l",
            Setting::T => "t",
            Setting::Confidence => "confidence",
            Setting::Suppress => "suppress",
            Setting::Doublets => "doublets",
            Setting::Items => "items",
        }
    }

    /// Whether a larger value of the setting called `name` asks for more.
    pub(super) fn named_grows(name: &str) -> bool {
        let mut all = Setting::AXES.into_iter();
        all.find(|setting| setting.name() == name)
            .is_none_or(Setting::grows)
    }

    /// Whether a larger value asks for more.
    fn grows(self) -> bool {
        !matches!(self, Setting::T | Setting::Confidence | Setting::Suppress)
    }

    /// What is given up at `value`: a risk, or a share of records. The loss falls as it grows.
    pub(super) fn exposure(self, value: f64) -> f64 {
        if self.grows() {
            1.0 / value.max(1.0)
        } else {
            value
        }
    }

    /// What [`Setting::exposure`] is, in words.
    pub(super) fn exposure_name(self) -> &'static str {
        match self {
            Setting::K => "highest risk of re-identification",
            Setting::L => "1 / l",
            Setting::T => "t, the distance to the whole table",
            Setting::Confidence => "highest confidence",
            Setting::Suppress => "share of records that may be suppressed",
            Setting::Doublets => "1 / doublets that are known",
            Setting::Items => "1 / items that are known",
        }
    }

    /// The values that are to be tried.
    fn asked(self, request: &ExploreRequest) -> Vec<Fraction> {
        let wholes = |values: &[u64]| {
            let values = values.iter();
            values
                .filter_map(|&value| Fraction::new(value, 1))
                .collect()
        };
        let sizes =
            |values: &[usize]| wholes(&values.iter().map(|&size| size as u64).collect::<Vec<_>>());
        match self {
            Setting::K => wholes(&request.k),
            Setting::L => request.l.clone(),
            Setting::T => request.t.clone(),
            Setting::Confidence => request.confidence.clone(),
            Setting::Suppress => request.suppress.clone(),
            Setting::Doublets => sizes(&request.doublets),
            Setting::Items => sizes(&request.items),
        }
    }

    /// The promise that must be there to vary it.
    fn promise(self) -> Option<&'static str> {
        match self {
            Setting::L => Some("l-diversity"),
            Setting::T => Some("t-closeness"),
            Setting::Confidence => Some("confidence"),
            _ => None,
        }
    }

    /// The policy's own value.
    fn own(self, policy: &Policy) -> Option<Fraction> {
        let whole = |value: usize| Fraction::new(value as u64, 1);
        match (self, policy.adversary) {
            (Setting::Suppress, _) => Some(policy.release.suppress_at_most),
            (Setting::Doublets, Knowledge::Doublets(known))
            | (Setting::Items, Knowledge::Items(known)) => whole(known),
            _ => {
                let mut promises = policy.promises.iter().map(|promised| &promised.promise);
                promises.find_map(|promise| match self {
                    Setting::K => Fraction::new(promise.size()?, 1),
                    _ => promise.number(self.parameter(promise)?),
                })
            }
        }
    }

    /// Gives a promise this bound, if it is the one that has it.
    fn bind(self, promise: &mut PromiseSpec, value: Fraction) -> bool {
        match self.parameter(promise) {
            Some("k") => promise.set("k", Given::Whole(floor(value))),
            Some(name) => promise.set(name, Given::Number(value)),
            None => false,
        }
    }

    /// The parameter of a promise that it is the bound of.
    fn parameter(self, promise: &PromiseSpec) -> Option<&'static str> {
        match self {
            Setting::K => promise.size().map(|_| "k"),
            Setting::L => promise.number("l").map(|_| "l"),
            Setting::T => promise.number("t").map(|_| "t"),
            Setting::Confidence => promise.bounded().map(|_| "at-most"),
            _ => None,
        }
    }
}

fn floor(value: Fraction) -> u64 {
    value.numerator() / value.denominator()
}

/// One setting and its values, the loosest first.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) setting: Setting,
    pub(crate) values: Vec<Fraction>,
}

/// All combinations; the last axis varies fastest.
#[derive(Debug, Clone)]
pub(crate) struct Grid {
    pub(crate) axes: Vec<Axis>,
    /// The axes in the order in which they are named.
    named: Vec<usize>,
}

impl Grid {
    /// The axes that `request` varies under `policy`; a bound that has no meaning for this kind of data is refused.
    pub(super) fn new<K: Kind>(request: &ExploreRequest, policy: &Policy) -> Result<Grid, Error> {
        let mut axes = Vec::new();
        for setting in Setting::AXES {
            let mut values = setting.asked(request);
            let varies = K::VARIES.contains(&setting);
            if values.is_empty() {
                if varies && K::LAYOUT == Layout::Figure {
                    let values = Vec::from_iter(setting.own(policy));
                    axes.extend((!values.is_empty()).then_some(Axis { setting, values }));
                }
                continue;
            }
            if !varies {
                return Err(no_meaning::<K>(setting.name()));
            }
            if let Some(name) = setting.promise()
                && setting.own(policy).is_none()
            {
                return Err(Error::Argument {
                    what: format!("the policy has no `{name}` to vary"),
                    help: format!("add one to `[promise]`, or leave out --{}", setting.name()),
                });
            }
            if K::LAYOUT == Layout::Frontier {
                values.sort();
                values.dedup();
                if !setting.grows() {
                    values.reverse();
                }
            }
            axes.push(Axis { setting, values });
        }
        let place = |setting: &Setting| axes.iter().position(|axis| axis.setting == *setting);
        let named = K::VARIES.iter().filter_map(place).collect();
        Ok(Grid { axes, named })
    }

    /// Number of combinations.
    pub(crate) fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// How far apart neighbors along an axis are.
    pub(crate) fn stride(&self, axis: usize) -> usize {
        self.axes[axis + 1..]
            .iter()
            .map(|axis| axis.values.len())
            .product()
    }

    /// The position of `point` on an axis.
    pub(crate) fn place(&self, point: usize, axis: usize) -> usize {
        point / self.stride(axis) % self.axes[axis].values.len()
    }

    /// The value of `point` on an axis.
    fn value(&self, point: usize, axis: usize) -> (Setting, Fraction) {
        let Axis { setting, values } = &self.axes[axis];
        (*setting, values[self.place(point, axis)])
    }

    /// The settings of a point, by name.
    pub(super) fn settings(&self, point: usize) -> Vec<(&'static str, f64)> {
        let named = self.named.iter();
        named
            .map(|&axis| self.value(point, axis))
            .map(|(setting, value)| (setting.name(), value.to_f64()))
            .collect()
    }

    /// The policy with the bounds of a point.
    pub(crate) fn policy(&self, policy: &Policy, point: usize) -> Policy {
        let mut varied = policy.clone();
        for (setting, value) in (0..self.axes.len()).map(|axis| self.value(point, axis)) {
            match setting {
                Setting::Suppress => varied.release.suppress_at_most = value,
                Setting::Doublets => varied.adversary = Knowledge::Doublets(floor(value) as usize),
                Setting::Items => varied.adversary = Knowledge::Items(floor(value) as usize),
                _ => {}
            }
            let mut bound = false;
            for promised in &mut varied.promises {
                bound |= setting.bind(&mut promised.promise, value);
            }
            if setting == Setting::K && !bound {
                varied.promises.push(Promised {
                    promise: PromiseSpec::k_anonymity(floor(value)),
                    quasi: None,
                    span: 0..0,
                });
            }
        }
        varied
    }
}

/// A flag that has no meaning for this kind of data.
pub(super) fn no_meaning<K: Kind>(flag: &str) -> Error {
    let varies = K::VARIES.iter();
    let varies: Vec<String> = varies
        .map(|setting| format!("--{}", setting.name()))
        .collect();
    Error::Argument {
        what: format!("--{flag} has no meaning for {}", K::NAME),
        help: format!("vary {}", varies.join(", ")),
    }
}
