//! What looks like a promise kept and is none: one value under two spellings, empty lists, more knowledge than can be judged.

use std::path::Path;

use serde_json::Value;

use crate::support;
use support::{empty, json, write};

/// Releases `data` under `policy`; the exit code and the document.
fn released(at: &Path, data: &str, policy: &str) -> (i32, Value) {
    write(at, "d.csv", data);
    write(at, "p.toml", policy);
    json(at, &["anonymize", "p.toml", "-o", "out", "--force"])
}

#[test]
fn two_spellings_of_a_value_are_one_value() {
    let directory = empty();
    let at = directory.path();
    for (values, kind) in [
        (["7", "7.0", "7", "7.00"], "decimal"),
        (["true", "TRUE", "True", "true"], "boolean"),
        (["0", "-0", "-0", "0"], "integer"),
    ] {
        let rows = ["a", "a", "b", "b"].into_iter().zip(values);
        let rows: String = rows.map(|(q, s)| format!("{q},{s}\n")).collect();
        let policy = |typed: &str, promise: &str| {
            format!(
                "[data]\npath = \"d.csv\"\n[attributes]\nq = \"quasi\"\ns = {typed}\n[promise]\nk-anonymity = 2\n{promise}\n"
            )
        };
        let typed = format!("{{ role = \"sensitive\", type = \"{kind}\" }}");
        for typed in [typed.as_str(), "\"sensitive\""] {
            for promise in ["l-diversity = 2", "confidence = 0.5"] {
                let (code, found) = released(at, &format!("q,s\n{rows}"), &policy(typed, promise));
                assert_eq!(code, 1, "{kind}, {promise}: {found}");
            }
        }
    }
}

#[test]
fn two_spellings_of_a_person_are_one_person() {
    let directory = empty();
    let policy = "[data]\npath = \"d.csv\"\n[attributes]\nq = \"quasi\"\nwho = \"subject\"\ns = \"sensitive\"\n[promise]\nk-anonymity = 2\n";
    let data = "q,who,s\na,7,x\na,7.0,x\nb,8,y\nb,8.0,y\n";
    let (code, found) = released(directory.path(), data, policy);
    // Two people in all, generalized into one class.
    assert_eq!(code, 0, "{found}");
    let data = std::fs::read_to_string(directory.path().join("out/release/d.csv"));
    let data = data.expect("a release");
    assert!(!data.contains("\na,") && !data.contains(",a,"), "{data}");
}

#[test]
fn spellings_survive_every_format_without_a_bug_of_ours() {
    let directory = empty();
    for (data, format) in [
        ("q,who,s\n0.1,1,x\n0.1,2,y\n0.10,1,x\n0.10,3,y\n", "parquet"),
        ("q,who,s\nTRUE,1,x\nTRUE,2,y\ntrue,1,x\ntrue,3,y\n", "json"),
        ("q,who,s\n1,1,x\n1,2,y\n1.0,1,x\n1.0,3,y\n", "csv"),
    ] {
        for algorithm in ["mondrian", "full-domain", "local-recoding"] {
            let policy = format!(
                "[data]\npath = \"d.csv\"\n[attributes]\nq = \"quasi\"\nwho = \"subject\"\ns = \"sensitive\"\n\
                 [promise]\nk-anonymity = 2\n[release]\nalgorithm = \"{algorithm}\"\nformat = \"{format}\"\n"
            );
            let (code, found) = released(directory.path(), data, &policy);
            assert_eq!(code, 0, "{algorithm}, {format}: {found}");
        }
    }
}

#[test]
fn a_label_that_looks_like_a_missing_cell_is_refused() {
    let directory = empty();
    write(directory.path(), "h.csv", "a,a,*\nb,,*\nc,,*\n");
    let policy = "[data]\npath = \"d.csv\"\n[attributes]\nq = { role = \"quasi\", hierarchy = \"h.csv\" }\nwho = \"subject\"\ns = \"sensitive\"\n\
                  [promise]\nk-anonymity = 2\n[release]\nalgorithm = \"full-domain\"\n";
    let data = "q,who,s\na,1,x\na,2,y\n,1,x\n,2,y\nb,1,x\nc,3,x\n";
    let (code, found) = released(directory.path(), data, policy);
    assert_eq!(code, 2, "{found}");
    assert!(found.to_string().contains("hierarchy-no-label"), "{found}");
}

