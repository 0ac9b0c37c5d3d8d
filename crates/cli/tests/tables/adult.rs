//! Adult, end to end: the verified optimum of every configuration, byte-identical bundles, verification, measured promises.

use crate::support;

use denym_testkit::shared;
use serde_json::Value;
use support::{files, json, write};

/// A policy for one configuration of the verified optima.
fn policy(adult: &std::path::Path, config: &Value, metric: &str) -> String {
    let directory = adult.parent().expect("a directory").display().to_string();
    let mut text = format!(
        "[data]\npath = {:?}\n\n[attributes]\n",
        adult.display().to_string()
    );
    for name in config["quasi_identifiers"].as_array().expect("a list") {
        let name = name.as_str().expect("a name");
        text += &format!(
            "{name} = {{ role = \"quasi\", hierarchy = \"{directory}/adult_hierarchy_{name}.csv\" }}\n"
        );
    }
    let sensitive = config["sensitive"].as_str();
    if let Some(name) = sensitive {
        text += &format!("{name} = \"sensitive\"\n");
    }
    text += &format!("\n[promise]\nk-anonymity = {}\n", config["k"]);
    if config["desc"]
        .as_str()
        .is_some_and(|desc| desc.contains("3-diversity"))
    {
        text += "l-diversity = 3\n";
    }
    if let Some(t) = config["t"].as_f64() {
        text += &format!("t-closeness = {t}\n");
    }
    text += &format!(
        "\n[release]\nalgorithm = \"full-domain\"\nmetric = \"{metric}\"\nsuppress-at-most = {}\n",
        config["suppression_limit"]
    );
    text
}

#[test]
fn every_verified_optimum_is_found() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let vectors = denym_testkit::vectors("adult-full-domain");
    for id in ["a", "b", "c", "d"] {
        let config = &vectors["configs"][id];
        for (short, metric) in [("loss", "loss"), ("dm", "discernibility")] {
            let expected = &config["results"][short];
            let directory = tempfile::tempdir().expect("a directory");
            write(
                directory.path(),
                "policy.toml",
                policy(&adult, config, metric),
            );
            let (code, document) = json(
                directory.path(),
                &["anonymize", "policy.toml", "-o", "bundle"],
            );
            assert_eq!(code, 0, "{id} {metric}: {document}");
            let names = config["quasi_identifiers"].as_array().expect("a list");
            for (name, level) in names
                .iter()
                .zip(expected["levels"].as_array().expect("a list"))
            {
                assert_eq!(
                    &document["levels"][name.as_str().expect("a name")],
                    level,
                    "{id} {metric} {name}"
                );
            }
            assert_eq!(
                document["suppressed_records"], expected["suppressed_rows"],
                "{id} {metric}"
            );
            assert_eq!(document["classes"], expected["classes"], "{id} {metric}");
            let (score, wanted) = (
                document["metric"]["value"].as_f64().expect("a score"),
                expected["score"].as_f64().expect("a score"),
            );
            assert!(
                (score - wanted).abs() <= 1e-12 * wanted.abs(),
                "{id} {metric}: {score} {wanted}"
            );
            let (code, verified) = json(directory.path(), &["verify", "bundle/release"]);
            assert_eq!((code, &verified["data_intact"]), (0, &true.into()), "{id}");
            // Measured again, but for what rests on the distribution of removed records.
            let known = |claim: &serde_json::Value| {
                claim["holds"] == true
                    || claim["rests_on"] == "reference" && claim["holds"].is_null()
            };
            assert!(
                verified["claims"]
                    .as_array()
                    .is_some_and(|claims| claims.iter().all(known))
            );
        }
    }
}

#[test]
fn same_policy_same_bytes() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let vectors = denym_testkit::vectors("adult-full-domain");
    let directory = tempfile::tempdir().expect("a directory");
    for format in ["csv", "parquet", "json"] {
        let text = policy(&adult, &vectors["configs"]["c"], "loss")
            + &format!("format = \"{format}\"\nseed = 7\n");
        write(directory.path(), "policy.toml", text);
        let bundles: Vec<_> = ["1", "2", "2", "1"]
            .iter()
            .map(|threads| {
                let args = [
                    "anonymize",
                    "policy.toml",
                    "-o",
                    "bundle",
                    "--force",
                    "--threads",
                    threads,
                ];
                let (code, _) = json(directory.path(), &args);
                assert_eq!(code, 0);
                files(&directory.path().join("bundle"))
            })
            .collect();
        for other in &bundles[1..] {
            for (left, right) in bundles[0].iter().zip(other) {
                assert!(left == right, "{} differs", left.0.display());
            }
            assert_eq!(bundles[0].len(), other.len());
        }
        let (code, verified) = json(directory.path(), &["verify", "bundle"]);
        assert_eq!((code, &verified["holds"]), (0, &true.into()), "{format}");
    }
}

#[test]
fn audit_agrees_with_the_reference() {
    let Some(adult) = shared::path("data/adult/adult.csv") else {
        return;
    };
    let vectors = denym_testkit::vectors("adult-promises");
    let here = std::env::current_dir().expect("a directory");
    let hierarchies = adult.parent().expect("a directory").display().to_string();
    for vector in vectors["vectors"].as_array().expect("vectors") {
        let id = &vector["id"];
        let quasi: Vec<&str> = vector["qi"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let levels: Vec<String> = quasi
            .iter()
            .zip(vector["levels"].as_array().expect("a list"))
            .map(|(name, level)| format!("{name}={level}"))
            .collect();
        let sensitive: Vec<&str> = vector["sensitive"]
            .as_object()
            .expect("a map")
            .keys()
            .map(String::as_str)
            .collect();
        let below = vector["suppress_classes_below"].to_string();
        let data = adult.display().to_string();
        let (quasi, levels, names) = (quasi.join(","), levels.join(","), sensitive.join(","));
        let args = [
            "audit",
            &data,
            "--quasi",
            &quasi,
            "--levels",
            &levels,
            "--sensitive",
            &names,
            "--hierarchies",
            &hierarchies,
            "--suppress-below",
            &below,
        ];
        let (code, document) = json(&here, &args);
        assert_eq!(code, 0, "{id}");
        assert_eq!(document["records"], vector["rows_kept"], "{id}");
        for name in sensitive {
            let reference = vector["sensitive"][name]["reference"]
                .as_object()
                .expect("a map");
            for (key, expected) in reference {
                let found = &document["sensitive"][name][key];
                assert!(
                    close(found, expected),
                    "{id} {name} {key}: {found} instead of {expected}"
                );
            }
        }
    }
}

/// Equal, numbers to 1e-9.
fn close(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            found.len() == expected.len()
                && expected
                    .iter()
                    .all(|(key, value)| found.get(key).is_some_and(|found| close(found, value)))
        }
        _ => match (found.as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) => {
                (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
            }
            _ => found == expected,
        },
    }
}
