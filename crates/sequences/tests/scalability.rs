//! Al-Hussaeni's scalability table: L = 3, K = 30, C = 60 %; `DENYM_RECORDS` sets the number of records.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use denym_data::Fraction;
use denym_sequences::generate::{scalability, to_paths};
use denym_sequences::{Algorithm, Bound, Context, Matching, Request, solve};

#[test]
fn a_million_records() {
    let records = std::env::var("DENYM_RECORDS").map_or(1_000_000, |n| n.parse().unwrap());
    let paths = to_paths(scalability(7, records)).unwrap();
    let bound = Fraction::of(3, 5);
    for algorithm in [Algorithm::GlobalSuppression, Algorithm::LocalSuppression] {
        for matching in [Matching::Covers, Matching::Consistent] {
            let mut request = Request::new(3, 30);
            request.bounds = vec![Bound::value("status", "0", bound)];
            request.matching = matching;
            request.algorithm = algorithm;
            let start = std::time::Instant::now();
            let recoding = solve(&paths, &request, &Context::default()).unwrap();
            let solved = start.elapsed();
            let released = recoding.apply(&paths).unwrap();
            let applied = start.elapsed();
            let audit = support::shown(&released, &request);
            println!(
                "{records} records {algorithm:?} {matching:?}: {:?}; solved {solved:.2?}, applied {applied:.2?}, audited {:.2?}",
                recoding.stats,
                start.elapsed()
            );
            assert!(audit.holds && audit.smallest_group >= 30);
            assert!(audit.largest_confidence <= bound);
        }
    }
}
