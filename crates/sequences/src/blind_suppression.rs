//! Blind suppression: records that show the same are made without a look at who has which sensitive value, then kept or refused as a whole.
//!
//! # Idea
//!
//! A search that suppresses until the sensitive values fit tells those values by how far it went, and one that leaves records apart tells, by
//! what it suppressed, whose record is whose. This one removes doublets (or items) everywhere until every record shows the same as many others. How
//! many is decided from how often each value occurs in the table, which the release shows anyway: so many that values dealt to people at
//! random would nearly always keep every promise. Then it looks once: either every group of equal records keeps every promise, or nothing is published.
//!
//! ```text
//! paths and quasi-identifiers ─┐
//!                              ├─> groups that show the same ──look──> all keep every promise ──> published
//! counts of values ────────────┘                                  └──> one does not           ──> refused
//! ```
//!
//! # Guarantee
//!
//! Records with equal quasi-identifiers that show the same form groups of K or more that keep every promise. Somebody who knows this program, the
//! policy and the *whole* source path (and quasi-identifiers) of everybody believes exactly what the group shows: a person has a value as likely as it is
//! frequent in the person's group. Who knows less believes a mixture of groups. So L, m and the matching do not matter.
//!
//! *Why.* Take two sources with the same paths that give one release. They have the same values in each group, so the same counts over the table;
//! what is suppressed follows from paths and counts alone, and whether it passes from the values of each group. So the values of a group may be handed to its
//! people in any way: each gives the same release and is as likely as every other. A mixture of groups keeps what each of them keeps: no
//! share in a mixture is larger than the largest, no mixture has fewer values or less entropy than the poorest of its groups or lies further from the
//! whole than the furthest, and a record of a group of n is linked with one in n. Records that are dropped for want of
//! K with their quasi-identifiers are dropped before anything is counted, and for that reason alone. The seed of the trial deals is fixed: they protect
//! nothing, they only estimate.
//!
//! What this does not cover: a steward who is refused and changes the policy until it passes has looked too. Bounds on places are refused: a
//! visit is part of the path, and handing it to somebody else may put a person at two places at once.
//!
//! # Reference
//!
//! The attack it answers: R. Wong, A. Fu, K. Wang, J. Pei, "Minimality attack in privacy preserving data publishing", VLDB 2007. Groups
//! are those of [`crate::whole_paths`]; sizes from the counts are ours, as in `denym_tabular`'s blind generalization.
//!
//! # Cost
//!
//! A pass of whole paths per size tried, sizes growing by half, and a linear deal of all values for each trial.

use denym_data::SplitMix64;

use crate::error::Error;
use crate::recoding::PathRecoding;
use crate::request::{Algorithm, Context, Limits, Secret};
use crate::solve::{Problem, finish_global};
use crate::summary::Summary;
use crate::whole_paths::{classes, suppress};

/// Trial deals for each size, where tables are small.
const TRIALS: usize = 100;
/// Values dealt for each size at most, so that large tables take seconds; never fewer than twenty deals.
const DEALT: usize = 20_000_000;
/// One deal in so many may fail.
const FAILING: usize = 20;

/// Groups of paths from doublets and counts of values, all or nothing.
pub(crate) fn solve(problem: &Problem, context: &Context) -> Result<PathRecoding, Error> {
    let request = problem.request;
    let mut bounds = request.bounds.iter();
    if bounds.any(|bound| matches!(bound.secret, Secret::Place { .. })) {
        return Err(Error::BadOption {
            what: "blind suppression cannot bound visits to a sensitive place: a visit is part of the path it groups by",
        });
    }
    // What is counted of each record, as a table in which everybody is alone.
    let alone: Vec<(u32, &[u32])> = (0..problem.paths.len() as u32)
        .map(|record| (record, &[][..]))
        .collect();
    let counters = problem.limits.judge.counters();
    let mut each = Summary::of_lists(&alone, problem.summary.item_count(), counters.stride() - 1);
    each.count_all(problem.paths, &problem.limits);
    let deck = (0..problem.paths.len())
        .filter(|&record| {
            problem
                .dropped_records
                .binary_search(&(record as u32))
                .is_err()
        })
        .map(|record| each.weight(record).to_vec());
    let chosen = choose(&problem.summary, &problem.limits, deck.collect(), context)?;
    Ok(finish_global(
        problem,
        Algorithm::BlindSuppression,
        chosen,
        0,
    ))
}

/// What to suppress: decided from rows, sizes and the counts of `deck`, then looked at once.
pub(crate) fn choose(
    summary: &Summary,
    limits: &Limits,
    mut deck: Vec<Vec<u32>>,
    context: &Context,
) -> Result<Vec<u32>, Error> {
    // The deck begins in an order that says nothing of whose values they are.
    deck.sort_unstable();
    let mut chosen = Vec::new();
    let mut least = limits.k();
    loop {
        // Those with rare quasi-identifiers are as many as they are.
        let small = |sums: &[u32], whole: u64| u64::from(sums[0]) < least.min(whole);
        suppress(summary, &mut chosen, &small, context)?;
        let mut gone = vec![false; summary.item_count()];
        for &item in &chosen {
            gone[item as usize] = true;
        }
        let found = classes(summary, &gone);
        let sizes: Vec<usize> = found.iter().map(|class| class.sums[0] as usize).collect();
        let whole = found
            .iter()
            .all(|class| u64::from(class.sums[0]) == class.whole);
        if whole || usually_kept(limits, &sizes, &mut deck) {
            let broken = found.iter().filter(|class| limits.broken_by(&class.sums));
            let broken = broken.count() as u64;
            if broken == 0 {
                return Ok(chosen);
            }
            return Err(Error::BlindGroups {
                broken,
                groups: found.len() as u64,
                smallest: sizes.iter().copied().min().unwrap_or(0) as u64,
            });
        }
        let smallest = sizes.into_iter().min().unwrap_or(0) as u64;
        least = smallest.max(least).saturating_mul(3).div_ceil(2) + 1;
    }
}

/// Whether values dealt to groups of these sizes at random nearly always keep every promise.
fn usually_kept(limits: &Limits, sizes: &[usize], deck: &mut [Vec<u32>]) -> bool {
    let trials = (DEALT / deck.len().max(1)).clamp(20, TRIALS);
    let mut random = SplitMix64::new(0);
    let mut failed = 0;
    deck.sort_unstable();
    for _ in 0..trials {
        for last in (1..deck.len()).rev() {
            deck.swap(last, random.below(last as u64 + 1) as usize);
        }
        let mut at = 0;
        let kept = sizes.iter().all(|&size| {
            let mut sums = vec![0; deck[at].len()];
            for record in &deck[at..at + size] {
                for (sum, count) in sums.iter_mut().zip(record) {
                    *sum += count;
                }
            }
            at += size;
            !limits.broken_by(&sums)
        });
        failed += usize::from(!kept);
        if failed * FAILING > trials {
            return false;
        }
    }
    true
}
