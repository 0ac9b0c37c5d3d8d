//! All ITSA cases of the verified vectors, under both rules of publication.

#![allow(
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    clippy::type_complexity,
    clippy::manual_is_multiple_of,
    reason = "small numbers, drawn or read from the papers"
)]

mod support;

use std::collections::BTreeMap;

use denym_stream::Slide;
use denym_testkit::streams::{Case, Doublet, Subject};
use serde_json::Value;
use support::{contents, expected, options, run, suppressed};

fn doublet(label: &str) -> Doublet {
    let (location, time) = label.split_at(1);
    (time.parse().expect("a time"), location.to_owned())
}

fn doublets(list: &Value) -> Vec<Doublet> {
    let labels = list.as_array().expect("a list").iter();
    let mut all: Vec<Doublet> = labels
        .map(|l| doublet(l.as_str().expect("a label")))
        .collect();
    all.sort();
    all
}

/// A case of the vectors, with bystanders.
///
/// The vectors judge no empty knowledge and their first window starts at 1. Bystanders at a place of
/// their own, at all times and without secret, keep the base rate low and share no sequence
/// with anybody else, so that every violation and every score stays as it is.
fn with_bystanders(vector: &Value) -> Case {
    let number = |key: &str| vector[key].as_i64().expect("a number");
    let secret: Vec<&str> = vector["S"]
        .as_array()
        .expect("S")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let bound = (
        vector["C"][0].as_u64().expect("C"),
        vector["C"][1].as_u64().expect("C"),
    );
    let stream = vector["stream"].as_object().expect("a stream");
    let mut by_number: BTreeMap<u32, Subject> = BTreeMap::new();
    let mut last = 0;
    for (id, subject) in stream {
        let path = doublets(&subject["path"]);
        last = last.max(path.iter().map(|d| d.0).max().unwrap_or(0));
        let value = subject["s"].as_str().expect("s");
        let secrets = secret.iter().map(|s| *s == value).collect();
        by_number.insert(id.parse().expect("an id"), Subject { path, secrets });
    }
    let bystander = Subject {
        path: (1..=last).map(|t| (t, "z".to_owned())).collect(),
        secrets: vec![false; secret.len()],
    };
    let mut subjects: Vec<Subject> = by_number.into_values().collect();
    subjects.extend(std::iter::repeat_n(bystander, 40));
    Case {
        subjects,
        window: number("N"),
        step: number("step"),
        l: number("L") as usize,
        k: number("K") as usize,
        at_most: vec![bound; secret.len()],
        retract: true,
        horizon: Some(number("N")),
    }
}

fn cases() -> Vec<Value> {
    let vectors = denym_testkit::vectors("paths-and-trails");
    let all = ["worked", "random"].map(|list| vectors[list].as_array().cloned().expect("a list"));
    all.concat()
        .into_iter()
        .filter(|v| v["kind"] == "itsa")
        .collect()
}

#[test]
fn itsa_windows_as_verified() {
    let cases = cases();
    assert_eq!(cases.len(), 52);
    let mut two_phase_differs = Vec::new();
    for vector in &cases {
        let case = with_bystanders(vector);
        let (slides, _) = run(&case, options(&case));
        let windows = vector["windows"].as_array().expect("windows");
        let same = windows.iter().zip(&slides).all(|(window, slide)| {
            let certificate = &slide.certificate;
            assert_eq!(window["x"].as_i64(), Some(certificate.from));
            assert_eq!(window["y"].as_i64(), Some(certificate.to));
            suppressed(slide) == doublets(&window["suppressed_new"])
                && window
                    .get("window_output")
                    .is_none_or(|output| same_output(&case, slide, vector, output))
        });
        if !same {
            two_phase_differs.push(vector["id"].as_str().expect("an id").to_owned());
        }
    }
    // The vectors solve the new doublets alone first, as the paper does; we solve jointly. With a step of
    // more than one timestamp this may differ: it does in one case, where ours equals the run from scratch.
    assert_eq!(two_phase_differs, ["itsa-73"]);
}

fn same_output(case: &Case, slide: &Slide, vector: &Value, output: &Value) -> bool {
    let stream = vector["stream"].as_object().expect("a stream");
    let mut ids: Vec<u32> = stream.keys().map(|id| id.parse().expect("an id")).collect();
    ids.sort_unstable();
    let window = slide.window.as_ref().expect("published");
    let mut shown: Vec<Vec<Doublet>> = ids
        .iter()
        .map(|id| output.get(id.to_string()).map_or(Vec::new(), doublets))
        .collect();
    for bystander in &case.subjects[ids.len()..] {
        let (from, to) = (window.from, window.to);
        let here = bystander.path.iter().filter(|d| from <= d.0 && d.0 <= to);
        shown.push(here.cloned().collect());
    }
    contents(window) == expected(case, &shown)
}

#[test]
fn only_new_doublets_go_by_default() {
    let cases = cases();
    let mut compared = 0;
    for vector in &cases {
        let Some(expect) = vector
            .get("only_new_policy_sup_horizon_N")
            .filter(|v| !v.is_null())
        else {
            continue;
        };
        let case = Case {
            retract: false,
            ..with_bystanders(vector)
        };
        let (slides, _) = run(&case, options(&case));
        let mut all: Vec<Doublet> = slides.iter().flat_map(suppressed).collect();
        all.sort();
        assert_eq!(all, doublets(expect), "{}", vector["id"]);
        compared += 1;
    }
    assert_eq!(compared, 36);
}
