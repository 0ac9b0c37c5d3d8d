//! Columns that stewards have, and what guards say of each: as much a list of false alarms as of finds.

use denym_data::{Column, Role};

use super::*;
use crate::policy::parse_policy;

/// A policy without anything in it that a guard could look at.
fn policy() -> Policy {
    let text =
        "[data]\npath = \"p.csv\"\n[attributes]\nage = \"quasi\"\n[promise]\nk-anonymity = 2\n";
    parse_policy(text, std::path::Path::new("policy.toml")).expect("a policy")
}

/// What is found about one column with this name, role and a value for each of `people`.
fn found(
    name: &str,
    role: Role,
    people: usize,
    value: impl Fn(usize) -> String,
) -> Vec<&'static str> {
    let values: Vec<String> = (0..people).map(value).collect();
    let texts = values
        .iter()
        .map(|text| (!text.is_empty()).then_some(text.as_str()));
    let column = Column::from_texts(name, texts);
    let policy = policy();
    let view = Before {
        columns: vec![Seen {
            column: &column,
            role,
            as_it_is: true,
        }],
        ..Before::of(&policy)
    };
    let found = before(&view).into_iter();
    found.map(|found| found.finding).collect()
}

/// A number that looks drawn.
fn drawn(person: usize) -> usize {
    let mixed = (person as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 40) as usize
}

const ID: &[&str] = &["identifier-released"];
const TEXT: &[&str] = &["free-text"];
const UNIQUE: &[&str] = &["nearly-unique"];
const NOTHING: &[&str] = &[];

#[test]
fn every_column_is_judged_as_a_steward_would() {
    let insensitive = Role::Insensitive;
    let sensitive = Role::Sensitive;
    let word = |i: usize| {
        let syllables = ["ka", "lo", "mi", "ne", "pu", "ra", "so", "ti", "vu", "ze"];
        let part = |at: u32| syllables[drawn(i) / 10_usize.pow(at) % 10];
        format!("{}{}{}{}", part(0), part(1), part(2), part(3))
    };
    let cases: Vec<(&str, Role, usize, Box<dyn Fn(usize) -> String>, &[&str])> = vec![
        // What names people.
        (
            "name",
            insensitive,
            100,
            Box::new(move |i| format!("{} {}", word(i), word(i + 1000))),
            ID,
        ),
        ("name", sensitive, 8, Box::new(word), ID),
        (
            "Email",
            insensitive,
            30,
            Box::new(|i| format!("p{i}@example.org")),
            ID,
        ),
        (
            "contact",
            insensitive,
            30,
            Box::new(|i| format!("p{i}@example.org")),
            ID,
        ),
        (
            "contact",
            insensitive,
            30,
            Box::new(|i| format!("+49 170 {:07}", 1_000_000 + drawn(i) % 8_999_999)),
            ID,
        ),
        ("id", insensitive, 8, Box::new(|i| (i + 1).to_string()), ID),
        (
            "patient",
            insensitive,
            100,
            Box::new(|i| format!("P-{:05}", i * 7)),
            ID,
        ),
        (
            "col3",
            insensitive,
            50,
            Box::new(|i| (1000 + i).to_string()),
            ID,
        ),
        (
            "ref",
            insensitive,
            50,
            Box::new(|i| format!("{:08x}-0000-4000-8000-{:012x}", drawn(i), i)),
            ID,
        ),
        (
            "account",
            insensitive,
            20,
            Box::new(|i| {
                let body = format!("{:018}", 370_400_440_532_013_000 + i as u64);
                let digits = format!("{body}131400");
                let rest = digits.bytes().fold(0_u32, |rest, byte| {
                    (rest * 10 + u32::from(byte - b'0')) % 97
                });
                format!("DE{:02}{body}", 98 - rest)
            }),
            ID,
        ),
        (
            "card",
            insensitive,
            20,
            Box::new(|i| {
                let body = format!("41111111111{:04}", i * 37);
                let sum: u32 = body
                    .bytes()
                    .rev()
                    .enumerate()
                    .map(|(at, byte)| {
                        let digit = u32::from(byte - b'0');
                        match (at % 2, digit * 2) {
                            (1, _) => digit,
                            (_, twice) => twice / 10 + twice % 10,
                        }
                    })
                    .sum();
                format!("{body}{}", (10 - sum % 10) % 10)
            }),
            ID,
        ),
        (
            "token",
            insensitive,
            40,
            Box::new(move |i| format!("{}{i}", word(i))),
            ID,
        ),
        // What people wrote.
        (
            "remark",
            insensitive,
            40,
            Box::new(move |i| {
                format!(
                    "lives with her sister {} in {} since spring",
                    word(i),
                    word(i + 50)
                )
            }),
            TEXT,
        ),
        (
            "Bemerkung",
            sensitive,
            40,
            Box::new(move |i| {
                if i % 2 == 0 {
                    "keine".to_owned()
                } else {
                    format!("kommt mit dem Nachbarn {} aus {}", word(i), word(i + 50))
                }
            }),
            TEXT,
        ),
        // Measurements of nearly everybody.
        (
            "cost",
            insensitive,
            200,
            Box::new(|i| format!("{}.{:02}", 100 + drawn(i) % 90_000, i % 100)),
            UNIQUE,
        ),
        (
            "Kosten",
            insensitive,
            200,
            Box::new(|i| format!("{}.{:03},{:02}", 1 + i % 9, drawn(i) % 1000, i % 100)),
            UNIQUE,
        ),
        (
            "latitude",
            insensitive,
            200,
            Box::new(|i| format!("52.{:07}", drawn(i) % 10_000_000)),
            UNIQUE,
        ),
        (
            "at",
            insensitive,
            100,
            Box::new(|i| format!("2024-{:02}-{:02}", 1 + i % 12, 1 + i / 12)),
            UNIQUE,
        ),
        // What is none of these.
        (
            "cost",
            sensitive,
            200,
            Box::new(|i| format!("{}.{:02}", 100 + drawn(i) % 90_000, i % 100)),
            NOTHING,
        ),
        (
            "salary",
            sensitive,
            300,
            Box::new(|i| (20_000 + drawn(i) % 80_000).to_string()),
            NOTHING,
        ),
        (
            "glucose",
            insensitive,
            12,
            Box::new(|i| format!("{}.{}", 70 + i * 3, i)),
            NOTHING,
        ),
        (
            "ward",
            insensitive,
            100,
            Box::new(|i| format!("ward {}", i % 7)),
            NOTHING,
        ),
        (
            "ward_name",
            insensitive,
            500,
            Box::new(|i| ["Maria", "Josef", "Anna", "Nord"][i % 4].to_owned()),
            NOTHING,
        ),
        (
            "diagnosis",
            sensitive,
            200,
            Box::new(|i| {
                [
                    "essential (primary) hypertension",
                    "type 2 diabetes mellitus without complications",
                    "acute upper respiratory infection",
                ][i % 3]
                    .to_owned()
            }),
            NOTHING,
        ),
        (
            "icd",
            sensitive,
            500,
            Box::new(|i| format!("{}{:02}", ['A', 'B', 'C', 'E', 'I'][i % 5], drawn(i) % 20)),
            NOTHING,
        ),
        (
            "hospital_url",
            insensitive,
            300,
            Box::new(|i| format!("https://clinic{}.example.org", i % 5)),
            NOTHING,
        ),
        (
            "length-of-stay",
            insensitive,
            300,
            Box::new(|i| (drawn(i) % 30).to_string()),
            NOTHING,
        ),
        (
            "score",
            insensitive,
            10,
            Box::new(|i| (drawn(i) % 100).to_string()),
            NOTHING,
        ),
        (
            "alive",
            insensitive,
            100,
            Box::new(|i| (i % 2 == 0).to_string()),
            NOTHING,
        ),
        (
            "empty",
            insensitive,
            100,
            Box::new(|_| String::new()),
            NOTHING,
        ),
        (
            "source",
            insensitive,
            100,
            Box::new(|_| "registry of 2024".to_owned()),
            NOTHING,
        ),
        (
            "hours",
            insensitive,
            300,
            Box::new(|i| format!("{}.5", drawn(i) % 60)),
            NOTHING,
        ),
    ];
    for (name, role, people, value, expected) in cases {
        let seen = found(name, role, people, value);
        assert_eq!(seen, expected, "{name} as {} of {people}", role.name());
    }
}

