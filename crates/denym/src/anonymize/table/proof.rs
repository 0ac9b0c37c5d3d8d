//! The proof: every promise judged on the written data, regrouped.

use denym_data::{Role, Table};
use denym_measure::{Classes, Roles};

use super::super::evidence::Evidence;
use crate::certificate::Claim;
use crate::judge::SensitiveAttribute;
use crate::plan::Plan;
use crate::policy::PromiseSpec;
use crate::{Error, groups};

/// The classes of the written data, the columns that matter as they were judged, and the claims.
pub(super) type Proven = (Classes, View, Vec<Claim>);

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
    /// The same table with guarding nodes left in; it is never written.
    pub(super) guarded: Option<&'a Table>,
    /// A register, generalized as the table is.
    pub(super) population: Option<&'a Table>,
    /// Whether sensitive values are published at several levels of their taxonomy.
    pub(super) values_generalized: bool,
}

impl Proof<'_> {
    /// Regroups the written data and judges every promise on it.
    ///
    /// What is judged with guarding nodes needs them beside: such promises are judged on the same table with that column left in.
    pub(super) fn measure(&self, written: &Table) -> Result<Proven, Error> {
        let plan = self.plan;
        let subject = plan.policy.with_role(Role::Subject).next();
        let published = plan.quasi_names();
        // What leads to a sensitive value: the published quasi-identifiers, or the groups beside them.
        let leading = match self.groups {
            Some(group) => vec![group.to_owned()],
            None => published.clone(),
        };
        let of = |guarding: bool| -> Vec<usize> {
            (0..plan.promises.len())
                .filter(|&p| plan.promises[p].guards().is_some() == guarding)
                .collect()
        };
        let mut claims: Vec<Option<Claim>> = vec![None; plan.promises.len()];
        let mut measure = |table: &Table, chosen: &[usize]| -> Result<Classes, Error> {
            let promises: Vec<PromiseSpec> =
                chosen.iter().map(|&p| plan.promises[p].clone()).collect();
            let scopes: Vec<_> = chosen.iter().map(|&p| plan.scopes[p].clone()).collect();
            let evidence = Evidence {
                table,
                knows: plan.policy.adversary,
                quasi: &leading,
                sensitive: &plan.sensitive,
                subject: subject.map(|spec| spec.name.as_str()),
                promises: &promises,
                scopes: &scopes,
                population: self.population,
            };
            let (classes, measured) = evidence.measure()?;
            for (&p, claim) in chosen.iter().zip(evidence.claims(&measured)) {
                claims[p] = Some(claim);
            }
            Ok(classes)
        };
        let classes = measure(written, &of(false))?;
        if let Some(guarded) = self.guarded {
            let by_guards = measure(guarded, &of(true))?;
            if self.values_generalized {
                for claim in claims.iter_mut().flatten() {
                    self.on_levels(guarded, &by_guards, claim)?;
                }
            }
        }
        let shown: Vec<String> = match self.groups {
            Some(group) => [published.as_slice(), &[group.to_owned()]].concat(),
            None => published,
        };
        let (table, mut roles) = Evidence {
            table: written,
            knows: plan.policy.adversary,
            quasi: &shown,
            sensitive: &plan.sensitive,
            subject: subject.map(|spec| spec.name.as_str()),
            promises: &[],
            scopes: &[],
            population: None,
        }
        .view()?;
        let groups = self.groups.and_then(|_| roles.quasi.pop());
        let view = View {
            table,
            roles,
            groups,
        };
        Ok((classes, view, claims.into_iter().flatten().collect()))
    }

    /// Judges guarding nodes where values are published at several levels: a general value is each of those under it alike.
    fn on_levels(
        &self,
        guarded: &Table,
        classes: &Classes,
        claim: &mut Claim,
    ) -> Result<(), Error> {
        let PromiseSpec::PersonalizedPrivacy {
            attribute,
            guards,
            at_most,
        } = &claim.terms
        else {
            return Ok(());
        };
        let attribute = attribute.as_deref().unwrap_or_default();
        let of = |a: &&SensitiveAttribute| a.name == attribute && !a.hidden;
        let taxonomy = self.plan.sensitive.iter().find(of);
        let taxonomy = taxonomy.and_then(|found| found.taxonomy.as_ref());
        let (Some(values), Some(nodes), Some(taxonomy)) =
            (guarded.column(attribute), guarded.column(guards), taxonomy)
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
            u128::from(at_most.0.numerator()),
            u128::from(at_most.0.denominator()),
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
