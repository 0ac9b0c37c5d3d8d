//! The contradiction attack on the verified releases, and sampled against exhaustive knowledge.

use denym_attack::paths::{Doublet, DoubletAttack, Matching, Secret};
use serde_json::Value;

fn doublet(text: &str) -> Doublet {
    let split = text
        .find(|c: char| c.is_ascii_digit())
        .expect("a location and a time");
    (
        u32::from(text.as_bytes()[0]),
        text[split..].parse().expect("a time"),
    )
}

fn paths(records: &Value) -> Vec<Vec<Doublet>> {
    let path = |record: &Value| -> Vec<Doublet> {
        record["path"]
            .as_array()
            .expect("a path")
            .iter()
            .map(|d| doublet(d.as_str().expect("text")))
            .collect()
    };
    records
        .as_array()
        .expect("records")
        .iter()
        .map(path)
        .collect()
}

fn codes(records: &Value, names: &mut Vec<String>) -> Vec<u32> {
    let mut code = |name: &str| {
        names
            .iter()
            .position(|known| known == name)
            .unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            }) as u32
    };
    records
        .as_array()
        .expect("records")
        .iter()
        .map(|record| code(record["s"].as_str().expect("text")))
        .collect()
}

#[test]
fn contradiction_finds_what_the_vectors_say() {
    let Some(vectors) = denym_testkit::shared::vectors("paths-and-trails") else {
        return;
    };
    let (mut cases, mut broken) = (0, 0);
    for case in ["worked", "random"]
        .iter()
        .flat_map(|part| vectors[part].as_array().unwrap())
    {
        let expected = &case["consistent_after_covers"];
        if case["kind"] != "lkc" || expected.is_null() {
            continue;
        }
        cases += 1;
        let id = case["id"].as_str().unwrap();
        let (raw, published) = (paths(&case["input"]), paths(&case["output"]));
        let mut names = Vec::new();
        let sensitive = codes(&case["input"], &mut names);
        let secret_values: Vec<u32> = case["S"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|s| {
                names
                    .iter()
                    .position(|name| name == s.as_str().unwrap())
                    .map(|at| at as u32)
            })
            .collect();
        let number = |value: &Value| value.as_u64().unwrap();
        let at_most = (number(&case["C"][0]), number(&case["C"][1]));
        let secret = Secret {
            codes: &sensitive,
            values: &secret_values,
            at_most,
        };
        let (l, k) = (number(&case["L"]) as usize, number(&case["K"]));
        let attack =
            |matching| DoubletAttack::new(&raw, &published, matching, l, k, Some(secret)).unwrap();
        let found = attack(Matching::Consistent).expose();
        assert_eq!(
            found.smallest_group,
            number(&expected["smallest_group"]),
            "{id}: smallest group"
        );
        let confidence = (
            number(&expected["largest_confidence"][0]),
            number(&expected["largest_confidence"][1]),
        );
        let (have, of) = found.largest_confidence;
        assert_eq!(
            have * confidence.1,
            confidence.0 * of,
            "{id}: largest confidence"
        );
        assert_eq!(
            found.exposed.len() as u64,
            number(&expected["exposed_people"]),
            "{id}: exposed people"
        );
        broken += u64::from(!found.exposed.is_empty());
        // The same by the general runner, and the paper's own matching finds nothing unless the whole table is too sure.
        let evidence = attack(Matching::Consistent).exhaustive();
        assert_eq!(evidence.successes, found.exposed.len() as u64, "{id}");
        let covers = attack(Matching::Covers).expose();
        if case["table_conf_empty_knowledge_ok"].as_bool() == Some(true) {
            assert!(
                covers.exposed.is_empty(),
                "{id}: covers holds after suppression"
            );
        }
    }
    println!("{cases} releases, {broken} broken by contradiction");
    assert!(
        cases >= 105 && broken >= 68,
        "{cases} releases, {broken} broken"
    );
}

#[test]
fn samples_estimate_the_average_and_bound_nothing_else() {
    let Some(vectors) = denym_testkit::shared::vectors("paths-and-trails") else {
        return;
    };
    let case = &vectors["worked"][0];
    let raw = paths(&case["input"]);
    let attack = DoubletAttack::new(&raw, &raw, Matching::Covers, 2, 2, None).unwrap();
    // Of all pairs of each path, the share that fits one record only.
    let mut exact = 0.0;
    for path in &raw {
        let pairs: Vec<[Doublet; 2]> = (0..path.len())
            .flat_map(|i| (i + 1..path.len()).map(move |j| [path[i], path[j]]))
            .collect();
        let alone = |pair: &&[Doublet; 2]| {
            raw.iter()
                .filter(|p| pair.iter().all(|d| p.contains(d)))
                .count()
                == 1
        };
        exact += pairs.iter().filter(alone).count() as f64 / pairs.len() as f64 / raw.len() as f64;
    }
    let evidence = attack.sampled(20_000, 3);
    assert!(
        evidence.interval.0 < exact && exact < evidence.interval.1,
        "{evidence:?} against {exact}"
    );
    assert_eq!(evidence, attack.sampled(20_000, 3));
}
