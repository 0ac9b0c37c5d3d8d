//! A key that would have no effect is a mistake, for every kind of data: a promise is never weakened in silence.

use std::path::Path;

use denym_policy::{Mistake, Policy, Vocabulary};

fn parse(text: &str) -> Result<Policy, Vec<Mistake>> {
    let vocabulary = Vocabulary {
        tables: vec!["auto", "full-domain"],
        paths: vec!["auto"],
        transactions: vec!["auto"],
        ..Vocabulary::default()
    };
    Policy::parse(text, Path::new("policy.toml"), &vocabulary)
}

/// The codes of the mistakes with the lines they are on.
fn mistakes(text: &str) -> Vec<(&'static str, usize)> {
    match parse(text) {
        Ok(_) => Vec::new(),
        Err(found) => found
            .iter()
            .map(|mistake| (mistake.code, mistake.line(text)))
            .collect(),
    }
}

const TABLE: &str =
    "[data]\npath = \"p.csv\"\n[attributes]\nage = \"quasi\"\nill = \"sensitive\"\n[promise]\n";
const PATHS: &str = "[promise]\nk-anonymity = 5\n[data]\nkind = \"paths\"\npath = \"p.csv\"\n";
const BASKETS: &str =
    "[promise]\nk-anonymity = 5\n[data]\nkind = \"transactions\"\npath = \"p.csv\"\n";
const TRAILS: &str = "[promise]\nk-anonymity = 3\n[data]\nkind = \"trails\"\nidentified = \"a.csv\"\nanonymous = \"b.csv\"\n";

#[test]
fn a_detail_table_is_refused_beside_paths_and_transactions() {
    for (kind, lines) in [(PATHS, 6), (BASKETS, 6)] {
        let text = format!("{kind}detail = [{{ path = \"v.csv\", foreign-key = \"id\" }}]\n");
        assert_eq!(mistakes(&text), [("policy-unused-key", lines)], "{text}");
    }
}

#[test]
fn the_files_of_trails_are_refused_for_other_data() {
    for key in ["identified", "anonymous", "owners"] {
        for kind in [PATHS, BASKETS] {
            let text = format!("{kind}{key} = \"x.csv\"\n");
            assert_eq!(mistakes(&text), [("policy-unused-key", 6)], "{text}");
        }
        let text = format!("{TABLE}k-anonymity = 2\n")
            .replace("[attributes]", &format!("{key} = \"x.csv\"\n[attributes]"));
        assert_eq!(mistakes(&text), [("policy-unused-key", 3)], "{text}");
    }
}

#[test]
fn trails_refuse_what_only_other_data_have() {
    for line in [
        "algorithm = \"auto\"",
        "metric = \"loss\"",
        "suppress-at-most = 0.1",
        "task = { classify = \"ill\" }",
        "seed = 3",
        "gamma = 0.2",
    ] {
        let text = format!("{TRAILS}[release]\nformat = \"csv\"\n{line}\n");
        assert_eq!(mistakes(&text), [("policy-unused-key", 9)], "{text}");
    }
    let kept = format!("{TRAILS}[release]\nformat = \"json\"\nformulas = \"keep\"\n");
    assert_eq!(mistakes(&kept), []);
}

#[test]
fn trails_refuse_attributes_and_another_adversary() {
    let text = format!("{TRAILS}[attributes]\nage = \"quasi\"\n");
    assert_eq!(mistakes(&text), [("policy-unused-key", 7)]);
    let text = format!("{TRAILS}[adversary]\nknows = {{ at-most = 2 }}\n");
    assert_eq!(mistakes(&text), [("policy-unused-key", 7)]);
}

#[test]
fn a_key_that_nobody_knows_is_called_unknown() {
    let text = format!("{TRAILS}[release]\nformt = \"csv\"\n");
    assert_eq!(mistakes(&text), [("policy-unknown-key", 8)]);
}

#[test]
fn a_fraction_of_a_value_is_no_diversity_in_the_short_form_either() {
    assert_eq!(
        mistakes(&format!("{TABLE}l-diversity = 2.5\n")),
        [("policy-out-of-range", 7)]
    );
    let entropy = format!("{TABLE}l-diversity = {{ kind = \"entropy\", l = 2.5 }}\n");
    assert_eq!(mistakes(&entropy), []);
    let whole = parse(&format!("{TABLE}l-diversity = 2\n")).expect("a policy");
    let promise = &whole.promises[0].promise;
    assert_eq!(promise.listed(), "distinct-l-diversity");
    let l = promise.number("l").expect("a diversity");
    assert_eq!((l.numerator(), l.denominator()), (2, 1));
}
