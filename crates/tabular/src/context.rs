//! What a run needs besides the task: a seed, a way to be stopped, a listener for progress.

/// Surroundings of a run. Solvers use the rayon pool they are called in; install one to choose the number of threads.
pub struct Context<'a> {
    /// Makes randomized searches reproducible.
    pub seed: u64,
    /// Asked now and then; once it answers `false` the solver returns the best it has, or [`Error::Stopped`](crate::Error::Stopped).
    pub keep_going: &'a (dyn Fn() -> bool + Sync),
    /// Told about progress.
    pub progress: &'a mut dyn FnMut(Progress),
}

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Units of work done: nodes, cuts, partitions.
    pub done: u64,
    /// Units of work in all, as far as known.
    pub total: u64,
    /// The best score so far.
    pub best: Option<f64>,
    /// What no solution of this solver's kind is below, as far as known.
    pub bound: Option<f64>,
}

impl Context<'_> {
    /// Runs `task` with a context that has `seed`, is never stopped and tells nobody.
    pub fn quiet<T>(seed: u64, task: impl FnOnce(&mut Context<'_>) -> T) -> T {
        task(&mut Context {
            seed,
            keep_going: &|| true,
            progress: &mut |_| {},
        })
    }
}
