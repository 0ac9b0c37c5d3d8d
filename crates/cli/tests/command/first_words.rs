//! What a newcomer types first and wrongly, or first and rightly, is answered in a few plain lines.

use crate::support;

use support::{json, patients, run, write};

fn said(directory: &std::path::Path, args: &[&str]) -> (Option<i32>, String) {
    let output = run(directory, args);
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(text).expect("text"))
}

#[test]
fn data_in_place_of_a_policy_is_named_and_not_printed() {
    let directory = patients();
    let (code, text) = said(directory.path(), &["anonymize", "patients.csv"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("this file is no policy"), "{text}");
    assert!(
        !text.contains("Ann") && !text.contains("cancer") && text.lines().count() < 6,
        "{text}"
    );
}

#[test]
fn a_directory_that_is_not_there_is_no_broken_bundle() {
    let directory = patients();
    let (code, text) = said(directory.path(), &["verify", "nowhere"]);
    assert_eq!(code, Some(2));
    assert!(text.contains("there is no directory nowhere"), "{text}");
    assert!(
        !text.contains("broken") && !text.contains("publisher"),
        "{text}"
    );
}

#[test]
fn check_is_a_dry_run_with_every_mistake() {
    let directory = patients();
    let (code, text) = said(directory.path(), &["check", "policy.toml"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("full-domain"), "{text}");
    assert_eq!(
        std::fs::read_dir(directory.path())
            .expect("a directory")
            .count(),
        2
    );
    let wrong = support::POLICY
        .replace("sex = \"quasi\"", "sexe = \"quasi\"")
        .replace("disease = \"sensitive\"", "illness = \"sensitive\"");
    write(directory.path(), "policy.toml", wrong);
    let (code, text) = said(directory.path(), &["check", "policy.toml"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("`sexe`") && text.contains("`illness`"),
        "{text}"
    );
}

#[test]
fn codes_and_numbers_of_people_are_not_averaged() {
    let directory = support::empty();
    let mut csv = String::from("patient,zip,age\n");
    for row in 0..300 {
        csv += &format!("{},{},{}\n", 100_000 + row, 10_115 + row % 7, 20 + row % 60);
    }
    write(directory.path(), "a.csv", &csv);
    write(directory.path(), "b.csv", csv.replace("100", "200"));
    let (code, found) = json(directory.path(), &["compare", "a.csv", "b.csv"]);
    assert_eq!(code, 0, "{found}");
    for code in ["patient", "zip"] {
        assert!(
            found["columns"][code]["moments"].is_null(),
            "{code}: {found}"
        );
        assert!(
            found["numbers"]["columns"][code].is_null(),
            "{code}: {found}"
        );
    }
    assert!(
        found["columns"]["age"]["moments"]["mean_before"].is_number(),
        "{found}"
    );
    assert_eq!(
        found["correlations"].as_array().map(Vec::len),
        Some(0),
        "{found}"
    );
}

#[test]
fn a_bundle_can_be_compared_with_its_source() {
    let directory = patients();
    assert_eq!(
        said(directory.path(), &["anonymize", "policy.toml", "-o", "out"]).0,
        Some(0)
    );
    let (code, found) = json(directory.path(), &["compare", "patients.csv", "out"]);
    assert_eq!((code, &found["records_after"]), (0, &8.into()), "{found}");
}

#[test]
fn the_list_of_algorithms_says_which_to_take_first() {
    let directory = support::empty();
    let (code, short) = said(directory.path(), &["algorithms"]);
    assert_eq!(code, Some(0));
    assert!(
        short
            .lines()
            .next()
            .is_some_and(|line| line.contains("Take `auto` first")),
        "{short}"
    );
    let (_, all) = said(directory.path(), &["algorithms", "--all"]);
    assert!(2 * short.lines().count() < all.lines().count());
    assert!(all.contains("who knows the program") && !short.contains("2006"));
}
