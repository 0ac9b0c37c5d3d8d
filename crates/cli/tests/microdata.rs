//! Numbers in groups, clusters and perturbed columns, end to end through the binary.

mod support;

use std::fmt::Write as _;
use std::path::Path;

use denym_testkit::shared;
use serde_json::Value;
use support::{files, json, run, write};

/// The name in policies of an algorithm of the verified figures.
fn our_name(theirs: &str) -> &'static str {
    match theirs {
        "MDAV (threshold 3k)" => "mdav",
        "MDAV-1" => "mdav-1",
        "MD" => "md",
        "CBFS" => "cbfs",
        "V-MDAV gamma 0.2" => "v-mdav",
        "TFRP-1" => "tfrp",
        "MDAV-MHM" => "mhm-mdav",
        "NPN-MHM" => "mhm-npn",
        "P-S, nearest to the seed" => "p-s-literal",
        "P-S, greedy least SSE" => "p-s",
        "Systematic, least increase, seeds r=1..k in order" => "systematic",
        other => panic!("no name for {other}"),
    }
}

fn header(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("readable");
    let first = text.lines().next().expect("a header");
    first.split(',').map(str::to_owned).collect()
}

/// A policy that groups `columns` of the table in `path`.
fn policy(path: &Path, columns: &[String], k: u64, release: &str) -> String {
    let mut text = format!("[data]\npath = \"{}\"\n\n[attributes]\n", path.display());
    for name in columns {
        let _ = writeln!(text, "{name:?} = \"quasi\"");
    }
    let _ = write!(
        text,
        "\n[promise]\nk-anonymity = {k}\n\n[release]\n{release}\n"
    );
    text
}

fn released(directory: &Path, args: &[&str]) -> Value {
    let (code, document) = json(directory, args);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["status"], "released");
    document
}

const ANONYMIZE: [&str; 5] = ["anonymize", "policy.toml", "-o", "bundle", "--force"];

#[test]
fn every_verified_figure_of_tarragona() {
    let (Some(vectors), Some(data)) = (
        shared::vectors("microaggregation"),
        shared::path("data/microdata/tarragona.csv"),
    ) else {
        return;
    };
    let columns = header(&data);
    assert_eq!(columns.len(), 13);
    let directory = tempfile::tempdir().expect("a directory");
    let rows = vectors["rows"].as_array().expect("rows").iter();
    let mut seen = 0;
    for row in rows.filter(|row| row["dataset"] == "tarragona") {
        let (k, theirs) = (
            row["k"].as_u64().expect("k"),
            row["algorithm"].as_str().expect("a name"),
        );
        let scale = row["normalisation"].as_str().expect("a scale");
        let release = format!(
            "algorithm = \"{}\"\nstandardize = \"{scale}\"",
            our_name(theirs)
        );
        write(
            directory.path(),
            "policy.toml",
            policy(&data, &columns, k, &release),
        );
        let document = released(directory.path(), &ANONYMIZE);
        let found = document["information_loss_percent"]
            .as_f64()
            .expect("a figure");
        let expected = row["information_loss_percent"].as_f64().expect("a figure");
        assert!(
            (found - expected).abs() <= 5e-7,
            "{theirs} {scale} k={k}: {found} instead of {expected}"
        );
        assert_eq!(document["groups"], row["groups"], "{theirs} {scale} k={k}");
        let (adm, wanted) = (
            &document["measures"]["adm"],
            row["adm"].as_f64().expect("a figure"),
        );
        assert!(
            (adm.as_f64().expect("a figure") / wanted - 1.0).abs() < 1e-9,
            "{theirs} {scale} k={k}: {adm}"
        );
        let claim = &document["claims"][0];
        assert!(
            claim["holds"] == true && claim["measured"].as_f64() >= Some(k as f64),
            "{theirs}"
        );
        // Published one in k at most: ties among the k of a group.
        let linked = document["measures"]["linkage"]["distance"]
            .as_f64()
            .expect("a share");
        assert!(linked <= 1.0 / k as f64 + 1e-12, "{theirs} k={k}: {linked}");
        seen += 1;
    }
    assert_eq!(
        seen,
        vectors["rows"]
            .as_array()
            .expect("rows")
            .iter()
            .filter(|row| row["dataset"] == "tarragona")
            .count()
    );
    assert!(seen > 80);
    let (code, verified) = json(directory.path(), &["verify", "bundle/release"]);
    assert_eq!(
        (code, &verified["holds"], &verified["data_intact"]),
        (0, &true.into(), &true.into())
    );
}

