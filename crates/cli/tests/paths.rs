//! Paths through the command: the thesis' tables, the verified vectors, real data, hostile files, the public half.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;
use support::{files, json, run, write};

/// Table 1 of the thesis.
const TABLE_1: &str = "\
path,status
a1>d2>b3>e4>f6>c7,On-welfare
b3>e4>f6>e8,Full-time
b3>c7>e8,Full-time
d2>f6>c7>e8,Retired
d2>c5>f6>c7,On-welfare
c5>f6>e9,Retired
d2>c5>c7>e9,Part-time
f6>c7>e9,Part-time
";

/// Table 2 of the thesis, sorted by what it shows.
const TABLE_2: &str = "\
path,status
b3>c7>e8,Full-time
b3>f6>c7,On-welfare
b3>f6>e8,Full-time
c5>c7>e9,Part-time
c5>f6>c7,On-welfare
c5>f6>e9,Retired
f6>c7>e8,Retired
f6>c7>e9,Part-time
";

/// A policy over `file` with L, K, a promise of confidence, the matching and the end of the policy.
fn policy(file: &str, l: u64, k: u64, more: &str, matching: &str, end: &str) -> String {
    format!(
        "[data]\npath = \"{file}\"\nkind = \"paths\"\n\n[adversary]\nknows = {{ doublets = {l} }}\nmatching = \"{matching}\"\n\n\
         [promise]\nk-anonymity = {k}\n{more}\n\n[release]\n{end}\n"
    )
}

const WELFARE: &str =
    "confidence = { attribute = \"status\", values = [\"On-welfare\"], at-most = 0.5 }";
const GLOBAL: &str = "algorithm = \"global-suppression\"";

fn thesis() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "table1.csv", TABLE_1);
    let text = policy("table1.csv", 2, 2, WELFARE, "covers", GLOBAL);
    write(directory.path(), "policy.toml", text);
    directory
}

fn released(directory: &Path, file: &str) -> String {
    std::fs::read_to_string(directory.join("out/release").join(file)).expect("released data")
}

#[test]
fn the_thesis_table_1_becomes_table_2() {
    let directory = thesis();
    let at = directory.path();
    let args = ["anonymize", "policy.toml", "-o", "out", "--show-suppressed"];
    let (code, found) = json(at, &args);
    assert_eq!((code, &found["status"]), (0, &Value::from("released")));
    assert_eq!(found["algorithm"], "global-suppression");
    assert_eq!(found["records"], 8);
    assert_eq!(found["suppressed_records"], 0);
    assert_eq!(found["critical_violations"], 8);
    assert_eq!(found["suppressed"], serde_json::json!(["e4", "a1", "d2"]));
    assert_eq!(found["suppressed_doublets"], 3);
    assert_eq!(found["lost_doublets"], 7);
    assert_eq!(found["doublets"], 31);
    assert!((found["distortion"].as_f64().expect("a number") - 7.0 / 31.0).abs() < 1e-12);
    assert_eq!(released(at, "table1.csv"), TABLE_2);

    let (code, checked) = json(at, &["verify", "out/release"]);
    assert_eq!(
        (code, &checked["holds"], &checked["data_intact"]),
        (0, &true.into(), &true.into())
    );
    assert!(
        checked["claims"]
            .as_array()
            .expect("claims")
            .iter()
            .all(|claim| claim["holds"] == true)
    );

    // One cell changed by hand is noticed, and so is the broken promise.
    let file = at.join("out/release/table1.csv");
    std::fs::write(&file, TABLE_2.replacen("c5>c7>e9", "c5>c7>d2", 1)).expect("written");
    let (code, checked) = json(at, &["verify", "out/release"]);
    assert_eq!((code, &checked["data_intact"]), (1, &false.into()));
    assert_eq!(checked["claims"][0]["holds"], false);
    assert_eq!(checked["claims"][0]["measured"], 1.0);
}

#[test]
fn the_audit_counts_what_the_thesis_lists() {
    let directory = thesis();
    let asked = ["audit", "table1.csv", "--doublets", "2", "--k", "2"];
    let bound = ["--confidence", "status=On-welfare:0.5"];
    let (code, found) = json(directory.path(), &[&asked[..], &bound].concat());
    assert_eq!(code, 0);
    assert_eq!(found["records"], 8);
    assert_eq!(found["doublets"], 31);
    assert_eq!(found["critical_violations"], 8);
    assert_eq!(
        found["critical_violations_by_length"],
        serde_json::json!([1, 7])
    );
    assert_eq!(found["lkc"]["smallest_group"], 1);
    assert_eq!(found["lkc"]["largest_confidence"], 1.0);

    write(directory.path(), "table2.csv", TABLE_2);
    let asked = ["audit", "table2.csv", "--doublets", "2", "--k", "2"];
    let (_, found) = json(directory.path(), &[&asked[..], &bound].concat());
    assert_eq!(found["critical_violations"], 0);
    assert_eq!(found["lkc"]["smallest_group"], 2);
    assert_eq!(found["lkc"]["largest_confidence"], 0.5);
}

