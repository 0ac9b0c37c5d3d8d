//! A key that would have no effect is a mistake, for every kind of data: a promise is never weakened in silence.

use std::path::Path;

use denym_data::{AlgorithmEntry, AlgorithmUse, Verdict};
use denym_policy::{About, Mistake, Policy, Vocabulary, Words};

const fn algorithm(name: &'static str) -> AlgorithmEntry {
    AlgorithmEntry::new(name, "table", Verdict::SAFE, "", "")
}

const ALGORITHMS: &[AlgorithmEntry] = &[
    algorithm("auto"),
    algorithm("full-domain"),
    algorithm("top-down-specialization")
        .uses(&[AlgorithmUse::Classify, AlgorithmUse::GrowIntervals]),
];

fn parse(text: &str) -> Result<Policy, Vec<Mistake>> {
    let vocabulary = Vocabulary::new(|kind| Words {
        algorithms: ALGORITHMS.iter().collect(),
        attacks: vec![match kind {
            "table" => "linkage",
            "paths" => "doublets",
            "transactions" => "items",
            _ => "forced",
        }],
        findings: vec![
            ("free-text", About::Column),
            ("no-quasi-identifier", About::Release),
            ("certain-attack", About::Either),
        ],
    });
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
fn a_description_is_for_columns_that_are_published() {
    let with =
        |line: &str| TABLE.replace("[promise]", &format!("{line}\n[promise]\nk-anonymity = 2"));
    let told = with("sex = { role = \"quasi\", description = \"as in the passport\" }");
    let policy = parse(&told).expect("a policy");
    let sex = policy.attributes.iter().find(|spec| spec.name == "sex");
    let told = sex.and_then(|spec| spec.description.as_deref());
    assert_eq!(told, Some("as in the passport"));
    let secret = with("name = { role = \"identifier\", description = \"x\" }");
    assert_eq!(mistakes(&secret), [("policy-unused-key", 6)]);
    let number = with("sex = { role = \"quasi\", description = 3 }");
    assert_eq!(mistakes(&number), [("policy-wrong-type", 6)]);
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

/// Every key of a section, with a value that some kind of data takes.
const KEYS: [(&str, &[&str]); 4] = [
    (
        "data",
        &[
            "format = \"csv\"",
            "delimiter = \";\"",
            "quote = \"'\"",
            "header = true",
            "encoding = \"utf-8\"",
            "missing-values = [\"NA\"]",
            "skip-rows = 2",
            "sheet = \"Patients\"",
            "decimal = \",\"",
            "thousands = \".\"",
            "time-format = \"DD/MM/YYYY hh:mm\"",
            "detail = [{ path = \"v.csv\", foreign-key = \"id\" }]",
            "subject = \"who\"",
            "location = \"where\"",
            "time = \"when\"",
            "path-column = \"route\"",
            "collapse-repeats = true",
            "several-places = true",
            "slot = 60",
            "item = \"what\"",
            "items-column = \"basket\"",
            "separator = \";\"",
            "owners = \"o.csv\"",
        ],
    ),
    (
        "adversary",
        &[
            "knows = \"quasi-identifiers\"",
            "knows = { doublets = 2 }",
            "knows = { items = 2 }",
            "records = \"one\"",
            "matching = \"covers\"",
        ],
    ),
    (
        "release",
        &[
            "format = \"json\"",
            "formulas = \"keep\"",
            "delimiter = \";\"",
            "encoding = \"latin1\"",
            "encoding = \"source\"",
            "decimal = \",\"",
            "thousands = \"\"",
            "date-format = \"YYYY-MM-DD\"",
            "algorithm = \"auto\"",
            "metric = \"loss\"",
            "metric = \"distortion\"",
            "metric = \"lost-itemsets\"",
            "metric = \"height\"",
            "seed = 3",
            "suppress-at-most = 0.1",
            "grain = \"one-per-column\"",
            "ranges = \"rounded\"",
            "task = { classify = \"ill\" }",
            "grow-intervals = true",
            "standardize = \"raw\"",
            "centroid = \"median\"",
            "attribute-groups = [[\"age\"]]",
            "gamma = 0.2",
            "perturb = { columns = [\"age\"], method = \"round\", base = 5 }",
            "insertion = \"posterior\"",
            "unconcerned = { attribute = \"ok\", values = [\"yes\"] }",
            "unsuppress = false",
            "places = \"r.csv\"",
            "slots = [2]",
            "frequent-sequences = { support = 9 }",
            "earlier = \"last\"",
            "taxonomy = \"t.csv\"",
            "frequent-itemsets = { support = 9 }",
        ],
    ),
    (
        "attack",
        &[
            "refuse-above = 0.2",
            "refuse-above = { linkage = 0.2 }",
            "refuse-above = { doublets = 0.2 }",
            "refuse-above = { items = 0.2 }",
            "refuse-above = { forced = 0.2 }",
        ],
    ),
];

/// What each kind of data takes of these, in the order above: a letter for each kind, a dot where it is refused.
const TAKEN: [(&str, &[&str]); 4] = [
    (
        "data",
        &[
            "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", ".p..",
            "t...", ".ps.", ".p..", ".p..", ".p..", ".p..", ".p..", ".p..", "..s.", "..s.", "..s.",
            "...r",
        ],
    ),
    ("adversary", &["t...", ".p..", "..s.", "t...", ".p.."]),
    (
        "release",
        &[
            "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", "tpsr", "tps.", "tps.", ".ps.",
            "..s.", "t...", "tps.", "tp..", "t...", "t...", "t...", "t...", "t...", "t...", "t...",
            "t...", "t...", "t...", "t...", ".ps.", ".p..", ".p..", ".p..", ".p..", "..s.", "..s.",
        ],
    ),
    ("attack", &["tpsr", "t...", ".p..", "..s.", "...r"]),
];

#[test]
fn every_key_of_every_section_has_an_effect_or_is_refused() {
    let table = "[attributes]\nid = \"subject\"\nage = \"quasi\"\nill = \"sensitive\"\n[promise]\nk-anonymity = 2\n";
    let plain = "[promise]\nk-anonymity = 2\n";
    let kinds = [
        ("t", "kind = \"table\"\npath = \"p.csv\"\n", table),
        ("p", "kind = \"paths\"\npath = \"p.csv\"\n", plain),
        ("s", "kind = \"transactions\"\npath = \"p.csv\"\n", plain),
        (
            "r",
            "kind = \"trails\"\nidentified = \"a.csv\"\nanonymous = \"b.csv\"\n",
            plain,
        ),
    ];
    for ((section, lines), (_, taken)) in KEYS.iter().zip(TAKEN) {
        assert_eq!(lines.len(), taken.len(), "{section}");
        for (line, taken) in lines.iter().zip(taken) {
            let mut found = String::new();
            for (letter, data, rest) in kinds {
                let mut text = format!("[data]\n{data}");
                if *section == "data" {
                    text += &format!("{line}\n{rest}");
                } else {
                    text += &format!("{rest}[{section}]\n{line}\n");
                }
                // What belongs together is given together.
                for key in ["task = ", "grow-intervals = "] {
                    let both = format!("algorithm = \"top-down-specialization\"\n{key}");
                    text = text.replace(key, &both);
                }
                text = text.replace(
                    "lost-itemsets\"\n",
                    "lost-itemsets\"\nfrequent-itemsets = { support = 9 }\n",
                );
                found += if mistakes(&text).is_empty() {
                    letter
                } else {
                    "."
                };
            }
            assert_eq!(found, *taken, "`{line}` in `[{section}]`");
        }
    }
}

#[test]
fn an_attribute_beside_a_sequence_has_nothing_that_only_columns_of_tables_have() {
    let own = [
        "type = \"integer\"",
        "min-level = 1",
        "max-level = 1",
        "top = 90",
        "bottom = 10",
        "microaggregate = \"mean\"",
        "weight = 2",
    ];
    for line in own {
        let attribute = format!("age = {{ role = \"quasi\", {line} }}\n");
        let text = format!("{TABLE}k-anonymity = 2\n").replace("age = \"quasi\"\n", &attribute);
        assert_eq!(mistakes(&text), [], "{text}");
        let text = format!("{PATHS}[attributes]\n{attribute}");
        assert_eq!(mistakes(&text), [("policy-unused-key", 7)], "{text}");
        let attribute = attribute.replace("quasi", "sensitive");
        let text = format!("{BASKETS}[attributes]\n{attribute}");
        let found = mistakes(&text);
        assert!(found.contains(&("policy-unused-key", 7)), "{text}{found:?}");
    }
}

#[test]
fn a_hierarchy_and_its_limits_belong_to_quasi_identifiers() {
    for (role, line) in [
        ("sensitive", "min-level = 1"),
        ("identifier", "max-level = 1"),
        ("quasi", "hierarchy = { interval = [5], step = 2 }"),
        ("quasi", "hierarchy = { redact = \"right\", groups = [2] }"),
    ] {
        let text = format!("{TABLE}k-anonymity = 2\n[release]\nseed = 1\n").replace(
            "ill =",
            &format!("x = {{ role = \"{role}\", {line} }}\nill ="),
        );
        assert_eq!(mistakes(&text), [("policy-unused-key", 5)], "{text}");
    }
}

#[test]
fn a_parameter_of_another_kind_of_promise_is_refused() {
    for line in [
        "l-diversity = { l = 2, c = 3 }",
        "l-diversity = { kind = \"entropy\", l = 2, allowed = [\"flu\"] }",
        "l-diversity = { kind = \"distinct\", l = 2, floor = [\"flu\"], least = 0.1 }",
        "l-diversity = { kind = \"recursive\", l = 2, c = 3, floor = [\"flu\"] }",
        "l-diversity = { kind = \"recursive\", l = 2, c = 3, least = 0.1 }",
    ] {
        let text = format!("{TABLE}{line}\n");
        assert_eq!(mistakes(&text), [("policy-unused-key", 7)], "{text}");
    }
    let places = "confidence = { places = [\"Clinic\"], values = [\"x\"], at-most = 0.5 }";
    let text = PATHS.replace("k-anonymity = 5", places);
    assert_eq!(mistakes(&text), [("policy-two-forms", 2)]);
    for promise in [
        "l-diversity = 2",
        "k-map = { population = \"r.csv\", k = 2 }",
    ] {
        let text = TRAILS.replace("k-anonymity = 3", promise);
        assert_eq!(mistakes(&text), [("policy-unknown-key", 2)], "{text}");
    }
}

#[test]
fn of_one_promise_every_mistake_is_told() {
    let text =
        format!("{TABLE}l-diversity = {{ attribute = \"il\", kind = \"entropie\", l = 3 }}\n");
    let found = [("policy-not-sensitive", 7), ("policy-unknown-value", 7)];
    assert_eq!(mistakes(&text), found);
    let text = format!("{TABLE}t-closeness = {{ attribute = \"age\", t = 1.5 }}\n");
    let found = [("policy-not-sensitive", 7), ("policy-out-of-range", 7)];
    assert_eq!(mistakes(&text), found);
}

#[test]
fn a_finding_is_accepted_by_name_with_a_reason() {
    let with = |line: &str| format!("{TABLE}k-anonymity = 2\n[accept]\n{line}\n");
    let text = with("free-text = [{ column = \"ill\", reason = \" read by two \" }]");
    let accepted = parse(&text).expect("a policy").accept;
    assert_eq!(accepted.len(), 1);
    assert_eq!(accepted[0].finding, "free-text");
    assert_eq!(accepted[0].column.as_deref(), Some("ill"));
    assert_eq!(accepted[0].reason, "read by two");
    let text = with("no-quasi-identifier = { reason = \"nobody can be known\" }");
    assert_eq!(parse(&text).expect("a policy").accept[0].column, None);
    for (line, code) in [
        (
            "free-txt = { column = \"ill\", reason = \"r\" }",
            "policy-unknown-key",
        ),
        ("free-text = { column = \"ill\" }", "policy-missing-key"),
        ("free-text = { reason = \"r\" }", "policy-missing-key"),
        (
            "free-text = { column = \"ill\", reason = \" \" }",
            "policy-no-reason",
        ),
        (
            "free-text = { column = \"il\", reason = \"r\" }",
            "policy-unknown-attribute",
        ),
        (
            "free-text = { column = \"ill\", because = \"r\", reason = \"r\" }",
            "policy-unknown-key",
        ),
        ("free-text = true", "policy-wrong-type"),
        ("free-text = []", "policy-empty-list"),
        (
            "free-text = [{ column = \"ill\", reason = \"r\" }, { column = \"ill\", reason = \"s\" }]",
            "policy-duplicate",
        ),
        (
            "no-quasi-identifier = { column = \"ill\", reason = \"r\" }",
            "policy-unused-key",
        ),
    ] {
        assert_eq!(mistakes(&with(line)), [(code, 9)], "{line}");
    }
    let found = parse(&with("free-txt = { column = \"ill\", reason = \"r\" }"));
    let help = found.expect_err("a mistake").remove(0).help;
    assert!(help.starts_with("did you mean `free-text`?"), "{help}");
    assert_eq!(mistakes(&with("")), [("policy-empty-list", 8)]);
}