/// The optimum of one column by trying every cut of the sorted values (k = 3, nine values).
#[test]
fn one_column_is_cut_optimally() {
    let values = [3.0, 1.0, 2.5, 10.0, 11.0, 30.0, 31.5, 29.0, 12.5];
    let directory = tempfile::tempdir().expect("a directory");
    let mut csv = String::from("x\n");
    for value in &values {
        let _ = writeln!(csv, "{value}");
    }
    let data = write(directory.path(), "one.csv", csv);
    let mut sorted = values;
    sorted.sort_by(f64::total_cmp);
    let sse = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        part.iter().map(|x| (x - mean).powi(2)).sum::<f64>()
    };
    let mut best = sse(&sorted);
    for first in 3..=6 {
        best = best.min(sse(&sorted[..first]) + sse(&sorted[first..]));
        for second in first + 3..=6 {
            best = best
                .min(sse(&sorted[..first]) + sse(&sorted[first..second]) + sse(&sorted[second..]));
        }
    }
    let expected = 100.0 * best / sse(&sorted);
    for algorithm in ["univariate", "auto", "best-effort"] {
        let release = format!("algorithm = \"{algorithm}\"");
        write(
            directory.path(),
            "policy.toml",
            policy(&data, &["x".to_owned()], 3, &release),
        );
        let document = released(directory.path(), &ANONYMIZE);
        let found = document["information_loss_percent"]
            .as_f64()
            .expect("a figure");
        assert!(
            (found - expected).abs() < 1e-6,
            "{algorithm}: {found} instead of {expected}"
        );
        let text = std::fs::read_to_string(directory.path().join("bundle/release/one.csv"))
            .expect("the release");
        let mut written: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(written.len(), 9);
        // In the order of numbers, not of their texts.
        assert!(written.is_sorted_by_key(|text| text.parse::<f64>().expect("a number")));
        written.dedup();
        assert_eq!(Some(written.len() as u64), document["classes"].as_u64());
    }
}

#[test]
fn best_effort_records_its_effort_and_repeats() {
    let (Some(vectors), Some(data)) = (
        shared::vectors("microaggregation"),
        shared::path("data/microdata/tarragona.csv"),
    ) else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let text = policy(
        &data,
        &header(&data),
        3,
        "algorithm = \"best-effort\"\nseed = 4",
    );
    write(directory.path(), "policy.toml", text);
    let timed = released(
        directory.path(),
        &[&ANONYMIZE[..], &["--time-budget", "300ms"]].concat(),
    );
    let effort = timed["effort"].as_u64().expect("an effort").to_string();
    let bundle = files(&directory.path().join("bundle"));
    let again = released(
        directory.path(),
        &[&ANONYMIZE[..], &["--effort", &effort, "--threads", "1"]].concat(),
    );
    assert_eq!(
        again["information_loss_percent"],
        timed["information_loss_percent"]
    );
    assert!(
        files(&directory.path().join("bundle")) == bundle,
        "the same effort gives the same bytes"
    );
    let found = again["information_loss_percent"]
        .as_f64()
        .expect("a figure");
    let mdav = 16.932_588;
    let bound = vectors["lower_bound_z_percent"]["tarragona"]["3"]
        .as_f64()
        .expect("a bound");
    assert!(found < mdav && found >= bound, "{found}");
}

#[test]
fn auto_chooses_by_loss_and_shows_what_it_tried() {
    let Some(data) = shared::path("data/microdata/census.csv") else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    write(
        directory.path(),
        "policy.toml",
        policy(&data, &header(&data), 5, "algorithm = \"auto\""),
    );
    let document = released(
        directory.path(),
        &[&ANONYMIZE[..], &["--effort", "40"]].concat(),
    );
    let attempts = document["attempts"].as_array().expect("attempts");
    assert!(attempts.len() > 3);
    let least = attempts
        .iter()
        .filter_map(|tried| tried["score"].as_f64())
        .fold(f64::INFINITY, f64::min);
    let chosen: Vec<&Value> = attempts
        .iter()
        .filter(|tried| tried["chosen"] == true)
        .collect();
    assert_eq!(chosen.len(), 1);
    assert_eq!(chosen[0]["algorithm"], document["algorithm"]);
    assert!(
        (document["information_loss_percent"]
            .as_f64()
            .expect("a figure")
            - least)
            .abs()
            < 1e-12
    );
}

