//! A policy's mistakes are reported all at once, each with line, key path, kind and a remedy; no text makes the reader panic.

use denym_purpose::{AccessPolicy, Error};
use proptest::prelude::*;

fn mistakes(text: &str) -> Vec<(usize, String, &'static str)> {
    match AccessPolicy::parse(text, &|_| None) {
        Ok(_) => Vec::new(),
        Err(Error::Policy { mistakes }) => mistakes
            .into_iter()
            .map(|m| (m.line, m.path, m.code))
            .collect(),
        Err(other) => panic!("not a list of mistakes: {other:?}"),
    }
}

#[test]
fn a_broken_part_does_not_hide_the_others() {
    let text = r#"purpose = "guessed"
colour = 1
[purposes]
general = {}
[attributes]
rank = { of = "role" }
[roles]
boss = ["clark"]
[tables.t]
mode = "hide"
"#;
    let expected = [
        (1, "purpose".to_owned(), "choice-unknown"),
        (2, "colour".to_owned(), "key-unknown"),
        (6, "attributes.rank".to_owned(), "domain-missing"),
        (7, "roles".to_owned(), "role-unknown"),
        (9, "tables.t".to_owned(), "key-missing"),
        (10, "tables.t.mode".to_owned(), "choice-unknown"),
    ];
    assert_eq!(mistakes(text), expected);
}

#[test]
fn a_grant_that_nothing_would_ever_use_is_a_mistake() {
    let policy = |operations: &str| {
        format!(
            "[purposes]\ngeneral = {{}}\n[roles]\nr = []\n[users]\nanna = {{ roles = [\"r\"] }}\n[[grants]]\nrole = \"r\"\n\
             purposes = [\"general\"]\noperations = {operations}\n[tables.t]\ndefault = \"<{{general}}, {{}}, {{}}>\"\n\
             [tables.t.columns]\nid = {{ type = \"integer\" }}\n"
        )
    };
    assert_eq!(mistakes(&policy("[\"select\"]")), []);
    for operation in ["insert", "update", "delete"] {
        let found = mistakes(&policy(&format!("[\"select\", \"{operation}\"]")));
        let codes: Vec<_> = found.iter().map(|(line, _, code)| (*line, *code)).collect();
        assert_eq!(codes, [(10, "operation-not-served")], "{operation}");
    }
}

