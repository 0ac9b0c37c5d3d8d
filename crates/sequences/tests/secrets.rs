//! Sensitive places, several attributes, other costs, and the same answer on any number of threads.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use denym_data::Fraction;
use denym_data::paths::Attribute;
use denym_sequences::generate::{SplitMix64, scalability, subway, to_paths};
use denym_sequences::{Algorithm, Bound, Context, Cost, Error, Matching, Request, solve};
use denym_testkit::paths::parts;

/// No group reveals a visit to `a` beyond its bound, judged from the source visits, unless the knowledge names `a`.
#[test]
fn a_sensitive_place_is_not_revealed() {
    let (mut bounded, mut removed) = (0, 0);
    for seed in 0..1500 {
        let case = support::draw(seed, false);
        let Some(place) = case.paths.locations().iter().position(|l| l == "a") else {
            continue;
        };
        let here = |item: u32| case.paths.doublets()[item as usize].location as usize == place;
        let visits: Vec<bool> = case
            .table
            .rows
            .iter()
            .map(|row| row.iter().any(|&i| here(i)))
            .collect();
        let (num, den) = (1 + seed % 3, 4);
        for (algorithm, matching) in [
            (Algorithm::GlobalSuppression, Matching::Covers),
            (Algorithm::LocalSuppression, Matching::Covers),
            (Algorithm::GlobalSuppression, Matching::Consistent),
            (Algorithm::LocalSuppression, Matching::Consistent),
        ] {
            let mut request = Request::new(case.request.l, case.request.k);
            request.bounds = vec![Bound::place("a", Fraction::of(num, den))];
            request.algorithm = algorithm;
            request.matching = matching;
            let Ok(recoding) = solve(&case.paths, &request, &Context::default()) else {
                continue;
            };
            let released = support::released_rows(&recoding, case.table.rows.len());
            let common = visits.iter().filter(|v| **v).count() as u64;
            if common * den > num * visits.len() as u64 {
                // Too common to bound: nobody shows it.
                assert!(
                    released.iter().flatten().all(|&item| !here(item)),
                    "seed {seed}"
                );
                removed += 1;
                continue;
            }
            bounded += 1;
            for row in &released {
                for part in parts(row, request.l) {
                    let group: Vec<usize> = (0..released.len())
                        .filter(|&r| part.iter().all(|item| released[r].contains(item)))
                        .collect();
                    assert!(group.len() as u64 >= request.k, "seed {seed}");
                    let with = group.iter().filter(|&&r| visits[r]).count() as u64;
                    let names = part.iter().any(|&item| here(item));
                    assert!(
                        names || with * den <= num * group.len() as u64,
                        "seed {seed}"
                    );
                }
            }
            if matching == Matching::Consistent {
                let out = recoding.apply(&case.paths).unwrap();
                let audit = support::beside(&case.paths, &out, recoding.removal(), &request);
                assert!(audit.holds, "seed {seed} {algorithm:?}");
            }
        }
    }
    assert!(bounded > 500 && removed > 200, "{bounded} {removed}");
}

#[test]
fn several_attributes_each_with_its_own_bound() {
    let paths = to_paths(subway(42, 20_000)).unwrap();
    let mut r = SplitMix64::new(5);
    let income: Vec<&str> = (0..paths.len())
        .map(|_| ["low", "high"][r.below(2) as usize])
        .collect();
    let paths = paths
        .with_sensitive(Attribute::from_labels("income", income))
        .unwrap();
    let mut request = Request::new(2, 10);
    request.matching = Matching::Covers;
    request.algorithm = Algorithm::GlobalSuppression;
    let bounds = [
        ("status", "0", (3, 5)),
        ("status", "3", (2, 5)),
        ("income", "low", (7, 10)),
    ];
    request.bounds = bounds
        .iter()
        .map(|(a, v, (n, d))| Bound::value(a, v, Fraction::of(*n, *d)))
        .collect();
    let recoding = solve(&paths, &request, &Context::default()).unwrap();
    let out = recoding.apply(&paths).unwrap();
    let secrets = |paths: &_, which: usize| {
        let (a, v, (n, d)) = bounds[which];
        let mut request = Request::new(2, 10);
        request.bounds = vec![Bound::value(a, v, Fraction::of(n, d))];
        support::shown(paths, &request)
    };
    for (which, (_, _, (n, d))) in bounds.into_iter().enumerate() {
        assert!(!secrets(&paths, which).holds);
        let audit = secrets(&out, which);
        assert!(audit.holds && audit.largest_confidence <= Fraction::of(n, d));
    }
    request.bounds[0].at_most = Fraction::of(1, 100);
    let refused = solve(&paths, &request, &Context::default()).unwrap_err();
    assert!(matches!(refused, Error::BaseRate { bound: 0, .. }) && refused.is_refusal());
    request.bounds = vec![Bound::value("salary", "x", Fraction::ONE)];
    let unknown = solve(&paths, &request, &Context::default()).unwrap_err();
    assert_eq!(unknown.code(), "paths-unknown-attribute");
}

#[test]
fn minding_frequent_sequences_never_keeps_fewer() {
    let paths = to_paths(scalability(7, 300_000)).unwrap();
    let kept = |cost: Cost| {
        let mut request = Request::new(3, 30);
        request.matching = Matching::Covers;
        request.algorithm = Algorithm::GlobalSuppression;
        request.cost = cost;
        let recoding = solve(&paths, &request, &Context::default()).unwrap();
        let out = recoding.apply(&paths).unwrap();
        let summary = denym_sequences::Summary::new(&out, &request.limits(&out).unwrap());
        denym_sequences::frequent::sequences(&summary, 100, 3, &Context::default())
            .unwrap()
            .len()
    };
    let plain = kept(Cost::Instances);
    let minding = kept(Cost::FrequentSequences {
        support: 100,
        length: 3,
    });
    println!("frequent sequences kept: {plain} minding instances, {minding} minding sequences");
    assert!(minding >= plain);
}

#[test]
fn the_same_answer_on_any_number_of_threads() {
    let paths = to_paths(subway(42, 5_000)).unwrap();
    let answer = |threads: usize, algorithm, matching| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut request = Request::new(3, 10);
            request.bounds = vec![Bound::value("status", "0", Fraction::of(3, 5))];
            request.matching = matching;
            request.algorithm = algorithm;
            let recoding = solve(&paths, &request, &Context::default()).unwrap();
            (recoding.suppressed.clone(), recoding.apply(&paths).unwrap())
        })
    };
    for algorithm in [Algorithm::GlobalSuppression, Algorithm::LocalSuppression] {
        for matching in [Matching::Covers, Matching::Consistent] {
            let one = answer(1, algorithm, matching);
            assert!(answer(2, algorithm, matching) == one);
            assert!(answer(5, algorithm, matching) == one);
        }
    }
}

#[test]
fn stops_when_told_to() {
    let paths = to_paths(subway(42, 1_000)).unwrap();
    let context = Context {
        seed: 0,
        keep_going: &|| false,
    };
    let stopped = solve(&paths, &Request::new(2, 5), &context).unwrap_err();
    assert_eq!(stopped, Error::Stopped);
}
