//! What a promise asks for is written into certificates as it always was, byte by byte, and read back as the same.

use denym_data::Fraction;
use denym_measure::catalogue::{PROMISES, promise_entry};
use denym_measure::{Given, PromiseSpec};

/// Each kind of promise as a certificate writes it, with the name it is listed by.
const WRITTEN: [(&str, &str); 21] = [
    ("k-anonymity", r#"{"promise":"k-anonymity","k":5}"#),
    (
        "distinct-l-diversity",
        r#"{"promise":"l-diversity","attribute":"ill","kind":{"kind":"distinct"},"l":"3/1"}"#,
    ),
    (
        "entropy-l-diversity",
        r#"{"promise":"l-diversity","attribute":null,"kind":{"kind":"entropy"},"l":"5/2"}"#,
    ),
    (
        "recursive-l-diversity",
        r#"{"promise":"l-diversity","attribute":"ill","kind":{"kind":"recursive","c":"2/1","least":"0/1"},"l":"3/1"}"#,
    ),
    (
        "positive-disclosure-recursive-l-diversity",
        r#"{"promise":"l-diversity","attribute":"ill","kind":{"kind":"recursive","c":"2/1","allowed":["flu"],"least":"0/1"},"l":"3/1"}"#,
    ),
    (
        "negative-disclosure-recursive-l-diversity",
        r#"{"promise":"l-diversity","attribute":"ill","kind":{"kind":"recursive","c":"2/1","floor":["hiv"],"least":"1/20"},"l":"3/1"}"#,
    ),
    (
        "t-closeness",
        r#"{"promise":"t-closeness","attribute":"ill","t":"1/5","distance":"equal"}"#,
    ),
    (
        "t-closeness-ordered",
        r#"{"promise":"t-closeness","attribute":"ill","t":"1/5","distance":"ordered"}"#,
    ),
    (
        "t-closeness-hierarchical",
        r#"{"promise":"t-closeness","attribute":"ill","t":"1/5","distance":"hierarchical"}"#,
    ),
    (
        "confidence",
        r#"{"promise":"confidence","attribute":"ill","values":[],"at_most":"3/5"}"#,
    ),
    (
        "xy-anonymity",
        r#"{"promise":"xy-anonymity","y":["ward","ill"],"k":3}"#,
    ),
    (
        "xy-privacy",
        r#"{"promise":"xy-privacy","attribute":"ill","values":["hiv"],"at_most":"3/5","k":5}"#,
    ),
    (
        "alpha-k-anonymity",
        r#"{"promise":"alpha-k-anonymity","attribute":"ill","alpha":"1/2","k":5}"#,
    ),
    (
        "k-e-anonymity",
        r#"{"promise":"k-e-anonymity","attribute":"pay","k":3,"e":"1000/1"}"#,
    ),
    (
        "epsilon-m-anonymity",
        r#"{"promise":"epsilon-m-anonymity","attribute":"pay","epsilon":"500/1","m":3}"#,
    ),
    (
        "basic-beta-likeness",
        r#"{"promise":"beta-likeness","attribute":"ill","beta":"2/1","kind":"basic"}"#,
    ),
    (
        "enhanced-beta-likeness",
        r#"{"promise":"beta-likeness","attribute":"ill","beta":"2/1","kind":"enhanced"}"#,
    ),
    (
        "delta-disclosure",
        r#"{"promise":"delta-disclosure","attribute":"ill","delta":"3/2","base":"2"}"#,
    ),
    ("k-map", r#"{"promise":"k-map","k":5}"#),
    (
        "delta-presence",
        r#"{"promise":"delta-presence","least":"0/1","most":"3/10"}"#,
    ),
    (
        "personalized-privacy",
        r#"{"promise":"personalized-privacy","attribute":"ill","at_most":"1/2"}"#,
    ),
];

fn read(text: &str) -> PromiseSpec {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn every_promise_of_a_policy_is_written_and_read() {
    for (listed, text) in WRITTEN {
        let spec = read(text);
        assert_eq!(spec.listed(), listed, "{text}");
        assert_eq!(serde_json::to_string(&spec).expect("JSON"), text);
    }
    let missing = PROMISES.iter().filter(|entry| entry.in_policy.is_some());
    let missing: Vec<&str> = missing
        .map(|entry| entry.name)
        .filter(|name| WRITTEN.iter().all(|(listed, _)| listed != name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_names_of_places_stay_at_home_and_those_of_items_do_not() {
    let half = Fraction::of(1, 2);
    let places = PromiseSpec::places(vec!["Clinic".into()], half);
    let written = serde_json::to_string(&places).expect("JSON");
    assert_eq!(written, r#"{"promise":"places","at_most":"1/2"}"#);
    assert!(read(&written).is_about_places());
    let items = PromiseSpec::items(vec!["test".into()], half);
    let written = serde_json::to_string(&items).expect("JSON");
    assert_eq!(
        written,
        r#"{"promise":"items","items":["test"],"at_most":"1/2"}"#
    );
    assert_eq!(read(&written), items);
    assert_eq!(
        (places.name(), items.listed()),
        ("confidence", "confidence")
    );
}

#[test]
fn what_is_no_promise_is_not_read() {
    for text in [
        r#"{"promise":"privacy","k":5}"#,
        r#"{"k":5}"#,
        r#"{"promise":"k-anonymity"}"#,
        r#"{"promise":"k-anonymity","k":"5/1"}"#,
        r#"{"promise":"k-anonymity","k":-5}"#,
        r#"{"promise":"t-closeness","attribute":"ill","t":"1/5","distance":"far"}"#,
        r#"{"promise":"t-closeness","attribute":"ill","t":0.2,"distance":"equal"}"#,
        r#"{"promise":"l-diversity","attribute":"ill","kind":{"kind":"recursive"},"l":"3/1"}"#,
        r#"{"promise":"l-diversity","attribute":"ill","kind":"distinct","l":"3/0"}"#,
        r#"{"promise":"confidence","attribute":"ill","at_most":"3/5"}"#,
    ] {
        assert!(serde_json::from_str::<PromiseSpec>(text).is_err(), "{text}");
    }
}

#[test]
fn every_entry_names_a_bound_that_it_takes_and_is_built_from_its_parameters() {
    for entry in PROMISES.iter() {
        let bound = entry.given().find(|one| one.name == entry.bound);
        assert!(bound.is_some(), "`{}` is bound by nothing", entry.name);
        let alone = entry
            .alone
            .map(|name| entry.given().any(|one| one.name == name));
        assert_ne!(alone, Some(false), "`{}`", entry.name);
        for one in entry.given() {
            assert!(
                !one.example.is_empty(),
                "`{}` of `{}`",
                one.name,
                entry.name
            );
        }
    }
    let tenth = || Given::Number(Fraction::of(1, 10));
    let spec = PromiseSpec::new(
        "epsilon-m-anonymity",
        [("epsilon", tenth()), ("m", Given::Whole(4))],
    );
    let spec = spec.expect("its parameters");
    assert!((spec.bound() - 0.25).abs() < 1e-12, "one in four");
    assert!(PromiseSpec::new("k-anonymity", [("k", tenth())]).is_none());
    assert!(PromiseSpec::new("k-anonymity", [("k", Given::Whole(2)), ("l", tenth())]).is_none());
    assert!(promise_entry("k-anonymity").is_some_and(|entry| entry.form().name == entry.name));
}
