//! What policies about transactions say beyond others: which items each person has, and which of them are known.

use std::path::PathBuf;

use denym_data::{AlgorithmUse, Role};

use super::parse::set;
use super::promises::JudgedOn;
use super::reader::{Mistakes, Section};
use super::sequences::{Named, SequenceColumns, SequencesSpec, beside, few};
use super::{AttributeSpec, Bounded, Knowledge, Metric, Promised, ReleaseSpec};

/// The keys of `[data]` that only transactions have.
pub(super) fn data_keys(section: &Section<'_, '_>, spec: &mut SequencesSpec) {
    let column = |key: &str, example: &str| {
        let node = section.get(key)?;
        let name = node.string(example)?.to_owned();
        Some(Named {
            name,
            span: node.span(),
        })
    };
    spec.columns = SequenceColumns {
        subject: column("subject", "customer"),
        location: column("item", "product"),
        cell: column("items-column", "basket"),
        ..SequenceColumns::default()
    };
    if let (Some(_), Some(node)) = (&spec.columns.cell, section.get("item")) {
        node.mistake(
            "policy-two-forms",
            "a column of items holds all items of a subject already",
            "remove `item`",
        );
    }
    if let Some(node) = section.get("separator")
        && let Some(text) = node.string(";")
    {
        let mut letters = text.chars();
        match (letters.next(), letters.next()) {
            (Some(letter), None) => spec.separator = Some(letter),
            _ => node.mistake(
                "policy-wrong-type",
                "`separator` must be one character",
                "write for example \";\" or \" \"",
            ),
        }
    }
}

/// Beside the items there is whose they are and what must not be learned; what else an adversary may know is written as an item.
pub(super) fn check_attributes(
    attributes: &mut Vec<AttributeSpec>,
    spec: &mut SequencesSpec,
    mistakes: &Mistakes,
) {
    for attribute in std::mem::take(attributes) {
        match attribute.role {
            Role::Identifier | Role::Sensitive => attributes.push(attribute),
            Role::Subject => match &spec.columns.subject {
                Some(named) if named.name != attribute.name => mistakes.add(
                    "policy-two-subjects",
                    attribute.span,
                    "another column is the subject already",
                    "keep one of them",
                ),
                _ => {
                    spec.columns.subject = Some(Named {
                        name: attribute.name,
                        span: attribute.span,
                    });
                }
            },
            _ => mistakes.add(
                "policy-not-an-item",
                attribute.span,
                format!(
                    "`{}` stands beside the items; only items and sensitive attributes are published",
                    attribute.name
                ),
                "remove it, give it the role `identifier` or `sensitive`, or write its values as items, such as `age=30-39`",
            ),
        }
    }
    beside(attributes, mistakes, JudgedOn::TRANSACTIONS);
}

/// What `[adversary]` says of transactions.
pub(super) fn adversary(
    section: &Section<'_, '_>,
    spec: &mut SequencesSpec,
) -> Option<(Knowledge, bool)> {
    let node = section.get("knows")?;
    spec.knows_given = true;
    let (most, program) = few(&node, "items", 2)?;
    Some((Knowledge::Items(most), program))
}

/// Notes items with two bounds.
pub(super) fn bounded_once(found: &[Promised], mistakes: &Mistakes) {
    let mut seen: Vec<&str> = Vec::new();
    for promised in found {
        let Some((Bounded::Items(items), _)) = promised.promise.bounded() else {
            continue;
        };
        for item in items {
            if seen.contains(&item.as_str()) {
                mistakes.add(
                    "policy-duplicate",
                    promised.span.clone(),
                    "a sensitive item has two bounds",
                    "keep the smaller one",
                );
            }
            seen.push(item);
        }
    }
}

/// The keys of `[release]` that only transactions have.
pub(super) fn release(section: &Section<'_, '_>, own: &mut SequencesSpec, spec: &ReleaseSpec) {
    if let Some(node) = section.get("unsuppress") {
        set(&mut own.unsuppress, node.boolean());
    }
    if let Some(node) = section.get("taxonomy") {
        own.hierarchy = node.string("products.csv").map(PathBuf::from);
    }
    if let Some(node) = section.get("frequent-itemsets")
        && let Some(table) = node.section(&["support", "size"], "{ support = 100, size = 3 }")
    {
        let help = "add `support = 100`: subjects that make an itemset frequent";
        let support = table.need("support", help).and_then(|node| node.whole(1));
        let size = table.get("size").map_or(Some(3), |node| node.whole(1));
        own.frequent = support.zip(size).map(|(s, l)| (s, l as usize));
    }
    if spec.algorithm.has(AlgorithmUse::Coarser) {
        let help = "add `taxonomy = \"products.csv\"`: what items become coarser by";
        section.need("taxonomy", help);
    }
    if spec.metric == Metric::LostItemsets {
        let help = "add `frequent-itemsets = { support = 100, size = 3 }`: what is to be kept";
        section.need("frequent-itemsets", help);
    }
}
