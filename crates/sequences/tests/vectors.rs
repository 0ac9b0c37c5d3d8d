//! Every LKC case of the verified vectors: violations, greedy order, output, optimum, and who stays exposed.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use std::collections::BTreeSet;

use denym_data::Fraction;
use denym_data::paths::{Attribute, Paths, PathsBuilder};
use denym_sequences::{Algorithm, Bound, Context, Matching, Request, critical_violations, solve};
use serde_json::Value;

fn paths_of(input: &Value) -> Paths {
    let mut builder = PathsBuilder::new();
    let mut statuses = Vec::new();
    for record in input.as_array().unwrap() {
        let cell: Vec<&str> = strings(&record["path"]);
        builder.push_cell(&cell.join(">")).unwrap();
        statuses.push(record["s"].as_str().unwrap());
    }
    let paths = builder.finish().unwrap();
    paths
        .with_sensitive(Attribute::from_labels("status", statuses))
        .unwrap()
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap())
        .collect()
}

#[test]
fn all_lkc_cases() {
    let vectors = denym_testkit::vectors("paths-and-trails");
    let cases = vectors["worked"]
        .as_array()
        .unwrap()
        .iter()
        .chain(vectors["random"].as_array().unwrap());
    let mut seen = 0;
    let mut exposed_cases = 0;
    for case in cases.filter(|case| case["kind"] == "lkc") {
        let id = case["id"].as_str().unwrap();
        let paths = paths_of(&case["input"]);
        let c = &case["C"];
        let bound = Fraction::of(c[0].as_u64().unwrap(), c[1].as_u64().unwrap());
        let mut request = Request::new(
            case["L"].as_u64().unwrap() as usize,
            case["K"].as_u64().unwrap(),
        );
        request.bounds = strings(&case["S"])
            .iter()
            .map(|s| Bound::value("status", s, bound))
            .collect();
        request.matching = Matching::Covers;
        request.algorithm = Algorithm::GlobalSuppression;
        let context = Context::default();

        let mined = critical_violations(&paths, &request, &context).unwrap();
        let found: BTreeSet<Vec<String>> = mined
            .iter()
            .map(|v| v.iter().map(|&i| paths.label(i)).collect())
            .collect();
        let expected: BTreeSet<Vec<String>> = case["critical_violations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| strings(v).into_iter().map(str::to_owned).collect())
            .collect();
        assert_eq!(found, expected, "{id}");
        assert_eq!(mined.len(), expected.len(), "{id}");

        // The independent judge counts the same.
        let audit = support::shown(&paths, &request);
        assert_eq!(
            audit.violations,
            case["n_violations_all"].as_u64().unwrap(),
            "{id}"
        );
        assert_eq!(audit.critical_violations, expected.len() as u64, "{id}");

        let cost =
            denym_sequences::Summary::new(&paths, &request.limits(&paths).unwrap()).instances();
        let chosen = denym_sequences::global_suppression::choose(&mined, &cost, false);
        let order: Vec<String> = chosen.iter().map(|&i| paths.label(i)).collect();
        assert_eq!(
            order,
            strings(&case["sup_greedy_tie_lowest_t_then_loc"]),
            "{id}"
        );
        let lost: u64 = chosen.iter().map(|&i| cost[i as usize]).sum();
        assert_eq!(lost, case["lost_instances"].as_u64().unwrap(), "{id}");
        assert_eq!(
            paths.instances() as u64,
            case["total_instances"].as_u64().unwrap(),
            "{id}"
        );

        let best = denym_sequences::optimum::least(&mined, &cost, &context).unwrap();
        let least: u64 = best.iter().map(|&i| cost[i as usize]).sum();
        assert_eq!(least, case["optimal_lost"].as_u64().unwrap(), "{id}");
        let better = denym_sequences::global_suppression::choose(&mined, &cost, true);
        let kept: u64 = better.iter().map(|&i| cost[i as usize]).sum();
        assert!(kept <= lost && kept >= least, "{id}");

        // Empty knowledge: refused exactly where the vectors say so.
        let solved = solve(&paths, &request, &context);
        let feasible = case["table_conf_empty_knowledge_ok"].as_bool().unwrap()
            && paths.len() as u64 >= request.k;
        assert_eq!(solved.is_ok(), feasible, "{id}");

        // From the adversary's side, after covers; judged by the measure crate and counted by ours.
        let expected = &case["consistent_after_covers"];
        let output = paths_of(&case["output"]);
        if let Ok(recoding) = solved {
            let released = recoding.apply(&paths).unwrap();
            for row in 0..paths.len() {
                assert_eq!(released.cell(row), output.cell(row), "{id}");
            }
            let audit = support::beside(&paths, &released, recoding.removal(), &request);
            assert_eq!(
                audit.exposed_records,
                expected["exposed_people"].as_u64().unwrap(),
                "{id}"
            );
            assert_eq!(
                audit.smallest_group,
                expected["smallest_group"].as_u64().unwrap(),
                "{id}"
            );
            let confidence = &expected["largest_confidence"];
            let confidence = Fraction::of(
                confidence[0].as_u64().unwrap(),
                confidence[1].as_u64().unwrap(),
            );
            assert_eq!(audit.largest_confidence, confidence, "{id}");
            // The same from the release alone, read back without what was suppressed.
            let again = support::beside(&paths, &output, recoding.removal(), &request);
            assert_eq!(again, audit, "{id}");
            let ours =
                denym_sequences::exposed_records(&paths, &request, &recoding.suppressed).unwrap();
            assert_eq!(ours, audit.exposed_records, "{id}");
            exposed_cases += usize::from(ours > 0);
        }
        seen += 1;
    }
    assert_eq!(seen, 105);
    assert!(exposed_cases > 20);
}
