//! `denym access check`.

use crate::support::{json, run, write};
use crate::{both, done, example, thesis};

const TREE: &str = "\
[purposes]
A = {}
B = \"A\"
C = \"A\"
D = \"A\"
E = \"B\"
F = \"B\"
G = \"D\"
H = \"D\"
I = \"G\"
J = \"G\"
";

#[test]
fn codes_of_table_2_7() {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "tree.toml", TREE);
    let (code, document) = json(directory.path(), &["access", "check", "tree.toml"]);
    assert_eq!(code, 0);
    let rows: Vec<[&str; 5]> = document["purposes"]
        .as_array()
        .expect("purposes")
        .iter()
        .map(|row| {
            ["purpose", "code", "aip_code", "cip_code", "pip_code"]
                .map(|key| row[key].as_str().expect("a text"))
        })
        .collect();
    // the printed 04F0 of D is 04F
    let expected = [
        ["A", "200", "3ff", "3ff", "3ff"],
        ["B", "100", "130", "130", "330"],
        ["C", "080", "080", "080", "280"],
        ["D", "040", "04f", "04f", "24f"],
        ["E", "020", "020", "020", "320"],
        ["F", "010", "010", "010", "310"],
        ["G", "008", "00b", "00b", "24b"],
        ["H", "004", "004", "004", "244"],
        ["I", "002", "002", "002", "24a"],
        ["J", "001", "001", "001", "249"],
    ];
    assert_eq!(rows, expected);
    let text = done(
        directory.path(),
        &["access", "check", "tree.toml", "--codes"],
    );
    for row in expected {
        let words: Vec<&str> = text
            .lines()
            .map(|line| line.split_whitespace().collect::<Vec<_>>())
            .find(|words| words.len() == 6 && words[0] == row[0])
            .expect("its line");
        assert_eq!([words[0], words[2], words[3], words[4], words[5]], row);
    }
    let text = done(directory.path(), &["access", "check", "tree.toml"]);
    assert!(
        text.starts_with("purposes\n  A\n    B\n      E\n      F\n    C\n    D\n      G\n        I\n        J\n      H\n"),
        "{text}"
    );
}

#[test]
fn more_than_64_purposes_have_codes() {
    let mut text = String::from("[purposes]\np0 = {}\n");
    for number in 1..150 {
        text.push_str(&format!("p{number} = \"p{}\"\n", (number - 1) / 2));
    }
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), "wide.toml", text);
    let (_, document) = json(directory.path(), &["access", "check", "wide.toml"]);
    let row = |number: usize| &document["purposes"][number];
    assert_eq!(row(0)["aip_code"], format!("3{}", "f".repeat(37)));
    assert_eq!(row(149)["code"], format!("{}1", "0".repeat(37)));
    // 149 below 74 below 36 below 17 below 8 below 3 below 1 below 0: bit 149 - n each
    let digits = |members: &[usize]| {
        let mut code = vec![0u8; 38];
        for member in members {
            let bit = 149 - member;
            code[37 - bit / 4] |= 1 << (bit % 4);
        }
        let hex = |digit: u8| char::from_digit(u32::from(digit), 16).expect("a digit");
        code.into_iter().map(hex).collect::<String>()
    };
    assert_eq!(row(149)["pip_code"], digits(&[149, 74, 36, 17, 8, 3, 1, 0]));
    assert_eq!(row(74)["aip_code"], digits(&[74, 149]));
}

