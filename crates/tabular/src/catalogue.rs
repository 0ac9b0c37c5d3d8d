//! Every solver by name: what it comes from, what it publishes, which promises it honours.

use denym_data::{Standing, Verdict};
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

/// One solver.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name in policies.
    pub name: &'static str,
    /// What it does, in a phrase.
    pub summary: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it publishes.
    pub recoding: RecodingKind,
    /// Which promises it honours.
    pub honours: Honours,
    /// Whether it may suppress records.
    pub suppresses: bool,
    /// How far it can be trusted.
    pub maturity: Maturity,
    /// How it stands against somebody who knows the program.
    pub verdict: Verdict,
    /// Makes the solver with its default options.
    pub make: fn() -> Box<dyn Solver>,
}

/// All solvers, in the order in which they are shown.
pub const CATALOGUE: &[Entry] = &[
    Entry {
        name: "auto",
        summary: "a portfolio: the best of the solvers that fit",
        paper: "Huberman, Lukose, Hogg 1997",
        recoding: RecodingKind::Any,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(194),
        make: || Box::new(Auto::default()),
    },
    Entry {
        name: "full-domain",
        summary: "optimal search over all combinations of levels",
        paper: "Samarati 2001; LeFevre et al. 2005; Kohlmayer et al. 2012",
        recoding: RecodingKind::FullDomain,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Proven,
        verdict: Verdict::values_exceeded(128),
        make: || Box::new(FullDomain::default()),
    },
    Entry {
        name: "best-effort",
        summary: "good levels for many quasi-identifiers, with a proven gap",
        paper: "after Prasser et al. 2016",
        recoding: RecodingKind::FullDomain,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(128),
        make: || Box::new(BestEffort::default()),
    },
    Entry {
        name: "samarati",
        summary: "the lowest height with a valid node, by binary search",
        paper: "Samarati 2001",
        recoding: RecodingKind::FullDomain,
        honours: Honours::UpwardClosed,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(128),
        make: || Box::new(Samarati::default()),
    },
    Entry {
        name: "incognito",
        summary: "all valid nodes, by growing subsets of the quasi-identifiers",
        paper: "LeFevre, DeWitt, Ramakrishnan 2005",
        recoding: RecodingKind::FullDomain,
        honours: Honours::UpwardClosed,
        suppresses: true,
        maturity: Maturity::Proven,
        verdict: Verdict::values_exceeded(128),
        make: || Box::new(Incognito::default()),
    },
    Entry {
        name: "mingen",
        summary: "every node of the lattice, for small ones",
        paper: "Sweeney 2002",
        recoding: RecodingKind::FullDomain,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Proven,
        verdict: Verdict::values_exceeded(128),
        make: || Box::new(MinGen::default()),
    },
    Entry {
        name: "datafly",
        summary: "greedy: always the attribute with most distinct values; `full-domain` may find levels where it finds none",
        paper: "Sweeney 1998",
        recoding: RecodingKind::FullDomain,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(98),
        make: || Box::new(Datafly),
    },
    Entry {
        name: "mondrian",
        summary: "recursive median cuts, equal tuples together",
        paper: "LeFevre, DeWitt, Ramakrishnan 2006",
        recoding: RecodingKind::Multidimensional,
        honours: Honours::All,
        suppresses: false,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(114),
        make: || Box::new(Mondrian::default()),
    },
    Entry {
        name: "mondrian-relaxed",
        summary: "recursive median cuts through equal values",
        paper: "LeFevre, DeWitt, Ramakrishnan 2006",
        recoding: RecodingKind::Cell,
        honours: Honours::Size,
        suppresses: false,
        maturity: Maturity::Tested,
        verdict: Verdict {
            sizes: Standing::Holds,
            values: Standing::NotPromised,
        },
        make: || {
            Box::new(Mondrian {
                cuts: Cuts::Relaxed,
                axes: None,
            })
        },
    },
    Entry {
        name: "local-recoding",
        summary: "the least general node for each record, then repairs",
        paper: "after Xu et al. 2006; Wong et al. 2006",
        recoding: RecodingKind::Multidimensional,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(406),
        make: || Box::new(LocalRecoding::default()),
    },
    Entry {
        name: "top-down-specialization",
        summary: "specializes one value at a time, most information per privacy",
        paper: "Fung, Wang, Yu 2005, 2007",
        recoding: RecodingKind::Subtree,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(114),
        make: || Box::new(TopDownSpecialization::default()),
    },
    Entry {
        name: "top-down-clusters",
        summary: "the same, keeping clusters of the original apart",
        paper: "Fung et al. 2009",
        recoding: RecodingKind::Subtree,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(128),
        make: || {
            Box::new(TopDownSpecialization {
                purpose: Purpose::Clusters(5),
                ..TopDownSpecialization::default()
            })
        },
    },
    Entry {
        name: "bottom-up-generalization",
        summary: "generalizes one node at a time, least loss per privacy",
        paper: "Wang, Yu, Chakraborty 2004",
        recoding: RecodingKind::Subtree,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(135),
        make: || Box::new(BottomUpGeneralization::default()),
    },
    Entry {
        name: "k-optimize",
        summary: "optimal search over all cuts through the hierarchies",
        paper: "Bayardo, Agrawal 2005",
        recoding: RecodingKind::Subtree,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(114),
        make: || Box::new(KOptimize::default()),
    },
    Entry {
        name: "sibling-generalization",
        summary: "generalizes only the siblings that fail",
        paper: "after LeFevre et al. 2005",
        recoding: RecodingKind::Subtree,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(135),
        make: || Box::new(SiblingGeneralization),
    },
    Entry {
        name: "top-down-disclosure",
        summary: "discloses one value at a time, the rest is suppressed",
        paper: "Wang, Fung, Yu 2005, 2007",
        recoding: RecodingKind::Subtree,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(128),
        make: || Box::new(TopDownDisclosure::default()),
    },
    Entry {
        name: "infogain-mondrian",
        summary: "cuts where they help to predict the first sensitive attribute",
        paper: "LeFevre, DeWitt, Ramakrishnan 2006",
        recoding: RecodingKind::Multidimensional,
        honours: Honours::All,
        suppresses: false,
        maturity: Maturity::Tested,
        verdict: Verdict {
            sizes: Standing::Exceeded { per_mille: 14 },
            values: Standing::Exceeded { per_mille: 109 },
        },
        make: || Box::new(InfoGainMondrian::default()),
    },
    Entry {
        name: "greedy-bottom-up",
        summary: "classes that fail join the class with which they lose least",
        paper: "Xu et al. 2006",
        recoding: RecodingKind::Multidimensional,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(186),
        make: || Box::new(GreedyCells::default()),
    },
    Entry {
        name: "greedy-top-down",
        summary: "classes fall apart between tuples that are far apart",
        paper: "Xu et al. 2006",
        recoding: RecodingKind::Multidimensional,
        honours: Honours::All,
        suppresses: false,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(189),
        make: || {
            Box::new(GreedyCells {
                direction: Direction::TopDown,
            })
        },
    },
    Entry {
        name: "progressive-local-recoding",
        summary: "class by class down the hierarchies, failing parts stay behind",
        paper: "Wong et al. 2006",
        recoding: RecodingKind::Multidimensional,
        honours: Honours::All,
        suppresses: false,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(128),
        make: || Box::new(ProgressiveLocalRecoding),
    },
    Entry {
        name: "local-suppression",
        summary: "single cells become `*`, as few as possible",
        paper: "Meyerson, Williams 2004; sdcMicro",
        recoding: RecodingKind::Cell,
        honours: Honours::All,
        suppresses: true,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(199),
        make: || Box::new(LocalSuppression::default()),
    },
    Entry {
        name: "blind-generalization",
        summary: "classes made without a look at who has which value, kept or refused as a whole",
        paper: "denym; against Wong, Fu, Wang, Pei 2007",
        recoding: RecodingKind::Multidimensional,
        honours: Honours::All,
        suppresses: false,
        maturity: Maturity::Tested,
        verdict: Verdict::SAFE,
        make: || Box::new(BlindGeneralization),
    },
    Entry {
        name: "spalm",
        summary: "optimal levels for delta-presence, from the coarsest down",
        paper: "Nergiz, Atzori, Clifton 2007",
        recoding: RecodingKind::FullDomain,
        honours: Honours::All,
        suppresses: false,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(128),
        make: || Box::new(Spalm::default()),
    },
    Entry {
        name: "mpalm",
        summary: "median cuts through table and population for delta-presence",
        paper: "Nergiz, Atzori, Clifton 2007",
        recoding: RecodingKind::Multidimensional,
        honours: Honours::All,
        suppresses: false,
        maturity: Maturity::Tested,
        verdict: Verdict::values_exceeded(114),
        make: || Box::new(Mpalm::default()),
    },
];

