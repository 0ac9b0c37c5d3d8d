//! Find multiple: one complete trail is the only one that covers several incomplete ones, so they are one person's.
//!
//! # Reference
//!
//! B. Malin, "Compromising privacy with trail re-identification: the REIDIT algorithms", CMU-CALD-02-108, 2002, section 7.

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::{Declined, Finding, Ran};
use crate::trails::{TrailScene, find_multiple};
use crate::{Coverage, Evidence};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "find-multiple",
    place: 150,
    threat: Threat::RecordLinkage,
    shape: Shape::Trails,
    summary: "one complete trail behind several incomplete ones",
    knows: "which institutions hold data of everybody, and that one person may have left several trails",
    limits: "it takes every owner to be present; where people have one trail each, REIDIT says more",
    reference: "Malin 2002, section 7",
    gate: Gate::Never,
    run: Run::Trails(run),
};

fn run(scene: &TrailScene<'_>) -> Ran {
    if !scene.find_multiple {
        return Err(Declined::because(
            "it looks for one person behind several trails: see `denym attack trails --find-multiple`",
        ));
    }
    let graph = scene.graph()?;
    let found = find_multiple(&graph);
    let tied: usize = found.iter().map(|one| one.incomplete.len()).sum();
    let trails = graph.candidate_counts().len();
    let after = Evidence::new(ENTRY.name, tied as u64, trails as u64, Coverage::Exhaustive);
    Ok(vec![Finding {
        note: "Trails that are tied to another one.".to_owned(),
        ..Finding::new(after, ENTRY.knows)
    }])
}
