//! Every verb on every kind of data, by the library alone: what is planned, tried, audited, released and verified is one thing.

use std::path::Path;

use denym::attack::{Shape, shape_of};
use denym::{
    ExploreRequest, Outcome, Policy, RunOptions, Silent, StreamListener, StreamProgress, StreamRun,
    Verdict, audit_policy, compare_tables, explore, plan, profile_table, read_policy,
    read_stream_policy, stream, verify,
};
use denym_measure::Sense;

/// A kind of data with a policy, and what its verbs must come to.
struct Case {
    /// The word of the kind in a plan.
    kind: &'static str,
    policy: &'static str,
    data: (&'static str, &'static str),
    /// The first cost of the plan.
    cost: (&'static str, u64),
    /// What each promise comes to on the source, and for how many records it is broken.
    source: &'static [(f64, u64)],
    /// Figures of the release that follow from the data by hand.
    figures: &'static [(&'static str, f64)],
    shape: Shape,
    verdict: Verdict,
    /// A bound of k that cannot be had.
    too_much: u64,
}

const PEOPLE: (&str, &str) = (
    "people.csv",
    "zip,age,disease\n1,20,flu\n1,21,hiv\n1,22,flu\n2,40,hiv\n2,41,flu\n2,42,hiv\n",
);

const CASES: &[Case] = &[
    Case {
        kind: "tables",
        policy: "[data]\npath = \"people.csv\"\n[attributes]\nzip = \"quasi\"\n\
            age = { role = \"quasi\", hierarchy = { interval = [10, 20] } }\ndisease = \"sensitive\"\n\
            [promise]\nk-anonymity = 3\nl-diversity = 2\n[release]\nalgorithm = \"full-domain\"\n",
        data: PEOPLE,
        cost: ("records", 6),
        // Everybody stands alone.
        source: &[(1.0, 6), (1.0, 6)],
        // The ages of each place become one decade.
        figures: &[("classes", 2.0)],
        shape: Shape::Table,
        verdict: Verdict::Verified,
        too_much: 7,
    },
    Case {
        kind: "tables",
        policy: "[data]\npath = \"people.csv\"\n[attributes]\nage = \"quasi\"\ndisease = \"sensitive\"\n\
            [promise]\nk-anonymity = 3\n[release]\nalgorithm = \"mdav\"\n",
        data: PEOPLE,
        cost: ("records", 6),
        source: &[(1.0, 6)],
        // Means 21 and 41: squares of 4 in 604.
        figures: &[("groups", 2.0), ("information_loss_percent", 400.0 / 604.0)],
        shape: Shape::Table,
        verdict: Verdict::InPart,
        too_much: 7,
    },
    Case {
        kind: "paths",
        policy: "[data]\nkind = \"paths\"\npath = \"paths.csv\"\n[attributes]\nstatus = \"sensitive\"\n\
            [adversary]\nknows = { doublets = 2 }\nmatching = \"covers\"\n[promise]\nk-anonymity = 2\n\
            confidence = { attribute = \"status\", values = [\"On\"], at-most = 0.5 }\n\
            [release]\nalgorithm = \"global-suppression\"\nmetric = \"distortion\"\n",
        data: (
            "paths.csv",
            "path,status\na1>b2,On\na1>b2,Off\na1>b2,Off\nc1>b2,Off\nc1>b2,Off\nc1>d2,Off\n",
        ),
        cost: ("records", 6),
        // Nobody else was at d at 2; one of the three at a at 1 is guarded.
        source: &[(1.0, 1), (1.0 / 3.0, 0)],
        figures: &[
            ("doublets", 12.0),
            ("lost_doublets", 1.0),
            ("suppressed_doublets", 1.0),
            ("distortion", 1.0 / 12.0),
        ],
        shape: Shape::Paths,
        verdict: Verdict::Verified,
        too_much: 7,
    },
    Case {
        kind: "transactions",
        policy: "[data]\nkind = \"transactions\"\npath = \"baskets.csv\"\n[adversary]\nknows = { items = 2 }\n\
            [promise]\nk-anonymity = 2\n[release]\nalgorithm = \"item-suppression\"\n",
        data: (
            "baskets.csv",
            "subject,item\n1,bread\n1,milk\n2,bread\n2,milk\n3,bread\n3,milk\n3,caviar\n4,beer\n4,wine\n5,beer\n5,wine\n6,beer\n",
        ),
        cost: ("records", 6),
        // Nobody else has caviar.
        source: &[(1.0, 1)],
        figures: &[
            ("instances", 12.0),
            ("lost_instances", 1.0),
            ("suppressed_items", 1.0),
            ("distortion", 1.0 / 12.0),
        ],
        shape: Shape::Transactions,
        verdict: Verdict::Verified,
        too_much: 7,
    },
    Case {
        kind: "trails",
        policy: "[data]\nkind = \"trails\"\nidentified = \"people.csv\"\nanonymous = \"people.csv\"\n\
            [promise]\nk-anonymity = 2\n",
        data: (
            "people.csv",
            "id,institution\nx,a\nx,b\ny,a\ny,b\nz,a\nz,b\nz,c\n",
        ),
        cost: ("records", 3),
        // Only z was at c.
        source: &[(1.0, 1)],
        figures: &[("entries", 7.0), ("withheld", 1.0)],
        shape: Shape::Trails,
        verdict: Verdict::Attested,
        too_much: 4,
    },
];