/// Table 1 as events, rows of all subjects mixed.
fn events() -> String {
    let mut rows: Vec<String> = Vec::new();
    for (subject, line) in TABLE_1.lines().skip(1).enumerate() {
        let (path, status) = line.split_once(',').expect("two cells");
        for doublet in path.split('>') {
            let (place, time) = doublet.split_at(1);
            rows.push(format!("{place},{status},person {subject},{time}"));
        }
    }
    rows.sort();
    format!("location,status,subject,time\n{}\n", rows.join("\n"))
}

/// The released events as sorted (path, status).
fn grouped(text: &str) -> Vec<(String, String)> {
    let mut people: BTreeMap<u32, (Vec<(u32, String)>, String)> = BTreeMap::new();
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let person = people
            .entry(cells[2].parse().expect("a number"))
            .or_default();
        cells[1].clone_into(&mut person.1);
        if !cells[0].is_empty() {
            person.0.push((
                cells[3].parse().expect("a time"),
                format!("{}{}", cells[0], cells[3]),
            ));
        }
    }
    let mut found: Vec<(String, String)> = people
        .into_values()
        .map(|(mut path, status)| {
            path.sort();
            let labels: Vec<String> = path.into_iter().map(|(_, label)| label).collect();
            (labels.join(">"), status)
        })
        .collect();
    found.sort();
    found
}

#[test]
fn long_form_wide_form_and_every_format_say_the_same() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "events.csv", events());
    let rows: Vec<String> = events()
        .lines()
        .skip(1)
        .map(|line| {
            let cells: Vec<&str> = line.split(',').collect();
            serde_json::json!({"location": cells[0], "status": cells[1], "subject": cells[2], "time": cells[3]}).to_string()
        })
        .collect();
    write(at, "events.json", rows.join("\n") + "\n");
    let expected: Vec<(String, String)> = TABLE_2
        .lines()
        .skip(1)
        .map(|line| line.split_once(',').expect("two cells"))
        .map(|(path, status)| (path.to_owned(), status.to_owned()))
        .collect();
    for source in ["events.csv", "events.json"] {
        for format in ["csv", "json", "parquet"] {
            let end = format!("{GLOBAL}\nformat = \"{format}\"");
            let keep = "kind = \"paths\"\ncollapse-repeats = false";
            write(
                at,
                "policy.toml",
                policy(source, 2, 2, WELFARE, "covers", &end).replace("kind = \"paths\"", keep),
            );
            let args = ["anonymize", "policy.toml", "-o", "out", "--force"];
            let (code, found) = json(at, &args);
            assert_eq!(code, 0, "{source} {format} {found}");
            assert_eq!(found["lost_doublets"], 7);
            let path = at.join(format!("out/release/events.{format}"));
            let table = denym::table(&path, &denym::ReadOptions::default()).expect("a table");
            let mut text = "header\n".to_owned();
            for row in 0..table.records() {
                let cells = ["location", "status", "subject", "time"].map(|name| {
                    table
                        .column(name)
                        .expect("a column")
                        .text(row)
                        .unwrap_or("")
                });
                text += &(cells.join(",") + "\n");
            }
            assert_eq!(grouped(&text), expected, "{source} {format}");
            let (code, _) = json(at, &["verify", "out"]);
            assert_eq!(code, 0);
        }
    }
    // By default a stay is one visit: person 6 is at c from 5 to 7, and b at 3 and again at 4 is one visit too.
    write(at, "events.csv", events() + "b,Full-time,person 2,4\n");
    write(
        at,
        "policy.toml",
        policy("events.csv", 2, 2, WELFARE, "covers", GLOBAL),
    );
    let (_, found) = json(at, &["anonymize", "policy.toml", "-o", "out", "--force"]);
    assert_eq!(found["doublets"], 30);
}

