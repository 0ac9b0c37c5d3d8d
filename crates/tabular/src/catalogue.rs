//! Every solver by name: where it comes from, what it publishes, which promises it honours.

use denym_data::{AlgorithmEntry, AlgorithmUse, Standing, Verdict};
use denym_measure::catalogue::{Linkage, Needs, PromiseEntry, promise_entry};

use crate::{
    Auto, BestEffort, BlindGeneralization, BottomUpGeneralization, Cuts, Datafly, Direction,
    FullDomain, GreedyCells, Incognito, InfoGainMondrian, KOptimize, LocalRecoding,
    LocalSuppression, MinGen, Mondrian, Mpalm, ProgressiveLocalRecoding, Purpose, Request,
    Samarati, SiblingGeneralization, Solver, Spalm, TopDownDisclosure, TopDownSpecialization,
};

/// What a solver publishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecodingKind {
    /// One level per quasi-identifier for the whole table.
    FullDomain,
    /// Each value has one node of its hierarchy for the whole table.
    Subtree,
    /// Each class has values of its own; equal tuples stay together.
    Multidimensional,
    /// Each class has values of its own; equal tuples may part.
    Cell,
    /// Whichever of these turned out best.
    Any,
}

/// Which promises a solver honours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Honours {
    /// All of them.
    All,
    /// Those that generalizing cannot break, given what may be suppressed.
    UpwardClosed,
    /// Those on the size of classes only, without a subject column.
    Size,
}

/// How far a solver can be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maturity {
    /// Tested against brute force, optimal by proof.
    Proven,
    /// Tested on every case of the case table; a heuristic.
    Tested,
}

/// What a solver keeps where an adversary knows fewer columns than all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fewer {
    /// Whatever it keeps on all of them.
    Everything,
    /// What merging classes keeps: it judges whole classes as it splits or merges them.
    WhatMergingKeeps,
    /// Nothing: it searches subsets of the columns, or presence, on its own.
    Nothing,
}

/// One solver.
#[derive(Debug, Clone, Copy)]
pub struct TableSolver {
    /// What lists and policies say of it.
    pub entry: AlgorithmEntry,
    /// What it publishes.
    pub recoding: RecodingKind,
    /// Which promises it honours.
    pub honours: Honours,
    /// What it keeps where an adversary knows fewer columns than all.
    pub on_fewer: Fewer,
    /// Whether it counts the people of a register on the way.
    pub counts_register: bool,
    /// Whether it may suppress records.
    pub suppresses: bool,
    /// How far it can be trusted.
    pub maturity: Maturity,
    /// Makes the solver with its default options.
    pub make: fn() -> Box<dyn Solver>,
}

/// A tested heuristic that honours everything and may suppress records.
const fn usual(
    entry: AlgorithmEntry,
    recoding: RecodingKind,
    make: fn() -> Box<dyn Solver>,
) -> TableSolver {
    TableSolver {
        entry,
        recoding,
        honours: Honours::All,
        on_fewer: Fewer::Everything,
        counts_register: false,
        suppresses: true,
        maturity: Maturity::Tested,
        make,
    }
}

const BREAKABLE: &str =
    "cannot honour promises that generalizing further can break, given what may be suppressed";
const VALUES: &str = "cannot honour promises about sensitive values, nor count people";