/// Solvers that judge whole classes as they split or merge them: on fewer columns they keep what merging classes keeps.
const WHOLE_CLASSES: [&str; 4] = [
    "mondrian",
    "mondrian-relaxed",
    "local-recoding",
    "blind-generalization",
];

/// Solvers that search subsets of the columns, or presence, on their own: what is judged on fewer columns does not fit.
const ALL_COLUMNS: [&str; 3] = ["incognito", "spalm", "mpalm"];

/// Solvers that count the people of a register on the way.
const REGISTER: [&str; 8] = [
    "auto",
    "full-domain",
    "best-effort",
    "samarati",
    "mingen",
    "datafly",
    "spalm",
    "mpalm",
];

impl Entry {
    /// Whether it serves a promise, where every record may be kept; `fewer` when an adversary knows fewer columns than all.
    pub fn serves(&self, promise: &PromiseEntry, fewer: bool) -> bool {
        let is_one = |of: &[&str]| of.contains(&self.name);
        let honoured = match self.honours {
            Honours::All => true,
            Honours::UpwardClosed => promise.monotone.with_admitted,
            Honours::Size => {
                promise.linkage == Linkage::Record && promise.needs() == Needs::Nothing
            }
        };
        let fits = match promise.needs() {
            Needs::Population => is_one(&REGISTER),
            Needs::Guards => self.name != "blind-generalization",
            _ => true,
        };
        let narrow =
            !is_one(&ALL_COLUMNS) && (promise.monotone.with_admitted || !is_one(&WHOLE_CLASSES));
        honoured && fits && (!fewer || narrow)
    }