/// The verified cases as files: violations, the greedy choice, the output, refusals.
#[test]
fn verified_vectors_through_the_command() {
    let Some(vectors) = denym_testkit::shared::vectors("paths-and-trails") else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let lists = ["worked", "random"].map(|list| vectors[list].as_array().expect("a list"));
    let all = lists
        .into_iter()
        .flatten()
        .filter(|case| case["kind"] == "lkc");
    let texts = |list: &Value| -> Vec<String> {
        let items = list.as_array().expect("a list").iter();
        items
            .map(|item| item.as_str().expect("a text").to_owned())
            .collect()
    };
    let rows = |list: &Value| -> Vec<String> {
        let records = list.as_array().expect("a list").iter();
        records
            .map(|record| {
                format!(
                    "{},{}",
                    texts(&record["path"]).join(">"),
                    record["s"].as_str().expect("a text")
                )
            })
            .collect()
    };
    let (mut released_cases, mut refused_cases) = (0, 0);
    for case in all {
        let id = &case["id"];
        write(
            at,
            "t.csv",
            format!("path,status\n{}\n", rows(&case["input"]).join("\n")),
        );
        let part = |at: usize| case["C"][at].as_f64().expect("a number");
        let values = serde_json::to_string(&case["S"]).expect("JSON");
        let bound = format!(
            "confidence = {{ attribute = \"status\", values = {values}, at-most = {} }}",
            part(0) / part(1)
        );
        let number = |key: &str| case[key].as_u64().expect("a number");
        write(
            at,
            "p.toml",
            policy("t.csv", number("L"), number("K"), &bound, "covers", GLOBAL),
        );
        let args = [
            "anonymize",
            "p.toml",
            "-o",
            "out",
            "--force",
            "--show-suppressed",
        ];
        let (code, found) = json(at, &args);
        let critical = case["critical_violations"]
            .as_array()
            .expect("a list")
            .len();
        assert_eq!(found["critical_violations"], critical, "{id}");
        assert_eq!(found["doublets"], case["total_instances"], "{id}");
        let enough = case["input"].as_array().expect("a list").len() as u64 >= number("K");
        if case["table_conf_empty_knowledge_ok"] == true && enough {
            assert_eq!(code, 0, "{id} {found}");
            assert_eq!(
                found["suppressed"], case["sup_greedy_tie_lowest_t_then_loc"],
                "{id}"
            );
            assert_eq!(found["lost_doublets"], case["lost_instances"], "{id}");
            let exposed = &case["consistent_after_covers"]["exposed_people"];
            assert_eq!(found["exposed_records"], *exposed, "{id}");
            let mut expected = rows(&case["output"]);
            expected.sort();
            let text = std::fs::read_to_string(at.join("out/release/t.csv")).expect("data");
            let mut shown: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
            shown.sort();
            assert_eq!(shown, expected, "{id}");
            released_cases += 1;
        } else {
            assert_eq!(
                (code, &found["status"]),
                (1, &Value::from("refused")),
                "{id}"
            );
            assert!(
                found["bundle"].is_null() && found["error"]["help"].is_string(),
                "{id}"
            );
            refused_cases += 1;
        }
    }
    assert!(
        released_cases > 40 && refused_cases > 20,
        "{released_cases} {refused_cases}"
    );
}

/// The one file of a zip archive.
fn unzip(bytes: &[u8]) -> Vec<u8> {
    let at = |offset: usize| usize::from(u16::from_le_bytes([bytes[offset], bytes[offset + 1]]));
    let data = 30 + at(26) + at(28);
    let mut text = Vec::new();
    flate2::read::DeflateDecoder::new(&bytes[data..])
        .read_to_end(&mut text)
        .expect("deflate");
    text
}

fn figures(found: &Value) -> [u64; 3] {
    [
        "critical_violations",
        "suppressed_doublets",
        "lost_doublets",
    ]
    .map(|key| found[key].as_u64().expect("a number"))
}

