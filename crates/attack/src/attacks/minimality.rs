//! Minimality: originals that the search would have published differently are ruled out.
//!
//! # Idea
//!
//! The adversary knows everybody's quasi-identifiers, the release, the policy and the program. Each way of handing a class's sensitive
//! values to its people is a possible original. The search is run on each; only those that give the observed release remain, and what
//! these say of a person is what the adversary learns.
//!
//! # Reference
//!
//! R. Wong, A. Fu, K. Wang, J. Pei, "Minimality attack in privacy preserving data publishing", VLDB 2007; survey section 5.4, Example 5.1.
//!
//! # Cost
//!
//! One run of the search per possible original: small tables only.

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::Ran;
use crate::minimality::ruled_out;
use crate::table::TableScene;

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "minimality",
    place: 260,
    threat: Threat::AttributeLinkage,
    shape: Shape::Table,
    summary: "originals that would have been published otherwise are ruled out",
    knows: "everybody's quasi-identifiers, the policy and the program",
    limits: "small tables with one sensitive attribute, nothing suppressed and one level per column; every original counts as equally likely",
    reference: "Wong, Fu, Wang, Pei, VLDB 2007",
    gate: Gate::Named,
    run: Run::Table(run),
};

fn run(scene: &TableScene<'_>) -> Ran {
    ruled_out(&ENTRY, scene.originals.as_ref().copied())
}
