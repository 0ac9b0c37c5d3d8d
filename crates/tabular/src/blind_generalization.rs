//! Blind generalization: classes are made without a look at who has which sensitive value, then kept or refused as a whole.
//!
//! # Idea
//!
//! A search that generalizes until the sensitive values fit tells those values by how far it went. This one decides on
//! classes from two things that the release shows anyway: the quasi-identifiers, and how often each sensitive value occurs in
//! the table. It asks how large classes must be so that values dealt to people at random would nearly always keep every promise,
//! and makes classes of that size. Then it looks once: either every class keeps every promise, or nothing is published.
//!
//! ```text
//! quasi-identifiers ─┐
//!                    ├─> classes ──look──> all of them keep every promise ──> published
//! counts of values ──┘                └──> one does not                   ──> refused
//! ```
//!
//! # Guarantee
//!
//! Every class meets every promise, nothing is suppressed, and somebody who knows this program, the policy and everybody's
//! quasi-identifiers believes exactly what the class shows: a person has a value as likely as it is frequent in the person's class.
//!
//! *Why.* Any two sources behind one release have the same quasi-identifiers and the same values in each class, so the same counts over the
//! table. The classes follow from these alone, and whether they pass follows from the values of each class. So both sources give that
//! release, and every way of handing the values of a class to its people stays as likely as every other. The seed of the trial deals
//! is fixed: they protect nothing, they only estimate.
//!
//! People with several records are refused, or publish one each: see [`crate::surplus`].
//!
//! What this does not cover: a steward who is refused and changes the policy until it passes has looked too.
//!
//! # Reference
//!
//! The attack it answers: R. Wong, A. Fu, K. Wang, J. Pei, "Minimality attack in privacy preserving data publishing", VLDB 2007. That what
//! is chosen must not depend on who has what is their section 5; sizes from the counts are ours.
//!
//! # Departures
//!
//! None from a paper. Records are not suppressed: what they hold would be missing from the counts that a reader can add up.
//!
//! # Cost
//!
//! A Mondrian per size tried, sizes growing by half, and a linear deal of all values for each trial.

use denym_data::{Code, Ragged, SplitMix64};
use denym_measure::Promise;
use denym_measure::promises::KAnonymity;

use crate::anatomy::shuffle;
use crate::class::{admitted, with_group};
use crate::recode::{class_group, class_is_admitted};
use crate::{Context, Error, Mondrian, Nearest, Reach, Request, Solution, Solver};

/// Trial deals for each size, where tables are small.
const TRIALS: u64 = 100;
/// Values dealt for each size at most, so that large tables take seconds; never fewer than twenty deals.
const DEALT: u64 = 20_000_000;
/// One deal in so many may fail.
const FAILING: u64 = 20;

/// Classes from quasi-identifiers and counts of values, all or nothing.
#[derive(Debug, Clone, Default)]
pub struct BlindGeneralization;

impl Solver for BlindGeneralization {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        request.check()?;
        request.only_whole_classes()?;
        let summary = request.summary;
        // People with one record each are records. With several, how many they have in a class would find them: see `one_each`.
        if summary
            .subjects
            .as_ref()
            .is_some_and(|subjects| !one_each(subjects, summary.total()))
        {
            return Err(Error::SubjectsNotHonoured);
        }
        let terms = request.promises.iter().map(|promise| promise.terms());
        // Guarding nodes are not published, so their counts are nothing that a reader has anyway.
        if let Some(guards) = terms
            .clone()
            .find(|terms| terms.name == "personalized-privacy")
        {
            return Err(Error::PromiseNotHonoured { name: guards.name });
        }
        let sizes = terms.filter(|terms| terms.name == "k-anonymity");
        #[expect(clippy::cast_sign_loss, reason = "a size is not negative")]
        let mut k = sizes.map(|terms| terms.bound as u64).max().unwrap_or(1);
        loop {
            let size: Vec<Box<dyn Promise>> = vec![Box::new(KAnonymity { k })];
            let blind = Request {
                promises: &size,
                ..*request
            };
            let solution = Mondrian::default().solve(&blind, context)?;
            let members = members(&solution);
            if members.len() <= 1 || usually_kept(request, &members) {
                return judged(request, solution, &members);
            }
            // At least one class fewer is needed: no smaller size than that of the smallest class changes anything.
            k = solution
                .statistics
                .smallest
                .max(k)
                .saturating_mul(3)
                .div_ceil(2)
                + 1;
            k = k.min(summary.total());
        }
    }
}

