//! The worlds test on paths and transactions: marks are what running the solvers backwards measures.
//!
//! The adversary knows some doublets, or items, of one victim in the data. Every table of a few records over a small vocabulary
//! is a possible source, so every doublet that may have been suppressed is tried in every record.

use denym_data::Sequences;
use denym_data::paths::{Attribute, Doublet, Paths};
use denym_data::{Fraction, Standing, Verdict};
use denym_sequences::{
    Algorithm, Bound, Context, Ladder, Matching, Request, Rung, TransactionRequest, solve,
    solve_transactions, solver_entry,
};
use denym_testkit::worlds::{Belief, Release, Tally, backwards, every_multiset};

const K: u64 = 2;

/// Whether no link is likelier than one in k, and no bounded value (code 1) likelier than one in two.
fn keeps<W>(belief: &Belief<'_, W>, bounded: bool) -> bool {
    let all: f64 = belief.values.values().sum();
    let share = belief.values.get(&1).copied().unwrap_or(0.0) / all;
    belief.link <= 1.0 / K as f64 + 1e-6 && (!bounded || share <= 0.5 + 1e-6)
}

fn standing(tallies: &[Tally]) -> Standing {
    let judged = tallies.iter().filter(|tally| tally.judged > 0.0);
    match judged.map(Tally::per_mille).max() {
        None => Standing::NotPromised,
        Some(0) => Standing::Holds,
        Some(per_mille) => Standing::Exceeded { per_mille },
    }
}

/// A record: at each of two times at one of two places or nowhere, and ill or not.
fn doublets_of(kind: u32) -> Vec<u32> {
    let at = |place: u32, time: u32| (place > 0).then(|| time * 2 + place - 1);
    [at(kind % 3, 0), at(kind / 3 % 3, 1)]
        .into_iter()
        .flatten()
        .collect()
}

fn is_ill(kind: u32) -> u32 {
    kind / 9
}

fn table(records: &[u32]) -> Paths {
    let doublets = (0..2)
        .flat_map(|time| (0..2).map(move |location| Doublet { location, time }))
        .collect();
    let mut starts = vec![0];
    let mut items = Vec::new();
    for &kind in records {
        items.extend(doublets_of(kind));
        starts.push(items.len() as u32);
    }
    let texts = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    let paths = Paths::from_codes(
        texts(["a", "b"]),
        texts(["1", "2"]),
        doublets,
        starts,
        items,
    );
    let ill = records
        .iter()
        .map(|&kind| ["no", "yes"][is_ill(kind) as usize]);
    paths
        .expect("records are ascending")
        .with_sensitive(Attribute::from_labels("ill", ill))
        .expect("one value per record")
}

/// Both places as one, at the times they are.
fn ladder() -> Ladder {
    Ladder {
        rungs: vec![Rung {
            places: vec!["anywhere".to_owned(); 2],
            slots: vec!["1".to_owned(), "2".to_owned()],
        }],
    }
}

/// Runs a solver of paths backwards for somebody who knows up to two doublets of the victim.
///
/// Matching is the default, for under `covers` a doublet that was suppressed can be used against the victim by anybody; the optimum
/// knows no other.
fn on_paths(algorithm: Algorithm, bounded: bool, matching: Matching) -> Tally {
    const RECORDS: usize = 4;
    let half = Fraction::new(1, 2).expect("a fraction");
    let request = Request {
        algorithm,
        matching,
        unsuppress: true,
        ladder: matches!(algorithm, Algorithm::Coarsening | Algorithm::Auto).then(ladder),
        ..Request::new(2, K)
    };
    let worlds = every_multiset(RECORDS, 18);
    let found = backwards(&worlds, |records: &Vec<u32>, _| {
        let mut request = request.clone();
        // A value that nobody has needs no bound.
        if bounded && records.iter().any(|&kind| is_ill(kind) == 1) {
            request.bounds = vec![Bound::value("ill", "yes", half)];
        }
        let found = solve(&table(records), &request, &Context::default()).ok()?;
        let shown = (0..records.len()).map(|record| {
            let dropped = found.dropped_records.contains(&(record as u32));
            (!dropped).then(|| (found.published(record).to_vec(), is_ill(records[record])))
        });
        Some(Release {
            shown: shown.collect(),
            beside: (),
        })
    });
    let mut tally = Tally::default();
    for known in 1..9 {
        let known = doublets_of(known);
        let fits = |records: &Vec<u32>, record: usize| {
            let own = doublets_of(records[record]);
            known.iter().all(|doublet| own.contains(doublet))
        };
        let beliefs = found.victim(fits, |records, record| is_ill(records[record]));
        tally.add(&beliefs, |belief| keeps(belief, bounded));
    }
    tally
}

