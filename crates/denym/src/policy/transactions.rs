//! Reads a policy about transactions: which items each person has, and what an adversary with a few of them must not learn.

use std::path::{Path, PathBuf};

use denym_data::{Fraction, Role};

use super::attack::attack_section;
use super::attributes::attributes;
use super::mistake::suggest;
use super::parse::{DATA_KEYS, FORMATS, data_spec, set};
use super::paths::{Named, k_anonymity};
use super::reader::{Mistakes, Node, Section};
use super::{AttributeSpec, Exact, Knowledge, Policy, PromiseSpec, Promised, ReleaseSpec};

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
pub(crate) const SEPARATOR: char = ';';
/// Items the adversary is taken to know when the policy does not say.
const DEFAULT_ITEMS: usize = 2;
const OWN_KEYS: &[&str] = &["subject", "item", "items-column", "separator"];
const RELEASE_KEYS: &[&str] = &[
    "algorithm",
    "metric",
    "format",
    "seed",
    "unsuppress",
    "taxonomy",
    "frequent-itemsets",
];
/// The promises that can be judged on transactions.
const PROMISES: &[&str] = &["k-anonymity", "confidence"];
/// What a release of transactions can be measured by.
const METRICS: [(&str, &str); 3] = [
    ("loss", "loss"),
    ("distortion", "distortion"),
    ("lost-itemsets", "lost-itemsets"),
];
/// How items are hidden, by the names of policies.
pub(crate) const ALGORITHMS: [(&str, &str); 3] = [
    ("auto", "auto"),
    ("item-suppression", "item-suppression"),
    ("item-generalization", "item-generalization"),
];

/// Reads a policy whose data are transactions; the policy when there is no mistake, else all of them.
pub(super) fn policy(
    text: &str,
    file: &Path,
    root: &Section<'_, '_>,
    mistakes: &Mistakes,
) -> Option<Policy> {
    let mut spec = TransactionsSpec::default();
    let data = root.get("data")?;
    let data = data.open("{ path = \"baskets.csv\", kind = \"transactions\" }")?;
    let known: Vec<&str> = DATA_KEYS.iter().chain(OWN_KEYS).copied().collect();
    data.only(&known);
    data_keys(&data, &mut spec);
    let data = data_spec(&data);

    let mut attributes = root
        .get("attributes")
        .and_then(|node| node.open("{ customer = \"subject\" }"))
        .map(|section| attributes(&section))
        .unwrap_or_default();
    check_attributes(&mut attributes, &mut spec, mistakes);

    let adversary = root
        .get("adversary")
        .and_then(|node| node.section(&["knows"], "{ knows = { items = 2 } }"))
        .and_then(|section| adversary(&section, &mut spec))
        .unwrap_or(Knowledge::Items(DEFAULT_ITEMS));

    let help = "add `[promise]` with for example `k-anonymity = 5`";
    let promises = match root.need("promise", help) {
        Some(node) => {
            let section = node.open("{ k-anonymity = 5 }");
            if section.as_ref().is_some_and(|s| s.entries().is_empty()) {
                node.mistake(
                    "policy-no-promise",
                    "nothing is promised",
                    "add for example `k-anonymity = 5`",
                );
            }
            section
                .map(|section| promises(&section, mistakes))
                .unwrap_or_default()
        }
        None => Vec::new(),
    };
    let release = match root.get("release") {
        Some(node) => node
            .section(RELEASE_KEYS, "{ algorithm = \"auto\" }")
            .map(|section| release(&section, &mut spec)),
        None => Some(ReleaseSpec::default()),
    };
    Some(Policy {
        attack: attack_section(root),
        text: text.to_owned(),
        file: file.to_owned(),
        data: data?,
        attributes,
        adversary,
        promises,
        release: release?,
        paths: None,
        transactions: Some(spec),
    })
}

/// The keys of `[data]` that only transactions have.
fn data_keys(section: &Section<'_, '_>, spec: &mut TransactionsSpec) {
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

/// Beside the items there is whose they are; what else an adversary may know is written as an item.
fn check_attributes(
    attributes: &mut Vec<AttributeSpec>,
    spec: &mut TransactionsSpec,
    mistakes: &Mistakes,
) {
    for attribute in std::mem::take(attributes) {
        match attribute.role {
            Role::Identifier => attributes.push(attribute),
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
                    "`{}` stands beside the items; only items are published",
                    attribute.name
                ),
                "remove it, give it the role `identifier`, or write its values as items, such as `age=30-39`",
            ),
        }
    }
}

fn adversary(section: &Section<'_, '_>, spec: &mut TransactionsSpec) -> Option<Knowledge> {
    let node = section.get("knows")?;
    let table = node.section(&["items"], "{ items = 2 }")?;
    let items = table.need("items", "add `items = 2`")?;
    spec.knows_given = true;
    let most = items.whole(1)?;
    if most > 64 {
        items.mistake(
            "policy-out-of-range",
            "`adversary.knows.items` must be at most 64",
            "write a number from 1 to 64; few people know more of a stranger",
        );
        return None;
    }
    Some(Knowledge::Items(most as usize))
}

fn promises(section: &Section<'_, '_>, mistakes: &Mistakes) -> Vec<Promised> {
    let mut found = Vec::new();
    for (name, span, node) in section.entries() {
        match name.as_str() {
            "k-anonymity" => found.extend(k_anonymity(&node)),
            "confidence" => {
                let bounds = if node.is_array() {
                    node.list("[{ ... }]").unwrap_or_default()
                } else {
                    vec![node]
                };
                found.extend(bounds.iter().filter_map(confidence));
            }
            _ => mistakes.add(
                "policy-unknown-key",
                span,
                format!("`{name}` is not judged on transactions"),
                suggest(&name, PROMISES),
            ),
        }
    }
    let mut seen: Vec<&str> = Vec::new();
    for promised in &found {
        let PromiseSpec::Items { items, .. } = &promised.promise else {
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
    found
}

fn confidence(node: &Node<'_, '_>) -> Option<Promised> {
    let example = r#"{ items = ["pregnancy test"], at-most = 0.4 }"#;
    let section = node.section(&["items", "at-most"], example)?;
    let items = section.need("items", "add `items = [\"pregnancy test\"]`");
    let at_most = section
        .need("at-most", "add `at-most = 0.4`")
        .and_then(|node| node.fraction(Fraction::ZERO, Some(Fraction::ONE)));
    Some(Promised {
        quasi: None,
        promise: PromiseSpec::Items {
            items: items?.strings("pregnancy test")?,
            at_most: Exact(at_most?),
        },
        span: node.span(),
    })
}

fn release(section: &Section<'_, '_>, own: &mut TransactionsSpec) -> ReleaseSpec {
    let mut spec = ReleaseSpec::default();
    if let Some(node) = section.get("algorithm") {
        spec.algorithm_span = node.span();
        let chosen = node.choice(&ALGORITHMS).map(str::to_owned);
        set(&mut spec.algorithm, chosen);
    }
    if let Some(node) = section.get("metric") {
        set(&mut spec.metric, node.choice(&METRICS).map(str::to_owned));
    }
    if let Some(node) = section.get("format") {
        set(&mut spec.format, node.choice(&FORMATS).map(str::to_owned));
    }
    if let Some(node) = section.get("seed") {
        set(&mut spec.seed, node.whole(0));
    }
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
    if spec.metric == "lost-itemsets" {
        let help = "add `frequent-itemsets = { support = 100, size = 3 }`: what is to be kept";
        section.need("frequent-itemsets", help);
    }
    spec
}
