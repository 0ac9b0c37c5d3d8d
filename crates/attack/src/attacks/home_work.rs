//! Home and work: where the victim mostly is by night and by day finds the record.
//!
//! # Reference
//!
//! P. Golle, K. Partridge, "On the anonymity of home/work location pairs", Pervasive 2009.

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::{Declined, Ran};
use crate::sequences::places::{nights, on_source, places, published_nights};
use crate::sequences::{HomeWork, SequenceScene};

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "home-work",
    place: 430,
    threat: Threat::RecordLinkage,
    shape: Shape::Paths,
    summary: "where the victim is at night and by day",
    knows: "where everybody mostly is by night (20 to 7 o'clock) and by day",
    limits: "no promise about doublets speaks of habits; whole numbers up to 24 are read as hours",
    reference: "Golle and Partridge, Pervasive 2009",
    gate: Gate::Named,
    run: Run::Sequences(run),
};

fn run(scene: &SequenceScene<'_>) -> Ran {
    let (seen, crowd) = (&scene.seen, scene.crowd());
    let Some(night) = nights(seen) else {
        return Err(Declined::because(
            "the times of the data are no hours of a day",
        ));
    };
    let published = published_nights(seen, &night);
    let before = HomeWork::run(&crowd.before, &on_source(seen.raw), (&night, &night))?;
    let after = HomeWork::run(&crowd.setting, &places(seen), (&night, &published))?;
    let mut note = "No promise about doublets speaks of habits.".to_owned();
    let whole = |text: &String| text.parse::<u64>().is_ok();
    if seen.raw.times().iter().all(whole) {
        note = format!("Whole numbers were read as hours of a day. {note}");
    }
    Ok(vec![after.finding(
        scene,
        &before,
        ENTRY.knows.to_owned(),
        note,
    )])
}
