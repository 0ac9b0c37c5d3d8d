//! `auto`: a portfolio over the solvers that fit the request; the best solution so far is always at hand.
//!
//! # Idea
//!
//! No solver is best for every table. Fast ones go first, so that something good is there early; those that need longer
//! follow while time lasts, on large tables only when somebody set a time. All work on the same summary. A solver that
//! another one dominates (every full-domain search, by the optimal one) stays out, and the account says so.
//!
//! # Guarantee
//!
//! The result is the best by the request's objective of all attempts that the caller accepted; each attempt keeps every
//! promise by itself. On equal scores the earlier attempt wins. Infeasible only when every attempt is.
//!
//! # Reference
//!
//! Algorithm portfolios: B. Huberman, R. Lukose, T. Hogg, Science 1997.
//!
//! # Departures
//!
//! None: attempts run one after the other, each on all cores.
//!
//! # Cost
//!
//! The sum of the attempts, or the time given.

use crate::catalogue::entry;
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
const MEMBERS: [Member; 15] = [
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

/// A portfolio of solvers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Auto {
    /// Whether somebody set a time, so that everything is tried while it lasts.
    pub thorough: bool,
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
    /// not count.
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
        let mut best: Option<Solution> = None;
        let mut attempts = Vec::new();
        let mut failure = Error::Stopped;
        for member in &MEMBERS {
            let skipped = |reason| Attempt {
                name: member.name,
                outcome: Outcome::Skipped(reason),
            };
            if let Some(reason) = self.misfit(member, request, exact) {
                attempts.push(skipped(reason));
                continue;
            }
            let Some(entry) = entry(member.name) else {
                continue;
            };
            if !(context.keep_going)() {
                attempts.push(skipped("time was up"));
                continue;
            }
            let solved = if member.recursive {
                let mut alone = Context {
                    seed: context.seed,
                    keep_going: wanted,
                    progress: &mut *context.progress,
                };
                (entry.make)().solve(request, &mut alone)
            } else {
                (entry.make)().solve(request, context)
            };
            let outcome = match solved {
                Ok(solution) => {
                    let score = solution.score;
                    let better = best.as_ref().is_none_or(|old| score < old.score);
                    if better && !accept(entry.name, &solution) {
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
                    if !matches!(failure, Error::Infeasible { .. }) || entry.name == "full-domain" {
                        failure = error.clone();
                    }
                    Outcome::Failed(error)
                }
            };
            attempts.push(Attempt {
                name: entry.name,
                outcome,
            });
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

    /// Why a member is not tried, if it is not.
    fn misfit(self, member: &Member, request: &Request<'_>, exact: bool) -> Option<&'static str> {
        let tuples = request.summary.tuples();
        let alone = request.summary.sensitive.is_empty();
        match member.name {
            "best-effort" if exact => Some("`full-domain` searches so few levels exactly"),
            "full-domain" if !exact => Some("there are too many combinations of levels"),
            "infogain-mondrian" | "top-down-disclosure" if alone => {
                Some("there is no sensitive attribute")
            }
            _ if self.thorough || tuples <= member.tuples => None,
            _ => Some("it takes long on so many tuples: set a time budget to try it"),
        }
    }
}
