//! Distance linkage: the published record nearest to what is known of a person's numbers is taken to be theirs.
//!
//! # Idea
//!
//! The adversary has the source's numbers of everybody, and takes the nearest written record. A release is sorted anew, so nothing in it
//! tells whose record is whose: the nearest counts as right, one of several as one guess among them. No guess by distance does better.
//!
//! # Reference
//!
//! J. Domingo-Ferrer, V. Torra, in "Confidentiality, Disclosure and Data Access", 2001; Pagliuca and Seri, 1999.
//!
//! # Cost
//!
//! Records of the source x records of the release x columns, all cores.

use crate::catalogue::{AttackEntry, Gate, Run, Shape, Threat};
use crate::finding::{Declined, Finding, Ran};
use crate::table::TableScene;

pub(crate) const ENTRY: AttackEntry = AttackEntry {
    name: "distance-linkage",
    place: 300,
    threat: Threat::RecordLinkage,
    shape: Shape::Microdata,
    summary: "nearest published record",
    knows: "the true numbers of everybody",
    limits: "an upper bound for guesses by distance: whose the nearest record is, the release does not say; tables that are too large for every pair are left out",
    reference: "Domingo-Ferrer and Torra, 2001",
    gate: Gate::Named,
    run: Run::Table(run),
};

fn run(scene: &TableScene<'_>) -> Ran {
    let numbers = scene.numbers.as_ref();
    let numbers = numbers.map_err(|why| Declined::because(why.as_str()))?;
    let columns: Vec<String> = numbers
        .columns
        .iter()
        .map(|name| format!("`{name}`"))
        .collect();
    let knows = format!(
        "{} of everybody as in the source; {}",
        columns.join(", "),
        numbers.whose
    );
    Ok(vec![Finding {
        note: "Ties count as one guess among the tied.".to_owned(),
        ..Finding::new(numbers.linkage.evidence(), knows)
    }])
}
