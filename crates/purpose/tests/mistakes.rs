//! A policy's mistakes are reported all at once, each with line, key path, kind and a remedy; no text makes the reader panic.

use denym_purpose::AccessPolicy;
use proptest::prelude::*;

fn mistakes(text: &str) -> Vec<(usize, String, &'static str)> {
    match AccessPolicy::parse(text, &|_| None) {
        Ok(_) => Vec::new(),
        Err(mistakes) => mistakes
            .into_iter()
            .map(|m| (m.line(text), m.path, m.code))
            .collect(),
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
        (1, "purpose".to_owned(), "policy-unknown-value"),
        (2, "colour".to_owned(), "policy-unknown-key"),
        (6, "attributes.rank".to_owned(), "policy-domain"),
        (7, "roles".to_owned(), "policy-unknown-role"),
        (9, "tables.t".to_owned(), "policy-missing-key"),
        (10, "tables.t.mode".to_owned(), "policy-unknown-value"),
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
        assert_eq!(codes, [(10, "policy-operation")], "{operation}");
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
        (9, "users.ann.roles[1]".to_owned(), "policy-unknown-role"),
        (
            9,
            "users.ann.attributes.experience".to_owned(),
            "policy-out-of-range",
        ),
        (
            9,
            "users.ann.attributes.height".to_owned(),
            "policy-unknown-attribute",
        ),
        (11, "grants[0].role".to_owned(), "policy-unknown-role"),
        (12, "grants[0].when".to_owned(), "policy-condition"),
        (
            13,
            "grants[0].purposes[0]".to_owned(),
            "policy-unknown-purpose",
        ),
        (
            14,
            "grants[0].tables.customers[0]".to_owned(),
            "policy-unknown-column",
        ),
        (
            14,
            "grants[0].tables.orders".to_owned(),
            "policy-unknown-table",
        ),
        (16, format!("{c}.mode"), "policy-unknown-value"),
        (17, format!("{c}.consent"), "policy-no-key"),
        (18, format!("{c}.groups"), "policy-no-group"),
        (20, format!("{c}.columns.name.mask"), "policy-mask-type"),
        (
            21,
            format!("{c}.columns.age.mask.noise.spread"),
            "policy-out-of-range",
        ),
        (21, format!("{c}.columns.age.default"), "policy-intended"),
        (
            22,
            format!("{c}.columns.zip.mask.level.hierarchy"),
            "policy-unknown-hierarchy",
        ),
        (23, format!("{c}.columns.pay.mask"), "policy-mask-form"),
        (24, format!("{c}.columns.tax"), "policy-unknown-column"),
        (25, format!("{c}.columns.fee"), "policy-no-key"),
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
    let mistakes = AccessPolicy::parse(text, &|_| None).expect_err("a mistake");
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
        found.iter().all(|(_, _, code)| *code == "policy-syntax"),
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

/// Of a broken policy a line is shown where it begins with a key; what does not may be a person's record.
#[test]
fn of_a_broken_policy_only_lines_with_a_key_are_shown() {
    let text = "[purposes]\ngeneral = {}}\nAlice Archer,34\n[roles]\nclerk = = []\n";
    let found = AccessPolicy::parse(text, &|_| None).expect_err("broken");
    let lines = |shown: bool| -> Vec<usize> {
        let some = found.iter();
        let some = some.filter(|one| one.shown_line(text).is_some() == shown);
        some.map(|one| one.line(text)).collect()
    };
    assert!(lines(true).contains(&2) && lines(true).contains(&5));
    assert!(lines(false).contains(&3), "{found:?}");
    assert!(found.iter().all(|one| one.code == "policy-syntax"));
    assert!(!format!("{found:?}").contains("Alice"), "{found:?}");
}

/// What every policy is told in the same words: the key, what it takes, and an example.
#[test]
fn mistakes_of_every_policy_have_the_words_of_every_policy() {
    let text = "[purposes]\ngeneral = { retention-days = -1, obligations = [1] }\n[tables.t]\nmodus = 1\nkey = 3\n\
                columns = { a = { mask = { noise = { spread = inf } } } }\n[attributes]\nrank = { of = \"role\", integer = 5 }\n";
    let found = AccessPolicy::parse(text, &|_| None).expect_err("mistakes");
    let told: Vec<[&str; 4]> = found
        .iter()
        .map(|one| [&*one.path, one.code, &*one.message, &*one.help])
        .collect();
    let expected = [
        [
            "purposes.general.retention-days",
            "policy-out-of-range",
            "`purposes.general.retention-days` must be a whole number between 0 and 4294967295",
            "write a whole number between 0 and 4294967295",
        ],
        [
            "purposes.general.obligations[0]",
            "policy-wrong-type",
            "`purposes.general.obligations` must be a string, not an integer",
            "write for example `obligations = \"record the campaign\"`",
        ],
        [
            "tables.t.modus",
            "policy-unknown-key",
            "unknown key `modus` in `tables.t`",
            "did you mean `mode`? Known here: `source`, `key`, `group`, `collected`, `mode`, `consent`, `default`, `always-prohibited`, `columns`, `groups`",
        ],
        [
            "tables.t.key",
            "policy-wrong-type",
            "`tables.t.key` must be a string, not an integer",
            "write for example `key = \"column\"`",
        ],
        [
            "tables.t.columns.a.mask.noise.spread",
            "policy-wrong-type",
            "`tables.t.columns.a.mask.noise.spread` must be a finite number, not a float",
            "write for example `spread = 10`",
        ],
        [
            "attributes.rank.integer",
            "policy-wrong-type",
            "`attributes.rank.integer` must be a list, not an integer",
            "write for example `integer = [0, 60]`",
        ],
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_retention_needs_the_day_of_collection() {
    let text = "[purposes]\ng = { retention-days = 30 }\n[tables.t]\ncolumns = { a = {} }\n";
    assert_eq!(
        mistakes(text),
        [(3, "tables.t".to_owned(), "policy-no-collected")]
    );
}

#[test]
fn companions_are_refused_beyond_63_purposes() {
    let text = "width = 64\n[purposes]\ng = {}\n[tables.t]\nconsent = \"companion\"\ncolumns = { a = {} }\n";
    assert_eq!(
        mistakes(text),
        [(5, "tables.t.consent".to_owned(), "policy-companion")]
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
    assert_eq!(mistakes(&file)[0].2, "policy-hierarchy-file");
    let low = text("{ rows = [[\"4350\", \"43**\"]] }");
    assert_eq!(mistakes(&low)[0].2, "policy-out-of-range");
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
