//! Intersection: a person's sensitive value is among those of the person's group in every release.
//!
//! The attack itself is [`crate::releases::intersection`].

use crate::catalogue::{Entry, Gate, Run, SURVEY, Shape, Threat};

pub(crate) const ENTRY: Entry = Entry {
    name: "intersection",
    place: 610,
    threat: Threat::AttributeLinkage,
    shape: Shape::Releases,
    summary: "sensitive values common to the victim's groups in all releases",
    knows: "everybody's quasi-identifiers, and in which releases they are",
    limits: "it takes sensitive values not to change from release to release",
    reference: SURVEY,
    gate: Gate::Never,
    run: Run::Command("denym attack releases A B --sensitive COLUMN"),
};

pub use crate::releases::intersection::intersection;
