//! What a recipient reads, for every kind of release.

use crate::bundles;
use crate::support;

#[test]
fn what_a_recipient_reads() {
    for bundle in bundles::all() {
        let directory = support::empty();
        bundle.write(directory.path());
        let output = support::run(directory.path(), &["verify", "."]);
        let text = format!(
            "exit {}\n{}",
            output.status.code().unwrap_or(-1),
            String::from_utf8_lossy(&output.stdout)
        );
        let last = text.lines().last().unwrap_or_default();
        assert!(
            last.starts_with("measured again: ") && last.ends_with("not signed"),
            "{text}"
        );
        insta::assert_snapshot!(bundle.name, text);
    }
}

/// The example everybody runs first: people are counted, so nothing can be measured, and that is what it says.
#[test]
fn the_hospital_is_attested_and_says_so() {
    let directory = support::empty();
    let example = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../examples/hospital/policy.toml"
    );
    let output = support::run(directory.path(), &["anonymize", example, "-o", "out"]);
    assert_eq!(output.status.code(), Some(0));
    let output = support::run(directory.path(), &["verify", "out"]);
    let text = String::from_utf8(output.stdout).expect("text");
    let last = text.lines().last().unwrap_or_default();
    assert_eq!(
        (output.status.code(), last),
        (
            Some(0),
            "measured again: 0 of 2 claims; the rest rests on the publisher's word; not signed"
        ),
        "{text}"
    );
    assert!(text.contains("verdict    attested, not verified"), "{text}");
    assert!(
        text.contains("not judged by any promise: length-of-stay"),
        "{text}"
    );
}
