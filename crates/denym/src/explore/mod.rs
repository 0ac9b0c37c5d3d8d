//! The privacy/utility frontier: what each combination of bounds would cost, without releasing anything.

mod frontier;
mod grid;
mod knee;

pub(crate) use frontier::{Found, Known, Points};
pub(crate) use grid::{Grid, Layout, Setting};

use denym_data::Fraction;
use denym_report::{Chart, Format, Lines, Mark, Series};

use crate::Error;
use crate::kinds::on_its_kind;
use crate::listener::Listener;
use crate::options::Input;
use crate::policy::Policy;

/// What to try; an empty list means the policy's own value, and no list at all the bounds of k that are usual for the data.
#[derive(Debug, Clone, Default)]
pub struct ExploreRequest {
    /// Bounds of k-anonymity.
    pub k: Vec<u64>,
    /// Numbers of doublets the adversary knows; paths.
    pub doublets: Vec<usize>,
    /// Numbers of items the adversary knows; transactions.
    pub items: Vec<usize>,
    /// Bounds of confidence.
    pub confidence: Vec<Fraction>,
    /// Bounds of l-diversity; tables.
    pub l: Vec<Fraction>,
    /// Bounds of t-closeness; tables.
    pub t: Vec<Fraction>,
    /// Shares of records that may be suppressed; tables.
    pub suppress: Vec<Fraction>,
    /// Algorithms.
    pub algorithms: Vec<String>,
    /// Somebody set a time; what the listener says of it counts either way, where there is a use for time: under `auto`, for tables.
    pub until_told: bool,
    /// Threads; all cores when `None`.
    pub threads: Option<usize>,
    /// Tables that are in memory; the others are read from files.
    pub input: Input,
}

/// Everything that was tried.
#[derive(Debug, Clone, PartialEq)]
pub struct Exploration {
    /// The metric of [`Trial::value`].
    pub metric: String,
    /// What a trial may carry beside it, by name.
    pub figures: Vec<&'static str>,
    /// The trials, in the order of the settings.
    pub trials: Vec<Trial>,
    /// The trials where a line of the frontier bends: beyond them each step of privacy costs more than before.
    pub knees: Vec<usize>,
    /// The setting along the longest axis and what is given up there, in words; `None` when the chart shows the setting itself.
    pub exposure: Option<(&'static str, &'static str)>,
}

/// One combination of settings and what it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// The settings by name: `k`, `l`, `t`, `suppress`, `doublets`, `confidence`; only those that matter for the data.
    pub settings: Vec<(&'static str, f64)>,
    /// The algorithm that was asked for.
    pub asked: String,
    /// The algorithm that found it.
    pub algorithm: String,
    /// The metric's value; `None` when there is no release with these settings.
    pub value: Option<f64>,
    /// Time was up before all searches of `auto` had their turn here: a release may lose less.
    pub in_haste: bool,
    /// Further figures, in the order of [`Exploration::figures`].
    pub figures: Vec<f64>,
    /// Why there is none.
    pub refusal: Option<String>,
}

/// Tries every combination of `request` on the data of `policy`.
pub fn explore(
    policy: &Policy,
    request: &ExploreRequest,
    listener: &dyn Listener,
) -> Result<Exploration, Error> {
    let verb = frontier::Exploring { request, listener };
    on_its_kind(policy, request.threads, verb)
}

impl ExploreRequest {
    /// Whether no bound is to vary.
    fn varies_nothing(&self) -> bool {
        let wholes = self.k.is_empty() && self.doublets.is_empty() && self.items.is_empty();
        let shares = [&self.confidence, &self.l, &self.t, &self.suppress];
        wholes && shares.iter().all(|given| given.is_empty())
    }
}

/// Lines that hide each other, as one line with all their names.
fn together(lines: Vec<Series>) -> Vec<Series> {
    let mut apart: Vec<Series> = Vec::new();
    let same =
        |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).is_eq() && a.1.total_cmp(&b.1).is_eq();
    for line in lines {
        let hidden = apart.iter_mut().find(|seen| {
            seen.points.len() == line.points.len()
                && seen
                    .points
                    .iter()
                    .zip(&line.points)
                    .all(|(a, b)| same(a, b))
        });
        match hidden {
            Some(seen) => seen.name = format!("{} = {}", seen.name, line.name),
            None => apart.push(line),
        }
    }
    apart
}

/// Metrics that are shares of a whole.
const SHARES: [&str; 7] = [
    "loss",
    "loss-arithmetic",
    "precision",
    "distortion",
    "lost-itemsets",
    "withheld",
    "suppressed-events",
];

/// Whether a trial asks for more than another of the same algorithm somewhere, and nowhere for less.
fn stricter(one: &Trial, other: &Trial) -> bool {
    let least = |(&(name, own), &(_, of)): (&(&'static str, f64), &(&'static str, f64))| {
        if Setting::named_grows(name) {
            own >= of
        } else {
            own <= of
        }
    };
    one.asked == other.asked
        && one.settings != other.settings
        && one.settings.iter().zip(&other.settings).all(least)
}

impl Exploration {
    /// Whether the metric is a share of a whole.
    pub fn in_shares(&self) -> bool {
        SHARES.contains(&self.metric.as_str())
    }

