//! The public half of a bundle helps no adversary: every file is decoded and searched for what the policy does not publish.

use crate::support;

use std::collections::BTreeSet;

use denym::ReadOptions;
use support::{json, run, write};

/// Every whole cell that can be read out of a public file, whatever its format.
fn cells(path: &std::path::Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let bytes = std::fs::read(path).expect("a file");
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv" | "parquet" | "json")
            if path
                .file_stem()
                .is_some_and(|stem| stem != "certificate" && stem != "codebook") =>
        {
            for table in denym::table(path, &ReadOptions::default())
                .expect("readable")
                .columns()
            {
                found.insert(table.name.clone());
                found.extend(table.dictionary.values().map(str::to_owned));
            }
        }
        Some("json") => collect(&serde_json::from_slice(&bytes).expect("JSON"), &mut found),
        _ => {}
    }
    // And every word of the raw bytes: Parquet dictionaries and statistics, texts, keys.
    let text: String = bytes
        .iter()
        .map(|&byte| {
            if byte.is_ascii_graphic() {
                byte as char
            } else {
                ' '
            }
        })
        .collect();
    found.extend(
        text.split_whitespace()
            .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned()),
    );
    found
}

fn collect(value: &serde_json::Value, found: &mut BTreeSet<String>) {
    match value {
        serde_json::Value::String(text) => {
            found.insert(text.clone());
        }
        serde_json::Value::Number(number) => {
            found.insert(number.to_string());
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        serde_json::Value::Object(map) => {
            for (key, item) in map {
                found.insert(key.clone());
                collect(item, found);
            }
        }
        _ => {}
    }
}

#[test]
fn nothing_the_policy_does_not_publish() {
    for format in ["csv", "parquet", "json"] {
        let directory = tempfile::tempdir().expect("a directory");
        let csv = run(
            directory.path(),
            &["generate", "hospital", "--seed", "5", "--rows", "600"],
        )
        .stdout;
        write(directory.path(), "patients.csv", &csv);
        let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/hospital");
        let policy = std::fs::read_to_string(format!("{example}/policy.toml"))
            .expect("the example's policy");
        let policy = policy.replace("hierarchies/", &format!("{example}/hierarchies/"));
        let policy = if policy.contains("format = ") {
            policy.replace("format = \"csv\"", &format!("format = \"{format}\""))
        } else {
            policy.replace("[release]", &format!("[release]\nformat = \"{format}\""))
        };
        write(directory.path(), "policy.toml", &policy);
        let (code, document) = json(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "bundle"],
        );
        assert_eq!(code, 0, "{document}");

        let source = denym::table(
            &directory.path().join("patients.csv"),
            &ReadOptions::default(),
        )
        .expect("readable");
        let mut public = BTreeSet::new();
        for (name, _) in support::files(&directory.path().join("bundle/release")) {
            public.extend(cells(&directory.path().join("bundle/release").join(name)));
        }
        // The first and the last day of a published quarter follow from its label, whoever was admitted then.
        let codebook = std::fs::read(directory.path().join("bundle/release/codebook.json"));
        let codebook: serde_json::Value =
            serde_json::from_slice(&codebook.expect("a codebook")).expect("JSON");
        let columns = codebook["columns"].as_array().expect("columns").iter();
        let labels = columns.filter_map(|column| column["labels"].as_array());
        let periods = labels.flatten().filter(|label| label["kind"] == "period");
        let calendar: BTreeSet<&str> = periods
            .flat_map(|label| [label["from"].as_str(), label["to"].as_str()])
            .flatten()
            .collect();
        // Identifiers and subject ids never leave; a quasi-identifier's raw value may leave only where its level is 0.
        let mut checked = 0;
        for column in source.columns() {
            let generalized = document["levels"][&column.name]
                .as_u64()
                .is_some_and(|level| level > 0);
            if column.name == "name" || column.name == "patient" || generalized {
                for value in column.dictionary.values() {
                    // Short numbers occur everywhere: counts, class-wise subject numbers. Longer cells must not.
                    if value.len() > 3 && !calendar.contains(value) {
                        assert!(
                            !public.contains(value),
                            "{format}: a raw cell of `{}` is in the public half",
                            column.name
                        );
                        checked += 1;
                    }
                }
            }
        }
        assert!(checked > 500, "{checked} cells were looked for");
        let seed = policy
            .lines()
            .find_map(|line| line.strip_prefix("seed = "))
            .unwrap_or("7");
        let certificate =
            std::fs::read_to_string(directory.path().join("bundle/release/certificate.json"))
                .expect("text");
        assert!(!certificate.contains("seed") && !certificate.contains(&format!("\"{seed}\"")));
        let steward = std::fs::read_to_string(directory.path().join("bundle/steward/source.json"))
            .expect("text");
        let fingerprint =
            serde_json::from_str::<serde_json::Value>(&steward).expect("JSON")[0]["sha256"].clone();
        assert!(!public.contains(fingerprint.as_str().expect("a fingerprint")));
    }
}

#[cfg(unix)]
#[test]
fn the_stewards_half_is_for_the_steward() {
    use std::os::unix::fs::PermissionsExt;
    let directory = support::patients();
    assert_eq!(
        json(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "bundle"]
        )
        .0,
        0
    );
    let mode = |half| {
        std::fs::metadata(directory.path().join("bundle").join(half))
            .expect("there")
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!((mode("steward"), mode("release")), (0o700, 0o755));
}

#[test]
fn one_changed_byte_is_noticed() {
    let directory = support::patients();
    assert_eq!(
        json(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "bundle"]
        )
        .0,
        0
    );
    let path = directory.path().join("bundle/release/patients.csv");
    let original = std::fs::read(&path).expect("a file");
    for position in 0..original.len() {
        let mut changed = original.clone();
        changed[position] ^= 1;
        std::fs::write(&path, &changed).expect("written");
        let output = run(directory.path(), &["verify", "bundle/release"]);
        assert_ne!(output.status.code(), Some(0), "byte {position}");
        assert_ne!(output.status.code(), Some(3), "byte {position}");
    }
    std::fs::write(&path, &original).expect("written");
    assert_eq!(
        run(directory.path(), &["verify", "bundle/release"])
            .status
            .code(),
        Some(0)
    );
}

#[test]
fn a_certificate_that_lies_is_found_out() {
    let directory = support::patients();
    assert_eq!(
        json(
            directory.path(),
            &["anonymize", "policy.toml", "-o", "bundle"]
        )
        .0,
        0
    );
    let path = directory.path().join("bundle/release/certificate.json");
    let text = std::fs::read_to_string(&path).expect("a file");
    let mut certificate: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    certificate["claims"][0]["terms"]["k"] = 1000.into();
    certificate["claims"][0]["asked"] = 1000.into();
    certificate["claims"][0]["measured"] = 1000.into();
    std::fs::write(&path, certificate.to_string()).expect("written");
    let (code, document) = json(directory.path(), &["verify", "bundle"]);
    assert_eq!(
        (code, &document["holds"], &document["data_intact"]),
        (1, &false.into(), &true.into())
    );
    assert_eq!(document["claims"][0]["holds"], false);
}