#[test]
fn what_nobody_can_use_is_found() {
    let directory = tempfile::tempdir().expect("a directory");
    let policy = "\
[purposes]
general = {}
marketing = \"general\"
audit = \"general\"
[attributes]
years = { of = \"role\", integer = [0, 60] }
hour = { of = \"clock\", part = \"hour\" }
[roles]
clerk = []
ghost = []
[users]
ann = { roles = [\"clerk\"], attributes = { years = 5 } }
[[grants]]
name = \"office\"
role = \"clerk\"
when = \"hour >= 9 and hour <= 17\"
purposes = [\"marketing\"]
tables = [\"t\"]
[[grants]]
name = \"never\"
role = \"clerk\"
when = \"hour > 20 and hour < 6\"
purposes = [\"audit\"]
[[grants]]
name = \"seniors\"
role = \"clerk\"
when = \"years > 10\"
purposes = [\"general\"]
[tables.t]
columns = { c = {} }
[tables.unread]
columns = { c = {} }
";
    write(directory.path(), "policy.toml", policy);
    let args = ["access", "check", "policy.toml", "--at", "2026-03-02T16:30"];
    let (code, document) = json(directory.path(), &args);
    assert_eq!((code, &document["holds"]), (0, &false.into()));
    let found: Vec<(&str, &str)> = document["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .map(|finding| {
            let about = ["role", "grant", "purpose", "table"];
            let about = about.iter().find_map(|key| finding[key].as_str());
            (
                finding["finding"].as_str().expect("a kind"),
                about.expect("a name"),
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            ("role-nobody-has", "ghost"),
            ("condition-never-holds", "never"),
            ("grant-nobody-can-activate", "seniors"),
            ("purpose-nobody-may-state", "general"),
            ("purpose-nobody-may-state", "audit"),
            ("table-nobody-may-read", "unread"),
        ]
    );
    let user = &document["users"][0];
    assert_eq!(user["user"], "ann");
    assert_eq!(user["active"][0]["grant"], "office");
    assert_eq!(user["active"][0]["until"], "2026-03-02 18:00");
    assert_eq!(user["next_expiry"], "2026-03-02 18:00");
    assert_eq!(user["statable"], serde_json::json!(["marketing"]));
    let strict = run(
        directory.path(),
        &["access", "check", "policy.toml", "--strict"],
    );
    assert_eq!(strict.status.code(), Some(1));
    assert!(both(&strict).contains("finding    nobody may ever state the purpose audit"));
}

#[test]
fn every_mistake_is_shown_where_it_is() {
    let directory = tempfile::tempdir().expect("a directory");
    let policy = "[purposes]\ngeneral = {}\nmarketing = \"genral\"\n[roles]\nr = [\"s\"]\n";
    write(directory.path(), "policy.toml", policy);
    let output = run(directory.path(), &["access", "check", "policy.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let text = both(&output);
    for part in [
        "error: there is no purpose `genral`",
        "help: did you mean `general`?",
        "error: there is no role `s`",
        "policy.toml:4",
        "4 | [roles]",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let (code, document) = json(directory.path(), &["access", "check", "policy.toml"]);
    assert_eq!(code, 2);
    assert_eq!(
        document["error"]["mistakes"].as_array().map(Vec::len),
        Some(2)
    );
    let (code, document) = json(directory.path(), &["access", "check", "absent.toml"]);
    assert_eq!((code, &document["error"]["code"]), (2, &"io".into()));
}

#[test]
fn the_example_and_the_thesis_check() {
    let directory = example();
    let (code, document) = json(
        directory.path(),
        &["access", "check", "policy.toml", "--at", "2026-03-02T10:00"],
    );
    assert_eq!(code, 0);
    // nobody states the wide purposes; everything else of the example is used
    for finding in document["findings"].as_array().expect("findings") {
        assert_eq!(finding["finding"], "purpose-nobody-may-state", "{finding}");
    }
    let directory = thesis::customers();
    done(directory.path(), &["access", "check", "policy.toml"]);
}

#[test]
fn every_help_has_examples() {
    let directory = tempfile::tempdir().expect("a directory");
    done(directory.path(), &["access", "--help"]);
    for command in ["check", "explain", "user", "consent", "audit", "ddl"] {
        let text = done(directory.path(), &["access", command, "--help"]);
        assert!(text.contains("Examples:\n  denym access "), "{command}");
    }
}
