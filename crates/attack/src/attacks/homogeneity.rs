//! Homogeneity: everybody who could be the victim has the same sensitive value, so it is not needed to know which of them it is.
//!
//! # Idea
//!
//! A value that all candidates have is the victim's. With a smaller confidence than 1, one that so large a share of them has. A person with
//! several records may have several values; a value follows when everybody has it, whatever else somebody has.
//!
//! # Reference
//!
//! A. Machanavajjhala et al., "l-diversity", TKDD 1(1), 2007; survey section 2.2, Example 2.6.

use crate::catalogue::{AttackEntry, Gate, Run, SURVEY, Shape, Threat};
use crate::table::{Aim, Candidates, Conclusion, Wish};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "homogeneity",
    place: 210,
    threat: Threat::AttributeLinkage,
    shape: Shape::Table,
    summary: "everybody who matches has the same sensitive value",
    knows: "everybody's quasi-identifiers, and who is in the data",
    limits: "it sees what is certain, or as sure as was asked for; a value that is merely likely is none of its successes",
    reference: SURVEY,
    gate: Gate::Plain,
    run: Run::Candidates {
        aim: Aim::Value,
        besides: "",
        told,
    },
};

/// The value of the largest share of the candidates, the first among equals, when that is large enough.
fn told(here: &Candidates<'_>, wish: &Wish) -> Option<Conclusion> {
    let most = here
        .values
        .iter()
        .max_by(|a, b| a.1.cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let sure = here.share(most.1);
    (sure >= wish.confidence).then_some(Conclusion {
        value: Some(most.0),
        sure,
    })
}
