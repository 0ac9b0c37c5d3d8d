//! What policies about paths say beyond others: who was where and when, and which doublets are known.

mod data;
mod release;

pub use denym_data::Matching;
use denym_data::Role;

use super::parse::set;
use super::promises::JudgedOn;
use super::reader::{Mistakes, Section};
use super::sequences::{Named, SequencesSpec, beside, few};
use super::{AttributeSpec, Knowledge};
pub(super) use data::data_keys;
pub(super) use release::release;

/// Attributes beside a path: a subject may be named here, hierarchies have no use.
pub(super) fn check_attributes(
    attributes: &mut Vec<AttributeSpec>,
    spec: &mut SequencesSpec,
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
    let own: Vec<&Named> = [&columns.location, &columns.time, &columns.cell]
        .into_iter()
        .flatten()
        .collect();
    attributes.retain(|attribute| own.iter().all(|named| named.name != attribute.name));
}

/// What `[adversary]` says of paths.
pub(super) fn adversary(
    section: &Section<'_, '_>,
    spec: &mut SequencesSpec,
) -> Option<(Knowledge, bool)> {
    if let Some(node) = section.get("matching") {
        set(&mut spec.matching, node.choice(&Matching::ALL));
    }
    let node = section.get("knows")?;
    spec.knows_given = true;
    let (most, program) = few(&node, "doublets", 3)?;
    Some((Knowledge::Doublets(most), program))
}
