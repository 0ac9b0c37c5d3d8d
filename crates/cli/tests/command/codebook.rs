//! The codebook: a recipient can read every label, and it tells nothing that the release does not.

use std::collections::BTreeSet;
use std::path::Path;

use denym::ReadOptions;
use serde_json::Value;

use crate::support;

use support::{empty, json, list, run, write};

/// Raw points of people on two routes, every ten minutes of an evening; those of one route are never at the same point.
fn points() -> String {
    let mut csv = String::from("who,lat,lon,when,status\n");
    for person in 0..40 {
        let (north, status) = if person % 2 == 0 {
            (37.77, "day")
        } else {
            (37.79, "night")
        };
        for step in 0..3 {
            let latitude = north + f64::from(person) * 0.000_01;
            let longitude = -122.42 + f64::from(step) * 0.02 + f64::from(person) * 0.000_01;
            let minute = 10 * step + person % 9;
            csv += &format!(
                "p{person},{latitude:.5},{longitude:.5},2008-06-08 2{step}:{minute:02}:39,{status}\n"
            );
        }
    }
    csv
}

const POINTS: &str = r#"[data]
kind = "paths"
path = "points.csv"
subject = "who"
latitude = "lat"
longitude = "lon"
time = "when"
grid = { meters = 500 }
slot = { minutes = 60 }
[attributes]
status = { role = "sensitive", description = "which shift the person works" }
[adversary]
knows = { doublets = 2 }
[promise]
k-anonymity = 5
"#;

fn release(directory: &Path) {
    let (code, document) = json(directory, &["anonymize", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{document}");
}

fn codebook(directory: &Path) -> Value {
    let text = std::fs::read(directory.join("out/release/codebook.json")).expect("a codebook");
    serde_json::from_slice(&text).expect("JSON")
}

fn column<'a>(codebook: &'a Value, name: &str) -> &'a Value {
    let mut columns = list(&codebook["columns"]).iter();
    columns
        .find(|column| column["name"] == name)
        .expect("the column")
}

/// Every text and number of a document.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            found.insert(text.clone());
            let words = text.split(|c: char| c.is_whitespace() || "`;,".contains(c));
            found.extend(words.map(str::to_owned));
        }
        Value::Number(number) => {
            found.insert(number.to_string());
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        // The first and the last day of a published quarter follow from its label, whoever was admitted then.
        Value::Object(map) if map.get("kind").is_some_and(|kind| kind == "period") => {}
        Value::Object(map) => map.values().for_each(|item| texts(item, found)),
        _ => {}
    }
}

/// The keys of a document under which numbers stand.
fn numbers(value: &Value, under: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Number(_) => {
            found.insert(under.to_owned());
        }
        Value::Array(items) => items.iter().for_each(|item| numbers(item, under, found)),
        Value::Object(map) => map.iter().for_each(|(key, item)| numbers(item, key, found)),
        _ => {}
    }
}

/// The cells of a table.
fn cells(path: &Path) -> BTreeSet<String> {
    let table = denym::table(path, &ReadOptions::default()).expect("readable");
    let columns = table.columns().iter();
    columns
        .flat_map(|column| column.dictionary.values().map(str::to_owned))
        .collect()
}

#[test]
fn a_release_from_raw_points_can_be_read_by_its_recipient() {
    let directory = empty();
    write(directory.path(), "points.csv", points());
    write(directory.path(), "policy.toml", POINTS);
    release(directory.path());
    let codebook = codebook(directory.path());
    let places = column(&codebook, "location");
    assert_eq!(places["grid"]["meters"], 500.0);
    let labels = list(&places["labels"]);
    assert!(!labels.is_empty(), "{codebook}");
    for label in labels {
        let degrees = |key: &str| -> f64 {
            let text = label[key].as_str().expect("degrees");
            text.parse().expect("a number")
        };
        assert!((37.76..37.80).contains(&degrees("south")), "{label}");
        assert!((-122.43..-122.36).contains(&degrees("west")), "{label}");
        assert!(degrees("south") < degrees("north") && degrees("west") < degrees("east"));
    }
    let times = column(&codebook, "when");
    let instants: Vec<&str> = list(&times["labels"])
        .iter()
        .map(|label| label["from"].as_str().expect("an instant"))
        .collect();
    assert!(instants.contains(&"2008-06-08 20:00:00"), "{instants:?}");
    let shift = column(&codebook, "status");
    assert_eq!(shift["description"], "which shift the person works");
    let readme = std::fs::read_to_string(directory.path().join("out/release/README.md"));
    let readme = readme.expect("a text");
    for words in [
        "degrees north",
        "by the clock of the source",
        "which shift the person works",
    ] {
        assert!(readme.contains(words), "{words}: {readme}");
    }
}