#[test]
fn msnbc_gives_the_reference_figures() {
    let Some(zip) = denym_testkit::shared::path("data/paths/msnbc990928.zip") else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let text = String::from_utf8(unzip(&std::fs::read(zip).expect("a file"))).expect("text");
    let mut csv = "path\n".to_owned();
    for line in text.lines().skip(7) {
        let mut pages: Vec<&str> = line.split_whitespace().collect();
        pages.dedup();
        let path: Vec<String> = pages
            .iter()
            .take(24)
            .zip(1..)
            .map(|(page, at)| format!("{page}@{at}"))
            .collect();
        csv += &(path.join(">") + "\n");
    }
    write(at, "msnbc.csv", csv);
    for (k, expected) in [(10, [33_238, 293, 182_665]), (50, [50_779, 346, 390_649])] {
        write(
            at,
            "p.toml",
            policy("msnbc.csv", 2, k, "", "covers", GLOBAL),
        );
        let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
        assert_eq!(code, 0);
        assert_eq!(figures(&found), expected);
        assert_eq!(found["doublets"], 2_231_944);
        // A million people are attacked in a sample; with every pair of doublets nobody is picked with more than one in k.
        let doublets = support::attack(&found, "doublets");
        assert_eq!(doublets["coverage"], "sampled");
        let rate = doublets["success_rate"].as_f64().expect("a rate");
        assert!(rate > 0.0 && rate <= 1.0 / k as f64, "{doublets}");
        let document = std::fs::read(at.join("out/steward/attacks.json")).expect("a file");
        let document: Value = serde_json::from_slice(&document).expect("JSON");
        for worst in support::list(&support::attack(&document, "doublets")["worst_victims"]) {
            assert!(worst["candidates"].as_u64() >= Some(k), "{worst}");
        }
        if k == 10 {
            assert!((found["distortion"].as_f64().expect("a number") - 0.081_841).abs() < 1e-6);
        }
        let (code, _) = json(at, &["verify", "out"]);
        assert_eq!(code, 0);
    }
}

#[test]
fn oyster_gives_the_reference_figures_and_local_suppression_keeps_most() {
    let mut text = Vec::new();
    for part in 'a'..='i' {
        let name = format!("data/paths/oyster/subwaytestfullweek.csv.a{part}.gz");
        let Some(path) = denym_testkit::shared::path(&name) else {
            return;
        };
        let file = std::fs::File::open(path).expect("a file");
        flate2::read::MultiGzDecoder::new(file)
            .read_to_end(&mut text)
            .expect("gzip");
    }
    let text = String::from_utf8_lossy(&text);
    // The reference numbers stations by their first event; ties of the greedy choice follow that order.
    let mut stations: BTreeMap<&str, usize> = BTreeMap::new();
    let mut open: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    let mut csv = "subject,location,time\n".to_owned();
    let mut journeys = 0;
    for line in text.lines() {
        let cells: Vec<&str> = line.split(',').collect();
        if cells[2] == "BUSTRIP" {
            continue;
        }
        let next = stations.len();
        let place = (*stations.entry(cells[5]).or_insert(next), &cells[1][..2]);
        match cells[2] {
            "BEGINTRIP" => {
                open.insert(cells[3], place);
            }
            "ENDTRIP" => {
                if let Some(entry) = open.remove(cells[3]) {
                    journeys += 1;
                    for (station, hour) in [entry, place] {
                        csv += &format!("{journeys},{station},{hour}\n");
                    }
                }
            }
            _ => {}
        }
    }
    assert_eq!(journeys, 765_313);
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "oyster.csv", csv);
    let hours = "kind = \"paths\"\nseveral-places = true\ncollapse-repeats = false";
    let with = |end: &str| {
        policy("oyster.csv", 2, 5, "", "covers", end).replace("kind = \"paths\"", hours)
    };
    write(at, "p.toml", with(GLOBAL));
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "global"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!(figures(&found), [262_357, 7_927, 1_411_142]);
    assert!((found["distortion"].as_f64().expect("a number") - 0.924_768).abs() < 1e-6);

    write(at, "p.toml", with("algorithm = \"local-suppression\""));
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "local"]);
    assert_eq!(code, 0, "{found}");
    let [unchanged, all] =
        ["unchanged_doublets", "doublets"].map(|key| found[key].as_f64().expect("a number"));
    assert!(unchanged / all > 0.7, "{}", unchanged / all);
    let (code, checked) = json(at, &["verify", "local"]);
    assert_eq!((code, &checked["claims"][0]["holds"]), (0, &true.into()));

    // By default two places at one time are a mistake, and the message names the row and no place.
    write(
        at,
        "p.toml",
        policy("oyster.csv", 2, 5, "", "covers", GLOBAL),
    );
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "none"]);
    assert_eq!(code, 2);
    assert_eq!(found["error"]["code"], "path-two-places-at-one-time");
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let data = run(
        at,
        &["generate", "subway", "--seed", "42", "--rows", "4000"],
    )
    .stdout;
    write(at, "subway.csv", data);
    let bound = "confidence = { attribute = \"status\", values = [\"0\"], at-most = 0.4 }";
    for (matching, algorithm) in [
        ("covers", "global-suppression"),
        ("covers", "local-suppression"),
        ("consistent", "auto"),
    ] {
        let end = format!("algorithm = \"{algorithm}\"");
        write(
            at,
            "p.toml",
            policy("subway.csv", 2, 20, bound, matching, &end),
        );
        let mut bundles = Vec::new();
        for threads in ["1", "2"] {
            let args = [
                "anonymize",
                "p.toml",
                "-o",
                "out",
                "--force",
                "--threads",
                threads,
            ];
            let (code, found) = json(at, &args);
            assert_eq!(code, 0, "{matching} {algorithm} {found}");
            bundles.push(files(&at.join("out")));
        }
        assert!(bundles[0] == bundles[1], "{matching} {algorithm}");
    }
}

