//! Clustering of all Adult records by age, sex and education: ours loses less than k-member; times are printed, not judged.

use std::time::Instant;

use denym_microdata::Options;
use denym_microdata::cluster::{
    CategoryTree, Records, best_clusters, k_member, one_pass, runs, systematic,
};

fn adult() -> Option<Records> {
    let data = std::fs::read_to_string(denym_testkit::shared::path("data/adult/adult.csv")?)
        .expect("readable");
    let tree = std::fs::read_to_string(denym_testkit::shared::path("vectors/education-tree.csv")?)
        .expect("readable");
    let mut inner: Vec<&str> = Vec::new();
    let mut leaves: Vec<&str> = Vec::new();
    let mut paths: Vec<Vec<u32>> = Vec::new();
    for line in tree.lines() {
        let mut cells = line.trim().split(',');
        leaves.push(cells.next().expect("a leaf"));
        let path = cells.map(|name| {
            let at = inner
                .iter()
                .position(|known| *known == name)
                .unwrap_or_else(|| {
                    inner.push(name);
                    inner.len() - 1
                });
            at as u32
        });
        paths.push(path.collect());
    }
    let education = CategoryTree::from_paths(&paths).expect("a tree");
    let mut lines = data
        .lines()
        .map(|line| line.trim().split(';').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let column = |name: &str| {
        header
            .iter()
            .position(|cell| *cell == name)
            .expect("a column")
    };
    let (age, sex, school) = (column("age"), column("sex"), column("education"));
    let (mut ages, mut sexes, mut schools) = (Vec::new(), Vec::new(), Vec::new());
    for line in lines {
        ages.push(line[age].parse::<f64>().expect("a number"));
        sexes.push(u32::from(line[sex] == "Male"));
        schools.push(
            leaves
                .iter()
                .position(|leaf| *leaf == line[school])
                .expect("in the tree") as u32,
        );
    }
    let sex_tree = CategoryTree::flat(2).expect("a tree");
    Some(Records::new(vec![ages], vec![(sexes, sex_tree), (schools, education)]).expect("records"))
}

#[test]
fn our_best_loses_less_than_k_member() {
    let Some(records) = adult() else { return };
    assert_eq!(records.len(), 30_162);
    for k in [10, 40, 100] {
        let start = Instant::now();
        let baseline = k_member(&records, k).expect("solved");
        let baseline_time = start.elapsed();
        let baseline_loss = records.total_loss(baseline.groups());
        let start = Instant::now();
        let options = Options {
            k,
            effort: 0,
            ..Options::default()
        };
        let cut = best_clusters(&records, &options, &|| true).expect("solved");
        let cut_time = start.elapsed();
        let start = Instant::now();
        let options = Options {
            k,
            effort: 8,
            ..Options::default()
        };
        let best = best_clusters(&records, &options, &|| true).expect("solved");
        let best_time = start.elapsed();
        println!(
            "k={k}: k-member {baseline_loss:.1} in {baseline_time:?}; runs {:.1} in {cut_time:?}; refined {:.1} in {best_time:?}",
            cut.loss, best.loss
        );
        for partition in [&cut.partition, &best.partition] {
            assert!(partition.smallest() >= k);
        }
        assert!(best.loss < baseline_loss && best.loss <= cut.loss);
        assert!(cut.loss < baseline_loss);
        assert!(best.partition.smallest() >= k);
        if k == 10 {
            let slow = systematic(&records, k, &[], &[]).expect("solved");
            println!("systematic {:.1}", records.total_loss(slow.groups()));
            let oka = one_pass(&records, k).expect("solved");
            println!("one pass {:.1}", records.total_loss(oka.groups()));
            assert!(oka.smallest() >= k && slow.smallest() >= k && slow.largest() < 2 * k);
            assert!(best.loss < 418.0);
        }
        if k == 40 {
            assert!(best.loss < 1718.0);
        }
        assert!(runs(&records, k).expect("solved").largest() < 2 * k);
    }
}
