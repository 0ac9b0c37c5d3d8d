//! Skewness: a sensitive value is much likelier among those who could be the victim than among everybody.
//!
//! # Idea
//!
//! A twentieth of all have HIV, and half of the victim's class: nobody's value is certain, and yet the adversary believes ten times as much
//! as before.
//!
//! # Reference
//!
//! N. Li, T. Li, S. Venkatasubramanian, "t-closeness", ICDE 2007; survey section 2.2.

use crate::catalogue::{AttackEntry, Gate, Run, SURVEY, Shape, Threat};
use crate::table::{Aim, Candidates, Conclusion, Wish};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "skewness",
    place: 230,
    threat: Threat::AttributeLinkage,
    shape: Shape::Table,
    summary: "a sensitive value much likelier among those who match than overall",
    knows: "everybody's quasi-identifiers, and how common each sensitive value is in the release",
    limits: "a value that is rare everywhere is skewed in every class that has it; five times as likely is skewed, unless another number is asked for",
    reference: SURVEY,
    gate: Gate::Named,
    run: Run::Candidates {
        aim: Aim::Value,
        besides: "",
        told,
    },
};

/// The likeliest of the values that are so many times likelier here than overall.
fn told(here: &Candidates<'_>, wish: &Wish) -> Option<Conclusion> {
    let skewed = here.values.iter().filter_map(|&(value, count)| {
        let sure = here.share(count);
        let overall = here.overall.counts[value as usize] as f64 / here.overall.people as f64;
        (sure >= wish.gain * overall).then_some(Conclusion {
            value: Some(value),
            sure,
        })
    });
    skewed.reduce(|best, one| if one.sure > best.sure { one } else { best })
}
