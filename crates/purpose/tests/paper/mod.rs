//! The trees, tables and consents of Kabir 2010, chapters 2 and 3, with the corrections noted beside each.
#![allow(dead_code, reason = "each test file uses its own part of the tables")]

use denym_purpose::{IntendedPurpose, Purpose, PurposeTree};

fn tree(list: &[(&str, &str)]) -> PurposeTree {
    let purposes = list
        .iter()
        .map(|(name, parent)| Purpose {
            name: (*name).into(),
            parent: (!parent.is_empty()).then(|| (*parent).into()),
            ..Purpose::default()
        })
        .collect();
    PurposeTree::new(purposes, None).expect("the paper's tree")
}

/// Figure 2.1. The two offers are below d-email: Example 2.3.1 prohibits d-email and they vanish with it.
pub(crate) fn figure_2_1() -> PurposeTree {
    tree(&FIGURE_2_1)
}

/// Name and parent of each purpose of Figure 2.1, in depth-first order.
pub(crate) const FIGURE_2_1: [(&str, &str); 15] = [
    ("general", ""),
    ("admin", "general"),
    ("profiling", "admin"),
    ("analysis", "admin"),
    ("purchase", "general"),
    ("shipping", "general"),
    ("marketing", "general"),
    ("direct", "marketing"),
    ("d-email", "direct"),
    ("special-offers", "d-email"),
    ("service-updates", "d-email"),
    ("d-phone", "direct"),
    ("third-party", "marketing"),
    ("t-email", "third-party"),
    ("t-postal", "third-party"),
];

/// Figure 2.4, stored in Table 2.7.
pub(crate) fn table_2_7_tree() -> PurposeTree {
    tree(&[
        ("A", ""),
        ("B", "A"),
        ("C", "A"),
        ("D", "A"),
        ("E", "B"),
        ("F", "B"),
        ("G", "D"),
        ("H", "D"),
        ("I", "G"),
        ("J", "G"),
    ])
}

/// One intended purpose by letters: G general, A admin, S shipping, M marketing; empty for none.
pub(crate) fn ip(
    tree: &PurposeTree,
    allowed: &str,
    conditional: &str,
    prohibited: &str,
) -> IntendedPurpose {
    let names = |letters: &str| -> Vec<&'static str> {
        letters
            .chars()
            .map(|letter| match letter {
                'G' => "general",
                'A' => "admin",
                'S' => "shipping",
                'M' => "marketing",
                'T' => "third-party",
                _ => "unknown letter",
            })
            .collect()
    };
    IntendedPurpose::new(
        tree,
        &names(allowed),
        &names(conditional),
        &names(prohibited),
    )
    .expect("declared")
}

/// The columns of the customer table.
pub(crate) const COLUMNS: [&str; 4] = ["name", "age", "address", "income"];

/// Table 2.2 / 3.2, data half: name, age, address, income.
pub(crate) const CUSTOMERS: [(&str, i64, &str, i64); 4] = [
    ("Alice", 35, "21, West St., TBA, QLD 4350", 35000),
    ("Bob", 29, "45, Fay CT., TBA, QLD 4350", 23000),
    ("Ron", 56, "20, Anita Dr., TBA, QLD 4350", 56000),
    ("Jak", 48, "25, Wuth St., TBA, QLD 4350", 48000),
];

/// Table 2.5 / 3.3, CIP rows, all as text. Corrected: Jak's conditional name is J (printed A), his age 40-50 (Table 2.5 prints 50-60).
pub(crate) const CONDITIONAL: [[&str; 4]; 4] = [
    ["A", "30-40", "West St., TBA, QLD 4350", "30000-40000"],
    ["B", "20-30", "Fay CT., TBA, QLD 4350", "20000-30000"],
    ["R", "50-60", "Anita Dr., TBA, QLD 4350", "50000-60000"],
    ["J", "40-50", "Wuth St., TBA, QLD 4350", "40000-50000"],
];

/// Table 3.2, consent half, as letters <AIP, CIP, PIP> for each column of each customer.
pub(crate) const CONSENT_3_2: [[(&str, &str, &str); 4]; 4] = [
    [
        ("G", "", ""),
        ("G", "M", "A"),
        ("G", "", "AS"),
        ("G", "A", "M"),
    ],
    [
        ("G", "", ""),
        ("G", "M", ""),
        ("G", "M", "AS"),
        ("G", "M", "A"),
    ],
    [
        ("G", "", ""),
        ("G", "M", ""),
        ("G", "", "AS"),
        ("G", "S", "A"),
    ],
    [
        ("G", "", ""),
        ("G", "M", ""),
        ("G", "M", "A"),
        ("G", "M", "A"),
    ],
];

/// Table 2.2, consent half: as Table 3.2, but Alice's age is not allowed for general.
pub(crate) const ALICE_AGE_2_2: (&str, &str, &str) = ("", "M", "A");
