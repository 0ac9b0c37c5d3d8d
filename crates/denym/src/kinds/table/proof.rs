//! The proof: every promise judged on the written data, regrouped; where people or guarding nodes count, on the same table with them left in.
//!
//! # Idea
//!
//! A release numbers its subjects anew in every class. Within a class these numbers count people as well as the real subjects do. In a union
//! of classes, which is what an adversary with fewer columns sees, number 1 of one class and number 1 of another are two people. So
//! whatever counts people is judged on the *real* table: the published rows with the subjects of the source, which is never written.
//! The written file must have the same classes, with as many records, people and values in each.

use denym_data::{ClassId, Recoding, Role, Summary, Table, Unit};
use denym_engine::Engine;
use denym_measure::{Classes, Roles};

use super::search::by_row;
use crate::certificate::Claim;
use crate::evidence::Evidence;
use crate::owners::Owner;
use crate::plan::Plan;
use crate::policy::PromiseSpec;
use crate::{Error, coding, groups, population};
use denym_measure::SensitiveAttribute;

/// What came out of a proof.
pub(super) struct Proven {
    /// The classes of the written data.
    pub(super) classes: Classes,
    /// The columns that matter, as they were written.
    pub(super) view: View,
    /// What is claimed.
    pub(super) claims: Vec<Claim>,
    /// Whether a claim fails for nothing but a combination of classes that few people stand in.
    pub(super) combination: bool,
}

/// What an adversary sees of the written data.
pub(super) struct View {
    /// The columns that matter.
    pub(super) table: Table,
    /// What they are; quasi-identifiers are the published ones.
    pub(super) roles: Roles,
    /// The column of groups, where sensitive values belong to groups instead of records.
    pub(super) groups: Option<usize>,
}

/// What a written table is judged with.
pub(super) struct Proof<'a> {
    /// What is promised.
    pub(super) plan: &'a Plan,
    /// The column of groups, where sensitive values belong to groups instead of records.
    pub(super) groups: Option<&'a str>,
    /// The same table with real subjects and guarding nodes left in, where there are any; it is never written.
    pub(super) real: Option<&'a Table>,
    /// Whose records the adversary may put together.
    pub(super) owners: &'a [Owner],
    /// A register, generalized as the table is.
    pub(super) population: Option<&'a Table>,
    /// Whether sensitive values are published at several levels of their taxonomy.
    pub(super) values_generalized: bool,
}

impl Proof<'_> {
    /// Regroups the written data and judges every promise.
    pub(super) fn measure(&self, written: &Table) -> Result<Proven, Error> {
        let plan = self.plan;
        let published = plan.quasi_names();
        // What leads to a sensitive value: the published quasi-identifiers, or the groups beside them.
        let leading = match self.groups {
            Some(group) => vec![group.to_owned()],
            None => published.clone(),
        };
        let judged = self.evidence(
            self.real.unwrap_or(written),
            &leading,
            &plan.promises,
            &plan.scopes,
        );
        let (mut classes, mut measured) = judged.measure()?;
        let combination = judged.judge_together(self.owners, &mut measured)?;
        let mut claims = judged.claims(&measured);
        if let Some(real) = self.real {
            if self.values_generalized {
                for claim in &mut claims {
                    self.on_levels(real, &classes, claim)?;
                }
            }
            let (regrouped, _) = self.evidence(written, &leading, &[], &[]).measure()?;
            if !alike(&classes, &regrouped) {
                return Err(Error::Internal {
                    what: "the written data has other classes than were proven".into(),
                });
            }
            classes = regrouped;
        }
        let shown: Vec<String> = match self.groups {
            Some(group) => [published.as_slice(), &[group.to_owned()]].concat(),
            None => published,
        };
        // Whoever attacks has the file, and its numbers of subjects start anew in every class.
        let (table, mut roles) = self.evidence(written, &shown, &[], &[]).view()?;
        let groups = self.groups.and_then(|_| roles.quasi.pop());
        Ok(Proven {
            classes,
            view: View {
                table,
                roles,
                groups,
            },
            claims,
            combination,
        })
    }

    /// `table` with what is promised of it, for whoever knows `quasi`.
    fn evidence<'e>(
        &'e self,
        table: &'e Table,
        quasi: &'e [String],
        promises: &'e [PromiseSpec],
        scopes: &'e [Option<Vec<String>>],
    ) -> Evidence<'e> {
        let subject = self.plan.policy.with_role(Role::Subject).next();
        Evidence {
            table,
            knows: self.plan.policy.adversary,
            quasi,
            sensitive: &self.plan.sensitive,
            subject: subject.map(|spec| spec.name.as_str()),
            promises,
            scopes,
            population: self.population,
        }
    }

    /// Judges guarding nodes where values are published at several levels: a general value is each of those under it alike.
    fn on_levels(&self, real: &Table, classes: &Classes, claim: &mut Claim) -> Result<(), Error> {
        let (Some(guards), Some(at_most)) = (claim.terms.guards(), claim.terms.number("at-most"))
        else {
            return Ok(());
        };
        let attribute = claim.terms.attribute_name();
        let attribute = attribute.unwrap_or_default();
        let of = |a: &&SensitiveAttribute| a.name == attribute && !a.hidden;
        let taxonomy = self.plan.sensitive.iter().find(of);
        let taxonomy = taxonomy.and_then(|found| found.taxonomy.as_ref());
        let (Some(values), Some(nodes), Some(taxonomy)) =
            (real.column(attribute), real.column(guards), taxonomy)
        else {
            return Err(Error::Internal {
                what: "guarding nodes without their columns".into(),
            });
        };
        let rows: Vec<Vec<usize>> = (0..classes.len())
            .map(|class| {
                classes
                    .rows(class)
                    .iter()
                    .map(|&row| row as usize)
                    .collect()
            })
            .collect();
        let found = groups::exposure(&rows, values, nodes, taxonomy);
        let bound = (
            u128::from(at_most.numerator()),
            u128::from(at_most.denominator()),
        );
        let holds = found.is_some_and(|(part, whole)| {
            let (left, right) = (part.checked_mul(bound.1), whole.checked_mul(bound.0));
            left.zip(right).is_some_and(|(left, right)| left <= right)
        });
        claim.measured = found.map_or(1.0, |(part, whole)| part as f64 / whole as f64);
        claim.holds = Some(holds);
        claim.violating_records = 0;
        Ok(())
    }
}

