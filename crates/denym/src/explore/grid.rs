//! Every combination of bounds that is to be tried on a table, each axis from the loosest value to the strictest.

use denym_data::Fraction;

use super::ExploreRequest;
use crate::Error;
use crate::policy::{Exact, PromiseSpec};

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
}

impl Setting {
    /// The name in documents and headings.
    pub(super) fn name(self) -> &'static str {
        match self {
            Setting::K => "k",
            Setting::L => "l",
            Setting::T => "t",
            Setting::Confidence => "confidence",
            Setting::Suppress => "suppress",
        }
    }

    /// Whether a larger value asks for more.
    fn grows(self) -> bool {
        matches!(self, Setting::K | Setting::L)
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
        }
    }
}

/// One setting and its values, the loosest first.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    pub(super) setting: Setting,
    pub(super) values: Vec<Fraction>,
}

/// All combinations; the last axis varies fastest.
#[derive(Debug, Clone)]
pub(super) struct Grid {
    pub(super) axes: Vec<Axis>,
}

impl Grid {
    /// The axes that `request` varies over these promises; k comes last, so that points along k stand together.
    pub(super) fn new(request: &ExploreRequest, promises: &[PromiseSpec]) -> Result<Grid, Error> {
        let wholes = |values: &[u64]| -> Vec<Fraction> {
            values.iter().filter_map(|&k| Fraction::new(k, 1)).collect()
        };
        let given = [
            (Setting::Suppress, request.suppress.clone()),
            (Setting::Confidence, request.confidence.clone()),
            (Setting::T, request.t.clone()),
            (Setting::L, request.l.clone()),
            (Setting::K, wholes(&request.k)),
        ];
        let mut axes = Vec::new();
        for (setting, mut values) in given {
            if values.is_empty() {
                continue;
            }
            let needed = match setting {
                Setting::L => Some("l-diversity"),
                Setting::T => Some("t-closeness"),
                Setting::Confidence => Some("confidence"),
                Setting::K | Setting::Suppress => None,
            };
            if let Some(name) = needed.filter(|name| promises.iter().all(|p| p.name() != *name)) {
                return Err(Error::Argument {
                    what: format!("the policy has no `{name}` to vary"),
                    help: format!("add one to `[promise]`, or leave out --{}", setting.name()),
                });
            }
            values.sort();
            values.dedup();
            if !setting.grows() {
                values.reverse();
            }
            axes.push(Axis { setting, values });
        }
        Ok(Grid { axes })
    }

    /// Number of combinations.
    pub(super) fn len(&self) -> usize {
        self.axes.iter().map(|axis| axis.values.len()).product()
    }

    /// How far apart neighbors along an axis are.
    pub(super) fn stride(&self, axis: usize) -> usize {
        self.axes[axis + 1..]
            .iter()
            .map(|axis| axis.values.len())
            .product()
    }

    /// The position of `point` on an axis.
    pub(super) fn place(&self, point: usize, axis: usize) -> usize {
        point / self.stride(axis) % self.axes[axis].values.len()
    }

    /// The settings of a point.
    pub(super) fn settings(&self, point: usize) -> Vec<(Setting, Fraction)> {
        (0..self.axes.len())
            .map(|axis| {
                let Axis { setting, values } = &self.axes[axis];
                (*setting, values[self.place(point, axis)])
            })
            .collect()
    }
}

/// `promises` with the bounds of a point, and the share that may be suppressed there.
pub(super) fn at(
    promises: &[PromiseSpec],
    suppress: Fraction,
    settings: &[(Setting, Fraction)],
) -> (Vec<PromiseSpec>, Fraction) {
    let mut promises = promises.to_vec();
    let mut suppress_at_most = suppress;
    for &(setting, value) in settings {
        if setting == Setting::Suppress {
            suppress_at_most = value;
        }
        let mut found = false;
        for promise in &mut promises {
            match (setting, promise) {
                (Setting::K, PromiseSpec::KAnonymity { k }) => {
                    *k = value.numerator() / value.denominator();
                    found = true;
                }
                (Setting::L, PromiseSpec::LDiversity { l, .. }) => *l = Exact(value),
                (Setting::T, PromiseSpec::TCloseness { t, .. }) => *t = Exact(value),
                (Setting::Confidence, PromiseSpec::Confidence { at_most, .. }) => {
                    *at_most = Exact(value);
                }
                _ => {}
            }
        }
        if setting == Setting::K && !found {
            promises.push(PromiseSpec::KAnonymity {
                k: value.numerator() / value.denominator(),
            });
        }
    }
    (promises, suppress_at_most)
}
