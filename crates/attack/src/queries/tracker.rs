//! Difference and tracker attacks on a system that answers counts and sums.

use super::formula::{Answers, Formula};
use crate::{Coverage, Evidence};

/// What was learned, and by how many questions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Learned {
    /// The victim's sensitive number.
    pub value: f64,
    /// Questions asked.
    pub questions: u32,
}

/// The victim's number when the system answers about a group of one (Example 8.1, Q1 and Q2).
pub fn asked_directly(system: &dyn Answers, victim: &Formula) -> Option<Learned> {
    (system.count(victim)? == 1).then_some(())?;
    Some(Learned {
        value: system.sum(victim)?,
        questions: 2,
    })
}

/// The number of the one person who came between two states of a table (Example 8.1, Q3 - Q2).
pub fn added_between(
    before: &dyn Answers,
    after: &dyn Answers,
    formula: &Formula,
) -> Option<Learned> {
    (after.count(formula)? == before.count(formula)?.checked_add(1)?).then_some(())?;
    Some(Learned {
        value: after.sum(formula)? - before.sum(formula)?,
        questions: 4,
    })
}

/// Asks about everybody who came between two states: `columns` are those of the later one, `newcomers` its records that the earlier one lacks.
///
/// What each newcomer's number is where it is learned, and the evidence: newcomers whose number is learned, of all.
pub fn everybody_added(
    before: &dyn Answers,
    after: &dyn Answers,
    columns: &[&[u32]],
    newcomers: &[usize],
) -> (Vec<(usize, f64)>, Evidence) {
    let learned: Vec<(usize, f64)> = newcomers
        .iter()
        .filter_map(|&row| {
            let terms = (0..columns.len()).map(|at| Formula::Is(at, columns[at][row]));
            let formula = terms.reduce(Formula::and)?;
            Some((row, added_between(before, after, &formula)?.value))
        })
        .collect();
    let evidence = Evidence::new(
        "query-difference",
        learned.len() as u64,
        newcomers.len() as u64,
        Coverage::Exhaustive,
    );
    (learned, evidence)
}

/// The number of the one person who is both `a` and `b`, from answers about `a` and about `a` without `b`.
pub fn individual_tracker(system: &dyn Answers, a: &Formula, b: &Formula) -> Option<Learned> {
    let tracker = a.clone().and(b.clone().negated());
    (system.count(a)?.checked_sub(system.count(&tracker)?)? == 1).then_some(())?;
    Some(Learned {
        value: system.sum(a)? - system.sum(&tracker)?,
        questions: 4,
    })
}

/// The number of the one person that `victim` selects, through any tracker that the system answers about.
pub fn general_tracker(
    system: &dyn Answers,
    victim: &Formula,
    tracker: &Formula,
) -> Option<Learned> {
    let rest = tracker.clone().negated();
    let (with, without) = (
        victim.clone().or(tracker.clone()),
        victim.clone().or(rest.clone()),
    );
    let padded = system.count(&with)? + system.count(&without)?;
    (padded.checked_sub(system.count(tracker)? + system.count(&rest)?)? == 1).then_some(())?;
    let value =
        system.sum(&with)? + system.sum(&without)? - system.sum(tracker)? - system.sum(&rest)?;
    Some(Learned {
        value,
        questions: 8,
    })
}

/// Tries to learn everybody's number: each person as the conjunction of all the codes the adversary knows of that person.
///
/// Asked directly first, then by every individual tracker that splits the conjunction, then by every single code as general tracker.
pub fn track_everybody(
    system: &dyn Answers,
    columns: &[&[u32]],
) -> (Vec<Option<Learned>>, Evidence) {
    let people = columns.first().map_or(0, |column| column.len());
    let mut trackers: Vec<Formula> = Vec::new();
    for (attribute, column) in columns.iter().enumerate() {
        let mut codes = column.to_vec();
        codes.sort_unstable();
        codes.dedup();
        trackers.extend(codes.into_iter().map(|code| Formula::Is(attribute, code)));
    }
    let learned: Vec<Option<Learned>> = (0..people)
        .map(|person| {
            let terms: Vec<Formula> = columns
                .iter()
                .enumerate()
                .map(|(attribute, column)| Formula::Is(attribute, column[person]))
                .collect();
            let all = terms.iter().cloned().reduce(Formula::and)?;
            asked_directly(system, &all)
                .or_else(|| {
                    terms.iter().enumerate().find_map(|(at, b)| {
                        let others = terms.iter().enumerate().filter(|(other, _)| *other != at);
                        let a = others.map(|(_, term)| term.clone()).reduce(Formula::and)?;
                        individual_tracker(system, &a, b)
                            .or_else(|| individual_tracker(system, b, &a))
                    })
                })
                .or_else(|| {
                    trackers
                        .iter()
                        .find_map(|tracker| general_tracker(system, &all, tracker))
                })
        })
        .collect();
    let found = learned.iter().flatten().count() as u64;
    (
        learned,
        Evidence::new("query-tracker", found, people as u64, Coverage::Exhaustive),
    )
}