#[test]
fn the_same_bytes_for_any_number_of_threads_and_in_every_format() {
    let Some(data) = shared::path("data/microdata/census.csv") else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let columns = header(&data);
    for (algorithm, format) in [
        ("mdav", "csv"),
        ("p-s", "parquet"),
        ("mhm", "json"),
        ("sorted-runs", "csv"),
        ("best-effort-clustering", "csv"),
    ] {
        let release = format!("algorithm = \"{algorithm}\"\nformat = \"{format}\"");
        write(
            directory.path(),
            "policy.toml",
            policy(&data, &columns, 4, &release),
        );
        let mut bundles = ["1", "2"].map(|threads| {
            released(
                directory.path(),
                &[&ANONYMIZE[..], &["--threads", threads]].concat(),
            );
            files(&directory.path().join("bundle"))
        });
        assert!(bundles[0] == bundles[1], "{algorithm}");
        bundles[0].clear();
        let (code, verified) = json(directory.path(), &["verify", "bundle"]);
        assert_eq!(
            (code, &verified["holds"]),
            (0, &true.into()),
            "{algorithm} {format}"
        );
    }
}

/// Fifty people: two numbers, a town, an ordered grade, a disease.
fn people() -> String {
    let mut csv = String::from("height,weight,town,grade,disease,income\n");
    for i in 0_u32..50 {
        let town = ["Aa", "Ab", "Ba", "Bb"][(i % 4) as usize];
        let grade = ["low", "middle", "high"][(i * 7 % 3) as usize];
        let disease = ["flu", "cold", "asthma", "none"][(i * i % 11 % 4) as usize];
        let (height, weight) = (150 + i * 37 % 50, 50.5 + f64::from(i * 13 % 45));
        let _ = writeln!(
            csv,
            "{height},{weight},{town},{grade},{disease},{}",
            1000 + i * 397 % 5000
        );
    }
    csv
}

const PEOPLE: &str = r#"[data]
path = "people.csv"

[attributes]
height = "quasi"
weight = "quasi"
disease = "sensitive"
income = "insensitive"

[promise]
k-anonymity = 3
PROMISE
[release]
algorithm = "mdav"
"#;

fn people_policy(promise: &str, release: &str) -> (tempfile::TempDir, String) {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "people.csv", people());
    let text = PEOPLE.replace("PROMISE", promise) + release;
    write(directory.path(), "policy.toml", &text);
    (directory, text)
}

#[test]
fn promises_beyond_k_hold_within_groups() {
    for promise in [
        "l-diversity = 3",
        "l-diversity = { kind = \"entropy\", l = 2 }",
        "t-closeness = 0.3",
        "confidence = { values = [\"asthma\"], at-most = 0.5 }",
        "beta-likeness = 3",
    ] {
        let (directory, text) = people_policy(promise, "");
        let plain = people_policy("", "").0;
        let alone = released(plain.path(), &ANONYMIZE);
        for algorithm in [
            "mdav",
            "best-effort",
            "auto",
            "k-member",
            "systematic-clustering",
            "oka",
            "best-effort-clustering",
            "mdav-generic",
        ] {
            write(
                directory.path(),
                "policy.toml",
                text.replace("\"mdav\"", &format!("{algorithm:?}")),
            );
            let document = released(
                directory.path(),
                &[&ANONYMIZE[..], &["--effort", "10"]].concat(),
            );
            let claims = document["claims"].as_array().expect("claims");
            assert_eq!(claims.len(), 2, "{promise} {algorithm}");
            assert!(
                claims.iter().all(|claim| claim["holds"] == true),
                "{promise} {algorithm}"
            );
            if algorithm == "mdav" {
                assert!(
                    document["information_loss_percent"].as_f64()
                        >= alone["information_loss_percent"].as_f64()
                );
            }
            let (code, _) = json(directory.path(), &["verify", "bundle/release"]);
            assert_eq!(code, 0, "{promise} {algorithm}");
        }
    }
    let (directory, _) = people_policy("l-diversity = 5", "");
    let (code, document) = json(directory.path(), &ANONYMIZE);
    assert_eq!((code, &document["status"]), (1, &"refused".into()));
    assert_eq!(document["error"]["code"], "constraint-infeasible");
    assert!(!directory.path().join("bundle").exists());
}

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