/// Whether two groupings have the same classes: as many records, people and values of each attribute that both know.
fn alike(one: &Classes, other: &Classes) -> bool {
    // How often each value occurs, without which it is: several columns read as one have codes of their own in each table.
    type Class = (u64, u64, Vec<Vec<u64>>);
    let attributes = one.attributes().len().min(other.attributes().len());
    let listed = |classes: &Classes| -> Vec<Class> {
        let mut all: Vec<Class> = (0..classes.len())
            .map(|class| {
                let counts = (0..attributes).map(|attribute| {
                    let shown = classes.histogram(attribute, class).counts.iter();
                    let mut counts: Vec<u64> = shown.map(|&(_, count)| count).collect();
                    counts.sort_unstable();
                    counts
                });
                (
                    classes.records()[class],
                    classes.subjects()[class],
                    counts.collect(),
                )
            })
            .collect();
        all.sort_unstable();
        all
    };
    one.len() == other.len() && listed(one) == listed(other)
}

/// A recoding that a search proposes, judged as the release would be.
pub(crate) struct Candidate<'a> {
    /// What is promised.
    pub(crate) plan: &'a Plan,
    /// For applying it.
    pub(crate) engine: &'a Engine,
    /// The table as the search saw it.
    pub(crate) kept: &'a Table,
    /// Its summary.
    pub(crate) summary: &'a Summary,
    /// A register beside it.
    pub(crate) register: Option<&'a Table>,
}

impl Candidate<'_> {
    /// The same for a recoding as a search has it: records numbered by tuple, and labels instead of the middle of classes.
    pub(crate) fn found_holds(
        &self,
        recoding: &Recoding,
        promises: &[PromiseSpec],
    ) -> Result<bool, Error> {
        let mut recoding = recoding.clone();
        if recoding.unit == Unit::Record {
            let quasi = &self.plan.columns.quasi;
            recoding.class_of = by_row(self.kept, quasi, &recoding.class_of);
        }
        coding::centered(self.plan, self.kept, self.summary, &mut recoding);
        self.holds(&recoding, promises)
    }

    /// Whether every one of `promises` would be confirmed of what `recoding` publishes.
    pub(crate) fn holds(
        &self,
        recoding: &Recoding,
        promises: &[PromiseSpec],
    ) -> Result<bool, Error> {
        let plan = self.plan;
        let real = real(plan, self.engine, self.kept, self.summary, recoding)?;
        let people = match (self.register, &recoding.levels) {
            (Some(register), Some(levels)) => {
                Some(population::generalized(plan, register, levels)?)
            }
            // What has no levels needs more than the recoding to be compared with a register.
            (Some(_), None) => return Ok(true),
            _ => None,
        };
        let subject = plan.policy.with_role(Role::Subject).next();
        let evidence = Evidence {
            table: &real,
            knows: plan.policy.adversary,
            quasi: &plan.quasi_names(),
            sensitive: &plan.sensitive,
            subject: subject.map(|spec| spec.name.as_str()),
            promises,
            scopes: &plan.scopes,
            population: people.as_ref(),
        };
        let (classes, mut measured) = evidence.measure()?;
        evidence.judge_together(&plan.owners, &mut measured)?;
        Ok(!classes.is_empty() && measured.iter().all(|measured| measured.holds))
    }
}

/// The published rows with real subjects and guarding nodes; it is never written.
pub(super) fn real(
    plan: &Plan,
    engine: &Engine,
    kept: &Table,
    summary: &Summary,
    recoding: &Recoding,
) -> Result<Table, Error> {
    let columns = &plan.columns;
    let hidden = plan.sensitive.iter().zip(&columns.sensitive);
    let hidden = hidden.filter(|(attribute, _)| attribute.hidden);
    let mut shown = columns.released.clone();
    for (_, &position) in hidden {
        if !shown.contains(&position) {
            shown.push(position);
        }
    }
    Ok(engine.apply(kept, &columns.quasi, &shown, None, summary, recoding)?)
}

/// The class of each record.
pub(super) fn classes_by_row(
    plan: &Plan,
    kept: &Table,
    summary: &Summary,
    recoding: &Recoding,
) -> Vec<Option<ClassId>> {
    match recoding.unit {
        Unit::Record => recoding.class_of.clone(),
        Unit::Tuple => super::side::tuples_of(kept, &plan.columns.quasi, summary)
            .into_iter()
            .map(|tuple| recoding.class_of[tuple as usize])
            .collect(),
    }
}
