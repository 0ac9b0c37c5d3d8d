//! Whose records an adversary may put together: people with detail tables, and people whose tokens stand in several classes.
//!
//! # Idea
//!
//! Subject numbers start anew in every class, so that records of one person in two classes cannot be tied together. Two things undo that:
//! a pseudonym, which is the same in both, and knowledge about several records, as of somebody who knows two wards a patient was in.
//! Then the *combination* of classes is what people are found by, and what promises are judged on.
//!
//! | policy | the adversary knows |
//! |---|---|
//! | a subject alone | one record of a person |
//! | `[[data.detail]]` | all records of a person |
//! | a pseudonym beside a subject | all records of a person |
//! | `records = "one"`, `3` or `"all"` under `[adversary]` | as it says |
//! | `pseudonym = { .., per = "class" }` | tokens tie nothing together; as without |

use std::collections::HashSet;

use denym_data::{Role, Table};
use denym_measure::Together;

use crate::policy::{Mistake, Policy, Reach, RecordsKnown};
pub(crate) use denym_release::evidence::Owner;

/// The columns of `policy` that tie records together; notes what cannot be judged.
pub(crate) fn of(policy: &Policy, table: &Table, mistakes: &mut Vec<Mistake>) -> Vec<Owner> {
    let subject = policy.with_role(Role::Subject).next();
    let known = match policy.records_known {
        Some(RecordsKnown::One) => None,
        Some(RecordsKnown::Any(many)) => Some(Together::Any(many)),
        Some(RecordsKnown::All) => Some(Together::All),
        None => (!policy.data.details.is_empty()).then_some(Together::All),
    };
    let mut owners = Vec::new();
    match (subject, known) {
        (Some(spec), Some(known)) => owners.push(Owner {
            column: spec.name.clone(),
            known,
            tokens: false,
        }),
        (None, Some(_)) => mistakes.push(Mistake::new(
            "policy-no-subject",
            0..0,
            "several records of a person are known, but nothing tells whose records are whose",
            "give the column that tells people apart the role `subject`, or remove `records`",
        )),
        _ => {}
    }
    for spec in policy.with_role(Role::Identifier) {
        let Some(pseudonym) = &spec.operations.pseudonym else {
            continue;
        };
        let Some(column) = table.column(&spec.name) else {
            continue;
        };
        let missing = column.dictionary.missing();
        let mut seen = HashSet::new();
        let mut shown = column.codes.iter().filter(|&&code| Some(code) != missing);
        if shown.all(|code| seen.insert(code)) {
            // Every token stands once: it ties nothing to anything.
            continue;
        }
        if subject.is_none() {
            mistakes.push(Mistake::new(
                "policy-tokens-without-subject",
                spec.span.clone(),
                format!(
                    "`{}` has some values several times, so its tokens show which records are one person's, but no column is the subject: \
                     promises would count records",
                    spec.name
                ),
                "give the column that tells people apart the role `subject`, or remove `pseudonym`",
            ));
        } else if pseudonym.per == Reach::Release && policy.records_known != Some(RecordsKnown::One)
        {
            owners.push(Owner {
                column: spec.name.clone(),
                known: known.unwrap_or(Together::All),
                tokens: true,
            });
        }
    }
    owners
}

/// What a search has to reckon with: the most that is known of anybody.
pub(crate) fn together(owners: &[Owner]) -> Option<Together> {
    let most = |owner: &Owner| match owner.known {
        Together::All => usize::MAX,
        Together::Any(many) => many,
    };
    let strongest = owners.iter().max_by_key(|owner| most(owner))?;
    Some(strongest.known)
}

/// What the adversary knows, in words.
fn words(known: Together) -> String {
    match known {
        Together::All => "all records of a person".into(),
        Together::Any(many) => format!("any {many} records of a person"),
    }
}

/// What to change where combinations of classes are too rare.
pub(crate) fn help(owners: &[Owner]) -> String {
    match owners.iter().find(|owner| owner.tokens) {
        Some(owner) => format!(
            "write `pseudonym = {{ .., per = \"class\" }}` for `{}`, so that tokens tie no classes together, or allow coarser levels and more \
             suppression",
            owner.column
        ),
        None => "use `full-domain`, coarser levels or more suppression, or say how many records the adversary knows with `records = 2` under \
                 `[adversary]`"
            .into(),
    }
}

/// What the plan says, a line each.
pub(crate) fn steps(policy: &Policy, owners: &[Owner]) -> Vec<String> {
    let mut steps: Vec<String> = owners
        .iter()
        .map(|owner| {
            let why = if owner.tokens {
                "its tokens show"
            } else {
                "the adversary knows"
            };
            format!(
                "judge every promise on people in the same combination of classes as well, by `{}`: {why} {}",
                owner.column,
                words(owner.known)
            )
        })
        .collect();
    let one = policy.records_known == Some(RecordsKnown::One);
    let ties = !policy.data.details.is_empty()
        || policy.with_role(Role::Identifier).any(|spec| {
            let pseudonym = spec.operations.pseudonym.as_ref();
            pseudonym.is_some_and(|pseudonym| pseudonym.per == Reach::Release)
        });
    if one && ties {
        steps.push(
            "take the adversary to know one record of each person, as the policy says: who knows several may find people by their combination"
                .into(),
        );
    }
    steps
}