/// The cells of a line without escaped quotes.
fn split(line: &str) -> Vec<&str> {
    let mut cells = Vec::new();
    let (mut start, mut quoted) = (0, false);
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b',' if !quoted => {
                cells.push(line[start..at].trim_matches('"'));
                start = at + 1;
            }
            _ => {}
        }
    }
    cells.push(line[start..].trim_matches('"'));
    cells
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

#[test]
fn groups_of_attributes_are_released_only_to_who_knows_one_of_them() {
    let (directory, text) = people_policy("", "attribute-groups = [[\"height\"], [\"weight\"]]\n");
    let (code, document) = json(directory.path(), &ANONYMIZE);
    assert_eq!(
        (code, &document["status"]),
        (1, &"refused".into()),
        "{document}"
    );
    write(
        directory.path(),
        "policy.toml",
        text.replace(
            "[promise]",
            "[adversary]\nknows = { at-most = 1 }\n\n[promise]",
        ),
    );
    let document = released(directory.path(), &ANONYMIZE);
    let together = people_policy("", "");
    let whole = released(together.0.path(), &ANONYMIZE);
    assert!(
        document["information_loss_percent"].as_f64() < whole["information_loss_percent"].as_f64()
    );
}

#[test]
fn medians_lose_more_squares_and_centroids_are_as_asked() {
    let (directory, text) = people_policy("", "");
    let mean = released(directory.path(), &ANONYMIZE);
    write(
        directory.path(),
        "policy.toml",
        text + "centroid = \"median\"\n",
    );
    let median = released(directory.path(), &ANONYMIZE);
    assert!(
        median["information_loss_percent"].as_f64() > mean["information_loss_percent"].as_f64()
    );
    assert_eq!(median["measures"]["adm"], mean["measures"]["adm"]);
    let signs = &median["measures"]["columns"]["height"]["signs"];
    assert!(
        signs["ties"].as_u64() > mean["measures"]["columns"]["height"]["signs"]["ties"].as_u64()
    );
}

#[test]
fn k_counts_subjects() {
    let (directory, text) = people_policy("", "");
    let csv = people()
        .lines()
        .enumerate()
        .fold(String::new(), |mut csv, (i, line)| {
            let _ = if i == 0 {
                writeln!(csv, "who,{line}")
            } else {
                writeln!(csv, "p{},{line}", (i - 1) / 2)
            };
            csv
        });
    write(directory.path(), "people.csv", csv);
    write(
        directory.path(),
        "policy.toml",
        text.replace("[attributes]", "[attributes]\nwho = \"subject\""),
    );
    let document = released(directory.path(), &ANONYMIZE);
    assert!(document["claims"][0]["measured"].as_f64() >= Some(3.0));
    assert_eq!(document["claims"][0]["check"], "attested");
}

#[test]
fn perturbed_columns_are_never_the_same_twice_and_say_so() {
    let noise =
        "perturb = [{ columns = [\"income\"], method = \"additive-noise\", share = 0.2 }]\n";
    let (directory, _) = people_policy("", noise);
    let incomes = |directory: &Path| -> Vec<String> {
        let text = std::fs::read_to_string(directory.join("bundle/release/people.csv"))
            .expect("the release");
        text.lines()
            .skip(1)
            .map(|line| split(line)[3].to_owned())
            .collect()
    };
    let first = released(directory.path(), &ANONYMIZE);
    let one = incomes(directory.path());
    released(directory.path(), &ANONYMIZE);
    assert!(one != incomes(directory.path()), "noise is drawn anew");
    // Digits as the source has them, or every noisy cell would be marked.
    assert!(one.iter().all(|income| !income.contains('.')));
    let moved = first["measures"]["columns"]["income"]["signs"]["ties"]
        .as_u64()
        .expect("a count");
    assert!(moved < 10, "{moved} of 50 did not move");
    let readme =
        std::fs::read_to_string(directory.path().join("bundle/release/README.md")).expect("a file");
    assert!(
        readme.contains("no single record is true") && readme.contains("cannot be reproduced"),
        "{readme}"
    );
    let certificate: Value = serde_json::from_slice(
        &std::fs::read(directory.path().join("bundle/release/certificate.json")).expect("a file"),
    )
    .expect("JSON");
    assert_eq!(certificate["altered"][0]["method"], "additive-noise");
    assert_eq!(certificate["altered"][0]["reproducible"], false);
    assert!(
        certificate["altered"][0].get("share").is_none(),
        "the recipient needs no parameters"
    );

    let seeded = [&ANONYMIZE[..], &["--perturbation-seed", "7"]].concat();
    let warned = released(directory.path(), &seeded);
    assert!(
        warned["warnings"].to_string().contains("never publish"),
        "{}",
        warned["warnings"]
    );
    let two = files(&directory.path().join("bundle"));
    released(directory.path(), &seeded);
    assert!(
        files(&directory.path().join("bundle")) == two,
        "a seed repeats it"
    );
}

