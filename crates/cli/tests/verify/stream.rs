//! Windows of a stream that a forger rewrote, hashes and all: never more than the windows show.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};

use crate::mutate::Dice;
use crate::sha256::sha256;
use crate::support::{self, write};

/// What was published: lines of windows, lines of certificates.
#[derive(Clone)]
struct Published {
    windows: Vec<Value>,
    chain: Vec<Value>,
}

fn published() -> Published {
    let directory = support::empty();
    let mut events = String::from("subject,location,time,pass\n");
    for hour in 0..9 {
        for rider in 0..60 {
            let pass = ["weekly", "daily", "disabled"][rider % 3];
            events += &format!("r{rider},s{},{hour},{pass}\n", (rider % 6 + hour) % 8);
        }
    }
    write(directory.path(), "events.csv", events);
    let policy = "[data]\nkind = \"stream\"\npath = \"events.csv\"\n[attributes]\npass = \"sensitive\"\n[window]\nsize = 4\n\
                  [adversary]\nknows = { doublets = 2 }\n[promise]\nk-anonymity = 5\n\
                  confidence = { attribute = \"pass\", values = [\"disabled\"], at-most = 0.7 }\n";
    write(directory.path(), "policy.toml", policy);
    let (code, found) = support::json(directory.path(), &["stream", "policy.toml", "-o", "out"]);
    assert_eq!(code, 0, "{found}");
    let lines = |file: &str| {
        let text = std::fs::read_to_string(directory.path().join("out").join(file)).expect("lines");
        text.lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    };
    Published {
        windows: lines("windows.ndjson"),
        chain: lines("certificates.ndjson"),
    }
}

/// Keys of a line in the order in which the program writes them; others after them.
fn line(value: &Value, order: &[&str]) -> String {
    let Value::Object(map) = value else {
        return value.to_string();
    };
    let known = order.iter().filter_map(|key| Some((*key, map.get(*key)?)));
    let more = map.iter().filter(|(key, _)| !order.contains(&key.as_str()));
    let all = known.chain(more.map(|(key, value)| (key.as_str(), value)));
    let inner = |key: &str, value: &Value| match (key, value) {
        ("claims", _) => line(
            value,
            &[
                "l",
                "k",
                "confidence",
                "matching",
                "rule",
                "window",
                "step",
                "columns",
            ],
        ),
        ("program", _) => line(value, &["demanded", "standing", "beyond_per_mille"]),
        ("measured", _) => line(
            value,
            &[
                "subjects",
                "doublets",
                "smallest_group",
                "largest_confidence",
                "violations",
            ],
        ),
        ("counts", _) => line(
            value,
            &[
                "events",
                "published",
                "suppressed",
                "late",
                "duplicates",
                "rejected",
                "open",
                "retracted",
                "changed",
                "windows",
                "withheld",
                "violations",
            ],
        ),
        ("confidence", Value::Array(list)) => each(list, &["attribute", "value", "at_most"]),
        ("attacks", Value::Array(list)) => each(list, &ATTACK),
        ("columns", Value::Array(list)) => each(list, &["name", "role"]),
        ("records", Value::Array(list)) => each(list, &["path", "sensitive", "count"]),
        _ => value.to_string(),
    };
    let parts: Vec<String> = all
        .map(|(key, value)| format!("{}:{}", json!(key), inner(key, value)))
        .collect();
    format!("{{{}}}", parts.join(","))
}

fn each(list: &[Value], order: &[&str]) -> String {
    let parts: Vec<String> = list.iter().map(|value| line(value, order)).collect();
    format!("[{}]", parts.join(","))
}

const WINDOW: [&str; 5] = ["window", "from", "to", "attributes", "records"];
const CERTIFICATE: [&str; 10] = [
    "window", "from", "to", "status", "claims", "measured", "counts", "content", "attacks",
    "previous",
];
const ATTACK: [&str; 8] = [
    "attack",
    "attribute",
    "knows",
    "success_rate",
    "attempts",
    "coverage",
    "interval",
    "refuse_above",
];