/// All solvers, in the order in which they are shown.
pub const CATALOGUE: &[TableSolver] = &[
    TableSolver {
        counts_register: true,
        ..usual(
            AlgorithmEntry::new(
                "auto",
                "table",
                Verdict::values_exceeded(194),
                "a portfolio: the best of the solvers that fit",
                "Huberman, Lukose, Hogg 1997",
            )
            .uses(&[AlgorithmUse::Budget]),
            RecodingKind::Any,
            || Box::new(Auto::default()),
        )
    },
    TableSolver {
        maturity: Maturity::Proven,
        counts_register: true,
        ..usual(
            AlgorithmEntry::new(
                "full-domain",
                "table",
                Verdict::values_exceeded(128),
                "optimal search over all combinations of levels",
                "Samarati 2001; LeFevre et al. 2005; Kohlmayer et al. 2012",
            )
            .uses(&[AlgorithmUse::Budget]),
            RecodingKind::FullDomain,
            || Box::new(FullDomain::default()),
        )
    },
    TableSolver {
        counts_register: true,
        ..usual(
            AlgorithmEntry::new(
                "best-effort",
                "table",
                Verdict::values_exceeded(128),
                "good levels for many quasi-identifiers, with a proven gap",
                "after Prasser et al. 2016",
            )
            .uses(&[AlgorithmUse::Budget]),
            RecodingKind::FullDomain,
            || Box::new(BestEffort::default()),
        )
    },
    TableSolver {
        honours: Honours::UpwardClosed,
        counts_register: true,
        ..usual(
            AlgorithmEntry::new(
                "samarati",
                "table",
                Verdict::values_exceeded(128),
                "the lowest height with a valid node, by binary search",
                "Samarati 2001",
            )
            .cannot(BREAKABLE),
            RecodingKind::FullDomain,
            || Box::new(Samarati::default()),
        )
    },
    TableSolver {
        honours: Honours::UpwardClosed,
        maturity: Maturity::Proven,
        on_fewer: Fewer::Nothing,
        ..usual(
            AlgorithmEntry::new(
                "incognito",
                "table",
                Verdict::values_exceeded(128),
                "all valid nodes, by growing subsets of the quasi-identifiers",
                "LeFevre, DeWitt, Ramakrishnan 2005",
            )
            .cannot(BREAKABLE),
            RecodingKind::FullDomain,
            || Box::new(Incognito::default()),
        )
    },
    TableSolver {
        maturity: Maturity::Proven,
        counts_register: true,
        ..usual(
            AlgorithmEntry::new(
                "mingen",
                "table",
                Verdict::values_exceeded(128),
                "every node of the lattice, for small ones",
                "Sweeney 2002",
            ),
            RecodingKind::FullDomain,
            || Box::new(MinGen::default()),
        )
    },
    TableSolver {
        counts_register: true,
        ..usual(
            AlgorithmEntry::new(
                "datafly",
                "table",
                Verdict::values_exceeded(98),
                "greedy: always the attribute with most distinct values; `full-domain` may find levels where it finds none",
                "Sweeney 1998",
            ),
            RecodingKind::FullDomain,
            || Box::new(Datafly),
        )
    },
    TableSolver {
        suppresses: false,
        on_fewer: Fewer::WhatMergingKeeps,
        ..usual(
            AlgorithmEntry::new(
                "mondrian",
                "table",
                Verdict::values_exceeded(128),
                "recursive median cuts, equal tuples together",
                "LeFevre, DeWitt, Ramakrishnan 2006",
            ),
            RecodingKind::Multidimensional,
            || Box::new(Mondrian::default()),
        )
    },
    TableSolver {
        honours: Honours::Size,
        suppresses: false,
        on_fewer: Fewer::WhatMergingKeeps,
        ..usual(
            AlgorithmEntry::new(
                "mondrian-relaxed",
                "table",
                Verdict {
                    sizes: Standing::Holds,
                    values: Standing::NotPromised,
                },
                "recursive median cuts through equal values",
                "LeFevre, DeWitt, Ramakrishnan 2006",
            )
            .cannot(VALUES),
            RecodingKind::Cell,
            || {
                Box::new(Mondrian {
                    cuts: Cuts::Relaxed,
                    axes: None,
                })
            },
        )
    },
    TableSolver {
        on_fewer: Fewer::WhatMergingKeeps,
        ..usual(
            AlgorithmEntry::new(
                "local-recoding",
                "table",
                Verdict::values_exceeded(406),
                "the least general node for each record, then repairs",
                "after Xu et al. 2006; Wong et al. 2006",
            )
            .uses(&[AlgorithmUse::Budget]),
            RecodingKind::Multidimensional,
            || Box::new(LocalRecoding::default()),
        )
    },
    usual(
        AlgorithmEntry::new(
            "top-down-specialization",
            "table",
            Verdict::values_exceeded(114),
            "specializes one value at a time, most information per privacy",
            "Fung, Wang, Yu 2005, 2007",
        )
        .uses(&[AlgorithmUse::Classify, AlgorithmUse::GrowIntervals]),
        RecodingKind::Subtree,
        || Box::new(TopDownSpecialization::default()),
    ),
    usual(
        AlgorithmEntry::new(
            "top-down-clusters",
            "table",
            Verdict::values_exceeded(128),
            "the same, keeping clusters of the original apart",
            "Fung et al. 2009",
        )
        .uses(&[AlgorithmUse::Clusters, AlgorithmUse::GrowIntervals]),
        RecodingKind::Subtree,
        || {
            Box::new(TopDownSpecialization {
                purpose: Purpose::Clusters(5),
                ..TopDownSpecialization::default()
            })
        },
    ),
    usual(
        AlgorithmEntry::new(
            "bottom-up-generalization",
            "table",
            Verdict::values_exceeded(135),
            "generalizes one node at a time, least loss per privacy",
            "Wang, Yu, Chakraborty 2004",
        )
        .uses(&[AlgorithmUse::Classify]),
        RecodingKind::Subtree,
        || Box::new(BottomUpGeneralization::default()),
    ),
    usual(
        AlgorithmEntry::new(
            "k-optimize",
            "table",
            Verdict::values_exceeded(114),
            "optimal search over all cuts through the hierarchies",
            "Bayardo, Agrawal 2005",
        ),
        RecodingKind::Subtree,
        || Box::new(KOptimize::default()),
    ),
    usual(
        AlgorithmEntry::new(
            "sibling-generalization",
            "table",
            Verdict::values_exceeded(135),
            "generalizes only the siblings that fail",
            "after LeFevre et al. 2005",
        ),
        RecodingKind::Subtree,
        || Box::new(SiblingGeneralization),
    ),
    usual(
        AlgorithmEntry::new(
            "top-down-disclosure",
            "table",
            Verdict::values_exceeded(128),
            "discloses one value at a time, the rest is suppressed",
            "Wang, Fung, Yu 2005, 2007",
        )
        .uses(&[AlgorithmUse::Classify]),
        RecodingKind::Subtree,
        || Box::new(TopDownDisclosure::default()),
    ),
    TableSolver {
        suppresses: false,
        ..usual(
            AlgorithmEntry::new(
                "infogain-mondrian",
                "table",
                Verdict {
                    sizes: Standing::Exceeded { per_mille: 14 },
                    values: Standing::Exceeded { per_mille: 109 },
                },
                "cuts where they help to predict the first sensitive attribute",
                "LeFevre, DeWitt, Ramakrishnan 2006",
            )
            .uses(&[
                AlgorithmUse::Classify,
                AlgorithmUse::Estimate,
                AlgorithmUse::Answer,
            ]),
            RecodingKind::Multidimensional,
            || Box::new(InfoGainMondrian::default()),
        )
    },
    usual(
        AlgorithmEntry::new(
            "greedy-bottom-up",
            "table",
            Verdict::values_exceeded(186),
            "classes that fail join the class with which they lose least",
            "Xu et al. 2006",
        ),
        RecodingKind::Multidimensional,
        || Box::new(GreedyCells::default()),
    ),
    TableSolver {
        suppresses: false,
        ..usual(
            AlgorithmEntry::new(
                "greedy-top-down",
                "table",
                Verdict::values_exceeded(189),
                "classes fall apart between tuples that are far apart",
                "Xu et al. 2006",
            ),
            RecodingKind::Multidimensional,
            || {
                Box::new(GreedyCells {
                    direction: Direction::TopDown,
                })
            },
        )
    },
    TableSolver {
        suppresses: false,
        ..usual(
            AlgorithmEntry::new(
                "progressive-local-recoding",
                "table",
                Verdict::values_exceeded(128),
                "class by class down the hierarchies, failing parts stay behind",
                "Wong et al. 2006",
            ),
            RecodingKind::Multidimensional,
            || Box::new(ProgressiveLocalRecoding),
        )
    },
    usual(
        AlgorithmEntry::new(
            "local-suppression",
            "table",
            Verdict::values_exceeded(199),
            "single cells become `*`, as few as possible",
            "Meyerson, Williams 2004; sdcMicro",
        )
        .uses(&[AlgorithmUse::Weights]),
        RecodingKind::Cell,
        || Box::new(LocalSuppression::default()),
    ),
    TableSolver {
        suppresses: false,
        on_fewer: Fewer::WhatMergingKeeps,
        ..usual(
            AlgorithmEntry::new(
                "blind-generalization",
                "table",
                Verdict::SAFE,
                "classes made without a look at who has which value, kept or refused as a whole",
                "denym; against Wong, Fu, Wang, Pei 2007",
            ),
            RecodingKind::Multidimensional,
            || Box::new(BlindGeneralization),
        )
    },
    TableSolver {
        suppresses: false,
        counts_register: true,
        on_fewer: Fewer::Nothing,
        ..usual(
            AlgorithmEntry::new(
                "spalm",
                "table",
                Verdict::values_exceeded(128),
                "optimal levels for delta-presence, from the coarsest down",
                "Nergiz, Atzori, Clifton 2007",
            ),
            RecodingKind::FullDomain,
            || Box::new(Spalm::default()),
        )
    },
    TableSolver {
        suppresses: false,
        counts_register: true,
        on_fewer: Fewer::Nothing,
        ..usual(
            AlgorithmEntry::new(
                "mpalm",
                "table",
                Verdict::values_exceeded(114),
                "median cuts through table and population for delta-presence",
                "Nergiz, Atzori, Clifton 2007",
            ),
            RecodingKind::Multidimensional,
            || Box::new(Mpalm::default()),
        )
    },
];