#[test]
fn every_perturbation_does_what_it_says() {
    let column = |directory: &Path, at: usize| -> Vec<f64> {
        let text = std::fs::read_to_string(directory.join("bundle/release/people.csv"))
            .expect("the release");
        let mut numbers: Vec<f64> = text
            .lines()
            .skip(1)
            .map(|line| split(line)[at].parse().expect("a number"))
            .collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let mut source: Vec<f64> = people()
        .lines()
        .skip(1)
        .map(|line| {
            line.rsplit(',')
                .next()
                .expect("a cell")
                .parse()
                .expect("a number")
        })
        .collect();
    source.sort_by(f64::total_cmp);
    let with = |method: &str| {
        people_policy(
            "",
            &format!("perturb = {{ columns = [\"income\"], {method} }}\n"),
        )
        .0
    };
    let swapped = with("method = \"rank-swap\", share = 0.1");
    let document = released(swapped.path(), &ANONYMIZE);
    assert_eq!(
        column(swapped.path(), 3),
        source,
        "swapping keeps the values"
    );
    assert!(document["measures"]["columns"]["income"]["signs"]["ties"].as_u64() < Some(25));
    for method in ["round", "random-round"] {
        let rounded = with(&format!("method = {method:?}, base = 250"));
        released(rounded.path(), &ANONYMIZE);
        assert!(
            column(rounded.path(), 3).iter().all(|x| x % 250.0 == 0.0),
            "{method}"
        );
    }
    // Quasi-identifiers may be perturbed too; what is grouped is then the perturbed number.
    let correlated = people_policy("", "perturb = { columns = [\"height\", \"weight\", \"income\"], method = \"correlated-noise\", share = 0.3 }\n").0;
    let document = released(correlated.path(), &ANONYMIZE);
    assert!(
        document["claims"][0]["holds"] == true
            && document["measures"]["columns"]["income"].is_object()
    );
}

#[test]
fn newcomers_join_in_company_or_wait() {
    for algorithm in ["k-member", "mdav"] {
        let (directory, text) = people_policy("l-diversity = 2", "");
        let all = people();
        let lines: Vec<&str> = all.lines().collect();
        let first = lines[..31].join("\n") + "\n";
        write(directory.path(), "people.csv", &first);
        write(
            directory.path(),
            "policy.toml",
            text.replace("\"mdav\"", &format!("{algorithm:?}")),
        );
        released(directory.path(), &["anonymize", "policy.toml", "-o", "one"]);
        write(directory.path(), "people.csv", &all);
        let document = released(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "two", "--onto", "one"],
        );
        let waiting = document["waiting"].as_u64().expect("a count");
        assert_eq!(document["suppressed_records"], waiting, "{algorithm}");
        assert!(
            waiting < 20,
            "{algorithm}: somebody finds company, {waiting} wait"
        );
        let groups = |bundle: &str| -> Vec<Option<u64>> {
            let text = std::fs::read(directory.path().join(bundle).join("steward/groups.json"))
                .expect("a file");
            let value: Value = serde_json::from_slice(&text).expect("JSON");
            value["group_of"]
                .as_array()
                .expect("groups")
                .iter()
                .map(Value::as_u64)
                .collect()
        };
        let (before, after) = (groups("one"), groups("two"));
        assert_eq!(before, after[..30], "{algorithm}: nobody moves");
        let disease: Vec<&str> = lines[1..]
            .iter()
            .map(|line| line.split(',').nth(4).expect("a cell"))
            .collect();
        for group in 0..document["groups"].as_u64().expect("a count") {
            let came: Vec<usize> = (30..50).filter(|&row| after[row] == Some(group)).collect();
            let mut values: Vec<&str> = came.iter().map(|&row| disease[row]).collect();
            values.sort_unstable();
            values.dedup();
            assert!(
                came.is_empty() || (came.len() >= 3 && values.len() >= 2),
                "{algorithm}: the difference of the releases shows {came:?}"
            );
        }
        // Those who wait are taken up when they have company.
        let third = released(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "three", "--onto", "two"],
        );
        assert_eq!(third["waiting"], waiting);
        // Changed or reordered records are no earlier release.
        write(
            directory.path(),
            "people.csv",
            all.replacen("150,", "151,", 1),
        );
        let (code, refused) = json(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "four", "--onto", "one"],
        );
        assert_eq!((code, &refused["error"]["code"]), (2, &"argument".into()));
    }
}