fn check_paths(name: &str) {
    let algorithm = Algorithm::from_name(name).expect("an algorithm");
    let matchings: &[Matching] = match algorithm {
        Algorithm::Optimum => &[Matching::Covers],
        // Safe whatever anybody knows of paths.
        Algorithm::BlindSuppression => &[Matching::Consistent, Matching::Covers],
        _ => &[Matching::Consistent],
    };
    let measure = |bounded| {
        let tallies = matchings
            .iter()
            .map(|&matching| on_paths(algorithm, bounded, matching));
        standing(&tallies.collect::<Vec<_>>())
    };
    let measured = Verdict {
        sizes: measure(false),
        values: measure(true),
    };
    let marked = solver_entry("paths", name)
        .expect("every algorithm is listed")
        .verdict;
    assert_eq!(
        marked, measured,
        "the mark of `{name}` and what was measured"
    );
}

/// A transaction: some of two public items, and a sensitive one or not.
fn items_of(kind: u32) -> Vec<u32> {
    (0..3).filter(|item| kind >> item & 1 == 1).collect()
}

/// How items are hidden.
#[derive(Clone, Copy, PartialEq)]
enum Way {
    Suppress,
    Generalize,
    Blind,
}

fn on_transactions(way: Way, bounded: bool) -> Tally {
    const RECORDS: usize = 5;
    let half = Fraction::new(1, 2).expect("a fraction");
    let names = ["bread", "wine", "pills"].map(str::to_owned).to_vec();
    let mut request = TransactionRequest::new(2, K);
    if bounded {
        request.sensitive.push(("pills".to_owned(), half));
    }
    request.blind = way == Way::Blind;
    if way == Way::Generalize {
        let food = || vec!["food".to_owned(), "anything".to_owned()];
        let rest = if bounded {
            Vec::new()
        } else {
            vec!["drugs".to_owned(), "anything".to_owned()]
        };
        request.taxonomy = Some(vec![food(), food(), rest]);
    }
    let worlds = every_multiset(RECORDS, 8);
    let found = backwards(&worlds, |records: &Vec<u32>, _| {
        let mut starts = vec![0];
        let mut codes = Vec::new();
        for &kind in records {
            codes.extend(items_of(kind));
            starts.push(codes.len() as u32);
        }
        let source = Sequences::of_items(names.clone(), starts, codes).expect("ascending");
        let found = solve_transactions(&source, &request, &Context::default()).ok()?;
        let released = found.apply(&source).ok()?;
        let shown = released.records().map(|set| {
            let names = set
                .iter()
                .map(|&item| released.locations()[item as usize].clone());
            Some(names.collect::<Vec<String>>())
        });
        Some(Release {
            shown: shown.collect(),
            beside: (),
        })
    });
    let mut tally = Tally::default();
    let public = if bounded { 2 } else { 3 };
    for known in 1_u32..1 << public {
        if known.count_ones() > 2 {
            continue;
        }
        let fits = |records: &Vec<u32>, record: usize| records[record] & known == known;
        let beliefs = found.victim(fits, |records, record| records[record] >> 2);
        tally.add(&beliefs, |belief| keeps(belief, bounded));
    }
    tally
}

fn check_transactions(name: &str, ways: &[Way]) {
    let measure = |bounded| {
        let tallies: Vec<Tally> = ways
            .iter()
            .map(|&way| on_transactions(way, bounded))
            .collect();
        standing(&tallies)
    };
    let measured = Verdict {
        sizes: measure(false),
        values: measure(true),
    };
    let marked = solver_entry("transactions", name)
        .expect("every algorithm is listed")
        .verdict;
    assert_eq!(
        marked, measured,
        "the mark of `{name}` and what was measured"
    );
}

#[test]
fn global_suppression_is_marked_as_measured() {
    check_paths("global-suppression");
}

#[test]
fn local_suppression_is_marked_as_measured() {
    check_paths("local-suppression");
}

#[test]
fn coarsening_is_marked_as_measured() {
    check_paths("coarsening");
}

#[test]
fn whole_paths_are_marked_as_measured() {
    check_paths("whole-paths");
}

#[test]
fn the_optimum_is_marked_as_measured() {
    check_paths("optimum");
}

#[test]
fn the_portfolio_of_paths_is_marked_as_measured() {
    check_paths("auto");
}

#[test]
fn item_suppression_is_marked_as_measured() {
    check_transactions("item-suppression", &[Way::Suppress]);
}

#[test]
fn item_generalization_is_marked_as_measured() {
    check_transactions("item-generalization", &[Way::Generalize]);
}

/// `auto` takes whichever of the two loses less: it is as exposed as the worse of them.
#[test]
fn the_portfolio_of_transactions_is_marked_as_the_worse_of_its_members() {
    check_transactions("auto", &[Way::Suppress, Way::Generalize]);
}

#[test]
fn blind_suppression_tells_no_more_than_it_promises_of_paths() {
    check_paths("blind-suppression");
}

#[test]
fn blind_suppression_tells_no_more_than_it_promises_of_transactions() {
    check_transactions("blind-suppression", &[Way::Blind]);
}

#[test]
fn no_algorithm_is_left_without_a_verdict() {
    for (name, _) in Algorithm::NAMES {
        assert!(solver_entry("paths", name).is_some(), "`{name}`");
    }
}
