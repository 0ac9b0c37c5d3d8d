//! Every solver of sequences by name: what it works on, where it comes from, which promises it serves.

use denym_data::{AlgorithmEntry, AlgorithmUse, Standing, Verdict};

/// Which promises a solver serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Serves {
    /// Every one that can be judged on a group.
    Everything,
    /// How many subjects a group has, and nothing else.
    Sizes,
}

/// One solver.
///
/// What was removed from a record is what somebody who knows the program works on: which doublets it may have had, given that it was
/// published like this. Paths were measured with matching `consistent`. `tests/worlds.rs` and `tests/trail_worlds.rs`, and those of
/// streams, compare every verdict with what running the solvers backwards measures.
#[derive(Debug, Clone, Copy)]
pub struct SequenceSolver {
    /// What lists and policies say of it.
    pub entry: AlgorithmEntry,
    /// Which promises it serves.
    pub serves: Serves,
}

const fn exceeded(sizes: u16, values: u16) -> Verdict {
    Verdict {
        sizes: Standing::Exceeded { per_mille: sizes },
        values: Standing::Exceeded { per_mille: values },
    }
}

const fn solver(
    name: &'static str,
    data: &'static str,
    verdict: Verdict,
    summary: &'static str,
    reference: &'static str,
) -> SequenceSolver {
    SequenceSolver {
        entry: AlgorithmEntry::new(name, data, verdict, summary, reference),
        serves: Serves::Everything,
    }
}

/// A solver that can do nothing without coarser names.
const fn climbing(mut solver: SequenceSolver) -> SequenceSolver {
    solver.entry = solver.entry.uses(&[AlgorithmUse::Coarser]);
    solver
}

/// The rule of streams that takes nothing back.
pub const KEEP_PUBLISHED: SequenceSolver = solver(
    "keep-published",
    "stream",
    exceeded(147, 506),
    "only new doublets are suppressed, what a window showed stays: the default of streams",
    "denym, after K. Al-Hussaeni, B. Fung, W. Cheung, Privacy-preserving trajectory stream publishing, 2014",
);

/// The rule of streams that may take old doublets back.
pub const RETRACT: SequenceSolver = solver(
    "retract",
    "stream",
    exceeded(176, 521),
    "old doublets may be taken back; windows put together may break the promise",
    "K. Al-Hussaeni, B. Fung, W. Cheung, Privacy-preserving trajectory stream publishing, 2014",
);

/// All solvers, in the order in which they are shown.
pub const CATALOGUE: &[SequenceSolver] = &[
    solver(
        "auto",
        "paths",
        exceeded(7, 342),
        "the one below with the least loss: global or local suppression, coarsening where a ladder is given",
        "denym",
    ),
    solver(
        "global-suppression",
        "paths",
        exceeded(3, 347),
        "rare doublets removed from every record, the greedy choice of Al-Hussaeni 2009",
        "K. Al-Hussaeni, Preserving data privacy and information usefulness for RFID data publishing, 2009; N. Mohammed, B. Fung, M. Debbabi 2009",
    ),
    solver(
        "local-suppression",
        "paths",
        exceeded(7, 343),
        "doublets removed only from the records that need it; truthful, far less is lost",
        "denym, after the future work of K. Al-Hussaeni, Preserving data privacy and information usefulness for RFID data publishing, 2009",
    ),
    climbing(solver(
        "coarsening",
        "paths",
        exceeded(7, 343),
        "places become regions and times wider slots where the exact doublet is too rare",
        "denym, after M. Terrovitis, N. Mamoulis, P. Kalnis 2011",
    )),
    solver(
        "whole-paths",
        "paths",
        Verdict::values_exceeded(8),
        "every published path is shared by k records: the baseline of Al-Hussaeni 2009",
        "K. Al-Hussaeni, Preserving data privacy and information usefulness for RFID data publishing, 2009, chapter 5",
    ),
    solver(
        "optimum",
        "paths",
        exceeded(55, 308),
        "the global suppression of least loss by exhaustive search; small tables only",
        "denym",
    ),
    solver(
        "blind-suppression",
        "paths",
        Verdict::SAFE,
        "paths shared by many, made without a look at who has which sensitive value; all or nothing",
        "denym, after R. Wong, A. Fu, K. Wang, J. Pei 2007",
    ),
    solver(
        "auto",
        "transactions",
        exceeded(2, 168),
        "the one below with the least loss: suppression, and generalization where a taxonomy is given",
        "denym",
    ),
    solver(
        "item-suppression",
        "transactions",
        exceeded(2, 96),
        "rare items removed from every transaction, the greedy choice over smallest violations",
        "Y. Xu, K. Wang, A. Fu, P. Yu 2008; Y. Xu, B. Fung, K. Wang, A. Fu, J. Pei 2008",
    ),
    climbing(solver(
        "item-generalization",
        "transactions",
        Verdict::values_exceeded(168),
        "rare items and their siblings become their group in a taxonomy; what is too rare at the top is removed",
        "M. Terrovitis, N. Mamoulis, P. Kalnis 2008",
    )),
    solver(
        "blind-suppression",
        "transactions",
        Verdict::SAFE,
        "sets shared by many, made without a look at who has which sensitive item; all or nothing",
        "denym, after R. Wong, A. Fu, K. Wang, J. Pei 2007",
    ),
    KEEP_PUBLISHED,
    RETRACT,
    SequenceSolver {
        serves: Serves::Sizes,
        ..solver(
            "trail-defence",
            "trails",
            // The promise is how many may own a trail, however likely each is.
            Verdict {
                sizes: Standing::Holds,
                values: Standing::NotPromised,
            },
            "the fewest entries withheld that it can find so that every trail has k possible owners",
            "denym; the question is B. Malin 2002",
        )
    },
];

/// The solver called `name` for this data.
pub fn solver_entry(data: &str, name: &str) -> Option<&'static AlgorithmEntry> {
    let mut entries = CATALOGUE.iter().map(|solver| &solver.entry);
    entries.find(|entry| entry.data == data && entry.name == name)
}
