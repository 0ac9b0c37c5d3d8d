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

use serde_json::json;

use crate::catalogue::{Entry, Gate, Run, Shape, Threat};
use crate::finding::{Declined, Finding, Ran};
use crate::table::TableScene;
use crate::table::minimality::MinimalityFound;

pub(crate) const ENTRY: Entry = Entry {
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

/// The most people that are named.
const WORST: usize = 10;

fn run(scene: &TableScene<'_>) -> Ran {
    let originals = scene.originals.as_ref();
    let originals = originals.map_err(|why| Declined::because(why.as_str()))?;
    let found = MinimalityFound::of(originals).map_err(|error| Declined::Because(error.to_string()))?;
    let sure = originals.confidence;
    let mut order: Vec<usize> = (0..found.beliefs.len())
        .filter(|&record| found.beliefs[record].2 > sure && found.beliefs[record].1 <= sure)
        .collect();
    order.sort_by(|&a, &b| {
        let by_chance = found.beliefs[b].2.total_cmp(&found.beliefs[a].2);
        by_chance.then(a.cmp(&b))
    });
    let worst = order.into_iter().take(WORST).map(|record| {
        let (value, before, after) = &found.beliefs[record];
        json!({"chance": after, "before": before, "value": value, "source_record": record + 1})
    });
    Ok(vec![Finding {
        attack: ENTRY.name,
        attribute: Some(found.attribute.clone()),
        knows: ENTRY.knows.to_owned(),
        bounded: false,
        held_out: None,
        before: None,
        note: format!(
            "{} originals agree with the release; {} would have been published like this.",
            found.worlds.0, found.worlds.1
        ),
        worst: worst.collect(),
        after: found.evidence,
    }])
}
