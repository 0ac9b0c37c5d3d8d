//! `auto`: a portfolio over the solvers that fit the request; the best solution so far is always at hand.
//!
//! # Idea
//!
//! No solver is best for every table. Without a time limit all that fit run beside each other on all cores. With one, fast
//! ones go first, so that something good is there early; those that need longer follow while time lasts. On large tables the
//! slow ones are tried only when somebody set a time. All work on the same summary. A solver that another one dominates (every
//! full-domain search, by the optimal one) stays out, and the account says so.
//!
//! # Guarantee
//!
//! The result is the best by the request's objective of all attempts that the caller accepted; each attempt keeps every
//! promise by itself. On equal scores the earlier attempt wins, whichever was ready first, so the number of threads does not
//! matter. Infeasible only when every attempt is, the optimal search over levels included: where levels are too many for it
//! it comes last, and only when all others found nothing.
//!
//! # Reference
//!
//! Algorithm portfolios: B. Huberman, R. Lukose, T. Hogg, Science 1997.
//!
//! # Departures
//!
//! Under a time limit attempts run one after the other, each on all cores, so that the number of questions whether to go on
//! repeats a run.
//!
//! # Cost
//!
//! The sum of the attempts, or the time given.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::catalogue::solver_named;
use crate::lattice::Lattice;
use crate::{Context, Error, Request, Solution, Solver};

/// One solver of the portfolio.
struct Member {
    name: &'static str,
    /// Most tuples for which it is tried when nobody set a time: it takes about a second there.
    tuples: usize,
    /// It asks from several threads whether to go on, so the number of questions says nothing.
    recursive: bool,
}

const fn member(name: &'static str, tuples: usize, recursive: bool) -> Member {
    Member {
        name,
        tuples,
        recursive,
    }
}

/// The portfolio, in order: quick ones first, then those that usually lose least.
const MEMBERS: [Member; 16] = [
    member("mondrian", usize::MAX, true),
    member("full-domain", usize::MAX, false),
    member("best-effort", usize::MAX, false),
    member("local-recoding", 1 << 17, false),
    member("mondrian-relaxed", 1 << 20, true),
    member("greedy-top-down", 1 << 12, true),
    member("progressive-local-recoding", 1 << 12, true),
    member("infogain-mondrian", 1 << 14, true),
    member("top-down-specialization", 1 << 14, false),
    member("bottom-up-generalization", 1 << 12, false),
    member("sibling-generalization", 1 << 12, false),
    member("top-down-disclosure", 1 << 12, false),
    member("k-optimize", 1 << 10, false),
    member("greedy-bottom-up", 1 << 11, false),
    member("local-suppression", 1 << 11, false),
    member("blind-generalization", usize::MAX, true),
];

/// Solvers that cannot find anything better than a member of the portfolio, and which one.
const DOMINATED: [(&str, &str); 5] = [
    ("samarati", "full-domain"),
    ("incognito", "full-domain"),
    ("mingen", "full-domain"),
    ("datafly", "full-domain"),
    ("top-down-clusters", "top-down-specialization"),
];

/// Lattices up to this size are searched exactly; beyond it best effort takes over.
const EXACT: u128 = 1 << 18;

/// Why the optimal search has to wait until nothing else is left.
const TOO_MANY_LEVELS: &str = "there are too many combinations of levels";

/// Up to this many tuples solvers run beside each other; beyond, each keeps all cores busy by itself.
const TOGETHER: usize = 1 << 17;

/// A portfolio of solvers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Auto {
    /// Whether somebody set a time, so that everything is tried while it lasts.
    pub thorough: bool,
    /// Whether only solvers may serve whose promises hold against somebody who knows the program.
    pub safe: bool,
}

/// How one solver of the portfolio fared.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The solver's name.
    pub name: &'static str,
    /// What it came to.
    pub outcome: Outcome,
}

/// What became of a solver of the portfolio.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// It found a solution with this score, which was accepted if it was the best so far.
    Found(f64),
    /// It found a solution with this score that the caller refused.
    Refused(f64),
    /// It found none.
    Failed(Error),
    /// It was not tried, for this reason.
    Skipped(&'static str),
}

impl Attempt {
    /// The score of a solution that stands.
    pub fn score(&self) -> Option<f64> {
        match self.outcome {
            Outcome::Found(score) => Some(score),
            _ => None,
        }
    }
}

impl Solver for Auto {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        let going = context.keep_going;
        self.run(request, context, going, &mut |_, _| true).0
    }
}