#[test]
fn the_consistent_matching_is_attested_and_holds_from_the_source() {
    let directory = thesis();
    let at = directory.path();
    write(
        at,
        "p.toml",
        policy("table1.csv", 2, 3, "", "consistent", "algorithm = \"auto\""),
    );
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!(found["matching"], "consistent");
    assert_eq!(found["claims"][0]["check"], "attested");
    assert!(found["claims"][0]["measured"].as_f64().expect("a number") >= 3.0);
    let (code, checked) = json(at, &["verify", "out/release"]);
    assert_eq!(code, 0);
    assert!(checked["claims"][0]["holds"].is_null());
    // Data that breaks the promise in plain sight fails even where the claim is attested.
    let text = released(at, "table1.csv");
    std::fs::write(at.join("out/release/table1.csv"), text + "a1>z99\n").expect("written");
    let (code, checked) = json(at, &["verify", "out/release"]);
    assert_eq!((code, &checked["claims"][0]["holds"]), (1, &false.into()));
}

/// The public half shows no doublet, value or name that the release does not publish.
#[test]
fn the_public_half_keeps_what_is_suppressed() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut csv = "card,station,hour,name,kind,work\n".to_owned();
    for person in 0..40 {
        for (station, hour) in [("Harbor", 7), ("Central", 8 + person % 2)] {
            csv += &format!(
                "card{person},{station},{hour},name{person},kind{},{}\n",
                person % 2,
                person % 4
            );
        }
    }
    csv += "cardX,Lighthouse,77,nameX,kind0,9\n";
    csv += "cardY,Lighthouse,78,nameY,kindY,9\n";
    write(at, "trips.csv", csv);
    for format in ["csv", "parquet", "json"] {
        let text = format!(
            "[data]\npath = \"trips.csv\"\nkind = \"paths\"\nsubject = \"card\"\nlocation = \"station\"\ntime = \"hour\"\n\
             [attributes]\nname = \"identifier\"\nkind = \"quasi\"\nwork = \"sensitive\"\n\
             [adversary]\nknows = {{ doublets = 2 }}\n[promise]\nk-anonymity = 3\n\
             [release]\nsuppress-at-most = 0.1\nformat = \"{format}\"\n"
        );
        write(at, "p.toml", text);
        let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
        assert_eq!(code, 0, "{found}");
        assert_eq!(found["suppressed_records"], 1, "the only one of kindY");
        for (name, bytes) in files(&at.join("out/release")) {
            let text = String::from_utf8_lossy(&bytes);
            for secret in [
                "Lighthouse",
                "kindY",
                "nameX",
                "name1",
                "cardX",
                "card1",
                "77",
                "78",
            ] {
                let cells = text.split(|c: char| !c.is_alphanumeric());
                let hit = cells.into_iter().any(|word| word == secret);
                let digest = name.ends_with("certificate.json") && secret.starts_with('7');
                assert!(!hit || digest, "{secret} in {}", name.display());
            }
        }
        let table = denym::table(
            &at.join(format!("out/release/trips.{format}")),
            &denym::ReadOptions::default(),
        )
        .expect("a table");
        let columns: Vec<&str> = table.columns().iter().map(|c| c.name.as_str()).collect();
        assert_eq!(columns, ["card", "station", "hour", "kind", "work"]);
        let cards: BTreeSet<&str> = table
            .column("card")
            .expect("cards")
            .dictionary
            .values()
            .collect();
        assert!(cards.contains("1") && cards.contains("41") && cards.len() == 41);
    }
}

