//! Columns of numbers perturbed before anything else: noise, swapping, rounding, drawn from secret randomness.
//!
//! What comes after sees only the perturbed numbers: promises are judged on them, and no step can undo them.

use std::borrow::Cow;

use denym_data::{Column, Perturbation, Role, Table, numbers};
use denym_microdata::{RandomSource, SplitMix64};

use crate::plan::policy_error;
use crate::policy::{Mistake, PerturbSpec, Policy, suggest};
use crate::randomness::SystemBits;
use crate::{Error, certificate::Altered};

/// The table with the columns perturbed that the policy wants perturbed.
pub(crate) fn perturbed<'a>(
    policy: &Policy,
    table: &'a Table,
    seed: Option<u64>,
) -> Result<Cow<'a, Table>, Error> {
    let specs = &policy.release.microdata.perturb;
    if specs.is_empty() {
        return Ok(Cow::Borrowed(table));
    }
    check(policy, table)?;
    let mut system = SystemBits::default();
    let mut seeded = seed.map(SplitMix64::new);
    let mut columns = table.columns().to_vec();
    for spec in specs {
        let random: &mut dyn RandomSource = match &mut seeded {
            Some(seeded) => seeded,
            None => &mut system,
        };
        let positions = spec.columns.iter().filter_map(|name| table.position(name));
        let positions: Vec<usize> = positions.collect();
        let old: Vec<&Column> = positions
            .iter()
            .map(|&position| &columns[position])
            .collect();
        let new = denym_microdata::perturb::perturbed(&old, spec.method, random)?;
        for (position, column) in positions.into_iter().zip(new) {
            columns[position] = column;
        }
    }
    if system.failed {
        return Err(Error::NoRandomness);
    }
    Ok(Cow::Owned(Table::new(columns)?))
}

/// What a certificate says about the perturbed columns. What was drawn with a seed can be drawn again, and is said to be so.
pub(crate) fn altered(policy: &Policy, seeded: bool) -> Vec<Altered> {
    let specs = policy.release.microdata.perturb.iter();
    specs
        .map(|spec| {
            let (name, random) = (spec.method.name(), spec.method.is_random());
            Altered {
                columns: spec.columns.clone(),
                method: if seeded && random {
                    format!("{name}, drawn with a seed")
                } else {
                    name.to_owned()
                },
                reproducible: seeded || !random,
                true_of_records: false,
            }
        })
        .collect()
}

/// Every column that cannot be perturbed is a mistake of the policy.
fn check(policy: &Policy, table: &Table) -> Result<(), Error> {
    let mut mistakes = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for spec in &policy.release.microdata.perturb {
        for name in &spec.columns {
            if let Some(mistake) = unfit(policy, table, spec, name) {
                mistakes.push(mistake);
            } else if seen.contains(&name.as_str()) {
                mistakes.push(Mistake::new(
                    "policy-duplicate",
                    spec.span.clone(),
                    format!("`{name}` is perturbed twice"),
                    "keep one",
                ));
            }
            seen.push(name);
        }
    }
    if mistakes.is_empty() {
        Ok(())
    } else {
        Err(policy_error(policy, mistakes))
    }
}

fn unfit(policy: &Policy, table: &Table, spec: &PerturbSpec, name: &str) -> Option<Mistake> {
    let mistake = |code, message: String, help: String| {
        Some(Mistake::new(code, spec.span.clone(), message, help))
    };
    let may = |role| !matches!(role, Role::Identifier | Role::Subject);
    let published: Vec<&str> = policy
        .attributes
        .iter()
        .filter(|spec| may(spec.role))
        .map(|spec| spec.name.as_str())
        .collect();
    let Some(column) = table.column(name).filter(|_| published.contains(&name)) else {
        return mistake(
            "policy-unknown-column",
            format!("`{name}` is not published and so is not perturbed"),
            suggest(name, &published),
        );
    };
    if !numbers::is_numeric(column) {
        return mistake(
            "policy-not-numeric",
            format!("`{name}` has values that are no plain numbers"),
            "perturb numeric columns only".into(),
        );
    }
    let missing = numbers::missing(column);
    if missing > 0 && matches!(spec.method, Perturbation::CorrelatedNoise { .. }) {
        return mistake(
            "policy-missing-numbers",
            format!("{missing} records have no `{name}`"),
            "use `additive-noise`, which leaves gaps as they are, or complete the column".into(),
        );
    }
    None
}
