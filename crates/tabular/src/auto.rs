//! `auto`: a portfolio over the solvers that fit the request; the best solution so far is always at hand.
//!
//! # Idea
//!
//! No solver is best for every table. Fast ones go first, so that something good is there early; those that need longer follow while
//! time lasts. What takes more than a few seconds on a table of this size, by steps that are counted beforehand, is tried only when
//! somebody set a time, after all others. All work on the same summary. A solver that another one dominates (every full-domain
//! search, by the optimal one) stays out, and the account says so.
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
//! Attempts run one after the other, each on all cores, so that the number of questions whether to go on repeats a run that a
//! clock ended; where no clock can end it they run beside each other.
//!
//! # Cost
//!
//! The sum of the attempts, or the time given.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::catalogue::solver_named;
use crate::lattice::Lattice;
use crate::{BestEffort, Context, Error, RecodingKind, Request, Solution, Solver};

/// One solver of the portfolio.
struct Member {
    name: &'static str,
    /// About how many steps it takes on a table of this shape, for those that may take long.
    steps: fn(&Shape) -> f64,
    /// It asks from several threads whether to go on, so the number of questions says nothing.
    recursive: bool,
}

const fn member(name: &'static str, steps: fn(&Shape) -> f64, recursive: bool) -> Member {
    Member {
        name,
        steps,
        recursive,
    }
}

/// What a search costs by.
struct Shape {
    tuples: f64,
    quasi: f64,
    /// Distinct values of all quasi-identifiers.
    codes: f64,
}

impl Shape {
    fn new(request: &Request<'_>) -> Shape {
        Shape {
            tuples: request.summary.tuples() as f64,
            quasi: request.summary.quasi.len() as f64,
            codes: request.summary.cardinalities.iter().sum::<usize>() as f64,
        }
    }

    /// Steps of a search that looks at every tuple a few times.
    fn linear(&self) -> f64 {
        self.tuples * self.quasi
    }

    /// Steps of a search that compares tuples with each other.
    fn pairs(&self) -> f64 {
        self.tuples * self.tuples * self.quasi
    }
}

/// The portfolio, in order: quick ones first, then those that usually lose least.
const MEMBERS: [Member; 16] = [
    member("mondrian", |_| 0.0, true),
    member("full-domain", |_| 0.0, false),
    member("best-effort", |_| 0.0, false),
    member("local-recoding", |shape| 600.0 * shape.linear(), false),
    member("mondrian-relaxed", Shape::linear, true),
    member("greedy-top-down", |shape| shape.pairs() / 4.0, true),
    member("progressive-local-recoding", Shape::pairs, true),
    member(
        "infogain-mondrian",
        |shape| 100.0 * shape.tuples * shape.quasi,
        true,
    ),
    member(
        "top-down-specialization",
        |shape| 100.0 * shape.linear(),
        false,
    ),
    member(
        "bottom-up-generalization",
        |shape| shape.tuples * shape.codes * shape.codes,
        false,
    ),
    member(
        "sibling-generalization",
        |shape| shape.tuples * shape.codes * shape.codes,
        false,
    ),
    member("top-down-disclosure", Shape::pairs, false),
    member(
        "k-optimize",
        |shape| shape.tuples * 1.7_f64.powf(shape.codes.min(1e3)),
        false,
    ),
    member("greedy-bottom-up", |shape| 4.0 * shape.pairs(), false),
    member(
        "local-suppression",
        |shape| shape.pairs() * shape.quasi,
        false,
    ),
    member("blind-generalization", |_| 0.0, true),
];

/// Most steps of a member that is tried although nobody set a time: some seconds on one core.
const USUAL: f64 = 4e8;

/// Values that the search over levels looks at when nobody set a time.
const LEVEL_LOOKS: f64 = 3e7;

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

/// Why a member waits for somebody to set a time.
const TAKES_LONG: &str = "it takes long on such a table: set a time budget to try it";

/// Why a member is cut off.
const TIME_WAS_UP: &str = "time was up";