#[test]
fn what_a_person_has_in_all_records_points_at_the_person() {
    // Three records each: the value is nobody else's, though it comes three times.
    let people = Column::from_texts("patient", (0..90).map(|i| Some(["a", "b"][i % 2])));
    assert_eq!(view::Spread::of(&people, None).alone, 0);
    let texts: Vec<String> = (0..90).map(|i| format!("p{}", i / 3)).collect();
    let owner = Column::from_texts("patient", texts.iter().map(|text| Some(text.as_str())));
    let names: Vec<String> = (0..90).map(|i| format!("name {}", i / 3)).collect();
    let names = Column::from_texts("name", names.iter().map(|text| Some(text.as_str())));
    let spread = view::Spread::of(&names, Some(&owner));
    assert_eq!((spread.people, spread.alone, spread.distinct), (30, 30, 30));
    // Two people share each name.
    let shared: Vec<String> = (0..90).map(|i| format!("name {}", i / 6)).collect();
    let shared = Column::from_texts("name", shared.iter().map(|text| Some(text.as_str())));
    let spread = view::Spread::of(&shared, Some(&owner));
    assert_eq!((spread.people, spread.alone, spread.distinct), (30, 0, 15));
}

#[test]
fn a_grave_finding_refuses_until_it_is_accepted_by_name() {
    let entry = FINDINGS
        .iter()
        .find(|entry| entry.name == "free-text")
        .expect("listed");
    let found = || Found::on("remark", Said::new("finding.free-text.reason"));
    let plain = policy();
    let open = Finding::new(entry, found(), &plain);
    assert!(open.refuses());
    let said = refusal(&[open]).expect("refused");
    assert_eq!(said.code, "grave-finding");
    assert!(
        said.help
            .contains("free-text = { column = \"remark\", reason"),
        "{}",
        said.help
    );
    let mut accepting = policy();
    accepting.accept = vec![crate::policy::Acceptance {
        finding: "free-text".into(),
        column: Some("remark".into()),
        reason: "read by two".into(),
        span: 0..0,
    }];
    let accepted = Finding::new(entry, found(), &accepting);
    assert_eq!(accepted.accepted.as_deref(), Some("read by two"));
    assert!(refusal(std::slice::from_ref(&accepted)).is_none());
    assert!(unused(&accepting, &[accepted], true).is_empty());
    // Another column is not meant, and what is accepted for nothing is told.
    let other = Finding::new(
        entry,
        Found::on("note", Said::new("finding.free-text.reason")),
        &accepting,
    );
    assert!(other.refuses());
    let idle = unused(&accepting, &[other], true);
    assert_eq!(idle.len(), 1);
    assert_eq!(idle[0].finding, "unused-acceptance");
    // The recipient is told no reason of the steward's and no number.
    let told = Finding::new(entry, found(), &accepting)
        .certified(Language::English)
        .expect("told");
    assert_eq!(told.column.as_deref(), Some("remark"));
    assert!(!told.means.contains("read by two"));
    assert!(!told.means.chars().any(|c| c.is_ascii_digit()));
}
