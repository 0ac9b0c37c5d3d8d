//! What policies about paths say beyond others: who was where and when, and which doublets are known.

mod data;
mod release;

use std::ops::Range;
use std::path::PathBuf;

pub use denym_data::Matching;
use denym_data::Role;

use super::parse::set;
use super::promises::JudgedOn;
use super::reader::{Mistakes, Section};
use super::sequences::{beside, few};
use super::{AttributeSpec, Knowledge};
pub(super) use data::data_keys;
pub(super) use release::release;

/// What a policy about paths says beyond one about a table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathsSpec {
    /// Names of columns where they are not the usual ones.
    pub columns: PathColumns,
    /// Whether consecutive events of one subject at one place become the first of them; in the long form.
    pub keep_repeats: bool,
    /// Whether a subject may be at several places at one time.
    pub several_places: bool,
    /// Side of a grid cell in meters, for raw points.
    pub grid: Option<f64>,
    /// Length of a time slot in seconds.
    pub slot: Option<i64>,
    /// Which records an adversary cannot rule out.
    pub matching: Matching,
    /// Whether the policy says how many doublets the adversary knows.
    pub knows_given: bool,
    /// Whether global suppression ends with a pass that takes back what is not needed.
    pub unsuppress: bool,
    /// A hierarchy of places, for coarsening.
    pub places: Option<PathBuf>,
    /// Widths of coarser time slots, each counted in times of the data.
    pub slots: Vec<usize>,
    /// The bundle of an earlier release of the same people.
    pub earlier: Option<PathBuf>,
    /// Minimum support and longest length of the sequences that the choice should spare.
    pub frequent: Option<(u64, usize)>,
}

/// Columns of a path file, each with its place in the policy.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PathColumns {
    /// Who; long form.
    pub subject: Option<Named>,
    /// Where; long form.
    pub location: Option<Named>,
    /// When; long form.
    pub time: Option<Named>,
    /// The whole path; wide form.
    pub path: Option<Named>,
    /// Degrees north; raw points.
    pub latitude: Option<Named>,
    /// Degrees east; raw points.
    pub longitude: Option<Named>,
}

/// A column that the policy names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named {
    /// The column.
    pub name: String,
    /// Where the policy names it.
    pub span: Range<usize>,
}

/// A column that a flag names.
pub fn named_column(name: Option<&String>) -> Option<Named> {
    name.map(|name| Named {
        name: name.clone(),
        span: 0..0,
    })
}

/// Attributes beside a path: a subject may be named here, hierarchies have no use.
pub(super) fn check_attributes(
    attributes: &mut Vec<AttributeSpec>,
    spec: &mut PathsSpec,
    mistakes: &Mistakes,
) {
    beside(attributes, mistakes, JudgedOn::PATHS);
    if let Some(at) = attributes.iter().position(|a| a.role == Role::Subject) {
        let subject = attributes.remove(at);
        if let Some(named) = &spec.columns.subject
            && named.name != subject.name
        {
            mistakes.add(
                "policy-two-subjects",
                subject.span.clone(),
                "`data.subject` names another subject column",
                "keep one of them",
            );
        }
        spec.columns.subject = Some(Named {
            name: subject.name,
            span: subject.span,
        });
    }
    if let Some(second) = attributes.iter().find(|a| a.role == Role::Subject) {
        mistakes.add(
            "policy-two-subjects",
            second.span.clone(),
            "two columns have the role `subject`",
            "keep one of them",
        );
    }
    // The columns of the path itself need no role; naming them is no mistake.
    let columns = &spec.columns;
    let own: Vec<&Named> = [&columns.location, &columns.time, &columns.path]
        .into_iter()
        .flatten()
        .collect();
    attributes.retain(|attribute| own.iter().all(|named| named.name != attribute.name));
}

/// What `[adversary]` says of paths.
pub(super) fn adversary(
    section: &Section<'_, '_>,
    spec: &mut PathsSpec,
) -> Option<(Knowledge, bool)> {
    if let Some(node) = section.get("matching") {
        set(&mut spec.matching, node.choice(&Matching::ALL));
    }
    let node = section.get("knows")?;
    spec.knows_given = true;
    let (most, program) = few(&node, "doublets", 3)?;
    Some((Knowledge::Doublets(most), program))
}
