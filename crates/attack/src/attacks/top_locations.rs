//! Top locations: the victim's most visited places, without times, find the record.
//!
//! # Reference
//!
//! H. Zang, J. Bolot, "Anonymization of location data does not work", `MobiCom` 2011.

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::Ran;
use crate::sequences::places::{on_source, places};
use crate::sequences::{SequenceScene, TopLocations};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "top-locations",
    place: 420,
    threat: Threat::RecordLinkage,
    shape: Shape::Paths,
    summary: "the victim's most visited places",
    knows: "everybody's most visited places, as many as the adversary knows doublets, without times",
    limits: "no promise about doublets speaks of habits; only places that are exactly the same count",
    reference: "Zang and Bolot, MobiCom 2011",
    gate: Gate::Named,
    run: Run::Sequences(run),
};

fn run(scene: &SequenceScene<'_>) -> Ran {
    let (seen, crowd) = (&scene.seen, scene.crowd());
    let before = TopLocations::run(&crowd.before, &on_source(seen.raw), seen.known)?;
    let after = TopLocations::run(&crowd.setting, &places(seen), seen.known)?;
    let knows = format!(
        "everybody's {} most visited places, without times",
        seen.known
    );
    let note = "No promise about doublets speaks of habits.".to_owned();
    Ok(vec![after.finding(scene, &before, knows, note)])
}
