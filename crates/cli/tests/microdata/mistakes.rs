//! What a policy on numbers can get wrong, and what cannot be had.

use super::support::{json, run, write};
use super::{ANONYMIZE, people, people_policy, released};

#[test]
fn mistakes_are_told_before_anything_is_done() {
    let (directory, text) = people_policy("", "");
    let check = |text: &str, code: &str, words: &str| {
        write(directory.path(), "policy.toml", text);
        let (exit, document) = json(directory.path(), &ANONYMIZE);
        assert_eq!(
            (exit, &document["error"]["code"]),
            (2, &code.into()),
            "{document}"
        );
        let message = document["error"]["message"].to_string()
            + &run(directory.path(), &ANONYMIZE)
                .stderr
                .escape_ascii()
                .to_string();
        assert!(message.contains(words), "{message}");
        assert!(!directory.path().join("bundle").exists());
    };
    let quasi = |name: &str| text.replace("disease =", &format!("{name} = \"quasi\"\ndisease ="));
    check(&quasi("town"), "policy-not-numeric", "town");
    check(
        &text.replace(
            "height = \"quasi\"",
            "height = { role = \"quasi\", hierarchy = { interval = [10] } }",
        ),
        "policy-unused-key",
        "height",
    );
    check(
        &(text.clone() + "attribute-groups = [[\"height\"]]\n"),
        "policy-attribute-groups",
        "weight",
    );
    check(
        &(text.clone() + "standardize = \"yes\"\n"),
        "policy-unknown-value",
        "standardize",
    );
    check(
        &(text.clone() + "perturb = [{ columns = [\"disease\"], method = \"round\", base = 5 }]\n"),
        "policy-not-numeric",
        "disease",
    );
    check(
        &(text.clone() + "perturb = [{ columns = [\"income\"], method = \"round\", share = 5 }]\n"),
        "policy-missing-key",
        "base",
    );
    check(
        &text.replace("\"mdav\"", "\"univariate\""),
        "algorithm-one-column",
        "one column",
    );

    write(
        directory.path(),
        "people.csv",
        people().replacen("150,50.5,", ",50.5,", 1),
    );
    check(&text, "policy-missing-numbers", "height");
    write(
        directory.path(),
        "policy.toml",
        text.replace(
            "height = \"quasi\"",
            "height = { role = \"quasi\", missing = \"suppress\" }",
        )
        .replace("[release]\n", "[release]\nsuppress-at-most = 0.02\n"),
    );
    let document = released(directory.path(), &ANONYMIZE);
    assert_eq!(document["suppressed_records"], 1);
}

#[test]
fn too_few_records_are_a_refusal() {
    let (directory, text) = people_policy("", "");
    write(
        directory.path(),
        "policy.toml",
        text.replace("k-anonymity = 3", "k-anonymity = 51"),
    );
    let (code, document) = json(directory.path(), &ANONYMIZE);
    assert_eq!((code, &document["status"]), (1, &"refused".into()));
    assert!(document["error"]["help"].to_string().contains("k = 50"));
}