impl Published {
    /// Writes it, with every hash as a forger would make it fit.
    fn write(&self, directory: &Path, sealed: bool) {
        let windows: Vec<String> = self.windows.iter().map(|w| line(w, &WINDOW)).collect();
        let mut previous = "0".repeat(64);
        let mut text = String::new();
        for (at, certificate) in self.chain.iter().enumerate() {
            let mut certificate = certificate.clone();
            if sealed && certificate.is_object() {
                certificate["previous"] = json!(previous);
                if let Some(window) = windows.get(at) {
                    certificate["content"] = json!(sha256(window.as_bytes()));
                }
            }
            let line = line(&certificate, &CERTIFICATE);
            previous = sha256(line.as_bytes());
            text += &line;
            text.push('\n');
        }
        write(directory, "certificates.ndjson", text);
        write(directory, "windows.ndjson", windows.join("\n") + "\n");
    }

    fn verify(&self, sealed: bool) -> (i32, Value) {
        let directory = support::empty();
        self.write(directory.path(), sealed);
        support::json(directory.path(), &["verify", "."])
    }
}

/// Fewest people who show any `l` of the doublets that somebody shows, by trying all.
fn smallest_group(window: &Value, l: u64) -> Option<u64> {
    let mut people: Vec<(BTreeSet<String>, u64)> = Vec::new();
    for record in window["records"].as_array()? {
        let path = record["path"].as_array()?.iter();
        let path = path
            .map(|p| p.as_str().map(str::to_owned))
            .collect::<Option<_>>()?;
        people.push((path, record["count"].as_u64()?));
    }
    let mut known: BTreeSet<Vec<&String>> = BTreeSet::new();
    for (path, _) in &people {
        let mut sets: Vec<Vec<&String>> = vec![Vec::new()];
        for doublet in path {
            for at in 0..sets.len() {
                if (sets[at].len() as u64) < l {
                    let mut larger = sets[at].clone();
                    larger.push(doublet);
                    sets.push(larger);
                }
            }
        }
        known.extend(sets);
    }
    let size = |set: &Vec<&String>| {
        let shows = people
            .iter()
            .filter(|(path, _)| set.iter().all(|d| path.contains(*d)));
        shows.map(|(_, count)| count).sum()
    };
    known
        .iter()
        .map(size)
        .filter(|count: &u64| *count > 0)
        .min()
}

