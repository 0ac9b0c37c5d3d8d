//! How long one compliance check takes; asserts its answers before it reports.
#![expect(clippy::print_stdout, reason = "a bench reports")]

use denym_purpose::{AccessPurpose, Compliance, IntendedPurpose, Purpose, PurposeTree};
use std::hint::black_box;
use std::time::Instant;

fn tree(count: usize) -> PurposeTree {
    let purposes = (0..count)
        .map(|node| Purpose {
            name: format!("p{node}"),
            parent: (node > 0).then(|| format!("p{}", (node - 1) / 2)),
            ..Purpose::default()
        })
        .collect();
    PurposeTree::new(purposes, None).expect("a binary tree")
}

fn main() {
    for count in [15, 60, 500] {
        let tree = tree(count);
        let ips: Vec<IntendedPurpose> = (0..1024usize)
            .map(|i| {
                let name = |k: usize| format!("p{}", (i * 7 + k * 13) % count);
                IntendedPurpose::new(
                    &tree,
                    &[&name(0), "p1"],
                    if i % 3 == 0 { &["p2"] } else { &[] },
                    if i % 5 == 0 { &["p4"] } else { &[] },
                )
                .expect("declared")
            })
            .collect();
        let accesses: Vec<AccessPurpose> =
            tree.ids().map(|id| AccessPurpose::new(&tree, id)).collect();
        let access = &accesses[3];
        let expected = ips
            .iter()
            .filter(|ip| ip.implied(&tree).contains(tree.bit(access.id())))
            .count();
        let rounds = 2000;
        let start = Instant::now();
        let mut full = 0;
        for _ in 0..rounds {
            for ip in &ips {
                full += usize::from(black_box(ip).check(black_box(access)) == Compliance::Full);
            }
        }
        let nanoseconds = start.elapsed().as_nanos() as f64 / (rounds * ips.len()) as f64;
        assert_eq!(
            full,
            expected * rounds,
            "the check agrees with the set definition"
        );
        println!("one cell, {count} purposes: {nanoseconds:.1} ns");
        assert!(
            nanoseconds < 100.0,
            "a decision for one cell takes less than 100 ns"
        );
    }
}