#[test]
fn nothing_of_the_source_is_in_a_codebook_that_is_not_in_the_release() {
    let example = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../examples")
            .join(name)
    };
    let mut looked_for = 0;
    for (name, source, released) in [
        ("hospital", "patients.csv", "patients.csv"),
        ("baskets", "baskets.csv", "baskets.csv"),
        ("trails", "samples.csv", "samples.csv"),
        ("points", "points.csv", "points.csv"),
    ] {
        let directory = empty();
        if name == "points" {
            write(directory.path(), "points.csv", points());
            write(directory.path(), "policy.toml", POINTS);
        } else {
            for (file, bytes) in support::files(&example(name)) {
                write(directory.path(), file.to_str().expect("a name"), bytes);
            }
        }
        release(directory.path());
        let codebook = codebook(directory.path());
        let mut told = BTreeSet::new();
        texts(&codebook, &mut told);
        let public = cells(&directory.path().join("out/release").join(released));
        let secret = cells(&directory.path().join(source));
        for cell in secret.difference(&public).filter(|cell| cell.len() > 3) {
            assert!(
                !told.contains(cell.as_str()),
                "{name}: a cell that is not published is explained"
            );
            looked_for += 1;
        }
        // Numbers are those of the form, the grid and the slots, and none is a count.
        let mut keys = BTreeSet::new();
        numbers(&codebook, "", &mut keys);
        let allowed = [
            "form",
            "meters",
            "degrees_per_row",
            "seconds",
            "from_second",
            "to_second",
        ];
        assert!(
            keys.iter().all(|key| allowed.contains(&key.as_str())),
            "{keys:?}"
        );
    }
    assert!(looked_for > 1000, "{looked_for}");
}

#[test]
fn sources_that_publish_the_same_have_the_same_codebook() {
    let mut seen: Vec<Vec<(std::path::PathBuf, Vec<u8>)>> = Vec::new();
    for change in [
        None,
        Some(("Ann,10115,34", "Zoe,10116,33")),
        Some(("Gus,10247,55", "Ian,10249,58")),
    ] {
        let directory = support::patients();
        if let Some((old, new)) = change {
            write(
                directory.path(),
                "patients.csv",
                support::PATIENTS.replace(old, new),
            );
        }
        release(directory.path());
        let mut files = support::files(&directory.path().join("out/release"));
        // The report that may be handed out tells no more than the release does.
        let outside = directory.path().join("out/steward/report-external.html");
        files.push(("external".into(), std::fs::read(outside).expect("a report")));
        seen.push(files);
    }
    assert!(
        seen[0]
            .iter()
            .any(|(name, _)| name == Path::new("codebook.json"))
    );
    assert!(
        seen.iter().all(|files| *files == seen[0]),
        "the public halves differ"
    );
}

#[test]
fn a_changed_codebook_is_found_and_a_release_without_one_is_not_blamed() {
    let directory = support::patients();
    release(directory.path());
    let verify = || json(directory.path(), &["verify", "out"]);
    let (code, document) = verify();
    assert_eq!(
        (code, &document["codebook_intact"]),
        (0, &Value::Bool(true)),
        "{document}"
    );
    assert_eq!(document["other_files"], serde_json::json!([]));
    let path = directory.path().join("out/release/codebook.json");
    let text = std::fs::read_to_string(&path).expect("text");
    write(
        directory.path(),
        "out/release/codebook.json",
        text.replace("both included", "all excluded"),
    );
    let (code, document) = verify();
    assert_eq!(
        (code, &document["verdict"]),
        (1, &Value::from("not-verified")),
        "{document}"
    );
    std::fs::remove_file(&path).expect("removed");
    assert_eq!(verify().0, 1);
    // As earlier versions wrote it: neither a codebook nor a word about one.
    let certificate = directory.path().join("out/release/certificate.json");
    let text = std::fs::read(&certificate).expect("text");
    let mut document: Value = serde_json::from_slice(&text).expect("JSON");
    document
        .as_object_mut()
        .expect("an object")
        .remove("codebook");
    write(
        directory.path(),
        "out/release/certificate.json",
        document.to_string(),
    );
    let (code, document) = verify();
    assert_eq!(
        (code, &document["codebook_intact"]),
        (0, &Value::Null),
        "{document}"
    );
}

#[test]
fn the_lines_of_a_stream_are_explained_key_by_key() {
    let directory = empty();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/stream");
    for (file, bytes) in support::files(&example) {
        write(directory.path(), file.to_str().expect("a name"), bytes);
    }
    let output = run(directory.path(), &["stream", "policy.toml", "-o", "out"]);
    assert_eq!(output.status.code(), Some(0));
    let text = std::fs::read(directory.path().join("out/codebook.json")).expect("a codebook");
    let codebook: Value = serde_json::from_slice(&text).expect("JSON");
    let explained: BTreeSet<&str> = list(&codebook["keys"])
        .iter()
        .map(|key| key["name"].as_str().expect("a name"))
        .collect();
    let lines = std::fs::read_to_string(directory.path().join("out/windows.ndjson"));
    for line in lines.expect("windows").lines() {
        let window: Value = serde_json::from_str(line).expect("JSON");
        let record = window["records"][0].as_object().into_iter().flatten();
        let keys = window.as_object().expect("an object").iter().chain(record);
        for (key, _) in keys {
            assert!(explained.contains(key.as_str()), "{key}");
        }
    }
    // Nothing of the events is in it, and it does not stand in the way of whoever checks.
    let words = String::from_utf8(text).expect("text");
    assert!(
        !words.contains("Harbor") && !words.contains("disabled"),
        "{words}"
    );
    assert_eq!(
        run(directory.path(), &["verify", "out"]).status.code(),
        Some(0)
    );
}

#[test]
fn data_that_is_called_like_a_file_of_ours_stands_beside_it() {
    let directory = empty();
    write(directory.path(), "codebook.csv", support::PATIENTS);
    let policy = support::POLICY.replace("patients.csv", "codebook.csv");
    write(
        directory.path(),
        "policy.toml",
        policy + "format = \"json\"\n",
    );
    release(directory.path());
    assert!(codebook(directory.path())["columns"].is_array());
    assert_eq!(
        run(directory.path(), &["verify", "out"]).status.code(),
        Some(0)
    );
}
