//! The compliance check by bits equals the set definition, for small and for large trees; Table 2.7 and the paper's sets.

use denym_purpose::{
    AccessPurpose, Compliance, IntendedPurpose, Purpose, PurposeSet, PurposeTree, check_closed,
};
use denym_testkit::purpose as oracle;
use proptest::prelude::*;
use std::collections::BTreeSet;

mod paper;

fn tree(parents: &[Option<usize>]) -> PurposeTree {
    let purposes = parents
        .iter()
        .enumerate()
        .map(|(node, parent)| Purpose {
            name: format!("p{node}"),
            parent: parent.map(|p| format!("p{p}")),
            ..Purpose::default()
        })
        .collect();
    PurposeTree::new(purposes, None).expect("a forest")
}

fn set(tree: &PurposeTree, nodes: &BTreeSet<usize>) -> PurposeSet {
    let names: Vec<String> = nodes.iter().map(|n| format!("p{n}")).collect();
    tree.set(names.iter().map(String::as_str))
        .expect("declared")
}

fn some_nodes(draws: &[prop::sample::Index], nodes: usize) -> BTreeSet<usize> {
    draws.iter().map(|draw| draw.index(nodes)).collect()
}

fn draws() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    proptest::collection::vec(any::<prop::sample::Index>(), 0..4)
}

fn check_all(
    parents: &[Option<usize>],
    a: &BTreeSet<usize>,
    c: &BTreeSet<usize>,
    p: &BTreeSet<usize>,
) {
    let tree = tree(parents);
    let ip = IntendedPurpose {
        allowed: set(&tree, a),
        conditional: set(&tree, c),
        prohibited: set(&tree, p),
    };
    let (full, conditional) = oracle::implied(parents, a, c, p);
    assert_eq!(ip.implied(&tree), set(&tree, &full));
    assert_eq!(ip.implied_conditional(&tree), set(&tree, &conditional));
    let (aip, cip, pip) = ip.codes(&tree);
    for id in tree.ids() {
        let expected = if full.contains(&id.index()) {
            Compliance::Full
        } else if conditional.contains(&id.index()) {
            Compliance::Conditional
        } else {
            Compliance::Denied
        };
        assert_eq!(ip.check(&AccessPurpose::new(&tree, id)), expected);
        assert_eq!(
            check_closed(&tree.codes(id).code, &aip, &cip, &pip),
            expected
        );
    }
    assert_eq!(
        IntendedPurpose::from_text(&tree, &ip.to_text(&tree)),
        Some(ip)
    );
}

proptest! {
    #[test]
    fn bits_equal_sets(parents in oracle::any_forest(12), a in draws(), c in draws(), p in draws()) {
        let n = parents.len();
        check_all(&parents, &some_nodes(&a, n), &some_nodes(&c, n), &some_nodes(&p, n));
    }

    #[test]
    fn bits_equal_sets_beyond_one_word(parents in oracle::any_forest(150), a in draws(), c in draws(), p in draws()) {
        let n = parents.len();
        check_all(&parents, &some_nodes(&a, n), &some_nodes(&c, n), &some_nodes(&p, n));
    }
}

#[test]
fn table_2_7() {
    let tree = paper::table_2_7_tree();
    let expected = [
        ("A", "200", "3ff", "3ff"),
        ("B", "100", "130", "330"),
        ("C", "080", "080", "280"),
        ("D", "040", "04f", "24f"), // the paper prints cip 04F0
        ("E", "020", "020", "320"),
        ("F", "010", "010", "310"),
        ("G", "008", "00b", "24b"),
        ("H", "004", "004", "244"),
        ("I", "002", "002", "24a"),
        ("J", "001", "001", "249"),
    ];
    assert_eq!(tree.len(), expected.len());
    for (name, code, aip, pip) in expected {
        let codes = tree.codes(tree.find(name).expect("declared"));
        assert_eq!(codes.code.to_hex(3), code, "{name}");
        assert_eq!(codes.aip.to_hex(3), aip, "{name}");
        assert_eq!(codes.cip.to_hex(3), aip, "{name}");
        assert_eq!(codes.pip.to_hex(3), pip, "{name}");
    }
}

#[test]
fn example_2_3_1() {
    let tree = paper::figure_2_1();
    let ip = IntendedPurpose::new(&tree, &["admin", "direct"], &["third-party"], &["d-email"])
        .expect("declared");
    assert_eq!(
        tree.names(&ip.implied(&tree)),
        ["admin", "profiling", "analysis", "d-phone"]
    );
    assert_eq!(
        tree.names(&ip.implied_conditional(&tree)),
        ["third-party", "t-email", "t-postal"]
    );
}

#[test]
fn implied_sets_of_section_3_2_2() {
    let tree = paper::figure_2_1();
    let all: Vec<&str> = tree.ids().map(|id| tree.name(id)).collect();
    let marketing = [
        "marketing",
        "direct",
        "d-email",
        "special-offers",
        "service-updates",
        "d-phone",
        "third-party",
        "t-email",
        "t-postal",
    ];
    // Sl_No. 1: the paper leaves out general itself, which nothing prohibits.
    let first = IntendedPurpose::new(&tree, &["general"], &[], &[]).expect("declared");
    assert_eq!(tree.names(&first.implied(&tree)), all);
    assert!(first.implied_conditional(&tree).is_empty());
    let second =
        IntendedPurpose::new(&tree, &["general"], &["marketing"], &["admin"]).expect("declared");
    assert_eq!(tree.names(&second.implied(&tree)), ["purchase", "shipping"]);
    assert_eq!(tree.names(&second.implied_conditional(&tree)), marketing);
    let third =
        IntendedPurpose::new(&tree, &["general"], &[], &["admin", "shipping"]).expect("declared");
    let mut expected = vec!["purchase"];
    expected.extend(marketing);
    assert_eq!(tree.names(&third.implied(&tree)), expected);
    assert!(third.implied_conditional(&tree).is_empty());
}
