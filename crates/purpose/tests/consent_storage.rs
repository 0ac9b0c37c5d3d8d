//! Consent at rest reads back as it was written, in all three forms; what cannot be read denies; precedence is as documented.

use denym_purpose::{
    AccessPolicy, Compliance, ConsentBook, IntendedPurpose, Level, MaskKey, Moment, Profiles,
    PurposeSet, RawRecord, RecordConsent, Value, read_code, read_companion, write_code,
    write_companion,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

fn policy() -> AccessPolicy {
    AccessPolicy::parse(include_str!("paper/policy.toml"), &|_| None).expect("valid")
}

fn intended() -> impl Strategy<Value = IntendedPurpose> {
    let set = || {
        proptest::collection::vec(0usize..15, 0..4).prop_map(|bits| {
            let mut set = PurposeSet::empty();
            for bit in bits {
                set.insert(bit);
            }
            set
        })
    };
    (set(), set(), set()).prop_map(|(allowed, conditional, prohibited)| IntendedPurpose {
        allowed,
        conditional,
        prohibited,
    })
}

fn record() -> impl Strategy<Value = RecordConsent> {
    (
        proptest::option::of(intended()),
        proptest::collection::btree_map(0usize..4, intended(), 0..4),
    )
        .prop_map(|(all, cells)| RecordConsent { all, cells })
}

proptest! {
    #[test]
    fn all_three_forms_read_back(records in proptest::collection::btree_map("[a-z0-9]{1,6}", record(), 0..6)) {
        let policy = policy();
        let table = &policy.tables["customer_info"];
        let mut book = ConsentBook::default();
        let mut profiles = Profiles::default();
        for (key, consent) in &records {
            book.set("customer_info", key, None, consent.all.clone());
            for (place, ip) in &consent.cells {
                book.set("customer_info", key, Some(*place), Some(ip.clone()));
                prop_assert_eq!(read_companion(write_companion(Some(ip)).expect("15 purposes fit")), Some(ip.clone()));
            }
            let (again, readable) = read_code(table, &policy.purposes, &write_code(consent));
            prop_assert!(readable);
            prop_assert_eq!(&again, consent);
            let number = profiles.number(consent);
            prop_assert_eq!(profiles.get(number), Some(consent));
            prop_assert_eq!(profiles.number(consent), number);
        }
        let (again, errors) = policy.read_consent(&policy.write_consent(&book));
        prop_assert_eq!(errors, []);
        prop_assert_eq!(again, book);
    }

    #[test]
    fn a_broken_code_denies_or_reads(code in "[0-9a-fx./ ]{0,40}") {
        let policy = policy();
        let table = &policy.tables["customer_info"];
        let (consent, readable) = read_code(table, &policy.purposes, &code);
        if !readable {
            for column in 0..4 {
                let (_, ip) = table.consent(column, None, Some(&consent));
                prop_assert_eq!(ip, Some(&IntendedPurpose::default()));
            }
        }
    }
}

#[test]
fn companions_of_nothing_and_of_nonsense() {
    assert_eq!(write_companion(None), Some([None; 3]));
    assert_eq!(read_companion([None; 3]), None);
    assert_eq!(
        read_companion([Some(-1), None, None]),
        Some(IntendedPurpose::default())
    );
    let mut wide = IntendedPurpose::default();
    wide.allowed.insert(63);
    assert_eq!(write_companion(Some(&wide)), None);
}

const LEVELS: &str = r#"
[purposes]
g = { retention-days = 30 }
a = "g"
b = "g"
[roles]
r = []
[users]
u = { roles = ["r"] }
[[grants]]
role = "r"
purposes = ["g"]
[tables.t]
key = "id"
group = "grp"
collected = "day"
consent = "table"
default = "<{}, {}, {a}>"
[tables.t.columns]
id = { default = "<{g}, {}, {}>" }
plain = {}
own = { default = "<{a}, {}, {}>", always-prohibited = ["b"] }
[tables.t.groups]
x = { all = "<{}, {a}, {}>", columns = { own = "<{b}, {}, {}>" } }
"#;

#[test]
fn the_most_specific_consent_counts() {
    let policy = AccessPolicy::parse(LEVELS, &|_| None).expect("valid");
    let table = &policy.tables["t"];
    let ip = |text: &str| IntendedPurpose::from_text(&policy.purposes, text).expect("readable");
    let record = RecordConsent {
        all: Some(ip("<{g}, {}, {}>")),
        cells: BTreeMap::from([(2, ip("<{}, {g}, {}>"))]),
    };
    let cases = [
        (2, Some("x"), Some(&record), Level::Cell),
        (1, Some("x"), Some(&record), Level::Record),
        (2, Some("x"), None, Level::GroupColumn),
        (1, Some("x"), None, Level::Group),
        (2, Some("y"), None, Level::Column),
        (2, None, None, Level::Column),
        (1, None, None, Level::Table),
    ];
    for (column, group, record, level) in cases {
        assert_eq!(table.consent(column, group, record).0, level);
    }
    let now = Moment {
        day: 100,
        minute: 0,
    };
    let open = |purpose: &str| policy.open("u", Some(purpose), "t", now).expect("granted");
    // the provider allows g for the cell, but the house always prohibits b, and so g above it, and not a
    let all = RecordConsent {
        all: Some(ip("<{g}, {}, {}>")),
        cells: BTreeMap::new(),
    };
    assert_eq!(open("a").compliance(2, None, Some(&all)), Compliance::Full);
    assert_eq!(
        open("b").compliance(2, None, Some(&all)),
        Compliance::Denied
    );
    assert_eq!(
        open("g").compliance(2, None, Some(&all)),
        Compliance::Denied
    );
    assert_eq!(open("b").compliance(1, None, Some(&all)), Compliance::Full);
}

#[test]
fn records_past_retention_are_not_served() {
    let policy = AccessPolicy::parse(LEVELS, &|_| None).expect("valid");
    let now = Moment {
        day: 100,
        minute: 0,
    };
    let access = policy.open("u", Some("a"), "t", now).expect("granted");
    let raw = |_: &str| Value::Text("v".into());
    let key = MaskKey::new(vec![]);
    let served = |collected| {
        let record = RawRecord {
            key: "1".into(),
            group: None,
            collected,
            consent: None,
            raw: &raw,
        };
        access.view(&record, &[0], &key, now.day)
    };
    assert_eq!(served(Some(70)), Some(vec![Value::Text("v".into())]));
    assert_eq!(served(Some(69)), None);
    assert_eq!(served(None), None, "no known day, not served");
}

#[test]
fn the_signs_of_the_thesis_are_read() {
    let policy = policy();
    let tree = &policy.purposes;
    let plain = |text: &str| IntendedPurpose::from_text(tree, text).map(|ip| ip.to_text(tree));
    let names: Vec<&str> = tree.ids().map(|id| tree.name(id)).collect();
    let (a, b) = (names[0], names[1]);
    let expected = Some(format!("<{{{a}}}, {{}}, {{{b}}}>"));
    assert_eq!(plain(&format!("<{{{a}}}, {{}}, {{{b}}}>")), expected);
    assert_eq!(
        plain(&format!("\u{27e8}{{{a}}}, {{\u{3a6}}}, {{{b}}}\u{27e9}")),
        expected
    );
    assert_eq!(
        plain(&format!(
            " \u{27e8} {{{a}}}, {{\u{2205}}}, {{{b}}} \u{27e9}"
        )),
        expected
    );
    assert_eq!(
        plain("\u{27e8}{nothing of that kind}, {}, {}\u{27e9}"),
        None
    );
}

#[test]
fn consent_written_by_hand() {
    let text = "[purposes]\ngeneral = {}\nmarketing = \"general\"\n[tables.t]\nkey = \"id\"\ncolumns = { a = {}, b = {} }\n";
    let policy = AccessPolicy::parse(text, &|_| None).expect("valid");
    let rows = policy
        .parse_consent(
            "[[consent]]\ntable = \"t\"\nrecord = 7\ncolumns = [\"a\", \"b\"]\nallowed = \"general\"\nprohibited = [\"marketing\"]\n\
             [[consent]]\ntable = \"t\"\nrecord = \"x y\"\nintended = \"<{}, {marketing}, {}>\"\n",
        )
        .expect("valid");
    let shown: Vec<[&str; 4]> = rows
        .iter()
        .map(|row| [&*row.table, &*row.record, &*row.column, &*row.intended])
        .collect();
    assert_eq!(
        shown,
        [
            ["t", "7", "a", "<{general}, {}, {marketing}>"],
            ["t", "7", "b", "<{general}, {}, {marketing}>"],
            ["t", "x y", "*", "<{}, {marketing}, {}>"],
        ]
    );
    let codes = |text: &str| match policy.parse_consent(text) {
        Err(mistakes) => mistakes
            .iter()
            .map(|one| (one.line(text), one.code))
            .collect(),
        Ok(_) => Vec::new(),
    };
    assert_eq!(
        codes(
            "[[consent]]\ntable = \"tt\"\nrecord = 1\nallowed = [\"genral\"]\n[[consent]]\ntable = \"t\"\ncolumns = [\"c\"]\nintended = \"<{}>\"\n"
        ),
        [
            (2, "policy-unknown-table"),
            (4, "policy-unknown-purpose"),
            (5, "policy-missing-key"),
            (7, "policy-unknown-column"),
            (8, "policy-intended"),
        ]
    );
    assert_eq!(
        codes(
            "[[consent]]\ntable = \"t\"\nrecord = 1\nallowed = []\nintended = \"<{}, {}, {}>\"\n"
        ),
        [(5, "policy-two-forms")]
    );
    assert_eq!(codes("consent = 1\n"), [(1, "policy-wrong-type")]);
    assert_eq!(
        codes("[[consent]\n").first().map(|one| one.1),
        Some("policy-syntax")
    );
}

#[test]
fn a_file_is_no_relation() {
    let text = |source: &str| {
        format!("[purposes]\ng = {{}}\n[tables.t]\nsource = '{source}'\ncolumns = {{ c = {{}} }}\n")
    };
    for (source, file, relation) in [
        ("customers.csv", Some("customers.csv"), "t"),
        ("data/t.PARQUET", Some("data/t.PARQUET"), "t"),
        ("customer_raw", None, "customer_raw"),
    ] {
        let policy = AccessPolicy::parse(&text(source), &|_| None).expect("valid");
        let table = &policy.tables["t"];
        assert_eq!((table.file(), table.relation()), (file, relation));
    }
}

/// `{a, b}` must not be one purpose for who writes it and two for who reads it.
#[test]
fn names_that_would_not_read_back_are_refused() {
    for name in [
        "a, b", "a,b", "{", "x}", " a", "a ", "", "\u{3a6}", "\u{2205}",
    ] {
        let text = format!("[purposes]\na = {{}}\n\"{name}\" = \"a\"\n");
        let codes: Vec<&str> = match AccessPolicy::parse(&text, &|_| None) {
            Err(mistakes) => mistakes.iter().map(|one| one.code).collect(),
            Ok(_) => Vec::new(),
        };
        assert_eq!(codes, ["policy-purpose-name"], "{name:?}");
    }
}
