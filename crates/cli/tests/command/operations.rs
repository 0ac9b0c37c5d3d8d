//! Operations on single columns through the binary: coding, numbers averaged within classes, pseudonyms, the mapping.

use crate::support;

use support::{denym, files, json, patients, write};

const KEY: &str = "a key that is long enough";

/// The cells of a released CSV, without its header.
fn cells(text: &str) -> (Vec<String>, Vec<Vec<String>>) {
    let mut rows = text
        .lines()
        .map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    (rows.next().expect("a header"), rows.collect())
}

/// Releases the patients with these lines of the policy replaced.
fn released(directory: &std::path::Path, edits: &[(&str, &str)], more: &[&str]) -> String {
    let mut text = support::POLICY.to_owned();
    for (from, to) in edits {
        assert!(text.contains(from), "{from}");
        text = text.replace(from, to);
    }
    write(directory, "policy.toml", text);
    let args = ["anonymize", "policy.toml", "-o", "out", "--force"];
    let (code, found) = json(directory, &[&args, more].concat());
    assert_eq!(code, 0, "{found}");
    let (code, verified) = json(directory, &["verify", "out/release"]);
    assert_eq!((code, &verified["holds"]), (0, &true.into()), "{verified}");
    std::fs::read_to_string(directory.join("out/release/patients.csv")).expect("data")
}

#[test]
fn top_and_bottom_coding_bounds_what_is_published() {
    let directory = patients();
    let age = "age = { role = \"quasi\", hierarchy = { interval = [5, 10, 20] } }";
    let plain = "age = { role = \"insensitive\", top = 55, bottom = 35 }";
    let text = released(directory.path(), &[(age, plain)], &[]);
    let (header, rows) = cells(&text);
    let at = header.iter().position(|name| name == "age").expect("age");
    let mut ages: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
    ages.sort_unstable();
    assert_eq!(ages, ["35", "35", "35", "36", "52", "55", "55", "55"]);
    let readme =
        std::fs::read_to_string(directory.path().join("out/release/README.md")).expect("it");
    assert!(
        readme.contains("show 55 where the number is 55 or more"),
        "{readme}"
    );

    let wrong = support::POLICY.replace("sex = \"quasi\"", "sex = { role = \"quasi\", top = 5 }");
    write(directory.path(), "policy.toml", wrong);
    let (code, found) = json(
        directory.path(),
        &["anonymize", "policy.toml", "-o", "other"],
    );
    assert_eq!(
        (code, found["error"]["code"].as_str()),
        (2, Some("policy-not-numeric"))
    );
}

#[test]
fn each_class_shows_the_mean_of_its_ages() {
    let directory = patients();
    let interval = "hierarchy = { interval = [5, 10, 20] } }";
    for (middle, expected) in [("mean", ["34", "55.75"]), ("median", ["34", "55"])] {
        let with =
            format!("hierarchy = {{ interval = [5, 10, 20] }}, microaggregate = \"{middle}\" }}");
        let edits = [
            (interval, with.as_str()),
            ("k-anonymity = 2", "k-anonymity = 4"),
        ];
        let (header, rows) = cells(&released(directory.path(), &edits, &[]));
        let at = header.iter().position(|name| name == "age").expect("age");
        let mut ages: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
        ages.dedup();
        assert_eq!(ages, expected, "{middle}");
        assert_eq!(rows.len(), 8);
    }
}

#[test]
fn pseudonyms_need_their_key_and_never_show_it() {
    let directory = patients();
    let path = directory.path();
    let edit =
        |source: &str| format!("name = {{ role = \"identifier\", pseudonym = {{ {source} }} }}");
    write(path, "secret.key", format!("{KEY}\n"));
    let from_file = edit("key-file = \"secret.key\"");
    let first = released(path, &[("name = \"identifier\"", &from_file)], &[]);
    let (header, rows) = cells(&first);
    let at = header.iter().position(|name| name == "name").expect("name");
    let mut tokens: Vec<&String> = rows.iter().map(|row| &row[at]).collect();
    assert!(
        tokens
            .iter()
            .all(|t| t.len() == 32 && t.bytes().all(|b| b.is_ascii_hexdigit()))
    );
    tokens.sort();
    tokens.dedup();
    assert_eq!(tokens.len(), 8);
    for (file, bytes) in files(&path.join("out")) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(KEY), "the key is in {}", file.display());
        let public = file.starts_with("release");
        assert!(
            !(public && text.contains("Ann")),
            "a name is in {}",
            file.display()
        );
    }
    // The same key from the environment gives the same tokens; another key gives others.
    let text = support::POLICY.replace(
        "name = \"identifier\"",
        &edit("key-env = \"DENYM_TEST_KEY\""),
    );
    write(path, "policy.toml", text);
    let with = |key: Option<&str>| {
        let mut command = denym();
        command.current_dir(path).args([
            "anonymize",
            "policy.toml",
            "-o",
            "env",
            "--force",
            "--json",
        ]);
        command.env_remove("DENYM_TEST_KEY");
        if let Some(key) = key {
            command.env("DENYM_TEST_KEY", key);
        }
        let output = command.output().expect("denym runs");
        let data =
            std::fs::read_to_string(path.join("env/release/patients.csv")).unwrap_or_default();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned(),
            data,
        )
    };
    let (code, said, _) = with(None);
    assert!(code == Some(2) && said.contains("DENYM_TEST_KEY"), "{said}");
    let (code, said, _) = with(Some("short"));
    assert!(code == Some(2) && !said.contains("short\""), "{said}");
    assert_eq!(with(Some(KEY)).2, first);
    assert_ne!(with(Some("another key, long enough too")).2, first);
}