    /// The settings that take more than one value; the first of them is the horizontal axis of the chart.
    pub fn axes(&self) -> Vec<&'static str> {
        let Some(first) = self.trials.first() else {
            return Vec::new();
        };
        let values = |at: usize| {
            let mut values: Vec<f64> = self.trials.iter().map(|t| t.settings[at].1).collect();
            values.sort_by(f64::total_cmp);
            values.dedup_by(|a, b| a.total_cmp(b).is_eq());
            values.len()
        };
        let mut axes: Vec<(usize, &'static str)> = first
            .settings
            .iter()
            .enumerate()
            .map(|(at, (name, _))| (values(at), *name))
            .collect();
        axes.retain(|(values, _)| *values > 1);
        // The longest axis lies flat; of equally long ones, the first.
        axes.sort_by_key(|(values, _)| std::cmp::Reverse(*values));
        axes.into_iter().map(|(_, name)| name).collect()
    }

    /// The trials that no other makes needless: where a stricter bound costs no more, only the strictest is left, and of
    /// refusals only the loosest. All of them where trials are laid out as in a paper's figure.
    pub fn frontier(&self) -> Vec<usize> {
        let all = 0..self.trials.len();
        if self.exposure.is_none() {
            return all.collect();
        }
        all.clone()
            .filter(|&at| {
                let trial = &self.trials[at];
                let needless = |other: &Trial| match (trial.value, other.value) {
                    (Some(own), Some(value)) => value <= own && stricter(other, trial),
                    (None, None) => stricter(trial, other),
                    _ => false,
                };
                !self.trials.iter().any(needless)
            })
            .collect()
    }

    /// The metric over the longest axis, a line for every combination of the others.
    pub fn chart(&self) -> Chart {
        self.linked_chart(|_| String::new())
    }

    /// The same, each trial's point a link to what `link` says of its number.
    pub fn linked_chart(&self, link: impl Fn(usize) -> String) -> Chart {
        let axes = self.axes();
        let across = axes.first().copied().unwrap_or("k");
        let several = self.trials.iter().any(|t| t.asked != self.trials[0].asked);
        let mut series: Vec<Series> = Vec::new();
        for (at, trial) in self.trials.iter().enumerate() {
            let of = |name: &str| trial.settings.iter().find(|(n, _)| *n == name).map(|s| s.1);
            let mut name: Vec<String> = axes
                .iter()
                .skip(1)
                .filter_map(|axis| Some(format!("{axis} {}", denym_report::decimal(of(axis)?))))
                .collect();
            if several || name.is_empty() {
                name.push(trial.asked.clone());
            }
            let point = self.point(trial, across);
            let label = self.label(trial, across);
            let name = name.join(", ");
            match series.iter_mut().find(|line| line.name == name) {
                Some(line) => {
                    line.points.push(point);
                    line.labels.push(label);
                    line.links.push(link(at));
                }
                None => series.push(Series {
                    name,
                    mark: Mark::Line,
                    points: vec![point],
                    labels: vec![label],
                    links: vec![link(at)],
                }),
            }
        }
        let mut series = together(series);
        let knees = self.knees.iter().map(|&at| &self.trials[at]);
        let knees: Vec<&Trial> = knees.filter(|trial| trial.value.is_some()).collect();
        if let [first, ..] = knees[..] {
            let of = first.settings.iter().find(|(name, _)| *name == across);
            let name = match (knees.len(), of) {
                (1, Some((name, value))) => {
                    format!("knee: {name} = {}", denym_report::decimal(*value))
                }
                _ => "knees".to_owned(),
            };
            series.push(Series {
                name,
                mark: Mark::Dots,
                points: knees
                    .iter()
                    .map(|trial| self.point(trial, across))
                    .collect(),
                ..Series::default()
            });
        }
        Chart::Lines(Lines {
            title: match self.exposure {
                Some((_, words)) => format!("{} over the {words}", self.metric),
                None => format!("{} over {across}", self.metric),
            },
            description: format!("What each bound costs, as {}.", self.metric),
            x_axis: self.exposure.map_or(across, |(_, words)| words).to_owned(),
            y_axis: self.metric.clone(),
            x_format: if self.exposure.is_some_and(|(name, _)| name == "k") {
                Format::Share
            } else {
                Format::Number
            },
            y_format: if self.in_shares() {
                Format::Share
            } else {
                Format::Number
            },
            series,
        })
    }

    /// What stands beside a trial on the chart where its axis shows something else: the bound.
    fn label(&self, trial: &Trial, across: &str) -> String {
        let inverted = self.exposure.is_some() && matches!(across, "k" | "l");
        let setting = trial.settings.iter().find(|(name, _)| *name == across);
        match setting.filter(|_| inverted) {
            Some((name, value)) => format!("{name} {}", denym_report::decimal(*value)),
            None => String::new(),
        }
    }

    /// Where a trial stands on the chart: what is given up against what it costs.
    fn point(&self, trial: &Trial, across: &str) -> (f64, f64) {
        let setting = trial.settings.iter().find(|(name, _)| *name == across);
        let mut x = setting.map_or(0.0, |setting| setting.1);
        if self.exposure.is_some() && matches!(across, "k" | "l") {
            x = 1.0 / x.max(1.0);
        }
        (x, trial.value.unwrap_or(f64::NAN))
    }
}
