//! What is wanted of a solver, and what a solver is.

use denym_data::{Fraction, Hierarchy, Summary};
use denym_measure::Promise;

use crate::{Context, Error, Objective, Setting, Solution};

/// One task: a table's summary, how values may be generalized, what must hold, what to minimize.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The distinct tuples of the table with their counts.
    pub summary: &'a Summary,
    /// One hierarchy per quasi-identifier, in the summary's order.
    pub hierarchies: &'a [Hierarchy],
    /// What every published class must meet; a class that fails any of them is suppressed as a whole.
    pub promises: &'a [Box<dyn Promise>],
    /// What to minimize.
    pub objective: Objective,
    /// The largest share of records that may be suppressed.
    pub suppress_at_most: Fraction,
    /// For each quasi-identifier, the lowest and the highest level allowed; `None` allows all.
    pub limits: Option<&'a [(usize, usize)]>,
    /// Where promises are judged on something else than whole classes.
    pub setting: Option<&'a Setting>,
    /// What the loss of each quasi-identifier is multiplied by, 0 or more; `None` makes all count 1.
    pub weights: Option<&'a [f64]>,
}

impl Request<'_> {
    /// What promises are judged on beside whole classes, when it is anything.
    pub(crate) fn apart(&self) -> Option<&Setting> {
        self.setting.filter(|setting| !setting.is_plain())
    }

    /// Records that were left out before the search.
    pub(crate) fn lost(&self) -> u64 {
        self.setting.map_or(0, |setting| setting.lost)
    }

    /// The largest number of records that may be suppressed.
    pub fn budget(&self) -> u64 {
        self.suppress_at_most
            .floor_of(self.summary.total())
            .min(self.summary.total())
    }

    /// Whether merging classes that keep `promise` gives a class that keeps it, in this table.
    ///
    /// With a subject column merged classes may share subjects, which only some promises survive.
    pub(crate) fn is_monotone(&self, promise: &dyn Promise) -> bool {
        promise.terms().monotone && self.survives_shared_subjects(promise)
    }

    /// Whether merging a class that keeps `promise` with any other gives a class that keeps it, in this table.
    pub(crate) fn is_monotone_with_suppression(&self, promise: &dyn Promise) -> bool {
        promise.terms().monotone_with_suppression && self.survives_shared_subjects(promise)
    }

    /// Whether what keeps every promise keeps them however much further it is generalized.
    pub(crate) fn is_upward_closed(&self) -> bool {
        let mut promises = self.promises.iter();
        self.apart().is_none() && promises.all(|p| self.is_monotone_with_suppression(p.as_ref()))
    }

    fn survives_shared_subjects(&self, promise: &dyn Promise) -> bool {
        self.summary.subjects.is_none() || promise.monotone_over_shared_subjects()
    }

    /// What the loss of quasi-identifier `d` is multiplied by.
    pub(crate) fn weight(&self, d: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[d])
    }

    /// The weights of some of the quasi-identifiers.
    pub(crate) fn weights_of(&self, members: &[usize]) -> Vec<f64> {
        members.iter().map(|&d| self.weight(d)).collect()
    }

    /// Lowest and highest level allowed of quasi-identifier `d`.
    pub(crate) fn range(&self, d: usize) -> (usize, usize) {
        let top = self.hierarchies[d].height() - 1;
        self.limits.map_or((0, top), |limits| limits[d])
    }

    /// The hierarchies cut down to the levels allowed; `None` when all are.
    pub(crate) fn narrowed(&self) -> Option<Vec<Hierarchy>> {
        let top = |d: usize| self.hierarchies[d].height() - 1;
        let all = 0..self.hierarchies.len();
        if all.clone().all(|d| self.range(d) == (0, top(d))) {
            return None;
        }
        let cut = |d: usize| {
            let (low, high) = self.range(d);
            self.hierarchies[d].between(low, high)
        };
        Some(all.map(cut).collect())
    }

    /// Refuses promises that generalizing can break, given what may be suppressed.
    pub(crate) fn only_upward_closed(&self) -> Result<(), Error> {
        for promise in self.promises {
            let terms = promise.terms();
            let closed = self.is_monotone_with_suppression(promise.as_ref())
                || self.budget() == 0 && self.is_monotone(promise.as_ref());
            if !closed {
                return Err(Error::PromiseNotHonoured { name: terms.name });
            }
        }
        Ok(())
    }

    /// Refuses promises that judging whole classes does not settle: those about a population, and those on fewer columns
    /// that are not monotone.
    pub(crate) fn only_whole_classes(&self) -> Result<(), Error> {
        let Some(setting) = self.setting else {
            return Ok(());
        };
        for (p, promise) in self.promises.iter().enumerate() {
            let narrow = setting.scopes.get(p).is_some_and(|sets| !sets.is_empty());
            let name = promise.terms().name;
            let peopled =
                setting.population.is_some() && matches!(name, "k-map" | "delta-presence");
            if peopled || narrow && !self.is_monotone(promise.as_ref()) {
                return Err(Error::PromiseNotHonoured { name });
            }
        }
        Ok(())
    }

    /// Refuses promises on fewer columns than all quasi-identifiers.
    pub(crate) fn only_all_columns(&self) -> Result<(), Error> {
        let scopes = self.setting.map_or(&[][..], |setting| &setting.scopes);
        match scopes.iter().position(|sets| !sets.is_empty()) {
            Some(p) => Err(Error::PromiseNotHonoured {
                name: self.promises[p].terms().name,
            }),
            None => Ok(()),
        }
    }

    /// Refuses what no solver can work on.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let quasi = self.summary.quasi.len();
        if self.hierarchies.len() != quasi {
            return Err(Error::Hierarchies {
                quasi,
                hierarchies: self.hierarchies.len(),
            });
        }
        for (d, hierarchy) in self.hierarchies.iter().enumerate() {
            let codes = hierarchy
                .levels()
                .first()
                .map_or(0, |level| level.nodes.len());
            if codes < self.summary.cardinalities[d] {
                return Err(Error::HierarchyTooSmall {
                    attribute: d,
                    codes: self.summary.cardinalities[d],
                    covered: codes,
                });
            }
        }
        if let Some(limits) = self.limits {
            if limits.len() != quasi {
                return Err(Error::Hierarchies {
                    quasi,
                    hierarchies: limits.len(),
                });
            }
            for (d, &(low, high)) in limits.iter().enumerate() {
                if low > high || high >= self.hierarchies[d].height() {
                    return Err(Error::Limits {
                        attribute: d,
                        low,
                        high,
                        height: self.hierarchies[d].height(),
                    });
                }
            }
        }
        if let Some(weights) = self.weights {
            let fits = |weight: &f64| weight.is_finite() && *weight >= 0.0;
            if weights.len() != quasi || !weights.iter().all(fits) {
                return Err(Error::Parameter {
                    parameter: "weights",
                    range: "a number of 0 or more for every quasi-identifier",
                });
            }
        }
        for promise in self.promises {
            if let Some(attribute) = promise.terms().attribute
                && attribute >= self.summary.sensitive.len()
            {
                return Err(Error::SensitiveMissing {
                    attribute,
                    found: self.summary.sensitive.len(),
                });
            }
        }
        if self.summary.total() == 0 {
            return Err(Error::NoRecords);
        }
        Ok(())
    }
}

/// An algorithm that turns a request into a recoding.
pub trait Solver: Send + Sync {
    /// Finds a recoding under which every published class meets every promise.
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error>;
}