    /// Whether it may find nothing for this request although some combination of levels keeps every promise: a heuristic that goes
    /// from table to table passes by those that keep a promise which generalizing further breaks again.
    pub fn may_miss(&self, request: &Request<'_>) -> bool {
        let heuristic = self.maturity == Maturity::Tested && self.name != "auto";
        heuristic && !request.is_upward_closed()
    }

    /// What a refusal of a solver that may miss levels does not say.
    pub fn heuristic(&self) -> String {
        let name = self.name;
        format!("`{name}` is a heuristic: `full-domain` may find levels where it finds none")
    }
}

/// The names of those that serve a promise, whichever columns an adversary knows.
pub(crate) fn serving(promise: &str) -> Vec<&'static str> {
    let promise = promise_entry(promise);
    let serves = |entry: &&Entry| promise.is_some_and(|promise| entry.serves(promise, true));
    let serving = CATALOGUE.iter().filter(serves);
    serving.map(|entry| entry.name).collect()
}

/// The entry called `name`.
pub fn entry(name: &str) -> Option<&'static Entry> {
    CATALOGUE.iter().find(|entry| entry.name == name)
}

/// How the algorithms of the sensitive side, which are no [`Solver`]s, stand against somebody who knows the program.
pub const SIDE_VERDICTS: &[(&str, Verdict)] = &[
    ("anatomy", on_values(Standing::Holds)),
    ("k-e-permutation", on_values(Standing::Holds)),
    (
        "minimality-defence",
        on_values(Standing::Exceeded { per_mille: 344 }),
    ),
    (
        "greedy-personalized",
        on_values(Standing::Exceeded { per_mille: 343 }),
    ),
    (
        "mu-argus",
        Verdict {
            sizes: Standing::Holds,
            values: Standing::NotPromised,
        },
    ),
];

const fn on_values(values: Standing) -> Verdict {
    Verdict {
        sizes: Standing::NotPromised,
        values,
    }
}

/// The verdict on an algorithm of the sensitive side.
pub fn side_verdict(name: &str) -> Option<Verdict> {
    let found = SIDE_VERDICTS.iter().find(|(known, _)| *known == name);
    found.map(|&(_, verdict)| verdict)
}

/// The solver called `name`, with its default options.
pub fn solver(name: &str) -> Option<Box<dyn Solver>> {
    entry(name).map(|entry| (entry.make)())
}
