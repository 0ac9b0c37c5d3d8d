//! Paths through the command: the verified vectors and the reference figures on real data.

use crate::support;

use std::collections::BTreeMap;
use std::io::Read as _;

use serde_json::Value;
use support::paths::{GLOBAL, policy};
use support::{json, write};

/// The verified cases as files: violations, the greedy choice, the output, refusals.
#[test]
fn verified_vectors_through_the_command() {
    let vectors = denym_testkit::vectors("paths-and-trails");
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
        // Without values the bound speaks of all.
        let values = match case["S"].as_array().expect("a list") {
            none if none.is_empty() => String::new(),
            some => format!("values = {}, ", serde_json::json!(some)),
        };
        let bound = format!(
            "confidence = {{ attribute = \"status\", {values}at-most = {} }}",
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