/// A directory with the data and the policy.
fn room(policy: &str, (name, data): (&str, &str)) -> (tempfile::TempDir, Policy) {
    let directory = tempfile::tempdir().expect("a directory");
    let at = directory.path();
    std::fs::write(at.join(name), data).expect("the data");
    std::fs::write(at.join("policy.toml"), policy).expect("the policy");
    let policy = read_policy(&at.join("policy.toml")).expect("a policy without mistakes");
    (directory, policy)
}

fn near(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() < 1e-9
}

#[test]
fn what_is_planned_is_released_verified_and_compared() {
    for case in CASES {
        let (directory, policy) = room(case.policy, case.data);
        let planned = plan(&policy, &RunOptions::default(), &Silent).expect("a plan");
        let outline = planned.outline();
        let first = outline.costs[0];
        assert_eq!(
            (outline.kind, (first.key, first.value)),
            (case.kind, case.cost)
        );
        assert!(outline.steps.len() > 2, "{:?}", outline.steps);
        let bundle = directory.path().join("bundle");
        let release = match planned.run(&bundle, &Silent).expect("a run") {
            Outcome::Released(release) => release,
            Outcome::Refused(account) => panic!("{}: {:?}", case.kind, account.refusal),
        };
        for (key, wanted) in case.figures {
            let found = release.account().figures.get(key);
            let found = found.and_then(serde_json::Value::as_f64);
            let found = found.unwrap_or_else(|| panic!("{}: no figure `{key}`", case.kind));
            assert!(near(found, *wanted), "{}: {key} is {found}", case.kind);
        }
        let found = verify(&bundle, None).expect("a bundle that can be judged");
        assert_eq!(found.verdict(), Some(case.verdict), "{}", case.kind);
        assert_eq!(shape_of(&bundle).expect("a shape"), case.shape);
        // A bundle is profiled and compared as the data that it publishes.
        let read = denym::ReadOptions::default();
        let profile = profile_table(&bundle, &read, None, &Silent).expect("a profile");
        let source = directory.path().join(case.data.0);
        let compared = compare_tables(&source, &bundle, &read, None, &Silent).expect("both");
        assert_eq!(
            profile.records as usize, compared.records.1,
            "{}",
            case.kind
        );
        assert_eq!(
            compared.records.0,
            case.data.1.lines().count() - 1,
            "{}",
            case.kind
        );
    }
}

