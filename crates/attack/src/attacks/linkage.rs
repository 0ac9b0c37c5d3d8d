//! Linkage: the adversary picks one of the records that could be the victim's.
//!
//! # Idea
//!
//! Who knows a person's quasi-identifiers finds the records that may show them, and guesses among the people behind these. One of n is
//! right with a chance of 1/n; where there is one, the person is found for certain.
//!
//! # Reference
//!
//! Survey section 2.1, Example 2.1; L. Sweeney, "k-anonymity", 2002.

use crate::catalogue::{AttackEntry, Gate, Run, SURVEY, Shape, Threat};
use crate::table::{Aim, Candidates, Conclusion, Wish};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "linkage",
    place: 200,
    threat: Threat::RecordLinkage,
    shape: Shape::Table,
    summary: "join with an external table, generalized values understood",
    knows: "everybody's quasi-identifiers, and who is in the data",
    limits: "its rate is the mean chance of a right guess; who is not known to be in the data is found less often (see presence)",
    reference: SURVEY,
    gate: Gate::Plain,
    run: Run::Candidates {
        aim: Aim::Record,
        besides: "",
        told,
    },
};

fn told(here: &Candidates<'_>, _: &Wish) -> Option<Conclusion> {
    (here.people > 0).then(|| Conclusion {
        value: None,
        sure: 1.0 / here.people as f64,
    })
}
