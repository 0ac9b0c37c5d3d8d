//! A search by name, from beginning to end: the solver of an entry, or the portfolio, for as long as a meter lets it.

use denym_data::{ClassId, Fraction};

use crate::{
    Attempt, Auto, BestEffort, Context, EffortMeter, Error, FullDomain, LocalRecoding, Mpalm,
    Nearest, Outcome, Progress, Request, Solution, Solver, TableSolver,
};

/// What is searched with what.
pub struct NamedSearch<'a> {
    /// The solver.
    pub named: &'static TableSolver,
    /// The same with options of its own, where it has any.
    pub solver: Option<Box<dyn Solver>>,
    /// Whether only solvers may serve whose promises hold against somebody who knows the program.
    pub safe: bool,
    /// Whether somebody set a time or an effort, so that the portfolio tries what takes long as well.
    pub thorough: bool,
    /// Whether only solvers may serve that publish one level per quasi-identifier.
    pub one_grain: bool,
    /// Makes randomized searches reproducible.
    pub seed: u64,
    /// How long it goes on.
    pub meter: &'a EffortMeter<'a>,
}

/// What a search found and how it went.
pub struct SearchAnswer {
    /// The solver whose solution it is.
    pub algorithm: &'static str,
    /// What it found.
    pub solution: Solution,
    /// How each solver of the portfolio fared.
    pub attempts: Vec<Attempt>,
    /// For each tuple of the register the class its people look like, when classes have values of their own.
    pub looks_like: Option<Vec<Option<ClassId>>>,
}

impl NamedSearch<'_> {
    /// Searches. `accept` is asked before one of several answers is taken: an audit belongs there.
    pub fn run(
        self,
        request: &Request<'_>,
        progress: &mut dyn FnMut(Progress),
        accept: &mut dyn FnMut(&Solution) -> bool,
    ) -> Result<SearchAnswer, Error> {
        let (named, meter) = (self.named, self.meter);
        let keep_going = || meter.go_on();
        let mut context = Context {
            seed: self.seed,
            keep_going: &keep_going,
            progress,
        };
        let answer = |solution| SearchAnswer {
            algorithm: named.entry.name,
            solution,
            attempts: Vec::new(),
            looks_like: None,
        };
        match named.entry.name {
            "auto" => self.portfolio(request, &mut context, accept),
            "mpalm" => {
                let (solution, classes) = Mpalm::default().run(request, &mut context)?;
                Ok(SearchAnswer {
                    looks_like: Some(classes),
                    ..answer(solution)
                })
            }
            _ => {
                let solver = self
                    .solver
                    .unwrap_or_else(|| named.patient(meter.limited()));
                Ok(answer(solver.solve(request, &mut context)?))
            }
        }
    }

    /// The best of several that the caller accepts. What is at hand when time is up has been accepted.
    fn portfolio(
        &self,
        request: &Request<'_>,
        context: &mut Context<'_>,
        accept: &mut dyn FnMut(&Solution) -> bool,
    ) -> Result<SearchAnswer, Error> {
        let portfolio = Auto {
            thorough: self.thorough,
            limited: self.meter.limited(),
            one_grain: self.one_grain,
            safe: self.safe,
        };
        let wanted = || self.meter.wanted();
        let (found, attempts) = portfolio.run(request, context, &wanted, &mut |_, solution| {
            let accepted = accept(solution);
            if accepted {
                self.meter.begin();
            }
            accepted
        });
        let refused = |attempt: &Attempt| matches!(attempt.outcome, Outcome::Refused(_));
        let solution = found.map_err(|error| match error {
            // Every answer was refused.
            Error::Stopped if attempts.iter().any(refused) => Error::infeasible(Nearest {
                reach: Vec::new(),
                suppression: None,
            }),
            error => error,
        })?;
        let scores = attempts.iter();
        let best = scores
            .filter_map(|attempt| Some((attempt.score()?, attempt.name)))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        Ok(SearchAnswer {
            algorithm: best.map_or(self.named.entry.name, |(_, name)| name),
            solution,
            attempts,
            looks_like: None,
        })
    }
}

impl TableSolver {
    /// The solver; one that gets better with time goes on until it is stopped, if it is `limited`.
    fn patient(&self, limited: bool) -> Box<dyn Solver> {
        match self.entry.name {
            "best-effort" if limited => Box::new(BestEffort {
                evaluations: u64::MAX,
            }),
            "local-recoding" if limited => Box::new(LocalRecoding {
                rounds: usize::MAX,
                ..LocalRecoding::default()
            }),
            _ => (self.make)(),
        }
    }
}

/// The fewest records to suppress so that levels keep every promise, where suppressing none does not do.
pub fn least_suppression(request: &Request<'_>) -> Option<u64> {
    let strict = Request {
        suppress_at_most: Fraction::ZERO,
        ..*request
    };
    match Context::quiet(0, |context| FullDomain::default().solve(&strict, context)) {
        Err(Error::Infeasible { nearest }) => nearest.suppression.map(|(records, _)| records),
        _ => None,
    }
}