#[test]
fn what_is_explored_is_what_would_be_released() {
    for case in CASES {
        let (directory, policy) = room(case.policy, case.data);
        let own = policy.promises[0].promise.clone();
        let own = own.bound();
        let request = ExploreRequest {
            k: vec![
                format!("{own}").parse().expect("a whole number"),
                case.too_much,
            ],
            ..ExploreRequest::default()
        };
        let found = explore(&policy, &request, &Silent).expect("an exploration");
        let planned = plan(&policy, &RunOptions::default(), &Silent).expect("a plan");
        let bundle = directory.path().join("bundle");
        let Outcome::Released(release) = planned.run(&bundle, &Silent).expect("a run") else {
            panic!("{} is refused", case.kind);
        };
        let (name, value) = &release.account().metric;
        assert_eq!(found.trials.len(), 2, "{}", case.kind);
        let [first, second] = [&found.trials[0], &found.trials[1]];
        assert_eq!(&found.metric, name);
        let tried = first.value.unwrap_or_else(|| panic!("{first:?}"));
        assert!(near(tried, *value), "{}: {tried} {value}", case.kind);
        assert_eq!(first.algorithm, release.account().algorithm);
        for (name, tried) in found.figures.iter().zip(&first.figures) {
            if let Some((_, wanted)) = case.figures.iter().find(|(key, _)| key == name) {
                assert!(near(*tried, *wanted), "{}: {name} is {tried}", case.kind);
            }
        }
        assert!(
            second.value.is_none() && second.refusal.is_some(),
            "{}: {second:?}",
            case.kind
        );
        // A bound that the data does not know is refused, not ignored.
        let request = ExploreRequest {
            items: vec![2],
            doublets: vec![2],
            ..ExploreRequest::default()
        };
        let refused = explore(&policy, &request, &Silent).expect_err("not both");
        assert_eq!(refused.code(), "argument");
    }
}

#[test]
fn the_source_is_judged_as_it_stands() {
    for case in CASES {
        let (_directory, policy) = room(case.policy, case.data);
        let judged = audit_policy(&policy, None, None, &Silent).expect("a judgement");
        let found = judged.claims.iter();
        let found: Vec<_> = found
            .map(|claim| (claim.measured, claim.violating_records))
            .collect();
        assert_eq!(found, case.source, "{}", case.kind);
        for claim in &judged.claims {
            let kept = match claim.terms.entry().sense {
                Sense::AtLeast => claim.measured >= claim.asked,
                Sense::AtMost => claim.measured <= claim.asked,
            };
            assert_eq!(claim.holds, Some(kept), "{}: {claim:?}", case.kind);
        }
    }
}

struct Quiet;

impl StreamListener for Quiet {
    fn progress(&self, _: &StreamProgress) {}
    fn keep_going(&self) -> bool {
        true
    }
}

/// Five people who go together for four hours, and one who goes alone.
fn events() -> String {
    let mut text = "subject,location,time\n".to_owned();
    for hour in 0..4 {
        for rider in 0..5 {
            text += &format!("r{rider},s{hour},{hour}\n");
        }
        text += &format!("alone,x{hour},{hour}\n");
    }
    text
}

const WINDOWS: &str = "[data]\nkind = \"stream\"\npath = \"events.csv\"\n[window]\nsize = 2\n\
    [adversary]\nknows = { doublets = 2 }\n[promise]\nk-anonymity = 3\n";

/// Runs the stream of `policy.toml` in `at`; what was published and what was not.
fn streamed(at: &Path) -> (u64, u64, u64) {
    let policy = read_stream_policy(&at.join("policy.toml")).expect("a policy");
    let done = stream(&policy, &at.join("out"), &StreamRun::default(), &Quiet).expect("a run");
    let counts = done.counts;
    (counts.published, counts.suppressed, counts.windows)
}

