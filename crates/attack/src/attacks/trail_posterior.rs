//! Trail posterior: the most likely owner of each trail when entries may be false or missing on both sides.
//!
//! # Reference
//!
//! I. Fellegi, A. Sunter, "A theory for record linkage", JASA 64, 1969; the future work of Malin 2002.

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::{Declined, Finding, Ran};
use crate::trails::TrailScene;
use crate::trails::posterior::posteriors;
use crate::{Coverage, Evidence};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "trail-posterior",
    place: 140,
    threat: Threat::Probabilistic,
    shape: Shape::Trails,
    summary: "most likely owner under false and missing entries",
    knows: "which institutions hold data of everybody, and how often entries are false or missing",
    limits: "each trail is judged by itself: that owners are distinct is not used",
    reference: "Fellegi and Sunter, JASA 64, 1969; future work of Malin 2002",
    gate: Gate::Never,
    run: Run::Trails(run),
};

fn run(scene: &TrailScene<'_>) -> Ran {
    let Some(model) = &scene.model else {
        return Err(Declined::because(
            "it needs to be told how often entries are false or missing: see `denym attack trails --posterior`",
        ));
    };
    let (anonymous, identified) = (scene.anonymous, scene.identified);
    let may_own =
        |a: u32, i: u32| (scene.relates)(anonymous.label(a as usize), identified.label(i as usize));
    let found = posteriors(anonymous.trails, identified.trails, &may_own, model, 1)?;
    let chances: Vec<(f64, u64)> = (0..)
        .zip(&found)
        .map(
            |(row, found): (usize, _)| match (found.best.first(), scene.truth) {
                (None, _) => (0.0, 1),
                (Some(&(_, chance)), None) => (chance, 1),
                (Some(&(best, _)), Some(truth)) => {
                    (f64::from(u8::from(truth.owners[row] == Some(best))), 1)
                }
            },
        )
        .collect();
    let after = Evidence::of_chances(ENTRY.name, chances.into_iter(), Coverage::Exhaustive);
    let note = match scene.truth {
        Some(_) => "How often the likeliest owner is the owner.",
        None => {
            "The mean chance that it gives to the likeliest owner, if the error rates are right."
        }
    };
    Ok(vec![Finding {
        note: note.to_owned(),
        ..Finding::new(after, ENTRY.knows)
    }])
}