#[test]
fn sensitive_places_and_several_bounds() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut csv = "path,status,income\n".to_owned();
    for person in 0..60 {
        let clinic = if person % 6 == 0 { ">Clinic@12" } else { "" };
        let home = ["North", "South", "East"][person % 3];
        csv += &format!(
            "{home}@8{clinic},s{},{}\n",
            person % 5,
            ["low", "high"][person % 2]
        );
    }
    write(at, "t.csv", csv);
    let bounds = "confidence = [\n  { attribute = \"status\", values = [\"s1\", \"s2\"], at-most = 0.4 },\n  \
                  { attribute = \"income\", at-most = 1 },\n  { places = [\"Clinic\"], at-most = 0.34 },\n]";
    write(
        at,
        "p.toml",
        policy("t.csv", 2, 5, bounds, "covers", "algorithm = \"auto\""),
    );
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
    assert_eq!(code, 0, "{found}");
    let claims = found["claims"].as_array().expect("claims");
    assert_eq!(claims.len(), 4);
    assert!(claims.iter().all(|claim| claim["holds"] == true), "{found}");
    assert_eq!(claims[3]["check"], "attested");
    // North is where every visitor of the clinic lives: it cannot stay as it is.
    assert!(found["lost_doublets"].as_u64().expect("a number") > 0);
    let certificate =
        std::fs::read_to_string(at.join("out/release/certificate.json")).expect("text");
    assert!(!certificate.contains("Clinic"));
    let (code, _) = json(at, &["verify", "out"]);
    assert_eq!(code, 0);
}

#[test]
fn points_become_cells_and_slots() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut csv = "user,lat,lon,at\n".to_owned();
    for person in 0..12 {
        for hour in 0..3 {
            let away = f64::from(person % 2) * 0.1;
            csv += &format!(
                "u{person},{},{},2008-06-08 {hour:02}:{person:02}:00\n",
                37.78 + away,
                -122.4
            );
            csv += &format!("u{person},{},{},2008-06-08 {hour:02}:59:00\n", 37.5, -122.4);
        }
    }
    write(at, "cabs.csv", csv);
    let text = policy("cabs.csv", 2, 4, "", "covers", "algorithm = \"auto\"").replace(
        "kind = \"paths\"",
        "kind = \"paths\"\nsubject = \"user\"\nlatitude = \"lat\"\nlongitude = \"lon\"\ntime = \"at\"\n\
         grid = { meters = 1000 }\nslot = { hours = 1 }\ncollapse-repeats = false",
    );
    write(at, "p.toml", text);
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    assert_eq!(found["records"], 12);
    // The first cell of each slot stands for it.
    assert_eq!(found["doublets"], 36);
    assert_eq!(found["lost_doublets"], 0);
    assert!(released(at, "cabs.csv").starts_with("user,location,at\n1,"));
}

#[test]
fn coarser_places_and_times() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let mut csv = "path\n".to_owned();
    for person in 0..40 {
        csv += &format!("Stop{}@{}>Center@12\n", person % 20, 6 + person % 4);
    }
    write(at, "t.csv", csv);
    let regions: String = (0..20)
        .map(|n| format!("Stop{n},District {}\n", n / 10))
        .collect();
    write(at, "regions.csv", regions + "Center,Center\n");
    let end = "algorithm = \"coarsening\"\nplaces = \"regions.csv\"\nslots = [2, 4]";
    write(at, "p.toml", policy("t.csv", 2, 5, "", "covers", end));
    let (code, coarse) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
    assert_eq!(code, 0, "{coarse}");
    assert!(released(at, "t.csv").contains("District 1@"));
    write(
        at,
        "p.toml",
        policy(
            "t.csv",
            2,
            5,
            "",
            "covers",
            "algorithm = \"local-suppression\"",
        ),
    );
    let (_, local) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
    let loss = |found: &Value| found["loss"].as_f64().expect("a number");
    assert!(
        loss(&coarse) < loss(&local),
        "{} {}",
        loss(&coarse),
        loss(&local)
    );
}

