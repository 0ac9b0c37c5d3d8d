//! The list of codes is whole: none is used beside it, none stands in it without a use, and the book shows all of them.

use std::collections::BTreeSet;
use std::path::Path;

use denym_policy::codes;

/// The codes that the sources below `directory` use.
fn used(directory: &Path, codes: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            used(&path, codes);
        } else if path.file_name().is_some_and(|name| name != "codes.rs") {
            let text = std::fs::read_to_string(&path).expect("a source");
            let quoted = text.split("\"policy-").skip(1);
            let ends = quoted.filter_map(|rest| rest.split_once('"'));
            codes.extend(ends.map(|(code, _)| format!("policy-{code}")));
        }
    }
}

#[test]
fn every_code_is_listed_and_every_listed_code_is_used() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found = BTreeSet::new();
    for room in ["policy", "purpose", "denym"] {
        used(&crates.join(room).join("src"), &mut found);
    }
    let listed: Vec<String> = codes().map(|(code, _)| code.to_owned()).collect();
    assert_eq!(Vec::from_iter(found), listed);
}

#[test]
fn the_book_shows_the_list() {
    let rows: String = codes()
        .map(|(code, meaning)| format!("| `{code}` | {meaning} |\n"))
        .collect();
    let page = "docs/src/reference/mistakes.md";
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(page);
    let text = std::fs::read_to_string(path).expect("the page");
    let table = text.split_once("|---|---|\n").map(|(_, rows)| rows);
    assert_eq!(table, Some(rows.as_str()), "{page} is out of date");
}
