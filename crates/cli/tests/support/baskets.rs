//! Small baskets that the tests of transactions share.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::{json, write};

/// Baskets of twelve people; the test is the sensitive item.
pub(crate) const BASKETS: [&str; 12] = [
    "bread;milk;test",
    "bread;milk",
    "bread;butter",
    "bread;butter;milk",
    "beer;wine",
    "beer;wine;milk",
    "beer;test",
    "wine;milk",
    "caviar",
    "bread",
    "milk",
    "",
];

/// Groups of items, for generalization.
pub(crate) const TAXONOMY: &str = "\
bread,food,goods
milk,food,goods
butter,food,goods
caviar,food,goods
beer,drink,goods
wine,drink,goods
";

/// Two items known, three people each, the test at 40 %.
pub(crate) const POLICY: &str = "\
[data]
path = \"baskets.csv\"
kind = \"transactions\"

[adversary]
knows = { items = 2 }

[promise]
k-anonymity = 3
confidence = { items = [\"test\"], at-most = 0.4 }

[release]
algorithm = \"item-suppression\"
";

/// The items of each person.
pub(crate) type Sets = Vec<BTreeSet<String>>;

/// A row per person.
pub(crate) fn wide(baskets: &[&str]) -> String {
    let mut text = "customer,items\n".to_owned();
    for (number, basket) in baskets.iter().enumerate() {
        text += &format!("c{number},{basket}\n");
    }
    text
}

/// A row per item, last first.
pub(crate) fn long(baskets: &[&str]) -> String {
    let mut rows = Vec::new();
    for (number, basket) in baskets.iter().enumerate() {
        rows.extend(basket.split(';').map(|item| format!("{item},c{number}")));
    }
    rows.reverse();
    format!("item,subject\n{}\n", rows.join("\n"))
}

/// Cells as sets.
pub(crate) fn sets(baskets: &[&str]) -> Sets {
    let items = |cell: &&str| {
        let items = cell.split(';').filter(|item| !item.is_empty());
        items.map(str::to_owned).collect()
    };
    baskets.iter().map(items).collect()
}

/// Anonymizes by `policy` into `out`.
pub(crate) fn anonymized(at: &Path, policy: &str) -> (i32, Value) {
    write(at, "policy.toml", policy);
    json(at, &["anonymize", "policy.toml", "-o", "out", "--force"])
}
