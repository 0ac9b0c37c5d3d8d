//! Pseudonym across classes: tokens tie records in several classes together, and few people have that combination of classes.
//!
//! # Idea
//!
//! Subject numbers start anew in every class, so that two stays of one patient cannot be tied together. A pseudonym that is the same in both
//! ties them, and then the combination of classes is what people are found by. Promises are judged on such combinations, unless the
//! policy says that one record of each person is known; then nothing but this looks at them.

use std::collections::{BTreeMap, BTreeSet};

use denym_data::Role;

use super::{FindingEntry, Found, Look, Severity};
use crate::guard::said::Said;
use crate::guard::view::After;
use crate::policy::{About, PromiseSpec, Reach, RecordsKnown};

pub(crate) const ENTRY: FindingEntry = FindingEntry {
    name: "pseudonym-across-classes",
    place: 40,
    severity: Severity::Grave,
    about: About::Column,
    summary: "a pseudonym ties records of several classes together, and fewer people than promised share the combination",
    advice: "write `pseudonym = { .., per = \"class\" }`, or leave `records = \"one\"` out of `[adversary]` so that promises are judged on combinations",
    limits: "a table without a subject is not looked at; there tokens that come twice are a mistake of the policy",
    recipient: Some(
        "ties records of several classes together: who knows several records of a person may find the person",
    ),
    look: Look::After(look),
};

fn look(view: &After<'_>) -> Vec<Found> {
    let policy = view.before.policy;
    let (Some(class_of), Some(_)) = (&view.fate.class_of, view.before.people) else {
        return Vec::new();
    };
    if policy.records_known != Some(RecordsKnown::One) {
        return Vec::new();
    }
    let least = policy.promises.iter();
    let least = least.filter_map(|promised| PromiseSpec::size(&promised.promise));
    let least = least.max().unwrap_or(2);
    let tied = policy.with_role(Role::Identifier).filter(|spec| {
        let pseudonym = spec.operations.pseudonym.as_ref();
        pseudonym.is_some_and(|pseudonym| pseudonym.per == Reach::Release)
    });
    tied.filter_map(|spec| {
        let mut columns = view.before.columns.iter().map(|seen| seen.column);
        let tokens = columns.find(|column| column.name == spec.name)?;
        let mut classes: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for (token, class) in tokens.codes.iter().zip(class_of) {
            if let Some(class) = class.filter(|_| Some(*token) != tokens.dictionary.missing()) {
                classes.entry(*token).or_default().insert(class);
            }
        }
        let mut crowds: BTreeMap<&BTreeSet<u32>, u64> = BTreeMap::new();
        for combination in classes.values().filter(|classes| classes.len() > 1) {
            *crowds.entry(combination).or_default() += 1;
        }
        let few: u64 = crowds.values().filter(|&&crowd| crowd < least).sum();
        (few > 0).then(|| {
            let reason = Said::new("finding.pseudonym-across-classes.reason")
                .with("few", few)
                .with("least", least);
            Found::on(&spec.name, reason)
        })
    })
    .collect()
}