#[test]
fn mistakes_are_told_before_anything_is_done() {
    let (directory, text) = people_policy("", "");
    let check = |text: &str, code: &str, words: &str| {
        write(directory.path(), "policy.toml", text);
        let (exit, document) = json(directory.path(), &ANONYMIZE);
        assert_eq!(
            (exit, &document["error"]["code"]),
            (2, &code.into()),
            "{document}"
        );
        let message = document["error"]["message"].to_string()
            + &run(directory.path(), &ANONYMIZE)
                .stderr
                .escape_ascii()
                .to_string();
        assert!(message.contains(words), "{message}");
        assert!(!directory.path().join("bundle").exists());
    };
    let quasi = |name: &str| text.replace("disease =", &format!("{name} = \"quasi\"\ndisease ="));
    check(&quasi("town"), "policy-not-numeric", "town");
    check(
        &text.replace(
            "height = \"quasi\"",
            "height = { role = \"quasi\", hierarchy = { interval = [10] } }",
        ),
        "policy-unused-key",
        "height",
    );
    check(
        &(text.clone() + "attribute-groups = [[\"height\"]]\n"),
        "policy-attribute-groups",
        "weight",
    );
    check(
        &(text.clone() + "standardize = \"yes\"\n"),
        "policy-unknown-value",
        "standardize",
    );
    check(
        &(text.clone() + "perturb = [{ columns = [\"disease\"], method = \"round\", base = 5 }]\n"),
        "policy-not-numeric",
        "disease",
    );
    check(
        &(text.clone() + "perturb = [{ columns = [\"income\"], method = \"round\", share = 5 }]\n"),
        "policy-missing-key",
        "base",
    );
    check(
        &text.replace("\"mdav\"", "\"univariate\""),
        "algorithm-one-column",
        "one column",
    );

    write(
        directory.path(),
        "people.csv",
        people().replacen("150,50.5,", ",50.5,", 1),
    );
    check(&text, "policy-missing-numbers", "height");
    write(
        directory.path(),
        "policy.toml",
        text.replace(
            "height = \"quasi\"",
            "height = { role = \"quasi\", missing = \"suppress\" }",
        ),
    );
    let document = released(directory.path(), &ANONYMIZE);
    assert_eq!(document["suppressed_records"], 1);
}

#[test]
fn too_few_records_are_a_refusal() {
    let (directory, text) = people_policy("", "");
    write(
        directory.path(),
        "policy.toml",
        text.replace("k-anonymity = 3", "k-anonymity = 51"),
    );
    let (code, document) = json(directory.path(), &ANONYMIZE);
    assert_eq!((code, &document["status"]), (1, &"refused".into()));
    assert!(document["error"]["help"].to_string().contains("k = 50"));
}

#[test]
fn constant_and_huge_numbers_are_no_trouble() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut csv = String::from("a,b,c\n");
    for i in 0..20 {
        let _ = writeln!(
            csv,
            "7,{},{}",
            999_999_999_999_000_i64 + i * 3,
            f64::from(i as i32) / 1000.0
        );
    }
    let data = write(directory.path(), "odd.csv", csv);
    for algorithm in ["mdav", "mhm", "best-effort", "k-member", "auto"] {
        let columns = ["a", "b", "c"].map(str::to_owned);
        write(
            directory.path(),
            "policy.toml",
            policy(&data, &columns, 4, &format!("algorithm = {algorithm:?}")),
        );
        let document = released(
            directory.path(),
            &[&ANONYMIZE[..], &["--effort", "3"]].concat(),
        );
        assert!(
            document["claims"][0]["measured"].as_f64() >= Some(4.0),
            "{algorithm}"
        );
    }
}
