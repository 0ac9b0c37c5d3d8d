//! Any table judged by the promises of a policy, as it stands: nothing is generalized first.

use std::path::Path;

use denym_data::Role;

use super::AuditRequest;
use crate::certificate::Claim;
use crate::evidence::Evidence;
use crate::kinds::{about, on_its_kind};
use crate::listener::{Listener, Phase};
use crate::options::Input;
use crate::pipeline::Auditing;
use crate::plan::Plan;
use crate::policy::{HierarchySpec, Operations, Policy};
use crate::{Error, source};

/// What a policy's promises come to on a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Each promise that can be judged, with the records that violate it.
    pub claims: Vec<Claim>,
    /// Promises that cannot, and why.
    pub left_out: Vec<String>,
}

impl Judged {
    /// Whether no promise fails.
    pub fn holds(&self) -> bool {
        self.claims.iter().all(|claim| claim.holds != Some(false))
    }
}

/// The policy as it speaks of `data` (its own when `None`) with nothing done to it.
fn as_it_stands(policy: &Policy, data: Option<&Path>) -> Result<Policy, Error> {
    let mut plain = policy.clone();
    if let Some(data) = data {
        let path =
            std::path::absolute(data).map_err(|error| Error::io("find the data", data, &error))?;
        plain.data.path = path.display().to_string();
        // A release is written in a form of its own.
        plain.data.format = None;
    }
    plain
        .attributes
        .retain(|spec| spec.role != Role::Identifier);
    for spec in &mut plain.attributes {
        spec.operations = Operations::default();
        if spec.role == Role::QuasiIdentifier {
            spec.hierarchy = HierarchySpec::Flat;
            spec.levels = (None, None);
            // Generalized values need not be numbers or dates any more.
            spec.kind = None;
        }
    }
    plain
        .promises
        .retain(|promised| !promised.promise.is_private());
    Ok(plain)
}

impl AuditRequest {
    /// The tables of `input` stand where `policy` names its data.
    #[must_use]
    pub fn held(mut self, policy: &Policy, input: &Input) -> AuditRequest {
        self.read.memory = input.held(policy);
        self
    }

    /// What the columns of `policy` are, to measure `data` (its own when `None`) with the same roles.
    ///
    /// `None` when the policy speaks of the join of several files, or of something else than a table.
    pub fn of_policy(policy: &Policy, data: Option<&Path>) -> Result<Option<AuditRequest>, Error> {
        let plain = as_it_stands(policy, data)?;
        if !about(policy).is_table || !plain.data.details.is_empty() {
            return Ok(None);
        }
        let names = |role| -> Vec<String> {
            let specs = plain.with_role(role);
            specs.map(|spec| spec.name.clone()).collect()
        };
        Ok(Some(AuditRequest {
            data: source::location(&plain),
            read: source::read_options(&plain),
            quasi: names(Role::QuasiIdentifier),
            sensitive: names(Role::Sensitive),
            subject: names(Role::Subject).pop(),
            ..AuditRequest::default()
        }))
    }
}

/// Judges every promise of `policy` on `data` (the policy's own when `None`) as it stands.
pub fn audit_policy(
    policy: &Policy,
    data: Option<&Path>,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<Judged, Error> {
    let verb = Auditing {
        data,
        input: &Input::default(),
        threads,
        listener,
    };
    on_its_kind(policy, threads, verb)
}

/// Judges every promise of `policy` on tables that are in memory, as they stand.
pub fn audit_input(
    policy: &Policy,
    input: &Input,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<Judged, Error> {
    let verb = Auditing {
        data: None,
        input,
        threads,
        listener,
    };
    on_its_kind(policy, threads, verb)
}

/// A table judged as it stands.
pub(crate) fn table(
    policy: &Policy,
    data: Option<&Path>,
    input: &Input,
    threads: Option<usize>,
    listener: &dyn Listener,
) -> Result<Judged, Error> {
    let plain = as_it_stands(policy, data)?;
    let left_out = policy
        .promises
        .iter()
        .filter(|promised| promised.promise.is_private())
        .map(|promised| {
            format!(
                "`{}` needs a register or guarding nodes beside the table: `denym anonymize` judges it",
                promised.promise.name()
            )
        })
        .collect();
    let engine = input.engine(&plain, threads)?;
    listener.phase(Phase::Reading);
    let table = source::read(&plain, &engine)?;
    let plan = Plan::new(&plain, &table, &engine)?;
    listener.phase(Phase::Auditing);
    let (quasi, subject) = (plan.quasi_names(), plain.with_role(Role::Subject).next());
    let evidence = Evidence {
        table: &table,
        knows: plain.adversary,
        quasi: &quasi,
        sensitive: &plan.sensitive,
        subject: subject.map(|spec| spec.name.as_str()),
        promises: &plan.promises,
        scopes: &plan.scopes,
        population: None,
    };
    let (_, mut measured) = evidence.measure()?;
    evidence.judge_together(&plan.owners, &mut measured)?;
    Ok(Judged {
        claims: evidence.claims(&measured),
        left_out,
    })
}