#[test]
fn an_empty_list_promises_nothing_and_is_a_mistake() {
    let directory = empty();
    let at = directory.path();
    let table = "[data]\npath = \"d.csv\"\n[attributes]\nq = \"quasi\"\ns = \"sensitive\"\n";
    let baskets =
        "[data]\npath = \"d.csv\"\nkind = \"transactions\"\n[adversary]\nknows = { items = 2 }\n";
    let paths =
        "[data]\npath = \"d.csv\"\nkind = \"paths\"\n[adversary]\nknows = { doublets = 2 }\n";
    for (head, rest) in [
        (table, "[promise]\nk-anonymity = []\n"),
        (table, "[promise]\nk-anonymity = 2\nl-diversity = []\n"),
        (table, "[promise]\nt-closeness = []\n"),
        (
            table,
            "[promise]\nk-anonymity = 2\nconfidence = { values = [], at-most = 0.5 }\n",
        ),
        (
            table,
            "[promise]\nk-anonymity = 2\n[attack]\nrefuse-above = {}\n",
        ),
        (
            table,
            "[promise]\nk-anonymity = 2\n[release]\nalgorithm = \"infogain-mondrian\"\ntask = { answer = [] }\n",
        ),
        (baskets, "[promise]\nk-anonymity = []\n"),
        (
            baskets,
            "[promise]\nk-anonymity = 2\nconfidence = { items = [], at-most = 0.5 }\n",
        ),
        (paths, "[promise]\nk-anonymity = []\n"),
        (
            paths,
            "[promise]\nk-anonymity = 2\nconfidence = { places = [], at-most = 0.5 }\n",
        ),
    ] {
        let (code, found) = released(at, "q,s\na,x\na,y\n", &format!("{head}{rest}"));
        assert_eq!(code, 2, "{rest}: {found}");
        assert!(
            found.to_string().contains("policy-empty-list"),
            "{rest}: {found}"
        );
        assert!(!at.join("out").exists(), "{rest}");
    }
}

#[test]
fn more_combinations_than_can_be_judged_are_refused_at_once() {
    let directory = empty();
    let at = directory.path();
    let names: Vec<String> = (0..30).map(|n| format!("c{n}")).collect();
    let mut data = names.join(",") + "\n";
    for row in 0..50 {
        let cells: Vec<String> = (0..30).map(|c| ((row + c) % 2).to_string()).collect();
        data += &(cells.join(",") + "\n");
    }
    let attributes: String = names.iter().map(|n| format!("{n} = \"quasi\"\n")).collect();
    let policy = |knows: &str| {
        format!(
            "[data]\npath = \"d.csv\"\n[attributes]\n{attributes}[adversary]\nknows = {knows}\n[promise]\nk-anonymity = 2\n"
        )
    };
    let (code, found) = released(at, &data, &policy("{ at-most = 15 }"));
    assert_eq!(code, 2, "{found}");
    assert!(
        found.to_string().contains("policy-too-many-combinations"),
        "{found}"
    );
    // A certificate from outside asks for the same.
    let (code, found) = released(at, &data, &policy("{ at-most = 2 }"));
    assert_eq!(code, 0, "{found}");
    let file = at.join("out/release/certificate.json");
    let text = std::fs::read_to_string(&file).expect("a certificate");
    let mut certificate: Value = serde_json::from_str(&text).expect("JSON");
    certificate["knows"] = serde_json::json!({ "at-most": 15 });
    std::fs::write(&file, certificate.to_string()).expect("written");
    let (code, found) = json(at, &["verify", "out/release"]);
    assert_eq!(code, 2, "{found}");

    let baskets: String = (0..9)
        .map(|who| {
            let items: Vec<String> = (0..40).map(|item| format!("i{item}")).collect();
            format!("{who},{}\n", items.join(";"))
        })
        .collect();
    let policy = "[data]\npath = \"d.csv\"\nkind = \"transactions\"\n[adversary]\nknows = { items = 20 }\n[promise]\nk-anonymity = 2\n";
    let (code, found) = released(at, &format!("customer,items\n{baskets}"), policy);
    assert_eq!(code, 2, "{found}");
    assert!(found.to_string().contains("more combinations"), "{found}");
}

#[test]
fn absurd_bounds_of_an_attack_are_refused() {
    let directory = empty();
    let at = directory.path();
    write(at, "r.csv", "q,s\na,x\na,x\nb,y\nb,y\n");
    for (flag, value) in [
        ("--confidence", "nan"),
        ("--confidence", "1.1"),
        ("--confidence", "0"),
        ("--gain", "nan"),
        ("--gain", "inf"),
        ("--gain", "0"),
        ("--within", "nan"),
    ] {
        let flag = format!("{flag}={value}");
        let (code, found) = json(at, &["attack", "r.csv", "--sensitive", "s", &flag]);
        assert_eq!(code, 2, "{flag}: {found}");
    }
}

#[test]
fn a_name_of_any_length_is_shown() {
    let directory = empty();
    let at = directory.path();
    write(at, "w.csv", format!("{},b\n1,2\n", "z".repeat(70_000)));
    let (code, found) = json(at, &["profile", "w.csv", "--init", "w.toml"]);
    assert_eq!(code, 0, "{found}");
}

#[test]
fn trails_of_which_nothing_would_be_left_are_refused() {
    let directory = empty();
    let at = directory.path();
    write(at, "a.csv", "id,institution\nt1,h1\nt2,h2\n");
    let policy = "[data]\nkind = \"trails\"\nanonymous = \"a.csv\"\nidentified = \"a.csv\"\n[promise]\nk-anonymity = 2\n";
    let (code, found) = released(at, "", policy);
    assert_eq!(code, 1, "{found}");
    assert!(found.to_string().contains("nothing-left"), "{found}");
    assert!(!at.join("out").exists());
}
