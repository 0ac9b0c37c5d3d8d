//! What policies about transactions say beyond others: which items each person has, and which of them are known.

use std::path::PathBuf;

use denym_data::Role;

use super::parse::set;
use super::paths::Named;
use super::promises::JudgedOn;
use super::reader::{Mistakes, Section};
use super::sequences::{beside, few};
use super::{AttributeSpec, Bounded, Knowledge, Metric, Promised, ReleaseSpec};

/// What a policy about transactions says beyond one about a table.
#[derive(Debug, Clone, PartialEq)]
pub struct TransactionsSpec {
    /// Names of columns where they are not the usual ones.
    pub columns: TransactionColumns,
    /// What stands between the items of one cell.
    pub separator: char,
    /// Whether the policy says how many items the adversary knows.
    pub knows_given: bool,
    /// Whether suppression ends with a pass that takes back what is not needed.
    pub unsuppress: bool,
    /// A hierarchy of items, for generalization.
    pub taxonomy: Option<PathBuf>,
    /// Minimum support and largest size of the itemsets that the choice should spare.
    pub frequent: Option<(u64, usize)>,
}

impl Default for TransactionsSpec {
    fn default() -> Self {
        Self {
            columns: TransactionColumns::default(),
            separator: SEPARATOR,
            knows_given: false,
            unsuppress: true,
            taxonomy: None,
            frequent: None,
        }
    }
}

/// Columns of a file of transactions, each with its place in the policy.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TransactionColumns {
    /// Who.
    pub subject: Option<Named>,
    /// One item; long form.
    pub item: Option<Named>,
    /// All items of a subject; wide form.
    pub items: Option<Named>,
}

/// What stands between the items of one cell when the policy does not say.
pub const SEPARATOR: char = ';';
/// The keys of `[data]` that only transactions have.
pub(super) fn data_keys(section: &Section<'_, '_>, spec: &mut TransactionsSpec) {
    let column = |key: &str, example: &str| {
        let node = section.get(key)?;
        let name = node.string(example)?.to_owned();
        Some(Named {
            name,
            span: node.span(),
        })
    };
    spec.columns = TransactionColumns {
        subject: column("subject", "customer"),
        item: column("item", "product"),
        items: column("items-column", "basket"),
    };
    if let (Some(_), Some(node)) = (&spec.columns.items, section.get("item")) {
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
            (Some(letter), None) => spec.separator = letter,
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
    spec: &mut TransactionsSpec,
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
    spec: &mut TransactionsSpec,
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
pub(super) fn release(section: &Section<'_, '_>, own: &mut TransactionsSpec, spec: &ReleaseSpec) {
    if let Some(node) = section.get("unsuppress") {
        set(&mut own.unsuppress, node.boolean());
    }
    if let Some(node) = section.get("taxonomy") {
        own.taxonomy = node.string("products.csv").map(PathBuf::from);
    }
    if let Some(node) = section.get("frequent-itemsets")
        && let Some(table) = node.section(&["support", "size"], "{ support = 100, size = 3 }")
    {
        let help = "add `support = 100`: subjects that make an itemset frequent";
        let support = table.need("support", help).and_then(|node| node.whole(1));
        let size = table.get("size").map_or(Some(3), |node| node.whole(1));
        own.frequent = support.zip(size).map(|(s, l)| (s, l as usize));
    }
    if spec.algorithm == "item-generalization" {
        let help = "add `taxonomy = \"products.csv\"`: what items become coarser by";
        section.need("taxonomy", help);
    }
    if spec.metric == Metric::LostItemsets {
        let help = "add `frequent-itemsets = { support = 100, size = 3 }`: what is to be kept";
        section.need("frequent-itemsets", help);
    }
}