impl Auto {
    /// Tries what fits. `accept` sees every solution that would be the best so far and may refuse it: an audit belongs there.
    ///
    /// `wanted` is asked by solvers that ask from several threads: it says whether anybody still waits for an answer, and must
    /// not count. What such a solver has when the answer is no is thrown away, since it depends on the moment.
    pub fn run(
        &self,
        request: &Request<'_>,
        context: &mut Context<'_>,
        wanted: &(dyn Fn() -> bool + Sync),
        accept: &mut dyn FnMut(&'static str, &Solution) -> bool,
    ) -> (Result<Solution, Error>, Vec<Attempt>) {
        if let Err(error) = request.check() {
            return (Err(error), Vec::new());
        }
        let exact = Lattice::new(request).nodes() <= EXACT;
        let misfits: Vec<Option<&'static str>> = MEMBERS
            .iter()
            .map(|member| self.misfit(member, request, exact))
            .collect();
        let mut solved = if self.side_by_side(request) {
            together(request, context, &misfits)
        } else {
            MEMBERS.iter().map(|_| None).collect()
        };
        let mut best: Option<Solution> = None;
        let mut attempts = Vec::new();
        let mut failure = Error::Stopped;
        let mut over = false;
        for (position, member) in MEMBERS.iter().enumerate() {
            let skipped = |reason| Attempt {
                name: member.name,
                outcome: Outcome::Skipped(reason),
            };
            if let Some(reason) = misfits[position] {
                attempts.push(skipped(reason));
                continue;
            }
            let answer = match solved[position].take() {
                Some(answer) => Some(answer),
                None if over => None,
                None => alone(member, request, context, wanted),
            };
            let Some(answer) = answer else {
                over = true;
                attempts.push(skipped("time was up"));
                continue;
            };
            let outcome = match answer {
                Ok(solution) => {
                    let score = solution.score;
                    let better = best.as_ref().is_none_or(|old| score < old.score);
                    if better && !accept(member.name, &solution) {
                        Outcome::Refused(score)
                    } else {
                        if better {
                            best = Some(solution);
                        }
                        Outcome::Found(score)
                    }
                }
                Err(error) => {
                    // The full-domain search knows most about what would be feasible.
                    if !matches!(failure, Error::Infeasible { .. }) || member.name == "full-domain"
                    {
                        failure = error.clone();
                    }
                    Outcome::Failed(error)
                }
            };
            attempts.push(Attempt {
                name: member.name,
                outcome,
            });
        }
        // Heuristics may pass by levels that exist: nothing is refused before the optimal search found none either.
        let place = MEMBERS
            .iter()
            .position(|member| member.name == "full-domain");
        if let (None, false, false, Some(place)) = (&best, exact, over, place)
            && misfits[place] == Some(TOO_MANY_LEVELS)
            && let Some(answer) = alone(&MEMBERS[place], request, context, wanted)
        {
            attempts[place].outcome = match answer {
                Ok(solution) if accept("full-domain", &solution) => {
                    let score = solution.score;
                    best = Some(solution);
                    Outcome::Found(score)
                }
                Ok(solution) => Outcome::Refused(solution.score),
                Err(error) => {
                    failure = error.clone();
                    Outcome::Failed(error)
                }
            };
        }
        attempts.extend(DOMINATED.iter().map(|&(name, by)| Attempt {
            name,
            outcome: Outcome::Skipped(match by {
                "full-domain" if exact => "`full-domain` finds the best of its kind",
                "full-domain" => "`best-effort` goes further among so many levels",
                _ => "it serves another purpose than the metric",
            }),
        }));
        // What one kind of recoding cannot beat says nothing about the others.
        let best = best.map(|solution| Solution {
            bound: None,
            ..solution
        });
        (best.ok_or(failure), attempts)
    }

    /// Whether solvers run beside each other: not where time may end any of them, and not where each needs all memory.
    fn side_by_side(self, request: &Request<'_>) -> bool {
        !self.thorough && request.summary.tuples() <= TOGETHER
    }

    /// Why a member is not tried, if it is not.
    fn misfit(self, member: &Member, request: &Request<'_>, exact: bool) -> Option<&'static str> {
        let tuples = request.summary.tuples();
        let alone = request.summary.sensitive.is_empty();
        let mut promises = request.promises.iter();
        let on_values = promises.any(|promise| promise.terms().attribute.is_some());
        let verdict = solver_named(member.name).map(|solver| solver.entry.verdict);
        // A search that sensitive values steer tells them by where it went; where sizes alone are promised, none does.
        if (self.safe || !on_values)
            && !verdict.is_some_and(|verdict| verdict.standing(on_values).holds())
        {
            return Some("it is not safe against who knows the program");
        }
        match member.name {
            "best-effort" if exact => Some("`full-domain` searches so few levels exactly"),
            "full-domain" if !exact => Some(TOO_MANY_LEVELS),
            "blind-generalization" if !self.safe => {
                Some("it is for adversaries who know the program, and no other asks that much")
            }
            "infogain-mondrian" | "top-down-disclosure" if alone => {
                Some("there is no sensitive attribute")
            }
            _ if self.thorough || tuples <= member.tuples => None,
            _ => Some("it takes long on so many tuples: set a time budget to try it"),
        }
    }
}

/// The answers of all members that fit, found beside each other; `None` where nobody waits any more.
fn together(
    request: &Request<'_>,
    context: &Context<'_>,
    misfits: &[Option<&'static str>],
) -> Vec<Option<Result<Solution, Error>>> {
    let (seed, keep_going) = (context.seed, context.keep_going);
    MEMBERS
        .par_iter()
        .zip(misfits)
        .with_max_len(1)
        .map(|(member, misfit)| {
            if misfit.is_some() || !keep_going() {
                return None;
            }
            let mut own = Context {
                seed,
                keep_going,
                progress: &mut |_| {},
            };
            Some((solver_named(member.name)?.make)().solve(request, &mut own))
        })
        .collect()
}

/// The answer of one member; `None` when time was up.
fn alone(
    member: &Member,
    request: &Request<'_>,
    context: &mut Context<'_>,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Option<Result<Solution, Error>> {
    let solver = (solver_named(member.name)?.make)();
    if !member.recursive {
        return (context.keep_going)().then(|| solver.solve(request, context));
    }
    let cut = AtomicBool::new(false);
    let keep_going = || {
        let wanted = wanted();
        if !wanted {
            cut.store(true, Ordering::Relaxed);
        }
        wanted
    };
    let mut own = Context {
        seed: context.seed,
        keep_going: &keep_going,
        progress: &mut *context.progress,
    };
    let answer = solver.solve(request, &mut own);
    // Asked afterwards, so that a run which is repeated by the number of questions leaves out what this one left out.
    (!cut.into_inner() && (context.keep_going)()).then_some(answer)
}
