//! The best-effort solver against the best figures known before it, on the three reference data sets.

use denym_microdata::{Matrix, Options, Scaling, best_effort, information_loss_percent};

/// Rounds after which every cell is below: seconds of one processor each, where a minute of two is asked.
const EFFORT: u64 = 200;

fn check(dataset: &str) {
    let Some(path) = denym_testkit::shared::path(&format!("data/microdata/{dataset}.csv")) else {
        return;
    };
    let vectors = denym_testkit::vectors("microaggregation");
    let text = std::fs::read_to_string(path).expect("readable");
    let rows: Vec<Vec<f64>> = text
        .lines()
        .skip(1)
        .map(|line| {
            line.split(',')
                .map(|cell| cell.parse().expect("a number"))
                .collect()
        })
        .collect();
    let matrix = Matrix::from_rows(&rows)
        .expect("a matrix")
        .scaled(Scaling::Standardize);
    for k in [3, 4, 5, 10] {
        let options = Options {
            k,
            effort: EFFORT,
            seed: 1,
            ..Options::default()
        };
        let found = best_effort(&matrix, &options, &|| true).expect("solved");
        let percent = information_loss_percent(&matrix, &found.partition);
        let known = vectors["best_known_to_us_z_percent"][dataset][k.to_string()]
            .as_f64()
            .expect("a figure");
        let bound = vectors["lower_bound_z_percent"][dataset][k.to_string()]
            .as_f64()
            .expect("a figure");
        assert!(
            percent < known && percent >= bound,
            "{dataset} k={k}: {percent} against {known}"
        );
        assert!(found.partition.smallest() >= k && found.partition.largest() < 2 * k);
    }
}

#[test]
fn tarragona_is_below_the_best_known() {
    check("tarragona");
}

#[test]
fn census_is_below_the_best_known() {
    check("census");
}

#[test]
fn eia_is_below_the_best_known() {
    check("eia");
}