#[test]
fn hostile_files_get_a_clear_error_and_no_cell_is_quoted() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let check = |data: &[u8], columns: &str, code: &str, place: &str| {
        write(at, "t.csv", data);
        let text = policy("t.csv", 2, 2, "", "covers", GLOBAL)
            .replace("kind = \"paths\"", &format!("kind = \"paths\"\n{columns}"));
        write(at, "p.toml", text);
        let (exit, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
        assert_eq!(
            (exit, &found["error"]["code"]),
            (2, &Value::from(code)),
            "{found}"
        );
        assert!(!found.to_string().contains("SECRET"), "{found}");
        let location = found["error"]["location"].as_str().unwrap_or("");
        assert!(location.contains(place), "{location}");
        assert!(
            found["error"]["help"]
                .as_str()
                .is_some_and(|help| !help.is_empty())
        );
    };
    check(
        b"path\na1>SECRET\n",
        "",
        "path-doublet-without-time",
        "row 1",
    );
    check(
        b"path\na1\nb2\nSECRET3>b3\n",
        "",
        "path-two-places-at-one-time",
        "row 3",
    );
    check(b"path\na1>>b2\n", "", "path-doublet-without-time", "row 1");
    let long = |rows: &str| format!("subject,location,time\n{rows}").into_bytes();
    check(
        &long("x,a,1\ny,a,1\nx,SECRET,1\n"),
        "",
        "path-two-places-at-one-time",
        "row 3",
    );
    check(&long("x,a,1\n,SECRET,1\n"), "", "path-cell", "row 2");
    check(&long("x,a,1\nx,SECRET,\n"), "", "path-cell", "row 2");
    check(
        &long("x,a,SECRET\n"),
        "slot = { minutes = 5 }",
        "path-cell",
        "row 1",
    );
    check(b"who,SECRET\n1,2\n", "", "policy-unknown-column", "p.toml");
    check(
        b"id,path\nSECRET,a1\nSECRET,b2\n",
        "subject = \"id\"",
        "path-cell",
        "row 2",
    );
    check(
        b"subject,lat,lon,time\nx,95,SECRET,1\n",
        "latitude = \"lat\"\nlongitude = \"lon\"\ngrid = 100\nslot = 60",
        "path-cell",
        "row 1",
    );
    check(
        b"subject,lat,lon,time\nx,95,1,1\n",
        "latitude = \"lat\"\nlongitude = \"lon\"\ngrid = 100\nslot = 60",
        "path-point-off-globe",
        "row 1",
    );

    // Attributes belong to the subject.
    write(
        at,
        "t.csv",
        "subject,location,time,status\nx,a,1,SECRET\nx,b,2,other\n",
    );
    write(
        at,
        "p.toml",
        policy("t.csv", 2, 2, WELFARE, "covers", GLOBAL),
    );
    let (exit, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
    assert_eq!(
        (exit, &found["error"]["code"]),
        (2, &"path-attribute-changes".into())
    );
    assert!(!found.to_string().contains("SECRET"));

    // K above the number of people is an answer, with the source's violations.
    write(at, "t.csv", TABLE_1);
    write(at, "p.toml", policy("t.csv", 2, 100, "", "covers", GLOBAL));
    let (exit, found) = json(at, &["anonymize", "p.toml", "-o", "out", "--force"]);
    assert_eq!((exit, &found["status"]), (1, &"refused".into()));
    assert!(found["critical_violations"].as_u64().expect("a number") > 0);
    assert!(
        found["error"]["help"]
            .as_str()
            .expect("help")
            .contains("k = 8")
    );
    assert!(!at.join("out").exists());
}

#[test]
fn every_mistake_of_a_policy_at_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "t.csv", TABLE_1);
    let text = "\
[data]
path = \"t.csv\"
kind = \"paths\"
collapse = true
slot = { minutes = 5, hours = 1 }

[attributes]
status = \"insensitive\"

[adversary]
knows = { doublets = 0 }
matching = \"cover\"