#[test]
fn the_mapping_adds_up() {
    let directory = patients();
    released(directory.path(), &[], &["--mapping"]);
    let file = directory.path().join("out/steward/mapping.csv");
    let (header, rows) = cells(&std::fs::read_to_string(file).expect("a mapping"));
    assert_eq!(
        header,
        ["attribute", "value", "fate", "published", "records"]
    );
    for attribute in ["zip", "age", "sex"] {
        let records = rows.iter().filter(|row| row[0] == attribute);
        let records: u64 = records
            .map(|row| row[4].parse::<u64>().expect("a count"))
            .sum();
        assert_eq!(records, 8, "{attribute}");
    }
    assert!(rows.iter().any(|row| row[0] == "age" && row[1] == "34"));
    released(directory.path(), &[], &[]);
    assert!(!directory.path().join("out/steward/mapping.csv").exists());
}

/// Whatever an algorithm publishes, the mapping says it or the run is refused in words.
#[test]
fn every_algorithm_for_tables_has_a_mapping_or_says_why_not() {
    let directory = patients();
    let (_, listed) = json(directory.path(), &["algorithms"]);
    let algorithms = listed["algorithms"].as_array().expect("a list");
    let (mut mapped, mut refused) = (0, Vec::new());
    for algorithm in algorithms.iter().filter(|one| one["data"] == "table") {
        let name = algorithm["name"].as_str().expect("a name");
        let policy = support::POLICY.replace("full-domain", name);
        write(directory.path(), "policy.toml", policy);
        let file = directory.path().join("out/steward/mapping.csv");
        _ = std::fs::remove_file(&file);
        let args = ["anonymize", "policy.toml", "-o", "out", "--force"];
        let (code, found) = json(directory.path(), &[&args[..], &["--mapping"]].concat());
        assert!((0..=2).contains(&code), "{name}: {code} {found}");
        if code == 0 {
            let (_, rows) = cells(&std::fs::read_to_string(file).expect("a mapping"));
            let ages = rows.iter().filter(|row| row[0] == "age");
            let ages: u64 = ages
                .map(|row| row[4].parse::<u64>().expect("a count"))
                .sum();
            assert_eq!(ages, 8, "{name}");
            mapped += 1;
        } else if found["error"]["message"].to_string().contains("mapping") {
            refused.push(name.to_owned());
        }
    }
    assert!(mapped > 15, "{mapped}");
    assert_eq!(refused, ["anatomy", "k-e-permutation"]);
}

/// The whole document of a release with these lines of the policy replaced, and its rows.
fn document(
    directory: &std::path::Path,
    edits: &[(&str, &str)],
) -> (serde_json::Value, Vec<String>, Vec<Vec<String>>) {
    let (header, rows) = cells(&released(directory, edits, &[]));
    let args = ["anonymize", "policy.toml", "-o", "out", "--force"];
    let (code, found) = json(directory, &args);
    assert_eq!(code, 0, "{found}");
    (found, header, rows)
}

const PROMISES: &str = "k-anonymity = 2\nl-diversity = 2";

#[test]
fn records_are_suppressed_up_to_a_share() {
    let directory = patients();
    // One woman of 90: without her the others stay finer.
    let text = format!("{}Ida,99999,90,f,flu\n", support::PATIENTS);
    write(directory.path(), "patients.csv", text);
    let (kept, _, rows) = document(directory.path(), &[]);
    assert_eq!((&kept["suppressed_records"], rows.len()), (&0.into(), 9));
    let limit = ("suppress-at-most = 0", "suppress-at-most = 0.12");
    let (found, _, rows) = document(directory.path(), &[limit]);
    assert_eq!((&found["suppressed_records"], rows.len()), (&1.into(), 8));
    let loss = |found: &serde_json::Value| found["metric"]["value"].as_f64();
    assert!(loss(&found) < loss(&kept), "{found} {kept}");
}

