//! `denym access audit`.

use std::collections::BTreeMap;
use std::path::Path;

use denym_gateway::audit::{AuditLog, Event};

use crate::support::{json, run, write};
use crate::{both, done, read, words};

/// Six entries of two users over three days.
fn written(directory: &Path) {
    let log = AuditLog::open(&directory.join("audit.jsonl")).expect("opens");
    for number in 0..6u64 {
        let event = Event {
            event: if number == 5 { "refused" } else { "served" }.into(),
            at: format!("2026-03-{:02} 10:{number:02}", 2 + number / 2),
            user: if number % 2 == 0 { "russell" } else { "nadia" }.into(),
            purpose: Some(
                if number % 2 == 0 {
                    "marketing"
                } else {
                    "analysis"
                }
                .into(),
            ),
            statement: Some(format!("SELECT {number}\nFROM customer_info")),
            tables: BTreeMap::from([(
                if number == 4 {
                    "orders"
                } else {
                    "customer_info"
                }
                .to_owned(),
                vec!["name".to_owned()],
            )]),
            rows: Some(number),
            decision: if number == 5 {
                "statement-not-allowed"
            } else {
                "allowed"
            }
            .into(),
            obligations: vec!["note the campaign".into()],
            ..Event::default()
        };
        log.append(event).expect("appends");
    }
}

#[test]
fn a_changed_log_is_found_at_its_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    written(here);
    let (code, document) = json(here, &["access", "audit", "verify", "audit.jsonl"]);
    assert_eq!(
        (code, &document["holds"], &document["entries"]),
        (0, &true.into(), &6.into())
    );
    let last = document["last_hash"].as_str().expect("a hash").to_owned();
    let text = read(here.join("audit.jsonl"));
    let lines: Vec<&str> = text.lines().collect();
    for line in 0..6 {
        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        changed[line] = changed[line].replace(&format!("\"rows\":{line}"), "\"rows\":77");
        let removed: Vec<&str> = [&lines[..line], &lines[line + 1..]].concat();
        let cases = [
            (changed.join("\n") + "\n", line + 1),
            // without its last line a log holds; who noted the hash sees it below
            (removed.join("\n") + "\n", line + 1),
        ];
        for (text, expect) in cases {
            let cut = expect == 6 && text.lines().count() == 5;
            write(here, "changed.jsonl", &text);
            let (code, document) = json(here, &["access", "audit", "verify", "changed.jsonl"]);
            if cut {
                assert_eq!(code, 0);
                let args = [
                    "access",
                    "audit",
                    "verify",
                    "changed.jsonl",
                    "--noted",
                    &last,
                ];
                let (code, document) = json(here, &args);
                assert_eq!(
                    (code, &document["error"]["code"]),
                    (1, &"audit-hash-unknown".into())
                );
                continue;
            }
            assert_eq!((code, &document["holds"]), (1, &false.into()));
            assert_eq!(
                document["error"]["location"],
                format!("changed.jsonl:{expect}")
            );
            let output = run(here, &["access", "audit", "verify", "changed.jsonl"]);
            assert_eq!(output.status.code(), Some(1));
            let shown = both(&output);
            assert!(
                shown.contains(&format!("does not hold from entry {expect}")),
                "{shown}"
            );
            assert!(
                shown.contains(&format!("--> changed.jsonl:{expect}")),
                "{shown}"
            );
        }
    }
    let third: serde_json::Value = serde_json::from_str(lines[2]).expect("an entry");
    let noted = third["hash"].as_str().expect("a hash");
    let (_, document) = json(
        here,
        &["access", "audit", "verify", "audit.jsonl", "--noted", noted],
    );
    assert_eq!(document["since_noted"], 3);
    // half an entry, as a crash of the disk could leave
    write(here, "half.jsonl", &text[..text.len() - 30]);
    let (code, document) = json(here, &["access", "audit", "verify", "half.jsonl"]);
    assert_eq!(
        (code, &document["error"]["location"]),
        (1, &"half.jsonl:6".into())
    );
    assert_eq!(
        run(here, &["access", "audit", "verify", "absent.jsonl"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn entries_by_user_purpose_table_and_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let here = directory.path();
    written(here);
    let numbers = |more: &[&str]| -> Vec<u64> {
        let mut args = vec!["access", "audit", "show", "audit.jsonl"];
        args.extend(more);
        let (code, document) = json(here, &args);
        assert_eq!(code, 0);
        let entries = document["entries"].as_array().expect("entries").iter();
        entries
            .map(|entry| entry["entry"].as_u64().expect("a number"))
            .collect()
    };
    assert_eq!(numbers(&[]), [1, 2, 3, 4, 5, 6]);
    assert_eq!(numbers(&["--user", "nadia"]), [2, 4, 6]);
    assert_eq!(numbers(&["--purpose", "marketing"]), [1, 3, 5]);
    assert_eq!(numbers(&["--table", "orders"]), [5]);
    assert_eq!(numbers(&["--since", "2026-03-03"]), [3, 4, 5, 6]);
    assert_eq!(
        numbers(&["--since", "2026-03-03T10:03", "--user", "nadia"]),
        [4, 6]
    );
    assert_eq!(numbers(&["--user", "nobody"]), [0u64; 0]);
    let text = done(here, &words("access audit show audit.jsonl --table orders"));
    assert_eq!(
        text,
        "     5  2026-03-04 10:04  russell  served  allowed  for marketing  orders(name)  4 rows  obligations: note the campaign  SELECT 4 FROM customer_info\n"
    );
    let log = read(here.join("audit.jsonl")).replace("\"rows\":3", "\"rows\":4");
    write(here, "audit.jsonl", log);
    let output = run(here, &words("access audit show audit.jsonl --table orders"));
    assert!(both(&output).contains("warning: the log does not hold"));
}
