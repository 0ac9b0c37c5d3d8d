//! Path correlation: a suppressed doublet is put back by what everybody else did between the same two doublets.
//!
//! # Reference
//!
//! K. Al-Hussaeni, B. Fung, W. Cheung, "Privacy-preserving trajectory stream publishing" (ITSA), section 4.5.1.

use serde_json::json;

use crate::catalogue::{AttackEntry, Gate, ITSA, Run, Shape, Threat};
use crate::finding::{Declined, Finding, Ran};
use crate::sequences::{SequenceScene, Sureness, WORST, correlation};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "path-correlation",
    place: 440,
    threat: Threat::AttributeLinkage,
    shape: Shape::Paths,
    summary: "a suppressed doublet deduced from its neighbors",
    knows: "the source paths of everybody else",
    limits: "nine in ten of at least two others must agree; a gap next to a coarser doublet that stands for several is passed over",
    reference: ITSA,
    gate: Gate::Named,
    run: Run::Sequences(run),
};

/// How sure the adversary wants to be, and of how many other people.
const SURE: (f64, u64) = (0.9, 2);

fn run(scene: &SequenceScene<'_>) -> Ran {
    let (seen, crowd) = (&scene.seen, scene.crowd());
    if seen.own.is_none() {
        return Err(Declined::because(
            "nobody knows which record is whose, so it cannot be told what was put back",
        ));
    }
    let (confidence, support) = SURE;
    let sureness = Sureness {
        confidence,
        support,
        steps: scene.effort.words / 4,
        seed: scene.effort.seed,
    };
    let found = correlation(&crowd.setting, &sureness)?;
    if found.evidence.attempts == 0 {
        return Err(Declined::because("nobody lost a doublet"));
    }
    let people = |right: bool| -> u64 {
        let counted = found.deduced.iter().filter(|one| one.right || !right);
        counted.map(|one| one.people).sum()
    };
    let mut best: Vec<_> = found.deduced.iter().filter(|one| one.right).collect();
    best.sort_by(|a, b| {
        let by_share = b.confidence.total_cmp(&a.confidence);
        by_share.then((a.victim, a.doublet).cmp(&(b.victim, b.doublet)))
    });
    let worst = best.iter().take(WORST).map(|one| {
        json!({
            "chance": one.confidence,
            "record": crowd.named(seen, one.victim).0,
            "doublet": seen.raw.label(one.doublet),
            "people_like_this": one.people,
        })
    });
    Ok(vec![Finding {
        note: format!(
            "Of those who lost a doublet, the share that gets one back rightly; {} of {} deductions are right.",
            people(true),
            people(false)
        ),
        worst: worst.collect(),
        ..Finding::new(found.evidence.clone(), ENTRY.knows)
    }])
}