#[test]
fn a_suppressed_value_is_suppressed_everywhere() {
    let directory = patients();
    // Nobody shares a postcode with enough others of the same age and sex; sexes can be shown.
    let edits = [
        ("full-domain", "top-down-disclosure"),
        (PROMISES, "k-anonymity = 4"),
    ];
    let (_, header, rows) = document(directory.path(), &edits);
    let mut stars = 0;
    for (at, name) in header.iter().enumerate().filter(|(_, n)| *n != "disease") {
        let source = support::PATIENTS.lines();
        let names: Vec<&str> = source
            .clone()
            .next()
            .expect("a header")
            .split(',')
            .collect();
        let from = names.iter().position(|other| other == name).expect("it");
        for value in source.skip(1).map(|line| line.split(',').nth(from)) {
            let value = value.expect("a cell");
            let shown = rows.iter().filter(|row| row[at] == value).count();
            let there = support::PATIENTS.matches(&format!(",{value},")).count();
            assert!(shown == 0 || shown == there, "{name}: all or nothing");
        }
        stars += rows.iter().filter(|row| row[at] == "*").count();
        // Nothing but values of the source and stars: no value is generalized.
        let known = |row: &&Vec<String>| {
            row[at] == "*" || support::PATIENTS.contains(&format!(",{},", row[at]))
        };
        assert_eq!(rows.iter().filter(known).count(), 8, "{name}");
    }
    assert!(stars > 0 && stars < 24, "{stars}: some values, not all");
}

#[test]
fn single_cells_are_suppressed_the_least_important_first() {
    let directory = patients();
    // Company can be had by hiding all postcodes, or all sexes.
    let text = "name,zip,age,sex,disease\na,1,30,f,flu\nb,1,30,m,flu\nc,2,30,f,flu\nd,2,30,m,flu\n";
    write(directory.path(), "patients.csv", text);
    let zip = "zip = { role = \"quasi\", hierarchy = { redact = \"right\" } }";
    let age = "age = { role = \"quasi\", hierarchy = { interval = [5, 10, 20] } }";
    for (zips, sexes, hidden) in [("3", "1", "sex"), ("1", "3", "zip")] {
        let zips = format!("zip = {{ role = \"quasi\", weight = {zips} }}");
        let sexes = format!("sex = {{ role = \"quasi\", weight = {sexes} }}");
        let edits = [
            ("full-domain", "local-suppression"),
            (PROMISES, "k-anonymity = 2"),
            (zip, zips.as_str()),
            (age, "age = \"quasi\""),
            ("sex = \"quasi\"", sexes.as_str()),
        ];
        let (_, header, rows) = document(directory.path(), &edits);
        assert_eq!(rows.len(), 4);
        for (at, name) in header.iter().enumerate() {
            let stars = rows.iter().filter(|row| row[at] == "*").count();
            assert_eq!(
                stars,
                if name == hidden { 4 } else { 0 },
                "{name}: {rows:?}"
            );
        }
    }
}

#[test]
fn weights_steer_the_search_and_count_in_the_loss() {
    let directory = patients();
    let zip = "hierarchy = { redact = \"right\" } }";
    let age = "hierarchy = { interval = [5, 10, 20] } }";
    let with = |hierarchy: &str, weight: f64| {
        let open = hierarchy.strip_suffix(" }").expect("a table");
        format!("{open}, weight = {weight:.1} }}")
    };
    for (zip_weight, age_weight) in [(1.0, 1.0), (0.1, 1.0), (1.0, 0.1), (0.0, 2.0)] {
        let (to_zip, to_age) = (with(zip, zip_weight), with(age, age_weight));
        let edits = [
            (zip, to_zip.as_str()),
            (age, to_age.as_str()),
            ("k-anonymity = 2", "k-anonymity = 4"),
        ];
        let (found, _, _) = document(directory.path(), &edits);
        let lost = |name: &str| found["attribute_loss"][name].as_f64().expect("a loss");
        let product = (zip_weight * lost("zip") + 1.0)
            * (age_weight * lost("age") + 1.0)
            * (lost("sex") + 1.0);
        let expected = product.powf(1.0 / 3.0) - 1.0;
        let value = found["metric"]["value"].as_f64().expect("a loss");
        assert!((value - expected).abs() < 1e-9, "{found}");
        let audited = found["metrics"]["loss"].as_f64().expect("a loss");
        assert!((value - audited).abs() < 1e-9, "{found}");
    }
    let text = support::POLICY.replace("sex = \"quasi\"", "sex = { role = \"quasi\", weight = 2 }");
    for (from, to) in [
        ("[release]", "[release]\nmetric = \"discernibility\""),
        (
            "disease = \"sensitive\"",
            "disease = { role = \"sensitive\", weight = 2 }",
        ),
    ] {
        write(directory.path(), "policy.toml", text.replace(from, to));
        let (code, found) = json(directory.path(), &["anonymize", "policy.toml", "-o", "x"]);
        let said = found["error"]["code"].as_str();
        assert_eq!((code, said), (2, Some("policy-unused-key")), "{found}");
    }
}
