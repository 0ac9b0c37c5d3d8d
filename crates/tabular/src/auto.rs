//! `auto`: a portfolio over the solvers that fit the request; the best solution so far is always at hand.
//!
//! # Idea
//!
//! No solver is best for every table. Fast ones go first, so that something good is there early; those that need longer
//! follow while time lasts. Solvers that another one dominates (every full-domain search, by the optimal one) stay out.
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

use crate::catalogue::{CATALOGUE, Entry};
use crate::lattice::Lattice;
use crate::{Context, Error, Request, Solution, Solver};

/// Names of the attempts, in order.
const ATTEMPTS: [&str; 4] = ["mondrian", "full-domain", "best-effort", "local-recoding"];

/// Lattices up to this size are searched exactly; beyond it best effort takes over.
const EXACT: u128 = 1 << 18;

/// A portfolio of solvers.
#[derive(Debug, Clone, Default)]
pub struct Auto;

/// How one solver of the portfolio fared.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The solver's name.
    pub name: &'static str,
    /// Its score, or why it has none.
    pub outcome: Result<f64, Error>,
    /// Whether the caller accepted the solution; `true` when there was none to refuse.
    pub accepted: bool,
}

impl Solver for Auto {
    fn solve(&self, request: &Request<'_>, context: &mut Context<'_>) -> Result<Solution, Error> {
        self.run(request, context, &mut |_, _| true).0
    }
}

impl Auto {
    /// Tries what fits. `accept` sees every solution that would be the best so far and may refuse it: an audit belongs there.
    pub fn run(
        &self,
        request: &Request<'_>,
        context: &mut Context<'_>,
        accept: &mut dyn FnMut(&'static str, &Solution) -> bool,
    ) -> (Result<Solution, Error>, Vec<Attempt>) {
        if let Err(error) = request.check() {
            return (Err(error), Vec::new());
        }
        let exact = Lattice::new(request).nodes() <= EXACT;
        let mut best: Option<Solution> = None;
        let mut attempts = Vec::new();
        let fits = |entry: &&Entry| {
            ATTEMPTS.contains(&entry.name)
                && entry.name != if exact { "best-effort" } else { "full-domain" }
        };
        let mut entries: Vec<&Entry> = CATALOGUE.iter().filter(fits).collect();
        entries.sort_by_key(|entry| ATTEMPTS.iter().position(|name| *name == entry.name));
        let mut failure = Error::Stopped;
        for entry in entries {
            if !(context.keep_going)() {
                break;
            }
            match (entry.make)().solve(request, context) {
                Ok(solution) => {
                    let better = best.as_ref().is_none_or(|old| solution.score < old.score);
                    let accepted = !better || accept(entry.name, &solution);
                    attempts.push(Attempt {
                        name: entry.name,
                        outcome: Ok(solution.score),
                        accepted,
                    });
                    if better && accepted {
                        best = Some(solution);
                    }
                }
                Err(error) => {
                    attempts.push(Attempt {
                        name: entry.name,
                        outcome: Err(error.clone()),
                        accepted: true,
                    });
                    // The full-domain search knows most about what would be feasible.
                    if !matches!(failure, Error::Infeasible { .. }) || entry.name == "full-domain" {
                        failure = error;
                    }
                }
            }
        }
        // What one kind of recoding cannot beat says nothing about the others.
        let best = best.map(|solution| Solution {
            bound: None,
            ..solution
        });
        (best.ok_or(failure), attempts)
    }
}
