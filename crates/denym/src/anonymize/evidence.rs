//! The evidence for a release: every promise judged on the written data, on the columns that its adversary knows.

use std::borrow::Cow;

use denym_data::Table;
use denym_measure::population::match_population;
use denym_measure::{Classes, Measured, Roles};

use crate::Error;
use crate::certificate::{Check, Claim};
use crate::judge::SensitiveAttribute;
use crate::plan::{joint, judges};
use crate::policy::{Knowledge, PromiseSpec};

/// A released table and what is claimed of it.
pub(crate) struct Evidence<'a> {
    /// The table as it was written.
    pub(crate) table: &'a Table,
    /// What the adversary is assumed to know.
    pub(crate) knows: Knowledge,
    /// The quasi-identifiers.
    pub(crate) quasi: &'a [String],
    /// The sensitive attributes; those that are hidden come last and may be absent.
    pub(crate) sensitive: &'a [SensitiveAttribute],
    /// The subject column.
    pub(crate) subject: Option<&'a str>,
    /// What is promised.
    pub(crate) promises: &'a [PromiseSpec],
    /// For each promise, the columns that its adversary knows; all when `None`.
    pub(crate) scopes: &'a [Option<Vec<String>>],
    /// A register, generalized as the table is.
    pub(crate) population: Option<&'a Table>,
}

impl Evidence<'_> {
    /// Groups the table by each set of columns and judges the promises on the groups; also the groups of all columns.
    pub(crate) fn measure(&self) -> Result<(Classes, Vec<Measured>), Error> {
        let (view, roles) = self.view()?;
        let whole = Classes::of(&view, &roles);
        let mut measured: Vec<Option<Measured>> = vec![None; self.promises.len()];
        let mut sets: Vec<&Option<Vec<String>>> = Vec::new();
        for scope in self.scopes {
            if !sets.contains(&scope) {
                sets.push(scope);
            }
        }
        for set in sets {
            let chosen: Vec<usize> = (0..self.promises.len())
                .filter(|&p| self.scopes[p] == *set)
                .collect();
            let quasi = match set {
                None => roles.quasi.clone(),
                Some(names) => names
                    .iter()
                    .map(|name| view.position(name).ok_or_else(|| missing(name)))
                    .collect::<Result<Vec<usize>, Error>>()?,
            };
            let roles = Roles {
                quasi,
                ..roles.clone()
            };
            for (p, found) in chosen
                .iter()
                .zip(self.judged(&view, &roles, &whole, &chosen)?)
            {
                measured[*p] = Some(found);
            }
        }
        Ok((whole, measured.into_iter().flatten().collect()))
    }

    /// Judges the `chosen` promises for an adversary who knows the columns of `roles`.
    fn judged(
        &self,
        view: &Table,
        roles: &Roles,
        whole: &Classes,
        chosen: &[usize],
    ) -> Result<Vec<Measured>, Error> {
        let specs: Vec<PromiseSpec> = chosen.iter().map(|&p| self.promises[p].clone()).collect();
        let judges = judges(&specs, self.sensitive)?;
        let peopled = specs.iter().any(|spec| spec.population().is_some());
        let population = self.population.filter(|_| peopled);
        let lacking = |_| Error::Internal {
            what: "the population lacks a column".into(),
        };
        let classes = if roles.quasi.len() == self.quasi.len() {
            Cow::Borrowed(whole)
        } else {
            Cow::Owned(whole.coarsened(view, roles, &roles.quasi))
        };
        let mut measured: Vec<Measured> = match (self.knows, population) {
            (Knowledge::AtMost(most), None) => {
                denym_measure::audit_subsets(view, roles, most, &judges)
                    .into_iter()
                    .map(|found| found.measured)
                    .collect()
            }
            (Knowledge::AtMost(most), Some(population)) => {
                denym_measure::audit_subsets_in(view, roles, most, &judges, population)
                    .map_err(lacking)?
                    .into_iter()
                    .map(|found| found.measured)
                    .collect()
            }
            (Knowledge::Doublets(_) | Knowledge::Items(_) | Knowledge::Institutions, _) => {
                return Err(Error::Internal {
                    what: "this is no knowledge about tables".into(),
                });
            }
            (Knowledge::QuasiIdentifiers, None) => denym_measure::audit(&classes, &judges),
            (Knowledge::QuasiIdentifiers, Some(population)) => {
                let matched =
                    match_population(view, roles, &classes, population).map_err(lacking)?;
                let classes = classes.clone().into_owned();
                denym_measure::audit(&classes.with_population(matched.people), &judges)
            }
        };
        if let Some(population) = population {
            // Whoever looks like no group is known to be absent.
            let outside = match_population(view, roles, &classes, population)
                .map_err(lacking)?
                .outside;
            for (spec, measured) in specs.iter().zip(&mut measured) {
                if let PromiseSpec::DeltaPresence { least, .. } = spec
                    && least.0.numerator() > 0
                    && outside > 0
                {
                    measured.holds = false;
                }
            }
        }
        Ok(measured)
    }

    /// The columns that matter, with what they are.
    pub(crate) fn view(&self) -> Result<(Table, Roles), Error> {
        let table = self.table;
        let mut columns = Vec::new();
        for name in self.quasi {
            columns.push(table.column(name).ok_or_else(|| missing(name))?.clone());
        }
        let mut present = 0;
        for attribute in self.sensitive {
            if attribute.hidden && table.column(&attribute.name).is_none() {
                continue;
            }
            present += 1;
            columns.push(if attribute.parts.is_empty() {
                attribute.align(
                    table
                        .column(&attribute.name)
                        .ok_or_else(|| missing(&attribute.name))?,
                )
            } else {
                joint(table, &attribute.parts).map_err(|name| missing(&name))?
            });
        }
        if let Some(name) = self.subject {
            columns.push(table.column(name).ok_or_else(|| missing(name))?.clone());
        }
        let quasi = self.quasi.len();
        let roles = Roles {
            quasi: (0..quasi).collect(),
            sensitive: (quasi..quasi + present).collect(),
            subject: self.subject.map(|_| quasi + present),
        };
        Ok((Table::new(columns)?, roles))
    }

    /// Claims as the publisher knows them: what was measured and whether it holds.
    pub(crate) fn claims(&self, measured: &[Measured]) -> Vec<Claim> {
        self.promises
            .iter()
            .zip(self.scopes)
            .zip(measured)
            .map(|((spec, scope), measured)| Claim {
                promise: spec.name().to_owned(),
                attribute: spec.attribute().cloned().flatten(),
                quasi_identifiers: scope.clone().unwrap_or_default(),
                asked: measured.terms.bound,
                measured: measured.measured.unwrap_or(measured.terms.bound),
                holds: Some(measured.holds),
                violating_records: measured.violating_records,
                check: if self.subject.is_some() || spec.is_private() {
                    Check::Attested
                } else {
                    Check::Recheckable
                },
                terms: spec.clone(),
            })
            .collect()
    }
}

fn missing(name: &str) -> Error {
    Error::Internal {
        what: format!("the written data has no column `{name}`"),
    }
}