/// A portfolio of solvers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Auto {
    /// Whether somebody set a time, so that everything is tried while it lasts.
    pub thorough: bool,
    /// Whether a clock or a count may end the search: then one solver runs after the other.
    pub limited: bool,
    /// Whether only solvers may serve that publish one level per quasi-identifier.
    pub one_grain: bool,
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
    /// Whether time or effort ended before its turn, or on it.
    pub fn cut(&self) -> bool {
        self.outcome == Outcome::Skipped(TIME_WAS_UP)
    }

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
        let shape = Shape::new(request);
        let misfits: Vec<Option<&'static str>> = MEMBERS
            .iter()
            .map(|member| self.misfit(member, request, &shape, exact))
            .collect();
        let mut solved = if self.side_by_side(request) {
            Self::together(request, context, &misfits)
        } else {
            MEMBERS.iter().map(|_| None).collect()
        };
        let mut best: Option<Solution> = None;
        let mut outcomes: Vec<Option<Outcome>> = MEMBERS.iter().map(|_| None).collect();
        let mut failure = Error::Stopped;
        let mut over = false;
        for (position, patient) in self.turns(&misfits) {
            let member = &MEMBERS[position];
            let answer = match solved[position].take() {
                Some(answer) => Some(answer),
                None if over => None,
                None => {
                    let solver = Self::solver(member, patient, &shape);
                    solver
                        .and_then(|solver| alone(member, solver.as_ref(), request, context, wanted))
                }
            };
            let Some(answer) = answer else {
                over = true;
                outcomes[position].get_or_insert(Outcome::Skipped(TIME_WAS_UP));
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
            // A second, longer turn counts where it found less loss.
            match (&outcomes[position], &outcome) {
                (Some(Outcome::Found(first)), Outcome::Found(second)) if second < first => {
                    outcomes[position] = Some(outcome);
                }
                (Some(Outcome::Found(_)), _) => {}
                _ => outcomes[position] = Some(outcome),
            }
        }
        let mut attempts: Vec<Attempt> = MEMBERS
            .iter()
            .zip(outcomes)
            .zip(&misfits)
            .map(|((member, outcome), misfit)| Attempt {
                name: member.name,
                outcome: outcome.unwrap_or(Outcome::Skipped(misfit.unwrap_or(TIME_WAS_UP))),
            })
            .collect();
        // Heuristics may pass by levels that exist: nothing is refused before the optimal search found none either.
        let place = MEMBERS
            .iter()
            .position(|member| member.name == "full-domain");
        if let (None, false, false, Some(place)) = (&best, exact, over, place)
            && misfits[place] == Some(TOO_MANY_LEVELS)
            && let Some(solver) = Self::solver(&MEMBERS[place], false, &shape)
            && let Some(answer) = alone(&MEMBERS[place], solver.as_ref(), request, context, wanted)
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

    /// Who is tried, in which order, and whether it is a second, longer turn. What takes long comes after all others, so that the
    /// number of questions which repeats a short run repeats it here as well.
    fn turns(self, misfits: &[Option<&'static str>]) -> Vec<(usize, bool)> {
        let fitting = (0..MEMBERS.len()).filter(|&at| misfits[at].is_none());
        let mut turns: Vec<(usize, bool)> = fitting.map(|at| (at, false)).collect();
        if self.thorough {
            let late = |&at: &usize| misfits[at] == Some(TAKES_LONG);
            turns.extend((0..MEMBERS.len()).filter(late).map(|at| (at, true)));
            // It goes on for as long as it may, so it comes last.
            let endless = |&at: &usize| MEMBERS[at].name == "best-effort" && misfits[at].is_none();
            turns.extend((0..MEMBERS.len()).filter(endless).map(|at| (at, true)));
        }
        turns
    }

    /// The solver of a member for one turn.
    fn solver(member: &Member, patient: bool, shape: &Shape) -> Option<Box<dyn Solver>> {
        if member.name == "best-effort" {
            let usual = BestEffort::default().evaluations;
            #[expect(clippy::cast_sign_loss, reason = "looks are counted from zero")]
            let looks = (LEVEL_LOOKS / shape.linear().max(1.0)) as u64;
            let evaluations = if patient {
                u64::MAX
            } else {
                looks.clamp(64, usual)
            };
            return Some(Box::new(BestEffort { evaluations }));
        }
        Some((solver_named(member.name)?.make)())
    }

    /// The answers of all members that fit, found beside each other; `None` where nobody waits any more.
    fn together(
        request: &Request<'_>,
        context: &Context<'_>,
        misfits: &[Option<&'static str>],
    ) -> Vec<Option<Result<Solution, Error>>> {
        let (seed, keep_going) = (context.seed, context.keep_going);
        let shape = Shape::new(request);
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
                Some(Self::solver(member, false, &shape)?.solve(request, &mut own))
            })
            .collect()
    }

    /// Whether solvers run beside each other: not where time may end any of them, and not where each needs all memory.
    fn side_by_side(self, request: &Request<'_>) -> bool {
        !self.limited && request.summary.tuples() <= TOGETHER
    }

    /// Why a member is not tried, or not at first, if it is not.
    fn misfit(
        self,
        member: &Member,
        request: &Request<'_>,
        shape: &Shape,
        exact: bool,
    ) -> Option<&'static str> {
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
        let levels = solver_named(member.name)
            .is_some_and(|solver| solver.recoding == RecodingKind::FullDomain);
        if self.one_grain && !levels {
            return Some("it mixes grains within a column");
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
            _ if (member.steps)(shape) <= USUAL => None,
            _ => Some(TAKES_LONG),
        }
    }
}

/// The answer of one member; `None` when time was up.
fn alone(
    member: &Member,
    solver: &dyn Solver,
    request: &Request<'_>,
    context: &mut Context<'_>,
    wanted: &(dyn Fn() -> bool + Sync),
) -> Option<Result<Solution, Error>> {
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
