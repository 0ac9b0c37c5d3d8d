//! Al-Hussaeni's worked example: Examples 4.1.1 to 4.1.3, Figures 4 and 5, Table 2.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use denym_data::Fraction;
use denym_data::paths::{Attribute, Paths, PathsBuilder};
use denym_sequences::{
    Algorithm, Bound, Context, Matching, Request, Summary, ViolationTree, critical_violations,
    solve,
};

/// Table 1 of Al-Hussaeni 2009, page 4.
const TABLE_1: [(&str, &str); 8] = [
    ("a1>d2>b3>e4>f6>c7", "On-welfare"),
    ("b3>e4>f6>e8", "Full-time"),
    ("b3>c7>e8", "Full-time"),
    ("d2>f6>c7>e8", "Retired"),
    ("d2>c5>f6>c7", "On-welfare"),
    ("c5>f6>e9", "Retired"),
    ("d2>c5>c7>e9", "Part-time"),
    ("f6>c7>e9", "Part-time"),
];

fn table_1() -> Paths {
    let mut builder = PathsBuilder::new();
    for (path, _) in TABLE_1 {
        builder.push_cell(path).unwrap();
    }
    let status = Attribute::from_labels("status", TABLE_1.iter().map(|(_, status)| *status));
    builder.finish().unwrap().with_sensitive(status).unwrap()
}

fn request() -> Request {
    let mut request = Request::new(2, 2);
    request.bounds = vec![Bound::value("status", "On-welfare", Fraction::of(1, 2))];
    request.matching = Matching::Covers;
    request.algorithm = Algorithm::GlobalSuppression;
    request
}

#[test]
fn examples_4_1_1_to_4_1_3_the_critical_violations() {
    let paths = table_1();
    let mined = critical_violations(&paths, &request(), &Context::default()).unwrap();
    let found: Vec<String> = mined
        .iter()
        .map(|v| {
            v.iter()
                .map(|&i| paths.label(i))
                .collect::<Vec<_>>()
                .concat()
        })
        .collect();
    assert_eq!(
        found,
        ["a1", "d2b3", "d2e4", "d2f6", "d2e8", "d2e9", "e4c7", "e4e8"]
    );
    // Example 4.1.2: d2 e4 c7 is a violation, but not a critical one, also at L = 3.
    let mut longer = request();
    longer.l = 3;
    let mined = critical_violations(&paths, &longer, &Context::default()).unwrap();
    let d2e4c7: Vec<u32> = ["d", "e", "c"]
        .iter()
        .zip(["2", "4", "7"])
        .map(|(l, t)| paths.id_of(l, t).unwrap())
        .collect();
    assert!(mined.iter().all(|v| v != d2e4c7));
}

fn drawn(tree: &ViolationTree, paths: &Paths) -> Vec<String> {
    let nodes = tree.nodes().into_iter();
    nodes
        .map(|(depth, item, count)| format!("{}{}:{count}", "  ".repeat(depth), paths.label(item)))
        .collect()
}

fn scores(tree: &ViolationTree, paths: &Paths) -> Vec<(String, u64, u64)> {
    let table = tree.score_table().into_iter();
    table
        .map(|line| (paths.label(line.item), line.gain, line.loss))
        .collect()
}

#[test]
fn figures_4_and_5_the_tree_before_and_after_e4() {
    let paths = table_1();
    let mined = critical_violations(&paths, &request(), &Context::default()).unwrap();
    let loss = Summary::new(&paths, &request().limits(&paths).unwrap()).instances();
    let mut tree = ViolationTree::new(&mined, &loss);
    assert_eq!(tree.len(), 8);
    assert_eq!(
        drawn(&tree, &paths),
        [
            "  a1:1", "  d2:5", "    b3:1", "    e4:1", "    f6:1", "    e8:1", "    e9:1",
            "  e4:2", "    c7:1", "    e8:1",
        ]
    );
    let line = |label: &str, gain, loss| (label.to_owned(), gain, loss);
    assert_eq!(
        scores(&tree, &paths),
        [
            line("a1", 1, 1),
            line("d2", 5, 4),
            line("b3", 1, 3),
            line("e4", 3, 2),
            line("f6", 1, 6),
            line("c7", 1, 6),
            line("e8", 2, 3),
            line("e9", 1, 3),
        ]
    );
    tree.suppress(paths.id_of("e", "4").unwrap());
    assert_eq!(tree.len(), 5);
    assert_eq!(
        drawn(&tree, &paths),
        [
            "  a1:1", "  d2:4", "    b3:1", "    f6:1", "    e8:1", "    e9:1"
        ]
    );
    // c7 leaves the score table with e4.
    assert_eq!(
        scores(&tree, &paths),
        [
            line("a1", 1, 1),
            line("d2", 4, 4),
            line("b3", 1, 3),
            line("f6", 1, 6),
            line("e8", 1, 3),
            line("e9", 1, 3),
        ]
    );
}

#[test]
fn table_2_the_anonymous_table() {
    let paths = table_1();
    let recoding = solve(&paths, &request(), &Context::default()).unwrap();
    let suppressed: Vec<String> = recoding
        .suppressed
        .iter()
        .map(|&i| paths.label(i))
        .collect();
    assert_eq!(suppressed, ["e4", "a1", "d2"]);
    let released = recoding.apply(&paths).unwrap();
    let cells: Vec<String> = (0..8).map(|row| released.cell(row)).collect();
    assert_eq!(
        cells,
        [
            "b3>f6>c7", "b3>f6>e8", "b3>c7>e8", "f6>c7>e8", "c5>f6>c7", "c5>f6>e9", "c5>c7>e9",
            "f6>c7>e9",
        ]
    );
    assert_eq!(
        (recoding.stats.lost_doublets, recoding.stats.doublets),
        (7, 31)
    );
    assert_eq!(recoding.stats.critical_violations_by_length, [1, 7]);
    // Table 2 passes the stricter matching too.
    let mut strict = request();
    strict.matching = Matching::Consistent;
    let same = solve(&paths, &strict, &Context::default()).unwrap();
    assert_eq!(same.suppressed, recoding.suppressed);
}
