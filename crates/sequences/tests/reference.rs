//! Reference figures on real data: MSNBC and Oyster.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use denym_data::paths::Paths;
use denym_sequences::{
    Algorithm, Context, Matching, PathRecoding, Request, exposed_records, solve,
};

#[expect(
    clippy::print_stdout,
    reason = "the figures are what this file is read for"
)]
fn run(paths: &Paths, l: usize, k: u64, algorithm: Algorithm, matching: Matching) -> PathRecoding {
    let mut request = Request::new(l, k);
    request.algorithm = algorithm;
    request.matching = matching;
    let start = std::time::Instant::now();
    let recoding = solve(paths, &request, &Context::default()).unwrap();
    println!(
        "L={l} K={k} {algorithm:?} {matching:?}: {:?} suppressed {} in {:.2?}",
        recoding.stats,
        recoding.suppressed.len(),
        start.elapsed()
    );
    recoding
}

fn check(recoding: &PathRecoding, violations: u64, suppressed: usize, lost: u64) {
    assert_eq!(recoding.stats.critical_violations, violations);
    assert_eq!(recoding.suppressed.len(), suppressed);
    assert_eq!(recoding.stats.lost_doublets, lost);
}

#[test]
fn msnbc() {
    let Some(paths) = support::msnbc() else {
        return;
    };
    assert_eq!(
        (paths.len(), paths.instances(), paths.doublets().len()),
        (989_818, 2_231_944, 408)
    );
    let global = Algorithm::GlobalSuppression;
    let k10 = run(&paths, 2, 10, global, Matching::Covers);
    check(&k10, 33_238, 293, 182_665);
    let exposed = exposed_records(&paths, &Request::new(2, 10), &k10.suppressed).unwrap();
    let released = k10.apply(&paths).unwrap();
    let audit = support::beside(&paths, &released, k10.removal(), &Request::new(2, 10));
    println!("covers exposes {exposed} people at L=2 K=10");
    assert_eq!(exposed, audit.exposed_records);
    assert!((k10.stats.distortion - 0.081_841).abs() < 5e-7);
    check(
        &run(&paths, 2, 50, global, Matching::Covers),
        50_779,
        346,
        390_649,
    );
    let l3 = run(&paths, 3, 10, global, Matching::Covers);
    let local = run(&paths, 3, 10, Algorithm::LocalSuppression, Matching::Covers);
    assert!(2.0 * local.stats.distortion <= l3.stats.distortion);
}

#[test]
fn msnbc_consistent() {
    let Some(paths) = support::msnbc() else {
        return;
    };
    for (l, algorithm) in [
        (2, Algorithm::GlobalSuppression),
        (2, Algorithm::LocalSuppression),
        (3, Algorithm::GlobalSuppression),
    ] {
        let recoding = run(&paths, l, 10, algorithm, Matching::Consistent);
        let released = recoding.apply(&paths).unwrap();
        let start = std::time::Instant::now();
        let request = Request::new(l, 10);
        let audit = support::beside(&paths, &released, recoding.removal(), &request);
        println!(
            "judged in {:.2?}: smallest group {}",
            start.elapsed(),
            audit.smallest_group
        );
        assert!(audit.holds && audit.exposed_records == 0);
    }
}

#[test]
fn oyster() {
    let Some(paths) = support::oyster() else {
        return;
    };
    assert_eq!((paths.len(), paths.instances()), (765_313, 1_525_941));
    let global = run(&paths, 2, 5, Algorithm::GlobalSuppression, Matching::Covers);
    check(&global, 262_357, 7_927, 1_411_142);
    assert!((global.stats.distortion - 0.924_768).abs() < 5e-7);
    let local = run(&paths, 2, 5, Algorithm::LocalSuppression, Matching::Covers);
    assert!(local.stats.unchanged_doublets * 10 >= local.stats.doublets * 7);
    let audit = support::shown(&local.apply(&paths).unwrap(), &Request::new(2, 5));
    assert!(audit.holds && audit.smallest_group >= 5);
    // Places as squares of 2, 4 and 8 km, then two hours as one.
    let Some(ladder) = support::oyster_ladder(&paths) else {
        return;
    };
    let mut request = Request::new(2, 5);
    request.algorithm = Algorithm::Auto;
    request.matching = Matching::Covers;
    request.ladder = Some(ladder);
    let coarse = solve(&paths, &request, &Context::default()).unwrap();
    println!("Auto: {:?} {:?}", coarse.algorithm, coarse.stats);
    assert_eq!(coarse.algorithm, Algorithm::Coarsening);
    assert!(coarse.stats.loss < local.stats.loss);
    let released = coarse.apply(&paths).unwrap();
    let audit = support::shown(&released, &Request::new(2, 5));
    assert!(audit.holds && audit.smallest_group >= 5);
}

#[test]
fn oyster_consistent() {
    let Some(paths) = support::oyster() else {
        return;
    };
    let local = run(
        &paths,
        2,
        5,
        Algorithm::LocalSuppression,
        Matching::Consistent,
    );
    assert!(local.stats.unchanged_doublets * 10 >= local.stats.doublets * 7);
    let released = local.apply(&paths).unwrap();
    let asked = Request::new(2, 5);
    assert!(support::beside(&paths, &released, local.removal(), &asked).holds);
    // An entry and an exit may share an hour: a record then shows both or neither.
    let everywhere = run(
        &paths,
        2,
        5,
        Algorithm::GlobalSuppression,
        Matching::Consistent,
    );
    let released = everywhere.apply(&paths).unwrap();
    let audit = support::beside(&paths, &released, everywhere.removal(), &asked);
    assert!(audit.holds);
}