[promise]
k-anonymity = 0
l-diversity = 3
confidence = { attribute = \"status\", at-most = 1.5 }

[release]
algorithm = \"local\"
slots = [2, 3]
";
    write(at, "p.toml", text);
    let output = run(at, &["anonymize", "p.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let shown = String::from_utf8(output.stderr).expect("text");
    for (line, words) in [
        (4, "unknown key `collapse`"),
        (5, "exactly one of `seconds`"),
        (11, "at least 1"),
        (12, "did you mean `covers`"),
        (15, "at least 1"),
        (16, "is not judged on paths"),
        (17, "between 0 and 1"),
        (20, "local-suppression"),
        (21, "whole slots"),
    ] {
        assert!(
            shown.contains(&format!("p.toml:{line}")),
            "line {line} in {shown}"
        );
        assert!(shown.contains(words), "{words} in {shown}");
    }
}

#[test]
fn the_policy_may_be_short_and_says_what_it_assumes() {
    let directory = thesis();
    let at = directory.path();
    write(
        at,
        "p.toml",
        "[data]\npath = \"table1.csv\"\nkind = \"paths\"\n[promise]\nk-anonymity = 2\n",
    );
    let (code, found) = json(at, &["anonymize", "p.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    assert!(
        found["warnings"][0]
            .as_str()
            .expect("a warning")
            .contains("3 are assumed")
    );
    // No attribute has a role or a promise: only the path is published.
    assert!(released(at, "table1.csv").starts_with("path\n"));
}

#[test]
fn explore_shows_the_price_of_each_bound() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let data = run(at, &["generate", "subway", "--seed", "42"]).stdout;
    write(at, "subway.csv", data);
    let bound = "confidence = { attribute = \"status\", values = [\"0\"], at-most = 0.6 }";
    write(
        at,
        "p.toml",
        policy("subway.csv", 3, 30, bound, "covers", GLOBAL),
    );
    let args = [
        "explore",
        "p.toml",
        "--k",
        "10,30,50",
        "--doublets",
        "1,2,3",
        "--svg",
        "plot.svg",
    ];
    let (code, found) = json(at, &args);
    assert_eq!(code, 0, "{found}");
    let trials = found["trials"].as_array().expect("trials");
    assert_eq!(trials.len(), 9);
    for trial in trials {
        // The generator is calibrated to the thesis' 3 to 10 %.
        let distortion = trial["distortion"].as_f64().expect("a number");
        assert!((0.0..0.12).contains(&distortion), "{trial}");
    }
    assert!(
        std::fs::read_to_string(at.join("plot.svg"))
            .expect("a plot")
            .starts_with("<svg")
    );
    let args = ["explore", "p.toml", "--confidence", "0.01,0.6"];
    let (_, found) = json(at, &args);
    assert_eq!(found["trials"][0]["status"], "refused");
    assert_eq!(found["trials"][1]["status"], "feasible");
}

#[test]
fn generators_write_the_serial_form_of_the_reference() {
    let directory = tempfile::tempdir().expect("a directory");
    let args = [
        "generate",
        "scalability",
        "--seed",
        "7",
        "--rows",
        "3",
        "--format",
        "serial",
    ];
    let output = run(directory.path(), &args);
    assert_eq!(
        output.stdout,
        b"18@5\t2\n18@1 16@2\t0\n22@13 17@14 0@15 4@16\t4\n"
    );
    let output = run(
        directory.path(),
        &["generate", "hospital", "--format", "serial"],
    );
    assert_eq!(output.status.code(), Some(2));
}

/// Two releases of the same people, each safe, must also be safe together.
#[test]
fn an_updated_table_gives_way_to_the_earlier_release() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    let row = |person: usize, path: &str| format!("p{person},{path}\n");
    let head = "card,path\n";
    let first: String = (0..12)
        .map(|n| row(n, if n < 6 { "a1>b2" } else { "a1>c2" }))
        .collect();
    // Next year: everybody goes on; three of each half go to x, three to y. Two newcomers.
    let second: String = (0..12)
        .map(|n| {
            let was = if n < 6 { "a1>b2" } else { "a1>c2" };
            row(n, &format!("{was}>{}3", if n % 2 == 0 { "x" } else { "y" }))
        })
        .collect();
    let newcomers = row(20, "a1>b2>x3") + &row(21, "a1>b2>x3");
    write(at, "first.csv", head.to_owned() + &first);
    write(at, "second.csv", head.to_owned() + &second + &newcomers);
    let subject = "kind = \"paths\"\nsubject = \"card\"";
    let with = |file: &str, l: u64, end: &str| {
        policy(file, l, 4, "", "covers", end).replace("kind = \"paths\"", subject)
    };
    write(at, "p1.toml", with("first.csv", 2, GLOBAL));
    let (code, found) = json(at, &["anonymize", "p1.toml", "-o", "year1"]);
    assert_eq!((code, &found["lost_doublets"]), (0, &0.into()), "{found}");
    let list = std::fs::read_to_string(at.join("year1/steward/subjects.csv")).expect("a list");
    assert!(list.starts_with("subject,record\n") && list.lines().count() == 13);

    write(
        at,
        "p2.toml",
        with("second.csv", 2, &format!("{GLOBAL}\nearlier = \"year1\"")),
    );
    let (code, found) = json(at, &["anonymize", "p2.toml", "-o", "year2"]);
    assert_eq!(code, 0, "{found}");
    // b2 was published of six people; with x3 it would leave three of them, so one of the two stays out for these.
    assert!(
        found["lost_doublets"].as_u64().expect("a number") > 0,
        "{found}"
    );
    // Two newcomers are fewer than k: they wait.
    assert_eq!(found["suppressed_records"], 2, "{found}");
    assert!(
        found["warnings"][0]
            .as_str()
            .expect("a warning")
            .contains("earlier release")
    );
    for (name, bytes) in files(&at.join("year2/release")) {
        assert!(
            !String::from_utf8_lossy(&bytes).contains("p1\n"),
            "{}",
            name.display()
        );
    }

    let consistent = with("second.csv", 2, &format!("{GLOBAL}\nearlier = \"year1\""))
        .replace("\"covers\"", "\"consistent\"");
    write(at, "p3.toml", consistent);
    let (code, found) = json(at, &["anonymize", "p3.toml", "-o", "year3"]);
    assert_eq!(
        (code, &found["error"]["code"]),
        (2, &"policy-matching".into())
    );
}
