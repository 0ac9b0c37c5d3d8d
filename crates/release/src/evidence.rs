//! The evidence for a release: every promise judged on the written data, on the columns that its adversary knows.

use std::borrow::Cow;

use denym_data::{Column, Table};
use denym_measure::population::match_population;
use denym_measure::{
    Classes, MOST_SUBSETS, Measured, Promise, Roles, Together, audit_together, sets_of_at_most,
    worsen,
};

use crate::Error;
use crate::certificate::{Check, Claim, KnownTogether};
use denym_measure::{SensitiveAttribute, joint_name};
use denym_policy::{Knowledge, PromiseSpec};

/// A released table and what is claimed of it.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The table as it was written.
    pub table: &'a Table,
    /// What the adversary is assumed to know.
    pub knows: Knowledge,
    /// The quasi-identifiers.
    pub quasi: &'a [String],
    /// The sensitive attributes; those that are hidden come last and may be absent.
    pub sensitive: &'a [SensitiveAttribute],
    /// The subject column.
    pub subject: Option<&'a str>,
    /// What is promised.
    pub promises: &'a [PromiseSpec],
    /// For each promise, the columns that its adversary knows; all when `None`.
    pub scopes: &'a [Option<Vec<String>>],
    /// A register, generalized as the table is.
    pub population: Option<&'a Table>,
}

impl Evidence<'_> {
    /// Groups the table by each set of columns and judges the promises on the groups; also the groups of all columns.
    pub fn measure(&self) -> Result<(Classes, Vec<Measured>), Error> {
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
        if let Knowledge::AtMost(most) = self.knows
            && sets_of_at_most(roles.quasi.len() as u64, most as u64) > MOST_SUBSETS
        {
            return Err(Error::Infeasible {
                what: format!(
                    "any {most} of {} columns are more combinations than can be judged",
                    roles.quasi.len()
                ),
                code: "too-many-combinations",
                help: "let the adversary know fewer columns at once, or all of them".to_owned(),
            });
        }
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
            (Knowledge::QuasiIdentifiers, None) => denym_measure::audit_classes(&classes, &judges),
            (Knowledge::QuasiIdentifiers, Some(population)) => {
                let matched =
                    match_population(view, roles, &classes, population).map_err(lacking)?;
                let classes = classes.clone().into_owned();
                denym_measure::audit_classes(&classes.with_population(matched.people), &judges)
            }
        };
        if let Some(population) = population {
            // Whoever looks like no group is known to be absent.
            let outside = match_population(view, roles, &classes, population)
                .map_err(lacking)?
                .outside;
            for (spec, measured) in specs.iter().zip(&mut measured) {
                if spec.forbids_absence() && outside > 0 {
                    measured.holds = false;
                }
            }
        }
        Ok(measured)
    }

    /// Judges the promises on people in the same combination of classes as well, and takes the worse; whether that broke one that held.
    ///
    /// Promises about a population are judged as they were: a register has one record per person.
    pub fn judge_together(
        &self,
        owners: &[Owner],
        measured: &mut [Measured],
    ) -> Result<bool, Error> {
        let mut broke = false;
        for owner in owners {
            let (view, roles) = self.view()?;
            let (view, at) = match roles.subject {
                Some(at) if self.subject == Some(owner.column.as_str()) => (view, at),
                _ => {
                    let column = self.table.column(&owner.column);
                    let column = column.ok_or_else(|| missing(&owner.column))?.clone();
                    let columns = [view.columns(), &[column]].concat();
                    let at = columns.len() - 1;
                    (Table::new(columns)?, at)
                }
            };
            let most = match self.knows {
                Knowledge::AtMost(most) => Some(most),
                _ => None,
            };
            for (p, spec) in self.promises.iter().enumerate() {
                if spec.population().is_some() {
                    continue;
                }
                let quasi = match &self.scopes[p] {
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
                let judge = judges(std::slice::from_ref(spec), self.sensitive)?;
                let found = audit_together(&view, &roles, at, owner.known, most, &judge);
                let found = found.ok_or_else(|| Error::Infeasible {
                    what: "people stand in more combinations of classes than can be listed".into(),
                    code: "too-many-combinations",
                    help: "say `records = \"all\"` under `[adversary]`: exact combinations are few"
                        .into(),
                })?;
                for found in &found {
                    broke |= measured[p].holds && !found.holds;
                    worsen(&mut measured[p], found);
                }
            }
        }
        Ok(broke)
    }

    /// The columns that matter, with what they are.
    pub fn view(&self) -> Result<(Table, Roles), Error> {
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
    pub fn claims(&self, measured: &[Measured]) -> Vec<Claim> {
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

/// A column that tells whose records belong together, and how many of them are known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// The subject, or a column of tokens.
    pub column: String,
    /// How many of a person's records are known.
    pub known: Together,
    /// Whether the release itself ties the records together.
    pub tokens: bool,
}

impl Owner {
    /// What a certificate says about it.
    pub fn certified(&self) -> KnownTogether {
        KnownTogether {
            column: self.column.clone(),
            records: match self.known {
                Together::All => None,
                Together::Any(many) => Some(many),
            },
        }
    }
}

/// The promises over these sensitive attributes.
pub fn judges(
    promises: &[PromiseSpec],
    sensitive: &[SensitiveAttribute],
) -> Result<Vec<Box<dyn Promise>>, Error> {
    promises
        .iter()
        .map(|spec| {
            spec.build(sensitive).map_err(|what| Error::Internal {
                what: what.to_owned(),
            })
        })
        .collect()
}

/// Several columns read as one; the name of the first that the table does not have, if any.
pub fn joint(table: &Table, names: &[String]) -> Result<Column, String> {
    let positions = names
        .iter()
        .map(|name| table.position(name).ok_or_else(|| name.clone()))
        .collect::<Result<Vec<usize>, String>>()?;
    Ok(denym_measure::combined(
        table,
        &positions,
        &joint_name(names),
    ))
}
