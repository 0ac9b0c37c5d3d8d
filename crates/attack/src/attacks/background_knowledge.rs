//! Background knowledge: the adversary knows sensitive values that the victim does not have, and one is left.
//!
//! # Idea
//!
//! A Japanese patient is known to have no heart disease; what the other candidates have is the victim's. The adversary rules out the values
//! that leave the fewest others: one of them, unless more are asked for.
//!
//! # Reference
//!
//! A. Machanavajjhala et al., "l-diversity", TKDD 1(1), 2007; survey section 2.2.

use crate::catalogue::{AttackEntry, Gate, Run, SURVEY, Shape, Threat};
use crate::table::{Aim, Candidates, Conclusion, Wish};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "background-knowledge",
    place: 220,
    threat: Threat::AttributeLinkage,
    shape: Shape::Table,
    summary: "a sensitive value left after ruling others out",
    knows: "everybody's quasi-identifiers, and one sensitive value that the person does not have",
    limits: "one value is ruled out unless more are asked for; where people have several values, these are counted one by one",
    reference: SURVEY,
    gate: Gate::Named,
    run: Run::Candidates {
        aim: Aim::Value,
        besides: "one sensitive value that the person does not have",
        told,
    },
};

/// The surest value once the commonest others are ruled out.
fn told(here: &Candidates<'_>, wish: &Wish) -> Option<Conclusion> {
    let mut ordered: Vec<(u32, u64)> = here.values.to_vec();
    ordered.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let all: u64 = ordered.iter().map(|&(_, count)| count).sum();
    let mut best: Option<Conclusion> = None;
    for (at, &(value, own)) in ordered.iter().enumerate() {
        let others = ordered.iter().enumerate().filter(|&(other, _)| other != at);
        let gone: u64 = others
            .take(wish.rule_out)
            .map(|(_, &(_, count))| count)
            .sum();
        let sure = own as f64 / (all - gone) as f64;
        if sure >= wish.confidence && best.is_none_or(|best| sure > best.sure) {
            best = Some(Conclusion {
                value: Some(value),
                sure,
            });
        }
    }
    best
}
