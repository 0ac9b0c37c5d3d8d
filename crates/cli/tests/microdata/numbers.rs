//! Numbers in groups: verified figures, one column, best effort, `auto`, centroids, odd numbers.

use std::fmt::Write as _;

use denym_testkit::shared;
use serde_json::Value;

use super::support::{files, json, write};
use super::{ANONYMIZE, header, people_policy, policy, released};

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

#[test]
fn every_verified_figure_of_tarragona() {
    let Some(data) = shared::path("data/microdata/tarragona.csv") else {
        return;
    };
    let vectors = denym_testkit::vectors("microaggregation");
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
    let Some(data) = shared::path("data/microdata/tarragona.csv") else {
        return;
    };
    let vectors = denym_testkit::vectors("microaggregation");
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

/// `compare` on a table and the same table microaggregated: pairs give what the run itself measured.
#[test]
fn compared_pairs_are_measured_as_the_run_measures_them() {
    let (directory, text) = people_policy("", "");
    let text = text.replace("disease = \"sensitive\"\nincome = \"insensitive\"\n", "");
    write(directory.path(), "policy.toml", text);
    let made = released(directory.path(), &ANONYMIZE);
    // The release is sorted anew: without pairs only distributions can be compared.
    let (code, apart) = json(
        directory.path(),
        &["compare", "people.csv", "bundle/release/people.csv"],
    );
    assert_eq!(code, 0, "{apart}");
    assert!(apart["measures"].is_null());
    let close = |a: &Value, b: &Value| {
        let (a, b) = (a.as_f64().expect("a number"), b.as_f64().expect("a number"));
        assert!((a - b).abs() < 1e-9, "{a} {b}");
    };
    for key in [
        "change_of_means",
        "change_of_covariances",
        "change_of_correlations",
        "change_of_eigenvalues",
    ] {
        close(&apart["numbers"][key], &made["measures"][key]);
    }
    for column in ["height", "weight"] {
        close(
            &apart["numbers"]["columns"][column]["kolmogorov_smirnov"]["gap"],
            &made["measures"]["columns"][column]["kolmogorov_smirnov"]["gap"],
        );
    }
    // Two columns by hand: 1, 2, 3, 6 published as 2, 2, 3, 5.
    write(directory.path(), "a.csv", "x\n1\n2\n3\n6\n");
    write(directory.path(), "b.csv", "x\n2\n2\n3\n5\n");
    let (code, pairs) = json(directory.path(), &["compare", "a.csv", "b.csv", "--paired"]);
    assert_eq!(code, 0, "{pairs}");
    let measures = &pairs["measures"];
    let signs = &measures["columns"]["x"]["signs"];
    assert_eq!(
        (&signs["positive"], &signs["negative"], &signs["ties"]),
        (&1.into(), &1.into(), &2.into())
    );
    // Squares 1 + 1 over a population variance of 3.5; absolute changes 2 of 4 cells over sqrt(2 * 14 / 3).
    close(&measures["sse"], &(2.0 / 3.5).into());
    close(&measures["sst"], &4.0.into());
    close(
        &measures["il1s"],
        &(0.5 / (2.0_f64 * 14.0 / 3.0).sqrt()).into(),
    );
    assert!(measures["limits"].is_string() && measures["linkage"]["distance"].is_number());
    let (code, refused) = json(
        directory.path(),
        &["compare", "a.csv", "people.csv", "--paired"],
    );
    assert_eq!((code, &refused["error"]["code"]), (2, &"argument".into()));
}
