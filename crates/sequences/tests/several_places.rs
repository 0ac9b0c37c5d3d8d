//! Several places at one time, as when times are whole hours: the judge confirms every solver under `consistent`.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod support;

use denym_data::paths::{Doublet, Paths};
use denym_sequences::generate::SplitMix64;
use denym_sequences::{Algorithm, Context, Matching, Request, solve};

#[test]
fn the_judge_confirms_every_solver() {
    let doublets: Vec<Doublet> = (0..9)
        .map(|id| Doublet {
            time: id / 3,
            location: id % 3,
        })
        .collect();
    let labels = |prefix: &str| (0..3).map(|n| format!("{prefix}{n}")).collect::<Vec<_>>();
    let (mut kept, mut split) = (0, 0);
    for seed in 0..1500 {
        let mut draw = SplitMix64::new(seed);
        let (mut starts, mut items) = (vec![0_u32], Vec::new());
        for _ in 0..6 + draw.below(20) {
            let row: Vec<u32> = (0..9).filter(|_| draw.below(3) == 0).collect();
            let times: Vec<u32> = row.iter().map(|id| id / 3).collect();
            split += usize::from(times.windows(2).any(|two| two[0] == two[1]));
            items.extend(row);
            starts.push(items.len() as u32);
        }
        let paths =
            Paths::from_codes(labels("p"), labels(""), doublets.clone(), starts, items).unwrap();
        let (l, k) = (1 + draw.below(3) as usize, 2 + u64::from(draw.below(2)));
        for algorithm in [Algorithm::GlobalSuppression, Algorithm::LocalSuppression] {
            let mut request = Request::new(l, k);
            request.algorithm = algorithm;
            request.matching = Matching::Consistent;
            let recoding = solve(&paths, &request, &Context::default()).unwrap();
            let released = recoding.apply(&paths).unwrap();
            let audit = support::beside(&paths, &released, recoding.removal(), &request);
            assert!(audit.holds, "seed {seed} {algorithm:?} {audit:?}");
            kept += released.instances();
        }
    }
    assert!(kept > 1000 && split > 1000, "{kept} {split}");
}
