//! Policies for streams are read by the one reader: as a policy of any kind of data, with every mistake at once.

use std::path::Path;

use denym_data::{AlgorithmEntry, Fraction, Verdict};
use denym_policy::stream::{Horizon, OptionsError, Rule, StreamSink, StreamSource};
use denym_policy::{DataKind, Knowledge, Mistake, Policy, PromiseSpec, Vocabulary, Words};

const POLICY: &str = "[data]\nkind = \"stream\"\npath = \"events.csv\"\nlocation = \"station\"\nunit = \"1h\"\n\
    [attributes]\nstatus = { role = \"sensitive\", distribution = { Doctor = 30, Lawyer = 70 } }\n\
    [window]\nsize = 4\nstep = 2\nidle = \"30s\"\n\
    [adversary]\nknows = { doublets = 2 }\n\
    [promise]\nk-anonymity = 3\nconfidence = { attribute = \"status\", values = [\"Doctor\"], at-most = 0.5 }\n\
    t-closeness = { attribute = \"status\", t = 0.2 }\n\
    [release]\nhorizon = 6\n\
    [attack]\nrefuse-above = { window-doublets = 0.5 }\n";

static RULES: [AlgorithmEntry; 2] = [
    AlgorithmEntry::new("keep-published", "stream", Verdict::SAFE, "", ""),
    AlgorithmEntry::new("retract", "stream", Verdict::SAFE, "", ""),
];

fn vocabulary() -> Vocabulary {
    Vocabulary::new(|kind| Words {
        algorithms: RULES.iter().filter(|rule| rule.data == kind).collect(),
        attacks: match kind {
            "stream" => vec!["window-doublets"],
            _ => vec!["linkage"],
        },
        findings: Vec::new(),
    })
}

fn read(text: &str) -> Result<Policy, Vec<Mistake>> {
    Policy::parse(text, Path::new("somewhere/policy.toml"), &vocabulary())
}

#[test]
fn a_stream_is_a_policy_like_every_other() {
    let policy = read(POLICY).expect("a policy");
    assert_eq!(policy.data.kind, DataKind::Stream);
    assert_eq!(policy.data.path, "events.csv");
    assert_eq!(policy.adversary, Knowledge::Doublets(2));
    let names: Vec<&str> = policy.promises.iter().map(|p| p.promise.name()).collect();
    assert_eq!(names, ["k-anonymity", "confidence", "t-closeness"]);
    assert_eq!(policy.release.algorithm.name, "keep-published");
    assert_eq!(policy.attack.each.len(), 1);
    let spec = policy.stream.as_ref().expect("what only streams need");
    assert_eq!(spec.source, StreamSource::Path("events.csv".to_owned()));
    assert_eq!(spec.sink, StreamSink::Directory);
    assert_eq!(
        (
            spec.columns.subject.as_str(),
            spec.columns.location.as_str()
        ),
        ("subject", "station")
    );
    let options = &spec.options;
    let sizes = (options.window, options.step, options.l, options.k);
    assert_eq!(sizes, (4, 2, 2, 3));
    let horizon = Horizon::Timestamps(6);
    assert_eq!(options.rule, Rule::KeepPublished { horizon });
    assert_eq!(options.bounds[0].at_most, Fraction::of(1, 2));
    assert_eq!(options.reference[0].values[1], ("Lawyer".to_owned(), 70));
}

#[test]
fn a_bound_that_was_changed_is_the_one_that_counts() {
    let mut policy = read(POLICY).expect("a policy");
    policy.adversary = Knowledge::Doublets(3);
    policy.promises[0].promise = PromiseSpec::k_anonymity(9);
    let values = vec!["Doctor".to_owned()];
    policy.promises[1].promise = PromiseSpec::confidence("status", values, Fraction::of(1, 4));
    policy.release.algorithm = &RULES[1];
    let now = policy.stream_now().expect("a stream").options;
    assert_eq!((now.l, now.k, now.rule), (3, 9, Rule::Retract));
    assert_eq!(now.bounds[0].at_most, Fraction::of(1, 4));
    // What nobody changed stays: the horizon is not that of the rule's name.
    policy.release.algorithm = &RULES[0];
    let now = policy.stream_now().expect("a stream").options;
    let horizon = Horizon::Timestamps(6);
    assert_eq!(now.rule, Rule::KeepPublished { horizon });
    // A policy about a table has nothing of a stream.
    let table = "[data]\npath = \"people.csv\"\n[attributes]\nage = \"quasi\"\n[promise]\nk-anonymity = 2\n";
    assert!(read(table).expect("a policy").stream_now().is_none());
}

#[test]
fn every_mistake_is_reported_at_once_each_at_its_place() {
    let text = POLICY
        .replace("step = 2", "step = 5")
        .replace("doublets = 2 }", "doublets = 2, algorithm = true }")
        .replace("window-doublets = 0.5", "linkage = 0.5");
    let found = read(&text).expect_err("mistakes");
    let found: Vec<(&str, usize)> = found.iter().map(|m| (m.code, m.line(&text))).collect();
    let wanted = [
        ("policy-stream", 8),
        ("policy-unsafe-algorithm", 13),
        ("policy-unknown-key", 21),
    ];
    assert_eq!(found, wanted);
}

#[test]
fn options_that_contradict_each_other_say_what_would_do() {
    let options = read(POLICY).expect("a policy").stream.expect("a stream");
    let mut options = options.options;
    options.step = 5;
    let error = options.check().expect_err("gaps");
    assert_eq!(error, OptionsError::StepTooLong { step: 5, window: 4 });
    assert_eq!(error.help(), "give a step of 1 to 4");
    options.step = 1;
    options.l = 7;
    let error = options.check().expect_err("too much is known");
    assert_eq!(error, OptionsError::KnowledgeTooLong { l: 7, horizon: 6 });
}
