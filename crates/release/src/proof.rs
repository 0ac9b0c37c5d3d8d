//! The proof of a table: every promise judged on the written data, regrouped; where people or guarding nodes count, on the same table
//! with them left in.
//!
//! # Idea
//!
//! A release numbers its subjects anew in every class. Within a class these numbers count people as well as the real subjects do. In a union
//! of classes, which is what an adversary with fewer columns sees, number 1 of one class and number 1 of another are two people. So
//! whatever counts people is judged on the *real* table: the published rows with the subjects of the source, which is never written.
//! The written file must have the same classes, with as many records, people and values in each.

use denym_data::{Fraction, Table};
use denym_measure::promises::exposure_at_levels;
use denym_measure::{Classes, Roles, SensitiveAttribute};

use crate::Error;
use crate::certificate::Claim;
use crate::evidence::{Evidence, Owner};

/// What a written table is judged with.
pub struct Proof<'a> {
    /// What is promised, of the table that it is judged on: the written one, or the real one where there is any.
    pub evidence: Evidence<'a>,
    /// Whether that is the real one.
    pub real: bool,
    /// The column of groups, where sensitive values belong to groups instead of records.
    pub groups: Option<&'a str>,
    /// Whose records the adversary may put together.
    pub owners: &'a [Owner],
    /// Whether sensitive values are published at several levels of their taxonomy.
    pub values_generalized: bool,
}

/// What came out of a proof.
pub struct Judgement {
    /// The classes of the written data.
    pub classes: Classes,
    /// The columns that matter, as they were written.
    pub view: AdversaryView,
    /// What is claimed.
    pub claims: Vec<Claim>,
    /// Whether a claim fails for nothing but a combination of classes that few people stand in.
    pub combination: bool,
}

/// What an adversary sees of the written data.
pub struct AdversaryView {
    /// The columns that matter.
    pub table: Table,
    /// What they are; quasi-identifiers are the published ones.
    pub roles: Roles,
    /// The column of groups, where sensitive values belong to groups instead of records.
    pub groups: Option<usize>,
}

impl Proof<'_> {
    /// Regroups the written data and judges every promise.
    pub fn measure(&self, written: &Table) -> Result<Judgement, Error> {
        let group: Vec<String> = self.groups.map(str::to_owned).into_iter().collect();
        // What leads to a sensitive value: the published quasi-identifiers, or the groups beside them.
        let published = self.evidence.quasi;
        let quasi = if group.is_empty() { published } else { &group };
        let judged = Evidence {
            quasi,
            ..self.evidence
        };
        let (mut classes, mut measured) = judged.measure()?;
        let combination = judged.judge_together(self.owners, &mut measured)?;
        let mut claims = judged.claims(&measured);
        let seen = |quasi| Evidence {
            table: written,
            quasi,
            promises: &[],
            scopes: &[],
            ..self.evidence
        };
        if self.real {
            if self.values_generalized {
                for claim in &mut claims {
                    self.judge_at_levels(&classes, claim)?;
                }
            }
            let (regrouped, _) = seen(quasi).measure()?;
            if !alike(&classes, &regrouped) {
                return Err(Error::Internal {
                    what: "the written data has other classes than were proven".into(),
                });
            }
            classes = regrouped;
        }
        // Whoever attacks has the file, and its numbers of subjects start anew in every class.
        let shown = [published, &group].concat();
        let (table, mut roles) = seen(&shown).view()?;
        let groups = self.groups.and_then(|_| roles.quasi.pop());
        Ok(Judgement {
            classes,
            view: AdversaryView {
                table,
                roles,
                groups,
            },
            claims,
            combination,
        })
    }

    /// Judges guarding nodes where values are published at several levels: a general value is each of those under it alike.
    fn judge_at_levels(&self, classes: &Classes, claim: &mut Claim) -> Result<(), Error> {
        let (Some(guards), Some(at_most)) = (claim.terms.guards(), claim.terms.number("at-most"))
        else {
            return Ok(());
        };
        let attribute = claim.terms.attribute_name().unwrap_or_default();
        let of = |a: &&SensitiveAttribute| a.name == attribute && !a.hidden;
        let taxonomy = self.evidence.sensitive.iter().find(of);
        let taxonomy = taxonomy.and_then(|found| found.taxonomy.as_ref());
        let real = self.evidence.table;
        let (Some(values), Some(nodes), Some(taxonomy)) =
            (real.column(attribute), real.column(guards), taxonomy)
        else {
            return Err(Error::Internal {
                what: "guarding nodes without their columns".into(),
            });
        };
        let found = exposure_at_levels(classes, values, nodes, taxonomy);
        let within = |bound: Fraction, (part, whole): (u128, u128)| {
            let left = part.checked_mul(bound.denominator().into())?;
            Some(left <= whole.checked_mul(bound.numerator().into())?)
        };
        let holds = found.and_then(|found| within(at_most, found));
        claim.measured = found.map_or(1.0, |(part, whole)| part as f64 / whole as f64);
        claim.holds = Some(holds.unwrap_or(false));
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