/// Whether no subject has two of the `records`: neither in two tuples, nor in one, which lists a subject once.
fn one_each(subjects: &Ragged<u32>, records: u64) -> bool {
    let rows = (0..subjects.len()).flat_map(|tuple| subjects.row(tuple));
    let mut all: Vec<u32> = rows.copied().collect();
    all.sort_unstable();
    all.len() as u64 == records && all.windows(2).all(|pair| pair[0] != pair[1])
}

/// The tuples of each class.
fn members(solution: &Solution) -> Vec<Vec<u32>> {
    let mut members = vec![Vec::new(); solution.recoding.classes()];
    for (tuple, class) in solution.recoding.class_of.iter().enumerate() {
        if let Some(class) = class {
            members[*class as usize].push(tuple as u32);
        }
    }
    members
}

/// Whether values dealt to records at random nearly always keep every promise in every class.
fn usually_kept(request: &Request<'_>, members: &[Vec<u32>]) -> bool {
    let summary = request.summary;
    let sizes: Vec<u64> = members
        .iter()
        .map(|class| class.iter().map(|&t| summary.records[t as usize]).sum())
        .collect();
    let mut decks: Vec<Vec<Code>> = summary
        .sensitive
        .iter()
        .map(|rows| {
            let mut deck: Vec<Code> = (0..rows.len())
                .flat_map(|tuple| rows.row(tuple))
                .flat_map(|&(value, count)| std::iter::repeat_n(value, count as usize))
                .collect();
            deck.sort_unstable();
            deck
        })
        .collect();
    let trials = (DEALT / summary.total().max(1)).clamp(20, TRIALS);
    let mut random = SplitMix64::new(0);
    let mut failed = 0;
    for _ in 0..trials {
        for deck in &mut decks {
            shuffle(deck, &mut |n| random.below(n));
        }
        failed += u64::from(!deal_is_kept(request, &sizes, &decks));
        if failed * FAILING > trials {
            return false;
        }
    }
    true
}

/// Whether every class keeps every promise when it takes its values from the decks in turn.
fn deal_is_kept(request: &Request<'_>, sizes: &[u64], decks: &[Vec<Code>]) -> bool {
    let mut at = 0;
    sizes.iter().all(|&size| {
        let hand = at..at + size as usize;
        at = hand.end;
        let counts: Vec<Vec<(Code, u64)>> = decks
            .iter()
            .map(|deck| {
                let mut hand = deck[hand.clone()].to_vec();
                hand.sort_unstable();
                let runs = hand.chunk_by(|a, b| a == b);
                runs.map(|run| (run[0], run.len() as u64)).collect()
            })
            .collect();
        with_group(size, None, counts.iter().map(Vec::as_slice), |group| {
            admitted(request.promises, group)
        })
    })
}

/// The solution if every class keeps every promise; else how far the worst classes keep them.
fn judged(
    request: &Request<'_>,
    solution: Solution,
    members: &[Vec<u32>],
) -> Result<Solution, Error> {
    if members
        .iter()
        .all(|class| class_is_admitted(request, class))
    {
        return Ok(solution);
    }
    let reach = request.promises.iter().map(|promise| {
        let terms = promise.terms();
        let values = members
            .iter()
            .map(|class| class_group(request, class, |group| promise.value(group)));
        let worst = match terms.sense {
            denym_measure::Sense::AtLeast => values.fold(f64::INFINITY, f64::min),
            denym_measure::Sense::AtMost => values.fold(f64::NEG_INFINITY, f64::max),
        };
        Reach {
            name: terms.name,
            asked: terms.bound,
            reachable: Some(worst).filter(|worst| worst.is_finite()),
        }
    });
    Err(Error::infeasible(Nearest {
        reach: reach.collect(),
        suppression: None,
    }))
}
