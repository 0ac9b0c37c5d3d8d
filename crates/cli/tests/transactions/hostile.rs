//! Transactions that cannot be released, policies with mistakes and hostile files: a clear word each, and no cell quoted.

use crate::support;

use serde_json::Value;
use support::baskets::{BASKETS, POLICY, anonymized, wide};
use support::{run, write};

#[test]
fn refusals_say_what_can_be_had() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "baskets.csv", wide(&BASKETS));
    let (code, found) = anonymized(at, &POLICY.replace("0.4", "0.1"));
    assert_eq!((code, &found["status"]), (1, &Value::from("refused")));
    assert_eq!(found["error"]["code"], "paths-base-rate");
    let help = found["error"]["help"].as_str().expect("help");
    assert!(help.contains("2/12"), "{help}");
    assert!(found["critical_violations"].as_u64() > Some(0));
    assert_eq!(found["bundle"], Value::Null);
    let (code, found) = anonymized(at, &POLICY.replace("k-anonymity = 3", "k-anonymity = 13"));
    assert_eq!(
        (code, &found["error"]["code"]),
        (1, &Value::from("paths-too-few-records"))
    );
    assert!(!at.join("out").exists());
}

#[test]
fn every_mistake_of_a_policy_at_once() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    write(at, "baskets.csv", wide(&BASKETS));
    let policy = "\
[data]
path = \"baskets.csv\"
kind = \"transactions\"
separator = \"ab\"
[attributes]
age = \"quasi\"
[adversary]
knows = { items = 0 }
[promise]
k-anonymity = 3
k-map = 2
confidence = { at-most = 0.4 }
[release]
algorithm = \"item-generalization\"
metric = \"lost-itemsets\"
";
    write(at, "policy.toml", policy);
    let output = run(at, &["anonymize", "policy.toml"]);
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    for part in [
        "separator",
        "`age` stands beside the items",
        "items",
        "`k-map` is not judged on transactions",
        "or `items = [\"pregnancy test\"]`",
        "taxonomy",
        "frequent-itemsets",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn hostile_files_get_a_clear_error_and_no_cell_is_quoted() {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    for (data, more, code, part) in [
        (
            "item,subject\nsecretword,\n",
            "",
            2,
            "row 1: `subject` is missing",
        ),
        (
            "customer,items\na,secretword\na,x\n",
            "subject = \"customer\"",
            2,
            "row 2: `customer` repeats",
        ),
        (
            "customer,basket\na,secretword\n",
            "",
            2,
            "neither a column `items` nor columns `subject` and `item`",
        ),
        ("customer,items\n", "", 2, "no record"),
    ] {
        write(at, "baskets.csv", data);
        let kind = "kind = \"transactions\"";
        write(
            at,
            "policy.toml",
            POLICY.replace(kind, &format!("{kind}\n{more}")),
        );
        let output = run(at, &["anonymize", "policy.toml", "-o", "out"]);
        let text = format!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(output.status.code(), Some(code), "{text}");
        assert!(text.contains(part), "{part}: {text}");
        assert!(!text.contains("secretword"), "{text}");
        assert!(!at.join("out").exists());
    }
    // A file without a comma anywhere is read by its name all the same.
    write(
        at,
        "baskets.csv",
        "items\nbread milk\nbread\nmilk bread\nbread milk\n",
    );
    let policy = POLICY
        .replace(
            "kind = \"transactions\"",
            "kind = \"transactions\"\nseparator = \" \"",
        )
        .replace("confidence = { items = [\"test\"], at-most = 0.4 }\n", "");
    let (code, found) = anonymized(at, &policy);
    assert_eq!(code, 0, "{found}");
    let text = std::fs::read_to_string(at.join("out/release/baskets.csv")).expect("data");
    assert_eq!(text, "items\nbread\nbread milk\nbread milk\nbread milk\n");
}