#[test]
fn a_chain_that_was_not_touched_fits_its_windows() {
    let published = published();
    let (code, said) = published.verify(true);
    assert_eq!((code, &said["holds"]), (0, &json!(true)), "{said}");
    assert_eq!(said["verdict"], "verified-in-part", "{said}");
    assert_eq!(
        (&said["measured_again"], &said["attested"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(said["columns"][1]["name"], "pass", "{said}");
}

#[test]
fn windows_that_are_gone_give_no_verdict() {
    let published = published();
    let directory = support::empty();
    published.write(directory.path(), true);
    std::fs::remove_file(directory.path().join("windows.ndjson")).expect("removed");
    let (code, said) = support::json(directory.path(), &["verify", "."]);
    assert_eq!(
        (code, &said["holds"], &said["data_intact"]),
        (2, &Value::Null, &Value::Null),
        "{said}"
    );
    for claim in said["claims"].as_array().expect("claims") {
        assert_eq!(
            (&claim["measured"], &claim["holds"]),
            (&Value::Null, &Value::Null),
            "{said}"
        );
    }
    assert_eq!(said["measured_again"], 0, "{said}");
    let text =
        String::from_utf8(support::run(directory.path(), &["verify", "."]).stdout).expect("text");
    assert!(
        text.contains("windows    NOT here") && !text.contains("verified"),
        "{text}"
    );
    // Windows without a chain, and a chain without a line.
    write(directory.path(), "certificates.ndjson", "");
    assert_eq!(
        support::run(directory.path(), &["verify", "."])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn no_changed_stream_is_reported_as_more_than_it_is() {
    let original = published();
    let mut dice = Dice(41);
    let (mut tried, mut passed) = (0, 0);
    for round in 0..260 {
        let mut changed = original.clone();
        let sealed = dice.below(4) > 0;
        let windows = changed.windows.len();
        let at = dice.below(windows);
        match round % 13 {
            0 => {
                changed.windows.remove(at);
            }
            1 => {
                changed.chain.remove(at);
            }
            2 => {
                changed.windows.remove(at);
                changed.chain.remove(at);
            }
            3 => changed.windows.swap(at, dice.below(windows)),
            4 => {
                let records = changed.windows[at]["records"]
                    .as_array_mut()
                    .expect("records");
                let number = dice.below(records.len());
                records[number]["count"] = json!([0, 1, 4, 5, 1000, u64::MAX][dice.below(6)]);
            }
            5 => {
                let lonely = json!({"path": ["nowhere@3"], "sensitive": ["disabled"], "count": 1});
                changed.windows[at]["records"]
                    .as_array_mut()
                    .expect("records")
                    .push(lonely);
            }
            6 => {
                // Names beside the records, in keys that nobody looks at.
                changed.windows[at]["records"][0]["name"] = json!("Ann");
            }
            7 => changed.windows[at]["names"] = json!(["Ann", "Bob"]),
            8 => {
                changed.windows[at]["attributes"] = json!(["pass", "name"]);
                for record in changed.windows[at]["records"]
                    .as_array_mut()
                    .expect("records")
                {
                    record["sensitive"]
                        .as_array_mut()
                        .expect("values")
                        .push(json!("Ann"));
                }
            }
            9 => {
                let k = [0, 1, 6, 1000][dice.below(4)];
                for certificate in &mut changed.chain {
                    certificate["claims"]["k"] = json!(k);
                    certificate["measured"]["smallest_group"] = json!(k);
                }
            }
            10 => {
                let claims = [json!({}), json!(null)][dice.below(2)].clone();
                for certificate in &mut changed.chain {
                    if claims.is_null() {
                        certificate["claims"]["columns"] = json!([]);
                    } else {
                        certificate["claims"]["confidence"][0]["attribute"] = json!("nothing");
                    }
                }
            }
            11 => {
                let key = ["l", "matching", "rule", "window", "step"][dice.below(5)];
                for certificate in &mut changed.chain {
                    certificate["claims"][key] = json!(0);
                }
            }
            _ => {
                let key = CERTIFICATE[dice.below(CERTIFICATE.len())];
                changed.chain[at][key] =
                    [Value::Null, json!(0), json!("x"), json!(i64::MAX)][dice.below(4)].clone();
            }
        }
        let (code, said) = changed.verify(sealed);
        tried += 1;
        assert!((0..=2).contains(&code), "round {round}: exit {code} {said}");
        assert_eq!(said["holds"] == true, code == 0, "round {round}: {said}");
        if code != 0 {
            continue;
        }
        passed += 1;
        let asked = said["claims"][0]["asked"].as_u64().expect("k");
        let l = said["doublets"].as_u64().expect("l");
        assert_eq!(said["windows"], changed.windows.len(), "round {round}");
        let smallest = changed
            .windows
            .iter()
            .filter_map(|window| smallest_group(window, l))
            .min();
        assert_eq!(
            said["claims"][0]["measured"].as_u64(),
            smallest,
            "round {round}: {said}"
        );
        assert!(
            asked > 0 && smallest >= Some(asked),
            "round {round}: {said}"
        );
        let names = |window: &Value| window["attributes"].clone();
        let told: Vec<&Value> = said["columns"]
            .as_array()
            .expect("columns")
            .iter()
            .skip(1)
            .map(|c| &c["name"])
            .collect();
        assert!(
            changed.windows.iter().all(|w| names(w) == json!(told)),
            "round {round}: {said}"
        );
        assert!(
            !changed
                .windows
                .iter()
                .any(|w| w.to_string().contains("Ann")),
            "round {round}: {said}"
        );
    }
    println!("{tried} changed streams, {passed} of which are what they say");
    assert!(passed > 3, "a check that refuses everything shows nothing");
}

#[test]
fn what_a_recipient_of_windows_reads() {
    let published = published();
    let directory = support::empty();
    published.write(directory.path(), true);
    let read = || {
        let output = support::run(directory.path(), &["verify", "."]);
        let text = String::from_utf8(output.stdout).expect("text");
        // The hash of the last line is its own.
        let plain = |line: &str| match line.strip_prefix("last line  ") {
            Some(rest) => format!("last line  HASH{}", &rest[64..]),
            None => line.to_owned(),
        };
        let lines: Vec<String> = text.lines().map(plain).collect();
        format!(
            "exit {}\n{}",
            output.status.code().unwrap_or(-1),
            lines.join("\n")
        )
    };
    insta::assert_snapshot!("stream", read());
    std::fs::remove_file(directory.path().join("windows.ndjson")).expect("removed");
    insta::assert_snapshot!("stream-without-windows", read());
}
