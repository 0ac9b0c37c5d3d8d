//! The contradiction attack on the verified releases, and sampled against exhaustive knowledge.

use denym_attack::Coverage;
use denym_attack::sequences::{
    Doublet, DoubletAttack, Effort, Exposure, FitRule, Inferable, VictimFate, VictimFates,
};
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
    let vectors = denym_testkit::vectors("paths-and-trails");
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
        let secrets: Vec<Inferable> = secret_values
            .iter()
            .map(|value| Inferable::Fact {
                carriers: sensitive
                    .iter()
                    .map(|code| (code == value).into())
                    .collect(),
                at_most,
                named_by: Vec::new(),
            })
            .collect();
        let (l, k) = (number(&case["L"]) as usize, number(&case["K"]));
        let setting = Exposure::aligned(&raw, &published).unwrap();
        assert!(setting.all_or_none(), "{id}: global suppression");
        let attack = |matching| {
            let attack = DoubletAttack::new(&setting, matching, l, &secrets).unwrap();
            attack.run(&Effort::EVERYTHING)
        };
        let exposed = |found: &VictimFates| {
            let falls = |fate: &&VictimFate| {
                (fate.fewest > 0 && fate.fewest < k) || fate.told.contains(&true)
            };
            found.each.iter().filter(falls).count() as u64
        };
        let found = attack(FitRule::Consistent);
        assert_eq!(found.coverage, Coverage::Exhaustive, "{id}");
        assert_eq!(
            found.smallest_group().unwrap_or(raw.len() as u64),
            number(&expected["smallest_group"]),
            "{id}: smallest group"
        );
        let confidence = (
            number(&expected["largest_confidence"][0]),
            number(&expected["largest_confidence"][1]),
        );
        let each = (0..secrets.len()).map(|secret| found.largest_confidence(secret));
        let (have, of) = each.fold((0, 1), |a, b| if b.0 * a.1 > a.0 * b.1 { b } else { a });
        assert_eq!(
            have * confidence.1,
            confidence.0 * of,
            "{id}: largest confidence"
        );
        assert_eq!(
            exposed(&found),
            number(&expected["exposed_people"]),
            "{id}: exposed people"
        );
        broken += u64::from(exposed(&found) > 0);
        // The paper's own matching finds nothing unless the whole table is too sure.
        if case["table_conf_empty_knowledge_ok"].as_bool() == Some(true) {
            let covers = attack(FitRule::Covers);
            assert_eq!(exposed(&covers), 0, "{id}: covers holds after suppression");
            assert!(
                covers.linkage("doublets").rate <= 1.0 / k as f64,
                "{id}: one in k"
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
    let vectors = denym_testkit::vectors("paths-and-trails");
    let case = &vectors["worked"][0];
    let raw = paths(&case["input"]);
    let setting = Exposure::aligned(&raw, &raw).unwrap();
    let attack = DoubletAttack::new(&setting, FitRule::Covers, 2, &[]).unwrap();
    // Over all pairs of each path, the chance of picking the right one of the records that fit.
    let mut exact = 0.0;
    for path in &raw {
        let pairs: Vec<[Doublet; 2]> = (0..path.len())
            .flat_map(|i| (i + 1..path.len()).map(move |j| [path[i], path[j]]))
            .collect();
        let chance = |pair: &[Doublet; 2]| {
            let fits = raw.iter().filter(|p| pair.iter().all(|d| p.contains(d)));
            1.0 / fits.count() as f64
        };
        exact += pairs.iter().map(chance).sum::<f64>() / pairs.len() as f64 / raw.len() as f64;
    }
    let one_draw = |seed| {
        let effort = Effort {
            pieces: 1,
            seed,
            ..Effort::EVERYTHING
        };
        attack.run(&effort)
    };
    let mut chances = Vec::new();
    for seed in 0..2_000 {
        let found = one_draw(seed);
        assert_eq!(found.coverage, Coverage::Sampled { seed });
        chances.extend(found.each.iter().map(VictimFate::chance));
    }
    let (mean, (low, high)) = denym_attack::interval::empirical_bernstein(
        &chances.iter().map(|&chance| (chance, 1)),
        0.999_999,
    );
    assert!(low < exact && exact < high, "{mean} against {exact}");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    assert_eq!(one_draw(3), pool.install(|| one_draw(3)));
    let all = attack.run(&Effort::EVERYTHING);
    assert!(
        all.linkage("doublets").rate > mean,
        "the best knowledge is better than any"
    );
}
