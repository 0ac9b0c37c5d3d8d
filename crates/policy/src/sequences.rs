//! What policies about paths, transactions and streams have in common: attributes beside the sequence, which are not generalized.

mod spec;

pub use spec::{Named, SequenceColumns, SequencesSpec};

use denym_data::Role;
use denym_measure::catalogue::Needs;

use crate::parse::knows_program;
use crate::promises::JudgedOn;
use crate::reader::{Mistakes, Node};
use crate::{AttributeSpec, HierarchySpec, Missing, Promised};

/// How many parts of a victim's sequence are known, and whether the program is.
pub(super) fn few(node: &Node<'_, '_>, key: &str, usual: usize) -> Option<(usize, bool)> {
    let table = node.section(&[key, "algorithm"], &format!("{{ {key} = {usual} }}"))?;
    let parts = table.need(key, &format!("add `{key} = {usual}`"))?;
    let most = parts.whole(1)?;
    if most > 64 {
        parts.mistake(
            "policy-out-of-range",
            format!("`{}` must be at most 64", parts.key),
            "write a number from 1 to 64; few people know more of a stranger",
        );
        return None;
    }
    Some((most as usize, knows_program(&table)?))
}

/// Notes what attributes beside a sequence have no use for: they are not generalized, and each is declared once.
pub(super) fn beside(attributes: &[AttributeSpec], mistakes: &Mistakes, data: JudgedOn) {
    for (index, attribute) in attributes.iter().enumerate() {
        if attribute.hierarchy != HierarchySpec::Flat && attribute.role != Role::Sensitive {
            mistakes.add(
                "policy-unused-key",
                attribute.hierarchy_span.clone(),
                format!(
                    "`{}` stands beside {} and is not generalized",
                    attribute.name, data.name
                ),
                "remove the hierarchy; with `suppress-at-most` records that stand out are removed",
            );
        }
        if attribute.missing != Missing::Value {
            mistakes.add(
                "policy-unused-key",
                attribute.span.clone(),
                format!("beside {} a missing value is a value of its own", data.name),
                "remove `missing`",
            );
        }
        if attributes[..index].iter().any(|a| a.name == attribute.name) {
            mistakes.add(
                "policy-duplicate",
                attribute.span.clone(),
                "this attribute is declared twice",
                "keep one",
            );
        }
    }
}

/// Notes taxonomies that no promise looks at.
pub(super) fn unused_taxonomies(
    attributes: &[AttributeSpec],
    found: &[Promised],
    mistakes: &Mistakes,
) {
    let looks = |name: &str| {
        found.iter().any(|promised| {
            let promise = &promised.promise;
            let about = promise.attribute_name() == Some(name);
            about && promise.entry().needs() == Needs::Taxonomy
        })
    };
    for attribute in attributes {
        let sensitive = attribute.role == Role::Sensitive;
        if sensitive && attribute.hierarchy != HierarchySpec::Flat && !looks(&attribute.name) {
            mistakes.add(
                "policy-unused-key",
                attribute.hierarchy_span.clone(),
                format!("no promise looks at the taxonomy of `{}`", attribute.name),
                "remove it, or ask for `t-closeness` with `distance = \"hierarchical\"`",
            );
        }
    }
}