#[test]
fn all_mistakes_of_every_part() {
    let text = r#"[purposes]
general = {}
marketing = "general"
[attributes]
experience = { of = "role", integer = [0, 60] }
[roles]
clerk = []
[users]
ann = { roles = ["clerk", "clerc"], attributes = { experience = 61, height = 3 } }
[[grants]]
role = "clerc"
when = "experience >> 3"
purposes = ["markting"]
tables = { customers = ["nmae"], orders = "all" }
[tables.customers]
mode = "hide"
consent = "table"
groups = { a = { all = { allowed = ["general"] } } }
[tables.customers.columns]
name = { mask = { interval = 10 } }
age = { type = "integer", mask = { noise = { spread = 0 } }, default = "<{general}>" }
zip = { mask = { level = { hierarchy = "zip", level = 1 } } }
pay = { type = "integer", mask = { first-letters = 1, interval = 3 } }
tax = { type = "integer", mask = { where-hidden = { columns = ["nam"] } } }
fee = { type = "integer", mask = { noise = { spread = 3 } } }
"#;
    let c = "tables.customers";
    let expected = [
        (9, "users.ann.roles[1]".to_owned(), "role-unknown"),
        (
            9,
            "users.ann.attributes.experience".to_owned(),
            "attribute-outside-domain",
        ),
        (
            9,
            "users.ann.attributes.height".to_owned(),
            "attribute-unknown",
        ),
        (11, "grants[0].role".to_owned(), "role-unknown"),
        (12, "grants[0].when".to_owned(), "condition-syntax"),
        (13, "grants[0].purposes[0]".to_owned(), "purpose-unknown"),
        (
            14,
            "grants[0].tables.customers[0]".to_owned(),
            "column-unknown",
        ),
        (14, "grants[0].tables.orders".to_owned(), "table-unknown"),
        (16, format!("{c}.mode"), "choice-unknown"),
        (17, format!("{c}.consent"), "key-column-missing"),
        (18, format!("{c}.groups"), "group-column-missing"),
        (20, format!("{c}.columns.name.mask"), "mask-wrong-type"),
        (
            21,
            format!("{c}.columns.age.mask.noise.spread"),
            "out-of-range",
        ),
        (
            21,
            format!("{c}.columns.age.default"),
            "intended-unreadable",
        ),
        (
            22,
            format!("{c}.columns.zip.mask.level.hierarchy"),
            "hierarchy-unknown",
        ),
        (23, format!("{c}.columns.pay.mask"), "mask-not-one"),
        (24, format!("{c}.columns.tax"), "column-unknown"),
        (25, format!("{c}.columns.fee"), "key-column-missing"),
    ];
    let mut found = mistakes(text);
    found.sort();
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn every_mistake_has_a_remedy_and_a_suggestion() {
    let text = "[purposes]\ngeneral = {}\nmarketing = \"generel\"\n";
    let Err(Error::Policy { mistakes }) = AccessPolicy::parse(text, &|_| None) else {
        panic!("a mistake");
    };
    assert_eq!(mistakes.len(), 1);
    assert_eq!(mistakes[0].help, "did you mean `general`?");
    assert_eq!(mistakes[0].message, "there is no purpose `generel`");
}

#[test]
fn several_syntax_errors_are_all_reported() {
    let found = mistakes("[purposes]\na = \nb = {}\nc = [1\n");
    let lines: Vec<usize> = found.iter().map(|(line, ..)| *line).collect();
    assert_eq!(lines, [2, 4]);
    assert!(
        found.iter().all(|(_, _, code)| *code == "toml-syntax"),
        "{found:?}"
    );
}

/// Data given where a policy was meant: one mistake, and no word of the data.
#[test]
fn records_in_place_of_a_policy_are_not_repeated() {
    let people = "name,age\n".to_owned() + &"Alice Archer,34\n".repeat(500);
    for text in [
        people.as_str(),
        "Alice = 34\n",
        "[[patient]]\nname = \"Alice\"\n",
    ] {
        let found = AccessPolicy::parse(text, &|_| None).expect_err("no policy");
        assert!(!format!("{found:?}").contains("Alice"), "{found:?}");
        assert_eq!(mistakes(text).len(), 1);
    }
}

#[test]
fn a_retention_needs_the_day_of_collection() {
    let text = "[purposes]\ng = { retention-days = 30 }\n[tables.t]\ncolumns = { a = {} }\n";
    assert_eq!(
        mistakes(text),
        [(3, "tables.t".to_owned(), "collected-column-missing")]
    );
}

#[test]
fn companions_are_refused_beyond_63_purposes() {
    let text = "width = 64\n[purposes]\ng = {}\n[tables.t]\nconsent = \"companion\"\ncolumns = { a = {} }\n";
    assert_eq!(
        mistakes(text),
        [(5, "tables.t.consent".to_owned(), "companion-too-narrow")]
    );
}

#[test]
fn hierarchies_come_inline_or_by_file() {
    let text = |source: &str| {
        format!(
            "[purposes]\ng = {{}}\n[hierarchies]\nzip = {source}\n[tables.t.columns]\nzip = {{ mask = {{ level = {{ hierarchy = \"zip\", level = 2 }} }} }}\n"
        )
    };
    let inline = text("{ rows = [[\"4350\", \"43**\", \"*\"]] }");
    assert!(AccessPolicy::parse(&inline, &|_| None).is_ok());
    let file = text("{ file = \"zip.csv\" }");
    let read = |name: &str| {
        (name == "zip.csv").then(|| vec![vec!["4350".into(), "43**".into(), "*".into()]])
    };
    assert!(AccessPolicy::parse(&file, &read).is_ok());
    assert_eq!(mistakes(&file)[0].2, "hierarchy-unreadable");
    let low = text("{ rows = [[\"4350\", \"43**\"]] }");
    assert_eq!(mistakes(&low)[0].2, "out-of-range");
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in "[ a-z\\[\\]{}=\",.0-9\n<>-]{0,200}") {
        let _ = AccessPolicy::parse(&text, &|_| None);
    }

    #[test]
    fn no_change_of_a_good_text_makes_it_panic(at in any::<prop::sample::Index>(), length in 0usize..40, insert in "[ a-z\\[\\]{}=\",.0-9\n]{0,10}") {
        let good = include_str!("paper/policy.toml");
        let chars: Vec<char> = good.chars().collect();
        let start = at.index(chars.len());
        let end = (start + length).min(chars.len());
        let changed: String = chars[..start].iter().copied().chain(insert.chars()).chain(chars[end..].iter().copied()).collect();
        let _ = AccessPolicy::parse(&changed, &|_| None);
    }
}
