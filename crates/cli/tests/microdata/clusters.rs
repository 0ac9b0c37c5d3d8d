//! Clusters of numbers and categories, and mixed columns microaggregated.

use super::support::write;
use super::{ANONYMIZE, people_policy, released, split};

#[test]
fn clusters_of_numbers_and_categories_publish_ranges_and_ancestors() {
    let (directory, text) = people_policy("", "");
    let tree = "Aa,A,*\nAb,A,*\nBa,B,*\nBb,B,*\n";
    write(directory.path(), "town.csv", tree);
    let text = text.replace(
        "disease =",
        "town = { role = \"quasi\", hierarchy = \"town.csv\" }\ndisease =",
    );
    let mut losses = Vec::new();
    for algorithm in [
        "systematic-clustering",
        "k-member",
        "oka",
        "sorted-runs",
        "best-effort-clustering",
    ] {
        write(
            directory.path(),
            "policy.toml",
            text.replace("\"mdav\"", &format!("{algorithm:?}")),
        );
        let document = released(directory.path(), &ANONYMIZE);
        let release = std::fs::read_to_string(directory.path().join("bundle/release/people.csv"))
            .expect("the release");
        let mut lost = 0.0;
        for line in release.lines().skip(1) {
            let cells: Vec<&str> = split(line);
            let width = |cell: &str| -> f64 {
                let cell = cell.trim_matches(['[', ']']);
                let ends: Vec<f64> = cell
                    .split([',', '-'])
                    .map(|end| end.trim().parse().expect("a number"))
                    .collect();
                ends.last().expect("an end") - ends[0]
            };
            let town = match cells[2] {
                "*" => 1.0,
                "A" | "B" => 0.5,
                _ => 0.0,
            };
            lost += width(cells[0]) / 49.0 + width(cells[1]) / 44.0 + town;
        }
        let told = document["information_loss"].as_f64().expect("a loss");
        assert!(
            (told - lost).abs() < 1e-6,
            "{algorithm}: {told} but the file has lost {lost}"
        );
        losses.push(told);
    }
    assert!(
        losses[4] <= losses[3] && losses[4] < losses[0],
        "{losses:?}"
    );
}

#[test]
fn mixed_columns_become_means_medians_and_modes() {
    let (directory, text) = people_policy("", "");
    let columns = "town = \"quasi\"\ngrade = { role = \"quasi\", hierarchy = { order = [\"low\", \"middle\", \"high\"], groups = [3] } }\ndisease =";
    write(
        directory.path(),
        "policy.toml",
        text.replace("disease =", columns)
            .replace("\"mdav\"", "\"mdav-generic\""),
    );
    released(directory.path(), &ANONYMIZE);
    let release = std::fs::read_to_string(directory.path().join("bundle/release/people.csv"))
        .expect("the release");
    for line in release.lines().skip(1) {
        let cells = split(line);
        assert!(
            ["Aa", "Ab", "Ba", "Bb"].contains(&cells[2])
                && ["low", "middle", "high"].contains(&cells[3]),
            "{line}"
        );
    }
}
