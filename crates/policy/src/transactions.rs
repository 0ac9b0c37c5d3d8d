//! Reads a policy about transactions: which items each person has, and what an adversary with a few of them must not learn.

use std::path::{Path, PathBuf};

use denym_data::Role;

use super::attack::attack_section;
use super::attributes::attributes;
use super::keys::{self, Part};
use super::parse::{common_release, data_spec, knows_program, set};
use super::paths::Named;
use super::promises::{JudgedOn, promises};
use super::reader::{Mistakes, Section};
use super::sequences::{beside, unused_taxonomies};
use super::{
    AttributeSpec, Bounded, DataKind, Knowledge, Policy, Promised, ReleaseSpec, Vocabulary,
};

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
/// Items the adversary is taken to know when the policy does not say.
const DEFAULT_ITEMS: usize = 2;
/// What the readers of attributes and promises have to know.
const TRANSACTIONS: JudgedOn = JudgedOn::TRANSACTIONS;
/// What a release of transactions can be measured by.
const METRICS: [(&str, &str); 3] = [
    ("loss", "loss"),
    ("distortion", "distortion"),
    ("lost-itemsets", "lost-itemsets"),
];

/// Reads a policy whose data are transactions; the policy when there is no mistake, else all of them.
pub(super) fn policy(
    text: &str,
    file: &Path,
    root: &Section<'_, '_>,
    mistakes: &Mistakes,
    vocabulary: &Vocabulary,
) -> Option<Policy> {
    let mut spec = TransactionsSpec::default();
    let data = root.get("data")?;
    let data = data.open("{ path = \"baskets.csv\", kind = \"transactions\" }")?;
    keys::check(&data, Part::Data, DataKind::Transactions);
    data_keys(&data, &mut spec);
    let data = data_spec(&data);

    let mut attributes = root
        .get("attributes")
        .and_then(|node| node.open("{ customer = \"subject\" }"))
        .map(|section| attributes(&section))
        .unwrap_or_default();
    check_attributes(&mut attributes, &mut spec, mistakes);

    let (adversary, knows_program) = root
        .get("adversary")
        .and_then(|node| node.open("{ knows = { items = 2 } }"))
        .inspect(|section| keys::check(section, Part::Adversary, DataKind::Transactions))
        .and_then(|section| adversary(&section, &mut spec))
        .unwrap_or((Knowledge::Items(DEFAULT_ITEMS), false));

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
                .map(|section| promises(&section, &mut attributes, mistakes, TRANSACTIONS))
                .unwrap_or_default()
        }
        None => Vec::new(),
    };
    unused_taxonomies(&attributes, &promises, mistakes);
    bounded_once(&promises, mistakes);
    let release = match root.get("release") {
        Some(node) => node
            .open("{ algorithm = \"auto\" }")
            .inspect(|section| keys::check(section, Part::Release, DataKind::Transactions))
            .map(|section| release(&section, &mut spec, &vocabulary.transactions)),
        None => Some(ReleaseSpec::default()),
    };
    Some(Policy {
        attack: attack_section(root, &vocabulary.attacks),
        text: text.to_owned(),
        file: file.to_owned(),
        data: data?,
        attributes,
        adversary,
        records_known: None,
        knows_program,
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

/// Beside the items there is whose they are and what must not be learned; what else an adversary may know is written as an item.
fn check_attributes(
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
    beside(attributes, mistakes, TRANSACTIONS);
}

fn adversary(section: &Section<'_, '_>, spec: &mut TransactionsSpec) -> Option<(Knowledge, bool)> {
    let node = section.get("knows")?;
    let table = node.section(&["items", "algorithm"], "{ items = 2 }")?;
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
    Some((Knowledge::Items(most as usize), knows_program(&table)?))
}

/// Notes items with two bounds.
fn bounded_once(found: &[Promised], mistakes: &Mistakes) {
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

fn release(
    section: &Section<'_, '_>,
    own: &mut TransactionsSpec,
    names: &[&'static str],
) -> ReleaseSpec {
    let mut spec = common_release(section);
    if let Some(node) = section.get("algorithm") {
        spec.algorithm_span = node.span();
        let chosen = node.choice(&Vocabulary::choices(names)).map(str::to_owned);
        set(&mut spec.algorithm, chosen);
    }
    if let Some(node) = section.get("metric") {
        set(&mut spec.metric, node.choice(&METRICS).map(str::to_owned));
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