#[test]
fn a_stream_is_planned_tried_audited_and_verified_by_the_same_verbs() {
    let text = events();
    let (directory, policy) = room(WINDOWS, ("events.csv", &text));
    let at = directory.path();
    let planned = plan(&policy, &RunOptions::default(), &Silent).expect("a plan");
    let outline = planned.outline();
    assert_eq!(
        (outline.kind, outline.algorithm.as_str()),
        ("streams", "keep-published")
    );
    assert_eq!(
        (outline.costs[0].key, outline.costs[0].value),
        ("window", 2)
    );
    assert!(
        outline
            .limits
            .iter()
            .any(|limit| limit.contains("knows the program")),
        "{:?}",
        outline.limits
    );
    // Windows leave by `stream`, one after the other.
    let refused = planned.run(&at.join("bundle"), &Silent);
    let refused = refused.expect_err("no bundle");
    assert!(
        refused.help().contains("denym stream"),
        "{}",
        refused.help()
    );
    assert!(!at.join("bundle").exists());

    // The one who goes alone is in a group of one, in every window.
    let judged = audit_policy(&policy, None, None, &Silent).expect("a source");
    let claim = &judged.claims[0];
    assert_eq!(
        (claim.asked, claim.measured, claim.holds),
        (3.0, 1.0, Some(false))
    );
    assert!(
        claim.violating_records > 0,
        "she counts once in each window: {claim:?}"
    );

    let request = ExploreRequest {
        k: vec![3, 6],
        algorithms: vec!["keep-published".into(), "retract".into()],
        ..ExploreRequest::default()
    };
    let found = explore(&policy, &request, &Silent).expect("an exploration");
    assert_eq!(found.metric, "suppressed-events");
    let values: Vec<f64> = found.trials.iter().filter_map(|one| one.value).collect();
    // Four of 24 events are hers; six people are nowhere together.
    let hers = 4.0 / 24.0;
    assert_eq!(values, [hers, 1.0, hers, 1.0]);
    let (published, suppressed, windows) = streamed(at);
    assert_eq!((published, suppressed), (20, 4));
    let figure = |name: &str| {
        let place = found.figures.iter().position(|known| *known == name);
        found.trials[0].figures[place.expect("a figure")]
    };
    assert!(near(figure("published"), published as f64));
    assert!(near(figure("windows"), windows as f64));
    assert!(near(figure("smallest_group"), 5.0));

    let out = at.join("out");
    let found = verify(&out, None).expect("a chain");
    assert_eq!(
        (found.holds(), found.verdict()),
        (Some(true), Some(Verdict::InPart))
    );
    let chain = found.windows().expect("windows, not a release");
    assert_eq!((&chain.broken, chain.published), (&None, windows));
    assert_eq!(shape_of(&out).expect("a shape"), Shape::Windows);
}

#[test]
fn windows_are_profiled_and_compared_as_the_sightings_that_they_show() {
    let text = events();
    let (directory, _) = room(WINDOWS, ("events.csv", &text));
    let at = directory.path();
    let (published, ..) = streamed(at);
    let read = denym::ReadOptions::default();
    let profile = profile_table(&at.join("out"), &read, None, &Silent).expect("a profile");
    assert_eq!(profile.records, published);
    let names: Vec<&str> = profile
        .columns
        .iter()
        .map(|own| own.name.as_str())
        .collect();
    assert_eq!(names, ["location", "time"]);
    assert_eq!(profile.columns[0].distinct, 4);

    let source = at.join("events.csv");
    let found = compare_tables(&source, &at.join("out"), &read, None, &Silent).expect("both");
    assert_eq!(
        (found.records, &found.dropped[..]),
        ((24, 20), &["subject".to_owned()][..])
    );
    let [location, time] = &found.columns[..] else {
        panic!("{:?}", found.columns);
    };
    // Four of 24 sightings were hers, at places of her own; every hour lost one of six.
    assert_eq!(location.distinct, (8, 4));
    assert!(near(location.total_variation, 4.0 / 24.0), "{location:?}");
    assert!(near(time.total_variation, 0.0), "{time:?}");

    // The same windows as differences are the same sightings; a stricter promise shows fewer.
    let other = |release: &str, k: &str| {
        let policy = WINDOWS.replace("k-anonymity = 3", k) + release;
        let (directory, _) = room(&policy, ("events.csv", &text));
        streamed(directory.path());
        directory
    };
    let delta = other("[release]\nform = \"delta\"\n", "k-anonymity = 3");
    let out = delta.path().join("out");
    let same = compare_tables(&at.join("out"), &out, &read, None, &Silent).expect("both");
    assert_eq!(same.records, (20, 20));
    assert!(
        same.columns
            .iter()
            .all(|own| near(own.total_variation, 0.0))
    );
    let nobody = other("", "k-anonymity = 6");
    let out = nobody.path().join("out");
    let none = compare_tables(&at.join("out"), &out, &read, None, &Silent).expect("both");
    assert_eq!(none.records, (20, 0));

    // What is elsewhere cannot be looked at, and the answer says where it belongs.
    std::fs::remove_file(out.join("windows.ndjson")).expect("removed");
    let refused = profile_table(&out, &read, None, &Silent).expect_err("no windows");
    assert!(
        refused.help().contains("windows.ndjson"),
        "{}",
        refused.help()
    );
}