impl TableSolver {
    /// Whether it serves a promise, where every record may be kept; `fewer` when an adversary knows fewer columns than all.
    pub fn serves(&self, promise: &PromiseEntry, fewer: bool) -> bool {
        let honoured = match self.honours {
            Honours::All => true,
            Honours::UpwardClosed => promise.monotone.with_admitted,
            Honours::Size => {
                promise.linkage == Linkage::Record && promise.needs() == Needs::Nothing
            }
        };
        let fits = match promise.needs() {
            Needs::Population => self.counts_register,
            Needs::Guards => self.entry.name != "blind-generalization",
            _ => true,
        };
        let narrow = match self.on_fewer {
            Fewer::Everything => true,
            Fewer::WhatMergingKeeps => promise.monotone.with_admitted,
            Fewer::Nothing => false,
        };
        honoured && fits && (!fewer || narrow)
    }

    /// Whether it may find nothing for this request although some combination of levels keeps every promise: a heuristic that goes
    /// from table to table passes by those that keep a promise which generalizing further breaks again.
    pub fn may_miss(&self, request: &Request<'_>) -> bool {
        let heuristic = self.maturity == Maturity::Tested && !self.entry.is_auto();
        heuristic && !request.is_upward_closed()
    }

    /// What a refusal of a solver that may miss levels does not say.
    pub fn heuristic(&self) -> String {
        let name = self.entry.name;
        format!("`{name}` is a heuristic: `full-domain` may find levels where it finds none")
    }
}

/// The names of those that serve a promise, whichever columns an adversary knows.
pub(crate) fn serving(promise: &str) -> Vec<&'static str> {
    let promise = promise_entry(promise);
    let serves =
        |solver: &&TableSolver| promise.is_some_and(|promise| solver.serves(promise, true));
    let serving = CATALOGUE.iter().filter(serves);
    serving.map(|solver| solver.entry.name).collect()
}

/// The solver called `name`.
pub fn solver_named(name: &str) -> Option<&'static TableSolver> {
    CATALOGUE.iter().find(|solver| solver.entry.name == name)
}

/// The solver called `name`, with its default options.
pub fn solver(name: &str) -> Option<Box<dyn Solver>> {
    solver_named(name).map(|solver| (solver.make)())
}
